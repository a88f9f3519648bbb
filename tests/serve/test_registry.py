"""The registry of open episodes, the table of workers, and the auth middleware."""

from __future__ import annotations

import asyncio
from time import monotonic

import pytest
from starlette.types import Message, Receive, Scope, Send

from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.world import Gym, World
from worldwright.serve.auth import AuthMiddleware
from worldwright.serve.metrics import Metrics
from worldwright.serve.registry import EpisodeNotFound, EpisodeRegistry, TooManyEpisodes, UnknownTask, parse_worker
from worldwright.serve.settings import Settings
from worldwright.serve.worker_table import DRAINED, UP, WorkerTable


@pytest.fixture
def gym(library_world: World) -> Gym:
    return Gym("library", {"only": lambda: library_world})


def test_episodes_are_found_by_ids_that_nobody_guesses(gym: Gym) -> None:
    registry = EpisodeRegistry(gym, worker=3)
    opened = [registry.create("only", "task_001") for _ in range(50)]
    assert len({h.id for h in opened}) == len(registry) == 50
    for one in opened:
        assert registry.find(one.id) is one
        assert parse_worker(one.id) == 3
        assert len(one.id.partition("-")[2]) * 6 >= 128, "bits that are drawn"
    registry.close(opened[0].id)
    for use in (registry.find, registry.close):
        with pytest.raises(EpisodeNotFound):
            use(opened[0].id)
    with pytest.raises(EpisodeError, match="closed"):
        opened[0].episode.verify()
    registry.close_all()
    assert (len(registry), registry.counts.created, registry.counts.closed) == (0, 50, 1)


@pytest.mark.parametrize("text", ["", "x", "3", "3-", "-3-AAAAAAAAAAAAAAAA", "03-AAAAAAAAAAAAAAAA", "٣-AAAAAAAAAAAAAAAA",
                                  "3-AAAAAAAAAAAAAAAA\n", "3-AAAAAAAAAAAAAAAA/../x", "9999999999-AAAAAAAAAAAAAAAA"])  # fmt: skip
def test_what_is_no_id(text: str) -> None:
    assert parse_worker(text) is None


def test_no_more_than_are_allowed(gym: Gym) -> None:
    registry, seen = EpisodeRegistry(gym, max_episodes=2), list[int]()
    registry.on_change = seen.append
    first, _ = registry.create("only", "task_001"), registry.create("only", "task_002")
    with pytest.raises(TooManyEpisodes, match="2 episodes are open"):
        registry.create("only", "task_001")
    registry.close(first.id)
    registry.create("only", "task_001")
    assert seen == [1, 2, 1, 2]
    assert registry.counts.refused == 1


def test_what_is_not_there_is_not_opened(gym: Gym) -> None:
    registry = EpisodeRegistry(gym)
    for variant, task in (("onyl", "task_001"), ("only", "task_999"), ("only", "../keys/task_001")):
        with pytest.raises(UnknownTask):
            registry.create(variant, task)
    with pytest.raises(UsageError, match="obscured"):
        registry.create("only", "task_001", "obscure")
    assert len(registry) == 0


def test_what_is_idle_is_closed_but_never_what_is_in_use(gym: Gym) -> None:
    async def main() -> None:
        registry = EpisodeRegistry(gym, idle_s=10)
        idle, used, fresh = (registry.create("only", "task_001") for _ in range(3))
        now = monotonic()
        idle.touched = used.touched = now - 11
        async with used.lock:
            assert registry.close_idle(now) == 1
        assert registry.find(fresh.id) is fresh
        with pytest.raises(EpisodeNotFound):
            registry.find(idle.id)
        assert registry.close_idle(now) == 1
        with pytest.raises(EpisodeNotFound):
            registry.find(used.id)

    asyncio.run(main())


def test_who_waits_for_an_episode_that_is_closed_meanwhile_is_told(gym: Gym) -> None:
    async def main() -> None:
        registry = EpisodeRegistry(gym)
        name = registry.create("only", "task_001").id

        async def wait() -> None:
            async with registry.use(name):
                raise AssertionError("it is closed")

        async with registry.use(name):
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0)
            registry.close(name)
        with pytest.raises(EpisodeNotFound):
            await waiting

    asyncio.run(main())


def test_workers_know_of_each_other() -> None:
    table = WorkerTable(3)
    for number in (0, 1, 2):
        table.register(number)
        table.set_state(number, UP)
    table.set_open_episodes(0, 9)
    table.set_open_episodes(1, 4)
    table.set_open_episodes(2, 4)
    assert table.count_open_episodes() == 17
    assert [table.find_least_loaded(n) for n in (0, 1, 2)] == [(1, 4), (1, 4), (2, 4)]
    table.register(4)
    assert (table.is_current(1), table.has_died(1), table.is_current(4), table.has_died(7)) == (
        False,
        True,
        True,
        False,
    )
    assert table.find_running_peers(0) == [2], "the new one is not up yet"
    assert table.count_open_episodes() == 13
    for number in (0, 2):
        table.set_state(number, DRAINED)
    assert not table.has_running()


def test_a_body_that_does_not_come_is_not_waited_for(gym: Gym) -> None:
    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("nothing incomplete is let in")

    async def main() -> list[Message]:
        sent: list[Message] = []

        async def receive() -> Message:
            await asyncio.sleep(3600)
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        settings = Settings(token="x", body_timeout_s=0.02)
        registry = EpisodeRegistry(gym)
        app = AuthMiddleware(inner, settings, Metrics(registry, 0), registry)
        headers = [(b"authorization", b"Bearer x"), (b"content-length", b"5")]
        await app({"type": "http", "method": "POST", "path": "/episodes", "headers": headers}, receive, send)
        return sent

    start, body = asyncio.run(main())
    assert start["status"] == 408
    assert b"too_slow" in body["body"]
