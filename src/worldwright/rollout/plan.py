"""What a rollout is to play: which worlds, which tasks, how often, by whom. The same plan is the same run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from worldwright.agents.protocol import Agent, Options, fingerprint, make_agent
from worldwright.core.canonical import digest, sha256
from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.engine.surface import SURFACES
from worldwright.engine.tasks import FAMILIES
from worldwright.engine.world import World
from worldwright.rollout.records import EpisodeKey, Limits
from worldwright.store.open import find_gym_packs, open_world
from worldwright.world.tasks import Task


@dataclass(frozen=True, slots=True)
class PlannedWorld:
    """A world of the plan, and where its pack lies."""

    digest: str
    domain: str
    variant: str
    path: str


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent as it was asked for: enough to make it again in another process."""

    spec: str
    options: Options = field(default_factory=Options)

    def agent(self) -> Agent:
        return make_agent(self.spec, self.options)

    def data(self) -> dict[str, Any]:
        return {"spec": self.spec, "options": self.options.data()}


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Which tasks of a gym are played."""

    tasks: tuple[str, ...] = ()
    """Ids, with `*` for anything; all where none are named."""
    families: tuple[str, ...] = ()
    held_out: bool | None = None
    """Only the ways to ask that are held out, or only the others."""
    sample: int | None = None
    """So many of each world, drawn by the seed."""

    def select(self, world: World, seed: int) -> list[Task]:
        unknown = [f for f in self.families if f not in FAMILIES]
        if unknown:
            raise UsageError(f"no family of tasks is called {unknown[0]!r}; known: {', '.join(FAMILIES)}")
        found = [
            t
            for t in world.tasks
            if (not self.tasks or any(fnmatchcase(t.id, p) for p in self.tasks))
            and (not self.families or t.family in self.families)
            and self.held_out in (None, bool(t.features.get("held_out")))
        ]
        if self.sample is not None and self.sample < len(found):
            drawn = Stream("rollout tasks", seed, world.digest).shuffled(found)[: self.sample]
            found = [t for t in found if t in drawn]
        return found


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what is played."""

    gym: str
    places: tuple[PlannedWorld, ...]
    episodes: tuple[EpisodeKey, ...]
    player: AgentSpec
    agent: str
    agent_id: str
    identity: Mapping[str, Any]
    sees_key: bool
    limits: Limits = field(default_factory=Limits)
    face: str = "plain"
    seed: int = 0
    wordings: Mapping[str, str] = field(default_factory=dict)
    """By the digest of an instruction, other words for it."""
    choice: TaskFilter | None = None
    """How the spots were chosen, where that is how they came about."""
    speaker: AgentSpec | None = None
    """Who words what requesters say."""

    def data(self) -> dict[str, Any]:
        """Return the plan as `run.json` has it."""
        worlds = [{"domain": p.domain, "variant": p.variant, "digest": p.digest, "path": p.path} for p in self.places]
        return {
            "gym": self.gym,
            "worlds": worlds,
            "tasks": len({(s.world, s.task) for s in self.episodes}),
            "attempts": max((s.attempt for s in self.episodes), default=0),
            "episodes": len(self.episodes),
            "agent": {"spec": self.player.spec, "name": self.agent, "id": self.agent_id, "sees_key": self.sees_key,
                      "identity": dict(self.identity)},
            "limits": asdict(self.limits),
            "face": self.face,
            "seed": self.seed,
            "wordings": len(self.wordings),
            "choice": {} if self.choice is None else {k: v for k, v in asdict(self.choice).items() if v not in ((), None)},
            "options": self.player.options.data(),
            **({} if self.speaker is None else {"speaker": self.speaker.data()}),
            "plan": self.digest,
        }  # fmt: skip

    @property
    def digest(self) -> str:
        """The digest of what makes two plans the same: not where packs lie, nor under which name they were found."""
        return digest(
            {
                "spots": [[s.world, s.task, s.attempt] for s in self.episodes],
                "agent": self.agent_id,
                "limits": asdict(self.limits),
                "face": self.face,
                "seed": self.seed,
                "wordings": dict(self.wordings),
                **({} if self.speaker is None else {"speaker": self.speaker.data()}),
            }
        )


def plan(
    gym: str,
    player: AgentSpec,
    choice: TaskFilter | None = None,
    attempts: int = 1,
    limits: Limits | None = None,
    face: str = "plain",
    seed: int = 0,
    wordings: Mapping[str, str] | None = None,
) -> Plan:
    """The plan of a rollout over a gym: every chosen task of every variant, so many times."""
    if face not in SURFACES:
        raise UsageError(f"no face is called {face!r}; known: {', '.join(SURFACES)}")
    chosen, words = choice or TaskFilter(), dict(wordings or {})
    places, episodes = [], []
    for variant, path in find_gym_packs(gym).items():
        world = open_world(path)
        tasks = [t for t in chosen.select(world, seed) if not words or hash_instruction(t.instruction) in words]
        if tasks:
            places.append(PlannedWorld(world.digest, world.name, variant, str(path.resolve())))
        episodes += [EpisodeKey(world.digest, t.id, number) for t in tasks for number in range(1, attempts + 1)]
    if not episodes:
        what = "the wordings are for no task" if words else "no task is"
        raise UsageError(f"{gym} has nothing to play: {what} among those that were asked for")
    return plan_episodes(gym, places, episodes, player, limits or Limits(), face, seed, words, chosen)


def plan_episodes(
    gym: str,
    places: Iterable[PlannedWorld],
    episodes: Iterable[EpisodeKey],
    player: AgentSpec,
    limits: Limits,
    face: str = "plain",
    seed: int = 0,
    wordings: Mapping[str, str] | None = None,
    choice: TaskFilter | None = None,
) -> Plan:
    """The plan that plays exactly these spots."""
    who = player.agent()
    return Plan(
        gym, tuple(places), tuple(episodes), player, who.name, fingerprint(who), who.identity, who.sees_key, limits, face, seed,
        dict(wordings or {}), choice,
    )  # fmt: skip


def derive_seed(seed: int, spot: EpisodeKey) -> int:
    """Derive what an agent draws from in one episode: below 2**31, as many endpoints want it."""
    return Stream("rollout", seed, spot.world, spot.task, spot.attempt).bits() >> 33


def derive_episode_id(made: Plan, spot: EpisodeKey, instruction: str | None) -> str:
    speaker = [] if made.speaker is None else [made.speaker.data()]
    return digest([spot.world, spot.task, spot.attempt, made.agent_id, made.seed, made.face, instruction, *speaker])[
        :20
    ]


def hash_instruction(instruction: str) -> str:
    """Hash an instruction as wordings name the one that they are for."""
    return sha256(instruction.encode())[:16]


def read_wordings(files: Sequence[Path]) -> dict[str, str]:
    """Other words for instructions, from files: {"wordings": [{"for": the digest of the instruction, "says": "..."}]}."""
    return dict(pair for file in files for pair in _wordings(file))


def _wordings(file: Path) -> Iterator[tuple[str, str]]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise UsageError(f"{file} cannot be read: {e}") from None
    found = data.get("wordings") if isinstance(data, dict) else None
    if not isinstance(found, list):
        raise UsageError(f'{file} holds no wordings: {{"wordings": [{{"for": ..., "says": ...}}]}} was expected')
    for number, one in enumerate(found, start=1):
        if not isinstance(one, dict) or not isinstance(one.get("for"), str) or not isinstance(one.get("says"), str):
            raise UsageError(f"wording {number} of {file} has no `for` or no `says`")
        yield one["for"], one["says"]
