"""The whole model as the text of a Blueprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldwright.anchor.model.entities import child_entity, child_keys, entity, keys, ordered
from worldwright.anchor.model.operations import LOG, Made, extra_fields
from worldwright.anchor.model.records import Resource
from worldwright.blueprint.yaml_source import dump_yaml

NOW = "2025-06-16T09:00:00Z"
STAFF = "staff_member"


def document(name: str, title: str, system: str, resources: Sequence[Resource], made: Sequence[Made]) -> dict[str, Any]:
    """The Blueprint as data."""
    formats = keys(resources)
    more = extra_fields(made)
    entities: dict[str, Any] = {
        STAFF: {
            "in": system, "says": "Somebody who works with it.", "key": "STF-##", "rows": 9, "called": "{name}",
            "fields": {"name": "person", "role": "one of operator 70%, supervisor 30%"},
        }
    }  # fmt: skip
    names = {r.name for r in resources}
    names |= {c.name for r in resources for c in r.children}
    ways = {
        r.name: {
            *names,
            *(a.name for a in r.attributes),
            *(c.way for c in r.children),
            *r.parents,
            *more.get(r.name, ()),
        }
        for r in resources
    }
    for resource in ordered(resources):
        spec = entity(resource, system, formats, ways, _always(resource, made))
        spec["fields"] |= more.get(resource.name, {})
        entities[resource.name] = spec
    inner = child_keys(resources, formats)
    for resource in ordered(resources):
        for child in resource.children:
            entities[child.name] = child_entity(child, resource, system, inner[child.name], ways)
    if any(m.logs for m in made):
        entities[LOG] = {
            "in": system, "says": "A trace of something that was done.", "key": "ACT-#####", "sort": "log",
            "fields": {"action": "text", "happened_at": "time"},
        }  # fmt: skip
    return {
        "blueprint": name,
        "title": title,
        "now": NOW,
        "systems": {system: title},
        "actor": {"entity": STAFF, "role": "role"},
        "roles": {"operator": "does the daily work", "supervisor": "decides where rules leave a choice"},
        "entities": entities,
        "operations": {m.name: dict(m.spec) for m in made},
    }


def _always(resource: Resource, made: Sequence[Made]) -> set[str]:
    """The fields that are filled whenever such a record is made."""
    makers = [m for m in made if m.resource.name == resource.name and m.deed.kind == "create" and not m.logs]
    filled = [set(s["with"]) for m in makers for s in m.spec["does"] if s.get("add") == resource.name]
    return set.intersection(*filled) if filled else set(resource.parents)


def text(data: dict[str, Any]) -> str:
    return dump_yaml(clean(data))


def clean(value: Any) -> Any:
    """Data without characters that nobody sees: evidence may hold any, a Blueprint holds none."""
    if isinstance(value, str):
        return (
            value if value.isprintable() else " ".join("".join(ch if ch.isprintable() else " " for ch in value).split())
        )
    if isinstance(value, dict):
        return {clean(k): clean(v) for k, v in value.items()}
    return [clean(v) for v in value] if isinstance(value, (list, tuple)) else value
