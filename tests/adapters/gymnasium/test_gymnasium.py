"""A gym in Gymnasium: its own checker, whole episodes, many at once, and whatever a model writes."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.agents.tool_call_text import render_call
from worldwright.core.errors import UsageError, WorldwrightError
from worldwright.engine.world import World

gymnasium = pytest.importorskip("gymnasium")
PAGE = Path(__file__).parents[3] / "docs" / "adapters" / "gymnasium.md"
ANY = "worldwright.adapters.gymnasium:worldwright/gym-v0"


@pytest.fixture(scope="session")
def env(gym_folder: Path) -> Any:
    """The environment itself, without Gymnasium's wrappers."""
    return gymnasium.make(ANY, gym=str(gym_folder), variants=["seed_7"]).unwrapped


def action(name: str, arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def gold(world: World, task: str) -> list[tuple[str, Any]]:
    """The calls of the key, and the answer that ends the episode."""
    key = world.key(task)
    with world.open(task) as episode:
        return [*((call.tool, call.arguments) for call in key.calls), (episode.submit, key.answer)]


def lose(env: Any) -> None:
    """The database of a running episode, closed behind its back. What nobody has asked before now fails."""
    env.episode.env._session._conn.close()


# Gymnasium's own checks


def test_gymnasiums_checker_has_nothing_to_say(gym_folder: Path) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wrapped = gymnasium.make(ANY, gym=str(gym_folder))
        check_env(wrapped.unwrapped)
        wrapped.reset(seed=1)
        wrapped.action_space.seed(1)
        for _ in range(3):
            wrapped.step(wrapped.action_space.sample())


def test_a_gym_is_registered_under_its_name(gym_folder: Path) -> None:
    from worldwright.adapters.gymnasium import register_gym

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert register_gym(str(gym_folder)) == register_gym(str(gym_folder)) == "worldwright/town_library-v0"
    made = gymnasium.make("worldwright/town_library-v0", variants=["seed_8"])
    assert made.reset(seed=1)[1]["variant"] == "seed_8"
    assert gymnasium.envs.registration.EnvSpec.from_json(made.spec.to_json()).make().reset(seed=1)


# episodes


@pytest.mark.parametrize("in_tags", [False, True])
def test_the_gold_calls_are_worth_one_and_answered_as_the_world_answers(env: Any, world: World, in_tags: bool) -> None:
    for task in world.tasks:
        text, info = env.reset(options={"task": task.id})
        assert all(message["content"] in text for message in info["messages"])
        assert task.instruction in info["messages"][-1]["content"]
        reward = 0.0
        with world.open(task.id) as native:
            for name, arguments in gold(world, task.id):
                expected = native.call(name, arguments)
                given = render_call(name, arguments) if in_tags else action(name, arguments)
                text, reward, terminated, truncated, info = env.step(given)
                body = re.fullmatch(r"<tool_response>\n(.*)\n</tool_response>", text, re.DOTALL)
                assert json.loads(body[1] if in_tags and body else text) == expected.payload()
                assert (terminated, truncated, "verdict" in info) == (expected.done, False, expected.done)
            assert env.unwrapped.episode.log() == native.log()
        assert (reward, info["verdict"]["status"]) == (1.0, "pass")


def test_several_calls_in_one_message_are_answered_in_order(env: Any, world: World) -> None:
    task = world.tasks[0].id
    env.reset(options={"task": task})
    message = "I know.\n" + "\n".join(render_call(*one) for one in gold(world, task)) + render_call("find_members", {})
    text, reward, terminated, truncated, _ = env.step(message)
    assert (reward, terminated, truncated) == (1.0, True, False)
    answers = [json.loads(found) for found in re.findall(r"<tool_response>\n(.*)\n</tool_response>", text)]
    assert [answer["ok"] for answer in answers] == [True] * len(gold(world, task)) + [False]
    assert answers[-1]["error"]["code"] == "EPISODE_OVER"


def test_an_answer_at_once_is_worth_nothing_and_nothing_comes_after_it(env: Any) -> None:
    env.reset(seed=3)
    _, reward, terminated, truncated, info = env.step(action(env.episode.submit, {"outcome": "refused"}))
    assert (reward, terminated, truncated, info["verdict"]["reward"]) == (0.0, True, False, 0.0)
    assert env.step(action("find_members", {}))[1:] == (0.0, True, False, {})


@pytest.mark.parametrize("given", [action("find_members", {}), "I am thinking.", "{", '{"name": 7}', "<tool_call>"])
def test_an_episode_without_end_is_cut_off(gym_folder: Path, given: str) -> None:
    made = gymnasium.make(ANY, gym=str(gym_folder), calls=3)
    made.reset(seed=1)
    steps = [made.step(given) for _ in range(3)]
    assert [(terminated, truncated) for _, _, terminated, truncated, _ in steps] == [(False, False)] * 2 + [
        (False, True)
    ]
    assert steps[-1][4]["verdict"]["status"] == "fail"


def test_a_world_that_fails_is_cut_off_and_says_so(env: Any, world: World) -> None:
    env.reset(options={"task": world.tasks[0].id})
    lose(env)
    text, reward, terminated, truncated, info = env.step(action("find_members", {"name": "Nobody One"}))
    assert json.loads(text)["error"]["code"] == "UNAVAILABLE"
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["error"]
    assert (info["verdict"]["status"], info["verdict"]["reward"]) == ("error", None)
    env.reset(options={"task": world.tasks[0].id})
    assert json.loads(env.step(action("find_members", {}))[0])["ok"]


pieces = st.sampled_from(
    ['{"name": "lend", "arguments": ', "<tool_call>", "</tool_call>", "{", "}", '"', "\\ud800", "[" * 5000]
)


@settings(max_examples=examples(200))
@given(st.lists(st.text(max_size=10) | pieces, max_size=6).map("".join) | st.none() | st.integers() | st.binary())
def test_whatever_is_sent_a_step_answers(env: Any, given: Any) -> None:
    env.reset(seed=1)
    text, reward, terminated, truncated, info = env.step(given)
    assert text.encode()
    assert (reward, terminated, truncated, info) == (0.0, False, False, {})
    assert '"ok":false' in text


# which episode, and what is told of it


def test_the_seed_decides_which_episode_it_is(gym_folder: Path) -> None:
    made, other = (gymnasium.make(ANY, gym=str(gym_folder)) for _ in range(2))
    drawn = [made.reset(seed=seed) for seed in range(12)]
    assert drawn == [other.reset(seed=seed) for seed in range(12)]
    assert len({(info["variant"], info["task"]) for _, info in drawn}) > 4
    assert {info["variant"] for _, info in drawn} == {"seed_7", "seed_8"}
    made.reset(seed=5)
    other.reset(seed=5)
    assert [made.reset()[1]["task"] for _ in range(5)] == [other.reset()[1]["task"] for _ in range(5)]


def test_episodes_can_be_asked_for(gym_folder: Path, world: World) -> None:
    wanted = [task.id for task in world.tasks[:2]]
    made = gymnasium.make(ANY, gym=str(gym_folder), variants=["seed_7"], tasks=wanted)
    assert {made.reset(seed=seed)[1]["task"] for seed in range(20)} == set(wanted)
    where = {"variant": "seed_8", "task": "task_003"}
    assert made.reset(seed=1, options=where)[1].items() >= where.items()
    for options, said in [
        ({"tusk": "a"}, "known: task, variant"),
        ({"task": "a"}, "task"),
        ({"variant": "a"}, "seed_7"),
    ]:
        with pytest.raises(WorldwrightError, match=said):
            made.reset(options=options)
    with pytest.raises(gymnasium.error.ResetNeeded):
        gymnasium.make(ANY, gym=str(gym_folder)).unwrapped.step("{}")


def test_infos_say_which_episode_it_is_and_give_nothing_away(env: Any, world: World) -> None:
    for task in world.tasks:
        _, first = env.reset(options={"task": task.id})
        assert first.keys() == {"gym", "variant", "task", "world", "messages", "tools"}
        assert [tool["function"]["name"] for tool in first["tools"]] == [tool.name for tool in env.episode.tools]
        assert [tool["function"]["parameters"] for tool in first["tools"]] == [
            t.input_schema for t in env.episode.tools
        ]
        first["tools"][0]["function"]["parameters"].clear()
        *_, last = env.step(action(env.episode.submit, {"outcome": "refused"}))
        assert last.keys() == {"verdict"}
        assert last["verdict"].keys() == {"status", "reward", "assertions"}
        assert {key for one in last["verdict"]["assertions"] for key in one} == {"name", "ok"}
    assert env.reset(options={"task": task.id})[1]["tools"][0]["function"]["parameters"], "infos are copies"


def test_tools_need_not_be_in_the_text(gym_folder: Path) -> None:
    told = [gymnasium.make(ANY, gym=str(gym_folder), tools_in_text=both).reset(seed=1) for both in (True, False)]
    assert told[0][1] == told[1][1]
    assert "<tools>" in told[0][0]
    assert told[1][0] == "\n\n".join(message["content"] for message in told[1][1]["messages"])


def test_faces_are_played_by_the_names_that_they_show(gym_folder: Path, world: World) -> None:
    made = gymnasium.make(ANY, gym=str(gym_folder), variants=["seed_7"], face="obscured").unwrapped
    _, info = made.reset(options={"task": world.tasks[0].id})
    key = made.episode.env.key()
    assert key.calls != world.key(world.tasks[0].id).calls
    for call in key.calls:
        assert json.loads(made.step(action(call.tool, call.arguments))[0])["ok"]
    assert made.step(action(info["tools"][-1]["function"]["name"], key.answer))[1] == 1.0


# spaces


def test_samples_are_calls_that_can_be_read_and_follow_the_seed(env: Any) -> None:
    drawn = []
    for _ in range(2):
        env.action_space.seed(11)
        drawn.append([env.action_space.sample() for _ in range(60)])
    assert drawn[0] == drawn[1]
    names = {json.loads(text)["name"] for text in drawn[0]}
    env.reset(options={"task": "task_001"})
    assert names <= {tool.name for tool in env.episode.tools}
    assert len(names) > 3
    assert all(text in env.action_space for text in drawn[0])
    with pytest.raises(UsageError, match="mask"):
        env.action_space.sample(mask=1)


def test_every_text_is_in_the_space_and_nothing_else(env: Any) -> None:
    for text in ("", "\0", '{"name": "Müller & Söhne 名 🎈"}', "x" * 10**6):
        assert text in env.observation_space
    for other in (None, 1, b"a", ["a"]):
        assert other not in env.observation_space
    env.action_space.seed(2)
    env.action_space.sample()
    twin = pickle.loads(pickle.dumps(env.action_space))
    assert twin == env.action_space
    assert twin.sample() == env.action_space.sample()


# many at once


@pytest.mark.parametrize("kind", ["sync", "async", "spawned"])
def test_episodes_side_by_side_are_what_they_are_alone(gym_folder: Path, kind: str) -> None:
    extra = {"sync": {}, "async": {"shared_memory": False}, "spawned": {"shared_memory": False, "context": "spawn"}}[
        kind
    ]
    mode = "sync" if kind == "sync" else "async"
    many = gymnasium.make_vec(ANY, 3, vectorization_mode=mode, vector_kwargs=extra, gym=str(gym_folder))
    many.action_space.seed(4)
    texts, infos = many.reset(seed=5)
    alone = [gymnasium.make(ANY, gym=str(gym_folder)) for _ in range(3)]
    started = [one.reset(seed=5 + at) for at, one in enumerate(alone)]
    assert list(texts) == [text for text, _ in started]
    assert list(infos["task"]) == [info["task"] for _, info in started]
    over = [False] * 3
    for _ in range(25):
        actions = many.action_space.sample()
        texts, rewards, terminated, truncated, infos = many.step(actions)
        for at, one in enumerate(alone):
            if over[at]:  # the step after the end begins the next episode
                expected: tuple[Any, ...] = (one.reset()[0], 0.0, False, False)
            else:
                expected = one.step(actions[at])[:4]
            assert (texts[at], rewards[at], terminated[at], truncated[at]) == expected
            over[at] = bool(expected[2] or expected[3])
    many.close()


def test_one_that_fails_beside_one_that_does_not(gym_folder: Path, world: World) -> None:
    many = gymnasium.make_vec(ANY, 2, gym=str(gym_folder), variants=["seed_7"])
    many.reset(seed=1, options={"task": world.tasks[0].id})
    lose(many.envs[1].unwrapped)
    actions = (action("submit_answer", {"outcome": "refused"}), action("find_members", {"name": "Nobody Two"}))
    _, rewards, terminated, truncated, infos = many.step(actions)
    assert (list(rewards), list(terminated), list(truncated)) == ([0, 0], [True, False], [False, True])
    assert list(infos["_error"]) == [False, True]
    many.close()


# the page


def test_the_page_runs(gym_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(gym_folder.parent)
    [block] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 15
    gymnasium.registry.pop("worldwright/town_library-v0", None)
    exec(block, {})
    said = capsys.readouterr().out
    assert re.search(r"task_\d+ \['.*'submit_answer'\]\n[01]\.0 (pass|fail)\n", said)
