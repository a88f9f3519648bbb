"""Difficulty knobs as groups: which bucket a measured value falls into. Buckets are fixed, so that runs can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.kinds.database.compile.tasks.knobs import FEATURES, REFERENCES
from worldwright.rollout.stats import EpisodeStats, Group, classify_trend, group_by

BUCKET_BOUNDS = (0, 1, 2, 4, 8, 16, 32, 64)
"""The last value of each bucket: 0, 1, 2, 3-4, 5-8, and so on."""
ABOVE = f"{BUCKET_BOUNDS[-1] + 1}+"
BELOW = "<0"
MISSING = "none"
BUCKETS = (
    BELOW,
    *(str(b) if a + 1 == b else f"{a + 1}-{b}" for a, b in zip((-1, *BUCKET_BOUNDS), BUCKET_BOUNDS, strict=False)),
    ABOVE,
)
YES_NO = ("no", "yes")
MAX_WORDS = 12
"""A measure that is a word, and has more of them, is a name of something and says nothing of difficulty."""
_ORDERS = {"reference": (MISSING, *REFERENCES)}


@dataclass(frozen=True, slots=True)
class Knob:
    """One measure of difficulty, and the rate in each of its buckets."""

    name: str
    says: str
    """What it measures, where that is known."""
    groups: tuple[Group, ...]
    ordered: bool
    """Whether its buckets go from easy to hard: numbers, yes and no, ways to refer to things."""

    @property
    def trend(self) -> str:
        return classify_trend(self.groups) if self.ordered else ""


def assign_bucket(value: Any) -> str:
    """The bucket of a value: numbers by size, anything else as it is."""
    if isinstance(value, bool):
        return YES_NO[value]
    if value is None:
        return MISSING
    if not isinstance(value, (int, float)):
        return str(value)
    if value < 0:
        return BELOW
    return next((name for name, bound in zip(BUCKETS[1:], BUCKET_BOUNDS, strict=False) if value <= bound), ABOVE)


def measure_knob(rows: Sequence[EpisodeStats], name: str) -> Knob:
    """The rate by the buckets of one measure; tasks that do not have it are left out."""
    values = [r.features[name] for r in rows if name in r.features]
    order = _ORDERS.get(name) or (YES_NO if all(isinstance(v, bool) for v in values) else BUCKETS)
    groups = group_by(rows, lambda r: assign_bucket(r.features[name]) if name in r.features else None, order)
    return Knob(name, FEATURES.get(name, ""), groups, all(g.name in order for g in groups))


def measure_knobs(rows: Sequence[EpisodeStats]) -> tuple[Knob, ...]:
    """Group episodes by every measure whose values differ, those known by name first."""
    names = _find_measures(rows)
    ordered = [*(n for n in FEATURES if n in names), *sorted(n for n in names if n not in FEATURES)]
    found = (measure_knob(rows, name) for name in ordered)
    return tuple(k for k in found if len(k.groups) > 1 and (k.ordered or len(k.groups) <= MAX_WORDS))


def _find_measures(rows: Iterable[EpisodeStats]) -> set[str]:
    return {n for row in rows for n, v in row.features.items() if v is None or isinstance(v, (bool, int, float, str))}
