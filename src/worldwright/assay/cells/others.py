"""Gold with one value changed, an optional one given, or another way taken: must score as goal, rules and frame say.

Near values come first: an amount a cent off, a date a day off, the row that shares most with the right one. Of a row that nobody
named, other choices are looked for until some are found that are as good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from worldwright.assay.bench import Bench, Trial
from worldwright.compiler.tasks.plans import leaves
from worldwright.compiler.tasks.variations import of_optionals, of_shape, of_values

NAMED, UNNAMED, FARTHEST = 2, 6, 24
"""Other rows for one that the request names, for one that it does not, and how far to look for one that is as good."""
GOOD = 2
"""As good ones that are enough."""
STEPS = 6
"""Calls of a long witness in which values are changed."""


def episodes(bench: Bench) -> Iterator[Trial]:
    seed = ("assay", bench.task.role)
    yield from _values(bench)
    for v in of_optionals(bench.ground, bench.plan, seed):
        yield bench.judged(f"with {bench.plan[v.step].tool}.{v.path[0]}", v.plan)
    for v in of_shape(bench.ground, bench.plan, bench.task.role):
        yield bench.judged(f"{v.kind} {v.plan[min(v.step, len(v.plan) - 1)].tool}", v.plan)


def _values(bench: Bench) -> Iterator[Trial]:
    chosen = _steps(len(bench.plan))
    named = {key for bound in bench.bounds for _, key in bound.rows.values()}
    values = [dict(leaves(call.arguments)) for call in bench.plan]
    tried: Counter[tuple[object, ...]] = Counter()
    good: Counter[tuple[object, ...]] = Counter()
    for v in of_values(bench.ground, bench.plan, ("assay", bench.task.role), FARTHEST):
        if v.step not in chosen or v.input is None:
            continue
        at = (v.step, *v.path)
        tried[at] += 1
        if v.input.type.kind == "ref":
            near = NAMED if values[v.step][v.path] in named else UNNAMED
            far = tried[at] > near
            if far and (near == NAMED or good[at] >= GOOD or not bench.end(v.plan).right):
                continue
        trial = bench.judged(f"another {bench.plan[v.step].tool}.{'.'.join(map(str, v.path))}", v.plan)
        good[at] += trial.wanted
        yield trial


def _steps(calls: int) -> set[int]:
    """The calls whose values are changed: of very many, which are all alike, some."""
    return set(range(calls)) if calls <= STEPS else {round(k * (calls - 1) / (STEPS - 1)) for k in range(STEPS)}
