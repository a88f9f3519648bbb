"""What no operation may break: checked on the rows a call touched, and on a whole state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator, Run
from worldwright.kinds.database.desk import Desk, Refusal


@dataclass(frozen=True, slots=True)
class Watch:
    """One invariant, ready to be checked."""

    name: str
    each: str
    says: str
    holds: Run
    entities: frozenset[str]
    """Writing to any of these can break it."""
    via: tuple[tuple[str, str], ...]
    """(entity, reference column): rows whose change concerns the row they refer to."""

    def check(self, desk: Desk, touched: Iterable[tuple[str, str]]) -> None:
        """Refuse where a touched row no longer holds."""
        for key in self._concerned(desk, touched) if self.each else (None,):
            row = None if key is None else desk.row(self.each, key)
            if key is not None and row is None:
                continue
            if not self.holds(desk, {"self": row}):
                where = f" ({key})" if key else ""
                raise Refusal("INVARIANT", f"{self.says}{where}", None, {"invariant": self.name})

    def _concerned(self, desk: Desk, touched: Iterable[tuple[str, str]]) -> Iterator[str]:
        via = dict(self.via)
        seen: dict[str, None] = {}
        for entity, key in touched:
            if entity == self.each:
                seen[key] = None
            if entity in via:
                row = desk.row(entity, key)
                owner = None if row is None else row.values[desk.position(entity, via[entity])]
                if owner is not None:
                    seen[owner] = None
        return iter(seen)


def watches(blueprint: c.Checked, evaluator: Evaluator) -> tuple[Watch, ...]:
    out = []
    for invariant in blueprint.always.values():
        entities, via = {invariant.each} - {""}, []
        for part in _expanded(blueprint, invariant.holds):
            if isinstance(part, n.Aggregate) and part.rows.entity:
                entities.add(part.rows.entity)
                if part.rows.base == n.Var(part.rows.base.type, "self") if part.rows.base is not None else False:
                    via.append((part.rows.entity, part.rows.column))
        out.append(
            Watch(
                invariant.name,
                invariant.each,
                invariant.says,
                evaluator.truth(invariant.holds),
                frozenset(entities),
                tuple(via),
            )
        )
    return tuple(out)


def _expanded(blueprint: c.Checked, node: n.Node) -> Iterator[n.Node]:
    """Every part of an expression, bodies of terms and computed fields included."""
    for part in n.walk(node):
        yield part
        if isinstance(part, n.TermCall):
            term = blueprint.terms[part.name]
            bound = dict(zip(term.takes, part.args, strict=True))
            yield from _expanded(blueprint, n.substitute(term.body, bound))
        elif isinstance(part, n.Field) and part.base.type.kind == "ref":
            body = blueprint.computed.get((part.base.type.entity, part.name))
            if body is not None:
                yield from _expanded(blueprint, n.substitute(body, {"self": part.base}))


def broken_rows(watch: Watch, desk: Desk) -> list[str]:
    """The ids of every row that breaks an invariant; `['']` for one about the whole."""
    if not watch.each:
        return [] if watch.holds(desk, {}) else [""]
    rows: Iterable[Any] = desk.rows(watch.each)
    return [row.id for row in rows if not watch.holds(desk, {"self": row})]
