"""Others who react: an owner answers what an agent asked, and the cashier pays what the owner granted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.shared_builds import build

from worldwright.blueprint.load import load_file, load_text
from worldwright.core.errors import BlueprintError
from worldwright.engine.conformance import check_world
from worldwright.engine.env import Env
from worldwright.engine.replay import replay
from worldwright.engine.world import World
from worldwright.store.open import world_of

APPROVALS = Path(__file__).parent / "approvals.yaml"


@pytest.fixture(scope="module")
def office() -> World:
    return world_of(build(load_file(APPROVALS), 7).pack)


@pytest.fixture
def env(office: World) -> Env:
    found = office.env()
    found.reset(role="assistant")
    return found


def ask(env: Env, amount: float) -> str:
    budget = env.call_tool("find_budgets", {}).data["items"][0]["id"]
    made: str = env.call_tool("draft_request", {"budget": budget, "amount": amount}).data["id"]
    assert env.call_tool("ask_owner", {"request": made}).ok
    return made


def see(env: Env, request: str) -> dict[str, Any]:
    data: dict[str, Any] = env.call_tool("get_request", {"request": request}).data
    return data


def wait(env: Env, moment: str) -> None:
    assert env.call_tool("wait_until", {"moment": moment}).ok


def test_the_owner_answers_at_their_moment_and_not_before(env: Env) -> None:
    small, large = ask(env, 5), ask(env, 9000)
    wait(env, "2026-03-02T11:59:00Z")
    assert (see(env, small)["state"], see(env, large)["state"]) == ("asked", "asked")
    wait(env, "2026-03-02T12:10:00Z")
    assert (see(env, small)["state"], see(env, large)["state"]) == ("granted", "declined")
    assert see(env, small)["answered_at"] == "2026-03-02T12:01:00Z"
    others = env.list_others()
    assert [(one.call.tool, one.happened) for one in others] == [("grant", True), ("decline", True)]
    budget = env.call_tool("find_budgets", {}).data["items"][0]
    assert others[0].actor == budget["owner"]


def test_an_answer_is_answered(env: Env) -> None:
    request = ask(env, 5)
    wait(env, "2026-03-03T09:59:00Z")
    assert see(env, request)["state"] == "granted"
    wait(env, "2026-03-03T10:00:00Z")
    assert (see(env, request)["state"], see(env, request)["paid_at"]) == ("paid", "2026-03-03T10:00:00Z")


def test_only_what_was_asked_is_answered(office: World, env: Env) -> None:
    budget = env.call_tool("find_budgets", {}).data["items"][0]["id"]
    env.call_tool("draft_request", {"budget": budget, "amount": 5})
    env.call_tool("ask_owner", {"request": "REQ-9999"})
    wait(env, "2026-03-10T09:00:00Z")
    assert env.list_others() == ()


def test_what_they_do_is_theirs_and_replays_and_forks(office: World, env: Env) -> None:
    request = ask(env, 5)
    twin = env.fork()
    for one in (env, twin):
        wait(one, "2026-03-04T09:00:00Z")
    assert env.list_others() == twin.list_others() != ()
    assert env.trajectory() == twin.trajectory()
    again = office.env()
    again.reset(role="assistant")
    assert replay(again, env.trajectory()) == []
    session: Any = env._session
    mine = {(change.entity, change.id) for change in session.changes()}
    assert mine == {("request", request)}
    position = session._opening.compiled.tables["request"].position
    (change,) = session.changes()
    assert change.after[position["state"]] == "asked"
    assert see(env, request)["state"] == "paid"


def test_both_answers_are_tasks_that_pass_and_the_world_is_sound(office: World) -> None:
    assert {len(office.key(task.id).calls) for task in office.tasks}
    endings = set()
    for task in office.tasks:
        env = office.env()
        env.reset(task.id)
        for call in env.key().calls:
            assert env.call_tool(call.tool, call.arguments).ok
        endings.add(env.key().answer["state"])
        env.submit(env.key().answer)
        assert env.verify().status == "pass"
        early = office.env()
        early.reset(task.id)
        for call in env.key().calls:
            if call.tool != "wait_until":
                early.call_tool(call.tool, call.arguments)
        early.submit(env.key().answer)
        assert early.verify().status == "fail"
    assert endings == {"granted", "dropped"}
    assert check_world(office) == []
    assert "answers after three hours" in office.handbook


@pytest.mark.parametrize(
    ("text", "by", "said"),
    [
        ("to: grant", "to: grand", "did you mean `grant`"),
        ("to: grant", "to: get_request", "writes nothing"),
        ("at: at(today + 1, 10)", "at: today + 1", "time"),
        ("by: cashier, with", "by: manager, with", "a manager may not pay_out"),
        ("{do: pay_out, by: cashier,", "{do: pay_out, by: cashier, after: 3,", "no `as`, `chance` or `after`"),
        ("{do: pay_out, by: cashier, with", "{do: grant, by: manager, with", "that never ends"),
        ("as: wish", "as: request2", "wish"),
    ],
)
def test_mistakes_are_told(text: str, by: str, said: str) -> None:
    source = APPROVALS.read_text()
    assert text in source
    with pytest.raises(BlueprintError, match=said):
        load_text(source.replace(text, by))
