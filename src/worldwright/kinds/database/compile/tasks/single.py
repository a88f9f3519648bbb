"""Tasks of one goal: to be reached, repaired, or refused because of one rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.accept import Dropped, list_said
from worldwright.kinds.database.compile.tasks.asking import WordedRequest, means_one, word_request
from worldwright.kinds.database.compile.tasks.candidates import Candidate, make_done, make_refused
from worldwright.kinds.database.compile.tasks.choices import can_be_completed, try_records
from worldwright.kinds.database.compile.tasks.describe import Describer
from worldwright.kinds.database.compile.tasks.ends import Beginning, end_plan
from worldwright.kinds.database.compile.tasks.instances import Attempt, RowKey, attempts
from worldwright.kinds.database.compile.tasks.naive import plan_naively
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.variations import leave_out_calls, vary_values

IF_FORBIDDEN = (
    "If a rule of the handbook stands in the way, leave everything as it is and tell me which one.",
    "Should our handbook forbid it, change nothing and name the rule to me.",
    "Go by the handbook: where it says no, do not touch anything and let me know which rule it is.",
)
MAX_REFUSALS = 2
"""Rules for whose sake one goal is refused: with more of them, refusing would be the better bet."""
ENOUGH_ATTEMPTS = 25
"""Bindings after which nobody looks for another refusal of a goal that has one, and that can be done."""
MAX_SHORT_ATTEMPTS = 4
"""Witnesses of a single call that are passed over for one in which something has to be found first."""
MAX_PER_SHAPE = 1
"""Tasks of one shape: a second one would be a copy with other numbers."""


def make_single(
    sandbox: Sandbox, describer: Describer, seed: int, damaged: Mapping[str, Sequence[RowKey]], name: str
) -> Iterator[Candidate | Dropped]:
    """Yield tasks from one goal, a few of each shape."""
    taken: dict[tuple[str, ...], int] = {}
    tries: dict[tuple[str, ...], int] = {}
    for k, attempt in enumerate(attempts(sandbox, name, seed, damaged)):
        refusals = sum(shape[0] == "refused" for shape in taken)
        if len(taken) > refusals and refusals >= (1 if k >= ENOUGH_ATTEMPTS else MAX_REFUSALS):
            return
        kind = (
            ("done", name, *_list_turns(sandbox, attempt)) if attempt.clean else ("refused", name, attempt.forbidden_by)
        )
        if not (attempt.clean or attempt.forbidden_by) or taken.get(kind, 0) >= MAX_PER_SHAPE:
            continue
        if not attempt.clean and refusals >= MAX_REFUSALS:
            continue
        found = task_of(sandbox, describer, attempt, kind, (seed, name, k))
        if isinstance(found, Candidate):
            short = len(found.calls) < 2 and bool(found.plan) and tries.get(kind, 0) < MAX_SHORT_ATTEMPTS
            tries[kind] = tries.get(kind, 0) + 1
            taken[kind] = taken.get(kind, 0) + (not short)
        yield found


def _list_turns(sandbox: Sandbox, attempt: Attempt) -> tuple[str, ...]:
    """What is done where time passes on the way: what comes of waiting is another task each."""
    tools = tuple(call.tool for call in attempt.plan)
    return tools if any(sandbox.compiled.tools[tool].waits is not None for tool in tools) else ()


def task_of(
    sandbox: Sandbox, describer: Describer, attempt: Attempt, kind: Sequence[str], seed: tuple[Any, ...]
) -> Candidate | Dropped:
    """The task that an attempt makes: to be carried out, or to be refused because of the one rule that forbids it."""
    goal = sandbox.goals[attempt.bound.goal].goal
    sandbox.start(attempt.bound.role, attempt.bound.actor)
    number = seed[-1]
    ways = describer.list_ways(goal.asks)
    ask = ways[number % len(ways)]
    words = word_request(sandbox, describer, ask, attempt.bound.rows, attempt.bound.said, number, goal=goal)
    if words is None or not means_one(sandbox, goal.name, ask, attempt.bound.rows, attempt.bound.said):
        return Dropped(describer.unnamed, goal.name)
    closing = _draw_closing(goal, seed) if goal.how and not sandbox.goals[goal.name].weighs_rules else ()
    if attempt.clean:
        return _make_reachable(sandbox, attempt, kind, words, closing, seed)
    if has_another_way(sandbox, attempt, seed):
        return Dropped("can be done another way", goal.name)
    return make_refused(
        sandbox, kind, attempt.bound, attempt.plan, attempt.played.made, attempt.forbidden_by, (words,), closing
    )


def _draw_closing(goal: c.Goal, seed: tuple[Any, ...]) -> tuple[str, ...]:
    """Let half of the requests say what to do where a rule forbids it, and all of those that take several writes: else somebody may
    do a part. Those that a rule forbids say it no more often than others: who reads the request alone does not know which it is."""
    stream = Stream(*seed, "closing", goal.name)
    return (stream.pick(IF_FORBIDDEN),) if len(goal.how) > 1 or stream.chance(0.5) else ()


def _make_reachable(
    sandbox: Sandbox,
    attempt: Attempt,
    kind: Sequence[str],
    words: WordedRequest,
    closing: Sequence[str],
    seed: tuple[Any, ...],
) -> Candidate | Dropped:
    """Make a task of a goal that can be reached: a policy task where the handbook restricts how, and trying would go wrong."""
    goal = sandbox.goals[attempt.bound.goal].goal
    family = "repair" if goal.mends else "walk"
    found = make_done(sandbox, family, kind, (attempt.bound,), attempt.plan, (words,), seed, closing, record=True)
    if isinstance(found, Dropped) or not found.handbook:
        return found
    tried = end_plan(
        sandbox, found.bounds, plan_naively(sandbox, attempt.bound.role, attempt.bound.actor, found.plan, found.bounds)
    )
    if not tried.played.broken or family == "repair":
        return found
    return replace(found, family="policy", shape=(*kind, tried.played.broken[0]))


def has_another_way(sandbox: Sandbox, attempt: Attempt, seed: tuple[Any, ...]) -> bool:
    """Return whether some other choice reaches the goal without breaking a rule: then refusing would be wrong."""
    bounds = (attempt.bound,)
    beginning = Beginning(sandbox, bounds, attempt.plan)
    if any(end.right for _, end in try_records(sandbox, beginning, list_said(sandbox, beginning))):
        return True
    if can_be_completed(sandbox, bounds, attempt.plan):
        return True
    if any(end_plan(sandbox, bounds, plan).right for plan in leave_out_calls(attempt.plan)):
        return True
    return any(
        end_plan(sandbox, bounds, variation.plan).right
        for variation in vary_values(sandbox, attempt.plan, seed, siblings=0)
        if variation.input is not None and variation.input.type.kind in ("enum", "bool")
    )
