"""Rows as the outside sees them: plain JSON, computed fields included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr.evaluate import Evaluator
from worldwright.blueprint.expr.nodes import Field, Node, Var
from worldwright.blueprint.types import Type, ref
from worldwright.kinds.database.desk import Desk, Row
from worldwright.kinds.database.tables import Table, shower


def show_value(kind: Type) -> Callable[[Any], Any] | None:
    """How a value of this type becomes JSON."""
    if kind.kind == "bool":
        return bool
    if kind.numeric and kind.places:
        divisor = 10**kind.places
        return lambda v: None if v is None else v / divisor
    return None


class Recorder:
    """Turns rows and expressions into JSON data."""

    def __init__(self, blueprint: Checked, evaluator: Evaluator, tables: Mapping[str, Table]) -> None:
        self.evaluator = evaluator
        self.tables = tables
        self._computed = {
            name: tuple(
                (c.name, evaluator.value(Field(c.type, Var(ref(name), "self"), c.name)), shower(c))
                for c in entity.columns.values()
                if not c.stored
            )
            for name, entity in blueprint.schema.entities.items()
        }

    def record(self, desk: Desk, row: Row) -> dict[str, Any]:
        """The whole record of a row."""
        out = self.tables[row.entity].record(row.values)
        for name, compute, show in self._computed[row.entity]:
            value = compute(desk, {"self": row})
            out[name] = value if show is None else show(value)
        return out

    def valued(self, node: Node) -> Callable[[Desk, dict[str, Any]], Any]:
        """An expression's value as JSON."""
        run, show = self.evaluator.value(node), show_value(node.type)
        return run if show is None else lambda d, f: show(run(d, f))
