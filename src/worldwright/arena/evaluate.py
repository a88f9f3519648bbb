"""What an agent can do, and why it fails where it does: rates with intervals, and a diagnosis of every failed episode."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from worldwright.arena.diagnose import diagnose
from worldwright.arena.diagnose.records import Diagnosis
from worldwright.arena.diagnose.scene import MESS, Scene, Scenes
from worldwright.core.errors import UsageError
from worldwright.engine.tasks import FAMILIES
from worldwright.rollout.knobs import Knob, measure_knobs
from worldwright.rollout.plan import PlannedWorld
from worldwright.rollout.read import Run
from worldwright.rollout.records import Episode
from worldwright.rollout.report.summary import remark_on_key, render_groups, render_rate
from worldwright.rollout.stats import (
    EpisodeStats,
    Group,
    PassCurves,
    Rate,
    TaskKey,
    compute_pass_curves,
    compute_rate,
    extract_stats,
    group_by,
)
from worldwright.store.open import pack_at, read_files_at, world_of

MAX_OPEN_WORLDS = 8
"""Worlds that are open at once."""


@dataclass(frozen=True, slots=True)
class TaskTraits:
    """What a task is about."""

    tools: tuple[str, ...]
    """Operations that change something in its witness, or that it forbids."""
    policies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed episode, and why."""

    episode: str
    world: str
    domain: str
    variant: str
    task: str
    family: str
    attempt: int
    diagnosis: Diagnosis

    def data(self) -> dict[str, Any]:
        return {**{f.name: getattr(self, f.name) for f in fields(self)[:-1]}, **self.diagnosis.data()}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One agent on one field."""

    agent: str
    agent_id: str
    sees_key: bool
    rows: tuple[EpisodeStats, ...]
    rate: Rate
    curves: PassCurves
    domains: tuple[Group, ...]
    families: tuple[Group, ...]
    policies: tuple[Group, ...]
    tools: tuple[Group, ...]
    """As `domain.tool`, since domains share names."""
    knobs: tuple[Knob, ...]
    failures: tuple[Failure, ...]

    def data(self) -> dict[str, Any]:
        return {
            "agent": self.agent, "agent_id": self.agent_id, "sees_key": self.sees_key, "episodes": len(self.rows),
            "rate": render_rate(self.rate),
            "pass_at_k": [asdict(p) for p in self.curves.any], "pass_hat_k": [asdict(p) for p in self.curves.all],
            "domains": render_groups(self.domains), "families": render_groups(self.families),
            "policies": render_groups(self.policies), "tools": render_groups(self.tools),
            "knobs": {k.name: {"trend": k.trend, "groups": render_groups(k.groups)} for k in self.knobs},
            "remarks": [remark_on_key(self.agent)] if self.sees_key else [],
        }  # fmt: skip


class Worlds:
    """Worlds of a field, opened when an episode of theirs is looked at; no more than a few at once."""

    def __init__(self, places: Iterable[PlannedWorld]) -> None:
        self._places = {place.digest: place for place in places}
        self._open: OrderedDict[str, Scenes] = OrderedDict()

    def __call__(self, digest: str) -> Scenes:
        if digest in self._open:
            self._open.move_to_end(digest)
            return self._open[digest]
        if digest not in self._places:
            raise UsageError(f"episodes of the world {digest[:12]} cannot be diagnosed: its pack is not here")
        path = Path(self._places[digest].path)
        scenes = self._open[digest] = Scenes(world_of(pack_at(path)), read_files_at(path).get(MESS))
        if len(self._open) > MAX_OPEN_WORLDS:
            self._open.popitem(last=False)
        return scenes


def traits_of(scene: Scene) -> TaskTraits:
    tools = dict.fromkeys([write.tool for write in scene.writes] + [call.tool for call in scene.forbidden_calls])
    policies = dict.fromkeys([*map(str, scene.key.expects.get("rules", ())), *([scene.rule] if scene.rule else [])])
    return TaskTraits(tuple(tools), tuple(policies))


def evaluate(run: Run, worlds: Worlds, looked: Callable[[Episode], None] = lambda episode: None) -> Evaluation:
    """Read a run once, and diagnose what failed in it."""
    return evaluate_episodes(run.episodes(), worlds, looked, str(run.folder))


def evaluate_episodes(
    episodes: Iterable[Episode],
    worlds: Worlds,
    looked: Callable[[Episode], None] = lambda episode: None,
    where: str = "this",
) -> Evaluation:
    """The same of episodes wherever they come from: those of a trainer, say, that nobody wrote down."""
    rows: list[EpisodeStats] = []
    failures: list[Failure] = []
    traits: dict[TaskKey, TaskTraits] = {}
    who: dict[tuple[str, str, bool], None] = {}
    for episode in episodes:
        scenes = worlds(episode.world)
        rows.append(extract_stats(episode))
        who[episode.agent, episode.agent_id, episode.sees_key] = None
        if rows[-1].key not in traits:
            traits[rows[-1].key] = traits_of(scenes(episode.task))
        found = diagnose(episode, scenes(episode.task))
        if found is not None:
            failures.append(_failure(episode, found))
        looked(episode)
    if len(who) != 1:
        raise UsageError(f"{where} holds episodes of {len(who)} agents; a run has one")
    [(agent, agent_id, sees_key)] = who
    return Evaluation(
        agent, agent_id, sees_key, tuple(rows), compute_rate(rows), compute_pass_curves(rows),
        group_by(rows, lambda r: r.domain), group_by(rows, lambda r: r.family, FAMILIES),
        group_rates(rows, lambda r: [f"{r.domain}.{p}" for p in traits[r.key].policies]),
        group_rates(rows, lambda r: [f"{r.domain}.{t}" for t in traits[r.key].tools]),
        measure_knobs(rows), tuple(failures),
    )  # fmt: skip


def _failure(episode: Episode, found: Diagnosis) -> Failure:
    return Failure(
        episode.id, episode.world, episode.domain, episode.variant, episode.task, episode.family, episode.attempt, found
    )


def group_rates(rows: Iterable[EpisodeStats], names_of: Callable[[EpisodeStats], Iterable[str]]) -> tuple[Group, ...]:
    """The rate of each group, where an episode may be of several."""
    found: dict[str, list[EpisodeStats]] = defaultdict(list)
    for row in rows:
        for name in names_of(row):
            found[name].append(row)
    return tuple(Group(name, compute_rate(found[name])) for name in sorted(found))


def rank_agents(found: Sequence[Evaluation]) -> tuple[Evaluation, ...]:
    """The best first; agents that are given the key stand behind all others."""
    return tuple(sorted(found, key=lambda one: (one.sees_key, -(one.rate.value or 0.0), one.agent)))
