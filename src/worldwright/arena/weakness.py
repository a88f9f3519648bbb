"""Weaknesses, ranked: which class of failure, at which operation or policy, how often, and episodes that show it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from worldwright.arena.diagnose.records import CLASSES
from worldwright.arena.evaluate import Evaluation, Failure
from worldwright.core.intervals import wilson_interval
from worldwright.rollout.stats import Rate

MAX_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Weakness:
    """One thing that goes wrong, in one place."""

    kind: str
    """The class of failure."""
    domain: str
    focus: str
    """policy, tool or answer"""
    name: str
    """Of the policy, the tool, or the part of the answer."""
    failed: int
    """Episodes that failed so."""
    tasks: int
    judged: int
    """Episodes of the domain."""
    low: float
    """The least share of the domain's episodes that is lost so, with 95 % certainty."""
    high: float
    examples: tuple[Failure, ...]

    def data(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "domain": self.domain, "focus": self.focus, "name": self.name, "failed": self.failed,
            "tasks": self.tasks, "judged": self.judged, "share": self.failed / self.judged if self.judged else None,
            "low": self.low, "high": self.high, "examples": [f.data() for f in self.examples],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class HardKnob:
    """A measure of difficulty at which the agent is clearly worse than on the whole."""

    name: str
    bucket: str
    rate: Rate


def count_classes(found: Evaluation) -> tuple[tuple[str, int, float], ...]:
    """Count how many episodes failed by each class, with their share of all failures; the commonest first."""
    counts = dict.fromkeys(CLASSES, 0)
    for failure in found.failures:
        counts[failure.diagnosis.kind] += 1
    total = max(1, len(found.failures))
    return tuple((kind, n, n / total) for kind, n in sorted(counts.items(), key=lambda pair: -pair[1]) if n)


def rank_weaknesses(found: Evaluation) -> tuple[Weakness, ...]:
    """Rank weaknesses by what they cost: the least share of a domain's episodes that is surely lost, times its episodes."""
    judged = {group.name: group.rate.judged for group in found.domains}
    groups: dict[tuple[str, str, str, str], list[Failure]] = defaultdict(list)
    for failure in found.failures:
        groups[failure.diagnosis.kind, failure.domain, *find_focus(failure)].append(failure)
    out = [_weakness(key, of, judged[key[1]]) for key, of in groups.items()]
    return tuple(sorted(out, key=lambda w: (-w.low * w.judged, -w.failed, w.kind, w.domain, w.name)))


def find_focus(failure: Failure) -> tuple[str, str]:
    """Find where a failure shows: at a policy, an operation, or in the answer."""
    found = failure.diagnosis
    if found.policy:
        return "policy", found.policy
    return ("tool", found.tool) if found.tool else ("answer", found.field)


def _weakness(key: tuple[str, str, str, str], of: list[Failure], judged: int) -> Weakness:
    kind, domain, focus, name = key
    low, high = wilson_interval(len(of), judged)
    apart = {(f.world, f.task): f for f in reversed(of)}
    shown = tuple(list(reversed(apart.values()))[:MAX_EXAMPLES])
    return Weakness(kind, domain, focus, name, len(of), len(apart), judged, low, high, shown)


def find_hard_knobs(found: Evaluation) -> tuple[HardKnob, ...]:
    """Find buckets whose interval lies below the rate on the whole, the worst first."""
    whole = found.rate.value
    if whole is None:
        return ()
    below = [
        HardKnob(knob.name, group.name, group.rate)
        for knob in found.knobs
        for group in knob.groups
        if group.rate.judged and group.rate.high < whole
    ]
    return tuple(sorted(below, key=lambda k: (k.rate.high, k.name, k.bucket)))
