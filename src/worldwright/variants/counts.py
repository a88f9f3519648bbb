"""Honest counts: how many variants are under other rules, how many only have other rows, how many only another face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from worldwright.variants.axes import AXES, layers
from worldwright.variants.factors import RULES, Space
from worldwright.variants.layers import LAYERS
from worldwright.variants.record import USUAL, Variant


@dataclass(frozen=True, slots=True)
class Counts:
    """Of some variants. The last three add up to all of them."""

    families: int
    variants: int
    policy_distinct: int
    """Sets of policies: the first variant under each. Who may do what is not counted here, and neither is a layer that brings a
    rule of its own: one operation or one rule more or less is no other handbook."""
    world_only: int
    """Under policies counted already, with other rows: another seed, season, volume, mess, locale, permissions or layer."""
    surface_only: int
    """The same policies and the same rows as another, asked or shown in another way. Not another world."""

    def data(self) -> dict[str, int]:
        return {
            "families": self.families, "variants": self.variants, "policy_distinct": self.policy_distinct,
            "world_only": self.world_only, "surface_only": self.surface_only,
        }  # fmt: skip


def count_variants(variants: Iterable[Variant]) -> Counts:
    """Counted once: by family, policies and rows, whatever they are called."""
    every = set(variants)
    families = {v.family for v in every}
    policies = {(v.family, v.settings.get(RULES, USUAL)) for v in every}
    worlds = {(v.family, v.settings.get(RULES, USUAL), v.seed, _rows(v)) for v in every}
    return Counts(len(families), len(every), len(policies), len(worlds) - len(policies), len(every) - len(worlds))


def _rows(variant: Variant) -> tuple[tuple[str, str], ...]:
    """The settings that rows depend on."""
    return tuple(
        sorted((axis, value) for axis, value in variant.settings.items() if _classify_setting(axis, value) != "surface")
    )


def _classify_setting(axis: str, value: str) -> str:
    """Say of what kind a setting is: a layer is of its own, and one at the door of the systems makes no other world."""
    return LAYERS[value].kind if axis == layers.AXIS.name and value in LAYERS else AXES[axis].kind


@dataclass(frozen=True, slots=True)
class Coverage:
    """Pairs of levels that some variant has, out of all that there are; and of each factor, how often its levels occur."""

    pairs: int
    possible: int
    reachable: int
    """The most pairs that so many variants could have covered."""
    spread: dict[str, tuple[int, int]]
    """By factor, how often its rarest and its most frequent level occur."""

    @property
    def share(self) -> float:
        return self.pairs / self.possible if self.possible else 1.0


def measure_coverage(space: Space, variants: Sequence[Variant]) -> Coverage:
    """Measure what a plan covers."""
    factors = space.factors
    rows = [space.levels(variant) for variant in variants]
    pairs = possible = reachable = 0
    for one, other in combinations(factors, 2):
        both = len(one.levels) * len(other.levels)
        pairs += len({(row[one.name], row[other.name]) for row in rows})
        possible += both
        reachable += min(both, len(rows))
    spread = {}
    for factor in factors:
        counts = Counter(row[factor.name] for row in rows)
        spread[factor.name] = (min(counts[level] for level in factor.levels), max(counts.values(), default=0))
    return Coverage(pairs, possible, reachable, spread)
