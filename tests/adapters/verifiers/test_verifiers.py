"""Worlds in verifiers v1: what its own loader finds, what its own runs come to."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from worldwright.blueprint.siblings import load_cached
from worldwright.compiler.build import build
from worldwright.engine.trajectories import read_trajectory
from worldwright.engine.world import World
from worldwright.pack.seal import write_pack

from .conftest import Model, Script, say, turn

vf = pytest.importorskip("verifiers.v1")

PACKAGE = "worldwright-town-library"
pytestmark = pytest.mark.usefixtures("installed")


def environment(package: str = PACKAGE, agent: dict[str, Any] | None = None, **taskset: Any) -> Any:
    config = {"taskset": {"id": package, **taskset}, "agent": agent or {}}
    return vf.load_environment(vf.resolve_env_config(config))


def run(env: Any, tasks: list[Any], model: Model, at_once: int = 8) -> list[Any]:
    """A rollout of each task, as the framework's own runners do it."""
    client = vf.EvalClientConfig(base_url=model.url, api_key_var="NOBODYS_KEY")
    context = vf.ModelContext(model="scripted", client=client)

    async def all_of_them() -> list[Any]:
        gate = asyncio.Semaphore(at_once)
        async with env.serving():
            slots = [slot for task in tasks for slot in env.slots(task)]
            return await asyncio.gather(*(env.run_slot(slot, context, gate) for slot in slots))

    episodes = asyncio.run(all_of_them())
    return [trace for episode in episodes for trace in episode.traces]


def logs(traces: list[Any]) -> list[str]:
    return [trace.info["worldwright"]["log"] for trace in traces]


def secrets(world: World, task: str) -> set[str]:
    """What the key of a task holds and the agent is not told: ids that have to be found, amounts that have to be worked out."""
    key = world.key(task)
    with world.open(task) as episode:
        given = json.dumps([episode.messages, [dict(t.input_schema) for t in episode.tools]])
    texts = re.findall(r'"([^"]{5,})"|(\d+\.\d+)', json.dumps([key.answer, [c.arguments for c in key.calls]]))
    return {one for pair in texts for one in pair if one and one not in given}


def told(trace: Any) -> list[dict[str, Any]]:
    """What tools answered, as the model saw it."""
    return [json.loads(m.content) for m in trace.tool_messages]


# what is found


def test_the_loader_finds_a_taskset_its_harness_and_a_place_to_run(worlds: dict[str, World]) -> None:
    env = environment()
    assert vf.default_agent_harness(PACKAGE).id == PACKAGE
    assert env.config.agent.runtime.type == "subprocess"
    tasks = list(env.taskset)
    named = [f"{variant}/{task.id}" for variant, world in worlds.items() for task in world.tasks]
    assert [task.data.id for task in tasks] == named
    assert len({task.key for task in tasks}) == len(tasks)


def test_rows_say_what_is_asked_and_where_and_nothing_of_the_key(worlds: dict[str, World]) -> None:
    hidden = 0
    for task in environment().taskset:
        data, world = task.data, worlds[task.data.variant]
        with world.open(data.task) as episode:
            assert [data.system_prompt, data.prompt] == [m["content"] for m in episode.messages]
        assert (data.gym, data.world) == ("package:worldwright_town_library", world.digest)
        added = set(data.model_dump()) - set(vf.TaskData.model_fields)
        assert added == {"gym", "variant", "task", "world", "family", "face"}
        found = secrets(world, data.task)
        hidden += len(found)
        assert [one for one in found if one in data.model_dump_json()] == []
    assert hidden > 10


def test_variants_and_faces_are_chosen_by_settings(worlds: dict[str, World]) -> None:
    [variant] = {task.data.variant for task in environment(variants=["seed_8"]).taskset}
    assert variant == "seed_8"
    asking = [t for t in worlds["seed_7"].tasks if t.turns]
    task = next(t for t in environment(face="asking").taskset if t.data.task == asking[0].id)
    assert asking[0].turns[0] in task.data.prompt
    assert asking[0].instruction not in task.data.prompt


# what runs come to


def test_the_keys_played_by_a_model_earn_every_reward_alone_and_at_once(model: Model, oracle: Script) -> None:
    model.script = oracle
    env = environment()
    tasks = list(env.taskset)
    alone = run(env, tasks, model, at_once=1)
    assert [(t.ok, t.reward, t.stop_condition) for t in alone] == [(True, 1.0, "agent_completed")] * len(tasks)
    together = run(env, tasks * 3, model, at_once=39)
    assert logs(together) == logs(alone) * 3
    assert {trace.reward for trace in together} == {1.0}


def test_a_model_gets_the_tools_of_its_role_and_what_they_answer(
    model: Model, oracle: Script, worlds: dict[str, World]
) -> None:
    model.script = oracle
    env = environment(variants=["seed_7"])
    task = max(env.taskset, key=lambda t: len(worlds["seed_7"].key(t.data.task).calls))
    [trace] = run(env, [task], model)
    with worlds["seed_7"].open(task.data.task) as episode:
        expected = [(t.name, t.description, dict(t.input_schema)) for t in episode.tools]
        answers = [episode.call(c.tool, c.arguments).payload() for c in worlds["seed_7"].key(task.data.task).calls]
    offered = [t["function"] for t in model.heard[0]["tools"]]
    assert [(t["name"], t["description"], t["parameters"]) for t in offered] == expected
    assert told(trace) == answers
    log = read_trajectory(trace.info["worldwright"]["log"])
    assert worlds["seed_7"].judge(log).reward == 1


def test_a_model_that_only_talks_is_asked_to_go_on_and_earns_nothing(model: Model) -> None:
    env = environment(variants=["seed_7"])
    [trace] = run(env, [next(iter(env.taskset))], model)
    assert (trace.ok, trace.reward, trace.num_turns) == (True, 0.0, 3)
    assert "submit_answer" in model.heard[-1]["messages"][-1]["content"]
    short = environment(variants=["seed_7"], agent={"harness": {"id": PACKAGE, "silent": 1}})
    [trace] = run(short, [next(iter(short.taskset))], model)
    assert (trace.ok, trace.reward, trace.num_turns) == (True, 0.0, 1)


def test_whatever_a_model_calls_is_answered_and_nothing_raises(model: Model) -> None:
    asked = [
        ("no_such_tool", {}), ("find_loans", "{oops"), ("find_loans", "[1]"), ("find_loans", '"text"'), ("find_loans", ""),
        ("find_loans", {"status": 7}), ("lend", {"member": {"deep": [1]}}), ("submit_answer", "nonsense"), ("_", {}),
    ]  # fmt: skip

    def script(body: dict[str, Any]) -> dict[str, Any]:
        return [say("First.", *asked), say(None, ("submit_answer", {"outcome": "refused"})), say("Never said.")][
            turn(body)
        ]

    model.script = script
    env = environment(variants=["seed_7"])
    [trace] = run(env, [next(iter(env.taskset))], model)
    assert (trace.ok, trace.reward, trace.num_turns) == (True, 0.0, 2)
    assert [(t["ok"], t.get("error", {}).get("code")) for t in told(trace)] == [
        (False, "UNKNOWN_TOOL"), *[(False, "INVALID_ARGUMENT")] * 3, (True, None), *[(False, "INVALID_ARGUMENT")] * 3,
        (False, "UNKNOWN_TOOL"),
    ]  # fmt: skip


def test_what_is_called_after_the_answer_in_the_same_message_does_nothing(model: Model, oracle: Script) -> None:
    def script(body: dict[str, Any]) -> dict[str, Any]:
        said = oracle(body)
        names = [one["function"]["name"] for one in said["tool_calls"]]
        if names != ["submit_answer"]:
            return dict(said)
        later = say(None, ("find_loans", {}))["tool_calls"][0]
        return {**said, "tool_calls": [*said["tool_calls"], {**later, "id": "call_later"}]}

    env = environment(variants=["seed_7"])
    model.script = oracle
    plain = run(env, [next(iter(env.taskset))], model)
    model.script = script
    more = run(env, [next(iter(env.taskset))], model)
    assert more[0].assistant_messages[-1].tool_calls[-1].name == "find_loans"
    assert logs(more) == logs(plain)
    assert more[0].reward == 1


def test_an_episode_that_is_cut_short_is_graded_as_it_stands(model: Model, oracle: Script) -> None:
    model.script = oracle
    env = environment(variants=["seed_7"], agent={"max_turns": 1})
    [trace] = run(env, [next(iter(env.taskset))], model)
    assert (trace.ok, trace.reward, trace.stop_condition, trace.num_turns) == (True, 0.0, "max_turns", 1)


def test_a_full_context_ends_an_episode_and_is_graded(model: Model, oracle: Script) -> None:
    full = {"status": 400, "error": "This model's maximum context length is 4096 tokens."}
    model.script = lambda body: oracle(body) if turn(body) == 0 else full
    env = environment(variants=["seed_7"])
    [trace] = run(env, [next(iter(env.taskset))], model)
    assert (trace.ok, trace.reward) == (True, 0.0)


def test_a_model_that_fails_is_the_providers_error(model: Model) -> None:
    model.script = lambda body: {"status": 401, "error": "no such key"}
    env = environment(variants=["seed_7"])
    [trace] = run(env, [next(iter(env.taskset))], model)
    assert (trace.ok, trace.stop_condition, trace.rewards) == (False, "provider_error", {})


# what no trainer learns from


def test_a_world_that_fails_leaves_an_error_and_no_reward(
    model: Model, oracle: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    from worldwright.adapters.verifiers_tools import WorldData

    opened: Any = WorldData.open

    def closed_behind_its_back(self: Any) -> Any:
        episode = opened(self)
        episode.env._session._conn.close()
        return episode

    model.script = lambda body: say(None, ("find_members", {"name": "Nobody Three"}))
    env = environment(variants=["seed_7"])
    with monkeypatch.context() as patch:
        patch.setattr(WorldData, "open", closed_behind_its_back)
        [trace] = run(env, [next(iter(env.taskset))], model)
    assert (trace.ok, trace.rewards) == (False, {"verdict": None})
    assert (trace.last_error.type, trace.stop_condition) == ("TaskError", "agent_completed")
    assert "the environment failed" in trace.last_error.message
    assert told(trace) == []  # the episode ended there: nobody was told more
    model.script = oracle
    assert run(env, [next(iter(env.taskset))], model)[0].reward == 1


def test_a_row_of_another_world_is_refused(model: Model) -> None:
    env = environment(variants=["seed_7"])
    task = next(iter(env.taskset)).with_data(world="0" * 64)
    [trace] = run(env, [task], model)
    assert (trace.ok, trace.rewards, model.heard) == (False, {}, [])
    assert "not the world" in trace.last_error.message


def test_what_a_trace_keeps_says_nothing_of_what_was_expected(model: Model, worlds: dict[str, World]) -> None:
    model.script = lambda body: say(None, ("submit_answer", {"outcome": "refused"}))
    env = environment()
    for task, trace in zip(env.taskset, run(env, list(env.taskset), model), strict=True):
        kept = trace.info["worldwright"]
        assert kept["verdict"]["status"] == "fail"
        assert {frozenset(one) for one in kept["verdict"]["assertions"]} == {frozenset({"name", "ok"})}
        record = json.dumps({**trace.to_record(), "timing": None, "calls": None})
        assert [one for one in secrets(worlds[task.data.variant], task.data.task) if one in record] == []


# other harnesses, other names


def test_the_tool_server_serves_the_same_episode_to_another_harness(model: Model, oracle: Script) -> None:
    model.script = oracle
    here = environment(variants=["seed_7"])
    task = next(iter(here.taskset))
    [inside] = run(here, [task], model)
    there = environment(variants=["seed_7"], task={"tool_server": True}, agent={"harness": {"id": "hand_harness"}})
    [outside] = run(there, [next(iter(there.taskset))], model)
    assert (outside.ok, outside.reward, outside.stop_condition) == (True, 1.0, "submitted")
    assert logs([outside]) == logs([inside])
    assert [t.parameters for t in outside.tools] == [t.parameters for t in inside.tools]


def test_the_tool_server_stays_away_from_the_agent_and_from_the_harness_in_this_process(model: Model) -> None:
    from worldwright.core.errors import UsageError

    beside = environment(task={"tool_server": True, "tools": {"colocated": True}})
    with pytest.raises(UsageError, match="has the keys"):
        run(beside, [next(iter(beside.taskset))], model)
    both = environment(task={"tool_server": True})
    task = next(iter(both.taskset))
    client = vf.EvalClientConfig(base_url=model.url, api_key_var="NOBODYS_KEY")

    async def episode() -> Any:
        async with both.serving():
            return await both.run_slot(both.slots(task)[0], vf.ModelContext(model="scripted", client=client))

    found = asyncio.run(episode())
    assert not found.ok
    assert "does not support MCP" in found.last_error.message


def test_a_tool_that_harnesses_have_themselves_is_renamed_and_turned_back(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (Path(__file__).parents[3] / "examples" / "town_library.yaml").read_text(encoding="utf-8")
    pack = build(load_cached(text.replace("waive_fine", "search"), "searching.yaml"), 7).pack
    write_pack(pack.files, tmp_path / "packs" / "one")
    (tmp_path / "searching_gym.py").write_text(
        "from worldwright.adapters.verifiers import WorldEnv, WorldHarness, WorldTaskset\n"
        f"class Searching(WorldTaskset): gym = {str(tmp_path / 'packs')!r}\n"
        "__all__ = ['Searching', 'WorldEnv', 'WorldHarness']\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    env = environment("searching_gym")
    manager = next(t for t in env.taskset if "as manager" in t.data.system_prompt)
    model.script = lambda body: say(
        None, [("search_tool", {"loan": "LN-1"}), ("submit_answer", {"outcome": "refused"})][turn(body)]
    )
    [trace] = run(env, [manager], model)
    [shown] = [t["function"] for t in model.heard[0]["tools"] if "search" in t["function"]["name"].split("_")]
    assert shown["name"] == "search_tool"
    assert "`search`" in shown["description"]
    [step] = read_trajectory(logs([trace])[0]).steps
    assert step.call.tool == "search"


# the page


def test_the_page_runs(
    model: Model, oracle: Script, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path(__file__).parents[3] / "docs" / "adapters" / "verifiers.md"
    [block] = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 15
    model.script = oracle
    monkeypatch.setenv("MODEL_URL", model.url)
    exec(block, {})
    assert re.search(r"^seed_7/task_\d+ 1\.0$", capsys.readouterr().out, re.MULTILINE)
