"""The telecom domain of tau2 as `inspect-evals` has it: loaded at run time, called through its own entry points."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Coroutine, Mapping, Sequence
from contextvars import copy_context
from importlib import import_module
from typing import Any, NamedTuple

NEEDED = "inspect-evals==0.26.*"
HOW = f"""    python3.11 -m venv tau2
    tau2/bin/pip install -e . '{NEEDED}'
    tau2/bin/python -m studies.telecom"""
TELECOM = "inspect_evals.tau2.telecom"


class MissingPackageError(Exception):
    """The package is not here."""


class Modules(NamedTuple):
    """What is used of the package, and of `inspect-ai` below it."""

    agent_tools: Any
    user_tools: Any
    transfer: Any
    environment: Any
    solver: Any
    scorer: Any
    dataset: Any
    agents: Any
    store: Any
    ai: Any


def load_modules() -> Modules:
    names = (
        f"{TELECOM}.tools", f"{TELECOM}.user_tools", "inspect_evals.tau2.common.tools", f"{TELECOM}.environment",
        f"{TELECOM}.solver", f"{TELECOM}.scorer", f"{TELECOM}.dataset", "inspect_evals.tau2.common.agents",
        "inspect_ai.util._store",
    )  # fmt: skip
    try:
        found = [import_module(name) for name in names]
        parts = [import_module(f"inspect_ai.{name}") for name in ("model", "scorer", "solver", "tool", "util")]
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"the package `inspect-evals` is not installed here ({error}). An environment of its own:\n{HOW}"
        ) from error
    ai = {name: getattr(part, name) for part in parts for name in part.__all__}
    return Modules._make([*found, ai])


class Action(NamedTuple):
    """A gold action of a task."""

    requestor: str
    name: str
    arguments: Mapping[str, Any]


class Scenario(NamedTuple):
    """What is read of a task; `record` is the whole of it, for their code."""

    id: str
    persona: str
    known: str
    instructions: str
    actions: tuple[Action, ...]
    record: Any


def read_tasks(modules: Modules, split: str) -> list[Scenario]:
    """The tasks of a split, in the order of the file."""
    path = modules.dataset.TELECOM_TASKS_FILE
    rows: list[Any] = json.loads(gzip.decompress(path.read_bytes()))
    splits = json.loads((path.parent / "split_tasks.json").read_text("utf-8"))
    if split not in splits:
        raise MissingPackageError(f"no split {split!r}: there are {', '.join(sorted(splits))}")
    wanted = set(splits[split])
    return [_scenario(row) for row in rows if row["id"] in wanted]


def _scenario(row: Mapping[str, Any]) -> Scenario:
    told = row["user_scenario"]["instructions"]
    actions = tuple(
        Action(a["requestor"], a["name"], a["arguments"]) for a in row["evaluation_criteria"]["actions"] or ()
    )
    persona = row["id"].rpartition("[PERSONA:")[2].rstrip("]")
    return Scenario(row["id"], persona, told.get("known_info") or "", told["task_instructions"], actions, row)


class World:
    """Their environment, set up for one task. Calls are written down where their scorer looks for them."""

    def __init__(self, modules: Modules, runner: asyncio.Runner, scenario: Scenario) -> None:
        self._modules, self._runner = modules, runner
        ai = modules.ai
        modules.store.init_subtask_store(modules.store.Store())
        sample = modules.dataset.get_record_to_sample("telecom")(scenario.record)
        self._state = ai["TaskState"](
            "none/none", sample.id, 1, sample.input, [], ai["Target"](sample.target), metadata=sample.metadata
        )
        self._state = self._wait(modules.solver.telecom_initializer()(self._state, None))

    def call_as_agent(self, tool: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        stored = self._modules.ai["store_as"](self._modules.agents.StoredAgentState, "telecom")
        stored.messages = [*stored.messages, self._note(tool, arguments)]
        made = getattr(self._modules.agent_tools, tool, None) or getattr(self._modules.transfer, tool)
        return self._call(made, arguments)

    def call_as_user(self, tool: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        self._state.messages = [*self._state.messages, self._note(tool, arguments)]
        return self._call(getattr(self._modules.user_tools, tool), arguments)

    def judge(self) -> tuple[bool, str]:
        """What their scorer says, and why."""
        score = self._wait(self._modules.scorer.telecom_scorer()(self._state, self._modules.ai["Target"]("")))
        return score.value == self._modules.ai["CORRECT"], str(score.explanation).strip()

    def _call(self, made: Any, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        try:
            return True, str(self._wait(made()(**arguments)))
        except self._modules.ai["ToolError"] as error:
            return False, str(error)

    def _note(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        ai = self._modules.ai
        call = ai["ToolCall"](id=tool, function=tool, arguments=dict(arguments))
        return ai["ChatMessageAssistant"](content="", tool_calls=[call])

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(work, context=copy_context())


def list_user_tools(modules: Modules) -> Sequence[str]:
    """The names of their user tools."""
    return [tool.__name__ for tool in modules.user_tools.all_telecom_user_tools]
