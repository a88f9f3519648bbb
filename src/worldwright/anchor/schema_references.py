"""References within one JSON Schema: where they lead, and which ones lead nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from worldwright.anchor.json_schema import Resolve
from worldwright.anchor.schema_words import FORMS

MOST_EXPANDED = 50_000
"""Parts of a schema that following its references may show."""


def resolver(schema: Mapping[str, Any]) -> Resolve:
    """Follows the references within a schema, up to a size: a few short lines can refer to each other without end."""
    left = MOST_EXPANDED
    known: dict[str, tuple[bool, Any, int]] = {}

    def resolve(reference: str) -> tuple[str, Any] | None:
        nonlocal left
        if reference not in known:
            found, target = led_to(schema, reference)
            known[reference] = found, target, 1 + sum(1 for _ in parts(target))
        found, target, size = known[reference]
        left -= size
        if not found or left <= 0:
            return None
        name = unquote(reference).rsplit("/", 1)[-1].lstrip("#").replace("~1", "/").replace("~0", "~")
        return name, target

    return resolve


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas within it."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        yield part
        for key, value in part.items():
            form = FORMS.get(key)
            if form in ("schema", "items"):
                waiting.append(value)
            elif form == "schemas":
                waiting.extend(value)
            elif form in ("named", "patterns", "dependencies"):
                waiting.extend(value.values())


def mend(schema: dict[str, Any], told: Callable[[str, str], None]) -> None:
    """Leaves out references that lead nowhere, and those that only lead to each other."""
    anchors = {p.get(k) for p in parts(schema) for k in ("$anchor", "$dynamicAnchor")} - {None}
    fine: set[str] = set()
    for part in parts(schema):
        for key in ("$ref", "$dynamicRef"):
            reference = part.get(key)
            if reference is None or reference[1:] in anchors:
                continue
            if not led_to(schema, reference)[0] or _in_a_circle(schema, reference, fine):
                del part[key]
                told(str(reference)[:200], "leads nowhere in the schema and was left out")


def _in_a_circle(schema: dict[str, Any], reference: str, fine: set[str]) -> bool:
    seen: set[str] = set()
    step: Any = reference
    while isinstance(step, str) and step.startswith("#/") and step not in fine:
        if step in seen:
            return True
        seen.add(step)
        target = led_to(schema, step)[1]
        step = target.get("$ref") if isinstance(target, dict) else None
    fine |= seen
    return step == "#" and isinstance(schema.get("$ref"), str)


def led_to(schema: Mapping[str, Any], reference: str) -> tuple[bool, Any]:
    """Whether a reference leads to a schema, and that schema."""
    if reference == "#":
        return True, schema
    if not reference.startswith("#/"):
        name = reference[1:]
        found = next((p for p in parts(schema) if name and name in (p.get("$anchor"), p.get("$dynamicAnchor"))), None)
        return found is not None, found
    here: Any = schema
    form = "schema"
    for step in unquote(reference[2:]).split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        if form in ("schema", "items"):
            form = FORMS.get(step, "")
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
