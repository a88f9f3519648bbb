"""Shorten tools, handbook and results for models with a small context.

The tools of a catalogue world as JSON schemas fill a small context several times over. Nothing here adds anything: tools lose
their descriptions, the handbook loses lines, results lose rows, and an ellipsis marks each cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Tool, encode

_TYPE_NAMES = {
    "string": "str", "integer": "int", "number": "num", "boolean": "bool", "array": "list", "object": "object",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]{4,}")
_RARELY_NEEDED = re.compile(r"_(from|to)\Z|\A(sort|offset)\Z")
"""Names of parameters that short tasks can do without."""
_RULES_SECTION = "rules"
"""The section of a handbook that binds; its lines are the last to be cut."""
ELLIPSIS = "…"
MAX_ENUM_CHOICES = 8


def render_signature(tool: Tool, max_optional: int = 0) -> str:
    """Render a tool in one line: `lend(member: MEM-0001, copy: CPY-0001, days?: int)`. A question mark: optional.

    `max_optional` bounds the optional parameters that are shown (0: all); range bounds, orders and offsets go first."""
    function = tool["function"]
    schema: Mapping[str, Any] = function.get("parameters") or {}
    shown = select_parameters(schema, max_optional)
    required = schema.get("required", ())
    parts = [
        f"{name}{'' if name in required else '?'}: {_render_type(part)}"
        for name, part in schema.get("properties", {}).items()
        if name in shown
    ]
    more = [ELLIPSIS] if len(shown) < len(schema.get("properties", {})) else []
    return f"{function['name']}({', '.join([*parts, *more])})"


def select_parameters(schema: Mapping[str, Any], max_optional: int) -> frozenset[str]:
    """Select the parameters that a signature shows: the required ones, and at most so many optional ones (0: all)."""
    names, required = list(schema.get("properties", {})), schema.get("required", ())
    optional = [name for name in names if name not in required]
    optional.sort(key=lambda name: (name != "limit", bool(_RARELY_NEEDED.search(name))))
    return frozenset({*required, *(optional[:max_optional] if max_optional else optional)})


def _render_type(schema: Any) -> str:
    """Render a parameter's type: its choices, an example of an id, or the name of a type."""
    if not isinstance(schema, Mapping):
        return "any"
    choices = [str(one) for one in schema.get("enum", ()) if one is not None]
    if choices:
        return "|".join(choices[:MAX_ENUM_CHOICES]) + ("|" + ELLIPSIS if len(choices) > MAX_ENUM_CHOICES else "")
    examples = schema.get("examples")
    if schema.get("pattern") and examples:
        return str(examples[0])
    if schema.get("format"):
        return str(schema["format"])
    types = schema.get("type", ())
    names = [_TYPE_NAMES[one] for one in ([types] if isinstance(types, str) else types) if one in _TYPE_NAMES]
    if names == ["list"]:
        return f"[{_render_type(schema.get('items'))}]"
    if names == ["object"] and schema.get("properties"):
        return "{" + ", ".join(f"{name}: {_render_type(part)}" for name, part in schema["properties"].items()) + "}"
    return "|".join(names) or "any"


def trim_handbook(text: str, request: str, max_tokens: int, count_tokens: Callable[[str], int]) -> str:
    """Trim a handbook to a number of tokens: rules are kept first, among them those that share words with the request.

    Lines keep their order. Headings stay where a line below them does. 0 keeps everything.
    """
    if not max_tokens or count_tokens(text) <= max_tokens:
        return text
    request_words = set(_WORD.findall(request.lower()))
    lines = text.split("\n")
    section, ranked, headings = "", [], {}
    for at, line in enumerate(lines):
        if line.startswith("#"):
            section = line.lstrip("# ").lower()
            continue
        if line.strip():
            headings[at] = max((i for i in range(at) if lines[i].startswith("#")), default=-1)
            shared = len(request_words & set(_WORD.findall(line.lower())))
            ranked.append(((at > 0, section != _RULES_SECTION, -shared, at), at))
    costs = {at: count_tokens(lines[at] + "\n") for at in {*headings, *headings.values()} - {-1}}
    kept: list[int] = []
    spent = 0
    for _, at in sorted(ranked):
        more = [i for i in (headings[at], at) if i >= 0 and i not in kept]
        if spent + sum(costs[i] for i in more) <= max_tokens:
            kept += more
            spent += sum(costs[i] for i in more)
    while (
        kept and count_tokens(_join_lines(lines, kept)) > max_tokens
    ):  # lines together may cost a little more than apart
        kept.pop()
    return _join_lines(lines, kept)


def _join_lines(lines: Sequence[str], kept: Sequence[int]) -> str:
    return "\n".join(lines[at] for at in sorted(kept))


def render_result(payload: Mapping[str, Any], max_rows: int, max_chars: int) -> str:
    """Render a tool result: the data without empty fields and with at most `max_rows` of each list, or the error in a line."""
    if not payload.get("ok", True):
        error = payload.get("error") or {}
        text = f"error {error.get('code', '')}: {error.get('message', '')}"
    else:
        text = encode(_cut_lists(payload.get("data", payload), max_rows))
    return text if len(text) <= max_chars else text[:max_chars] + ELLIPSIS


def _cut_lists(value: Any, max_rows: int) -> Any:
    if isinstance(value, Mapping):
        return {key: _cut_lists(one, max_rows) for key, one in value.items() if one is not None}
    if isinstance(value, (list, tuple)):
        kept = [_cut_lists(one, max_rows) for one in value[:max_rows]]
        return kept if len(value) <= max_rows else [*kept, f"{ELLIPSIS} {len(value) - max_rows} more"]
    return value
