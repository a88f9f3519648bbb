"""Busy services: limits on calls, and calls that fail once. Both are worked out from the steps of the episode alone.

So nothing has to be kept: a reset forgets, a fork carries along, and a replay is turned away where the episode was. What is turned
away never reaches the world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.core.canonical import canonical_json
from worldwright.core.rng import Stream
from worldwright.world.records import Result, Step, ToolError
from worldwright.world.service import Service

RATE_LIMITED, UNAVAILABLE = "RATE_LIMITED", "UNAVAILABLE"
Services = Mapping[str, tuple[Service, ...]]
"""By tool, what it is subject to."""


def find_refusal(
    services: Services, steps: Sequence[Step], task: str, tool: str, arguments: Mapping[str, Any]
) -> Result | None:
    """Return the refusal of a call that the service does not take now; None where it does. Limits come first."""
    mine = services.get(tool, ())
    for one in mine:
        if one.at_most:
            wait = _count_wait(one, steps)
            if wait is not None:
                return _refuse_limited(one, wait)
    for one in mine:
        if one.fails and _fails_once(one, steps, task, tool, arguments):
            says = "The system could not be reached. Nothing was done. Try again: make the same call once more."
            return Result(
                False, None, ToolError(UNAVAILABLE, says, None, {"service": one.name, "retry_after_calls": 0})
            )
    return None


def _count_wait(one: Service, steps: Sequence[Step]) -> int | None:
    """Count how many other calls have to come first; None where there is room for one more now."""
    now = len(steps)
    first = max(0, now - one.in_any + 1)
    answered = [at for at in range(first, now) if steps[at].call.tool in one.tools and not _was_refused(steps[at])]
    if len(answered) < one.at_most:
        return None
    return answered[-one.at_most] + one.in_any - now - 1


def _refuse_limited(one: Service, wait: int) -> Result:
    times = f"{one.at_most} calls" if one.at_most > 1 else "1 call"
    when = f"after {wait} other call{'s' if wait > 1 else ''} of any kind" if wait else "with your next call"
    says = f"Too many calls: {times} in any {one.in_any} that you make. Nothing was done. Try again {when}."
    return Result(False, None, ToolError(RATE_LIMITED, says, None, {"service": one.name, "retry_after_calls": wait}))


def _fails_once(one: Service, steps: Sequence[Step], task: str, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether this is the first time of a call that fails once: decided by the task, the tool and what it is given."""
    if not Stream("service", one.name, task, tool, canonical_json(arguments).decode()).chance(one.fails):
        return False
    return not any(s.call.tool == tool and s.call.arguments == arguments and _was_unavailable(s) for s in steps)


def _was_refused(step: Step) -> bool:
    """Return whether a call was turned away at the door."""
    error = step.result.error
    return error is not None and error.code in (RATE_LIMITED, UNAVAILABLE)


def _was_unavailable(step: Step) -> bool:
    error = step.result.error
    return error is not None and error.code == UNAVAILABLE
