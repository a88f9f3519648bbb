"""How far the referee plays around a task."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """The size of each part of the play."""

    name: str
    thorough: bool
    """Whether every write of every episode is left out in turn; else those in which it differs from the witness, and all of the
    witness itself."""
    steps: int
    """Writes of the witness that are left out, and whose values are changed."""
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


EVERYTHING = PlaySettings("everything", True, 10_000, 100_000, 100_000, 200, 100, 200, 8, 1_000)
"""What `worldwright referee` plays."""
SAMPLE = PlaySettings("sample", False, 4, 60, 2, 2, 2, 4, 1, 2)
"""What a build plays before a task is sealed."""
BULK_SAMPLE = PlaySettings("bulk sample", False, 2, 6, 1, 0, 0, 1, 1, 1)
"""What a build of many worlds plays."""
