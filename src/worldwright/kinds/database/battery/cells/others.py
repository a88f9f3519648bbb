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
from worldwright.kinds.database.battery.settings import choose_steps
from worldwright.kinds.database.compile.tasks.ends import EndState
from worldwright.kinds.database.compile.tasks.plans import Path, Plan, list_leaves, replace_at
from worldwright.kinds.database.compile.tasks.variations import (
    FILLER,
    find_input,
    vary_optionals,
    vary_shape,
    vary_values,
)
from worldwright.world.records import Call

NAME = "other values and ways"
POSITION = 4

NEXT, STRIDE = 10, 5
"""How far to look at each row, and then at one of so many, for those that are as good, or that the tools let through although they
are not."""
MAX_GOOD = 2
"""As good ones that are enough."""

Leaf: TypeAlias = tuple[int, Path]
"""Where a value stands: the number of the call, and the path in its arguments."""
Wrong: TypeAlias = tuple[bool, tuple[str, ...]]
"""Whether the goal was reached, and the rules that were broken."""


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    seed = ("assay", harness.task.role)
    yield from _vary_values(harness)
    yield from _vary_texts(harness)
    if not harness.settings.ways:
        return
    for v in vary_optionals(harness.sandbox, harness.plan, seed):
        yield harness.try_plan(f"with {harness.plan[v.step].tool}.{v.path[0]}", v.plan, unasked=True)
    for v in vary_shape(harness.sandbox, harness.plan, harness.task.role):
        yield harness.try_plan(f"{v.kind} {v.plan[min(v.step, len(v.plan) - 1)].tool}", v.plan)


def _vary_values(harness: VerifierHarness) -> Iterator[Trial]:
    """Change one value at a time, then two together: both as good as the witness's, or neither."""
    chosen = choose_steps(len(harness.plan), harness.settings.steps)
    named = {key for bound in harness.bounds for _, key in bound.rows.values()}
    tried: Counter[Leaf] = Counter()
    good: dict[Leaf, list[Plan]] = {}
    spoilt: dict[Leaf, list[Plan]] = {}
    wrong: set[tuple[Leaf, Wrong]] = set()
    """Where a wrong row was found that the tools let through, and what is wrong with it: one of each is enough."""
    shapes: set[tuple[str, ...]] = {_shape(harness.gold)}
    near, farthest = harness.settings.near, harness.settings.far
    for v in vary_values(harness.sandbox, harness.plan, ("assay", harness.task.role), max(near, farthest)):
        at = (v.step, v.path)
        seen = any(where == at for where, _ in wrong) and _is_named(harness, at, named)
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
        if far and not (through and (at, why) not in wrong) and not _is_new(end, shapes, len(good.get(at, ()))):
            continue
        wrong |= {(at, why)} if through else set()
        trial = harness.score_end(f"another {_name_leaf(harness, at)}", v.plan, end)
        (good if trial.wanted else spoilt).setdefault(at, []).append(v.plan)
        shapes |= {_shape(end)} if trial.wanted else set()
        yield trial
    for either in (good, spoilt):
        for (one, first_plans), (other, second_plans) in islice(
            combinations(either.items(), 2), harness.settings.pairs
        ):
            what = f"another {_name_leaf(harness, one)} and {_name_leaf(harness, other)}"
            yield harness.try_plan(what, _combine(first_plans[-1], second_plans[-1], other))


def _is_named(harness: VerifierHarness, at: Leaf, named: Collection[Any]) -> bool:
    """Return whether the request names the row that stands there: one other that the tools let through is enough."""
    return dict(list_leaves(harness.plan[at[0]].arguments))[at[1]] in named


def _is_new(end: EndState, shapes: set[tuple[str, ...]], good: int) -> bool:
    """Return whether a choice far off is as good, and one of the first or of a new kind."""
    return end.right and (good < MAX_GOOD or _shape(end) not in shapes)


def _shape(end: EndState) -> tuple[str, ...]:
    return tuple(sorted(f"{row.op} {row.table}" for row in end.net))


def _combine(plan: Plan, other: Plan, at: Leaf) -> Plan:
    """Put one value of another plan into a plan."""
    step, path = at
    value = dict(list_leaves(other[step].arguments))[path]
    changed = Call(plan[step].tool, replace_at(plan[step].arguments, path, value))
    return (*plan[:step], changed, *plan[step + 1 :])


def _name_leaf(harness: VerifierHarness, at: Leaf) -> str:
    return f"{harness.plan[at[0]].tool}.{'.'.join(map(str, at[1]))}"


def _vary_texts(harness: VerifierHarness) -> Iterator[Trial]:
    """Change every text of the witness, all at once."""
    plan = harness.plan
    operations = harness.sandbox.compiled.blueprint.operations
    for step, call in enumerate(plan):
        for path, value in list_leaves(call.arguments):
            kind = find_input(operations[call.tool], path)
            if kind is not None and kind.type.kind == "text" and isinstance(value, str):
                changed = Call(call.tool, replace_at(plan[step].arguments, path, f"{FILLER} ({step + 1})"))
                plan = (*plan[:step], changed, *plan[step + 1 :])
    if plan != harness.plan:
        yield harness.try_plan("in other words", plan)
