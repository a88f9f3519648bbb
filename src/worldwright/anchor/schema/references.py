"""The schemas within one JSON Schema, and its references: where they lead, and which ones lead nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from worldwright.anchor.schema.shapes import Resolve

KEYWORD_FORMS: Mapping[str, str] = {
    **dict.fromkeys(
        ("additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems",
         "unevaluatedProperties", "contentSchema"),
        "schema",
    ),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), "schemas"),
    **dict.fromkeys(("properties", "$defs", "definitions", "dependentSchemas"), "named"),
    **dict.fromkeys(("title", "description", "$comment", "format", "contentEncoding", "contentMediaType", "$schema"), "text"),
    **dict.fromkeys(("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), "number"),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains", "maxProperties", "minProperties"),
        "count",
    ),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), "flag"),
    **dict.fromkeys(("enum", "examples"), "list"),
    **dict.fromkeys(("$ref", "$dynamicRef"), "reference"),
    **dict.fromkeys(("$anchor", "$dynamicAnchor"), "anchor"),
    **dict.fromkeys(("$vocabulary", "$recursiveRef", "$recursiveAnchor"), "nothing"),
    "items": "items", "type": "type", "required": "names", "pattern": "pattern", "patternProperties": "patterns",
    "multipleOf": "above zero", "dependentRequired": "needs", "dependencies": "dependencies", "$id": "address",
}  # fmt: skip
"""By keyword, what has to stand there. Other words may hold anything."""
MAX_EXPANDED_PARTS = 50_000
"""Parts of a schema that following its references may show."""


def make_resolver(schema: Mapping[str, Any]) -> Resolve:
    """Follows the references within a schema, up to a size: a few short lines can refer to each other without end."""
    left = MAX_EXPANDED_PARTS
    known: dict[str, tuple[bool, Any, int]] = {}

    def resolve(reference: str) -> tuple[str, Any] | None:
        nonlocal left
        if reference not in known:
            found, target = follow_reference(schema, reference)
            known[reference] = found, target, 1 + sum(1 for _ in iter_schemas(target))
        found, target, size = known[reference]
        left -= size
        if not found or left <= 0:
            return None
        name = unquote(reference).rsplit("/", 1)[-1].lstrip("#").replace("~1", "/").replace("~0", "~")
        return name, target

    return resolve


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
            if form in ("schema", "items"):
                waiting.append(value)
            elif form == "schemas":
                waiting.extend(value)
            elif form in ("named", "patterns", "dependencies"):
                waiting.extend(value.values())


def drop_dead_references(schema: dict[str, Any], told: Callable[[str, str], None]) -> None:
    """Leaves out references that lead nowhere, and those that only lead to each other."""
    anchors = {p.get(k) for p in iter_schemas(schema) for k in ("$anchor", "$dynamicAnchor")} - {None}
    fine: set[str] = set()
    for part in iter_schemas(schema):
        for key in ("$ref", "$dynamicRef"):
            reference = part.get(key)
            if reference is None or reference[1:] in anchors:
                continue
            if not follow_reference(schema, reference)[0] or _in_a_circle(schema, reference, fine):
                del part[key]
                told(str(reference)[:200], "leads nowhere in the schema and was left out")


def _in_a_circle(schema: dict[str, Any], reference: str, fine: set[str]) -> bool:
    seen: set[str] = set()
    step: Any = reference
    while isinstance(step, str) and step.startswith("#/") and step not in fine:
        if step in seen:
            return True
        seen.add(step)
        target = follow_reference(schema, step)[1]
        step = target.get("$ref") if isinstance(target, dict) else None
    fine |= seen
    return step == "#" and isinstance(schema.get("$ref"), str)


def follow_reference(schema: Mapping[str, Any], reference: str) -> tuple[bool, Any]:
    """Tell whether a reference leads to a schema, and that schema."""
    if reference == "#":
        return True, schema
    if not reference.startswith("#/"):
        name = reference[1:]
        found = next(
            (p for p in iter_schemas(schema) if name and name in (p.get("$anchor"), p.get("$dynamicAnchor"))), None
        )
        return found is not None, found
    here: Any = schema
    form = "schema"
    for step in unquote(reference[2:]).split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        if form in ("schema", "items"):
            form = KEYWORD_FORMS.get(step, "")
            if not isinstance(here, dict) or step not in here or form == "":
                return False, None
            here = here[step]
        elif form == "schemas" and isinstance(here, list) and step.isdecimal() and int(step[:9]) < len(here):
            here, form = here[int(step[:9])], "schema"
        elif form in ("named", "patterns", "dependencies") and isinstance(here, dict) and step in here:
            here, form = here[step], "schema"
        else:
            return False, None
    return form in ("schema", "items") and isinstance(here, (dict, bool)), here


# How often a validator looks at one and the same value, and schemas for which that would never end.
#
# `allOf`, `oneOf`, references and their like all speak of the value at hand. A few short schemas that name each other twice have
# it looked at more often than there are atoms, and one that only leads back to itself never lets go of it.


MAX_LOOKS_PER_VALUE = 2_000
"""At one value. Real documents stay below a hundred."""
MAX_DEPTH = 200
SINGLE_SCHEMA_KEYWORDS = ("not", "if", "then", "else")
SCHEMA_LIST_KEYWORDS = ("allOf", "anyOf", "oneOf")


def limit_validation_cost(schema: dict[str, Any]) -> bool:
    """Takes out of a schema what would have one value looked at too often; whether there was any."""
    known: dict[int, int] = {}
    cut = False

    def looks(part: dict[str, Any], depth: int) -> int:
        """Return how often a value is looked at for this schema; one that asks for too much is made to ask for less."""
        nonlocal cut
        if id(part) not in known:
            total = known[id(part)] = MAX_LOOKS_PER_VALUE + 1  # for who comes back here meanwhile
            if depth <= MAX_DEPTH:
                total = 1 + sum(looks(inner, depth + 1) for inner in _inside(schema, part))
            if total > MAX_LOOKS_PER_VALUE:
                for keyword in (*SINGLE_SCHEMA_KEYWORDS, *SCHEMA_LIST_KEYWORDS, "$ref", "dependentSchemas"):
                    part.pop(keyword, None)
                cut, total = True, 1
            known[id(part)] = total
        return known[id(part)]

    for part in list(iter_schemas(schema)):
        looks(part, 0)
    return cut


def _inside(root: dict[str, Any], schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas that speak of the same value."""
    found = [schema.get(k) for k in SINGLE_SCHEMA_KEYWORDS]
    found += [part for k in SCHEMA_LIST_KEYWORDS if isinstance(schema.get(k), list) for part in schema[k]]
    needed = schema.get("dependentSchemas")
    found += needed.values() if isinstance(needed, dict) else ()
    reference = schema.get("$ref")
    if isinstance(reference, str):
        found.append(follow_reference(root, reference)[1])
    yield from (part for part in found if isinstance(part, dict))
