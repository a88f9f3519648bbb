"""The caller who never reads the handbook: takes the first thing that the tools accept, and retries on errors."""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.kinds.database.compile.tasks.ground import Ground
from worldwright.kinds.database.compile.tasks.instances import Bound
from worldwright.kinds.database.compile.tasks.plans import New, Plan, leaves, play, replaced
from worldwright.kinds.database.compile.tasks.variations import input_at
from worldwright.world.records import Call

MAX_CALLS_TRIED = 60


def naive_plan(
    ground: Ground, role: str, actor: str, plan: Plan, bounds: Sequence[Bound], tries: int = MAX_CALLS_TRIED
) -> Plan:
    """The witness with every row that nobody named filled by the first one, in the order of ids, that the tools let through."""
    named = {key for bound in bounds for _, key in bound.rows.values()}
    for step in range(len(plan)):
        operation = ground.compiled.blueprint.operations[plan[step].tool]
        for path, value in leaves(plan[step].arguments):
            kind = input_at(operation, path)
            if kind is None or kind.type.kind != "ref" or isinstance(value, New) or value in named or value is None:
                continue
            for row in ground.opening(kind.type.entity)[:tries]:
                call = Call(plan[step].tool, replaced(plan[step].arguments, path, row.id))
                changed = (*plan[:step], call, *plan[step + 1 :])
                if play(ground.start(role, actor), changed[: step + 1]).ok:
                    plan = changed
                    break
    return plan
