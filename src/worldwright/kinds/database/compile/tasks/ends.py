"""How a plan ends: what changed, whether the goals are reached, and what two ends have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.kinds.database.compile.tasks.instances import BoundGoal, is_reached
from worldwright.kinds.database.compile.tasks.plans import Plan, PlanResult, play
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.episode_state import Mark
from worldwright.kinds.database.tables import Table
from worldwright.kinds.database.unit_of_work import Change
from worldwright.kinds.database.verify.net import NetRow, net_rows


@dataclass(frozen=True, slots=True)
class EndState:
    """How a plan ended."""

    played: PlanResult
    net: tuple[NetRow, ...]
    span: tuple[str, str]
    reached: bool
    overwritten: frozenset[tuple[str, str, str]] = frozenset()
    """(table, id, column) of every cell that held something else before."""

    @property
    def right(self) -> bool:
        return self.played.ok and self.reached and not self.played.broken


def end_plan(
    sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan, stop: bool = True, goals: bool = True
) -> EndState:
    """Play a plan on the opening state and look at the end; without `goals`, only at what changed."""
    session = sandbox.start(bounds[0].role, bounds[0].actor)
    return _look(sandbox, bounds, play(session, plan, stop), goals)


def _look(sandbox: Sandbox, bounds: Sequence[BoundGoal], played: PlanResult, goals: bool = True) -> EndState:
    """Look at where a plan has led."""
    session, tables = sandbox.session, sandbox.compiled.tables
    reached = not goals or all(is_reached(sandbox, b, played.made) for b in bounds)
    changes = session.changes()
    return EndState(
        played,
        net_rows(tables, changes),
        (sandbox.schema.now, session.clock),
        reached,
        frozenset(_list_overwritten(tables, changes)),
    )


class Beginning:
    """The beginning of a plan, made once for all plans that begin like it."""

    def __init__(self, sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan) -> None:
        self.plan, self.bounds = plan, bounds
        self._sandbox = sandbox
        self._played: PlanResult | None = None
        self._mark: Mark | None = None
        self._reached: tuple[int, ...] | None = None

    def end(
        self, plan: Plan, stop: bool = True, bounds: Sequence[BoundGoal] | None = None, goals: bool = True
    ) -> EndState:
        """Play a plan that begins alike, and look at the end; as `end_plan` does."""
        before = self.stand_at(_count_shared(self.plan, plan))
        played = play(self._sandbox.session, plan, stop, before)
        return _look(self._sandbox, bounds or self.bounds, played, goals)

    def end_early(self, plan: Plan) -> EndState:
        """The same for a plan with other values: it is given up as not reached where a goal is not, once the calls were made after
        which the plan that it begins like had reached it."""
        if len(self.bounds) == 1 or len(plan) != len(self.plan):
            return self.end(plan)
        reached = self.find_reached()
        shared = _count_shared(self.plan, plan)
        played = self.stand_at(shared)
        stops = sorted({at for at in reached if at > shared})
        for at in (*stops, len(plan)):
            played = play(self._sandbox.session, plan[:at], before=played)
            due = [b for b, when in zip(self.bounds, reached, strict=True) if shared < when <= at]
            if not played.ok or not all(is_reached(self._sandbox, b, played.made) for b in due):
                break
        return _look(self._sandbox, self.bounds, played)

    def list_due(self, step: int) -> Sequence[BoundGoal]:
        """List the goals that the plan reaches with a call for good; all of them with its last."""
        if step == len(self.plan) - 1:
            return self.bounds
        if len(self.bounds) == 1:
            return ()
        return [bound for bound, when in zip(self.bounds, self.find_reached(), strict=True) if when == step + 1]

    def find_reached(self) -> tuple[int, ...]:
        """Find after how many calls each goal is reached for good."""
        if self._reached is None:
            session = self._sandbox.start(self.bounds[0].role, self.bounds[0].actor)
            played = PlanResult((), (), (), ())
            last = [0] * len(self.bounds)
            for at in range(1, len(self.plan) + 1):
                played = play(session, self.plan[:at], before=played)
                for k, bound in enumerate(self.bounds):
                    if not is_reached(self._sandbox, bound, played.made):
                        last[k] = at
            self._reached = tuple(at + 1 for at in last)
        return self._reached

    def stand_at(self, step: int) -> PlanResult:
        """Let the session stand before a step."""
        session = self._sandbox.session
        known = self._played is not None and len(self._played.calls) == step
        if not (known and self._mark is not None and session.go_back(self._mark)):
            first = self.plan[:step]
            session = self._sandbox.start(self.bounds[0].role, self.bounds[0].actor)
            self._played = play(session, first, stop=False)
            self._mark = session.mark()
        assert self._played is not None
        return self._played


def _count_shared(plan: Plan, other: Plan) -> int:
    """Count the calls with which two plans begin alike."""
    return next((k for k, (a, b) in enumerate(zip(plan, other, strict=False)) if a != b), min(len(plan), len(other)))


def _list_overwritten(tables: Mapping[str, Table], changes: Sequence[Change]) -> Iterator[tuple[str, str, str]]:
    for entity, key, before, after in changes:
        if before is not None and after is not None:
            for column, i in tables[entity].position.items():
                if before[i] not in (None, "") and before[i] != after[i]:
                    yield entity, key, column


def content(end: EndState, entities: Mapping[str, Any]) -> list[Any]:
    """An end state without the ids of new rows, without when things happened, and without what texts say.

    Of a row that was there before, each cell is a thing of its own: one more cell that changed is more than was done. That a moment
    was noted counts, and so does a text that took the place of another; which moment of the episode, and which words, does not. A
    moment before or after the episode is a value like any other."""
    new = {row.id for row in end.net if row.op == "added"}
    out = []
    for row in end.net:
        columns = entities[row.table].columns
        moments = {k: _is_during(v, end.span) for k, v in row.cells.items() if columns[k].sort == "time"}
        cells = {
            k: "new" if v in new else v
            for k, v in row.cells.items()
            if columns[k].sort not in ("text", "time") or (v is not None and not moments.get(k, True))
        }
        if row.op != "changed":
            out.append((row.op, row.table, "" if row.op == "added" else row.id, repr(sorted(cells.items()))))
            continue
        cells |= {k: v is not None for k, v in row.cells.items() if columns[k].sort == "time" and k not in cells}
        cells |= {
            k: "other words"
            for k in row.cells
            if columns[k].sort == "text" and (row.table, row.id, k) in end.overwritten
        }
        out += [(row.op, row.table, row.id, ""), *((row.op, row.table, row.id, repr(cell)) for cell in cells.items())]
    return sorted(out)


def _is_during(value: Any, span: tuple[str, str]) -> bool:
    return isinstance(value, str) and span[0] <= value <= span[1]


def extends(end: EndState, gold: EndState, entities: Mapping[str, Any]) -> bool:
    """Return whether an end state is the witness's with something more: that is no other way, it is too much.

    So is a record made over where the witness adds one and leaves those that are there alone.
    """
    added = {row.table for row in gold.net if row.op == "added"}
    alone = added - {row.table for row in gold.net if row.op != "added"}
    instead = added - {row.table for row in end.net if row.op == "added"}
    if any(row.op == "changed" and row.table in alone | instead for row in end.net):
        return True
    if _fills_more(end, gold, entities):
        return True
    rest, mine = content(end, entities), content(gold, entities)
    if len(rest) <= len(mine):
        return False
    for item in mine:
        if item not in rest:
            return False
        rest.remove(item)
    return True


def _fills_more(end: EndState, gold: EndState, entities: Mapping[str, Any]) -> bool:
    """Return whether the rows are those of the witness, and a new one has a value where the witness's has none."""
    if [(r.op, r.table) for r in end.net] != [(r.op, r.table) for r in gold.net]:
        return False
    new, own = ({row.id for row in which.net if row.op == "added"} for which in (end, gold))
    more = False
    for row, mine in zip(end.net, gold.net, strict=True):
        columns = entities[row.table].columns
        for name in dict.fromkeys((*mine.cells, *row.cells)):
            value, before = row.cells.get(name), mine.cells.get(name)
            if columns[name].sort in ("text", "time") or value == before or (value in new and before in own):
                continue
            if row.op != "added" or before is not None:
                return False
            more = True
    return more
