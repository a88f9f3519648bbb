"""Tool calls in plain text, for models that have no other: they write what they think and what they want called.

    Thought: I need the number of the member first.
    Action: find_members
    Action Input: {"name": "Ann"}

What comes back is told as `Observation: ...`. Models stray from any format, so calls are read in the shapes that they
have been seen to take: with or without fences, as one JSON object with a name and arguments, in `<tool_call>` tags, or as
`find_members(name="Ann")`. Only the first call of a message counts.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from worldwright.agents import chat
from worldwright.agents.chat import Message, Tool
from worldwright.agents.models.wire import is_plain_json

OBSERVATION = "Observation:"
STOP = (f"\n{OBSERVATION}",)
PROMPT = """\
## Tools

{tools}

## How to call them

You act by calling tools, one in each message. Write a message in exactly this form, and nothing after it:

Thought: one or two sentences on what to do next
Action: the name of one tool
Action Input: its arguments, as one JSON object

The next message tells you what came of it, after `Observation:`. Never write an observation yourself. Arguments marked `?` may
be left out. When you are through, call `{submit}` in the same form: only then the work counts as done."""

MAX_CALL_CANDIDATES = 20
"""So many places are looked at for a call."""
MAX_CALL_CHARS = 4_000
"""Characters that are read as Python: its parser is not made for what is long and strange."""
_DECODER = json.JSONDecoder(strict=False)
_NAMES = ("name", "tool", "action", "tool_name", "function", "function_name")
_ARGUMENTS = ("arguments", "action_input", "parameters", "args", "input", "tool_input")
_OPENED = re.compile(r"\s*<think(?:ing)?>")
_CLOSED = re.compile(r"</think(?:ing)?>")
_THOUGHT = re.compile(r"\A\s*(?:\*\*thought:\*\*|\*\*thought\*\*:|#*[ \t]*thought:)[ \t]*", re.IGNORECASE)
_ACTION = re.compile(r"^[ \t>*#`-]*action[ \t]*\d*[*`]*:[*` \t]*\n?[*` \t]*", re.IGNORECASE | re.MULTILINE)
_INPUT = re.compile(
    r"[\s>*#`,-]*(?:with )?(?:action[ _]?)?(?:input|arguments|args)[ \t]*\d*[*`]*[:=][*` \t]*", re.IGNORECASE
)
_OBJECT = re.compile(r"(^[ \t]*|<tool_call>\s*|```\w*\s*)(?=\{)", re.MULTILINE)
_FENCE = re.compile(r"\s*(?:`+(?:\w+\b)?\s*)?(?=\{)")
_NAME = re.compile(
    r"(?!(?:action|thought|observation)\b[^:\n]{0,12}:)[\"'\[]*([A-Za-z_][\w.\-]*)[\"'\]`*]*", re.IGNORECASE
)
_END = re.compile(
    r"^[ \t>*#]*(?:observation|thought|action)[^:\n]{0,12}:|```|</tool_call>", re.IGNORECASE | re.MULTILINE
)


class ParsedText(NamedTuple):
    """A message in plain text, taken apart."""

    thought: str
    name: str | None
    """The tool; None where nothing is called."""
    arguments: str
    """JSON, or whatever stands in its place."""
    reasoning: str = ""
    """What stood in `<think>` tags."""


class _FoundCall(NamedTuple):
    name: str
    arguments: str


def parse(text: str, known: Collection[str] = ()) -> ParsedText:
    """The first call of a message. `known` helps to find the name of a tool in a sentence."""
    rest, reasoning = _split_thought(text)
    for at, found in _find_calls(rest, known):
        if found is not None:
            return ParsedText(_THOUGHT.sub("", rest[:at]).strip(), found.name, found.arguments, reasoning)
    return ParsedText(rest.strip(), None, "", reasoning)


def render(thought: str, name: str, arguments: str) -> str:
    """A call in the form that the prompt asks for."""
    first = f"Thought: {thought}\n" if thought else ""
    safe = arguments.replace("</think", "<\\/think")  # within JSON the same text, and no end of any thoughts
    return f"{first}Action: {name}\nAction Input: {safe}"


def _split_thought(text: str) -> tuple[str, str]:
    """Split what a model says from what it thinks in tags before. A template may have opened the tag already."""
    closed = [*_CLOSED.finditer(text)]
    opened = _OPENED.match(text)
    start = opened.end() if opened else 0
    if closed:
        return text[closed[-1].end() :], text[start : closed[-1].start()].strip()
    return ("", text[start:].strip()) if opened else (text, "")


def _find_calls(text: str, known: Collection[str]) -> Iterator[tuple[int, _FoundCall | None]]:
    """Yield what looks like a call, in the order in which it stands in the text."""
    spots = [(m.start(), m.end(), True) for m in _ACTION.finditer(text)]
    spots += [(m.start(), m.end(), "<tool_call>" in m[1]) for m in _OBJECT.finditer(text)]
    for start, end, sure in sorted(spots)[:MAX_CALL_CANDIDATES]:
        fence = _FENCE.match(text, end)
        if fence:
            yield start, _parse_json_call(text, fence.end(), sure)
        elif sure:
            yield start, _parse_labelled_call(text, end, known)


def _parse_json_call(text: str, at: int, sure: bool) -> _FoundCall | None:
    """A call that is one object. Where nothing else marks it as a call, it has to have both a name and arguments."""
    found = _object(text, at)
    if found is None:
        return None
    inner = found.get("function")
    data = inner if isinstance(inner, Mapping) else found
    name = next((data[k] for k in _NAMES if isinstance(data.get(k), str)), "")
    given = [data[k] for k in _ARGUMENTS if k in data]
    if not name or not (given or sure):
        return None
    return _FoundCall(name, given[0] if given and isinstance(given[0], str) else chat.encode(given[0] if given else {}))


def _parse_labelled_call(text: str, at: int, known: Collection[str]) -> _FoundCall | None:
    """A call after `Action:`, with its arguments in whatever way they follow."""
    line = text[at:].partition("\n")[0]
    named = _NAME.match(text, at)
    if named is None:
        return None
    after = named.end()
    rest = text[after : at + len(line)].strip()
    if rest and rest[0] not in "({" and not _INPUT.match(text, after):
        name = next((word for word in re.findall(r"[\w.\-]+", line) if word in known), "")
        return _FoundCall(name, _read_input(text, at + len(line))) if name else None
    if rest.startswith("("):
        return _FoundCall(named[1], _read_bracketed(text, text.index("(", after)))
    return _FoundCall(named[1], _read_input(text, after))


def _read_input(text: str, at: int) -> str:
    label = _INPUT.match(text, at)
    start = label.end() if label else at
    fence = _FENCE.match(text, start)
    if fence is not None:
        found = _object(text, fence.end())
        if found is not None:
            return chat.encode(found)
    if label is None and fence is None:
        return "{}"
    start = fence.end() if fence else start
    end = _END.search(text, start)
    return text[start : end.start() if end else len(text)].strip() or "{}"


def _read_bracketed(text: str, at: int) -> str:
    """Read the arguments in `find_members({"name": "Ann"})` and `find_members(name="Ann")`."""
    inside = _FENCE.match(text, at + 1)
    found = _object(text, inside.end()) if inside else None
    if found is not None:
        return chat.encode(found)
    line = text[at:].partition("\n")[0]
    written = line[: line.rfind(")") + 1] or line
    tree = _python(f"f{written}")
    if isinstance(tree, ast.Call) and not tree.args and all(k.arg for k in tree.keywords):
        pairs = {str(k.arg): _literal(k.value) for k in tree.keywords}
        if all(value is not _NONE for value in pairs.values()) and is_plain_json(pairs):
            return chat.encode(pairs)
    return written


def _object(text: str, at: int) -> dict[str, Any] | None:
    """The object that begins at `at`, as JSON or as Python writes it. What stands behind it does not matter.

    What cannot be written as JSON again is left as the model wrote it, to be refused later."""
    try:
        found = _DECODER.raw_decode(text, at)[0]
    except (ValueError, RecursionError):
        end = _END.search(text, at)
        piece = text[at : end.start() if end else len(text)]
        tree = _python(piece[: piece.rfind("}") + 1])
        found = _literal(tree) if isinstance(tree, ast.Dict) else None
    return found if isinstance(found, dict) and is_plain_json(found) else None


_NONE = object()
_WORDS = {"true": True, "false": False, "null": None}


def _python(text: str) -> ast.expr | None:
    if len(text) > MAX_CALL_CHARS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _literal(node: ast.expr) -> Any:
    """The value that is written there, where JSON has such a value."""
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            return node.value
        case ast.Name(id=name) if name in _WORDS:
            return _WORDS[name]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            items = [_literal(part) for part in parts]
            return _NONE if any(item is _NONE for item in items) else items
        case ast.Dict(keys=keys, values=values):
            names = [_literal(k) if k is not None else _NONE for k in keys]
            items = [_literal(v) for v in values]
            good = all(isinstance(n, str) for n in names) and all(item is not _NONE for item in items)
            return dict(zip(names, items, strict=True)) if good else _NONE
    return _NONE


def render_conversation(messages: Sequence[Message], tools: Sequence[Tool], schemas: bool = False) -> list[Message]:
    """The conversation for a model that sees text only: tools in the system message, calls and results as they are written."""
    listed = "\n".join(map(_schema if schemas else render_signature, tools))
    told = PROMPT.replace("{submit}", chat.get_submit_name(tools)).replace("{tools}", listed)
    system = [m for m in messages[:1] if m.get("role") == "system"]
    first = "\n\n".join([*((m.get("content") or "") for m in system), told])
    return [{"role": "system", "content": first}, *map(_render_message, messages[len(system) :])]


def _render_message(message: Message) -> Message:
    content = message.get("content") or ""
    if message.get("role") == "tool":
        return {"role": "user", "content": f"{OBSERVATION} {content}"}
    calls = message.get("tool_calls")
    if not calls:
        return {"role": message.get("role", "user"), "content": content}
    inner = calls[0].get("function", {})
    return {"role": "assistant", "content": render(content, inner.get("name", ""), inner.get("arguments") or "{}")}


def parse_message(message: Message, before: Sequence[Message], tools: Sequence[Tool]) -> Message:
    """Turn what a model wrote into a message with a call."""
    said = parse(message.get("content") or "", {chat.get_tool_name(one) for one in tools})
    out: Message = {"role": "assistant", "content": said.thought}
    if message.get("tool_calls"):
        out["tool_calls"] = message["tool_calls"][:1]
    elif said.name is not None:
        written = {"name": said.name, "arguments": said.arguments}
        out["tool_calls"] = [{"id": f"call_{len(before)}", "type": "function", "function": written}]
    reasoning = "\n".join(filter(None, [message.get("reasoning_content"), said.reasoning]))
    if reasoning:
        out["reasoning_content"] = reasoning
    return out


def render_signature(tool: Tool) -> str:
    """Render a tool as one line: `- find_members(name?: string, sort?: "name" | "joined"): Search members.`"""
    inner = tool["function"]
    return f"- {inner['name']}({_fields(inner['parameters'])}): {inner['description']}"


def _schema(tool: Tool) -> str:
    inner = tool["function"]
    return f"- {inner['name']}: {inner['description']} Arguments: {chat.encode(inner['parameters'])}"


def _fields(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    parts = schema.get("properties", {})
    return ", ".join(f"{name}{'' if name in required else '?'}: {_type(part)}" for name, part in parts.items())


def _type(schema: Any) -> str:
    match schema:
        case {"enum": [*values]}:
            return " | ".join(map(chat.encode, values))
        case {"type": "string", "examples": [str(example), *_]}:
            return f"string such as {example}"
        case {"type": "string", "format": str(form)}:
            return form
        case {"type": "array", "items": inner}:
            return f"[{_type(inner)}, ...]"
        case {"type": "object", "properties": {}}:
            return f"{{{_fields(schema)}}}"
        case {"type": str(one)}:
            return one
        case {"type": [*several]}:
            return " | ".join(map(str, several))
    return chat.encode(schema)
