"""Sampling: variants that cover what may be combined evenly, no two alike.

A *place* is a setting of everything but the policies, with a seed. Every place is visited under several sets of rules that are
far apart: what is asked there is the same, and what is right is not. The sets come from a pool of a few that differ from each
other in a quarter of the policies at least, so that another set is another handbook. Places are drawn one after the other: of a
few, the one is taken that brings most pairs of levels which there are least of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, count, islice, product

from worldwright.blueprint.checked import Checked
from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.variants.apply import describe
from worldwright.variants.axes import policy
from worldwright.variants.factors import RULES, Factor, Levels, Space, find_space
from worldwright.variants.record import Variant

CANDIDATES_PER_DRAW = 12
"""Candidates that one is chosen from."""
MAX_DRAW_ATTEMPTS = 40
"""Draws without a new place among them, after which places are gone through in order."""
DEFAULT_SIBLINGS = 2
"""Sets of rules for one place."""
MAX_RULE_SETS = 32
"""Sets of rules of one family."""
MAX_VARIANTS = 100_000


def plan_variants(
    checked: Checked, n: int, axes: Sequence[str] = (), seed: int = 0, siblings: int = DEFAULT_SIBLINGS
) -> tuple[Variant, ...]:
    """Plan `n` variants of a Blueprint, the same for the same arguments; fewer where there are no more on these axes.

    The first is the Blueprint itself, and a shorter plan is the beginning of a longer one.
    """
    if not 0 < n <= MAX_VARIANTS:
        raise UsageError(f"{n} variants cannot be planned; 1 to {MAX_VARIANTS:,}")
    if not 0 < siblings <= MAX_RULE_SETS:
        raise UsageError(f"a place has 1 to {MAX_RULE_SETS} sets of rules, not {siblings}")
    if not 0 <= seed < 2**62:
        raise UsageError(f"seed {seed} is out of range; 0 to 2**62 - 1")
    combined = find_space(checked, axes)
    return tuple(islice(_variants(combined, seed, siblings), n))


def _variants(space: Space, seed: int, siblings: int) -> Iterator[Variant]:
    used = LevelCounts()
    pool = build_rule_pool(space, seed)
    groups = [pool[i : i + siblings] for i in range(0, len(pool), siblings)]
    seen: set[tuple[tuple[str, str], ...]] = set()

    def make_variant(place: Levels, rules: Levels, number: int) -> Variant:
        levels = {**place, **rules}
        seen.add(tuple(sorted(levels.items())))
        used.note(levels)
        settings = space.settings(levels)
        own = seed + (number if space.seeds else 0)
        return Variant(
            space.checked.blueprint.blueprint, own, settings, describe(space.checked, settings, space.offers)
        )

    for number, place in _places(space, seed, used):
        for rules in _group(groups, place, Stream("variants", seed, "rules", number), used, number):
            yield make_variant(place, rules, number)
    for place in _list_combinations(space.places):
        for rules in pool:
            if tuple(sorted({**place, **rules}.items())) not in seen:
                yield make_variant(place, rules, 0)


# places


def _places(space: Space, seed: int, used: LevelCounts) -> Iterator[tuple[int, dict[str, str]]]:
    """Levels of everything but the policies, the usual ones first. Without a seed of its own, no place comes twice."""
    seen: set[tuple[str, ...]] = set()
    for number in count():
        stream = Stream("variants", seed, space.checked.blueprint.blueprint, number)
        place: dict[str, str] | None = {factor.name: factor.levels[0] for factor in space.places}
        if number:
            drawn = [
                used.draw_levels(space.places, stream)
                for _ in range(CANDIDATES_PER_DRAW if space.seeds else MAX_DRAW_ATTEMPTS)
            ]
            new = [found for found in drawn if space.seeds or tuple(found.values()) not in seen]
            every = _list_combinations(space.places)
            left = (found for found in every if tuple(found.values()) not in seen)
            place = max(new, key=used.weigh) if new else next(left, None)
        if place is None:
            return
        seen.add(tuple(place.values()))
        yield number, place


def _list_combinations(factors: Sequence[Factor]) -> Iterator[dict[str, str]]:
    names = [factor.name for factor in factors]
    return (dict(zip(names, levels, strict=True)) for levels in product(*(f.levels for f in factors)))


# rules


def build_rule_pool(space: Space, seed: int) -> list[dict[str, str]]:
    """The sets of rules of a family: the usual one, those that have names, then mixes, each followed by its opposite."""
    if not space.rules:
        return [{}]
    bp = space.checked.blueprint
    stream = Stream("variants", seed, bp.blueprint, "pool")
    used = LevelCounts()
    whole = [_levels(space, rules) for rules in ({}, *policy.list_rule_sets(bp).values())]
    apart = max(1, len(space.rules) // 4)
    pool: list[dict[str, str]] = []
    failed = 0
    named = iter(whole)
    while len(pool) < MAX_RULE_SETS and failed < MAX_DRAW_ATTEMPTS:
        first = next(named, None) or used.draw_levels(space.rules, stream)
        plain = {name.removeprefix(f"{RULES}:"): level for name, level in first.items()}
        pair = (first, _levels(space, policy.find_opposite(bp, plain, stream)))
        new = _measure_distance(pair[0], pool) >= apart and _measure_distance(pair[1], (*pool, pair[0])) >= apart
        failed = 0 if new else failed + 1
        for levels in pair if new else ():
            pool.append(levels)
            used.note(levels)
    return [*pool, *(rules for rules in whole if rules not in pool)][:MAX_RULE_SETS]


def _levels(space: Space, rules: Levels) -> dict[str, str]:
    return {f.name: rules.get(f.name.removeprefix(f"{RULES}:"), policy.DEFAULT) for f in space.rules}


def _measure_distance(levels: Levels, others: Sequence[Levels]) -> int:
    """Count in how many policies it differs from the nearest of the others."""
    return min((sum(levels[name] != other[name] for name in levels) for other in others), default=len(levels))


def _group(
    groups: Sequence[Sequence[Levels]], place: Levels, stream: Stream, used: LevelCounts, number: int
) -> Sequence[Levels]:
    """The sets of rules for a place: each group once, then those that bring most."""
    if number < len(groups):
        return groups[number]
    drawn = [stream.pick(groups) for _ in range(CANDIDATES_PER_DRAW)]
    return max(drawn, key=lambda group: sum(used.weigh({**place, **rules}) for rules in group))


class LevelCounts:
    """How often each level, and each pair of levels, is in what was taken so far."""

    def __init__(self) -> None:
        self.levels: Counter[tuple[str, str]] = Counter()
        self.pairs: Counter[tuple[tuple[str, str], tuple[str, str]]] = Counter()

    def note(self, levels: Levels) -> None:
        items = sorted(levels.items())
        self.levels.update(items)
        self.pairs.update(combinations(items, 2))

    def draw_levels(self, factors: Sequence[Factor], stream: Stream) -> dict[str, str]:
        """A level of each factor, rare ones more often."""
        return {factor.name: self._level(factor, stream) for factor in factors}

    def _level(self, factor: Factor, stream: Stream) -> str:
        counts = [self.levels[factor.name, level] for level in factor.levels]
        least = min(counts)
        rare = [level for level, found in zip(factor.levels, counts, strict=True) if found <= least]
        return stream.pick(rare if stream.chance(0.75) else factor.levels)

    def weigh(self, levels: Levels) -> float:
        """Weigh how much a combination adds: each level, and each pair of levels, counts the less, the more often it is there."""
        items = sorted(levels.items())
        singles = sum(1 / (1 + self.levels[item]) for item in items)
        return singles + sum(1 / (1 + self.pairs[pair]) for pair in combinations(items, 2))
