"""The HTTP server as a controller uses it: worlds, tasks, episodes, verdicts, logs; and whom it turns away."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.serve.http_server import TOKEN, Server, bearer, begin, problem
from tests.serve.mcp_talk import message

from worldwright.engine.episode import Episode
from worldwright.engine.replay import replay
from worldwright.engine.trajectories import read_trajectory, trajectory_text
from worldwright.engine.world import Gym, World

pytestmark = pytest.mark.xdist_group("serve")
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def world(gym: Gym) -> World:
    return gym.world("seed_7")


def step(client: httpx2.Client, name: str, tool: str, arguments: Any = None) -> dict[str, Any]:
    answer = client.post(f"/episodes/{name}/step", json={"tool": tool, "arguments": arguments})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_what_there_is(client: httpx2.Client, gym: Gym) -> None:
    found = client.get("/worlds").json()
    assert found["gym"] == "town_library"
    assert [w["variant"] for w in found["worlds"]] == ["seed_7", "seed_8"]
    for facts in found["worlds"]:
        world = gym.world(facts["variant"])
        assert (facts["digest"], facts["tasks"]) == (world.digest, len(world.tasks))
        tasks = client.get(f"/worlds/{facts['variant']}/tasks").json()["tasks"]
        assert [t["instruction"] for t in tasks] == [t.instruction for t in world.tasks]
        assert all(t["answer_schema"]["type"] == "object" and t["role"] and t["family"] for t in tasks)


def test_no_key_is_ever_shown(client: httpx2.Client, world: World) -> None:
    """Neither gold calls nor what the verifier expects is anywhere before a verdict is asked for."""
    text = client.get("/worlds/seed_7/tasks").text + json.dumps(begin(client)) + client.get("/openapi.json").text
    for task in world.tasks:
        key = world.key(task.id)
        assert not key.program or key.program not in text
        assert json.dumps(key.expects) not in text
    assert not {"calls", "expects", "answer", "program", "provenance"} & set(
        client.get("/worlds/seed_7/tasks").json()["tasks"][0]
    )


def test_an_episode_from_start_to_verdict(client: httpx2.Client, world: World) -> None:
    for task in world.tasks[:8]:
        native, key = world.open(task.id), world.key(task.id)
        begun = begin(client, task=task.id)
        name = begun["id"]
        assert begun["messages"] == list(native.messages)
        assert [t["name"] for t in begun["tools"]] == [t.name for t in native.tools]
        assert begun["tools"][-1] == {
            "name": native.submit, "description": native.tools[-1].description,
            "input_schema": task.answer_schema, "output_schema": native.tools[-1].output_schema,
        }  # fmt: skip
        assert (begun["submit"], begun["world"], begun["clock"]) == (native.submit, world.digest, native.clock)
        for call in key.calls:
            result = native.call(call.tool, call.arguments)
            assert step(client, name, call.tool, call.arguments) == {**result.payload(), "done": result.done}
        state = client.get(f"/episodes/{name}").json()
        assert (state["done"], state["calls"], state["clock"]) == (False, len(key.calls), native.clock)
        assert client.post(f"/episodes/{name}/verify").json()["reward"] == 0
        native.call(native.submit, key.answer)
        assert step(client, name, native.submit, key.answer) == {"ok": True, "data": None, "done": True}
        assert step(client, name, "find_members")["error"]["code"] == "EPISODE_OVER"
        verdict = client.post(f"/episodes/{name}/verify").json()
        assert verdict == json.loads(json.dumps({"reason": "", **native.verify().data()}))
        log = client.get(f"/episodes/{name}/log").text
        assert log == trajectory_text(native.log())
        assert client.delete(f"/episodes/{name}").status_code == 204
        assert problem(client.get(f"/episodes/{name}"), 404) == "no_episode"
        assert client.post("/judge", content=log, headers={"Content-Type": "text/plain"}).json() == verdict


def _answer_only(world: World, task: str) -> str:
    """The log of an episode in which only the right answer was given; empty where that is enough."""
    with world.open(task) as episode:
        episode.call(episode.submit, world.key(task).answer)
        return "" if episode.verify().reward else trajectory_text(episode.log())


def test_a_log_is_judged_by_its_calls_not_by_what_it_says(client: httpx2.Client, world: World) -> None:
    task, log = next((t.id, log) for t in world.tasks if (log := _answer_only(world, t.id)))
    text = {"Content-Type": "text/plain"}
    claimed = log.replace('"calls": 0', '"calls": 1').splitlines()
    claimed.insert(
        1, json.dumps({"type": "call", "tool": "lend_copy", "arguments": {}, "clock": "", "ok": True, "data": {}})
    )
    for sent in (log, "\n".join(claimed)):
        assert client.post("/judge", content=sent, headers=text).json()["status"] == "fail"
    assert problem(client.post("/judge", content="{}", headers=text), 422) == "invalid"
    assert problem(client.post("/judge", content=log.replace(world.digest, "0" * 64), headers=text), 404) == "not_found"
    assert problem(client.post("/judge", content=log.replace(task, "task_999"), headers=text), 422) == "invalid"


def test_faces(client: httpx2.Client, world: World) -> None:
    obscured = begin(client, face="obscured")
    assert all(t["name"].startswith("action_") for t in obscured["tools"][:-1])
    assert begin(client, face="asking")["tools"][-2]["name"] == "ask_requester"
    assert (
        problem(client.post("/episodes", json={"variant": "seed_7", "task": "task_001", "face": "odd"}), 422)
        == "invalid"
    )


def test_who_is_not_let_in(server: Server) -> None:
    paths = [
        ("GET", "/worlds"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("POST", "/episodes"),
        ("GET", "/nowhere"),
    ]
    with httpx2.Client(base_url=server.url) as nobody:
        assert nobody.get("/health").json()["status"] == "ok"
        for method, path in paths:
            for headers in (
                {},
                bearer("wrong"),
                bearer(TOKEN[:-1]),
                {"Authorization": TOKEN},
                {"Authorization": f"Basic {TOKEN}"},
            ):
                answer = nobody.request(method, path, headers=headers)
                assert problem(answer, 401) == "unauthorized"
                assert answer.headers["WWW-Authenticate"] == "Bearer"
        for path in ("/mcp/0-AAAAAAAAAAAAAAAAAAAAAAAA", "/mcp/nothing", "/mcp/"):
            assert nobody.post(path, json={}).status_code == 404


def test_what_is_not_there(client: httpx2.Client) -> None:
    assert problem(client.get("/nowhere"), 404) == "not_found"
    assert problem(client.get("/worlds/seed_9/tasks"), 404) == "not_found"
    assert (
        "seed_8" in client.post("/episodes", json={"variant": "seed_9", "task": "task_001"}).json()["error"]["message"]
    )
    assert problem(client.post("/episodes", json={"variant": "seed_7", "task": "task_999"}), 404) == "not_found"
    for name in (
        "x",
        "0-AAAAAAAAAAAAAAAAAAAAAAAA",
        "1-AAAAAAAAAAAAAAAAAAAAAAAA",
        "77-AAAAAAAAAAAAAAAAAAAAAAAA",
        "9" * 150,
    ):
        assert problem(client.get(f"/episodes/{name}"), 404) == "no_episode"
        assert problem(client.post(f"/episodes/{name}/step", json={"tool": "x"}), 404) == "no_episode"
    wrong = client.put("/episodes/x")
    assert problem(wrong, 405) == "method_not_allowed"
    assert wrong.headers["Allow"] == "DELETE, GET"


def test_what_is_not_as_described(client: httpx2.Client) -> None:
    name = begin(client)["id"]
    bodies: tuple[Any, ...] = (
        {},
        {"variant": "seed_7"},
        {"variant": "seed_7", "task": "task_001", "more": 1},
        [],
        "x",
        {"variant": 1, "task": 2},
    )
    for body in bodies:
        assert problem(client.post("/episodes", json=body), 422) == "invalid"
        assert problem(client.post(f"/episodes/{name}/step", json=body), 422) == "invalid"
    for text in (b"{", b"\xff\xfe", b"[" * 100_000, b'{"tool": ' + b"9" * 5000 + b"}"):
        assert problem(client.post(f"/episodes/{name}/step", content=text, headers=JSON), 400) == "unreadable"
        assert client.post("/episodes", content=text, headers=JSON).status_code in {400, 422}
    assert client.get(f"/episodes/{name}").json()["calls"] == 0


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    tool=st.text(max_size=12) | st.sampled_from(["find_members", "submit_answer", "lend_copy"]),
    arguments=st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(st.characters(exclude_categories=()), max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    ),
)
def test_whatever_a_model_sends_a_result_comes_back(client: httpx2.Client, tool: str, arguments: Any) -> None:
    name = begin(client)["id"]
    body = json.dumps({"tool": tool, "arguments": arguments})
    answer = client.post(f"/episodes/{name}/step", content=body, headers=JSON)
    assert answer.status_code == 200
    assert set(answer.json()) in ({"ok", "data", "done"}, {"ok", "error", "done"})
    assert client.delete(f"/episodes/{name}").status_code == 204


def test_bodies_that_are_too_large(server: Server, client: httpx2.Client) -> None:
    name = begin(client)["id"]
    large = json.dumps({"tool": "x", "arguments": {"a": "x" * 2_000_000}}).encode()
    assert problem(client.post(f"/episodes/{name}/step", content=large, headers=JSON), 413) == "too_large"

    def pieces() -> Iterator[bytes]:
        for at in range(0, len(large), 65536):
            yield large[at : at + 65536]

    assert problem(client.post(f"/episodes/{name}/step", content=pieces(), headers=JSON), 413) == "too_large"
    small = {"tool": "x", "arguments": {"a": "x" * 200_000}}
    assert client.post(f"/episodes/{name}/step", json=small).json()["error"]["code"] == "INVALID_ARGUMENT"
    assert client.get("/health").status_code == 200


def test_calls_at_once_on_one_episode_are_put_in_order(server: Server, world: World) -> None:
    """However they arrive, what came of them is what one caller after the other would have seen."""

    async def rush() -> str:
        async with server.async_client(32) as client:
            name = (await client.post("/episodes", json={"variant": "seed_7", "task": "task_001"})).json()["id"]
            calls = [call for task in world.tasks[:6] for call in world.key(task.id).calls] * 3
            await asyncio.gather(
                *(
                    client.post(f"/episodes/{name}/step", json={"tool": c.tool, "arguments": dict(c.arguments)})
                    for c in calls
                ),
                *(client.post(f"/episodes/{name}/verify") for _ in range(8)),
                *(client.get(f"/episodes/{name}/log") for _ in range(8)),
            )
            log = (await client.get(f"/episodes/{name}/log")).text
            ends = await asyncio.gather(*(client.delete(f"/episodes/{name}") for _ in range(4)))
            assert sorted(e.status_code for e in ends) == [204, 404, 404, 404]
            assert log.count('"type": "call"') == len(calls)
            return log

    log = read_trajectory(asyncio.run(rush()))
    assert replay(world.env(), log) == []


def _serially(world: World, task: str, number: int) -> tuple[list[tuple[str, Any]], str, float | None]:
    """What episode so-and-so calls, and what comes of it in this process, alone."""
    key = world.key(task)
    calls: list[tuple[str, Any]] = [(c.tool, dict(c.arguments)) for c in key.calls]
    calls = [*calls[: len(calls) - number % 3], ("find_members", {"limit": 1 + number % 7})]
    with world.open(task) as episode:
        submit: list[tuple[str, Any]] = [(episode.submit, key.answer)] if number % 2 else []
        for tool, arguments in (*calls, *submit):
            episode.call(tool, arguments)
        return [*calls, *submit], _log(episode), episode.verify().reward


def _log(episode: Episode) -> str:
    return trajectory_text(episode.log())


@pytest.mark.slow
def test_256_episodes_at_once_end_like_256_one_after_the_other(server: Server, gym: Gym) -> None:
    """All are open before the first call; calls go over any connection, so half of them reach a worker that passes them on."""
    plan = []
    for number in range(256):
        variant = gym.variants[number % 2]
        tasks = gym.world(variant).tasks
        task = tasks[number // 2 % len(tasks)].id
        plan.append((variant, task, *_serially(gym.world(variant), task, number)))

    async def play() -> list[tuple[str, float | None, str]]:
        async with server.async_client() as client:

            async def open_one(variant: str, task: str) -> str:
                answer = await client.post("/episodes", json={"variant": variant, "task": task})
                return str(answer.json()["id"])

            async def finish(number: int, name: str) -> tuple[str, float | None, str]:
                calls = plan[number][2]
                for tool, arguments in calls:
                    await client.post(f"/episodes/{name}/step", json={"tool": tool, "arguments": arguments})
                verdict = (await client.post(f"/episodes/{name}/verify")).json()
                log = (await client.get(f"/episodes/{name}/log")).text
                if number % 4 == 0:
                    again = await client.post("/judge", content=log, headers={"Content-Type": "text/plain"})
                    assert again.json() == verdict
                assert (await client.delete(f"/episodes/{name}")).status_code == 204
                return log, verdict["reward"], name

            names = await asyncio.gather(*(open_one(variant, task) for variant, task, *_ in plan))
            return await asyncio.gather(*(finish(number, name) for number, name in enumerate(names)))

    found = asyncio.run(play())
    assert [(log, reward) for log, reward, _ in found] == [(log, reward) for *_, log, reward in plan]
    assert {reward for *_, reward in plan} == {0.0, 1.0}
    assert {name[0] for *_, name in found} == {"0", "1"}
    assert len({name for *_, name in found}) == 256


def test_agents_reach_their_episodes_over_mcp_wherever_these_are(server: Server, client: httpx2.Client) -> None:
    """No token, any connection: the id is the secret. Half of the requests are passed on."""
    names = [begin(client)["mcp"] for _ in range(24)]
    assert {name[len("/mcp/")] for name in names} == {"0", "1"}
    headers, body = message("tools/call", {"name": "find_members", "arguments": {"limit": 1}})
    for name in names:
        with httpx2.Client(base_url=server.url) as agent:
            result = agent.post(name, headers=headers, content=body).json()["result"]
        assert result["structuredContent"]["total"] > 1
        assert client.get(f"/episodes/{name.removeprefix('/mcp/')}").json()["calls"] == 1


def test_metrics_of_all_workers(server: Server, client: httpx2.Client) -> None:
    for _ in range(8):
        with server.client() as other:
            other.get("/worlds")
    text = client.get("/metrics").text
    families = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(families) == len(set(families))
    assert 'worldwright_episodes_open{worker="0"}' in text
    assert 'worldwright_episodes_open{worker="1"}' in text
    assert 'route="/worlds",status="200"' in text
    assert not re.search(r"/(?:mcp|episodes)/[0-9]", text), "ids are secrets"
    assert TOKEN not in text
