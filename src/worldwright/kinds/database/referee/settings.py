"""How far the referee plays around a task."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """The size of each part of the play."""

    name: str
    probes: int
    """Other values that are probed at one place, evenly over all there are."""
    choices: int
    """Of those that the tools let through, how many are played."""
    pairs: int
    """Pairs of values at two places at once, over all places."""
    orders: int
    """Pairs of writes that are swapped."""
    extra_probes: int
    """Calls of one operation that are probed after the witness."""
    extras: int
    """Of those that go through and change something, how many are played."""
    answers: int
    """Ways to contradict the right answer, for each part."""


EVERYTHING = PlaySettings("everything", 100_000, 100_000, 200, 100, 200, 8, 1_000)
"""What `worldwright referee` plays."""
SAMPLE = PlaySettings("sample", 60, 3, 4, 2, 6, 1, 2)
"""What a build plays before a task is sealed."""
