"""Gold with one value changed, an optional one given, or another way taken: must score as goal, rules and frame say.

Near values come first: an amount a cent off, a date a day off, the row that shares most with the right one. Of a row that nobody
named, other choices are looked for until some are found that are as good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import combinations, islice
from typing import Any, TypeAlias

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.accept import Ending
from worldwright.kinds.database.compile.tasks.plans import Path, Plan, leaves, replaced
from worldwright.kinds.database.compile.tasks.variations import FILLER, input_at, of_optionals, of_shape, of_values
from worldwright.world.records import Call

NAME = "other values and ways"
POSITION = 4

NEXT, STRIDE = 10, 5
"""How far to look at each row, and then at one of so many, for those that are as good, or that the tools let through although they
are not."""
ENOUGH_GOOD = 2
"""As good ones that are enough."""
MAX_STEPS = 6
"""Calls of a long witness in which values are changed."""

Leaf: TypeAlias = tuple[int, Path]
"""Where a value stands: the number of the call, and the path in its arguments."""
Wrong: TypeAlias = tuple[bool, tuple[str, ...]]
"""Whether the goal was reached, and the rules that were broken."""


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    seed = ("assay", harness.task.role)
    yield from _values(harness)
    yield from _in_other_words(harness)
    if not harness.settings.ways:
        return
    for v in of_optionals(harness.ground, harness.plan, seed):
        yield harness.judged(f"with {harness.plan[v.step].tool}.{v.path[0]}", v.plan)
    for v in of_shape(harness.ground, harness.plan, harness.task.role):
        yield harness.judged(f"{v.kind} {v.plan[min(v.step, len(v.plan) - 1)].tool}", v.plan)


def _values(harness: VerifierHarness) -> Iterator[Trial]:
    """One value at a time, then two together: both as good as the witness's, or neither."""
    chosen = _steps(len(harness.plan))
    named = {key for bound in harness.bounds for _, key in bound.rows.values()}
    tried: Counter[Leaf] = Counter()
    good: dict[Leaf, list[Plan]] = {}
    spoilt: dict[Leaf, list[Plan]] = {}
    wrong: set[tuple[Leaf, Wrong]] = set()
    """Where a wrong row was found that the tools let through, and what is wrong with it: one of each is enough."""
    shapes: set[tuple[str, ...]] = {_shape(harness.gold)}
    near, farthest = harness.settings.near, harness.settings.far
    for v in of_values(harness.ground, harness.plan, ("assay", harness.task.role), max(near, farthest)):
        at = (v.step, v.path)
        seen = any(where == at for where, _ in wrong) and _known(harness, at, named)
        enough = tried[at] >= near and (seen or not farthest)
        if v.step not in chosen or v.input is None or enough:
            continue
        tried[at] += 1
        far = v.input.type.kind == "ref" and tried[at] > near
        if far and tried[at] > NEXT and tried[at] % STRIDE:
            continue
        end = harness.end(v.plan, stop=far)
        through = end.played.ok and not end.right
        why = (end.reached, end.played.broken)
        if far and not (through and (at, why) not in wrong) and not _news(end, shapes, len(good.get(at, ()))):
            continue
        wrong |= {(at, why)} if through else set()
        trial = harness.scored(f"another {_name_leaf(harness, at)}", v.plan, end)
        (good if trial.wanted else spoilt).setdefault(at, []).append(v.plan)
        shapes |= {_shape(end)} if trial.wanted else set()
        yield trial
    for either in (good, spoilt):
        for (one, first_plans), (other, second_plans) in islice(
            combinations(either.items(), 2), harness.settings.pairs
        ):
            what = f"another {_name_leaf(harness, one)} and {_name_leaf(harness, other)}"
            yield harness.judged(what, _both(first_plans[-1], second_plans[-1], other))


def _known(harness: VerifierHarness, at: Leaf, named: Collection[Any]) -> bool:
    """Whether the request names the row that stands there: one other that the tools let through is enough."""
    return dict(leaves(harness.plan[at[0]].arguments))[at[1]] in named


def _news(end: Ending, shapes: set[tuple[str, ...]], good: int) -> bool:
    """Whether a choice far off is as good, and one of the first or of a new kind."""
    return end.right and (good < ENOUGH_GOOD or _shape(end) not in shapes)


def _shape(end: Ending) -> tuple[str, ...]:
    return tuple(sorted(f"{row.op} {row.table}" for row in end.net))


def _both(plan: Plan, other: Plan, at: Leaf) -> Plan:
    """A plan with one value of another."""
    step, path = at
    value = dict(leaves(other[step].arguments))[path]
    changed = Call(plan[step].tool, replaced(plan[step].arguments, path, value))
    return (*plan[:step], changed, *plan[step + 1 :])


def _name_leaf(harness: VerifierHarness, at: Leaf) -> str:
    return f"{harness.plan[at[0]].tool}.{'.'.join(map(str, at[1]))}"


def _in_other_words(harness: VerifierHarness) -> Iterator[Trial]:
    """Every text of the witness another one, all at once."""
    plan = harness.plan
    operations = harness.ground.compiled.blueprint.operations
    for step, call in enumerate(plan):
        for path, value in leaves(call.arguments):
            kind = input_at(operations[call.tool], path)
            if kind is not None and kind.type.kind == "text" and isinstance(value, str):
                changed = Call(call.tool, replaced(plan[step].arguments, path, f"{FILLER} ({step + 1})"))
                plan = (*plan[:step], changed, *plan[step + 1 :])
    if plan != harness.plan:
        yield harness.judged("in other words", plan)


def _steps(calls: int) -> set[int]:
    """The calls whose values are changed: of very many, which are all alike, some."""
    return (
        set(range(calls))
        if calls <= MAX_STEPS
        else {round(k * (calls - 1) / (MAX_STEPS - 1)) for k in range(MAX_STEPS)}
    )
