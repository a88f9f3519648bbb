"""Worlds in TRL's hands: what it tells a model of the tools, and training in them."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.train.conftest import byte_pairs, small_qwen3

from worldwright.adapters.signatures import make_method, sign_tool
from worldwright.adapters.trl import dataset_rows, environment, environment_factory, get_episode
from worldwright.blueprint.load import load_file
from worldwright.compiler.build import build
from worldwright.pack.seal import write_pack
from worldwright.world.records import ToolSpec

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adapters" / "trl.md"
Row = dict[str, Any]
UNSAID = ("pattern", "examples", "format", "minimum", "maximum", "multipleOf", "default", "minItems", "maxLength")


@pytest.fixture(scope="session")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another gym."""
    folder = tmp_path_factory.mktemp("gym") / "boat_hire"
    write_pack(build(load_file(ROOT / "examples" / "boat_hire.yaml"), 7).pack.files, folder / "seed_7")
    return folder


@pytest.fixture(scope="session")
def rows(gym_folder: Path, boats: Path) -> list[Row]:
    return dataset_rows(str(gym_folder)) + dataset_rows(str(boats))


@pytest.fixture(scope="session")
def factories(gym_folder: Path, boats: Path) -> dict[str, Any]:
    return environment_factory(str(gym_folder)) | environment_factory(str(boats))


@pytest.fixture(scope="session")
def speaker(rows: list[Row]) -> Any:
    """A tokenizer that knows the words of these worlds."""
    from trl.chat_template_utils import qwen3_chat_template

    tools = [tool.mcp() for row in rows[:1] for tool in get_episode(begun(row)).tools]
    return byte_pairs([json.dumps(tools), *(json.dumps(row["prompt"]) for row in rows)], qwen3_chat_template)


def begun(row: Row) -> Any:
    made = environment(row["gym"], row["variant"], row["task"])
    made.reset(**row)
    return made


# what a model is told


def same(said: dict[str, Any], real: dict[str, Any]) -> None:
    """Whether TRL says of a parameter what the world says of it."""
    kinds = real.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if "enum" in real:
        assert said["enum"] == list(real["enum"])
    else:
        assert [said["type"]] == [kind for kind in kinds if kind != "null"]
        assert said.get("nullable", False) == ("null" in kinds)
    assert said["description"].startswith(real.get("description", ""))
    for key in UNSAID:
        assert (f"{key} " in said["description"]) == (key in real)


def test_trl_tells_a_model_what_the_world_says_of_its_tools(rows: list[Row], factories: dict[str, Any]) -> None:
    from transformers.utils import get_json_schema

    for row in rows:
        made = factories[row["environment"]]()
        made.reset(**row)
        for tool in get_episode(made).tools:
            said = get_json_schema(getattr(made, tool.name))["function"]
            assert said.keys() == {"name", "description", "parameters"}
            assert (said["name"], said["description"]) == (tool.name, tool.description)
            parts = tool.input_schema["properties"]
            assert list(said["parameters"]["properties"]) == list(parts)
            assert set(said["parameters"].get("required", [])) == set(tool.input_schema.get("required", []))
            for name, part in parts.items():
                same(said["parameters"]["properties"][name], part)


WORDS = st.text(max_size=30) | st.sampled_from(
    ["", "Returns: a loan", "one of (choices: a, b)", "first\n\n  second: third\n Args:\n", "(Choices: [1)", "Raises:"]
)


@given(says=WORDS, parts=st.dictionaries(st.text(max_size=8) | st.sampled_from(["self", "in", "maxReturns"]), WORDS))
def test_no_description_and_no_name_gets_in_the_way(says: str, parts: dict[str, str]) -> None:
    from transformers.utils import get_json_schema

    schema = {"properties": {name: {"type": "integer", "description": text} for name, text in parts.items()}}
    tool = ToolSpec("lend", says, {**schema, "required": list(parts)}, {}, mutates=True, system="")
    desk = type("Desk", (), {"lend": make_method(tool, lambda _, arguments: str(arguments))})()
    found = get_json_schema(desk.lend)["function"]["parameters"]
    real = sign_tool(tool).renamed
    assert [real.get(name, name) for name in found["properties"]] == list(parts)
    assert set(found.get("required", [])) == set(found["properties"])
    assert {one["type"] for one in found["properties"].values()} <= {"integer"}


def test_what_is_asked_is_said_once(rows: list[Row], speaker: Any) -> None:
    made = begun(rows[0])
    tools = [getattr(made, tool.name) for tool in get_episode(made).tools]
    text = speaker.apply_chat_template(rows[0]["prompt"], tools=tools, tokenize=False)
    assert text.count(get_episode(made).task.instruction) == 1
    assert all(text.count(f'"name": "{tool.__name__}"') == 1 for tool in tools)


# training

Policy = Callable[[int, Any], list[tuple[str, Any]]]
"""The calls of the n-th rollout of a batch."""


def gold(environment: Any) -> list[tuple[str, Any]]:
    key = get_episode(environment).env.key()
    return [*((call.tool, dict(call.arguments)) for call in key.calls), (get_episode(environment).submit, key.answer)]


def trained(
    rows: list[Row], factories: Any, speaker: Any, out: Path, policy: Policy, group: int, batch: int = 4
) -> Any:
    """Two steps of GRPO, the first turn of every rollout by a policy and the rest by a model."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    def first_turns(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        asked = [
            "\n".join(
                f"<tool_call>\n{json.dumps({'name': name, 'arguments': given})}\n</tool_call>"
                for name, given in policy(at, made)
            )
            for at, made in enumerate(trainer.environments)
        ]
        completions = [speaker(f"{text or 'No.'}<|im_end|>")["input_ids"] for text in asked]
        heads = [speaker.apply_chat_template(p, add_generation_prompt=True)["input_ids"] for p in prompts]
        return {"prompt_ids": heads, "completion_ids": completions, "logprobs": None}

    trainer = GRPOTrainer(
        model=small_qwen3(speaker),
        processing_class=speaker,
        train_dataset=Dataset.from_list(rows),
        environment_factory=factories,
        rollout_func=first_turns,
        args=GRPOConfig(
            output_dir=str(out), use_cpu=True, bf16=False, max_steps=2, per_device_train_batch_size=batch, seed=3,
            num_generations=group, max_completion_length=4_096, generation_kwargs={"max_new_tokens": 8},
            logging_steps=1, save_strategy="no", report_to=[], disable_tqdm=True,
        ),
    )  # fmt: skip
    before = [p.detach().clone() for p in trainer.model.parameters()]
    loss = trainer.train().training_loss
    assert math.isfinite(loss)
    moved = any((a != b).any() for a, b in zip(before, trainer.model.parameters(), strict=True))
    return trainer.state.log_history[:2], moved


def test_training_in_two_worlds_with_rewards_of_their_verifiers(
    rows: list[Row], factories: dict[str, Any], speaker: Any, tmp_path: Path
) -> None:
    """Every other rollout makes the gold calls: half the reward, and something to learn."""
    log, moved = trained(
        rows, factories, speaker, tmp_path, lambda at, made: gold(made) if at % 2 == 0 else [], group=2
    )
    assert moved
    classes = {type(factory()).__name__ for factory in factories.values()}
    assert {name.rsplit("_", 1)[0] for name in classes} == {
        "town_library_librarian", "town_library_manager", "boat_hire_attendant", "boat_hire_manager",
    }  # fmt: skip
    for step in log:
        assert (step["reward"], step["tools/failure_frequency"]) == (0.5, 0)
        assert step["tools/call_frequency"] > 1
        assert math.isfinite(step["grad_norm"])
        columns = {key: value for key, value in step.items() if re.fullmatch(r"rewards/.*/mean", key)}
        assert {key.split("/")[1] for key in columns} == classes
        assert {value for value in columns.values() if value is not None} == {0.5}


def test_an_environment_that_failed_is_left_out_of_its_group(
    rows: list[Row], factories: dict[str, Any], speaker: Any, tmp_path: Path
) -> None:
    """Of four rollouts two are right, one does nothing, and one loses its database: two of three."""

    def unlucky(at: int, made: Any) -> list[tuple[str, Any]]:
        if at % 4 == 3:
            get_episode(made).env._session._conn.close()  # type: ignore[union-attr]
            return [(get_episode(made).tools[0].name, {}), *gold(made)]
        return gold(made) if at % 4 < 2 else []

    writes = next(row for row in rows if get_episode(begun(row)).env.key().calls[-1].tool == "lend")
    log, _ = trained([writes], factories, speaker, tmp_path, unlucky, group=4, batch=4)
    assert [step["reward"] for step in log] == [pytest.approx(2 / 3)] * 2


def test_the_factories_go_to_the_processes_of_the_asynchronous_trainer(rows: list[Row], factories: Any) -> None:
    again = pickle.loads(pickle.dumps(factories))
    assert {name: type(factory()) for name, factory in again.items()} == {
        name: type(factory()) for name, factory in factories.items()
    }


def test_the_lines_of_the_page_run(gym_folder: Path, speaker: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """With a small model and a small gym in the place of those that the page names."""
    (lines,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in lines.splitlines() if line.strip()]) <= 15
    speaker.save_pretrained(tmp_path / "Qwen" / "Qwen3-0.6B")
    small_qwen3(speaker).save_pretrained(tmp_path / "Qwen" / "Qwen3-0.6B")
    (tmp_path / "town_library").symlink_to(gym_folder)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(lines, PAGE.name, "exec"), names)
    assert [math.isfinite(step["loss"]) for step in names["trainer"].state.log_history if "loss" in step] == [True] * 2
