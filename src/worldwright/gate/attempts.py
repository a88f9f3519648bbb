"""Attempts of a gate, played by `rollout`: in parallel, and with nothing lost when they are stopped.

Each batch is a run in a working folder. It goes away when its counts are in the gate; what a stopped run left there is counted
when the same gate is started again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from worldwright.agents.protocol import fingerprint
from worldwright.core.canonical import digest
from worldwright.core.errors import UsageError
from worldwright.gate.records import GateAgent, Terms
from worldwright.gate.run import GatedWorld, Heard
from worldwright.rollout.parts import index_episodes, lock_run
from worldwright.rollout.plan import AgentSpec, PlannedWorld, TaskFilter, plan_episodes
from worldwright.rollout.read import RUN, open_run, read_episode
from worldwright.rollout.records import Episode, EpisodeKey
from worldwright.rollout.run import EpisodeSummary, roll
from worldwright.store.open import find_gym_packs, open_world
from worldwright.store.store import find_home

_PASSED = {"pass": True, "fail": False}


def identify_player(player: AgentSpec) -> GateAgent:
    agent = player.agent()
    return GateAgent(agent.name, fingerprint(agent), dict(agent.identity), agent.sees_key)


def find_subjects(gym: str, tasks: Sequence[str] = ()) -> tuple[tuple[PlannedWorld, GatedWorld], ...]:
    """The worlds of a gym with the tasks to gate: all, or those whose ids are named (`*` stands for anything)."""
    out: list[tuple[PlannedWorld, GatedWorld]] = []
    for variant, path in find_gym_packs(gym).items():
        world = open_world(path)
        if world.digest in {place.digest for place, _ in out}:
            continue  # the same world under two names is one world
        chosen = tuple(task.id for task in TaskFilter(tuple(tasks)).select(world, 0))
        if chosen:
            place = PlannedWorld(world.digest, world.name, variant, str(path.resolve()))
            out.append((place, GatedWorld(world.digest, world.name, variant, chosen)))
    if not out:
        why = f"it has no task {', '.join(tasks)}" if tasks else "it has no tasks"
        raise UsageError(f"{gym} has nothing to gate: {why}")
    return tuple(out)


class RolloutPlayer:
    """Plays attempts with `rollout.run.roll`."""

    def __init__(
        self, gym: str, places: Sequence[PlannedWorld], player: AgentSpec, agent: GateAgent, terms: Terms, workers: int
    ) -> None:
        self._gym, self._places, self._player, self._terms = gym, tuple(places), player, terms
        self._agent, self._workers = agent, workers
        worlds = sorted({p.digest for p in places})
        self._work = find_home() / "gates" / "work" / digest([agent.id, worlds])[:16]

    @contextmanager
    def lock(self, heard: Heard) -> Iterator[None]:
        """Lock the working folder for one gate at a time. What a stopped one left is counted first; the folder ends empty."""
        with lock_run(self._work):
            self._gather(heard)
            try:
                yield
            finally:
                self._gather(heard)
        shutil.rmtree(self._work, ignore_errors=True)

    def play(self, spots: Sequence[EpisodeKey], heard: Heard) -> None:
        terms = self._terms
        used = {spot.world for spot in spots}
        places = [p for p in self._places if p.digest in used]
        plan = plan_episodes(self._gym, places, spots, self._player, terms.limits, terms.face, terms.seed)
        folder = self._work / plan.digest[:16]

        def watch(summary: EpisodeSummary) -> None:
            heard(summary.spot, _PASSED.get(summary.status))

        roll(plan, folder, self._workers, watch)
        shutil.rmtree(folder, ignore_errors=True)

    def _gather(self, heard: Heard) -> None:
        """Count what stopped runs of this gate have written down."""
        for folder in sorted(p for p in self._work.iterdir() if p.is_dir()):
            for episode in self._read_leftovers(folder):
                if episode.status in _PASSED:
                    heard(EpisodeKey(episode.world, episode.task, episode.attempt), _PASSED[episode.status])
            shutil.rmtree(folder, ignore_errors=True)

    def _read_leftovers(self, folder: Path) -> Iterator[Episode]:
        if not (folder / RUN).is_file():
            return
        run, terms = open_run(folder), self._terms
        same = (run.config.get("seed"), run.config.get("face"), run.config.get("limits"))
        if same != (terms.seed, terms.face, asdict(terms.limits)):
            return
        for line in index_episodes(folder).values():
            with line.path.open("rb") as file:
                yield read_episode(line.read(file).decode(), str(line.path))
