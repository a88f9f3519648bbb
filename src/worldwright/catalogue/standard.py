"""What a Blueprint of the catalogue has at least. `catalog build` and `blueprint preview` say what one still lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worldwright.blueprint.depth import Depth

MIN_COUNTS: Mapping[str, tuple[int, str]] = {
    "entities": (8, "entities"),
    "operations": (12, "operations"),
    "policies": (6, "policies"),
    "agent_rules": (4, "rules that only the handbook keeps"),
    "conflicts": (1, "policy that beats another"),
    "lifecycles": (2, "lifecycles"),
    "balances": (1, "quantity that balances or stays within a bound"),
    "roles": (2, "roles"),
    "seasonal": (1, "flow with a season"),
    "mess": (4, "layers of mess"),
    "filed": (1, "goal whose request lies in the world"),
}
"""By measure of depth, the least, and what it counts."""
MIN_BUSINESS_SHARE = 0.6
"""Of operations with a business guard or with effects on several rows."""
MIN_TASKS = 30
FAMILIES = ("walk", "program", "policy", "repair")
MIN_DISTANCE = 0.6
"""Between any two, with names taken away."""


def find_missing(found: Depth) -> Iterator[str]:
    """Yield what a Blueprint still needs to be one of the catalogue's."""
    for measure, (least, what) in MIN_COUNTS.items():
        have = getattr(found, measure)
        if have < least:
            yield f"{have} {what}, {least} wanted"
    if found.business_share < MIN_BUSINESS_SHARE:
        yield f"{found.business_share:.0%} of operations are more than table editing, {MIN_BUSINESS_SHARE:.0%} wanted"
