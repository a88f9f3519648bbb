"""The face `app`: an episode that is played in a browser is an episode."""

from __future__ import annotations

import pytest
from tests.app.test_pages import free_copy, free_member
from tests.app.visiting import Visitor

from worldwright.app.web.server import shared_server
from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.limits import Limits
from worldwright.engine.world import World


def test_an_episode_of_the_app_is_an_episode(library_world: World) -> None:
    with library_world.open("task_001", face="app") as episode, library_world.open("task_001") as plain:
        assert episode.task == plain.task
        assert episode.messages[0] == plain.messages[0]
        assert episode.messages[1]["content"].startswith(plain.messages[1]["content"])
        assert "page `Finish`" in episode.messages[1]["content"]
        assert (episode.done, episode.calls, episode.clock) == (False, 0, plain.clock)
        visitor = Visitor(shared_server(), episode.session)
        assert episode.url.endswith(episode.session.path)
        visitor.post("do/lend", {"~form": "0", "member": free_member(visitor), "copy": free_copy(visitor), "days": "7"})
        assert episode.calls == 1
        assert episode.clock > plain.clock
        assert set(episode.diff()) == {"loan", "copy"}
        assert episode.verify().reward == 0.0
        assert library_world.judge(episode.log()) == episode.verify()
        assert episode.snapshot().startswith(b"SQLite format 3")
        visitor.post("finish", {"~form": "1", "outcome": "done"})
        assert episode.done
    with pytest.raises(EpisodeError, match="closed"):
        episode.verify()
    episode.close()
    assert visitor.get("").status == 404


def test_the_requester_can_be_asked_where_the_face_says_so(library_world: World) -> None:
    with library_world.open("task_001", face="app_asking") as episode:
        page = Visitor(shared_server(), episode.session).get("messages")
        assert page.status == 200
    with library_world.open("task_001", face="app") as episode:
        assert Visitor(shared_server(), episode.session).get("messages").status == 404


def test_episodes_share_a_server_and_limits_hold(library_world: World) -> None:
    with (
        library_world.open("task_001", face="app", limits=Limits(calls=1)) as one,
        library_world.open("task_002", face="app") as other,
    ):
        assert one.url.rpartition("/e/")[0] == other.url.rpartition("/e/")[0]
        Visitor(shared_server(), one.session).get("list/find_loans")
        assert (one.done, other.done) == (True, False)


def test_a_face_that_nobody_brings_is_refused(library_world: World) -> None:
    with pytest.raises(UsageError, match="no face is called 'apps'; did you mean `app`"):
        library_world.open("task_001", face="apps")
    with pytest.raises(UsageError, match="no face `obscured`"):
        library_world.open("task_001", face="app_obscured")


def test_an_opened_page_costs_an_episode_little_more_than_none(library_world: World) -> None:
    """Environments of closed episodes are used again, and screens are described once."""
    with library_world.open("task_001", face="app") as first:
        screens = first.session.screens
    with library_world.open("task_001", face="app") as second:
        assert second.session.screens is screens
