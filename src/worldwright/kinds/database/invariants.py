"""What no operation may break: checked on the rows a call touched, and on a whole state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    via: tuple[tuple[str, str, str], ...]
    """(entity, reference column, own reference): rows whose change concerns the row they refer to (`id` for themselves), or,
    with an own reference, the rows that refer to the same row through it."""
    wide: bool
    """Whether it looks further than the row and the rows that refer to it: then every row is checked."""

    def check_near(self, desk: Desk, touched: Touched) -> None:
        """The same for the touched rows and those that they refer to only: what making a past can afford. The whole
        opening state is looked over by `audit`."""
        near = replace(self, wide=False, via=tuple(v for v in self.via if not v[2]))
        if self.each:
            near.check(desk, touched)

    def check(self, desk: Desk, touched: Touched, excused: Excused = lambda watch: frozenset()) -> None:
        """Refuse where a row that could be concerned no longer holds. Rows that mess broke before anybody acted are excused."""
        if not any(entity in self.entities for entity, _ in touched):
            return
        if not self.each:
            if not self.holds(desk, {"self": None}) and "" not in excused(self):
                raise self._refusal("")
            return
        keys = [row.id for row in desk.rows(self.each)] if self.wide else self._concerned(desk, touched)
        for key in keys:
            row = desk.row(self.each, key)
            if row is not None and not self.holds(desk, {"self": row}) and key not in excused(self):
                raise self._refusal(key)

    def _refusal(self, key: str) -> Refusal:
        return Refusal("INVARIANT", f"{self.says} ({key})" if key else self.says, None, {"invariant": self.name})

    def _concerned(self, desk: Desk, touched: Touched) -> list[str]:
        """The touched rows themselves, and the rows that touched ones refer to or referred to before."""
        seen: dict[str, None] = {}
        for (entity, key), before in touched.items():
            if entity == self.each:
                seen[key] = None
            for child, column, own in self.via:
                if child == entity:
                    for target in self._targets(desk, entity, key, before, column):
                        seen |= dict.fromkeys(self._owners(desk, own, target) if own else (target,))
        return list(seen)

    @staticmethod
    def _targets(desk: Desk, entity: str, key: str, before: Sequence[Any] | None, column: str) -> list[str]:
        """What a touched row refers to by a column, now and before."""
        if column == "id":
            return [key]
        now, position = desk.row(entity, key), desk.position(entity, column)
        both = (before, None if now is None else now.values)
        return [values[position] for values in both if values is not None and values[position] is not None]

    def _owners(self, desk: Desk, own: str, target: str) -> list[str]:
        return [r[0] for r in desk.fetch(f'SELECT id FROM "{self.each}" WHERE "{own}" = ?', (target,))]


Touched = Mapping[tuple[str, str], "Sequence[Any] | None"]
Excused = Callable[[Watch], frozenset[str]]


def watches(blueprint: c.Checked, evaluator: Evaluator) -> tuple[Watch, ...]:
    return tuple(_watch(blueprint, evaluator, invariant) for invariant in blueprint.always.values())


def _watch(blueprint: c.Checked, evaluator: Evaluator, invariant: c.Invariant) -> Watch:
    parts = list(_expanded(blueprint, invariant.holds))
    entities, via, near, wide = {invariant.each} - {""}, [], {"self"}, False
    for part in parts:
        if isinstance(part, n.Aggregate) and part.rows.entity:
            entities.add(part.rows.entity)
            near.add(part.var)
            base = part.rows.base
            if base == n.Var(base.type, "self") if base is not None else False:
                via.append((part.rows.entity, part.rows.column, ""))
            elif _own_reference(base):
                assert isinstance(base, n.Field)
                via.append((part.rows.entity, part.rows.column, base.name))
            else:
                wide = True
    for part in parts:
        if isinstance(part, n.Field) and part.base.type.kind == "ref":
            entities.add(part.base.type.entity)
            if _own_reference(part.base):
                assert isinstance(part.base, n.Field)
                via.append((part.base.type.entity, "id", part.base.name))
            elif not (isinstance(part.base, n.Var) and part.base.name in near):
                wide = True
    holds = evaluator.truth(invariant.holds)
    return Watch(
        invariant.name, invariant.each, invariant.says, holds, frozenset(entities), tuple(dict.fromkeys(via)), wide
    )


def _own_reference(node: n.Node | None) -> bool:
    """Whether this is a stored reference of the row itself: `self.order`."""
    return (
        isinstance(node, n.Field)
        and isinstance(node.base, n.Var)
        and node.base.name == "self"
        and node.type.kind == "ref"
    )


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
