"""What no operation may break: checked on the rows a call touched, and on a whole state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr.evaluate import Evaluator, Run
from worldwright.blueprint.reach import Down, Path, Up, find_reach
from worldwright.kinds.database.unit_of_work import Refusal, UnitOfWork


@dataclass(frozen=True, slots=True)
class InvariantCheck:
    """One invariant, ready to be checked."""

    name: str
    each: str
    says: str
    holds: Run
    entities: frozenset[str]
    """Writing to any of these can break it."""
    paths: tuple[tuple[Path, frozenset[str]], ...]
    """How the row gets to the others that it is about, and which of their columns it reads; the empty path is the row itself."""
    wide: frozenset[str]
    """Entities that are looked over as a whole: a write to one of them concerns every row."""

    def check_near(self, uow: UnitOfWork, touched: Touched) -> None:
        """The same for the touched rows and those that they refer to only: what making a past can afford. The whole
        opening state is looked over by `audit`."""
        if self.each and any(entity in self.entities for entity, _ in touched):
            near = tuple((p, cs) for p, cs in self.paths if not p or (len(p) == 1 and isinstance(p[0], Down)))
            self._check(uow, _find_concerned(uow, touched, self.each, near), lambda watch: frozenset())

    def check(self, uow: UnitOfWork, touched: Touched, excused: Excused = lambda watch: frozenset()) -> None:
        """Refuse where a row that could be concerned no longer holds. Rows that mess broke before anybody acted are excused."""
        if not any(entity in self.entities for entity, _ in touched):
            return
        if not self.each:
            if not self.holds(uow, {"self": None}) and "" not in excused(self):
                raise self._refusal("")
        elif any(entity in self.wide for entity, _ in touched):
            self._check(uow, [row.id for row in uow.rows(self.each)], excused)
        else:
            self._check(uow, _find_concerned(uow, touched, self.each, self.paths), excused)

    def _check(self, uow: UnitOfWork, keys: Iterable[str], excused: Excused) -> None:
        for key in keys:
            row = uow.row(self.each, key)
            if row is not None and not self.holds(uow, {"self": row}) and key not in excused(self):
                raise self._refusal(key)

    def _refusal(self, key: str) -> Refusal:
        return Refusal("INVARIANT", f"{self.says} ({key})" if key else self.says, None, {"invariant": self.name})


Touched = Mapping[tuple[str, str], "Sequence[Any] | None"]
Excused = Callable[[InvariantCheck], frozenset[str]]


def _find_concerned(
    uow: UnitOfWork, touched: Touched, each: str, paths: Sequence[tuple[Path, frozenset[str]]]
) -> dict[str, None]:
    """Find the rows of `each` that a touched row is, or is seen from, now or before, where something that is read of it changed."""
    out: dict[str, None] = {}
    for path, columns in paths:
        seen = path[-1].target if path else each
        for (entity, key), before in touched.items():
            if entity == seen and _has_changed(uow, entity, key, before, columns):
                out |= _follow_back(uow, touched, path, key)
    return out


def _has_changed(uow: UnitOfWork, entity: str, key: str, before: Sequence[Any] | None, columns: frozenset[str]) -> bool:
    """Return whether a touched row came, went, or differs in one of the columns."""
    now = uow.row(entity, key)
    if before is None or now is None:
        return True
    return any(before[p] != now.values[p] for p in (uow.find_position(entity, c) for c in columns) if p is not None)


def _follow_back(uow: UnitOfWork, touched: Touched, path: Path, key: str) -> dict[str, None]:
    """Find the rows at the beginning of a path that ends at this row."""
    keys: dict[str, None] = {key: None}
    for hop in reversed(path):
        before: dict[str, None] = {}
        for key in keys:
            before |= (
                _find_referred(uow, touched, hop, key)
                if isinstance(hop, Down)
                else _find_referring(uow, touched, hop, key)
            )
        keys = before
    return keys


def _find_referred(uow: UnitOfWork, touched: Touched, hop: Down, key: str) -> dict[str, None]:
    """Find what a row of the hop's target refers to, now and before."""
    position = uow.position(hop.target, hop.column)
    now = uow.row(hop.target, key)
    both = (touched.get((hop.target, key)), None if now is None else now.values)
    return {v[position]: None for v in both if v is not None and v[position] is not None}


def _find_referring(uow: UnitOfWork, touched: Touched, hop: Up, key: str) -> dict[str, None]:
    """Find the rows of the hop's source that refer to a row, now or before."""
    out = {row.id: None for row in uow.children(hop.source, hop.column, key)}
    position = uow.position(hop.source, hop.column)
    for (entity, other), before in touched.items():
        if entity == hop.source and before is not None and before[position] == key:
            out[other] = None
    return out


def compile_checks(blueprint: c.Checked, evaluator: Evaluator) -> tuple[InvariantCheck, ...]:
    return tuple(_watch(blueprint, evaluator, invariant) for invariant in blueprint.always.values())


def _watch(blueprint: c.Checked, evaluator: Evaluator, invariant: c.Invariant) -> InvariantCheck:
    found = find_reach(blueprint, invariant.holds, invariant.each)
    entities = {invariant.each, *(path[-1].target for path in found.paths if path), *found.wide} - {""}
    return InvariantCheck(
        invariant.name,
        invariant.each,
        invariant.says,
        evaluator.truth(invariant.holds),
        frozenset(entities),
        tuple((path, frozenset(columns)) for path, columns in found.paths.items()),
        frozenset(found.wide),
    )


def find_broken_rows(watch: InvariantCheck, uow: UnitOfWork) -> list[str]:
    """List the ids of every row that breaks an invariant; `['']` for one about the whole."""
    if not watch.each:
        return [] if watch.holds(uow, {}) else [""]
    rows: Iterable[Any] = uow.rows(watch.each)
    return [row.id for row in rows if not watch.holds(uow, {"self": row})]
