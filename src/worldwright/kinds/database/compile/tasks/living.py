"""What people and time add to a task, measured on its witness. A task without either has none of these measures."""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.kinds.database.compile.tasks.asking import WordedRequest
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, RowKey
from worldwright.kinds.database.compile.tasks.plans import Plan, list_leaves, play
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.world.records import Call


def measure_living(
    sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan, asks: Sequence[WordedRequest]
) -> dict[str, int]:
    """Measure the conversation and the time of a task; only what there is of either."""
    found = {**_measure_talk(sandbox, bounds, plan, asks), **_measure_time(sandbox, bounds, plan)}
    return {name: number for name, number in found.items() if number}


def _measure_talk(
    sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan, asks: Sequence[WordedRequest]
) -> dict[str, int]:
    """Measure the conversation that the first goal has of its own."""
    first = asks[0] if asks else None
    if first is None or not bounds[0].goal or sandbox.goals[bounds[0].goal].goal.talk is None:
        return {}
    theirs = [Call(act.tool, act.arguments) for act in first.acts]
    return {
        "hidden": len(first.facts),
        "beliefs": sum(bool(fact.thinks) for fact in first.facts),
        "changes": len(first.changes),
        "acts": sum(call in theirs for call in plan),
    }


def _measure_time(sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan) -> dict[str, int]:
    """Measure how time passes on the way, and what others do to what the task is about."""
    tools, opening = sandbox.compiled.tools, sandbox.runtime.opening
    if not opening.events and not sandbox.compiled.reactions:
        return {}
    session = sandbox.start(bounds[0].role, bounds[0].actor)
    done = play(session, plan)
    rows = {key for bound in bounds for key in bound.rows.values() if isinstance(key[1], str)}
    rows |= {(entity, key) for made in done.made for entity, keys in made.items() for key in keys}
    others = sum(one.happened and _is_about(one.call, rows) for one in session.list_others())
    waits = sum(tools[call.tool].waits is not None for call in plan)
    return {"waits": waits, "others": others, **({} if waits else _measure_lateness(sandbox, bounds[0], plan))}


def _measure_lateness(sandbox: Sandbox, bound: BoundGoal, plan: Plan) -> dict[str, int]:
    """Count the calls that are refused to who comes after everything that others do: because of them, or of the time alone."""
    after, alone = (
        play(sandbox.start_late(bound.role, bound.actor, alone), plan, stop=False).results for alone in (False, True)
    )
    rivals = sum(not a.ok and b.ok for a, b in zip(after, alone, strict=True))
    return {"rivals": rivals, "too_late": sum(not one.ok for one in alone)}


def _is_about(call: Call, rows: set[RowKey]) -> bool:
    keys = {key for _, key in rows}
    return any(isinstance(leaf, str) and leaf in keys for _, leaf in list_leaves(call.arguments))
