"""Gold at other times, where time passes in it: without waiting, a moment too early, as late as can be, after all that others do.

Each passes or fails as the goal says of the state that it ends in. Who does themselves what others were waited for fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from worldwright.core import days
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.plans import Plan, list_leaves
from worldwright.kinds.database.compile.tasks.variations import drop_call, shift_calls
from worldwright.world.records import Call

NAME = "other times"
POSITION = 16


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    waits = [i for i, call in enumerate(harness.plan) if harness.tools[call.tool].waits is not None]
    if not waits:
        return
    opening = harness.sandbox.runtime.opening
    last = days.moment(opening.last)
    plan = others = harness.plan
    for i in reversed(waits):
        others = drop_call(others, i)
    wait = plan[waits[0]]
    yield harness.try_plan("without waiting", others)
    yield harness.try_plan("waiting for ever, and nothing else", (_wait_until(wait, last),))
    for i in waits:
        for what, moment in (("a minute too early", _shift(plan[i], -1)), ("a minute later", _shift(plan[i], 1))):
            if moment:
                yield harness.try_plan(
                    f"{what}: {plan[i].tool}", (*plan[:i], _wait_until(plan[i], moment), *plan[i + 1 :])
                )
        yield harness.try_plan(
            f"as late as can be: {plan[i].tool}", (*plan[:i], _wait_until(plan[i], last), *plan[i + 1 :])
        )
    yield harness.try_plan("and waiting for ever after it", (*plan, _wait_until(wait, last)))
    yield from _do_it_themselves(harness, waits[0], others)


def _do_it_themselves(harness: VerifierHarness, at: int, without: Plan) -> Iterator[Trial]:
    """Gold with a call that others make meanwhile made at once, in place of the wait, where the tools let it through."""
    harness.end(harness.plan)
    rows = {key for bound in harness.fixed for _, key in bound.rows.values()}
    rows |= {key for made in harness.made for ids in made.values() for key in ids}
    happened = (one.call for one in harness.sandbox.session.list_others() if one.happened)
    calls = [*(Call(event.tool, event.arguments) for _, event in harness.sandbox.runtime.opening.events), *happened]
    about = [
        call for call in calls if rows & {leaf for _, leaf in list_leaves(call.arguments) if isinstance(leaf, str)}
    ]
    for k, call in enumerate(about):
        if call in about[:k] or call in harness.key.calls or harness.tools[call.tool].waits is not None:
            continue
        plan = (*without[:at], call, *shift_calls(without[at:], at - 1, 1))
        end = harness.end(plan, stop=False, fixed=True)
        if end.played.results[at].ok and harness.tools[call.tool].mutates:
            given = harness.answer(end, fixed=True)
            yield Trial(f"does what others do: {call.tool}", plan, False, given, harness.verdict(given))


def _wait_until(call: Call, moment: str) -> Call:
    """The same wait until another moment."""
    return Call(call.tool, {name: moment if _is_moment(value) else value for name, value in call.arguments.items()})


def _shift(call: Call, minutes: int) -> str:
    """The moment of a wait and so many minutes; empty where it has none."""
    found = next((days.parse_moment(str(v)) for v in call.arguments.values() if _is_moment(v)), None)
    return "" if found is None else days.moment(found.replace(tzinfo=None) + timedelta(minutes=minutes))


def _is_moment(value: object) -> bool:
    return isinstance(value, str) and "T" in value and days.parse_moment(value) is not None
