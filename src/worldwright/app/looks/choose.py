"""Which system of a world looks how: from the world's digest, or from where its variant says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from worldwright.app.looks.themes import NEUTRAL, THEMES, Look
from worldwright.core.rng import Stream

AXIS = "look"
"""The variant axis that chooses the theme of the first system."""


def choose_looks(systems: Sequence[str], digest: str, chosen: str = "") -> dict[str, Look]:
    """Choose a look for each system of a world, another one for each as long as there are enough; '' is what belongs to none.

    `chosen` names the theme of the first one; the others follow in the order that the digest gives."""
    return dict(_choose(tuple(systems), digest, chosen))


@lru_cache(maxsize=1_024)
def _choose(systems: tuple[str, ...], digest: str, chosen: str) -> tuple[tuple[str, Look], ...]:
    order = Stream("look", digest).shuffled(THEMES)
    first = next((look for look in order if look.name == chosen), None)
    if first is not None:
        order = [first, *(look for look in order if look is not first)]
    return ("", NEUTRAL), *((name, order[at % len(order)]) for at, name in enumerate(systems))
