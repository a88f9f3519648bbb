"""How records show what they hold, and which rows still count."""

from __future__ import annotations

from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.display_ways import CLOCK, DATE_STYLES, FACTOR, FIELD
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.model import Blueprint
from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import BOOL
from worldwright.core.names import suggest

FORMS = {
    "date": "a style: " + ", ".join(DATE_STYLES),
    "time": "a clock: UTC+2, UTC-8",
    "money": "a factor: * 1.36",
}
"""By kind of value, what a way may be besides another field."""


def check_shown(bp: Blueprint, language: Language, report: Reporter) -> dict[str, n.Node]:
    """Check that every way of showing a value makes sense; return by entity which of its rows count."""
    live: dict[str, n.Node] = {}
    for name, spec in bp.entities.items():
        entity = language.schema.entities[name]
        for column in entity.columns.values():
            if column.shown is not None:
                with report.at("entities", name, "fields", column.name, "shown"):
                    _check_column_display(entity, column)
        if spec.live is not None:
            with report.at("entities", name, "live"):
                live[name] = parse(spec.live, language, Scope(self_entity=name), BOOL)
    return live


def _check_column_display(entity: Entity, column: Column) -> None:
    shown = column.shown
    assert shown is not None
    if bool(shown.codes) == bool(shown.ways):
        raise ExprError("says either `codes`, or `by` a field and its `ways`")
    if shown.codes:
        if column.type.kind != "enum":
            raise ExprError(f"`{column.name}` is {column.type}; only a `one of` or a state has codes")
        for word in column.type.values:
            if word not in shown.codes:
                raise ExprError(f"has no code for `{word}`")
        if len(set(shown.codes.values())) != len(shown.codes):
            raise ExprError("two words have one code")
        return
    marker = entity.columns.get(shown.by)
    if marker is None or marker.type.kind != "enum" or not marker.stored:
        raise ExprError(
            f"`{shown.by}` is not a stored `one of` field of {entity.name}", suggest(shown.by, entity.columns)
        )
    for word, way in shown.ways.items():
        if word not in marker.type.values:
            raise ExprError(f"`{word}` is not a word of `{shown.by}`", suggest(word, marker.type.values))
        _way(entity, column, way)


def _way(entity: Entity, column: Column, way: str) -> None:
    """A way fits the value that it shows."""
    if m := FIELD.match(way):
        other = entity.columns.get(m[1])
        if other is None or not other.stored:
            raise ExprError(f"`{entity.name}` has no stored field `{m[1]}`", suggest(m[1], entity.columns))
        if other.type.kind != column.type.kind:
            raise ExprError(f"`{m[1]}` is {other.type}, `{column.name}` is {column.type}")
        return
    kind = "money" if column.type.numeric else column.type.kind
    fits = {"date": way in DATE_STYLES, "time": CLOCK.match(way) is not None, "money": FACTOR.match(way) is not None}
    if not fits.get(kind, False):
        raise ExprError(f"`{way}` is no way to show {column.type}", FORMS.get(kind, "another field: = FIELD"))
