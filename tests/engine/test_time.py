"""Worlds in which others go on working: events at their moments, waiting, and what is whose doing."""

from __future__ import annotations

import subprocess
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared_builds import build

from worldwright.blueprint.load import load_file, load_text
from worldwright.core.errors import BlueprintError, TamperedPack
from worldwright.engine.conformance import check_world
from worldwright.engine.env import Env
from worldwright.engine.replay import replay
from worldwright.engine.trajectories import trajectory_text
from worldwright.engine.world import World
from worldwright.kinds.database.agenda import FILE, read_agenda
from worldwright.kinds.database.deeds import Deeds
from worldwright.pack.open import Pack
from worldwright.pack.seal import write_pack
from worldwright.store.open import world_of

ORDERS = Path(__file__).parent / "orders.yaml"
END = "2026-03-10T09:00:00Z"


@pytest.fixture(scope="module")
def pack() -> Pack:
    return build(load_file(ORDERS), 7).pack


@pytest.fixture(scope="module")
def shop(pack: Pack) -> World:
    return world_of(pack)


@pytest.fixture
def env(shop: World) -> Env:
    found = shop.env()
    found.reset(role="buyer")
    return found


def wait(env: Env, moment: str) -> Any:
    return env.call_tool("wait_until", {"moment": moment})


def events(shop: World) -> list[Any]:
    runtime: Any = shop.runtime
    return [event for _, event in runtime.opening.events]


def test_reading_takes_no_time_and_writing_what_it_lasts(env: Env) -> None:
    assert env.call_tool("find_purchases", {"state": "ordered"}).ok
    assert env.agent.clock() == "2026-03-02T09:00:00Z"
    open_order = env.call_tool("find_purchases", {"state": "ordered"}).data["items"][0]["id"]
    assert env.call_tool("cancel", {"purchase": open_order}).ok
    assert env.agent.clock() == "2026-03-02T09:15:00Z"


def test_what_is_due_happens_and_nothing_before(shop: World, env: Env) -> None:
    first = events(shop)[0]
    day, minute = first.at[:10], first.at[11:16]
    assert minute > "09:00"
    before = env.call_tool("find_purchases", {"limit": 1}).data["total"]
    just_before = f"{day}T{int(minute[:2]):02d}:{max(0, int(minute[3:]) - 1):02d}:00Z"
    if just_before > env.agent.clock():
        assert wait(env, just_before).ok
    assert env.diff() == {}
    assert wait(env, END).ok
    assert env.agent.clock() == END
    session = env._session
    assert [happened for _, happened in session.list_happened()] == [True] * len(events(shop))  # type: ignore[union-attr]
    orders = sum(event.tool == "place_order" for event in events(shop))
    assert env.call_tool("find_purchases", {"limit": 1}).data["total"] == before + orders > before


@pytest.mark.parametrize("moment", ["2026-03-01T09:00:00Z", "2026-03-10T09:00:01Z", "noon"])
def test_one_waits_for_a_moment_that_comes(env: Env, moment: str) -> None:
    result = wait(env, moment)
    assert result.error is not None
    assert result.error.code == "INVALID_ARGUMENT"
    assert env.agent.clock() == "2026-03-02T09:00:00Z"


def test_who_comes_first_is_served(shop: World, env: Env) -> None:
    """An order that was cancelled does not arrive; all others do."""
    due = next(
        event for event in events(shop) if event.tool == "book_arrival" and event.arguments["purchase"] < "PO-0230"
    )
    assert env.call_tool("cancel", {"purchase": due.arguments["purchase"]}).ok
    wait(env, END)
    happened = env._session.list_happened()  # type: ignore[union-attr]
    assert [event for event, fine in happened if not fine] == [due]
    assert env.call_tool("get_purchase", {"purchase": due.arguments["purchase"]}).data["state"] == "cancelled"


def test_what_others_do_is_not_the_agents_doing(shop: World) -> None:
    """The frame is about the agent alone, however long it waits, and its rows keep out of the way of others' rows."""
    session: Any = shop.runtime.session("buyer")
    supplier = session.call("find_suppliers", {}).data["items"][0]["id"]
    mine = session.call("place_order", {"supplier": supplier, "amount": 12.5}).data["id"]
    alone = session.changes()
    assert [(change.entity, change.id) for change in alone] == [("purchase", mine)]
    assert session.call("wait_until", {"moment": END}).ok
    assert session.changes() == alone
    assert session.list_created() == (("purchase", mine),)
    assert len(session.diff()["purchase"].added) > 10
    other: Any = shop.runtime.session("buyer")
    assert other.call("wait_until", {"moment": END}).ok
    assert other.changes() == ()
    ours, theirs = (set(one.diff()["purchase"].added) for one in (session, other))
    assert ours - theirs == {mine}


def test_tasks_are_done_and_judged_from_files_too(shop: World, pack: Pack, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    write_pack(pack.files, folder)
    waited = 0
    for task in shop.tasks:
        env, key = shop.env(), shop.key(task.id)
        env.reset(task.id)
        for call in key.calls:
            assert env.call_tool(call.tool, call.arguments).ok
        env.submit(key.answer)
        assert env.verify().status == "pass"
        assert replay(shop.env(), env.trajectory()) == []
        assert shop.judge(env.trajectory()).status == "pass"
        waited += any(call.tool == "wait_until" for call in key.calls)
        (tmp_path / "final.db").write_bytes(env.snapshot())
        (tmp_path / "episode.jsonl").write_text(trajectory_text(env.trajectory()), "utf-8")
        file = folder / "vcode" / f"verify_{task.id[-3:]}.py"
        said = ["--final", str(tmp_path / "final.db"), "--trajectory", str(tmp_path / "episode.jsonl")]
        ran = subprocess.run([sys.executable, str(file), *said], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert waited >= 2


def test_without_waiting_it_is_not_done(shop: World) -> None:
    for task in shop.tasks:
        key = shop.key(task.id)
        if all(call.tool != "wait_until" for call in key.calls):
            continue
        env = shop.env()
        env.reset(task.id)
        for call in key.calls:
            if call.tool != "wait_until":
                env.call_tool(call.tool, call.arguments)
        env.submit(key.answer)
        assert env.verify().status == "fail"


def test_the_engine_keeps_its_promises(shop: World) -> None:
    assert check_world(shop) == []


def test_interleaved_episodes_end_as_serial_ones(shop: World) -> None:
    scripts = [
        [f"2026-03-0{day}T{hour:02d}:00:00Z" for day in days] for hour in (10, 15) for days in ((3, 4, 9), (2, 8), (5,))
    ]
    serial = []
    for script in scripts:
        env = shop.env()
        env.reset(role="buyer")
        assert all(wait(env, moment).ok for moment in script)
        serial.append(env.state_digest())
    envs = [shop.env() for _ in scripts]
    for env in envs:
        env.reset(role="buyer")
    for moments in zip_longest(*scripts):
        for env, moment in zip(envs, moments, strict=True):
            assert moment is None or wait(env, moment).ok
    assert [env.state_digest() for env in envs] == serial
    twins = [env.fork() for env in envs]
    for env in envs:
        env.reset(role="buyer")
    assert [twin.state_digest() for twin in twins] == serial
    assert len({env.state_digest() for env in envs}) == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  ahead: 8 days\n", "", "flows go on for 0 days"),
        ("      goes_on: true\n", "", "0 flows go on for 8 days"),
        ("ahead: 8 days", "ahead: a week", "is not a span"),
        ("    waits: moment\n", "    waits: today\n", "waits"),
        ("    waits: moment\n", "    waits: moment\n    does: [{require: now < moment}]\n", "does nothing else"),
    ],
)
def test_wrong_times_are_told(old: str, new: str, said: str) -> None:
    text = ORDERS.read_text("utf-8")
    assert old in text
    with pytest.raises(BlueprintError, match=said):
        load_text(text.replace(old, new))


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"events": [{"at": "x"}]}', b'{"events": 1}'])
def test_a_broken_agenda_is_refused(shop: World, data: bytes) -> None:
    with pytest.raises(TamperedPack, match=FILE):
        read_agenda(data, shop.runtime.tools)


def test_an_agenda_out_of_order_is_refused(shop: World, pack: Pack) -> None:
    known = read_agenda(pack.files[FILE], shop.runtime.tools)
    assert len(known.events) > 20
    with pytest.raises(TamperedPack, match="cannot be made then"):
        read_agenda(pack.files[FILE], {})


VALUES = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@given(st.lists(st.tuples(st.booleans(), VALUES), max_size=8), VALUES)
def test_deeds_are_what_one_did_oneself(writes: list[tuple[bool, list[int]]], opening: list[int]) -> None:
    """Of a row that several write to: without others, the whole difference; with them, in each field what oneself wrote last."""
    deeds, row, own = Deeds(), list(opening), dict[int, int]()
    for mine, values in writes:
        if mine:
            deeds.add({("t", "1"): list(row)}, {("t", "1"): list(values)})
            own |= {k: values[k] for k in range(3) if row[k] != values[k]}
        row = list(values)
    changes = deeds.list_changes()
    after = changes[0].after if changes else None
    if all(mine for mine, _ in writes):
        assert (list(after) if after is not None else opening) == row
    elif after is not None:
        assert all(after[k] == value for k, value in own.items())


def test_a_wait_ends_as_soon_as_what_it_is_for_has_come(shop: World, env: Env) -> None:
    arrivals = [e for e in events(shop) if e.tool == "book_arrival"]
    arrival = next(e for e in arrivals if env.call_tool("get_purchase", dict(e.arguments)).ok)
    order = arrival.arguments["purchase"]
    found = env.call_tool("wait_for", {"purchase": order, "latest": END})
    assert found.data == {"state": "arrived", "it_is": arrival.at}
    assert env.agent.clock() == arrival.at
    again = env.call_tool("wait_for", {"purchase": order, "latest": END})
    assert (again.data, env.agent.clock()) == (found.data, arrival.at)


def test_as_soon_as_is_not_later(shop: World) -> None:
    """What is to be done within the hour is done in time by who waits for it, and too late by who waits for a day."""
    task = next(
        t for t in shop.tasks if "as soon as" in t.instruction and "pay" in {c.tool for c in shop.key(t.id).calls}
    )
    verdicts = []
    for late in (False, True):
        env = shop.env()
        env.reset(task.id)
        for call in env.key().calls:
            arguments = dict(call.arguments)
            if late and call.tool == "wait_for":
                env.call_tool("wait_until", {"moment": END})
                continue
            assert env.call_tool(call.tool, arguments).ok
        env.submit(env.key().answer)
        verdicts.append(env.verify().status)
    assert verdicts == ["pass", "fail"]


def test_what_the_agent_adds_to_takes_no_ids_from_later_events(shop: World, env: Env) -> None:
    """An event that makes more rows than were planned, because of the agent, leaves the next ones and the agent their own."""
    planned = [e.arguments["purchase"] for e in events(shop) if e.tool == "book_arrival"]
    for order in planned[:4]:
        assert env.call_tool("add_box", {"purchase": order}).ok
    assert wait(env, END).ok
    assert [one.happened for one in env.list_others() if one.call.tool == "book_arrival"] == [True] * len(planned)
    slips = env.diff()["slip"].added
    assert len(slips) == len({row["box"] for row in slips.values()}) == len(planned) + 4
    assert env.call_tool("add_box", {"purchase": planned[0]}).ok


def test_the_tests_of_the_pack_pass(pack: Pack, tmp_path: Path) -> None:
    write_pack(pack.files, tmp_path / "shop")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    found = subprocess.run(command, cwd=tmp_path / "shop", capture_output=True, text=True)
    assert found.returncode == 0, found.stdout[-3000:]


def test_only_a_wait_is_ended() -> None:
    source = ORDERS.read_text().replace("    waits: latest\n", "")
    with pytest.raises(BlueprintError, match="this does not wait"):
        load_text(source)
