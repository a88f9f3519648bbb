"""A tool call as a person types it: `TOOL {"json": ...}` or `TOOL key=value key=value`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.world.records import ToolSpec

_KEY = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)=")


@dataclass(frozen=True, slots=True)
class CallLine:
    tool: str
    arguments: dict[str, Any]


def parse_call(line: str, tools: Mapping[str, ToolSpec]) -> CallLine:
    """The call that a line means. Values are JSON where they can be, and text where the tool wants text."""
    parts = line.split(maxsplit=1)
    if not parts:
        raise UsageError('name a tool, as in: find_members {"tier": "gold"}')
    tool, rest = parts[0], parts[1].strip() if len(parts) > 1 else ""
    spec = tools.get(tool)
    properties = spec.input_schema.get("properties", {}) if spec is not None else {}
    arguments = _object(rest) if rest.startswith("{") else _pairs(rest, properties)
    try:
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise UsageError("the arguments hold something that is not text or a number") from None
    return CallLine(tool, arguments)


def parse_answer(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An answer, typed like the arguments of a call. A part that the task does not ask for is a slip of the pen."""
    spec = ToolSpec("submit", "", schema, {}, False, "")
    answer = parse_call(f"submit {text}", {"submit": spec}).arguments
    known = schema.get("properties", {})
    for name in answer:
        if name not in known:
            raise UsageError(f"the answer has no part `{name[:60]}`; {suggest(name[:60], known)}")
    return answer


def format_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """Format a call as a person would type it."""
    return " ".join([tool, *(f"{name}={_format_value(value)}" for name, value in arguments.items())])


def _format_value(value: Any) -> str:
    bare = isinstance(value, str) and re.fullmatch(r"[^\s\"'\[{][^\s]*", value) and value != "null"
    return str(value) if bare else json.dumps(value, ensure_ascii=False)


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


_JSON = json.JSONDecoder(parse_constant=_reject_constant)


def _object(text: str) -> dict[str, Any]:
    try:
        value = _JSON.decode(text)
    except (ValueError, RecursionError) as e:
        raise UsageError(f"the arguments are not JSON: {e}") from None
    assert isinstance(value, dict)
    return value


def _pairs(text: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    at = 0
    while at < len(text):
        found = _KEY.match(text, at)
        if found is None:
            word = text[at:].split(maxsplit=1)[0]
            raise UsageError(f'`{word}` is not key=value; put text with spaces in quotes, as in title="Two drills"')
        if found[1] in out:
            raise UsageError(f"`{found[1]}` is given twice")
        out[found[1]], at = _value(text, found.end(), _wants_text(properties.get(found[1], {})))
        at += len(text[at:]) - len(text[at:].lstrip())
    return out


def _wants_text(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    return kind == "string" or (isinstance(kind, list) and "string" in kind)


def _value(text: str, at: int, wants_text: bool) -> tuple[Any, int]:
    """The value that starts at a place, and where it ends."""
    first = text[at : at + 1]
    if first and first in '"[{':
        try:
            return _JSON.raw_decode(text, at)
        except (ValueError, RecursionError) as e:
            raise UsageError(f"`{text[at : at + 40]}` is not JSON: {e}") from None
    if first == "'":
        end = text.find("'", at + 1)
        if end < 0:
            raise UsageError(f"the quote at `{text[at : at + 40]}` has no end")
        return text[at + 1 : end], end + 1
    word = re.compile(r"\S*").match(text, at)
    assert word is not None
    if wants_text and word[0] != "null":
        return word[0], word.end()
    try:
        return _JSON.decode(word[0]), word.end()
    except (ValueError, RecursionError):
        return word[0], word.end()
