"""Every other choice of a record that nobody named: all rows of its table are tried, not only those that look like it.

The plan is played up to the call in question, and the call is probed with each row. What the tools let through is played to its
end, as long as it teaches something: of rows whose calls change the same cells, a few are enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.kinds.database.compile.tasks.ends import Beginning, EndState, end_plan
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, is_reached, perform_rest
from worldwright.kinds.database.compile.tasks.plans import NewRow, Path, Plan, fill_new, list_leaves, replace_at
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.variations import MAX_SIBLINGS, Variation, find_input, rank_nearest_rows
from worldwright.kinds.database.session import Created
from worldwright.kinds.database.unit_of_work import Row
from worldwright.kinds.database.verify.net import NetRow, net_rows
from worldwright.world.records import Call

MAX_ENDS_ALIKE = 3
"""Choices that end right and change the same cells. Those after them would teach nothing."""
MAX_PAIRS = 150
"""Choices of two records at once that are tried for one plan."""
ENOUGH_REFUSED = 3
"""Times that the tools refused every other row at a place for one reason (a line of another order), until that is believed."""
MAX_FOLLOWED = 40
"""Choices of one record with which the calls after it are made anew."""

Differing = frozenset[tuple[str, str, str]]
"""(op, table, column) of the cells in which a call ends otherwise than the witness's."""


SaidAt = Sequence[Mapping[Any, str]]
"""By call, the values that were said for it, and what each is."""


@dataclass(frozen=True, slots=True)
class OpenPlace:
    """Where a plan has a record that nobody named and that no earlier call made."""

    step: int
    path: Path
    input: c.Input
    id: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Another record at one place that the tools let through."""

    plan: Plan
    differs: Differing
    broken: tuple[str, ...]
    reached: bool | None
    """Whether the goals are reached; None where more calls follow, unless a goal is missed that was to be reached by now."""


def list_open_places(sandbox: Sandbox, plan: Plan, said: SaidAt) -> tuple[OpenPlace, ...]:
    """List where a plan has a record that nobody named for it."""
    out = []
    for step, call in enumerate(plan):
        operation = sandbox.compiled.blueprint.operations[call.tool]
        for path, value in list_leaves(call.arguments):
            found = find_input(operation, path)
            if found is not None and found.type.kind == "ref" and isinstance(value, str) and value not in said[step]:
                out.append(OpenPlace(step, path, found, value))
    return tuple(out)


def list_omitted_places(sandbox: Sandbox, plan: Plan) -> tuple[OpenPlace, ...]:
    """List where a plan leaves out a record that a call may take."""
    return tuple(
        OpenPlace(step, (found.name,), found, "")
        for step, call in enumerate(plan)
        for found in sandbox.compiled.blueprint.operations[call.tool].inputs
        if found.type.kind == "ref" and found.optional and found.name not in call.arguments and not found.parts
    )


def can_be_completed(sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan, since: int = 0) -> bool:
    """Return whether a record that the plan leaves out, from one of its calls on, makes it right: a connecting flight that fits."""
    beginning = Beginning(sandbox, bounds, plan)
    return any(
        end.right
        for place in list_omitted_places(sandbox, plan)
        if place.step >= since
        for _, end in _try_place(sandbox, beginning, place)
    )


def try_records(sandbox: Sandbox, beginning: Beginning, said: SaidAt) -> Iterator[tuple[Variation, EndState]]:
    """Yield plans with other records in the open places, each with how it ends.

    Every right choice is among them, but for those whose cells others have shown to be open; of the wrong ones the first, and
    the first for each rule. Where no other record fits one place alone, what follows from it is changed with it: the number of the
    meter that was taken. Where that does not help, two places are changed together."""
    plan = beginning.plan
    places = list_open_places(sandbox, plan, said)
    fixed = []
    for place in places:
        found = False
        choices, refused = _probe_rows(sandbox, beginning, place)
        for variation, end in _end_choices(beginning, place, choices, refused):
            found = found or end.right
            yield variation, end
        if not found and _has_values_after(plan, place, said):
            for variation, end in _follow_choices(sandbox, beginning, place, choices):
                found = found or end.right
                yield variation, end
        if not found:
            fixed.append(place)
    pairs = [(a, b) for a, b in combinations(fixed, 2) if said[a.step] is said[b.step]]  # of one and the same goal
    for first, second in pairs:
        yield from _try_pair(sandbox, beginning, first, second, MAX_PAIRS // len(pairs))


def _try_place(sandbox: Sandbox, beginning: Beginning, place: OpenPlace) -> Iterator[tuple[Variation, EndState]]:
    choices, refused = _probe_rows(sandbox, beginning, place)
    yield from _end_choices(beginning, place, choices, refused)


def _end_choices(
    beginning: Beginning, place: OpenPlace, choices: Sequence[Choice], refused: Plan | None = None
) -> Iterator[tuple[Variation, EndState]]:
    if refused is not None:
        yield _vary(place, refused), beginning.end(refused)
    right: Counter[Differing] = Counter()
    wrong: set[tuple[str, ...]] = set()
    for choice in choices:
        fails = bool(choice.broken) or choice.reached is False
        if (fails and choice.broken in wrong) or (not fails and right[choice.differs] >= MAX_ENDS_ALIKE):
            continue
        end = beginning.end_early(choice.plan)
        if end.right:
            right[choice.differs] += 1
        elif choice.broken in wrong:
            continue
        else:
            wrong.add(choice.broken)
        yield _vary(place, choice.plan), end


def _has_values_after(plan: Plan, place: OpenPlace, said: SaidAt) -> bool:
    """Return whether a later call takes a value that nobody said: it may come from the record."""
    return any(
        value is not None and not isinstance(value, (bool, NewRow)) and value not in said[step]
        for step in range(place.step + 1, len(plan))
        for _, value in list_leaves(plan[step].arguments)
    )


def _follow_choices(
    sandbox: Sandbox, beginning: Beginning, place: OpenPlace, choices: Sequence[Choice]
) -> Iterator[tuple[Variation, EndState]]:
    """Yield plans with another record whose later calls take from the state what the goal's `how` takes."""
    tools = [call.tool for call in beginning.plan]
    right = alike = 0
    fitting = [choice for choice in choices if not choice.broken and choice.reached is not False]
    for choice in fitting[:MAX_FOLLOWED]:
        plan = perform_rest(sandbox, beginning.bounds, choice.plan[: place.step + 1], ("follow", place.step))
        alike += plan == choice.plan
        if right == MAX_ENDS_ALIKE or alike == MAX_ENDS_ALIKE:  # nothing follows from it
            return
        if plan is None or plan == choice.plan or [call.tool for call in plan] != tools:
            continue
        end = end_plan(sandbox, beginning.bounds, plan)
        yield _vary(place, plan), end
        right += end.right


def _vary(place: OpenPlace, plan: Plan) -> Variation:
    return Variation("value", place.step, place.path, place.input, plan)


def _put(plan: Plan, place: OpenPlace, key: str) -> Plan:
    call = plan[place.step]
    changed = Call(call.tool, replace_at(call.arguments, place.path, key))
    return (*plan[: place.step], changed, *plan[place.step + 1 :])


def _probe_rows(sandbox: Sandbox, beginning: Beginning, place: OpenPlace) -> tuple[list[Choice], Plan | None]:
    """Probe one call with every other row of the table. Returns what was let through, and the first plan that was refused.

    Where the tools have refused every other row often enough for one and the same reason, the nearest are probed first, and the
    rest only where one of those is not refused for it."""
    plan, entity = beginning.plan, place.input.type.entity
    probe = _Prober(sandbox, beginning, place.step)
    where = (plan[place.step].tool, *(part for part in place.path if isinstance(part, str)))
    usual = sandbox.closed.get(where)
    known = usual is not None and usual[1] >= ENOUGH_REFUSED
    rows = rank_nearest_rows(sandbox, entity, place.id, where) if known else [r.id for r in sandbox.opening(entity)]
    choices: list[Choice] = []
    codes: set[str] = set()
    refused = None
    for number, key in enumerate(key for key in rows if key != place.id):
        if known and number == MAX_SIBLINGS and codes == {usual and usual[0]}:
            return choices, refused
        changed = _put(plan, place, key)
        found = probe.choose(changed)
        if isinstance(found, Choice):
            choices.append(found)
            codes.add("")
        else:
            refused = refused or changed
            codes.add(found)
    only = next(iter(codes), "")
    times = usual[1] + 1 if usual is not None and usual[0] == only else 1
    sandbox.closed[where] = (only, times) if len(codes) == 1 and only else ("", 0)
    return choices, refused


class _Prober:
    """A session that stands before one call of a plan."""

    def __init__(self, sandbox: Sandbox, beginning: Beginning, step: int) -> None:
        self.sandbox, self.step = sandbox, step
        self.last = step == len(beginning.plan) - 1
        self.due = beginning.list_due(step)
        self.before = beginning.stand_at(step)
        self.session = sandbox.session
        self.gold = self._net(beginning.plan)

    def _net(self, plan: Plan) -> tuple[NetRow, ...]:
        call = plan[self.step]
        found = self.session.probe(call.tool, fill_new(call.arguments, self.before.made))
        return net_rows(self.sandbox.compiled.tables, found.changes)

    def choose(self, plan: Plan) -> Choice | str:
        """Probe the call of another plan that is the same up to here; the code where it is refused."""
        call = plan[self.step]
        arguments = fill_new(call.arguments, self.before.made)
        found = self.session.probe(call.tool, arguments, self._is_reached if self.due else None)
        if found.result.error is not None:
            return found.result.error.code
        differs = _compare(self.gold, net_rows(self.sandbox.compiled.tables, found.changes))
        return Choice(plan, differs, found.broken, found.seen if self.last or found.seen is False else None)

    def _is_reached(self, created: Created) -> bool:
        rows: dict[str, list[str]] = {}
        for entity, key in created:
            rows.setdefault(entity, []).append(key)
        return all(is_reached(self.sandbox, bound, (*self.before.made, rows)) for bound in self.due)


def _compare(mine: Sequence[NetRow], theirs: Sequence[NetRow]) -> Differing:
    """Compare net changes row by row in their order; where the rows are others, each whole row differs."""
    if [(r.op, r.table) for r in mine] != [(r.op, r.table) for r in theirs]:
        return frozenset((r.op, r.table, "") for r in theirs)
    return frozenset(
        (a.op, a.table, column)
        for a, b in zip(mine, theirs, strict=True)
        for column in dict.fromkeys((*a.cells, *b.cells))
        if a.cells.get(column) != b.cells.get(column)
    )


# two records at once


def _try_pair(
    sandbox: Sandbox, beginning: Beginning, first: OpenPlace, second: OpenPlace, most: int
) -> Iterator[tuple[Variation, EndState]]:
    """Yield plans with two other records that belong together as those of the witness do."""
    probers: dict[str, _Prober | None] = {}
    choices = []
    for one, other in islice(_list_pairs(sandbox, first, second), most):
        changed = _put(_put(beginning.plan, first, one), second, other)
        key = "" if first.step == second.step else one
        if key not in probers:
            prober = _Prober(sandbox, Beginning(sandbox, beginning.bounds, changed), second.step)
            probers = {key: prober if prober.before.ok else None}
        found = probers[key]
        choice = found.choose(changed) if found is not None else ""
        if isinstance(choice, Choice):
            choices.append(choice)
    yield from _end_choices(beginning, second, choices)


def _list_pairs(sandbox: Sandbox, first: OpenPlace, second: OpenPlace) -> Iterator[tuple[str, str]]:
    """Yield other rows for two places that refer to each other, or to the same third, as the witness's rows do."""
    mine, theirs = first.input.type.entity, second.input.type.entity
    ones, others = sandbox.opening(mine), sandbox.opening(theirs)
    one = next((r for r in ones if r.id == first.id), None)
    other = next((r for r in others if r.id == second.id), None)
    if one is None or other is None:
        return
    links = [
        (i, k) for i in _keys(sandbox, mine) for k in _keys(sandbox, theirs)
        if one.values[i] is not None and one.values[i] == other.values[k]
    ]  # fmt: skip
    for i, k in links:
        by_value: dict[Any, list[Row]] = {}
        for row in others:
            by_value.setdefault(row.values[k], []).append(row)
        for row in ones:
            if row.id != first.id and row.values[i] is not None:
                yield from ((row.id, found.id) for found in by_value.get(row.values[i], ()) if found.id != second.id)


def _keys(sandbox: Sandbox, entity: str) -> list[int]:
    """Where the rows of a table hold their own id and those of others."""
    position = sandbox.compiled.tables[entity].position
    return [0, *(position[column.name] for column in sandbox.schema.entities[entity].refs)]
