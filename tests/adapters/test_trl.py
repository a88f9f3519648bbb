"""Environments for TRL, without TRL: what they offer, how they are reset, and what they are worth."""

from __future__ import annotations

import inspect
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared_builds import build
from tests.worlds import text

from worldwright.adapters.rows import open_row_world
from worldwright.adapters.trl import check_release, dataset_rows, environment, environment_factory, get_episode
from worldwright.blueprint.siblings import load_cached
from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.limits import Limits
from worldwright.pack.seal import write_pack

PAGE = Path(__file__).parents[2] / "docs" / "adapters" / "trl.md"
Row = dict[str, Any]


@pytest.fixture(scope="session")
def rows(gym_folder: Path) -> list[Row]:
    return dataset_rows(str(gym_folder))


def for_row(row: Row, **more: Any) -> Any:
    """An environment that has begun with this row."""
    made = environment(row["gym"], row["variant"], row["task"], **more)
    made.reset(**row)
    return made


def gold(row: Row) -> list[tuple[str, dict[str, Any]]]:
    """The calls of the key, and the answer that ends the episode."""
    key = open_row_world(row).key(row["task"])
    return [*((call.tool, dict(call.arguments)) for call in key.calls), ("submit_answer", key.answer)]


def play(made: Any, row: Row) -> float | None:
    for name, arguments in gold(row):
        getattr(made, name)(**arguments)
    found: float | None = made.get_reward()
    return found


def lose(made: Any) -> None:
    """The database, closed behind the episode's back. What nobody has asked before now fails."""
    get_episode(made).env._session._conn.close()  # type: ignore[union-attr]
    assert json.loads(made.find_members(name="nobody"))["error"]["code"] == "UNAVAILABLE"


# rows


def test_rows_name_environments_and_hold_no_key(gym_folder: Path, rows: list[Row]) -> None:
    factories = environment_factory(str(gym_folder))
    assert {row["environment"] for row in rows} == set(factories)
    for row in rows:
        assert row.keys() == {"prompt", "gym", "variant", "task", "world", "family", "environment"}
        assert [message["role"] for message in row["prompt"]] == ["system", "user"]
        assert factories[row["environment"]]().reset(**row) is None


def test_an_environment_says_what_it_is_about_only_where_the_row_does_not(rows: list[Row]) -> None:
    bare = {key: value for key, value in rows[0].items() if key != "prompt"}
    made = for_row(rows[0])
    assert made.reset(**rows[0]) is None
    assert made.reset(**bare) == "\n\n".join(message["content"] for message in rows[0]["prompt"])


def test_roles_have_classes_and_variants_share_them(gym_folder: Path, rows: list[Row]) -> None:
    factories = environment_factory(str(gym_folder))
    classes = {
        row["task"]: type(factories[row["environment"]]()).__name__ for row in rows if row["variant"] == "seed_8"
    }
    both = {type(factory()).__name__.rpartition("_")[0] for factory in factories.values()}
    assert both == {"town_library_librarian", "town_library_manager"}
    assert len({type(factory()) for factory in factories.values()}) == 2
    assert set(classes.values()) <= {type(factory()).__name__ for factory in factories.values()}


def test_only_some_tasks(gym_folder: Path) -> None:
    (row,) = dataset_rows(str(gym_folder), ["seed_7"], ["task_001"])
    assert (row["variant"], row["task"]) == ("seed_7", "task_001")
    assert list(environment_factory(str(gym_folder), ["seed_7"], ["task_001"])) == [row["environment"]]
    with pytest.raises(UsageError, match="no task 'task_999'"):
        dataset_rows(str(gym_folder), tasks=["task_999"])


# tools


def test_whatever_is_public_is_a_tool(rows: list[Row]) -> None:
    for row in rows:
        made = for_row(row)
        tools = [tool.name for tool in get_episode(made).tools]
        assert {name for name in dir(made) if not name.startswith("_")} == {*tools, "reset", "get_reward"}
        listed = [name for name, _ in inspect.getmembers(type(made), inspect.isfunction) if not name.startswith("_")]
        assert sorted(listed) == sorted([*tools, "reset", "get_reward"])


def test_every_task_has_an_answer_of_its_own(rows: list[Row]) -> None:
    for row in rows:
        made = for_row(row)
        wanted = get_episode(made).task.answer_schema["properties"]
        assert list(inspect.signature(made.submit_answer).parameters) == list(wanted)


def test_the_gold_calls_are_worth_one_and_nothing_is_worth_nothing(rows: list[Row]) -> None:
    for row in rows:
        made = for_row(row)
        assert made.get_reward() == 0
        assert play(made, row) == 1
        made.reset(**row)
        assert made.get_reward() == 0


def test_results_are_text_and_after_the_answer_the_episode_is_over(rows: list[Row]) -> None:
    made = for_row(rows[0])
    *calls, (_, answer) = gold(rows[0])
    for name, arguments in calls:
        assert json.loads(getattr(made, name)(**arguments))["ok"]
    assert made.submit_answer(**answer) == '{"ok":true,"data":null}'
    for name in ("find_members", "submit_answer"):
        assert json.loads(getattr(made, name)())["error"]["code"] == "EPISODE_OVER"
    assert made.get_reward() == 1


def test_the_last_call_that_is_allowed_ends_the_episode(rows: list[Row]) -> None:
    made = for_row(rows[0], limits=Limits(calls=1))
    assert json.loads(made.find_members())["ok"]
    assert json.loads(made.find_members())["error"]["code"] == "EPISODE_OVER"


@given(
    arguments=st.dictionaries(
        st.text(max_size=8) | st.sampled_from(["member", "copy", "self", "name", "arguments", "environment"]),
        st.none() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.integers(), max_size=2),
    )
)
def test_whatever_a_model_sends_comes_back_as_text(rows: list[Row], arguments: dict[str, Any]) -> None:
    made = for_row(rows[0])
    for name in ("lend", "find_members", "submit_answer"):
        assert json.loads(getattr(made, name)(**arguments)).keys() in ({"ok", "data"}, {"ok", "error"})
    assert made.get_reward() == 0


def test_tools_with_names_that_trl_keeps_are_called_otherwise(tmp_path: Path) -> None:
    made = build(load_cached(text("town_library").replace("take_back", "reset"), "town_library.yaml"), 7)
    write_pack(made.pack.files, tmp_path / "desk" / "seed_7")
    rows = dataset_rows(str(tmp_path / "desk"))
    (row,) = islice((row for row in rows if "reset" in dict(gold(row))), 1)
    env = for_row(row)
    assert "The tool `reset` of this system." in str(env.reset_tool.__doc__)
    for name, arguments in gold(row):
        getattr(env, "reset_tool" if name == "reset" else name)(**arguments)
    assert env.get_reward() == 1


@pytest.mark.parametrize("face", ["crowded", "obscured", "asking"])
def test_other_faces(gym_folder: Path, face: str) -> None:
    factories = environment_factory(str(gym_folder), face=face, variants=["seed_7"])
    for row in dataset_rows(str(gym_folder), face=face, variants=["seed_7"]):
        made: Any = factories[row["environment"]]()
        made.reset(**row)
        key = get_episode(made).env.key()
        for call in key.calls:
            getattr(made, call.tool)(**call.arguments)
        made.submit_answer(**key.answer)
        assert made.get_reward() == 1


# what goes wrong


def test_an_environment_that_failed_has_no_reward(rows: list[Row]) -> None:
    made = for_row(rows[0])
    lose(made)
    assert made.get_reward() is None
    made.reset(**rows[0])
    assert play(made, rows[0]) == 1


def test_an_exception_costs_the_reward(rows: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    """TRL tells the model of an exception and goes on: the episode must not be judged as if nothing had happened."""
    made = for_row(rows[0])
    with monkeypatch.context() as patch:
        patch.setattr(get_episode(made).env, "call_tool", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            made.find_members()
    assert play(made, rows[0]) is None
    made.reset(**rows[0])
    assert play(made, rows[0]) == 1


def test_a_reward_function_of_ones_own(rows: list[Row]) -> None:
    """The one on the page: shorter is better, and what failed has no reward."""
    block = PAGE.read_text(encoding="utf-8").partition("or the episode is not left out:\n")[2].partition("\n\nThe ")[0]
    names: dict[str, Any] = {}
    exec(dedent(block), names)
    short, failed = for_row(rows[0]), for_row(rows[0])
    short.find_members()
    lose(failed)
    assert names["short"](environments=[short, failed], prompts=[], completions=[]) == [-0.01, None]


def test_an_environment_is_used_as_it_should(gym_folder: Path, rows: list[Row]) -> None:
    fresh: Any = environment(str(gym_folder), "seed_7", "task_001")
    for use in (fresh.get_reward, fresh.find_members):
        with pytest.raises(EpisodeError, match="reset the environment first"):
            use()
    with pytest.raises(UsageError, match="has no gym, variant, task"):
        fresh.reset(prompt="?")
    other = next(row for row in rows if row["environment"] != rows[0]["environment"])
    with pytest.raises(UsageError, match="has other tools than this environment"):
        fresh.reset(**other)
    with pytest.raises(EpisodeError, match="reset the environment first"):
        fresh.get_reward()
    with pytest.raises(UsageError, match="not the world that this row was made from"):
        fresh.reset(**{**rows[0], "world": "0" * 64})


def test_releases_of_frameworks() -> None:
    check_release("no-such-package", (1, 0), (1, 0), "train")
    check_release("pydantic", (2, 0), (99, 0), "train")
    with pytest.raises(UsageError, match=r"pydantic .* is too old, 99.0 is needed: pip install 'worldwright\[train\]'"):
        check_release("pydantic", (99, 0), (99, 1), "train")
    with pytest.warns(UserWarning, match="is newer than 1.10, the newest that was tried"):
        check_release("pydantic", (1, 0), (1, 10), "train")


# other threads and processes


ELSEWHERE = """
import pickle, sys
factories, row, calls = pickle.load(sys.stdin.buffer)
made = factories[row["environment"]]()
made.reset(**row)
for name, arguments in calls:
    getattr(made, name)(**arguments)
print(type(made).__name__, made.get_reward())
"""


def test_factories_can_be_sent_to_another_process(gym_folder: Path, rows: list[Row]) -> None:
    factories = environment_factory(str(gym_folder))
    sent = pickle.dumps((factories, rows[0], gold(rows[0])))
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], input=sent, capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().split() == [type(factories[rows[0]["environment"]]()).__name__, "1.0"]


def test_a_copy_of_an_environment_is_a_new_one(rows: list[Row]) -> None:
    made = for_row(rows[0], limits=Limits(calls=2))
    copy = pickle.loads(pickle.dumps(made))
    assert type(copy) is type(made)
    with pytest.raises(EpisodeError):
        copy.get_reward()
    copy.reset(**rows[0])
    assert [json.loads(copy.find_members())["ok"] for _ in range(3)] == [True, True, False]


def test_environments_side_by_side_in_threads(rows: list[Row]) -> None:
    """TRL's asynchronous trainer calls the tools of many environments from a pool of threads."""
    many = [(for_row(row), row) for row in rows for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        waiting = [(made, iter(gold(row))) for made, row in many]
        while waiting:
            turns = [(made, calls, next(calls, None)) for made, calls in waiting]
            waiting = [(made, calls) for made, calls, turn in turns if turn is not None]
            list(pool.map(lambda t: getattr(t[0], t[2][0])(**t[2][1]), [t for t in turns if t[2] is not None]))
        assert set(pool.map(lambda pair: pair[0].get_reward(), many)) == {1.0}
