"""Which of many texts are nearly the same as an earlier one: the share of word triples that both have, exactly.

Two sets that share enough must share one of their rarest members, so only sets that do are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil

SLACK = 1e-9


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Compute the share that two sets have in common: 1 for the same, 0 for nothing."""
    whole = len(one | other)
    return len(one & other) / whole if whole else 1.0


def find_near_duplicates(sets: Sequence[Iterable[int]], threshold: float) -> list[int | None]:
    """Return for each set the number of an earlier one that is kept and shares at least so much with it; None for those to keep."""
    known = [frozenset(s) for s in sets]
    often = Counter(member for s in known for member in s)
    holders: dict[int, list[int]] = {}
    empty: int | None = None
    out: list[int | None] = []
    for number, found in enumerate(known):
        if not found:
            out.append(empty)
            empty = number if empty is None else empty
            continue
        rare = sorted(found, key=lambda m: (often[m], m))[: len(found) - ceil(threshold * len(found) - SLACK) + 1]
        near = sorted({other for member in rare for other in holders.get(member, ())})
        same = next((other for other in near if jaccard(found, known[other]) >= threshold - SLACK), None)
        out.append(same)
        if same is None:
            for member in rare:
                holders.setdefault(member, []).append(number)
    return out
