"""The whole model as the text of a Blueprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from worldwright.anchor.model.entities import entity, keys, ordered
from worldwright.anchor.model.operations import LOG, Made, extra_fields
from worldwright.anchor.model.records import Resource

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
    ways = {r.name: {a.name for a in r.attributes} | set(r.parents) | set(more.get(r.name, ())) for r in resources}
    for resource in ordered(resources):
        spec = entity(resource, system, formats, ways)
        spec["fields"] |= more.get(resource.name, {})
        entities[resource.name] = spec
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


def text(data: dict[str, Any]) -> str:
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)
