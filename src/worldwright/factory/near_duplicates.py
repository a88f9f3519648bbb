"""Near-duplicates among worlds that were built, measured on a sample: neighbours of a plan, compared within their family.

Worlds of two families are never near each other, so such pairs are left out: they would only flatter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from worldwright.core.rng import Stream
from worldwright.store.store import Store
from worldwright.variants.likeness import compare_pairs, fingerprint_pack

MAX_WORLDS_READ = 100
"""Worlds that are read."""
MAX_PAIRS_LISTED = 20

World = tuple[str, str]
"""Variant and digest."""


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """What was compared, and what of it is alike."""

    worlds: int
    pairs: int
    near: int
    listed: tuple[tuple[str, str, str], ...]
    """Family and two variants, of some that are near."""

    def data(self) -> dict[str, object]:
        return {
            "worlds": self.worlds, "pairs": self.pairs, "near": self.near, "near_pairs": [list(p) for p in self.listed],
        }  # fmt: skip


def find_near_duplicates(
    store: Store, families: Mapping[str, Sequence[World]], step: Callable[[], None] = lambda: None
) -> NearDuplicates:
    """A sample of each family compared pair by pair. `step` hears every world that was read."""
    total, pairs, near = 0, 0, list[tuple[str, str, str]]()
    share = max(2, MAX_WORLDS_READ // max(1, len(families)))
    for family, worlds in families.items():
        looked = {}
        for variant, digest in sample_worlds(family, worlds, share):
            looked[variant] = fingerprint_pack(store.pack(digest).files)
            step()
        found = compare_pairs(looked)
        total, pairs = total + len(looked), pairs + len(found)
        near += [(family, one, other) for one, other, like in found if like.near]
    return NearDuplicates(total, pairs, len(near), tuple(near[:MAX_PAIRS_LISTED]))


def sample_worlds(family: str, worlds: Sequence[World], most: int) -> list[World]:
    """Sample so many at most. Neighbours come together: they are siblings, or one is what the other was varied from."""
    if len(worlds) <= most:
        return list(worlds)
    stream, taken = Stream("alike", family), set[int]()
    while len(taken) < most:
        at = stream.below(len(worlds) - 1)
        taken |= {at, at + 1} if len(taken) + 2 <= most else {at}
    return [worlds[at] for at in sorted(taken)]
