"""Tasks of a gym in BrowserGym: its own environment, actions on elements of the page, the verdict as the reward."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from worldwright.core.errors import LostTransaction, UsageError
from worldwright.engine.world import World

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("browsergym.core")

from browsergym.utils.obs import flatten_axtree_to_str  # noqa: E402

from worldwright.adapters.browsergym import register_tasks  # noqa: E402

PAGE = Path(__file__).parents[3] / "docs" / "adapters" / "browsergym.md"
NAME = "library"


@pytest.fixture(scope="module")
def ids(gym_folder: Path) -> tuple[str, ...]:
    return register_tasks(str(gym_folder), name=NAME, variants=["seed_7"])


@pytest.fixture
def env(ids: tuple[str, ...]) -> Iterator[Any]:
    made = gymnasium.make(ids[0], disable_env_checker=True, pre_observation_delay=0.05)
    yield made
    made.close()


def find(observation: dict[str, Any], role: str, name: str) -> str:
    """The number of an element, as BrowserGym gives it."""
    tree = flatten_axtree_to_str(observation["axtree_object"])
    found = re.search(rf"\[(\w+)\] {role} '{re.escape(name)}'", tree)
    assert found is not None, tree
    return found[1]


def test_tasks_are_registered_under_the_names_of_their_gym(
    ids: tuple[str, ...], gym_folder: Path, world: World
) -> None:
    assert ids == tuple(f"browsergym/worldwright.{NAME}.{task}" for task in world.book.ids)
    both = register_tasks(str(gym_folder), name=NAME, tasks=["task_001"])
    assert both == tuple(f"browsergym/worldwright.{NAME}.{variant}.task_001" for variant in ("seed_7", "seed_8"))
    with pytest.raises(UsageError, match="no task 'task_999'"):
        register_tasks(str(gym_folder), tasks=["task_999"])
    with pytest.raises(UsageError, match="no variant 'seed_9'"):
        register_tasks(str(gym_folder), variants=["seed_9"])


def test_an_agent_sees_the_request_and_the_app(env: Any, world: World) -> None:
    observation, info = env.reset(seed=1)
    task = world.book.task("task_001")
    said = [part["text"] for part in observation["goal_object"]]
    assert world.handbook.strip() in said[0]
    assert task.instruction in said[1]
    assert info["task_info"] == {
        "gym": info["task_info"]["gym"], "variant": "seed_7", "task": "task_001", "world": world.digest, "family": task.family,
    }  # fmt: skip
    tree = flatten_axtree_to_str(observation["axtree_object"])
    assert "Finish" in tree
    assert observation["screenshot"].shape == (720, 1280, 3)


def act(env: Any, observation: dict[str, Any], action: str, role: str, name: str) -> tuple[Any, ...]:
    """Do something with an element. BrowserGym waits half a second for it, whatever else the machine does: then once more."""
    step: tuple[Any, ...] = ()
    for _ in range(8):
        step = env.step(action.format(find(observation, role, name)))
        if not step[0]["last_action_error"] or step[0]["url"] != observation["url"]:
            break
    return step


def test_pages_are_clicked_and_the_answer_is_submitted(env: Any) -> None:
    observation, _ = env.reset(seed=1)
    for name in ("Lending desk", "Finish"):
        observation, reward, terminated, truncated, info = act(env, observation, "click('{}')", "link", name)
        assert (reward, terminated, truncated) == (0.0, False, False)
    observation = act(env, observation, "select_option('{}', 'Refused')", "combobox", "Outcome")[0]
    observation, reward, terminated, _, info = act(env, observation, "click('{}')", "button", "Submit the answer")
    assert (reward, terminated) == (0.0, True)
    assert info["task_info"]["submitted"]
    assert info["task_info"]["verdict"]["status"] == "fail"
    assert "expected" not in str(info["task_info"]["verdict"])
    assert "erdict" not in flatten_axtree_to_str(observation["axtree_object"])


def test_the_oracle_passes(env: Any) -> None:
    env.reset(seed=1)
    inner = env.unwrapped
    inner.task.cheat(inner.page, [])
    _, reward, terminated, _, info = env.step("noop(50)")
    assert (reward, terminated) == (1.0, True)
    assert info["task_info"]["verdict"]["status"] == "pass"


def test_each_reset_begins_anew_and_nothing_else_is_reached(env: Any) -> None:
    first, _ = env.reset(seed=1)
    inner = env.unwrapped
    session = inner.task.episode.session
    env.step(f"click('{find(first, 'link', 'Handbook')}')")
    env.step("goto('http://example.com/')")
    assert inner.last_action_error
    second, _ = env.reset(seed=2)
    assert second["url"] != first["url"]
    assert inner.task.episode.calls == 0
    assert session is not inner.task.episode.session


def test_a_world_that_fails_ends_the_episode_without_a_reward(env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    env.reset(seed=1)
    inner = env.unwrapped
    session = inner.task.episode.session.episode.env._session

    def lose(*_: object) -> None:
        raise LostTransaction("the database failed")

    monkeypatch.setattr(type(session), "call", lose)
    inner.task.episode.session.call("find_loans", {})
    _, reward, terminated, _, info = env.step("noop(50)")
    assert (reward, terminated) == (0.0, True)
    assert info["task_info"]["error"] == "the database failed"
    assert info["task_info"]["verdict"]["reward"] is None


def test_what_the_page_says_runs(gym_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hotel_booking").symlink_to(gym_folder)
    scope: dict[str, Any] = {}
    exec(
        block.replace('register_tasks("hotel_booking")', 'register_tasks("hotel_booking", variants=["seed_7"])'), scope
    )
    assert scope["reward"] == 0.0
