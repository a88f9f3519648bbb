"""How a conversation becomes tokens, for any tokenizer, and which of them the model said itself.

A conversation is laid down in pieces that are only ever added to: the opening (system, tools, request, and the head of the
first turn), what the model said, what came back with the head of the next turn, and so on. Demonstrations and rollouts are
made of the same pieces by the same functions, so what is taught is what is played, and the mask (1 on what the model said,
its end of turn included) is exact by construction: no text is searched for borders afterwards, and nothing that was said is
ever tokenised anew.

Three forms:

- `native`: the model's own chat template, where it has tools and what it writes for a call can be read back (it is tried out);
- `plain`: a template of ours, for models without one: ChatML with the tools listed as JSON and calls in `<tool_call>` tags;
- `compact`: the same with tools as signatures, a handbook cut to a number of tokens, and short results (see `compact`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jinja2 import TemplateError

from worldwright.agents import chat, tool_call_text
from worldwright.agents.chat import Message, Tool, ToolCall
from worldwright.core.errors import UsageError
from worldwright.train.compact import short_result, signature, trimmed_handbook
from worldwright.train.talk_settings import TalkSettings

CLOSE = "</tool_call>"
KEPT = 4_096
"""Openings that are remembered: the episodes of a group all begin alike, and tasks come again."""
_BEGIN = "<|im_start|>"
_PROBE = "zqprobevalue"
_PROBE_CALL: Message = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": "look_up", "arguments": {"name": _PROBE}}}],
}
_PROBE_TOOL = chat.make_function_tool(
    "look_up", "Look somebody up.", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
)
_PROBE_USER: Message = {"role": "user", "content": "Please look somebody up."}


@dataclass(slots=True)
class Line:
    """A conversation as tokens. `said` is 1 where the model spoke."""

    ids: list[int] = field(default_factory=list)
    said: list[int] = field(default_factory=list)

    @property
    def spoken(self) -> int:
        """Tokens that the model said."""
        return sum(self.said)

    def told(self, ids: Sequence[int]) -> None:
        self.ids += ids
        self.said += [0] * len(ids)

    def spoke(self, ids: Sequence[int]) -> None:
        self.ids += ids
        self.said += [1] * len(ids)


class Talk:
    """A tokenizer that knows how to hold a conversation with tools."""

    def __init__(self, tokenizer: Any, settings: TalkSettings | None = None) -> None:
        self.tokenizer = tokenizer
        self.settings = settings or TalkSettings()
        if not tokenizer.eos_token:
            raise UsageError("the tokenizer has no end-of-sequence token, so no turn could end: set its `eos_token`")
        self.end = str(tokenizer.eos_token)
        self.end_id = int(tokenizer.eos_token_id)
        self._lengths: dict[str, int] = {}
        self._special = tuple(t for t in map(str, tokenizer.all_special_tokens) if len(t) > 2)
        self._native = _Native.of(tokenizer, self.end) if self.settings.form in ("auto", "native") else None
        if self.settings.form == "native" and self._native is None:
            raise UsageError(
                "the model's chat template takes no tools, or its calls cannot be read back: take --form plain"
            )
        self._openings: dict[str, list[int]] = {}
        self.form = self.settings.form if self.settings.form != "auto" else ("native" if self._native else "plain")

    def ids(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return found

    def text(self, ids: Sequence[int]) -> str:
        """What was said, without the end of the turn."""
        kept = [i for i in ids if i != self.end_id]
        found: str = self.tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return found

    def _length(self, text: str) -> int:
        """Tokens of a line of a handbook, which stands in many openings."""
        if text not in self._lengths:
            self._lengths[text] = len(self.ids(text))
        return self._lengths[text]

    # the pieces

    def opening(self, messages: Sequence[Message], tools: Sequence[Tool]) -> list[int]:
        """Everything before the model's first word."""
        key = chat.encode([list(messages[:2]), list(tools)])
        if key not in self._openings:
            if len(self._openings) >= KEPT:
                self._openings.clear()
            self._openings[key] = self._opening(messages, tools)
        return list(self._openings[key])

    def _opening(self, messages: Sequence[Message], tools: Sequence[Tool]) -> list[int]:
        system, request = (self._safe(m.get("content") or "") for m in messages[:2])
        if self._native is not None:
            given: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": request}]
            return self.ids(self._native.render(given, tools=list(map(_plain_tool, tools)), add_generation_prompt=True))
        compact = self.form == "compact"
        if compact:
            system = trimmed_handbook(system, request, self.settings.handbook, self._length)
        listed = _short_tools(tools, self.settings.optionals) if compact else tool_call_text.render_tools(tools)
        told = f"{system}\n\n{self._safe(listed)}"
        return self.ids(self._turn("system", told) + self._turn("user", request) + self._head())

    def said(self, message: Message) -> list[int]:
        """What a model would have to say for this message of a demonstration, with the end of its turn."""
        calls, text = chat_calls(message), self._safe(message.get("content") or "")
        if self._native is not None:
            return self.ids(
                self._native.said(text, [one._replace(arguments=self._safe_in(one.arguments)) for one in calls])
            )
        words = [text] if text else []
        words += [self._safe(tool_call_text.render_call(one.name, one.arguments)) for one in calls]
        return self.ids("\n".join(words) + self.end)

    def back(self, messages: Sequence[Message], ended: bool) -> list[int]:
        """What comes back before the model's next word: results of its calls, or somebody else's words.

        `ended`: whether the model ended its turn itself; where it did not, that comes first."""
        told = [self.shown(m) for m in messages]
        before = "" if ended else self.end
        if self._native is not None:
            return self.ids(before + self._native.back(told))
        return self.ids(before + "\n" + "".join(map(self._back_turn, _gathered(told))) + self._head())

    def read(self, text: str) -> Message:
        """What the model said, as a message.

        Calls that cannot be read are calls all the same: they are answered with what is wrong.
        """
        found = read_calls(text)
        calls = [
            {
                "id": one.id,
                "type": "function",
                "function": {"name": one.name, "arguments": text if one.problem else chat.encode(one.arguments)},
            }
            for one in found.calls
        ]
        message: Message = {"role": "assistant", "content": found.text or None}
        if calls:
            message["tool_calls"] = calls
        return message

    # a whole conversation

    def line(self, messages: Sequence[Message], tools: Sequence[Tool], untaught: int | None = None) -> Line:
        """A demonstration: system, request, and turns. What comes after the last turn of the model is left out.

        `untaught`: the place of a turn that is told only."""
        out = Line()
        out.told(self.opening(messages, tools))
        waiting: list[Message] = []
        for at, message in enumerate(messages[2:], start=2):
            if message["role"] != "assistant":
                waiting.append(message)
                continue
            if waiting:
                out.told(self.back(waiting, ended=True))
                waiting = []
            (out.told if at == untaught else out.spoke)(self.said(message))
        return out

    # how it looks

    def shown(self, message: Message) -> Message:
        """What the model sees of a message that comes back to it."""
        text = message.get("content") or ""
        if self.form == "compact" and message["role"] == "tool":
            found = chat.read_payload(message)
            if isinstance(found, Mapping):
                text = short_result(found, self.settings.rows, self.settings.characters)
        out: Message = {"role": message["role"], "content": self._safe(text)}
        if message.get("name"):
            out["name"] = message["name"]
        return out

    def _safe(self, text: str) -> str:
        """No text can end a turn or begin one: what a tokenizer would take for a special token is broken up."""
        for token in self._special:
            if token in text and token != CLOSE and not token.startswith(("<tool", "<think", "</think")):
                text = text.replace(token, f"{token[0]} {token[1:]}")
        return text

    def _safe_in(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._safe(value)
        if isinstance(value, Mapping):
            return {key: self._safe_in(one) for key, one in value.items()}
        return [self._safe_in(one) for one in value] if isinstance(value, (list, tuple)) else value

    def _turn(self, role: str, text: str) -> str:
        return f"{_BEGIN}{role}\n{text}{self.end}\n"

    def _back_turn(self, told: Message) -> str:
        return self._turn("user" if told["role"] == "tool" else told["role"], told.get("content") or "")

    def _head(self) -> str:
        return f"{_BEGIN}assistant\n"


def read_calls(text: str) -> tool_call_text.ParsedMessage:
    """The calls of a message.

    In `<tool_call>` tags, or as a JSON object alone (`parameters` for `arguments`, as Llama writes it).
    """
    found = tool_call_text.parse_message(text)
    bare = text.strip().removeprefix("<|python_tag|>")
    if found.calls or not bare.startswith("{"):
        return found
    try:
        one = json.loads(bare)
    except (ValueError, RecursionError):
        return found
    if isinstance(one, dict) and isinstance(one.get("name"), str):
        return tool_call_text.ParsedMessage("", (tool_call_text.read_call(chat.encode(_as_arguments(one))),))
    return found


def _as_arguments(one: dict[str, Any]) -> dict[str, Any]:
    return one if "arguments" in one else {"name": one["name"], "arguments": one.get("parameters")}


def chat_calls(message: Message) -> list[ToolCall]:
    """The calls of a message, whether their arguments are objects (distilled rows) or JSON in a string (episodes)."""
    return chat.parse_tool_calls(message)


def _gathered(told: Sequence[Message]) -> list[Message]:
    """Results in a row are one turn, each in tags."""
    out: list[Message] = []
    for message in told:
        if message["role"] != "tool":
            out.append(message)
            continue
        text = f"<tool_response>\n{message.get('content') or ''}\n</tool_response>"
        if out and out[-1]["role"] == "tool":
            out[-1] = {"role": "tool", "content": f"{out[-1].get('content')}\n{text}"}
        else:
            out.append({"role": "tool", "content": text})
    return out


def _short_tools(tools: Sequence[Tool], optionals: int) -> str:
    listed = "\n".join(signature(tool, optionals) for tool in tools)
    return (
        f"# Tools\n\n{listed}\n\nCall one tool at a time, with JSON inside these tags:\n"
        '<tool_call>\n{"name": "the_tool", "arguments": {}}\n</tool_call>\n'
        f"When you are through, call `{chat.get_submit_name(tools)}`."
    )


def _plain_tool(tool: Tool) -> dict[str, Any]:
    """As templates take it: plain dicts all the way down."""
    found: dict[str, Any] = json.loads(chat.encode(tool))
    return found


class _Native:
    """The model's own chat template, tried out."""

    def __init__(self, tokenizer: Any, end: str) -> None:
        self._tokenizer, self._end = tokenizer, end

    @classmethod
    def of(cls, tokenizer: Any, end: str) -> _Native | None:
        """None where the template is missing, knows no tools, or writes calls that cannot be read back."""
        if not getattr(tokenizer, "chat_template", None):
            return None
        made = cls(tokenizer, end)
        result: Message = {"role": "tool", "name": "look_up", "content": _PROBE}
        try:
            shown = made.render([_PROBE_USER], tools=[_plain_tool(_PROBE_TOOL)], add_generation_prompt=True)
            said = made.said("", chat_calls(_PROBE_CALL))
            sound = "look_up" in shown and said.endswith(end) and _PROBE in made.back([result])
        except (TemplateError, UsageError, ValueError, TypeError, KeyError):
            return None
        calls = read_calls(said.removesuffix(end)).calls
        return made if sound and [(c.name, c.arguments) for c in calls] == [("look_up", {"name": _PROBE})] else None

    def render(self, messages: Sequence[Message], **more: Any) -> str:
        found: str = self._tokenizer.apply_chat_template(list(messages), tokenize=False, **more)
        return found

    def said(self, text: str, calls: Sequence[ToolCall]) -> str:
        """What the template writes for a turn, with the end of it."""
        message: Message = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [
                {"type": "function", "function": {"name": c.name, "arguments": dict(c.arguments or {})}} for c in calls
            ]
        head = self.render([_PROBE_USER], add_generation_prompt=True)
        whole = self.render([_PROBE_USER, message])
        if not whole.startswith(head) or self._end not in whole[len(head) :]:
            raise UsageError("the chat template writes a turn otherwise than it begins one")
        return whole[len(head) : whole.rindex(self._end) + len(self._end)]

    def back(self, told: Sequence[Message]) -> str:
        """What stands between the end of a turn and the first word of the next."""
        before = _PROBE_CALL if told[0]["role"] == "tool" else {"role": "assistant", "content": _PROBE}
        whole = self.render([_PROBE_USER, before, *told], add_generation_prompt=True)
        at = whole.index(_PROBE) + len(_PROBE)
        at = whole.index(self._end, at) + len(self._end)
        return whole[at:]
