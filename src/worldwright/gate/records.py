"""What a gate came to: the attempts of one agent at the tasks of one world, what follows, and which tasks are worth learning."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from worldwright.core.intervals import binomial_interval
from worldwright.gate.band import KEPT, LABELS, UNDECIDED, Band, find_most_probable_label, label_by_count
from worldwright.gate.sampling import MIN_ATTEMPTS, Count
from worldwright.rollout.records import Limits

A, B = 0.5, 10.0
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Learnable:
    """The figures of one task and one agent. All but the counts are None where nothing was tried."""

    successes: int
    n: int
    p: float | None
    p_interval: tuple[float, float]
    variance: float | None
    """p (1 - p)"""
    variance_interval: tuple[float, float]
    score: float | None
    """exp(-b (p - a)^2)"""

    def data(self) -> dict[str, Any]:
        return {k: [_round(x) for x in v] if isinstance(v, tuple) else _round(v) for k, v in asdict(self).items()}


def learnable(successes: int, n: int, a: float = A, b: float = B, level: float = CONFIDENCE) -> Learnable:
    interval = binomial_interval(successes, n, level)
    spread = compute_variance_interval(interval)
    if not n:
        return Learnable(0, 0, None, interval, None, spread, None)
    p = successes / n
    return Learnable(successes, n, p, interval, p * (1 - p), spread, genenv_score(p, a, b))


def compute_variance_interval(interval: tuple[float, float]) -> tuple[float, float]:
    """Compute what p (1 - p) can be while p stays in an interval."""
    low, high = interval
    ends = (low * (1 - low), high * (1 - high))
    return min(ends), 0.25 if low <= 0.5 <= high else max(ends)


def genenv_score(p: float, a: float = A, b: float = B) -> float:
    return math.exp(-b * (p - a) ** 2)


def _round(x: float | None) -> float | None:
    """Round to six digits: more would only be noise."""
    return None if x is None else round(x, 6)


FORMAT = 1
FIXED, ADAPTIVE = "fixed", "adaptive"
BUILT_IN = frozenset({"hasty", "planner", "random", "noop", "parrot", "oracle"})
"""Agents that are no models: what they find hard says little of what a model finds hard."""


@dataclass(frozen=True, slots=True)
class GateAgent:
    """The agent whose gate it is."""

    name: str
    id: str
    """Its fingerprint."""
    identity: Mapping[str, Any] = field(default_factory=dict)
    sees_key: bool = False

    @property
    def smoke(self) -> bool:
        return self.name in BUILT_IN or self.sees_key


@dataclass(frozen=True, slots=True)
class Terms:
    """Under what terms attempts were made. Attempts under other terms are not counted together."""

    seed: int = 0
    face: str = "plain"
    limits: Limits = field(default_factory=Limits)

    def data(self) -> dict[str, Any]:
        return {"seed": self.seed, "face": self.face, "limits": asdict(self.limits)}


@dataclass(frozen=True, slots=True)
class LabelledTask:
    """One task."""

    task: str
    label: str
    """kept, too_easy, too_hard or undecided"""
    sure: float
    """How probable the label is, given the attempts (0 where it is undecided)."""
    attempts: Mapping[int, bool]
    """By number, whether it passed."""
    figures: Learnable

    def data(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "label": self.label,
            "sure": round(self.sure, 6),
            "passed": [number for number, ok in self.attempts.items() if ok],
            "failed": [number for number, ok in self.attempts.items() if not ok],
            **self.figures.data(),
        }


@dataclass(frozen=True, slots=True)
class GateResult:
    """A gate: one world, one agent."""

    world: str
    """The digest of the pack."""
    domain: str
    variant: str
    who: GateAgent
    terms: Terms
    band: Band
    method: str
    """fixed or adaptive"""
    attempts: Mapping[str, Mapping[int, bool]]
    """By task and number of the attempt, whether it passed. Attempts that something else than the agent ended are not here."""

    @property
    def kind_name(self) -> str:
        """What a gate is called: a gate by one of the built-in agents is only a smoke gate."""
        return "smoke gate" if self.who.smoke else "gate"

    def judge(self, tasks: Iterable[str] | None = None) -> tuple[LabelledTask, ...]:
        """Judge every task that was tried, or the ones that are named, in order."""
        return tuple(self._judge(task) for task in (sorted(self.attempts) if tasks is None else tasks))

    def list_kept(self) -> tuple[str, ...]:
        return tuple(one.task for one in self.judge() if one.label == KEPT)

    def count(self, task: str) -> Count:
        found = self.attempts.get(task, {})
        return Count(sum(found.values()), len(found))

    def _judge(self, task: str) -> LabelledTask:
        attempts = dict(sorted(self.attempts.get(task, {}).items()))
        count = self.count(task)
        label, sure = self._label(attempts, count)
        return LabelledTask(task, label, sure, attempts, learnable(*count))

    def _label(self, attempts: Mapping[int, bool], count: Count) -> tuple[str, float]:
        if self.method == ADAPTIVE:
            return find_most_probable_label(*count, self.band) if count.n >= MIN_ATTEMPTS else (UNDECIDED, 0.0)
        first = [ok for number, ok in attempts.items() if number <= self.band.runs]
        if len(first) < self.band.runs:
            return UNDECIDED, 0.0
        return label_by_count(sum(first), self.band), find_most_probable_label(sum(first), len(first), self.band)[1]


def count_labels(judged: Iterable[LabelledTask]) -> dict[str, int]:
    """Count how many tasks have each label."""
    found = [one.label for one in judged]
    return {label: found.count(label) for label in LABELS}


def gate_data(gated: GateResult) -> dict[str, Any]:
    """Return a gate as it lies on disk and as `--json` prints it. `attempts` is what counts; `tasks` follows from it."""
    band = gated.band
    judged = gated.judge()
    return {
        "format": FORMAT,
        "kind": gated.kind_name,
        "world": {"digest": gated.world, "name": gated.domain, "variant": gated.variant},
        "agent": {"name": gated.who.name, "id": gated.who.id, "sees_key": gated.who.sees_key, "identity": dict(gated.who.identity)},
        "terms": gated.terms.data(),
        "method": gated.method,
        "band": {"low": band.low, "high": band.high, "runs": band.runs, "borders": list(band.borders)},
        "figures": {"interval": "Clopper-Pearson", "level": CONFIDENCE, "a": A, "b": B},
        "attempts": {t: [[n, ok] for n, ok in sorted(found.items())] for t, found in sorted(gated.attempts.items())},
        "shares": count_labels(judged),
        "tasks": [one.data() for one in judged],
    }  # fmt: skip


def list_cautions(gated: GateResult) -> list[str]:
    """List what to keep in mind: how little a handful of attempts says, and who made them."""
    band, out = gated.band, []
    low, high = binomial_interval(band.low, band.runs, CONFIDENCE)
    if gated.method == FIXED:
        out.append(
            f"{band.low} of {band.runs} successes have a {CONFIDENCE:.0%} interval of {low:.0%} to {high:.0%} "
            "(Clopper-Pearson, exact): a label from so few attempts is a guess"
        )
    if gated.who.smoke:
        sees = "is given the answers" if gated.who.sees_key else "is not a model"
        out.append(
            f"this is a smoke gate: {gated.who.name} {sees}, and what it finds hard is not what a model finds hard"
        )
    return out
