"""What a run came to, in numbers: rates with intervals, pass@k and pass^k, groups, trends, differences.

Everything is computed from light rows, one for each episode, so a run of any size fits into memory. Three rules hold throughout.

- An episode with status `error` has no verdict. It is counted apart and is never a failure.
- Attempts of one task are alike, so the task is what varies. The interval of a rate is Wilson's, with as many trials as the
  attempts are worth (`compute_effective_size`); the intervals of pass@k, pass^k and of differences come from drawing the tasks
  anew (`bootstrap_intervals`).
- The draws are seeded by what is measured. The same rows give the same numbers, whoever computes them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

from worldwright.core.intervals import wilson_interval
from worldwright.core.rng import Stream
from worldwright.rollout.records import Episode

BOOTSTRAP_DRAWS = 1000
MIN_DRAWS = 200
MAX_PICKS = 2_000_000
"""Where tasks are so many that a thousand draws of all of them would take longer than this many picks, there are fewer draws."""

TaskKey = tuple[str, str]
"""The digest of the world, and the id of the task."""


@dataclass(frozen=True, slots=True)
class EpisodeStats:
    """What the numbers need of an episode."""

    world: str
    task: str
    domain: str
    family: str
    role: str
    features: Mapping[str, Any]
    status: str
    outcome: str
    calls: int
    """That reached the world."""
    turns: int
    """Messages of the agent."""
    usage: Mapping[str, float]
    timing: Mapping[str, float]
    failed: tuple[str, ...] = ()
    """The names of the assertions that did not hold."""

    @property
    def key(self) -> TaskKey:
        return self.world, self.task

    @property
    def judged(self) -> bool:
        return self.status != "error"

    @property
    def passed(self) -> bool:
        return self.status == "pass"


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the judged episodes passed."""

    passed: int
    judged: int
    errors: int
    """Episodes without a verdict: not among `judged`."""
    tasks: int
    """That have a judged episode."""
    low: float
    high: float

    @property
    def value(self) -> float | None:
        return self.passed / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class Group:
    """The episodes that have something in common."""

    name: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class PassPoint:
    """One point of pass@k or pass^k."""

    k: int
    value: float
    low: float
    high: float
    tasks: int
    """That have k judged attempts."""


@dataclass(frozen=True, slots=True)
class PassCurves:
    any: tuple[PassPoint, ...]
    """pass@k: at least one of k attempts passes."""
    all: tuple[PassPoint, ...]
    """pass^k: all of k attempts pass."""

    def list_pairs(self) -> list[tuple[PassPoint, PassPoint]]:
        """List the points of both curves for tables: those whose k is a power of two, and the last one."""
        pairs = zip(self.any, self.all, strict=True)
        return [(a, b) for a, b in pairs if a.k & (a.k - 1) == 0 or a is self.any[-1]]


@dataclass(frozen=True, slots=True)
class RateDifference:
    """One run against another, over the tasks that both have judged."""

    tasks: int
    value: float
    """The mean over tasks of the rate of the one less the rate of the other."""
    low: float
    high: float
    better: int
    """Tasks on which the one passes more often."""
    worse: int

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.tasks > 0 and (self.low > 0 or self.high < 0)


class Tally(NamedTuple):
    judged: int
    passed: int


def extract_stats(episode: Episode) -> EpisodeStats:
    """Extract what the numbers need of an episode; its messages are let go."""
    assertions = episode.verdict.get("assertions", ())
    return EpisodeStats(
        episode.world, episode.task, episode.domain, episode.family, episode.role, episode.features, episode.status,
        episode.outcome, len(episode.steps), sum(m.get("role") == "assistant" for m in episode.messages),
        _keep_numbers(episode.usage), _keep_numbers(episode.timing),
        tuple(dict.fromkeys(str(a.get("name")) for a in assertions if not a.get("ok"))),
    )  # fmt: skip


def _keep_numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {k: v for k, v in values.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}


def tally_tasks(rows: Iterable[EpisodeStats]) -> dict[TaskKey, Tally]:
    """Count by task how many attempts were judged and how many of those passed; tasks without a judged one are left out."""
    found: dict[TaskKey, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        if row.judged:
            found[row.key][0] += 1
            found[row.key][1] += row.passed
    return {key: Tally(*pair) for key, pair in sorted(found.items())}


def compute_rate(rows: Sequence[EpisodeStats]) -> Rate:
    by_task = tally_tasks(rows).values()
    judged, passed = sum(t.judged for t in by_task), sum(t.passed for t in by_task)
    trials = compute_effective_size(by_task)
    low, high = wilson_interval(passed * trials / judged, trials) if judged else (0.0, 1.0)
    return Rate(passed, judged, len(rows) - judged, len(by_task), low, high)


def compute_effective_size(by_task: Iterable[Tally]) -> float:
    """Compute how many independent episodes these are worth: all of them where attempts of one task differ as much as those of
    two tasks do, as many as there are tasks where attempts of one task always agree (the design effect of a clustered sample)."""
    found = list(by_task)
    n, tasks = sum(t.judged for t in found), len(found)
    passed = sum(t.passed for t in found)
    if n == tasks or passed in (0, n) or tasks == 1:
        return float(tasks)
    share = passed / n
    spread = sum((t.passed - share * t.judged) ** 2 for t in found) / (n * share * (1 - share)) * tasks / (tasks - 1)
    return float(n) if spread <= 1 else max(float(tasks), n / spread)


def pass_at(n: int, c: int, k: int) -> float:
    """The chance that at least one of k attempts passes, drawn from n of which c passed."""
    return 1 - comb(n - c, k) / comb(n, k)


def pass_hat(n: int, c: int, k: int) -> float:
    """The chance that all of k attempts pass, drawn from n of which c passed."""
    return comb(c, k) / comb(n, k)


def compute_pass_curves(rows: Iterable[EpisodeStats]) -> PassCurves:
    """Compute pass@k and pass^k as means over the tasks with k judged attempts. They end where fewer than half have so many."""
    found = list(tally_tasks(rows).values())
    ks = [
        k
        for k in range(1, max((t.judged for t in found), default=0) + 1)
        if 2 * _count_with_attempts(found, k) >= len(found)
    ]
    values = [
        tuple(f(t.judged, t.passed, k) if t.judged >= k else None for f in (pass_at, pass_hat) for k in ks)
        for t in found
    ]
    means, bounds = _compute_means(Counter(values)), bootstrap_intervals(values, "pass at k")
    points = [
        PassPoint(
            k, mean, *_widen_interval(mean, _count_with_attempts(found, k), bound), _count_with_attempts(found, k)
        )
        for k, mean, bound in zip(ks * 2, means, bounds, strict=True)
        if mean is not None
    ]
    return PassCurves(tuple(points[: len(ks)]), tuple(points[len(ks) :]))


def _widen_interval(mean: float, tasks: int, bound: tuple[float, float]) -> tuple[float, float]:
    """Use Wilson's interval over tasks where every task has 0, or every task 1: drawing them anew shows nothing else."""
    return wilson_interval(mean * tasks, tasks) if mean in (0, 1) else bound


def _count_with_attempts(found: Sequence[Tally], k: int) -> int:
    return sum(t.judged >= k for t in found)


Values = tuple[float | None, ...]
"""The numbers of one task; None where it has none."""


def bootstrap_intervals(values: Sequence[Values], name: str, level: float = 0.95) -> list[tuple[float, float]]:
    """Compute for each column the interval of its mean, by a bootstrap over tasks: as many tasks are drawn with replacement as
    there are, again and again, and the interval holds the middle `level` of the means. Where all tasks have the same value it
    has no width: what was never seen cannot be drawn."""
    if not values:
        return []
    kinds = list(dict.fromkeys(values))
    number = {kind: at for at, kind in enumerate(kinds)}
    of = [number[v] for v in values]
    size = len(of)
    draws = max(MIN_DRAWS, min(BOOTSTRAP_DRAWS, MAX_PICKS // size))
    stream = Stream("bootstrap", name, size)
    columns: list[list[float]] = [[] for _ in kinds[0]]
    for _ in range(draws):
        drawn = Counter(_draw_with_replacement(stream, of))
        for column, mean in zip(
            columns, _compute_means({kinds[at]: n for at, n in sorted(drawn.items())}), strict=True
        ):
            if mean is not None:
                column.append(mean)
    return [_find_quantiles(sorted(column), level) for column in columns]


def _draw_with_replacement(stream: Stream, of: Sequence[int]) -> list[int]:
    """Draw as many as there are, with replacement; each number of the stream serves for two, since picks are what takes time."""
    size = len(of)
    numbers = [stream.bits() for _ in range((size + 1) // 2)]
    upper = [of[(n >> 32) * size >> 32] for n in numbers]
    return upper + [of[(n & 0xFFFFFFFF) * size >> 32] for n in numbers[: size // 2]]


def _compute_means(weights: Mapping[Values, int]) -> list[float | None]:
    out: list[float | None] = []
    for column in range(len(next(iter(weights), ()))):
        pairs = [(v, n) for kind, n in weights.items() if (v := kind[column]) is not None]
        total = sum(n for _, n in pairs)
        out.append(sum(v * n for v, n in pairs) / total if total else None)
    return out


def _find_quantiles(found: Sequence[float], level: float) -> tuple[float, float]:
    if not found:
        return 0.0, 1.0
    tail = (1 - level) / 2
    last = len(found) - 1
    return found[int(tail * last + 0.5)], found[int((1 - tail) * last + 0.5)]


def compare_rates(one: Iterable[EpisodeStats], other: Iterable[EpisodeStats]) -> RateDifference:
    """Compute how much more often the one passes than the other: paired, over the tasks that both have judged."""
    mine, theirs = tally_tasks(one), tally_tasks(other)
    gaps = [mine[key].passed / mine[key].judged - t.passed / t.judged for key, t in theirs.items() if key in mine]
    if not gaps:
        return RateDifference(0, 0.0, -1.0, 1.0, 0, 0)
    [(low, high)] = bootstrap_intervals([(gap,) for gap in gaps], "difference")
    return RateDifference(
        len(gaps), sum(gaps) / len(gaps), low, high, sum(g > 0 for g in gaps), sum(g < 0 for g in gaps)
    )


def group_by(
    rows: Iterable[EpisodeStats], name_of: Callable[[EpisodeStats], str | None], order: Sequence[str] = ()
) -> tuple[Group, ...]:
    """The rate of each group; first those that `order` names, in its order, then the others by name."""
    found: dict[str, list[EpisodeStats]] = defaultdict(list)
    for row in rows:
        name = name_of(row)
        if name is not None:
            found[name].append(row)
    names = [*(n for n in order if n in found), *sorted(n for n in found if n not in order)]
    return tuple(Group(name, compute_rate(found[name])) for name in names)


def find_rises(groups: Sequence[Group]) -> tuple[tuple[str, str], ...]:
    """Pairs of which the later group's interval lies wholly above the earlier one's."""
    judged = [g for g in groups if g.rate.judged]
    return tuple((a.name, b.name) for at, a in enumerate(judged) for b in judged[at + 1 :] if b.rate.low > a.rate.high)


def classify_trend(groups: Sequence[Group]) -> str:
    """Say what the rate does as the groups go on: `rises` where some later group is clearly above an earlier one, so that the
    rate is not monotone; `falls` where none is and some later group is clearly below an earlier one; `level` where their
    intervals all overlap; nothing where there are fewer than two groups. Clear means that two intervals do not overlap."""
    judged = [g for g in groups if g.rate.judged]
    if len(judged) < 2:
        return ""
    if find_rises(judged):
        return "rises"
    return "falls" if find_rises(judged[::-1]) else "level"


@dataclass(frozen=True, slots=True)
class EpisodeMeans:
    """Of one episode on average; errors are left out."""

    calls: float
    turns: float
    usage: Mapping[str, float]
    """Tokens and cost, over the episodes that count them."""
    timing: Mapping[str, float]


def compute_means(rows: Iterable[EpisodeStats]) -> EpisodeMeans:
    found = [row for row in rows if row.judged]
    size = max(1, len(found))
    return EpisodeMeans(
        sum(r.calls for r in found) / size,
        sum(r.turns for r in found) / size,
        _average_by_name(r.usage for r in found),
        _average_by_name(r.timing for r in found),
    )


def _average_by_name(values: Iterable[Mapping[str, float]]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for one in values:
        for name, value in one.items():
            found[name].append(value)
    return {name: sum(all_) / len(all_) for name, all_ in sorted(found.items())}
