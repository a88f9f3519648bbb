"""Flaky errors: calls to the system that most requests need fail the first time, some of them, and a retry solves it.

Which ones is decided by the task, the tool and its arguments, so an episode can be played again. The same call, made again, is
answered.
"""

from __future__ import annotations

from collections import Counter

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import ServiceSpec
from worldwright.variants.drafting.services import busiest, named
from worldwright.variants.layer import Laid, Layer

FAILS = 0.4


def _lay(checked: Checked) -> Laid | None:
    """On all calls of one system: the one in which most goals are reached."""
    needed: Counter[str] = Counter()
    for goal in checked.goals.values():
        needed.update({checked.operations[step.operation].system for step in goal.how})
    system = busiest(checked, "flaky_errors", needed)
    if not system:
        return None
    bp, name = checked.blueprint, named(checked, "outages")
    spec = ServiceSpec(in_=system, fails=FAILS)
    return Laid(bp.model_copy(update={"service": {**bp.service, name: spec}}), (f"service:{name}",))


LAYER = Layer(
    "flaky_errors",
    "surface",
    "two of five calls to one system fail the first time; the same call made again is answered",
    "calls that fail once",
    _lay,
)
