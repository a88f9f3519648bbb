"""The whole model as the text of a Blueprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldwright.anchor.model.agreement import make_rows_agree
from worldwright.anchor.model.entity_specs import (
    child_key_formats,
    child_spec,
    entity_spec,
    key_formats,
    sort_by_references,
)
from worldwright.anchor.model.operations import BlueprintOperation, extra_fields
from worldwright.anchor.model.records import Entity
from worldwright.blueprint.given import write_rows
from worldwright.formats.strict_yaml import dump_yaml

NOW = "2025-06-16T09:00:00Z"
STAFF = "staff_member"


def build_document(
    name: str, title: str, system: str, entities: Sequence[Entity], made: Sequence[BlueprintOperation]
) -> dict[str, Any]:
    """The Blueprint as data."""
    formats = key_formats(entities)
    more = extra_fields(made)
    specs: dict[str, Any] = {
        STAFF: {
            "in": system, "says": "Somebody who works with it.", "key": "STF-##", "rows": 9, "called": "{name}",
            "fields": {"name": "person", "role": "one of operator 70%, supervisor 30%"},
        }
    }  # fmt: skip
    names = {r.name for r in entities}
    names |= {c.name for r in entities for c in r.children}
    ways = {
        r.name: {
            *names,
            *(a.name for a in r.attributes),
            *(c.way for c in r.children),
            *r.parents,
            *more.get(r.name, ()),
        }
        for r in entities
    }
    for entity in sort_by_references(entities):
        spec = entity_spec(entity, system, formats, ways, _always(entity, made))
        spec["fields"] |= more.get(entity.name, {})
        specs[entity.name] = spec
    inner = child_key_formats(entities, formats)
    for entity in sort_by_references(entities):
        for child in entity.children:
            specs[child.name] = child_spec(child, entity, system, inner[child.name], ways)
    make_rows_agree(entities, specs)
    for trace in dict.fromkeys(m.entity.name for m in made if m.logs):
        specs[trace]["sort"] = "log"
    return {
        "blueprint": name,
        "title": title,
        "now": NOW,
        "systems": {system: title},
        "actor": {"entity": STAFF, "role": "role"},
        "roles": {"operator": "does the daily work", "supervisor": "decides where rules leave a choice"},
        "entities": specs,
        "operations": {m.name: dict(m.spec) for m in made},
    }


def _always(entity: Entity, made: Sequence[BlueprintOperation]) -> set[str]:
    """The fields that are filled whenever such a record is made."""
    makers = [m for m in made if m.entity.name == entity.name and m.intent.kind == "create"]
    filled = [set(s["with"]) for m in makers for s in m.spec["does"] if s.get("add") == entity.name]
    return set.intersection(*filled) if filled else set(entity.parents)


def render_yaml(data: dict[str, Any]) -> str:
    """The text of a Blueprint; the rows that came with the evidence stand last, in a section of their own."""
    given = {name: spec["seeds"] for name, spec in data["entities"].items() if spec.get("seeds")}
    specs = {name: {k: v for k, v in spec.items() if k != "seeds"} for name, spec in data["entities"].items()}
    for name, rows in given.items():
        if specs[name].get("rows", 0) <= len(rows):
            del specs[name]["rows"]
    last = {"given": {name: write_rows(rows) for name, rows in given.items()}} if given else {}
    return dump_yaml({**strip_unprintable({**data, "entities": specs}), **last})


def strip_unprintable(value: Any) -> Any:
    """Data without characters that nobody sees: evidence may hold any, a Blueprint holds none."""
    if isinstance(value, str):
        return (
            value if value.isprintable() else " ".join("".join(ch if ch.isprintable() else " " for ch in value).split())
        )
    if isinstance(value, dict):
        return {strip_unprintable(k): strip_unprintable(v) for k, v in value.items()}
    return [strip_unprintable(v) for v in value] if isinstance(value, (list, tuple)) else value
