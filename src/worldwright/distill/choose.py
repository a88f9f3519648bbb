"""Which successes are taught, and which tasks are set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil

from worldwright.distill.records import TEST, TRAIN, Dropped, EpisodeSummary, Recipe
from worldwright.distill.split import ON_HELD_OUT_SIDE, Split

NO_VERDICT, FAILED = "no verdict", "failed"
SAME, NEAR, CAP = "the same calls", "nearly the same", "more than enough of the task"
SLACK = 1e-9


def find_successes(episodes: Iterable[EpisodeSummary]) -> list[EpisodeSummary]:
    """Return the episodes that may stand as an example."""
    return [s for s in episodes if s.status == "pass" and not s.flaw]


def choose_examples(
    episodes: Sequence[EpisodeSummary], sides: Split, recipe: Recipe, dropped: Dropped
) -> dict[str, list[EpisodeSummary]]:
    """The successes that are written, by side: the best first of what is the same, and no more of a task than was asked for."""
    sound = []
    for s in episodes:
        reason = {"error": NO_VERDICT, "fail": FAILED}.get(s.status) or s.flaw
        reason = reason or ("" if sides.side(s) else ON_HELD_OUT_SIDE)
        if reason:
            dropped.add("sft", reason)
        else:
            sound.append(s)
    fresh = _drop_near_duplicates(
        sorted(sound, key=lambda s: (sides.side(s) != TEST, *s.merit)), recipe.likeness, dropped
    )
    out: dict[str, list[EpisodeSummary]] = {TRAIN: [], TEST: []}
    taken: dict[bytes, int] = {}
    for s in fresh:
        taken[s.ask] = taken.get(s.ask, 0) + 1
        if taken[s.ask] > recipe.per_task:
            dropped.add("sft", CAP)
        else:
            out[sides.side(s) or TRAIN].append(s)
    return {side: sorted(found, key=lambda s: s.order) for side, found in out.items()}


def _drop_near_duplicates(ranked: Sequence[EpisodeSummary], likeness: float, dropped: Dropped) -> list[EpisodeSummary]:
    """Drop what is the same, or nearly so, as something before it."""
    first: list[EpisodeSummary] = []
    known: set[tuple[bytes, bytes]] = set()
    for s in ranked:
        if (s.ask, s.path) in known:
            dropped.add("sft", SAME)
        else:
            known.add((s.ask, s.path))
            first.append(s)
    if likeness >= 1:
        return first
    same = find_near_duplicates([s.triples for s in first], likeness)
    for number in same:
        if number is not None:
            dropped.add("sft", NEAR)
    return [s for s, number in zip(first, same, strict=True) if number is None]


def choose_tasks(episodes: Sequence[EpisodeSummary], sides: Split, dropped: Dropped) -> dict[str, list[EpisodeSummary]]:
    """Choose one episode for each thing that was asked and judged, by side."""
    out: dict[str, list[EpisodeSummary]] = {TRAIN: [], TEST: []}
    known: set[bytes] = set()
    for s in sorted(episodes, key=lambda s: s.order):
        side = sides.side(s)
        if s.status == "error" or side is None:
            dropped.add("rl", NO_VERDICT if s.status == "error" else ON_HELD_OUT_SIDE)
        elif s.ask not in known:
            known.add(s.ask)
            out[side].append(s)
    return out


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Compute the share that two sets have in common: 1 for the same, 0 for nothing."""
    whole = len(one | other)
    return len(one & other) / whole if whole else 1.0


def find_near_duplicates(sets: Sequence[Iterable[int]], threshold: float) -> list[int | None]:
    """Return for each set the number of an earlier one that is kept and shares at least so much with it; None for those to keep.

    Two sets that share enough must share one of their rarest members, so only sets that do are compared.
    """
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
