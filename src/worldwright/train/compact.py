"""What an agent is told, made short: for models whose context is small and whose attention is smaller.

The tools of a catalogue world as JSON schemas fill a small context several times over. Nothing here adds anything: tools lose
their descriptions, the handbook loses lines, results lose rows, and what was cut says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Tool, encode

_TYPES = {"string": "str", "integer": "int", "number": "num", "boolean": "bool", "array": "list", "object": "object"}
_WORD = re.compile(r"[^\W\d_]{4,}")
_LAST = re.compile(r"_(from|to)\Z|\A(sort|offset)\Z")
"""Parameters that short tasks can do without."""
RULES = "rules"
"""The section of a handbook that binds; its lines go last."""
CUT = "…"
MOST_CHOICES = 8


def signature(tool: Tool, optionals: int = 0) -> str:
    """A tool in one line: `lend(member: MEM-0001, copy: CPY-0001, days?: int)`. A question mark: may be left out.

    With `optionals`, so many of those that may be left out are shown: bounds, orders and offsets go first."""
    function = tool["function"]
    schema: Mapping[str, Any] = function.get("parameters") or {}
    shown = shown_parameters(schema, optionals)
    required = schema.get("required", ())
    parts = [
        f"{name}{'' if name in required else '?'}: {type_of(part)}"
        for name, part in schema.get("properties", {}).items()
        if name in shown
    ]
    more = [CUT] if len(shown) < len(schema.get("properties", {})) else []
    return f"{function['name']}({', '.join([*parts, *more])})"


def shown_parameters(schema: Mapping[str, Any], optionals: int) -> frozenset[str]:
    """The parameters that a signature names. 0 shows all."""
    names, required = list(schema.get("properties", {})), schema.get("required", ())
    free = [name for name in names if name not in required]
    free.sort(key=lambda name: (name != "limit", bool(_LAST.search(name))))
    return frozenset({*required, *(free[:optionals] if optionals else free)})


def type_of(schema: Any) -> str:
    """A parameter's type in a word: its choices, an example of an id, or the name of a type."""
    if not isinstance(schema, Mapping):
        return "any"
    choices = [str(one) for one in schema.get("enum", ()) if one is not None]
    if choices:
        return "|".join(choices[:MOST_CHOICES]) + ("|" + CUT if len(choices) > MOST_CHOICES else "")
    examples = schema.get("examples")
    if schema.get("pattern") and examples:
        return str(examples[0])
    if schema.get("format"):
        return str(schema["format"])
    kinds = schema.get("type", ())
    named = [_TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind in _TYPES]
    if named == ["list"]:
        return f"[{type_of(schema.get('items'))}]"
    if named == ["object"] and schema.get("properties"):
        return "{" + ", ".join(f"{name}: {type_of(part)}" for name, part in schema["properties"].items()) + "}"
    return "|".join(named) or "any"


def trimmed_handbook(text: str, request: str, budget: int, count: Callable[[str], int]) -> str:
    """The handbook within so many tokens: the lines that bind first, among them those that speak of what is asked for.

    What is kept stands in its old order. Headings stay where something below them does. 0 keeps everything.
    """
    if not budget or count(text) <= budget:
        return text
    asked = set(_WORD.findall(request.lower()))
    lines = text.split("\n")
    section, ranked, headings = "", [], {}
    for at, line in enumerate(lines):
        if line.startswith("#"):
            section = line.lstrip("# ").lower()
            continue
        if line.strip():
            headings[at] = max((i for i in range(at) if lines[i].startswith("#")), default=-1)
            shared = len(asked & set(_WORD.findall(line.lower())))
            ranked.append(((at > 0, section != RULES, -shared, at), at))
    costs = {at: count(lines[at] + "\n") for at in {*headings, *headings.values()} - {-1}}
    kept: list[int] = []
    spent = 0
    for _, at in sorted(ranked):
        more = [i for i in (headings[at], at) if i >= 0 and i not in kept]
        if spent + sum(costs[i] for i in more) <= budget:
            kept += more
            spent += sum(costs[i] for i in more)
    while kept and count(_joined(lines, kept)) > budget:  # what stands together may cost a little more than its parts
        kept.pop()
    return _joined(lines, kept)


def _joined(lines: Sequence[str], kept: Sequence[int]) -> str:
    return "\n".join(lines[at] for at in sorted(kept))


def short_result(payload: Mapping[str, Any], rows: int, characters: int) -> str:
    """What a call came to: the data without empty fields and with so many rows of each list, or the error in a line."""
    if not payload.get("ok", True):
        error = payload.get("error") or {}
        text = f"error {error.get('code', '')}: {error.get('message', '')}"
    else:
        text = encode(_fewer(payload.get("data", payload), rows))
    return text if len(text) <= characters else text[:characters] + CUT


def _fewer(value: Any, rows: int) -> Any:
    if isinstance(value, Mapping):
        return {key: _fewer(one, rows) for key, one in value.items() if one is not None}
    if isinstance(value, (list, tuple)):
        kept = [_fewer(one, rows) for one in value[:rows]]
        return kept if len(value) <= rows else [*kept, f"{CUT} {len(value) - rows} more"]
    return value
