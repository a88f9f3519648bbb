"""The schemas within one JSON Schema, where its references lead, and what a validator would never finish."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from worldwright.anchor.schema.keywords import KEYWORD_FORMS

Resolve = Callable[[str], tuple[str, Any] | None]
"""A reference as it is written; its name and what it points to, or None where it leads nowhere."""
MAX_EXPANDED_PARTS = 50_000
"""Parts of a schema that following its references may show."""
MAX_LOOKS_PER_VALUE = 2_000
"""At one value. Real documents stay below a hundred."""
MAX_DEPTH = 200
SAME_VALUE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas", "$ref")
"""Keywords whose schemas speak of the value at hand, and not of one inside of it."""


def make_resolver(schema: Mapping[str, Any]) -> Resolve:
    """Follows the references within a schema, up to a size: a few short lines can refer to each other without end."""
    left = MAX_EXPANDED_PARTS
    known: dict[str, tuple[Any, int]] = {}

    def resolve(reference: str) -> tuple[str, Any] | None:
        nonlocal left
        if reference not in known:
            found = follow_reference(schema, reference)
            known[reference] = found, 1 + sum(1 for _ in iter_schemas(found))
        target, size = known[reference]
        left -= size
        return None if target is None or left <= 0 else (reference_steps(reference)[-1], target)

    return resolve


def reference_steps(reference: str) -> list[str]:
    """The keys along a reference: `["$defs", "Order"]` for `#/$defs/Order`."""
    pointer = unquote(reference.partition("#")[2]).removeprefix("/")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")]


def iter_schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas within it."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        yield part
        for key, value in part.items():
            form = KEYWORD_FORMS.get(key)
            if form == "schema":
                waiting.append(value)
            elif form in ("schemas", "named", "patterns"):
                waiting.extend(_held(value))


def _held(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def follow_reference(schema: Mapping[str, Any], reference: str) -> Any:
    """The schema that a reference leads to; None where it leads to none."""
    if reference == "#":
        return schema
    here: Any = schema
    form = "schema"
    for step in reference_steps(reference) if reference.startswith("#/") else [""]:
        if form == "schema":
            form = KEYWORD_FORMS.get(step, "")
            here = here.get(step) if isinstance(here, dict) else None
        elif form == "schemas" and isinstance(here, list) and step.isdecimal() and int(step[:9]) < len(here):
            here, form = here[int(step[:9])], "schema"
        elif form in ("named", "patterns") and isinstance(here, dict):
            here, form = here.get(step), "schema"
        else:
            return None
    return here if form == "schema" and isinstance(here, (dict, bool)) else None


def limit_validation_cost(schema: dict[str, Any]) -> bool:
    """Takes out of a schema what would have one value looked at too often; whether there was any.

    A few short schemas that name each other twice have a value looked at more often than there are atoms, and one that only leads
    back to itself never lets go of it.
    """
    known: dict[int, int] = {}
    cut = False

    def looks(part: dict[str, Any], depth: int) -> int:
        """Return how often a value is looked at for this schema; one that asks for too much is made to ask for less."""
        nonlocal cut
        if id(part) not in known:
            total = known[id(part)] = MAX_LOOKS_PER_VALUE + 1  # for who comes back here meanwhile
            if depth <= MAX_DEPTH:
                total = 1 + sum(looks(inner, depth + 1) for inner in _about_same_value(schema, part))
            if total > MAX_LOOKS_PER_VALUE:
                for keyword in SAME_VALUE:
                    part.pop(keyword, None)
                cut, total = True, 1
            known[id(part)] = total
        return known[id(part)]

    for part in list(iter_schemas(schema)):
        looks(part, 0)
    return cut


def _about_same_value(root: dict[str, Any], schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for key in SAME_VALUE:
        held = schema.get(key)
        if key == "$ref":
            held = follow_reference(root, held) if isinstance(held, str) else None
        parts = _held(held) if key == "dependentSchemas" or isinstance(held, list) else [held]
        yield from (part for part in parts if isinstance(part, dict))
