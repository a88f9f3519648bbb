"""Rows that a Blueprint gives by itself: the first base rows of an entity, as far as they say what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worldwright.blueprint.check.literals import to_stored
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.model import Blueprint
from worldwright.blueprint.schema import Column, Entity
from worldwright.core.names import nearest


def with_seeds(bp: Blueprint, entities: Mapping[str, Entity], report: Reporter) -> dict[str, Entity]:
    """The entities with their given rows in storage form. An entity has at least as many base rows as it is given."""
    counts = {name: max(e.rows, len(bp.entities[name].seeds)) for name, e in entities.items()}
    out: dict[str, Entity] = {}
    for name, entity in entities.items():
        rows: list[Mapping[str, Any]] = []
        for k, row in enumerate(bp.entities[name].seeds):
            with report.at("entities", name, f"seeds[{k}]"):
                rows.append({field: _cell(entity, field, value, counts, entities) for field, value in row.items()})
        out[name] = replace(entity, rows=counts[name], seeds=tuple(rows))
    return out


def _cell(
    entity: Entity, field: str, value: Any, counts: Mapping[str, int], entities: Mapping[str, Entity]
) -> str | int | None:
    column = entity.columns.get(field)
    if column is None or column.source != "given":
        known = [c.name for c in entity.columns.values() if c.source == "given"]
        raise ExprError(f"`{entity.name}` has no field `{field}` that could be given", nearest(field, known))
    if value is None:
        if not column.optional:
            raise ExprError(f"`{entity.name}.{field}` cannot be none")
        return None
    if column.type.kind == "ref":
        return _row(column, value, counts, entities)
    if column.type.kind == "text" and not isinstance(value, str):
        raise ExprError(f"{value!r} is not text", "quote it")
    if column.type.kind == "text":
        return str(value)
    found = to_stored(value, column.type)
    if found is None and not column.optional:
        raise ExprError(f"`{entity.name}.{field}` cannot be none", "leave it out to have it drawn")
    return int(found) if isinstance(found, bool) else found


def _row(column: Column, value: Any, counts: Mapping[str, int], entities: Mapping[str, Entity]) -> str:
    target = column.type.entity
    most = counts.get(target, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise ExprError(f"{value!r} is no row of `{target}`", f"its number, 1 to {most}")
    return entities[target].key.make(value)
