"""Gold that breaks each handbook rule in play, and a caller who never reads the handbook, takes the first thing that the tools
accept and retries on errors: must fail where a handbook rule decides. Elsewhere it scores what goal and rules say."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.naive import plan_naively
from worldwright.kinds.database.compile.tasks.plans import list_leaves
from worldwright.kinds.database.compile.tasks.variations import vary_values

NAME = "rules broken"
POSITION = 12

MAX_ROWS_TRIED = 24
"""Rows looked at for a choice that breaks a rule."""


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    if not harness.plan or not harness.key.expects.get("rules"):
        return
    yield from _break_rules(harness)
    plan = plan_naively(
        harness.sandbox, harness.task.role, harness.task.actor, harness.plan, harness.bounds, harness.settings.choices
    )
    yield harness.try_plan("try and retry", plan)


def _break_rules(harness: VerifierHarness) -> Iterator[Trial]:
    """Yield a choice that the tools let through, for each rule that it can break."""
    waiting = set(harness.key.expects["rules"])
    named = {key for bound in harness.bounds for _, key in bound.rows.values()}
    for v in vary_values(
        harness.sandbox,
        harness.plan,
        ("assay", "rules", harness.task.role),
        min(MAX_ROWS_TRIED, harness.settings.choices),
    ):
        if not waiting:
            return
        if v.input is None or v.input.type.kind not in ("ref", "enum", "bool"):
            continue
        if dict(list_leaves(harness.plan[v.step].arguments))[v.path] in named:
            continue
        end = harness.end(v.plan)
        if end.played.ok and waiting & set(end.played.broken):
            waiting -= set(end.played.broken)
            yield harness.score_end(f"breaking {', '.join(end.played.broken)}", v.plan, end)
