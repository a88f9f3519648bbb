"""Sessions in this process: OpenEnv's harnesses drive them, collect from them, and leave out what has no score."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.adapters.openenv.playing import Calls, gold, writes
from tests.worlds import text

from worldwright.blueprint.siblings import load_cached
from worldwright.compiler.build import build
from worldwright.core.errors import UsageError
from worldwright.engine.world import Gym
from worldwright.pack.seal import write_pack
from worldwright.store.open import open_world

openenv = pytest.importorskip("openenv")


def model(calls: Callable[[list[Any]], Calls]) -> Any:
    """A model that makes the calls of its plan for this request, one a turn, and then only talks."""
    from openenv.core.harness import ModelStepResult
    from openenv.core.llm_client import LLMResponse, ToolCall

    def step(messages: list[Any], tools: list[Any], sampling: dict[str, Any]) -> Any:
        at = sum(m["role"] == "tool" for m in messages)
        asked = [ToolCall(id=f"c{at}", name=n, args=a) for n, a in calls(messages)[at : at + 1]]
        return ModelStepResult(
            LLMResponse(content="", tool_calls=asked), prompt_ids=[1], completion_ids=[2], logprobs=[0.0]
        )

    return step


def knowing(gym: Gym) -> Callable[[list[Any]], Calls]:
    """The calls of the key, by what is asked."""
    known = {}
    for world in map(gym.world, gym.variants):
        for task in world.tasks:
            with world.open(task.id) as episode:
                known[episode.messages[0]["content"], episode.messages[1]["content"]] = gold(world, task.id)
    return lambda messages: known[messages[0]["content"], messages[1]["content"]]


def collect(sessions: Any, step: Any, tasks: list[str], out: Path) -> tuple[Any, list[dict[str, Any]]]:
    from openenv.core.harness import HarnessRunLimits, MCPHarnessAdapter
    from openenv.core.harness.collect import CollectRunner, RolloutSerializer

    runner = CollectRunner(
        session_factory=sessions,
        harness_adapter=MCPHarnessAdapter(),
        serializer=RolloutSerializer(out),
        tasks=tasks,
        limits=HarnessRunLimits(max_turns=60),
    )
    done = runner.run(model_step=step, num_episodes=len(tasks))
    kept = out / "results.jsonl"
    return done, [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []


def test_a_model_that_knows_the_key_is_collected_with_reward_one(gym: Gym, gym_folder: Path, tmp_path: Path) -> None:
    from worldwright.adapters.openenv_sessions import GymSessions

    tasks = [f"{variant}/{task.id}" for variant in gym.variants for task in gym.world(variant).tasks]
    done, kept = collect(GymSessions(gym_folder), model(knowing(gym)), tasks, tmp_path)
    assert (done.num_collected, done.num_failed, done.avg_reward) == (len(tasks), 0, 1.0)
    for record in kept:
        variant, task = record["task"].split("/")
        assert record["artifacts"]["world"] == gym.world(variant).digest
        assert [e["tool_name"] for e in record["tool_trace"]] == [n for n, _ in gold(gym.world(variant), task)]
        assert {"name", "ok"} == {key for one in record["verify_metrics"]["assertions"] for key in one}


def test_a_model_that_only_talks_is_collected_with_reward_zero(gym: Gym, gym_folder: Path, tmp_path: Path) -> None:
    from worldwright.adapters.openenv_sessions import GymSessions

    done, kept = collect(GymSessions(gym_folder), model(lambda _: []), ["seed_7/task_001", "seed_8/task_002"], tmp_path)
    assert [record["reward"] for record in kept] == [0.0, 0.0]
    assert done.num_failed == 0


def test_where_the_environment_failed_nothing_is_collected(gym: Gym, gym_folder: Path, tmp_path: Path) -> None:
    from worldwright.adapters.openenv_sessions import GymSession, GymSessions

    tasks = [f"seed_7/{task.id}" for task in gym.world("seed_7").tasks if writes(gym.world("seed_7"), task.id)][:2]

    class Unlucky(GymSessions):
        def create(self, task: Any = None, seed: int | None = None, episode_id: str | None = None) -> GymSession:
            session = super().create(task, seed, episode_id)
            if task == tasks[0]:
                session.episode.env._session._conn.close()  # type: ignore[union-attr]
            return session

    done, kept = collect(Unlucky(gym_folder), model(knowing(gym)), tasks, tmp_path)
    assert (done.num_collected, done.num_failed) == (1, 1)
    assert [(record["task"], record["reward"]) for record in kept] == [(tasks[1], 1.0)]


def test_a_failed_environment_has_no_reward_and_the_next_episode_is_sound(gym_folder: Path) -> None:
    from worldwright.adapters.openenv import GymEnvironment, ToolCall

    env = GymEnvironment(gym_folder)
    env.reset(seed=0)
    env._session.episode.env._session._conn.close()  # type: ignore[union-attr]
    lost = env.step(ToolCall(tool_name="find_loans", arguments={}))
    assert (lost.reward, lost.done, lost.metadata["status"]) == (None, True, "error")
    assert env.state.changes == {}
    env.reset(seed=0)
    sound = env.step(ToolCall(tool_name="find_loans", arguments={}))
    assert (sound.reward, sound.done) == (0.0, False)
    env.close()
    env.close()


def test_rollouts_for_a_trainer(gym: Gym, gym_folder: Path) -> None:
    from openenv.core.harness import HarnessRunLimits, MCPHarnessAdapter, build_harness_rollout_func

    from worldwright.adapters.openenv_sessions import GymSessions

    roll = build_harness_rollout_func(
        session_factory=GymSessions(gym_folder),
        harness_adapter=MCPHarnessAdapter(),
        model_step_builder=lambda trainer, session: model(trainer),
        limits=HarnessRunLimits(max_turns=60),
    )
    prompts = ["seed_7/task_001", "seed_7/task_002"]
    assert roll(prompts, knowing(gym))["env_reward"] == [1.0, 1.0]
    assert roll(prompts, lambda _: [])["env_reward"] == [0.0, 0.0]


def test_a_session_is_named_by_a_row_too(gym: Gym, gym_folder: Path) -> None:
    from worldwright.adapters.openenv_sessions import GymSessions

    sessions = GymSessions(gym_folder)
    row = {
        "prompt": [],
        "gym": str(gym_folder),
        "variant": "seed_8",
        "task": "task_002",
        "world": gym.world("seed_8").digest,
    }
    assert sessions.create(row).verify([]).artifacts["task"] == "task_002"
    assert sessions.create(seed=1).variant == "seed_8"
    for wrong in (
        [{"role": "user", "content": "hello"}],
        7,
        {"variant": "seed_8", "world": "0" * 64},
        "seed_9/task_001",
    ):
        with pytest.raises(UsageError):
            sessions.create(wrong)


def test_names_that_openenv_keeps_for_itself_are_shown_as_others(tmp_path: Path) -> None:
    from openenv.core.harness import SessionMCPBridge

    from worldwright.adapters.openenv_sessions import GymSessions

    made = build(load_cached(text("town_library").replace("take_back", "state"), "town_library.yaml"), 7)
    write_pack(made.pack.files, tmp_path / "odd")
    world = open_world(tmp_path / "odd")
    task = next(t.id for t in world.tasks if "state" in dict(gold(world, t.id)))
    session = GymSessions(tmp_path / "odd").create(f"odd/{task}")
    told = {tool.name: tool.description for tool in session.list_tools()}
    assert "state" not in told
    assert "The tool `state` of this system." in told["state_tool"]
    bridge = SessionMCPBridge(session)
    for name, arguments in gold(world, task):
        params = {"name": "state_tool" if name == "state" else name, "arguments": arguments}
        answer = bridge.handle_request({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        assert answer["result"]["data"]["ok"], answer
    assert session.verify([]).env_reward == 1.0
