"""One episode: an agent and an environment take turns until one of them is through, or a limit is reached.

The turns are a generator, so that the same code serves agents that answer at once and agents that have to be waited for.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, cast

from pydantic_core import PydanticSerializationError, to_json

from worldwright.agents import chat
from worldwright.agents.chat import Message, Tool, ToolCall
from worldwright.agents.protocol import Actor, Agent, AgentUnavailable, Brief, read_usage
from worldwright.core.canonical import digest
from worldwright.core.errors import UsageError
from worldwright.engine.env import Env
from worldwright.rollout.records import Episode, EpisodeKey, Limits, Opening
from worldwright.world.records import OthersCall, Result, TableDiff, ToolError, ToolSpec
from worldwright.world.tasks import Verdict

MAX_SILENT_TURNS = 3
"""So many messages in a row without a call end an episode."""


@dataclass(frozen=True, slots=True)
class EpisodeSetup:
    """What an episode is, before it is played."""

    id: str
    spot: EpisodeKey
    domain: str
    variant: str
    face: str
    seed: int
    agent_id: str
    instruction: str | None = None
    """Other words for the task's own, where somebody gave some."""


@dataclass(slots=True)
class _EpisodeProgress:
    """What there is of an episode while it is played."""

    messages: list[Message]
    steps: list[dict[str, Any]] = field(default_factory=list)
    outcome: str = ""
    problem: str = ""
    answer: Any = None
    written: int = 0
    in_agent: float = 0.0
    in_tools: float = 0.0


@dataclass(frozen=True)
class Openings:
    """What episodes start with, filled as they are played. Each is made once for a world, a face, a role and its tools: what only
    the requester can do is no tool of the agent."""

    by_id: dict[str, Opening] = field(default_factory=dict)
    _made: dict[tuple[str, str, str, tuple[str, ...]], Opening] = field(default_factory=dict)

    def make(self, world: str, face: str, role: str, system: str, offered: Sequence[ToolSpec]) -> Opening:
        """Make the opening of an episode, or find it."""
        at = (world, face, role, tuple(tool.name for tool in offered))
        found = self._made.get(at)
        if found is None:
            found = self._made[at] = make_opening(system, tuple(map(chat.render_tool, offered)))
            self.by_id[found.id] = found
        return found


Turns = Generator[tuple[Sequence[Message], Sequence[Tool]], Message, None]


def play(env: Env, agent: Agent, setting: EpisodeSetup, limits: Limits, openings: Openings | None = None) -> Episode:
    """The episode, with an agent that answers at once."""
    begun = RunningEpisode(env, agent, setting, limits, openings)
    try:
        asked = next(begun.turns)
        while True:
            said: Any = begun.note_reply(begun.actor.act(*asked))
            if type(said) is not dict and inspect.isawaitable(said):
                if inspect.iscoroutine(said):
                    said.close()
                raise UsageError(f"{agent.name} has to be waited for: play it with `play_async`")
            asked = begun.turns.send(cast(Message, said))
    except StopIteration:
        pass
    except AgentUnavailable as e:
        begun.stop_for_error(str(e))
    return begun.finish()


async def play_async(
    env: Env, agent: Agent, setting: EpisodeSetup, limits: Limits, openings: Openings | None = None
) -> Episode:
    """The same with an agent that may have to be waited for: others can be played meanwhile."""
    begun = RunningEpisode(env, agent, setting, limits, openings)
    try:
        asked = next(begun.turns)
        while True:
            said: Message | Awaitable[Message] = begun.actor.act(*asked)
            if inspect.isawaitable(said):
                said = await asyncio.wait_for(said, begun.seconds_left())
            asked = begun.turns.send(begun.note_reply(said))
    except StopIteration:
        pass
    except TimeoutError:
        begun.stop_for_time()
    except AgentUnavailable as e:
        begun.stop_for_error(str(e))
    return begun.finish()


class RunningEpisode:
    """An episode that has started. `turns` yields what the agent is told and takes what it says; `finish` judges it.

    `play` and `play_async` are loops over it; whoever holds many episodes at once writes a loop of its own."""

    def __init__(
        self, env: Env, agent: Agent, setting: EpisodeSetup, limits: Limits, openings: Openings | None
    ) -> None:
        self._since = self._asked_at = perf_counter()
        self._env, self._agent, self._setting, self._limits = env, agent, setting, limits
        first = env.reset(setting.spot.task)
        task = env.task
        assert task is not None
        system, request = map(_copy_message, first.messages)
        made = openings if openings is not None else Openings()
        self.opening = made.make(setting.spot.world, setting.face, task.role, system["content"] or "", first.tools)
        self._submit = chat.make_submit_tool([t.name for t in first.tools], task.answer_schema)
        if setting.instruction is not None:
            request["content"] = _replace_instruction(request["content"] or "", task.instruction, setting.instruction)
        self._tools = (*self.opening.tools, self._submit)
        self._played = _EpisodeProgress([system, request])
        self._others = 0
        self.actor: Actor = agent.begin(Brief(setting.seed, *((env.key(), env.task) if agent.sees_key else ())))
        self.turns = self._turns()

    def note_reply(self, said: Any) -> Any:
        """Return what the agent said, and count the time that it took."""
        self._played.in_agent += perf_counter() - self._asked_at
        return said

    def seconds_left(self) -> float:
        return max(0.0, self._limits.seconds - (perf_counter() - self._since))

    def stop_for_time(self) -> None:
        self._played.outcome = "time"

    def stop_for_context(self) -> None:
        """End the episode because the agent's context holds no more."""
        self._played.outcome = "output"

    def stop_for_error(self, problem: str) -> None:
        self._played.outcome, self._played.problem = "error", problem

    def _turns(self) -> Turns:
        played, limits = self._played, self._limits
        silent = 0
        for _ in range(limits.turns):
            self._asked_at = perf_counter()
            message = yield played.messages, self._tools
            message = _clean_message(message)
            played.messages.append(message)
            played.written += _count_characters(message)
            if played.written > limits.output:
                played.outcome = "output"
                return
            if not self.seconds_left():
                played.outcome = "time"
                return
            asked = chat.parse_tool_calls(message)
            silent = 0 if asked else silent + 1
            if not asked:
                if silent == MAX_SILENT_TURNS:
                    played.outcome = "silent"
                    return
                said = chat.NUDGE.format(submit=chat.get_tool_name(self._submit))
                played.messages.append({"role": "user", "content": said})
            for one in asked:
                self._answer(one)
                if played.outcome:
                    return
        played.outcome = "turns"

    def _answer(self, one: ToolCall) -> None:
        played, env = self._played, self._env
        begin = perf_counter()
        if one.problem:
            error = ToolError("INVALID_ARGUMENT", one.problem)
            played.messages.append(chat.make_result_message(one, Result(False, None, error)))
        elif one.name == chat.get_tool_name(self._submit):
            result = env.submit(one.arguments)
            played.messages.append(chat.make_result_message(one, result))
            if result.ok:
                played.outcome, played.answer = "submitted", one.arguments
        else:
            result = env.call_tool(one.name, one.arguments)
            played.messages.append(chat.make_result_message(one, result))
            self._note(one)
            if env.broken:
                self.stop_for_error(env.broken)
            elif env.done:
                played.outcome = "calls"
        played.in_tools += perf_counter() - begin

    def _note(self, one: ToolCall) -> None:
        step = self._env.last
        noted: dict[str, Any] = {
            "call": one.id,
            "tool": step.call.tool,
            "arguments": step.call.arguments,
            "clock": step.clock,
            "ok": step.result.ok,
        }
        moved = {} if self._env.broken else self._env.diff_since_last()
        if step.result.error is not None and step.result.error.policy is not None:
            noted["policy"] = step.result.error.policy
        if moved:
            noted["diff"] = {table: render_diff(found) for table, found in moved.items()}
        own = {} if self._env.broken else self._env.own_diff_since_last()
        others = () if self._env.broken else self._env.list_others(self._others)
        if others:
            self._others += len(others)
            noted["others"] = [render_others_call(one) for one in others]
            noted["own"] = {table: render_diff(found) for table, found in own.items()}
        self._played.steps.append(noted)

    def finish(self) -> Episode:
        """Judge the episode and return its record."""
        played, env, setting = self._played, self._env, self._setting
        task = env.task
        assert task is not None
        begin = perf_counter()
        verdict = Verdict("error", reason=played.problem) if played.outcome == "error" else env.verify()
        if verdict.status == "error" and played.outcome != "error":
            played.outcome, played.problem = "error", verdict.reason
        final = "" if env.broken else digest({t: render_diff(found) for t, found in env.diff().items()})
        end = perf_counter()
        timing = {
            "total": end - self._since,
            "agent": played.in_agent,
            "tools": played.in_tools,
            "verifier": end - begin,
        }
        return Episode(
            setting.id, setting.domain, setting.variant, setting.spot.world, task.id, task.family, task.role, setting.face,
            setting.spot.attempt, setting.seed, self._agent.name, setting.agent_id, self._agent.sees_key, self.opening.id,
            self._submit, tuple(played.messages[1:]), tuple(played.steps), played.outcome, played.outcome == "submitted",
            played.answer, verdict.status, verdict.reward, verdict.data(),
            tuple(dict.fromkeys(policy for policy, _, _ in env.violations())), task.features, final,
            read_usage(self.actor), played.problem, timing={k: round(v, 6) for k, v in timing.items()},
        )  # fmt: skip


def make_opening(system: str, tools: tuple[Tool, ...]) -> Opening:
    """Make the record of what an episode starts with, under its digest."""
    return Opening(digest({"system": system, "tools": tools})[:16], system, tools)


def render_others_call(one: OthersCall) -> dict[str, Any]:
    """Render what somebody else did as it is written down."""
    call = {"tool": one.call.tool, "arguments": one.call.arguments}
    return {"clock": one.clock, "actor": one.actor, **call, "happened": one.happened}


def render_diff(found: TableDiff) -> dict[str, Any]:
    """Render what changed in a table as JSON has it."""
    parts = {"added": found.added, "changed": found.changed, "removed": found.removed}
    return {name: part for name, part in parts.items() if part}


def _replace_instruction(request: str, words: str, others: str) -> str:
    if words not in request:
        raise UsageError("a request in pieces cannot be worded otherwise: leave out the wordings, or the face `asking`")
    return request.replace(words, others)


def _copy_message(given: Mapping[str, str]) -> Message:
    return {"role": given["role"], "content": given["content"]}


def _clean_message(message: Any) -> Message:
    """Keep of what the agent said the keys that a message has, whatever object it gave, as text that any file can hold."""
    out: Message = {"role": "assistant", "content": message.get("content")}
    calls: Any = message.get("tool_calls")
    if calls:
        out["tool_calls"] = calls
    if message.get("reasoning_content"):
        out["reasoning_content"] = message["reasoning_content"]
    elif out["content"] is None and type(calls) is list and all(map(_is_sound, calls)):
        return out
    try:
        to_json(out)
    except PydanticSerializationError:
        sound: Message = json.loads(chat.encode(out))
        return sound
    return out


def _is_sound(call: Any) -> bool:
    """Return whether a call is surely one that any file can hold, without looking at all of it: nearly every one is."""
    inner = call.get("function") if type(call) is dict and len(call) == 3 and call.get("type") == "function" else None
    if type(inner) is not dict or len(inner) != 2:
        return False
    texts = (call.get("id"), inner.get("name"), inner.get("arguments"))
    return all(type(text) is str and text.isascii() for text in texts)


def _count_characters(message: Message) -> int:
    """Count the characters that the agent wrote."""
    calls: Any = message.get("tool_calls") or []
    written = sum(map(_count_call_characters, calls)) if type(calls) is list else len(str(calls))
    return written + len(message.get("content") or "") + len(message.get("reasoning_content") or "")


def _count_call_characters(call: Any) -> int:
    inner = call.get("function") if type(call) is dict else None
    if type(inner) is dict and type(inner.get("name")) is type(inner.get("arguments")) is str:
        return len(inner["name"]) + len(inner["arguments"])
    return len(str(call))
