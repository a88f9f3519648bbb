"""The open episodes of one process, under names that nobody can guess."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic

from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.surface import SURFACES
from worldwright.engine.world import Gym, World

SECRET_BYTES = 18
"""144 bits: whoever has an id may play that episode, and nobody else."""
_ID = re.compile(r"(0|[1-9][0-9]{0,8})-[A-Za-z0-9_-]{16,64}\Z")
_GONE = "no episode has this id: it was never there, was closed, or was idle for too long"


class Full(Exception):
    """As many episodes are open as there may be."""


class Unknown(UsageError):
    """No such variant, or no such task in it."""


class Gone(Exception):
    """No episode has this id: it was never there, was closed, or was idle for too long."""


@dataclass(slots=True, eq=False)
class Held:
    """An open episode. Whoever uses it holds its lock: two calls at once are put in order, never mixed."""

    id: str
    episode: Episode
    variant: str
    world: World
    touched: float
    """When it was last used, on the monotonic clock."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(slots=True)
class Counts:
    """What has happened since the process started."""

    created: int = 0
    closed: int = 0
    reaped: int = 0
    refused: int = 0
    """Episodes that were not opened because too many were."""


class Lobby:
    """Opens episodes, finds them again, and closes the ones that are left alone for too long."""

    def __init__(
        self, gym: Gym, *, most: int = 1024, idle_s: float = 600.0, limits: Limits | None = None, worker: int = 0
    ) -> None:
        self.gym = gym
        self.most = most
        self.idle_s = idle_s
        self.limits = limits
        self.worker = worker
        """The number of this process, which stands in front of the ids of its episodes."""
        self.counts = Counts()
        self.watch: Callable[[int], None] = lambda episodes: None
        """Is told how many are open whenever that changes."""
        self._held: dict[str, Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    def create(self, variant: str, task: str, face: str = "plain") -> Held:
        """Open an episode. Raises `Full`, `Unknown`, or UsageError where the world has no such face."""
        if len(self._held) >= self.most:
            self.counts.refused += 1
            raise Full(f"{self.most} episodes are open, and no more are allowed")
        if variant not in self.gym.variants:
            raise Unknown(f"{self.gym.name} has no variant {variant!r}; {nearest(variant, self.gym.variants)}")
        world = self.gym.world(variant)
        if task not in world.book.ids:
            raise Unknown(f"{variant} has no task {task!r}; {nearest(task, world.book.ids)}")
        if face not in SURFACES:
            raise UsageError(f"there is no face {face!r}; {nearest(face, SURFACES)}")
        episode = world.open(task, face=face, limits=self.limits)
        name = f"{self.worker}-{secrets.token_urlsafe(SECRET_BYTES)}"
        held = self._held[name] = Held(name, episode, variant, world, monotonic())
        self.counts.created += 1
        self.watch(len(self._held))
        return held

    def find(self, episode_id: str) -> Held:
        """The episode with this id, which counts as used now. Raises `Gone`."""
        held = self._held.get(episode_id)
        if held is None:
            raise Gone(_GONE)
        held.touched = monotonic()
        return held

    def may_have(self, episode_id: str) -> bool:
        """False where it is certain that there is no such episode. Those of other workers are known only to them."""
        number = worker_of(episode_id)
        return number is not None and (number != self.worker or episode_id in self._held)

    @asynccontextmanager
    async def use(self, episode_id: str) -> AsyncIterator[Held]:
        """The episode with this id, for nobody else meanwhile. Raises `Gone`, also where it is closed while this one waits."""
        held = self.find(episode_id)
        async with held.lock:
            if self._held.get(episode_id) is not held:
                raise Gone(_GONE)
            yield held
            held.touched = monotonic()

    def close(self, episode_id: str) -> None:
        """Close an episode. Raises `Gone`. Hold its lock, or be sure that nobody else does."""
        held = self._held.pop(episode_id, None)
        if held is None:
            raise Gone(_GONE)
        held.episode.close()
        self.counts.closed += 1
        self.watch(len(self._held))

    def reap(self, now: float) -> int:
        """Close what has been idle for too long, but nothing that is in use right now. How many were closed."""
        idle = [h.id for h in self._held.values() if now - h.touched > self.idle_s and not h.lock.locked()]
        for name in idle:
            self._held.pop(name).episode.close()
        self.counts.reaped += len(idle)
        self.watch(len(self._held))
        return len(idle)

    def close_all(self) -> None:
        """Close everything, at the end."""
        while self._held:
            self._held.popitem()[1].episode.close()


def worker_of(episode_id: str) -> int | None:
    """Whose episode this is, or None where the text is no id at all."""
    found = _ID.match(episode_id)
    return int(found[1]) if found else None
