"""Gold that breaks each handbook rule in play, and a caller who never reads the handbook, takes the first thing that the tools
accept and retries on errors: must fail where a handbook rule decides. Elsewhere it scores what goal and rules say."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Bench, Trial
from worldwright.kinds.database.compile.tasks.naive import naive_plan
from worldwright.kinds.database.compile.tasks.plans import leaves
from worldwright.kinds.database.compile.tasks.variations import of_values

NAME = "rules broken"
POSITION = 12

FARTHEST = 24
"""Rows looked at for a choice that breaks a rule."""


def episodes(bench: Bench) -> Iterator[Trial]:
    if not bench.plan or not bench.key.expects.get("rules"):
        return
    yield from _breaking(bench)
    plan = naive_plan(bench.ground, bench.task.role, bench.task.actor, bench.plan, bench.bounds, bench.reach.choices)
    yield bench.judged("try and retry", plan)


def _breaking(bench: Bench) -> Iterator[Trial]:
    """A choice that the tools let through, for each rule that it can break."""
    waiting = set(bench.key.expects["rules"])
    named = {key for bound in bench.bounds for _, key in bound.rows.values()}
    for v in of_values(
        bench.ground, bench.plan, ("assay", "rules", bench.task.role), min(FARTHEST, bench.reach.choices)
    ):
        if not waiting:
            return
        if v.input is None or v.input.type.kind not in ("ref", "enum", "bool"):
            continue
        if dict(leaves(bench.plan[v.step].arguments))[v.path] in named:
            continue
        end = bench.end(v.plan)
        if end.played.ok and waiting & set(end.played.broken):
            waiting -= set(end.played.broken)
            yield bench.scored(f"breaking {', '.join(end.played.broken)}", v.plan, end)
