"""Flaky errors: calls to the system that most requests need fail the first time, some of them, and a retry solves it.

Which ones is decided by the task, the tool and its arguments, so an episode can be played again. The same call, made again, is
answered.
"""

from __future__ import annotations

from collections import Counter

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import ServiceSpec
from worldwright.variants.drafting.goal_calls import add_entries, find_busiest, pick_service_name
from worldwright.variants.layer import Draft, Layer

FAILING_SHARE = 0.4


def _lay(checked: Checked) -> Draft | None:
    """Lay it on all calls of one system: the one in which most goals are reached."""
    needed: Counter[str] = Counter()
    for goal in checked.goals.values():
        needed.update({checked.operations[step.operation].system for step in goal.how})
    system = find_busiest(checked, "flaky_errors", needed)
    if not system:
        return None
    bp, name = checked.blueprint, pick_service_name(checked, "outages")
    spec = ServiceSpec(in_=system, fails=FAILING_SHARE)
    return Draft(add_entries(bp, service={name: spec}), (f"service:{name}",))


LAYER = Layer(
    "surface",
    "two of five calls to one system fail the first time; the same call made again is answered",
    "calls that fail once",
    _lay,
)
