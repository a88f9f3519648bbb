"""The caller who never reads the handbook: takes the first thing that the tools accept, and retries on errors."""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.kinds.database.compile.tasks.instances import BoundGoal
from worldwright.kinds.database.compile.tasks.plans import NewRow, Plan, list_leaves, play, replace_at
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.variations import find_input
from worldwright.world.records import Call

MAX_CALLS_TRIED = 60


def plan_naively(
    sandbox: Sandbox, role: str, actor: str, plan: Plan, bounds: Sequence[BoundGoal], tries: int = MAX_CALLS_TRIED
) -> Plan:
    """Fill every row that nobody named by the first one, in the order of ids, that the tools let through."""
    named = {key for bound in bounds for _, key in bound.rows.values()}
    for step in range(len(plan)):
        operation = sandbox.compiled.blueprint.operations[plan[step].tool]
        for path, value in list_leaves(plan[step].arguments):
            kind = find_input(operation, path)
            if kind is None or kind.type.kind != "ref" or isinstance(value, NewRow) or value in named or value is None:
                continue
            for row in sandbox.opening(kind.type.entity)[:tries]:
                call = Call(plan[step].tool, replace_at(plan[step].arguments, path, row.id))
                changed = (*plan[:step], call, *plan[step + 1 :])
                if play(sandbox.start(role, actor), changed[: step + 1]).ok:
                    plan = changed
                    break
    return plan
