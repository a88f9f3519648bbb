"""A gym in Inspect: whole evaluations, offline, with models that know the key, know nothing, or write nonsense."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_contract import TOOLS

from worldwright.engine.contract import Contract
from worldwright.engine.trajectories import read_trajectory
from worldwright.engine.world import Gym, World
from worldwright.store.open import open_gym

inspect_ai = pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # streams of its own
PAGE = Path(__file__).parents[3] / "docs" / "adapters" / "inspect.md"
Say = Callable[[list[Any], list[Any]], Any]
"""What a model answers to messages, with these tools."""


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    return tmp_path / "logs"


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    from worldwright.adapters import inspect

    yield
    assert inspect._LIVE == {}


def run(folder: Path, say: Say, solver: Any = None, limits: dict[str, Any] | None = None, **wanted: Any) -> Any:
    """The log of an evaluation."""
    from inspect_ai.model import get_model

    from worldwright.adapters.inspect import gym

    async def answer(messages: list[Any], tools: list[Any], tool_choice: Any, config: Any) -> Any:
        return say(messages, tools)

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    more = {} if solver is None else {"solver": solver}
    [log] = inspect_ai.eval(gym(str(folder), **wanted), model=model, display="none", **more, **(limits or {}))
    assert log.status == "success", log.error
    return log


def call(name: str, arguments: dict[str, Any]) -> Any:
    return calls((name, arguments))


def calls(*asked: tuple[str, dict[str, Any]]) -> Any:
    from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage
    from inspect_ai.tool import ToolCall

    made = [ToolCall(id=f"c{at}", function=name, arguments=arguments) for at, (name, arguments) in enumerate(asked)]
    output = ModelOutput.from_message(ChatMessageAssistant(content="", tool_calls=made))
    output.usage = ModelUsage()
    return output


def words(said: str) -> Any:
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput.from_content("mockllm", said)
    output.usage = ModelUsage()
    return output


def oracle(folder: Path) -> Say:
    """A model that knows each task by its words, and makes the calls of the key one by one."""
    gym = open_gym(folder)
    todo: dict[tuple[str, str], list[tuple[str, Any]]] = {}
    for world in map(gym.world, gym.variants):
        for task in world.tasks:
            with world.open(task.id) as episode:
                system, request = (message["content"] for message in episode.messages)
                key = world.key(task.id)
                todo[system, request] = [*key.calls, (episode.submit, key.answer)]

    def say(messages: list[Any], tools: list[Any]) -> Any:
        calls = todo[messages[0].text, messages[1].text]
        name, arguments = calls[sum(m.role == "tool" for m in messages)]
        return call(name, dict(arguments))

    return say


def nothing(messages: list[Any], tools: list[Any]) -> Any:
    return words("I would rather not.")


def scores(log: Any) -> dict[str, Any]:
    return {sample.id: sample.scores["verdict"] for sample in log.samples}


# whole evaluations


def test_a_model_that_knows_the_key_scores_one_on_every_task(gym_folder: Path, world: World) -> None:
    log = run(gym_folder, oracle(gym_folder))
    gym = open_gym(gym_folder)
    wanted = {f"{variant}-{task.id}" for variant in gym.variants for task in gym.world(variant).tasks}
    assert {name: score.value for name, score in scores(log).items()} == dict.fromkeys(wanted, 1.0)
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    for sample in log.samples:
        assert all(json.loads(m.text)["ok"] for m in sample.messages if m.role == "tool")
        found = read_trajectory(sample.store["worldwright:log"])
        assert gym.world(sample.metadata["variant"]).judge(found).reward == 1


def test_a_model_that_calls_nothing_scores_zero(gym_folder: Path) -> None:
    log = run(gym_folder, nothing, variants="seed_7")
    assert {score.value for score in scores(log).values()} == {0.0}
    said = [[message.role for message in sample.messages][2:] for sample in log.samples]
    assert all(roles == ["assistant", "user", "assistant", "user", "assistant"] for roles in said)
    assert "submit_answer" in log.samples[0].messages[3].text


def test_many_at_once_are_what_they_are_alone(gym_folder: Path) -> None:
    """Samples wait in the middle of their episodes, so that all of them are open together."""
    import anyio
    from inspect_ai.model import get_model

    from worldwright.adapters import inspect

    say, most = oracle(gym_folder), 0

    async def answer(messages: list[Any], tools: list[Any], tool_choice: Any, config: Any) -> Any:
        nonlocal most
        most = max(most, len(inspect._LIVE))
        await anyio.sleep(0.001 * (len(messages) % 3))
        return say(messages, tools)

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    task = inspect.gym(str(gym_folder), variants="seed_7")
    [log] = inspect_ai.eval(task, model=model, display="none", epochs=2, max_samples=40, max_connections=40)
    assert most > 10
    assert [score.value for sample in log.samples for score in sample.scores.values()] == [1.0] * len(log.samples)
    finals: dict[str, set[str]] = {}
    for sample in log.samples:
        finals.setdefault(sample.id, set()).add(read_trajectory(sample.store["worldwright:log"]).final_digest)
    assert all(len(found) == 1 for found in finals.values())


# what a model may write


def test_whatever_a_model_calls_the_world_says_what_is_wrong(gym_folder: Path) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("lend", {"member": 7, "copy": None}),
        ("lend", {}),
        ("find_members", {"limit": "many"}),
        ("find_members", {"self": 1, "kwargs": 2, "no such": [{}]}),
        ("submit_answer", {"outcome": "done", "deep": [[[[[[[[[[]]]]]]]]]]}),
    ]

    def say(messages: list[Any], tools: list[Any]) -> Any:
        return calls(*asked) if len(messages) == 2 else nothing(messages, tools)

    log = run(gym_folder, say, variants="seed_7", tasks="task_001")
    [sample] = log.samples
    answers = [json.loads(m.text) for m in sample.messages if m.role == "tool"]
    assert [answer["ok"] for answer in answers] == [False] * len(asked)
    assert {answer["error"]["code"] for answer in answers} == {"INVALID_ARGUMENT"}
    assert sample.error is None
    assert scores(log)["seed_7-task_001"].value == 0.0


def test_a_tool_that_there_is_not_is_a_tool_error(gym_folder: Path) -> None:
    def say(messages: list[Any], tools: list[Any]) -> Any:
        return call("no_such_tool", {}) if len(messages) == 2 else nothing(messages, tools)

    [sample] = run(gym_folder, say, variants="seed_7", tasks="task_001").samples
    [message] = [m for m in sample.messages if m.role == "tool"]
    assert "not found" in message.error.message


def test_calls_behind_the_answer_are_refused_and_the_sample_ends(gym_folder: Path) -> None:
    def say(messages: list[Any], tools: list[Any]) -> Any:
        return calls((tools[-1].name, {"outcome": "refused"}), ("find_members", {}))

    [sample] = run(gym_folder, say, variants="seed_7", tasks="task_001").samples
    last = [json.loads(m.text) for m in sample.messages if m.role == "tool"]
    assert [one["ok"] for one in last] == [True, False]
    assert last[1]["error"]["code"] == "EPISODE_OVER"


@pytest.mark.parametrize(("wanted", "limits"), [({"calls": 3}, {}), ({"turns": 3}, {}), ({}, {"message_limit": 8})])
def test_an_episode_without_end_is_cut_off_and_judged(gym_folder: Path, wanted: Any, limits: Any) -> None:
    def say(messages: list[Any], tools: list[Any]) -> Any:
        return call("find_members", {})

    log = run(gym_folder, say, limits=limits, variants="seed_7", tasks=["task_001"], **wanted)
    [sample] = log.samples
    assert sum(m.role == "tool" for m in sample.messages) == 3
    assert sample.scores["verdict"].value == 0.0


def test_a_world_that_fails_leaves_its_sample_unscored(gym_folder: Path) -> None:
    from worldwright.adapters import inspect

    say = oracle(gym_folder)

    def breaking(messages: list[Any], tools: list[Any]) -> Any:
        for episode in inspect._LIVE.values():
            if episode.task.id == "task_002" and len(messages) == 2:
                episode.env._session._conn.close()  # type: ignore[union-attr]
                return call("find_members", {"name": "Nobody Three"})
        return say(messages, tools)

    log = run(gym_folder, breaking, variants="seed_7", limits={"max_samples": 1})
    found = scores(log)
    lost = found.pop("seed_7-task_002")
    assert math.isnan(lost.value)
    assert (lost.reason, lost.metadata["status"]) == ("scoring_failed", "error")
    assert {score.value for score in found.values()} == {1.0}
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    assert log.results.scores[0].unscored_samples == 1


# what is told


def test_samples_give_nothing_away(gym_folder: Path, world: World) -> None:
    from worldwright.adapters.inspect import gym

    for sample in gym(str(gym_folder), variants="seed_7").dataset:
        assert sample.target == ""
        assert sample.metadata.keys() == {"gym", "variant", "task", "world", "family"}
        with world.open(sample.metadata["task"]) as episode:
            assert [m.text for m in sample.input] == [m["content"] for m in episode.messages]
        ids = [value for value in world.key(sample.metadata["task"]).answer.values() if re.match("[A-Z]+-", str(value))]
        assert not any(found in sample.model_dump_json(exclude={"input"}) for found in ids)
    done = next(task.id for task in world.tasks if world.key(task.id).answer["outcome"] == "done")
    log = run(gym_folder, nothing, variants="seed_7", tasks=done)
    told = scores(log)[f"seed_7-{done}"]
    assert {name for one in told.metadata["assertions"] for name in one} == {"name", "ok"}
    assert told.explanation.startswith("goal ")


def test_tools_are_shown_with_their_schemas(gym_folder: Path, world: World) -> None:
    seen: list[Any] = []

    def say(messages: list[Any], tools: list[Any]) -> Any:
        seen[:] = tools
        return call(tools[-1].name, {})

    run(gym_folder, say, variants="seed_7", tasks="task_001")
    unknown = {"multipleOf", "minItems", "maxItems"}
    with world.open("task_001") as episode:
        for tool, spec in zip(seen, episode.tools, strict=True):
            assert (tool.name, tool.description) == (spec.name, spec.description)
            shown = tool.parameters.model_dump(exclude_none=True)
            for name, part in spec.input_schema["properties"].items():
                assert shown["properties"][name] == {
                    k: v for k, v in part.items() if k not in unknown and v is not None
                }
            assert shown["required"] == list(spec.input_schema.get("required", ()))


def test_names_and_schemas_that_inspect_cannot_hold_are_shown_otherwise_and_turned_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of an API stay what they are everywhere else."""
    schema = {
        "type": "object",
        "properties": {"borrower": {"required": True}, "copy-id": True, "days": {"type": "integer"}},
    }
    lend = replace(TOOLS.tools["POST /v1/loans"], input_schema=schema)
    contract = Contract({lend.name: lend, "listLoans": TOOLS.tools["listLoans"]})
    behind = Gym("api", {"one": lambda: World(world.manifest, world.runtime, world.book, contract)})
    monkeypatch.setattr("worldwright.adapters.rows.open_row_gym", {"api": behind}.__getitem__)
    seen: list[Any] = []

    def say(messages: list[Any], tools: list[Any]) -> Any:
        seen[:] = tools
        return calls(
            ("POST__v1_loans_tool", {"borrower": {"number": 1}, "copy-id": "x"}),
            (tools[-1].name, {"outcome": "refused"}),
        )

    [sample] = run(Path("api"), say, tasks="task_001").samples
    assert [tool.name for tool in seen] == ["POST__v1_loans_tool", "listLoans", "submit_answer"]
    assert "(The tool `POST /v1/loans` of this system.)" in seen[0].description
    told = {name: part.description for name, part in seen[0].parameters.properties.items()}
    assert told == {
        "borrower": 'borrower, as this schema says: {"required":true}',
        "copy-id": "copy-id, as this schema says: true",
        "days": "days",
    }
    [step] = read_trajectory(sample.store["worldwright:log"]).steps
    assert step.call.tool == "lend"


# other ways in


def test_a_log_can_be_scored_again(gym_folder: Path, logs: Path) -> None:
    from inspect_ai.log import read_eval_log
    from inspect_ai.scorer import Score

    from worldwright.adapters.inspect import verdict

    say = oracle(gym_folder)

    def half(messages: list[Any], tools: list[Any]) -> Any:
        return say(messages, tools) if "Khan" in messages[1].text else nothing(messages, tools)

    run(gym_folder, half, variants="seed_7")
    [file] = logs.iterdir()
    log = read_eval_log(str(file))
    before = {name: score.value for name, score in scores(log).items()}
    assert set(before.values()) == {0.0, 1.0}
    again = inspect_ai.score(log, verdict(), action="overwrite", display="none")
    assert {name: score.value for name, score in scores(again).items()} == before
    assert all(isinstance(score, Score) for score in scores(again).values())


def test_another_solver_finds_the_tools(gym_folder: Path) -> None:
    from inspect_ai.solver import generate

    say = oracle(gym_folder)

    def and_done(messages: list[Any], tools: list[Any]) -> Any:
        over = messages[-1].role == "tool" and messages[-1].function == "submit_answer"
        return words("Done.") if over else say(messages, tools)

    log = run(gym_folder, and_done, solver=generate(), variants="seed_7")
    assert {score.value for score in scores(log).values()} == {1.0}


MODEL = """
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

@modelapi(name="quitter")
class Quitter(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        output = ModelOutput.for_tool_call("quitter", tools[-1].name, {"outcome": "done"})
        output.usage = ModelUsage()
        return output
"""


def test_the_command_line_finds_the_task(gym_folder: Path, tmp_path: Path, logs: Path) -> None:
    """With a model of a package that is installed beside: what Inspect ships needs a network."""
    from inspect_ai.log import read_eval_log

    (tmp_path / "quitter.py").write_text(MODEL)
    (tmp_path / "quitter-1.dist-info").mkdir()
    (tmp_path / "quitter-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: quitter\nVersion: 1\n")
    (tmp_path / "quitter-1.dist-info" / "entry_points.txt").write_text("[inspect_ai]\nquitter = quitter\n")
    command = [
        "eval",
        "worldwright/gym",
        "-T",
        f"gym={gym_folder}",
        "-T",
        "tasks=task_001,task_002",
        "--model",
        "quitter/x",
    ]
    done = subprocess.run(
        [str(Path(sys.executable).with_name("inspect")), *command, "--display", "plain"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    [file] = logs.iterdir()
    log = read_eval_log(str(file))
    assert (log.status, log.eval.task, len(log.samples)) == ("success", "worldwright/gym", 4)
    assert {score.value for score in scores(log).values()} == {0.0}


def test_the_page_runs(gym_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(gym_folder.parent)
    [block] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 15
    exec(block, {})
    said = capsys.readouterr().out
    assert re.match(r"success 0\.0\n(seed_7-task_\d+ 0\.0 .+\n){3}\Z", said)
