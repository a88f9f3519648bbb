"""Inspect: a gym as an evaluation, each task of it a sample, the verdict its score.

    inspect eval worldwright/gym -T gym=hotel_booking --model openai/gpt-5

An episode is opened in this process when its sample begins, and closed when that is scored. Another solver may take the place of
`play` (`--solver`): it finds the tools of the episode in `state.tools`, and the last of them submits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, execute_tools
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolParam, ToolParams
from pydantic import ValidationError

from worldwright.adapters.names import rename_tools
from worldwright.adapters.rows import list_rows, open_row, open_row_world, render_verdict
from worldwright.agents import chat
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.trajectories import read_trajectory, trajectory_text
from worldwright.world.records import ToolSpec
from worldwright.world.tasks import Verdict

LOG = "worldwright:log"
"""Where a sample's store keeps what was called, so that a log can be scored again: `worldwright.engine.trajectories` reads it."""
MAX_SILENT_TURNS = 3
"""So many messages in a row without a call end an episode."""
ANYTHING = ToolParams(additionalProperties=True)
_LIVE: dict[str, Episode] = {}
"""Episodes that are being played, by the id of their sample's run."""


@task
def gym(
    gym: str, variants: str | Sequence[str] | None = None, tasks: str | Sequence[str] | None = None, face: str = "plain",
    calls: int = Limits().calls, turns: int = 60,
) -> Task:  # fmt: skip
    """Evaluate on every task of a gym: a name in the store, or a folder of packs."""
    samples = [_sample(row) for row in list_rows(gym, _as_list(variants), _as_list(tasks), face)]
    dataset = MemoryDataset(samples, name=gym)
    return Task(dataset, setup=begin(face, calls), solver=play(turns), scorer=verdict(), cleanup=_end)


def _as_list(given: str | Sequence[str] | None) -> Sequence[str] | None:
    return [given] if isinstance(given, str) else given


def _sample(row: dict[str, Any]) -> Sample:
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    messages = [kinds[message["role"]](content=message["content"]) for message in row.pop("prompt")]
    return Sample(input=messages, id=f"{row['variant']}-{row['task']}", metadata=row)


@solver
def begin(face: str = "plain", calls: int = Limits().calls) -> Solver:
    """Open the episode of a sample and offer its tools."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = _LIVE[state.uuid] = open_row(state.metadata, face, Limits(calls=calls))
        tools, real = rename_tools(episode.tools, reserved=())
        state.tools = [_tool(episode, real[spec.name], spec) for spec in tools]
        return state

    return solve


def _tool(episode: Episode, name: str, spec: ToolSpec) -> ToolDef:
    async def execute(**kwargs: Any) -> str:
        return chat.encode(episode.call(name, kwargs).payload())

    parts = {key: _convert_param(key, part) for key, part in spec.input_schema.get("properties", {}).items()}
    parameters = ToolParams(properties=parts, required=list(spec.input_schema.get("required", ())))
    return ToolDef(execute, spec.name, spec.description or spec.name, parameters, max_output=0)


def _convert_param(name: str, part: Any) -> ToolParam:
    """Convert a schema to Inspect's, which wants a description and knows less of JSON Schema: the rest is told in words."""
    try:
        return ToolParam.model_validate({**part, "description": part.get("description") or name})
    except (ValidationError, TypeError):
        return ToolParam(description=f"{name}, as this schema says: {chat.encode(part)}")


@solver
def play(turns: int = 60) -> Solver:
    """Let the model call tools until it submits, has nothing more to say, or reaches a limit."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode, silent = _LIVE[state.uuid], 0
        # arguments go to the world as they come: it says itself what is wrong with them
        tools = [ToolDef(tool, parameters=ANYTHING) for tool in state.tools]
        for _ in range(turns):
            state = await generate(state, tool_calls="none")
            called = bool(state.output.message.tool_calls)
            silent = 0 if called else silent + 1
            if called:
                state.messages.extend((await execute_tools([state.output.message], tools)).messages)
            if episode.done or state.completed or silent == MAX_SILENT_TURNS:
                break
            if not called:
                state.messages.append(ChatMessageUser(content=chat.NUDGE.format(submit=tools[-1].name)))
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def verdict() -> Scorer:
    """Score 1 or 0 as the world's verifier says; unscored where the world itself failed."""

    async def score(state: TaskState, target: Target) -> Score:
        found = _judge(state)
        wrong = [one.name for one in found.assertions if not one.ok]
        told = {
            "metadata": render_verdict(found),
            "explanation": found.reason or "; ".join(wrong) or "all as it should be",
        }
        if found.reward is None:
            return Score.unscored(reason="scoring_failed", **told)
        return Score(value=found.reward, **told)

    return score


def _judge(state: TaskState) -> Verdict:
    """Judge the episode itself, or its calls played again where a log is scored."""
    episode = _LIVE.get(state.uuid)
    if episode is not None:
        found = episode.verify()
        if found.reward is not None:
            state.store.set(LOG, trajectory_text(episode.log()))
        return found
    log = state.store.get(LOG)
    if log is None:
        return Verdict("error", reason="there is no episode that could be judged")
    return open_row_world(state.metadata).judge(read_trajectory(log))


async def _end(state: TaskState) -> None:
    episode = _LIVE.pop(state.uuid, None)
    if episode is not None:
        episode.close()
