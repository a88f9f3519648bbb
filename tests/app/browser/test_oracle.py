"""The oracle that clicks ends where the oracle with tools does: here in the town library and through a contract; in the whole
catalogue with `python -m studies.clicking`."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser
from tests.app.visiting import Visitor

from worldwright.app.oracle import ClickOracle, Lost
from worldwright.app.web.server import shared_server
from worldwright.engine.world import World
from worldwright.world.records import Call


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_key_is_played_by_clicking(chromium: Browser, library_world: World, script: bool) -> None:
    for task in library_world.tasks[:: 4 if script else 7]:
        with library_world.open(task.id) as plain:
            key = plain.env.key()
            for call in key.calls:
                plain.call(call.tool, call.arguments)
            wanted = plain.env.state_digest()
        with library_world.open(task.id, face="app") as episode:
            page = episode.new_page(chromium, java_script_enabled=script)
            ClickOracle(page, episode.session.screens, episode.session.looks).play(key, key.calls, task)
            assert episode.verify().reward == 1.0, task.id
            assert episode.log().final_digest == wanted
            assert library_world.judge(episode.log()).reward == 1.0


def test_looking_around_scores_nothing(chromium: Browser, library_world: World) -> None:
    with library_world.open("task_001", face="app") as episode:
        page = episode.new_page(chromium)
        page.get_by_role("link", name="Handbook", exact=True).first.click()
        page.get_by_role("heading", level=1).wait_for()
        assert episode.verify().reward == 0.0


def test_a_wrong_call_is_found_out(chromium: Browser, library_world: World) -> None:
    """The oracle does not pretend: what is refused, or not there, is said."""
    with library_world.open("task_001", face="app") as episode:
        page = episode.new_page(chromium)
        page.set_default_timeout(3_000)
        oracle = ClickOracle(page, episode.session.screens, episode.session.looks)
        oracle.make(Call("take_back", {"loan": "LN-99999"}))
        assert "There is no such record" in oracle.refused[-1]
        with pytest.raises(Lost, match="there is no field for 'nothing'"):
            oracle.make(Call("take_back", {"nothing": 1}))
        assert Visitor(shared_server(), episode.session).get("activity").status == 200
