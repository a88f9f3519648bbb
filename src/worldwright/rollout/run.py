"""Many episodes at once: a plan is cut into chunks, workers play them and write what came of them, and the end is one file.

A run that was stopped in any way goes on where it was: what has a verdict is not played again. Episodes that ended as an error (an
endpoint that was down) are played again by the same run, also where the run had finished.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from worldwright.agents.models import make_speaker
from worldwright.agents.protocol import Agent, is_async
from worldwright.core.canonical import pretty_json
from worldwright.core.errors import EpisodeError, UsageError
from worldwright.core.pool import map_in_processes
from worldwright.core.whole_file import write_whole
from worldwright.engine.env import Env
from worldwright.engine.limits import Limits as EngineLimits
from worldwright.engine.requester import Word
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, Openings, play, play_async
from worldwright.rollout.parts import (
    LOCK,
    PARTS,
    WORKERS_LOCK,
    PartWriter,
    index_episodes,
    lock_run,
    merge_parts,
    remove_parts,
)
from worldwright.rollout.plan import AgentSpec, Plan, PlannedWorld, derive_episode_id, derive_seed, hash_instruction
from worldwright.rollout.read import RUN, TRAJECTORIES, Run, open_run
from worldwright.rollout.records import Episode, EpisodeKey, Limits
from worldwright.store.open import open_world

MAX_CHUNK_EPISODES = 32
"""Episodes that a worker takes at a time."""
EPISODES_AT_ONCE = 16
"""Episodes that one worker has in play at once, where the agent has to be waited for."""
MAX_ERRORS_IN_A_ROW = 64
"""So many episodes in a row without a verdict end a run: whatever fails will go on failing."""
MAX_TRIES = 3
"""How often an episode is begun that something else than the agent ended."""


Done = Callable[[Episode], None]


class EpisodeSummary(NamedTuple):
    """What is said of an episode when it ends."""

    spot: EpisodeKey
    status: str
    outcome: str
    family: str
    calls: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What a worker is given: episodes of one world."""

    place: PlannedWorld
    episodes: tuple[tuple[EpisodeKey, str], ...]
    """With the id of each."""
    player: AgentSpec
    agent_id: str
    limits: Limits
    face: str
    seed: int
    wordings: Mapping[str, str]
    speaker: AgentSpec | None
    folder: str
    at_once: int


def roll(
    plan: Plan,
    folder: Path,
    workers: int = 1,
    watch: Callable[[EpisodeSummary], None] | None = None,
    at_once: int = EPISODES_AT_ONCE,
) -> Run:
    """Play a plan into a folder, or what is left of it. `workers=0` plays in this very process."""
    with lock_run(folder):
        check_folder(plan, folder)
        ids = _episode_ids(plan)
        recorded = index_episodes(folder)
        left = [spot for spot in plan.episodes if ids[spot] not in recorded or recorded[ids[spot]].status == "error"]
        finished = (folder / TRAJECTORIES).exists()
        if left or not finished or (folder / PARTS).is_dir():
            if not finished:
                write_whole(folder / RUN, pretty_json({**plan.data(), "ended": False}))
            try:
                _play_all(plan, left, ids, folder, workers, watch, at_once)
            finally:
                _close_parts()
            total = merge_parts(folder, [ids[spot] for spot in plan.episodes])
            write_whole(folder / RUN, pretty_json({**plan.data(), "ended": True, "digest": total}))
            remove_parts(folder)
    return open_run(folder)


def count_judged(folder: Path) -> int:
    """Count the episodes in the folder of a run that have a verdict: those are not played again."""
    return sum(line.status != "error" for line in index_episodes(folder).values())


def check_folder(plan: Plan, folder: Path) -> None:
    """Refuse a folder that holds a run of another plan, or something that is no run."""
    if not (folder / RUN).exists():
        own = {PARTS, LOCK, WORKERS_LOCK}
        if others := sorted(path.name for path in folder.glob("*") if path.name not in own):
            raise UsageError(f"{folder} is no run and not empty (it has {others[0]}); choose another folder")
        return
    there = open_run(folder).config
    if there.get("plan") != plan.digest:
        raise UsageError(
            f"{folder} holds a run of another plan ({there.get('episodes')} episodes of {there.get('gym')} by "
            f"{there.get('agent', {}).get('name')}); choose another folder, or remove it"
        )


def _episode_ids(plan: Plan) -> dict[EpisodeKey, str]:
    """The id of every episode. Wordings belong to it, so tasks are looked up where there are some."""
    paths = {p.digest: p.path for p in plan.places}
    return {
        spot: derive_episode_id(plan, spot, _find_wording(plan.wordings, paths[spot.world], spot))
        for spot in plan.episodes
    }


def _find_wording(wordings: Mapping[str, str], path: str, spot: EpisodeKey) -> str | None:
    """Other words for the task of a spot, where there are some."""
    return wordings.get(hash_instruction(_open_world(path).book.task(spot.task).instruction)) if wordings else None


def _play_all(
    plan: Plan,
    left: Sequence[EpisodeKey],
    ids: dict[EpisodeKey, str],
    folder: Path,
    workers: int,
    watch: Callable[[EpisodeSummary], None] | None,
    at_once: int,
) -> None:
    chunks = _make_chunks(plan, left, ids, folder, max(1, workers), at_once)
    errors = 0
    for outcome in map_in_processes(play_chunk, chunks, workers):
        if outcome.error is not None:
            raise outcome.error
        for one in outcome.result or ():
            errors = errors + 1 if one.status == "error" else 0
            if watch is not None:
                watch(one)
            if errors >= MAX_ERRORS_IN_A_ROW:
                raise EpisodeError(
                    f"{errors} episodes in a row came to no verdict, the last one because {one.problem or 'something failed'}; "
                    f"what was played is kept in {folder}, and the same run goes on with it"
                )


def _make_chunks(
    plan: Plan, left: Sequence[EpisodeKey], ids: dict[EpisodeKey, str], folder: Path, workers: int, at_once: int
) -> Iterator[Chunk]:
    places = {p.digest: p for p in plan.places}
    together = at_once if is_async(_get_agent(plan.player)) else 1
    size = max(1, together, min(MAX_CHUNK_EPISODES, len(left) // (workers * 4)))
    for world, episodes in groupby(left, key=lambda s: s.world):
        mine = list(episodes)
        for start in range(0, len(mine), size):
            some = tuple((spot, ids[spot]) for spot in mine[start : start + size])
            yield Chunk(
                places[world], some, plan.player, plan.agent_id, plan.limits, plan.face, plan.seed,
                plan.wordings, plan.speaker, str(folder), at_once,
            )  # fmt: skip


# in a worker


def play_chunk(chunk: Chunk) -> list[EpisodeSummary]:
    """Play the episodes of a chunk, each written down as it ends."""
    world, agent, part = _open_world(chunk.place.path), _get_agent(chunk.player), _get_part(chunk.folder)
    if world.digest != chunk.place.digest:
        raise UsageError(f"the pack at {chunk.place.path} is no longer the one that was planned with")
    settings = [_make_setup(chunk, spot, key) for spot, key in chunk.episodes]
    out: list[EpisodeSummary] = []

    def done(episode: Episode) -> None:
        part.write(episode, _OPENINGS.by_id[episode.opening])
        spot = EpisodeKey(episode.world, episode.task, episode.attempt)
        out.append(
            EpisodeSummary(spot, episode.status, episode.outcome, episode.family, len(episode.steps), episode.problem)
        )

    if is_async(agent):
        asyncio.run(_play_together(world, agent, chunk, settings, done))
    else:
        _play_in_turn(world, agent, chunk, settings, done)
    return out


def _make_setup(chunk: Chunk, spot: EpisodeKey, key: str) -> EpisodeSetup:
    place = chunk.place
    words = _find_wording(chunk.wordings, place.path, spot)
    return EpisodeSetup(
        key, spot, place.domain, place.variant, chunk.face, derive_seed(chunk.seed, spot), chunk.agent_id, words
    )


def _play_in_turn(world: World, agent: Agent, chunk: Chunk, settings: Sequence[EpisodeSetup], done: Done) -> None:
    env = _open_env(world, chunk)
    for setting in settings:
        tries = 1
        while (episode := play(env, agent, setting, chunk.limits, _OPENINGS)).status == "error" and tries < MAX_TRIES:
            tries += 1
            env.close()
            env = _open_env(world, chunk)
        done(episode)
    env.close()


async def _play_together(
    world: World, agent: Agent, chunk: Chunk, settings: Sequence[EpisodeSetup], done: Done
) -> None:
    """Episodes that are waited for together, each in an environment of its own."""
    room = asyncio.Semaphore(chunk.at_once)

    async def once(setting: EpisodeSetup) -> Episode:
        env = _open_env(world, chunk)
        try:
            return await play_async(env, agent, setting, chunk.limits, _OPENINGS)
        finally:
            env.close()

    async def one(setting: EpisodeSetup) -> None:
        async with room:
            tries = 1
            while (episode := await once(setting)).status == "error" and tries < MAX_TRIES:
                tries += 1
            done(episode)

    await asyncio.gather(*map(one, settings))


def _open_env(world: World, chunk: Chunk) -> Env:
    word = None if chunk.speaker is None else _get_speaker(chunk.speaker)
    return world.env(EngineLimits(calls=chunk.limits.calls), chunk.face, word=word)


_OPENINGS = Openings()
_AGENTS: dict[str, Agent] = {}
_SPEAKERS: dict[str, Word] = {}
_PARTS: dict[str, PartWriter] = {}
"""Of this process."""


@lru_cache(maxsize=8)
def _open_world(path: str) -> World:
    return open_world(path)


def _get_agent(player: AgentSpec) -> Agent:
    key = repr(player)
    if key not in _AGENTS:
        _AGENTS[key] = player.agent()
    return _AGENTS[key]


def _get_speaker(speaker: AgentSpec) -> Word:
    """The speaker of this process: a line that it worded once it words no second time."""
    key = repr(speaker)
    if key not in _SPEAKERS:
        _SPEAKERS[key] = make_speaker(speaker.spec, speaker.options)
    return _SPEAKERS[key]


def _get_part(folder: str) -> PartWriter:
    if folder not in _PARTS:
        _PARTS[folder] = PartWriter(Path(folder) / PARTS)
    return _PARTS[folder]


def _close_parts() -> None:
    while _PARTS:
        _PARTS.popitem()[1].close()
