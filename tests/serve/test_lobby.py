"""The open episodes of one process, and the door in front of them."""

from __future__ import annotations

import asyncio
from time import monotonic

import pytest
from starlette.types import Message, Receive, Scope, Send

from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.world import Gym, World
from worldwright.serve.board import DRAINED, UP, Board
from worldwright.serve.door import Door
from worldwright.serve.lobby import Full, Gone, Lobby, Unknown, worker_of
from worldwright.serve.metrics import Metrics
from worldwright.serve.settings import Settings


@pytest.fixture
def gym(library_world: World) -> Gym:
    return Gym("library", {"only": lambda: library_world})


def test_episodes_are_found_by_ids_that_nobody_guesses(gym: Gym) -> None:
    lobby = Lobby(gym, worker=3)
    held = [lobby.create("only", "task_001") for _ in range(50)]
    assert len({h.id for h in held}) == len(lobby) == 50
    for one in held:
        assert lobby.find(one.id) is one
        assert worker_of(one.id) == 3
        assert len(one.id.partition("-")[2]) * 6 >= 128, "bits that are drawn"
    lobby.close(held[0].id)
    for use in (lobby.find, lobby.close):
        with pytest.raises(Gone):
            use(held[0].id)
    with pytest.raises(EpisodeError, match="closed"):
        held[0].episode.verify()
    lobby.close_all()
    assert (len(lobby), lobby.counts.created, lobby.counts.closed) == (0, 50, 1)


@pytest.mark.parametrize("text", ["", "x", "3", "3-", "-3-AAAAAAAAAAAAAAAA", "03-AAAAAAAAAAAAAAAA", "٣-AAAAAAAAAAAAAAAA",
                                  "3-AAAAAAAAAAAAAAAA\n", "3-AAAAAAAAAAAAAAAA/../x", "9999999999-AAAAAAAAAAAAAAAA"])  # fmt: skip
def test_what_is_no_id(text: str) -> None:
    assert worker_of(text) is None


def test_no_more_than_are_allowed(gym: Gym) -> None:
    lobby, seen = Lobby(gym, most=2), list[int]()
    lobby.watch = seen.append
    first, _ = lobby.create("only", "task_001"), lobby.create("only", "task_002")
    with pytest.raises(Full, match="2 episodes are open"):
        lobby.create("only", "task_001")
    lobby.close(first.id)
    lobby.create("only", "task_001")
    assert seen == [1, 2, 1, 2]
    assert lobby.counts.refused == 1


def test_what_is_not_there_is_not_opened(gym: Gym) -> None:
    lobby = Lobby(gym)
    for variant, task in (("onyl", "task_001"), ("only", "task_999"), ("only", "../keys/task_001")):
        with pytest.raises(Unknown):
            lobby.create(variant, task)
    with pytest.raises(UsageError, match="obscured"):
        lobby.create("only", "task_001", "obscure")
    assert len(lobby) == 0


def test_what_is_idle_is_closed_but_never_what_is_in_use(gym: Gym) -> None:
    async def main() -> None:
        lobby = Lobby(gym, idle_s=10)
        idle, used, fresh = (lobby.create("only", "task_001") for _ in range(3))
        now = monotonic()
        idle.touched = used.touched = now - 11
        async with used.lock:
            assert lobby.reap(now) == 1
        assert lobby.find(fresh.id) is fresh
        with pytest.raises(Gone):
            lobby.find(idle.id)
        assert lobby.reap(now) == 1
        with pytest.raises(Gone):
            lobby.find(used.id)

    asyncio.run(main())


def test_who_waits_for_an_episode_that_is_closed_meanwhile_is_told(gym: Gym) -> None:
    async def main() -> None:
        lobby = Lobby(gym)
        name = lobby.create("only", "task_001").id

        async def wait() -> None:
            async with lobby.use(name):
                raise AssertionError("it is closed")

        async with lobby.use(name):
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0)
            lobby.close(name)
        with pytest.raises(Gone):
            await waiting

    asyncio.run(main())


def test_workers_know_of_each_other() -> None:
    board = Board(3)
    for number in (0, 1, 2):
        board.enter(number)
        board.mark(number, UP)
    board.count(0, 9)
    board.count(1, 4)
    board.count(2, 4)
    assert board.open() == 17
    assert [board.emptiest(n) for n in (0, 1, 2)] == [(1, 4), (1, 4), (2, 4)]
    board.enter(4)
    assert (board.live(1), board.died(1), board.live(4), board.died(7)) == (False, True, True, False)
    assert board.others(0) == [2], "the new one is not up yet"
    assert board.open() == 13
    for number in (0, 2):
        board.mark(number, DRAINED)
    assert not board.undrained()


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

        settings = Settings(token="x", body_s=0.02)
        lobby = Lobby(gym)
        door = Door(inner, settings, Metrics(lobby, 0), lobby)
        headers = [(b"authorization", b"Bearer x"), (b"content-length", b"5")]
        await door({"type": "http", "method": "POST", "path": "/episodes", "headers": headers}, receive, send)
        return sent

    start, body = asyncio.run(main())
    assert start["status"] == 408
    assert b"too_slow" in body["body"]
