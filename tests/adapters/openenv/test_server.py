"""The exported server over the wire, with OpenEnv's own clients: whole episodes, hundreds at once, and nothing of the keys."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.adapters.openenv.playing import action, gold, writes

from worldwright.engine.world import Gym

openenv = pytest.importorskip("openenv")
SESSIONS = 256


@pytest.fixture
def client(server: str) -> Iterator[Any]:
    from openenv.core import GenericEnvClient

    with GenericEnvClient(base_url=server).sync() as made:
        yield made


def every_task(gym: Gym) -> list[tuple[str, str]]:
    return [(variant, task.id) for variant in gym.variants for task in gym.world(variant).tasks]


# whole episodes


def test_the_calls_of_the_key_are_worth_one_on_every_task(client: Any, gym: Gym) -> None:
    for variant, task in every_task(gym):
        opening = client.reset(variant=variant, task=task)
        with gym.world(variant).open(task) as episode:
            assert opening.observation["messages"] == list(episode.messages)
            assert [t["name"] for t in opening.observation["tool_specs"]] == [t.name for t in episode.tools]
            *before, last = [client.step(action(*one)) for one in gold(gym.world(variant), task)]
            told = [episode.call(*one).payload() for one in gold(gym.world(variant), task)]
        assert [(one.reward, one.done) for one in before] == [(0.0, False)] * len(before)
        assert (last.reward, last.done, last.metadata["status"]) == (1.0, True, "pass")
        assert [one.observation["result"] for one in (*before, last)] == told


def test_doing_nothing_is_worth_zero(client: Any, gym: Gym) -> None:
    for variant, task in every_task(gym):
        client.reset(variant=variant, task=task)
        result = client.step(action("submit_answer", {"outcome": "refused"}))
        assert (result.reward, result.done) == (0.0, True), (variant, task)
        again = client.step(action("submit_answer", {"outcome": "refused"}))
        assert again.observation["result"]["error"]["code"] == "EPISODE_OVER"
        assert again.done


def test_state_says_which_episode_and_what_changed(client: Any, gym: Gym) -> None:
    assert client.state()["step_count"] == 0
    world = gym.world("seed_7")
    task = next(t.id for t in world.tasks if writes(world, t.id))
    client.reset(variant="seed_7", task=task, episode_id="the-first")
    began = client.state()
    assert began["changes"] == {}
    for one in gold(world, task):
        client.step(action(*one))
    now = client.state()
    which = {"gym": "town_library", "variant": "seed_7", "task": task, "world": world.digest, "episode_id": "the-first"}
    assert {**began, **which} == began
    assert {**now, **which, "done": True, "step_count": len(gold(world, task))} == now
    with world.open(task) as episode:
        for one in gold(world, task):
            episode.call(*one)
        assert set(now["changes"]) == set(episode.diff())


def test_which_task_it_is_can_be_said_in_three_ways(client: Any, gym: Gym) -> None:
    tasks = [t.id for t in gym.world("seed_8").tasks]
    assert client.reset(split="seed_8", index=1).metadata == {"variant": "seed_8", "task": tasks[1]}
    drawn = [client.reset(seed=seed).metadata for seed in range(20)]
    assert drawn == [client.reset(seed=seed).metadata for seed in range(20)]
    assert {one["variant"] for one in drawn} == {"seed_7", "seed_8"}
    assert len({(one["variant"], one["task"]) for one in drawn}) == 10 + len(tasks)
    row = {"gym": "here", "variant": "seed_8", "task": tasks[0], "world": gym.world("seed_8").digest, "family": "walk"}
    assert client.reset(**row).metadata["task"] == tasks[0]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"variant": "seed_9"}, "no variant 'seed_9'"),
        ({"variant": "seed_7", "task": "task_999"}, "task_999"),
        ({"split": "seed_7", "index": 99}, "none at 99"),
        ({"split": "seed_7", "index": "one"}, "none at 'one'"),
        ({"variant": "seed_7", "world": "0" * 64}, "not 000000000000"),
    ],
)
def test_a_wrong_choice_is_refused_and_the_session_goes_on(client: Any, choice: dict[str, Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=re.escape(message)):
        client.reset(**choice)
    assert client.reset(seed=0).observation["messages"]


NONSENSE = [
    action("find_loans", "{broken"),
    action("find_loans", "[]"),
    action("find_loans", [1]),
    action("find_loans", 1e400),
    action("find_loans", {"limit": "many", "\ud800": "\udfff"}),
    action("find_loans", {"a": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}),
    action("\ud800", {}),
    action("no_such_tool", {}),
    action(None, None),
    action(["find_loans"], {}),
    action("reset", {"task": "task_001"}),
    action("state", {}),
    {},
]


@pytest.mark.parametrize("sent", NONSENSE, ids=range(len(NONSENSE)))
def test_whatever_a_model_sends_a_tool_error_comes_back(client: Any, sent: dict[str, Any]) -> None:
    client.reset(seed=0)
    result = client.step(sent)
    assert result.observation["result"]["ok"] is False
    assert result.observation["result"]["error"]["message"]
    assert (result.reward, result.done) == (0.0, False)
    assert client.step(action("find_loans", "{}")).observation["result"]["ok"]


def test_before_a_reset_there_is_no_episode(client: Any) -> None:
    result = client.step(action("find_loans", {}))
    assert result.observation["result"]["error"]["code"] == "NO_EPISODE"
    assert (result.reward, result.done) == (None, False)
    assert client.step({"type": "list_tools"}).observation["tools"] == []


# the tools over MCP, and the client of the package


def test_tools_over_mcp_are_told_without_rewards(server: str, gym: Gym) -> None:
    from openenv.core.mcp_client import MCPToolClient

    async def play() -> None:
        async with MCPToolClient(base_url=server) as env:
            assert await env.list_tools(use_cache=False) == []
            opening = (await env.reset(variant="seed_7", task="task_001")).observation
            assert "submit an answer" in opening.messages[-1]["content"]
            assert [t.model_dump() for t in await env.list_tools(use_cache=False)] == opening.tool_specs
            with gym.world("seed_7").open("task_001") as episode:
                assert await env.call_tool("find_loans", limit=2) == episode.call("find_loans", {"limit": 2}).payload()
            assert (await env.call_tool("no_such_tool"))["error"]["code"] == "UNKNOWN_TOOL"
            ended = await env._production_mcp_request(
                "tools/call",
                {
                    "name": "submit_answer",
                    "arguments": {"outcome": "refused"},
                    "session_id": env._production_session_id,
                },
            )
            assert ended["result"]["data"] == {"ok": True, "data": None}
            assert "reward" not in json.dumps(ended)
            assert (await env.state()).step_count == 3

    asyncio.run(play())


def test_the_client_of_the_package(server: str, package: Path, gym: Gym, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(package.parent))
    from town_library_env import TownLibraryAction, TownLibraryEnv  # type: ignore[import-not-found]

    world = gym.world("seed_7")
    for task in world.tasks:
        *calls, (submit, answer) = gold(world, task.id)
        with TownLibraryEnv(base_url=server).sync() as env, world.open(task.id) as episode:
            env.reset(variant="seed_7", task=task.id)
            for name, arguments in calls:
                assert env.call_tool(name, **arguments) == episode.call(name, arguments).payload()
            last = env.step(TownLibraryAction(tool_name=submit, arguments=answer))
            assert (last.reward, last.done, last.observation.result) == (1.0, True, {"ok": True, "data": None})
            assert env.state().task == task.id
    assert any("name" in arguments for task in world.tasks for _, arguments in gold(world, task.id)[:-1])


# many at once


def test_256_sessions_at_once_are_what_they_are_alone(server: str, gym: Gym) -> None:
    from openenv.core import GenericEnvClient

    tasks = every_task(gym)
    plans = []
    for at in range(SESSIONS):
        variant, task = tasks[at % len(tasks)]
        calls = gold(gym.world(variant), task)
        plans.append((variant, task, calls[at // len(tasks) % len(calls) :]))

    async def play(at: int, all_there: asyncio.Barrier) -> Any:
        variant, task, calls = plans[at]
        async with GenericEnvClient(base_url=server, connect_timeout_s=60) as env:
            await env.reset(variant=variant, task=task, episode_id=str(at))
            await all_there.wait()
            if at == 0:
                await refused(env)
            told = []
            for one in calls:
                result = await env.step(action(*one))
                told.append((result.observation["result"], result.reward, result.done))
            state = await env.state()
            await all_there.wait()
            return told, state["changes"], state["clock"], state["episode_id"]

    async def refused(env: Any) -> None:
        async with GenericEnvClient(base_url=server) as one_more:
            with pytest.raises(RuntimeError, match="capacity"):
                await one_more.reset()

    async def everyone() -> list[Any]:
        all_there = asyncio.Barrier(SESSIONS)
        return await asyncio.gather(*(play(at, all_there) for at in range(SESSIONS)))

    found = asyncio.run(everyone())
    for at, (variant, task, calls) in enumerate(plans):
        with gym.world(variant).open(task) as episode:
            results = [episode.call(*one) for one in calls]
            ends = episode.verify().reward
            told = [(r.payload(), ends if r.done else 0.0, r.done) for r in results]
            changes = {
                name: {"added": d.added, "changed": d.changed, "removed": d.removed}
                for name, d in episode.diff().items()
            }
            alone = (told, changes, episode.clock, str(at))
        assert json.loads(json.dumps(found[at])) == json.loads(json.dumps(alone)), (at, variant, task)
    assert {told[-1][1] for told, *_ in found} == {0.0, 1.0}


# the keys


def test_nothing_that_a_client_can_read_holds_the_keys(server: str, client: Any, gym: Gym) -> None:
    httpx = pytest.importorskip("httpx")
    texts = []
    with httpx.Client(base_url=server) as http:
        paths = http.get("/openapi.json").json()["paths"]
        read = [path for path, item in paths.items() if "get" in item]
        assert {"/state", "/schema", "/metadata", "/health"} <= set(read)
        texts += [http.get(path.replace("{env_name}", "town_library")).text for path in read]
        texts.append(http.get("/openapi.json").text)
        for variant in gym.variants:
            listed = http.post("/town_library/tasks", json={"split": variant})
            assert [t["id"] for t in listed.json()["tasks"]] == [t.id for t in gym.world(variant).tasks]
            texts.append(listed.text)
        for hidden in (
            "packs/seed_7.tar",
            "server/packs/seed_7.tar",
            "..%2Fserver%2Fpacks%2Fseed_7.tar",
            "openenv.yaml",
        ):
            assert http.get(f"/{hidden}").status_code == 404
    for variant, task in every_task(gym):
        texts.append(json.dumps(client.reset(variant=variant, task=task).observation))
        texts.append(json.dumps(client.step(action("submit_answer", {"outcome": "refused"})).metadata))
        texts.append(json.dumps(client.state()))
    said = "\n".join(texts)
    for word in ('"expects"', '"provenance"', '"expected"', '"found"'):
        assert word not in said
    for variant, task in every_task(gym):
        key = gym.world(variant).key(task)
        for secret in (key.program, json.dumps(key.expects), json.dumps([list(c) for c in key.calls])):
            assert not secret or json.dumps(secret)[1:-1] not in said


def test_tasks_are_listed_for_those_who_ask(server: str, gym: Gym) -> None:
    httpx = pytest.importorskip("httpx")
    with httpx.Client(base_url=f"{server}/town_library") as http:
        assert http.get("/splits").json() == [{"name": v, "type": "train"} for v in gym.variants]
        assert http.post("/num_tasks", json={"split": "seed_7"}).json() == {"num_tasks": len(gym.world("seed_7").tasks)}
        third = http.post("/task", json={"split": "seed_7", "index": 2}).json()["task"]
        assert third["id"] == gym.world("seed_7").tasks[2].id
        some = http.post("/task_range", json={"split": "seed_7", "start": 2, "stop": 4}).json()["tasks"]
        assert some[0] == third
        assert len(some) == 2
        for wrong in ({"split": "seed_7", "index": 99}, {"split": "seed_9", "index": 0}):
            assert http.post("/task", json=wrong).status_code == 400
