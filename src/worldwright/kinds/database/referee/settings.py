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
    places: int
    """Arguments of one write that are changed, and optional ones that are added."""
    probes: int
    """Other values that are probed at one place, evenly over all there are."""
    choices: int
    """Of those that the tools let through, how many are played."""
    pairs: int
    """Pairs of values at two places at once, over all places."""
    orders: int
    """Pairs of writes that are swapped."""
    operations: int
    """Operations of which a write is made that nobody asked for; which, where not all, goes by the task."""
    extra_probes: int
    """Calls of one operation that are probed: all that there are, where they are no more."""
    extras: int
    """Of those that go through after the witness and change something, how many are played."""
    strays: int
    """Of those that go through on the opening state, how many are made before the witness, and instead of it."""
    stray_pairs: int
    """Pairs of writes that nobody asked for, after the witness."""
    answers: int
    """Ways to contradict the right answer, for each part."""
    contradictions: int
    """Answers that contradict, in all."""


EVERYTHING = PlaySettings(
    "everything",
    thorough=True,
    steps=10_000,
    places=10_000,
    probes=100_000,
    choices=100_000,
    pairs=200,
    orders=100,
    operations=10_000,
    extra_probes=200,
    extras=8,
    strays=3,
    stray_pairs=40,
    answers=1_000,
    contradictions=10_000,
)
"""What `worldwright referee` plays."""
SAMPLE = PlaySettings(
    "sample",
    thorough=False,
    steps=2,
    places=2,
    probes=10,
    choices=1,
    pairs=1,
    orders=1,
    operations=2,
    extra_probes=4,
    extras=1,
    strays=1,
    stray_pairs=1,
    answers=1,
    contradictions=8,
)
"""What a build plays before a task is sealed."""
BULK_SAMPLE = PlaySettings(
    "bulk sample",
    thorough=False,
    steps=1,
    places=1,
    probes=3,
    choices=1,
    pairs=0,
    orders=0,
    operations=1,
    extra_probes=2,
    extras=1,
    strays=1,
    stray_pairs=0,
    answers=1,
    contradictions=2,
)
"""What a build of many worlds plays."""
