"""Rate limits: the system that most requests need answers a few searches and then lets callers wait.

One search in any three calls. Whoever searches again and again is turned away, and is told when to come back. There is always a
way: what was found can be looked at meanwhile, or the same call made until it is answered. Short windows keep long tasks within
the calls that an episode has.
"""

from __future__ import annotations

from collections import Counter

from worldwright.blueprint.checked import Checked, Search
from worldwright.blueprint.model import ServiceSpec
from worldwright.variants.drafting.goal_calls import add_entries, find_busiest, pick_service_name
from worldwright.variants.layer import Draft, Layer

AT_MOST, IN_ANY = 1, 3


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the searches of one system: the one that finds most of what goals are about."""
    needed: Counter[str] = Counter()
    for goal in checked.goals.values():
        about = {kind.entity for kind in goal.given.values()}
        needed.update(
            {
                op.system
                for op in checked.operations.values()
                if (isinstance(op.read, Search) and op.read.entity in about)
            }
        )
    system = find_busiest(checked, "rate_limits", needed)
    if not system:
        return None
    bp, name = checked.blueprint, pick_service_name(checked, "search_limit")
    spec = ServiceSpec(in_=system, only="searches", at_most=AT_MOST, in_any=IN_ANY)
    return Draft(add_entries(bp, service={name: spec}), (f"service:{name}",))


LAYER = Layer(
    "surface",
    "one system answers one search in any three calls; who searches more is told when to try again",
    "limits on searches",
    _lay,
)
