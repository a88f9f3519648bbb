"""Turn conversations into tokens, for any tokenizer, with a mask on the tokens that the model generates.

A conversation is encoded in pieces that are only ever appended: the prompt (system, tools, request, and the header of the
first turn), a response of the model, the observation that follows with the header of the next turn, and so on. Demonstrations and
rollouts are made of the same pieces by the same functions, so training and generation see the same tokens, and the response mask
(1 on what the model generates, its end of turn included) is exact by construction: no text is searched for borders afterwards, and
nothing that was generated is ever tokenized again.

Three styles:

- `native`: the model's own chat template, where it takes tools and its calls can be parsed back (this is probed);
- `plain`: a template of ours, for models without one: ChatML with the tools listed as JSON and calls in `<tool_call>` tags;
- `compact`: the same with tools as signatures, a handbook cut to a number of tokens, and short results (see `compact_prompt`).
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
from worldwright.train.compact_prompt import render_result, render_signature, trim_handbook
from worldwright.train.settings import ChatFormatSettings

CALL_CLOSING_TAG = "</tool_call>"
MAX_CACHED_PROMPTS = 4_096
"""Prompts that are kept encoded: the episodes of a group share one, and tasks come again."""
_TURN_START = "<|im_start|>"
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
class TokenizedEpisode:
    """The tokens of a conversation, with `response_mask` 1 on those that the model generated."""

    token_ids: list[int] = field(default_factory=list)
    response_mask: list[int] = field(default_factory=list)

    @property
    def num_response_tokens(self) -> int:
        return sum(self.response_mask)

    def append_context(self, token_ids: Sequence[int]) -> None:
        """Append tokens that the model is given."""
        self.token_ids += token_ids
        self.response_mask += [0] * len(token_ids)

    def append_response(self, token_ids: Sequence[int]) -> None:
        """Append tokens that the model generates."""
        self.token_ids += token_ids
        self.response_mask += [1] * len(token_ids)


class ChatFormat:
    """Encodes prompts, responses and observations of tool-calling conversations, and parses responses."""

    def __init__(self, tokenizer: Any, settings: ChatFormatSettings | None = None) -> None:
        self.tokenizer = tokenizer
        self.settings = settings or ChatFormatSettings()
        if not tokenizer.eos_token:
            raise UsageError("the tokenizer has no end-of-sequence token, so no turn could end: set its `eos_token`")
        self._eos = str(tokenizer.eos_token)
        self.eos_token_id = int(tokenizer.eos_token_id)
        self._line_lengths: dict[str, int] = {}
        self._special_tokens = tuple(t for t in map(str, tokenizer.all_special_tokens) if len(t) > 2)
        wants_native = self.settings.style in ("auto", "native")
        self._native = _NativeTemplate.probe(tokenizer, self._eos) if wants_native else None
        if self.settings.style == "native" and self._native is None:
            raise UsageError(
                "the model's chat template takes no tools, or its calls cannot be parsed back: use --chat-format plain"
            )
        self._prompts: dict[str, list[int]] = {}
        self.style = self.settings.style if self.settings.style != "auto" else ("native" if self._native else "plain")

    def encode(self, text: str) -> list[int]:
        token_ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return token_ids

    def decode(self, token_ids: Sequence[int]) -> str:
        """Decode a response, without its end-of-turn token."""
        kept = [token for token in token_ids if token != self.eos_token_id]
        text: str = self.tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def _count_tokens(self, text: str) -> int:
        """Count the tokens of a line of a handbook, which is part of many prompts."""
        if text not in self._line_lengths:
            self._line_lengths[text] = len(self.encode(text))
        return self._line_lengths[text]

    # the pieces

    def encode_prompt(self, messages: Sequence[Message], tools: Sequence[Tool]) -> list[int]:
        """Encode everything before the model's first token."""
        key = chat.encode([list(messages[:2]), list(tools)])
        if key not in self._prompts:
            if len(self._prompts) >= MAX_CACHED_PROMPTS:
                self._prompts.clear()
            self._prompts[key] = self._encode_prompt(messages, tools)
        return list(self._prompts[key])

    def _encode_prompt(self, messages: Sequence[Message], tools: Sequence[Tool]) -> list[int]:
        system, request = (self._escape(m.get("content") or "") for m in messages[:2])
        if self._native is not None:
            given: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": request}]
            return self.encode(
                self._native.render(given, tools=list(map(_to_plain_dict, tools)), add_generation_prompt=True)
            )
        compact = self.style == "compact"
        if compact:
            system = trim_handbook(system, request, self.settings.max_handbook_tokens, self._count_tokens)
        listed = (
            _render_signatures(tools, self.settings.max_optional_parameters)
            if compact
            else tool_call_text.render_tools(tools)
        )
        system = f"{system}\n\n{self._escape(listed)}"
        return self.encode(self._render_turn("system", system) + self._render_turn("user", request) + self._header())

    def encode_response(self, message: Message) -> list[int]:
        """Encode what a model has to generate for this message of a demonstration, with its end-of-turn token."""
        calls, text = chat.parse_tool_calls(message), self._escape(message.get("content") or "")
        if self._native is not None:
            escaped = [call._replace(arguments=self._escape_values(call.arguments)) for call in calls]
            return self.encode(self._native.render_response(text, escaped))
        parts = [text] if text else []
        parts += [self._escape(tool_call_text.render_call(call.name, call.arguments)) for call in calls]
        return self.encode("\n".join(parts) + self._eos)

    def encode_observation(self, messages: Sequence[Message], ended: bool) -> list[int]:
        """Encode what comes before the model's next turn: tool results, or a message of somebody else.

        `ended`: whether the model ended its turn itself; where it did not, the end of its turn comes first."""
        observed = [self.render_observation(m) for m in messages]
        before = "" if ended else self._eos
        if self._native is not None:
            return self.encode(before + self._native.render_observation(observed))
        turns = "".join(
            self._render_turn("user" if m["role"] == "tool" else m["role"], m.get("content") or "")
            for m in _merge_results(observed)
        )
        return self.encode(f"{before}\n{turns}{self._header()}")

    def parse_response(self, text: str) -> Message:
        """Parse a response into a message.

        A call that cannot be parsed is part of the message too: the world answers it with what is wrong.
        """
        parsed = parse_calls(text)
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": text if call.problem else chat.encode(call.arguments)},
            }
            for call in parsed.calls
        ]
        message: Message = {"role": "assistant", "content": parsed.text or None}
        if calls:
            message["tool_calls"] = calls
        return message

    # a whole conversation

    def tokenize_episode(
        self, messages: Sequence[Message], tools: Sequence[Tool], wrong_turn: int | None = None
    ) -> TokenizedEpisode:
        """Tokenize a demonstration up to its last turn of the model.

        `wrong_turn`: index of a message of the model that is context and not a training target."""
        episode = TokenizedEpisode()
        episode.append_context(self.encode_prompt(messages, tools))
        waiting: list[Message] = []
        for at, message in enumerate(messages[2:], start=2):
            if message["role"] != "assistant":
                waiting.append(message)
                continue
            if waiting:
                episode.append_context(self.encode_observation(waiting, ended=True))
                waiting = []
            append = episode.append_context if at == wrong_turn else episode.append_response
            append(self.encode_response(message))
        return episode

    # text

    def render_observation(self, message: Message) -> Message:
        """Render a message as the model sees it: escaped, and shortened in the compact style."""
        text = message.get("content") or ""
        if self.style == "compact" and message["role"] == "tool":
            payload = chat.read_payload(message)
            if isinstance(payload, Mapping):
                text = render_result(payload, self.settings.max_result_rows, self.settings.max_result_chars)
        rendered: Message = {"role": message["role"], "content": self._escape(text)}
        if message.get("name"):
            rendered["name"] = message["name"]
        return rendered

    def _escape(self, text: str) -> str:
        """Break up special tokens in a text, so that no text can end a turn or begin one."""
        for token in self._special_tokens:
            if token in text and token != CALL_CLOSING_TAG and not token.startswith(("<tool", "<think", "</think")):
                text = text.replace(token, f"{token[0]} {token[1:]}")
        return text

    def _escape_values(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._escape(value)
        if isinstance(value, Mapping):
            return {key: self._escape_values(one) for key, one in value.items()}
        return [self._escape_values(one) for one in value] if isinstance(value, (list, tuple)) else value

    def _render_turn(self, role: str, text: str) -> str:
        return f"{_TURN_START}{role}\n{text}{self._eos}\n"

    def _header(self) -> str:
        return f"{_TURN_START}assistant\n"


def parse_calls(text: str) -> tool_call_text.ParsedMessage:
    """Parse the calls of a response.

    They are in `<tool_call>` tags, or one JSON object is all of the text (`parameters` for `arguments`, as Llama writes it).
    """
    parsed = tool_call_text.parse_message(text)
    bare = text.strip().removeprefix("<|python_tag|>")
    if parsed.calls or not bare.startswith("{"):
        return parsed
    try:
        call = json.loads(bare)
    except (ValueError, RecursionError):
        return parsed
    if isinstance(call, dict) and isinstance(call.get("name"), str):
        if "arguments" not in call:
            call = {"name": call["name"], "arguments": call.get("parameters")}
        return tool_call_text.ParsedMessage("", (tool_call_text.read_call(chat.encode(call)),))
    return parsed


def _merge_results(messages: Sequence[Message]) -> list[Message]:
    """Put results that follow each other into one turn, each in tags."""
    merged: list[Message] = []
    for message in messages:
        if message["role"] != "tool":
            merged.append(message)
            continue
        text = f"<tool_response>\n{message.get('content') or ''}\n</tool_response>"
        if merged and merged[-1]["role"] == "tool":
            merged[-1] = {"role": "tool", "content": f"{merged[-1].get('content')}\n{text}"}
        else:
            merged.append({"role": "tool", "content": text})
    return merged


def _render_signatures(tools: Sequence[Tool], max_optional_parameters: int) -> str:
    listed = "\n".join(render_signature(tool, max_optional_parameters) for tool in tools)
    return (
        f"# Tools\n\n{listed}\n\nCall one tool at a time, with JSON inside these tags:\n"
        '<tool_call>\n{"name": "the_tool", "arguments": {}}\n</tool_call>\n'
        f"When you are through, call `{chat.get_submit_name(tools)}`."
    )


def _to_plain_dict(tool: Tool) -> dict[str, Any]:
    """Convert a tool to plain dicts all the way down, as templates take it."""
    plain: dict[str, Any] = json.loads(chat.encode(tool))
    return plain


class _NativeTemplate:
    """The model's own chat template."""

    def __init__(self, tokenizer: Any, eos: str) -> None:
        self._tokenizer, self._eos = tokenizer, eos

    @classmethod
    def probe(cls, tokenizer: Any, eos: str) -> _NativeTemplate | None:
        """Return the template, or None where it is missing, takes no tools, or writes calls that cannot be parsed back."""
        if not getattr(tokenizer, "chat_template", None):
            return None
        template = cls(tokenizer, eos)
        result: Message = {"role": "tool", "name": "look_up", "content": _PROBE}
        try:
            prompt = template.render([_PROBE_USER], tools=[_to_plain_dict(_PROBE_TOOL)], add_generation_prompt=True)
            response = template.render_response("", chat.parse_tool_calls(_PROBE_CALL))
            observation = template.render_observation([result])
        except (TemplateError, UsageError, ValueError, TypeError, KeyError):
            return None
        calls = parse_calls(response.removesuffix(eos)).calls
        works = (
            "look_up" in prompt
            and response.endswith(eos)
            and _PROBE in observation
            and [(call.name, call.arguments) for call in calls] == [("look_up", {"name": _PROBE})]
        )
        return template if works else None

    def render(self, messages: Sequence[Message], **more: Any) -> str:
        text: str = self._tokenizer.apply_chat_template(list(messages), tokenize=False, **more)
        return text

    def render_response(self, text: str, calls: Sequence[ToolCall]) -> str:
        """Render a turn of the model, with its end-of-turn token."""
        message: Message = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [
                {"type": "function", "function": {"name": c.name, "arguments": dict(c.arguments or {})}} for c in calls
            ]
        head = self.render([_PROBE_USER], add_generation_prompt=True)
        whole = self.render([_PROBE_USER, message])
        if not whole.startswith(head) or self._eos not in whole[len(head) :]:
            raise UsageError("the chat template renders a finished turn differently from its generation prompt")
        return whole[len(head) : whole.rindex(self._eos) + len(self._eos)]

    def render_observation(self, messages: Sequence[Message]) -> str:
        """Render what stands between the end of a turn and the first token of the next."""
        before = _PROBE_CALL if messages[0]["role"] == "tool" else {"role": "assistant", "content": _PROBE}
        whole = self.render([_PROBE_USER, before, *messages], add_generation_prompt=True)
        at = whole.index(_PROBE) + len(_PROBE)
        at = whole.index(self._eos, at) + len(self._eos)
        return whole[at:]
