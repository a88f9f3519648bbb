"""A failure beside the success that goes with it longest.

Both have done the same up to some message, so the world is in the same state there, and that message is all that a pair holds of
each side. No success of the runs ever did from there what the rejected side does. That is evidence, not proof, that it was the
mistake: a search that leads nowhere can be mended later, an answer cannot. `kind` says which it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.distill.choose import CAP, NO_VERDICT, find_successes
from worldwright.distill.reader import EpisodeReader
from worldwright.distill.records import KINDS, TEST, TRAIN, Dropped, EpisodeSummary, Pair, Recipe
from worldwright.distill.split import ON_HELD_OUT_SIDE, Split
from worldwright.distill.summarise import NOTHING, classify_message

ALONE = "no success at the same task"
STOPPED = "stopped on the way of a success"
ALSO_RIGHT = "a success did the same"
SAME_PAIR = "the same pair"
ALIKE = "came to the same"
MILD = "not decisive"
TALK = "the success only talks there"
DECISIVE = ("answer", "write", "refused")


def choose_pairs(
    shelf: EpisodeReader, episodes: Sequence[EpisodeSummary], sides: Split, recipe: Recipe, dropped: Dropped
) -> dict[str, list[Pair]]:
    """Choose all pairs, by side: of each task the most telling ones."""
    nearest = _Successes(episodes)
    found: dict[bytes, list[Pair]] = {}
    known: set[tuple[bytes, bytes]] = set()
    for failure in sorted((s for s in episodes if s.status != "pass"), key=lambda s: s.order):
        pair = _pair(shelf, nearest, failure, sides, recipe)
        if isinstance(pair, str):
            dropped.add("dpo", pair)
        elif (mark := (failure.states[pair.at], failure.moves[pair.at])) in known:
            dropped.add("dpo", SAME_PAIR)
        else:
            known.add(mark)
            found.setdefault(failure.ask, []).append(pair)
    out: dict[str, list[Pair]] = {TRAIN: [], TEST: []}
    for of_task in found.values():
        ranked = sorted(of_task, key=lambda p: (KINDS.index(p.kind), -p.at, p.rejected.order))
        for _ in ranked[recipe.per_task :]:
            dropped.add("dpo", CAP)
        for p in ranked[: recipe.per_task]:
            out[sides.side(p.rejected) or TRAIN].append(p)
    return {side: sorted(mine, key=lambda p: p.rejected.order) for side, mine in out.items()}


def _pair(
    shelf: EpisodeReader, nearest: _Successes, failure: EpisodeSummary, sides: Split, recipe: Recipe
) -> Pair | str:
    """The pair that a failure makes, or why it makes none."""
    if failure.status == "error":
        return NO_VERDICT
    if sides.side(failure) is None:
        return ON_HELD_OUT_SIDE
    parting = nearest.parting(failure)
    if isinstance(parting, str):
        return parting
    chosen, at = parting
    kind = classify_message(shelf.episode(failure), at)
    if kind != "answer" and chosen.came[at] == failure.came[at]:
        return ALIKE
    if recipe.decisive and kind not in DECISIVE:
        return MILD
    return Pair(chosen, failure, at, kind)


class _Successes:
    """By state, the best success that went on from it with a call."""

    def __init__(self, episodes: Sequence[EpisodeSummary]) -> None:
        self._right = {move for s in episodes if s.status == "pass" for move in zip(s.states, s.moves, strict=False)}
        """What any success did in a state, one that is no example included."""
        self._through: set[bytes] = set()
        self._from: dict[bytes, EpisodeSummary] = {}
        for s in sorted(find_successes(episodes), key=lambda s: s.merit):
            for state, move in zip(s.states, s.moves, strict=False):
                self._through.add(state)
                if move != NOTHING:
                    self._from.setdefault(state, s)

    def parting(self, failure: EpisodeSummary) -> tuple[EpisodeSummary, int] | str:
        """The success that did the same as this failure for longest, and the message in which they part; or why not."""
        for at in range(len(failure.moves), -1, -1):
            state = failure.states[at]
            if state not in self._through:
                continue
            if at == len(failure.moves):
                return STOPPED
            if (state, failure.moves[at]) in self._right:
                return ALSO_RIGHT
            if at in failure.unusable:
                return failure.unusable[at]
            return (self._from[state], at) if state in self._from else TALK
        return ALONE
