"""The registry of the open episodes of one worker, under ids that nobody can guess."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.surface import SURFACES
from worldwright.engine.world import Gym, World

SECRET_BYTES = 18
"""144 bits: whoever has an id may play that episode, and nobody else."""
_ID = re.compile(r"(0|[1-9][0-9]{0,8})-[A-Za-z0-9_-]{16,64}\Z")
_NOT_FOUND = "episode not found: it was never opened, was closed, or was idle for too long"


class TooManyEpisodes(Exception):
    """As many episodes are open as the server allows."""


class UnknownTask(UsageError):
    """The gym has no such variant, or the variant no such task."""


class EpisodeNotFound(Exception):
    """No open episode has this id: it was never opened, was closed, or was idle for too long."""


@dataclass(slots=True, eq=False)
class OpenEpisode:
    """An episode of the registry. Whoever uses it holds its lock, so that calls that come at once are made one after the other."""

    id: str
    episode: Episode
    variant: str
    world: World
    touched: float
    """When it was last used, on the monotonic clock."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(slots=True)
class EpisodeCounts:
    """Counts of what happened to episodes since the process started."""

    created: int = 0
    closed: int = 0
    reaped: int = 0
    refused: int = 0
    """Episodes that were not opened because too many were."""


class EpisodeRegistry:
    """Opens episodes, finds them by id, and closes those that were idle for too long."""

    def __init__(
        self,
        gym: Gym,
        *,
        max_episodes: int = 1024,
        idle_s: float = 600.0,
        limits: Limits | None = None,
        worker: int = 0,
    ) -> None:
        self.gym = gym
        self.max_episodes = max_episodes
        self.idle_s = idle_s
        self.limits = limits
        self.worker = worker
        """The number of this process, which stands in front of the ids of its episodes."""
        self.counts = EpisodeCounts()
        self.on_change: Callable[[int], None] = lambda episodes: None
        """A callback that gets the number of open episodes whenever it changes."""
        self._open: dict[str, OpenEpisode] = {}

    def __len__(self) -> int:
        return len(self._open)

    def create(self, variant: str, task: str, face: str = "plain") -> OpenEpisode:
        """Open an episode. Raises `TooManyEpisodes`, `UnknownTask`, or UsageError where the world has no such face."""
        if len(self._open) >= self.max_episodes:
            self.counts.refused += 1
            raise TooManyEpisodes(f"{self.max_episodes} episodes are open, and no more are allowed")
        if variant not in self.gym.variants:
            raise UnknownTask(f"{self.gym.name} has no variant {variant!r}; {suggest(variant, self.gym.variants)}")
        world = self.gym.world(variant)
        if task not in world.book.ids:
            raise UnknownTask(f"{variant} has no task {task!r}; {suggest(task, world.book.ids)}")
        if face not in SURFACES:
            raise UsageError(f"there is no face {face!r}; {suggest(face, SURFACES)}")
        episode = world.open(task, face=face, limits=self.limits)
        name = f"{self.worker}-{secrets.token_urlsafe(SECRET_BYTES)}"
        opened = self._open[name] = OpenEpisode(name, episode, variant, world, monotonic())
        self.counts.created += 1
        self.on_change(len(self._open))
        return opened

    def find(self, episode_id: str) -> OpenEpisode:
        """Find the episode with this id and reset its idle time. Raises `EpisodeNotFound`."""
        opened = self._open.get(episode_id)
        if opened is None:
            raise EpisodeNotFound(_NOT_FOUND)
        opened.touched = monotonic()
        return opened

    def may_exist(self, episode_id: str) -> bool:
        """Tell whether an episode with this id may exist: certain for this worker's own ids, not for those of other workers."""
        number = parse_worker(episode_id)
        return number is not None and (number != self.worker or episode_id in self._open)

    @asynccontextmanager
    async def use(self, episode_id: str) -> AsyncIterator[OpenEpisode]:
        """Hold the lock of the episode with this id. Raises `EpisodeNotFound`, also where it was closed in the meantime."""
        opened = self.find(episode_id)
        async with opened.lock:
            if self._open.get(episode_id) is not opened:
                raise EpisodeNotFound(_NOT_FOUND)
            yield opened
            opened.touched = monotonic()

    def close(self, episode_id: str) -> None:
        """Close an episode. Raises `EpisodeNotFound`. Hold its lock, or be sure that nobody else does."""
        opened = self._open.pop(episode_id, None)
        if opened is None:
            raise EpisodeNotFound(_NOT_FOUND)
        opened.episode.close()
        self.counts.closed += 1
        self.on_change(len(self._open))

    def close_idle(self, now: float) -> int:
        """Close the episodes that were idle for too long, none that is in use right now. Returns how many were closed."""
        idle = [h.id for h in self._open.values() if now - h.touched > self.idle_s and not h.lock.locked()]
        for name in idle:
            self._open.pop(name).episode.close()
        self.counts.reaped += len(idle)
        self.on_change(len(self._open))
        return len(idle)

    def close_all(self) -> None:
        """Close every episode of the registry."""
        while self._open:
            self._open.popitem()[1].episode.close()


def parse_worker(episode_id: str) -> int | None:
    """Read the number of the worker from the id of an episode; None where the text is no id."""
    found = _ID.match(episode_id)
    return int(found[1]) if found else None
