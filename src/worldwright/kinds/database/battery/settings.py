"""How far a battery goes: which cells it has, and how many episodes each of them plays.

`full` is what a world gets that is built by itself. `bulk` is for thousands: the same questions, fewer episodes for each, and
random walks that all policy variants of one state share. A datasheet says which it was, and `worldwright assay --battery full` puts
a pack that was built in bulk through the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest


@dataclass(frozen=True, slots=True)
class BatterySettings:
    """The size of each part of a battery."""

    name: str
    walks: int
    """Random walks for each role."""
    shared: bool
    """Whether walks, and the writes that they find, are those of the default rules: one set for all policy variants of a state."""
    near: int
    """Other values that are tried in the place of each value of the witness."""
    far: int
    """How far to look for rows that are as good as the witness's, or wrong and let through."""
    pairs: int
    """Pairs of values changed together."""
    ways: bool
    """Whether optional values are given too, and calls split, merged and made in other ways."""
    siblings: int
    """Records beside the right one that the witness is played on."""
    farthest_sibling: int
    """How far to look for one on which the tools let everything through."""
    extra: int
    """Writes more than was asked for, each touching something else."""
    extra_on_own_rows: int
    """Writes of one tool on the very rows that the task is about."""
    guesses: int
    """Answers made up from the request alone, rules that a refusal names for nothing, and ways to spoil the right answer."""
    looks: int
    """Reads that nobody needs, before, between and after the witness's calls."""
    steps: int
    """Calls of a long witness in which values are changed; in bulk also those left out, made twice, or made in another order."""
    texts: int
    """Texts of one witness that are written otherwise."""
    wordings: int
    """Right wordings of such a text, and as many wrong ones."""
    choices: int
    """Rows looked at, in the place of one that nobody named, for a choice that breaks a rule or that the tools take first."""

    def data(self) -> dict[str, Any]:
        """Return the settings as a datasheet has them."""
        return asdict(self)


FULL = BatterySettings(
    "full", walks=6, shared=False, near=2, far=40, pairs=4, ways=True, siblings=3, farthest_sibling=40, extra=10_000,
    extra_on_own_rows=6, guesses=10_000, looks=2, steps=4, texts=2, wordings=100, choices=60,
)  # fmt: skip
BULK = BatterySettings(
    "bulk", walks=2, shared=True, near=1, far=0, pairs=1, ways=False, siblings=1, farthest_sibling=3, extra=1,
    extra_on_own_rows=1, guesses=6, looks=1, steps=3, texts=1, wordings=2, choices=4,
)  # fmt: skip


def choose_steps(calls: int, most: int) -> list[int]:
    """Choose calls of a witness, from the first to the last: all of a few, some of many."""
    if calls <= most:
        return list(range(calls))
    return sorted({round(k * (calls - 1) / (most - 1)) for k in range(most)})


BATTERIES: Mapping[str, BatterySettings] = {one.name: one for one in (FULL, BULK)}


def find_battery(name: str) -> BatterySettings:
    """The battery of this name."""
    if name not in BATTERIES:
        raise UsageError(f"no battery is called {name[:60]!r}; {suggest(name[:60], BATTERIES)}")
    return BATTERIES[name]
