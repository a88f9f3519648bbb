"""Everything that a report says of a run, gathered in one reading of it. Messages are kept only of a few examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.engine.tasks import FAMILIES
from worldwright.rollout.knobs import Knob, measure_knob, measure_knobs
from worldwright.rollout.read import Run
from worldwright.rollout.records import OUTCOMES, Episode
from worldwright.rollout.report.examples import Example, Examples
from worldwright.rollout.stats import (
    EpisodeMeans,
    EpisodeStats,
    Group,
    PassCurves,
    Rate,
    RateDifference,
    TaskKey,
    compare_rates,
    compute_means,
    compute_pass_curves,
    compute_rate,
    extract_stats,
    group_by,
)

PARTS = ("agent", "tools", "verifier", "rest")
"""Where the time of an episode goes; `rest` is what begins and ends it."""
MAX_PROBLEMS = 12
"""So many assertions and problems are named."""


@dataclass(frozen=True, slots=True)
class FailingAssertion:
    """An assertion that did not hold."""

    name: str
    episodes: int
    tasks: int


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong in episodes that have no verdict."""

    says: str
    episodes: int
    first: str
    """The id of the first such episode."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in numbers."""

    name: str
    """The folder's own name."""
    config: Mapping[str, Any]
    agent: str
    agent_id: str
    sees_key: bool
    rows: tuple[EpisodeStats, ...]
    rate: Rate
    curves: PassCurves
    families: tuple[Group, ...]
    domains: tuple[Group, ...]
    roles: tuple[Group, ...]
    knobs: tuple[Knob, ...]
    outcomes: tuple[Group, ...]
    cells: Mapping[tuple[str, str], Rate]
    """By domain and family."""
    means: EpisodeMeans
    shares: Mapping[str, float]
    """Of the time of all episodes, by `PARTS`."""
    failing: tuple[FailingAssertion, ...]
    problems: tuple[Problem, ...]
    examples: tuple[Example, ...]
    only: tuple[str, ...] = ()
    """The families that were looked at; all where none are named."""

    @property
    def attempts(self) -> int:
        return self.curves.any[-1].k if self.curves.any else 0

    def group_by(self, name: str) -> Knob:
        """Group episodes by family, domain, role, outcome or a knob."""
        plain = {"family": self.families, "domain": self.domains, "role": self.roles, "outcome": self.outcomes}
        if name in plain:
            return Knob(name, "", plain[name], ordered=False)
        if not any(name in row.features for row in self.rows):
            known = {*plain, *(n for row in self.rows for n in row.features)}
            raise UsageError(f"episodes cannot be grouped by {name!r}; {suggest(name, known)}")
        return measure_knob(self.rows, name)

    def list_remarks(self) -> list[str]:
        """List what a reader has to know before believing the numbers."""
        out = []
        if self.sees_key:
            out.append(remark_on_key(self.agent))
        if self.rate.errors:
            out.append(f"{self.rate.errors:,} of {len(self.rows):,} episodes have no verdict because something failed that is not "
                       "the agent's. They count neither as passed nor as failed.")  # fmt: skip
        if self.only:
            out.append(f"Only tasks of the family {' and '.join(self.only)}.")
        planned = self.config.get("episodes")
        if isinstance(planned, int) and planned != len(self.rows) and not self.only:
            out.append(f"The plan has {planned:,} episodes, the run {len(self.rows):,}.")
        return out

    def data(self) -> dict[str, Any]:
        """Return the summary as JSON has it."""
        return {
            "run": self.name, "agent": self.agent, "agent_id": self.agent_id, "sees_key": self.sees_key,
            "config": dict(self.config), "episodes": len(self.rows), "rate": render_rate(self.rate),
            "pass_at_k": [asdict(p) for p in self.curves.any], "pass_hat_k": [asdict(p) for p in self.curves.all],
            "families": render_groups(self.families), "domains": render_groups(self.domains),
            "roles": render_groups(self.roles), "outcomes": render_groups(self.outcomes),
            "knobs": {k.name: {"trend": k.trend, "groups": render_groups(k.groups)} for k in self.knobs},
            "means": asdict(self.means), "time_shares": dict(self.shares),
            "failed_assertions": [asdict(f) for f in self.failing], "problems": [asdict(p) for p in self.problems],
            "remarks": self.list_remarks(),
        }  # fmt: skip


def remark_on_key(agent: str) -> str:
    return (
        f"{agent} is given the key of every task. What it scores says that tasks can be done, not what agents can do."
    )


def render_rate(found: Rate) -> dict[str, Any]:
    return {**asdict(found), "value": found.value}


def render_groups(groups: Sequence[Group]) -> dict[str, Any]:
    return {g.name: render_rate(g.rate) for g in groups}


def summarise(run: Run, families: Sequence[str] = ()) -> Summary:
    """Read a run once, from the first episode to the last; with `families`, only what is of these."""
    if not run.ended:
        raise UsageError(f"{run.folder} has not ended; start it again to go on with it")
    rows: list[EpisodeStats] = []
    examples, problems = Examples(), _Problems()
    who: dict[tuple[str, str, bool], None] = {}
    known: dict[TaskKey, Mapping[str, Any]] = {}
    for episode in run.episodes():
        if families and episode.family not in families:
            continue
        row = extract_stats(episode)
        rows.append(_share_features(row, known))
        examples.see(episode)
        problems.see(episode)
        who[episode.agent, episode.agent_id, episode.sees_key] = None
    if not rows:
        what = f"no episodes of the family {' or '.join(families)}" if families else "no episodes"
        raise UsageError(f"{run.folder} has {what}")
    if len(who) > 1:
        raise UsageError(f"{run.folder} holds episodes of {len(who)} agents; a run has one")
    [(agent, agent_id, sees_key)] = who
    domains = sorted({r.domain for r in rows})
    return Summary(
        run.folder.resolve().name, run.config, agent, agent_id, sees_key, tuple(rows), compute_rate(rows),
        compute_pass_curves(rows),
        group_by(rows, lambda r: r.family, FAMILIES), group_by(rows, lambda r: r.domain), group_by(rows, lambda r: r.role),
        measure_knobs(rows), group_by(rows, lambda r: r.outcome, OUTCOMES),
        {(d, g.name): g.rate for d in domains for g in group_by([r for r in rows if r.domain == d], lambda r: r.family)},
        compute_means(rows), _shares(rows), _count_failing(rows), problems.list(), examples.choose(),
        tuple(families),
    )  # fmt: skip


def _share_features(row: EpisodeStats, known: dict[TaskKey, Mapping[str, Any]]) -> EpisodeStats:
    """Give the row the features that other attempts of the task have, so that they are kept once."""
    first = known.setdefault(row.key, row.features)
    return replace(row, features=first) if first == row.features else row


class _Problems:
    """What failed in episodes without a verdict, counted."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def see(self, episode: Episode) -> None:
        if episode.status == "error":
            says = episode.problem or str(episode.verdict.get("reason") or "no reason was given")
            count, first = self._found.get(says, (0, episode.id))
            self._found[says] = (count + 1, first)

    def list(self) -> tuple[Problem, ...]:
        every = sorted(self._found.items(), key=lambda pair: (-pair[1][0], pair[0]))
        return tuple(Problem(says, count, first) for says, (count, first) in every)


def _count_failing(rows: Sequence[EpisodeStats]) -> tuple[FailingAssertion, ...]:
    episodes = Counter(name for row in rows for name in row.failed)
    tasks = Counter(name for _, name in {(row.key, name) for row in rows for name in row.failed})
    most = sorted(episodes.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(FailingAssertion(name, count, tasks[name]) for name, count in most)


def _shares(rows: Sequence[EpisodeStats]) -> dict[str, float]:
    total = sum(r.timing.get("total", 0.0) for r in rows)
    if total <= 0:
        return {}
    out = {part: sum(r.timing.get(part, 0.0) for r in rows) / total for part in PARTS[:-1]}
    return out | {"rest": max(0.0, 1 - sum(out.values()))}


def name_runs(found: Sequence[Summary]) -> list[str]:
    """Name runs beside each other: by agent, and by folder as well where that does not tell them apart."""
    agents = [one.agent for one in found]
    out = [one.agent if agents.count(one.agent) == 1 else f"{one.agent} ({one.name})" for one in found]
    return [name if out.count(name) == 1 else f"{name} {at}" for at, name in enumerate(out, start=1)]


def compare_runs(found: Sequence[Summary]) -> list[RateDifference]:
    """Compare each run but the first with the first."""
    return [compare_rates(one.rows, found[0].rows) for one in found[1:]]
