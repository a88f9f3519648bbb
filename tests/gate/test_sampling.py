"""Adaptive against even sampling, on made-up agents whose chance of success at every task is known."""

from __future__ import annotations

import pytest

from worldwright.core.rng import Stream
from worldwright.gate.band import KEPT, TOO_EASY, TOO_HARD, Band, find_most_probable_label
from worldwright.gate.sampling import MIN_ATTEMPTS, Count, batch_of, choose, estimate_gain, is_decided, spread_evenly

BAND = Band()
TASKS, SEEDS = 60, 20


def _truth(p: float) -> str:
    low, high = BAND.borders
    return TOO_HARD if p < low else TOO_EASY if p > high else KEPT


def _chances(kind: str, seed: int) -> list[float]:
    stream = Stream("chances", kind, seed)
    if kind == "anything":
        return [stream.uniform() for _ in range(TASKS)]
    out = []
    for _ in range(TASKS):  # most tasks are clear, as in a real gym: hopeless or done every time
        u = stream.uniform()
        out.append(0.02 if u < 0.4 else 0.98 if u < 0.6 else stream.uniform())
    return out


def _evenly(chances: list[float], each: int, seed: int) -> int:
    """Tasks labelled rightly when each is tried as often."""
    right = 0
    for at, p in enumerate(chances):
        stream = Stream("attempt", seed, at)
        right += find_most_probable_label(sum(stream.chance(p) for _ in range(each)), each, BAND)[0] == _truth(p)
    return right


def _adaptively(chances: list[float], budget: int, seed: int) -> tuple[int, int]:
    """The same with attempts where they tell most, and how many were spent."""
    streams = [Stream("attempt", seed, at) for at in range(len(chances))]
    counts = {at: Count() for at in range(len(chances))}
    spent = 0
    while chosen := choose(counts, BAND, min(batch_of(TASKS), budget - spent)):
        for at in chosen:
            k, n = counts[at]
            counts[at] = Count(k + streams[at].chance(chances[at]), n + 1)
        spent += len(chosen)
        if spent == budget:
            break
    right = sum(find_most_probable_label(*count, BAND)[0] == _truth(chances[at]) for at, count in counts.items())
    return right, spent


@pytest.mark.parametrize("each", [5, 10, 20])
@pytest.mark.parametrize("kind", ["anything", "mostly clear"])
def test_adaptive_labels_more_tasks_rightly_with_the_same_budget(kind: str, each: int) -> None:
    evenly = adaptively = 0
    for seed in range(SEEDS):
        chances = _chances(kind, seed)
        evenly += _evenly(chances, each, seed)
        right, spent = _adaptively(chances, each * TASKS, seed)
        adaptively += right
        assert spent <= each * TASKS
    total = TASKS * SEEDS
    print(f"{kind}, {each} attempts a task: even {evenly / total:.1%}, adaptive {adaptively / total:.1%}")
    assert adaptively > evenly


def test_every_task_is_tried_before_doubt_decides() -> None:
    counts = {"a": Count(0, 1), "b": Count(2, 2), "c": Count()}
    assert choose(counts, BAND, 5) == ["c", "a"]
    assert MIN_ATTEMPTS == 2


def test_tasks_that_are_clear_are_left_alone() -> None:
    counts = {"never": Count(0, 30), "sometimes": Count(20, 33), "always": Count(60, 60), "doubtful": Count(3, 10)}
    assert choose(counts, BAND, 10) == ["doubtful"]
    assert is_decided(counts["never"], BAND)
    assert not is_decided(counts["doubtful"], BAND)
    assert choose({"never": Count(0, 30)}, BAND, 10) == []


def test_a_task_on_the_border_does_not_take_everything() -> None:
    """After many attempts one more tells almost nothing, however doubtful the label is."""
    border, fresh = Count(300, 1000), Count(1, 3)
    assert find_most_probable_label(*border, BAND)[1] < 0.6
    assert estimate_gain(fresh, BAND) > 5 * estimate_gain(border, BAND)
    assert choose({"border": border, "fresh": fresh}, BAND, 1) == ["fresh"]


def test_even_sampling_goes_round_and_counts_from_one() -> None:
    assert spread_evenly(["a", "b"], 2) == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]
