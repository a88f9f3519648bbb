"""Error-recovery demonstrations: the oracle makes one wrong call, sees the answer, and goes on as the key does.

A gold walk shows no error, so a model that learns from gold walks alone has never seen one, and gives up at the first. The wrong
call is really made and the world really answers; it is context, never a target: the loss is on what comes after it. The episode is
verified like any other, so an error that did harm makes no demonstration. Which error is made, and where, is sampled by the name of
the task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_tool_name
from worldwright.agents.oracle import Oracle
from worldwright.agents.protocol import Actor, Brief
from worldwright.core.rng import Stream
from worldwright.train.tool_subset import select_tools
from worldwright.world.records import Call
from worldwright.world.tasks import Key

WRONG_CALL_REASON = "A deliberate error."
"""The reasoning text of a wrong call, by which its turn is found again."""
INVALID_CHOICE = "other"
VERBS = ("get", "update", "set", "list", "check", "change")


class ErrorRecoveryOracle:
    """An oracle that makes one wrong call, among the tools that the prompt lists."""

    name = "oracle"
    sees_key = True
    identity: Mapping[str, Any] = {"version": 3, "errors": 1}

    def __init__(self, task_name: str, max_tools: int) -> None:
        self._task_name, self._max_tools = task_name, max_tools

    def begin(self, brief: Brief) -> Actor:
        assert brief.key is not None  # an agent that sees the key is always given it
        return _ErrorRecoveryActor(Oracle().begin(brief), brief.key, self._task_name, self._max_tools)


class _ErrorRecoveryActor:
    def __init__(self, oracle: Actor, key: Key, task_name: str, max_tools: int) -> None:
        self._oracle, self._key, self._task_name, self._max_tools = oracle, key, task_name, max_tools
        self._stream = Stream("slips", task_name)
        self._at = self._stream.below(len(key.calls) or 1)
        """Index of the call of the key that the wrong call comes before."""

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Any:
        if sum(one["role"] == "assistant" for one in messages) == self._at:
            listed = select_tools(tools, self._key, self._max_tools, self._task_name)
            wrong = make_wrong_call(self._key, self._at, listed, self._stream)
            if wrong is not None:
                return call(wrong.tool, wrong.arguments, messages, WRONG_CALL_REASON)
        return self._oracle.act(messages, tools)


def make_wrong_call(key: Key, at: int, tools: Sequence[Tool], stream: Stream) -> Call | None:
    """Make a wrong call to put before a call of the key, or before its answer where it has no calls.

    Where the key forbids calls, one of them is made as often as not."""
    forbidden = [Call(str(one["tool"]), one.get("arguments", {})) for one in key.expects.get("forbidden", ())]
    if forbidden and (stream.chance(0.5) or not key.calls):
        return stream.pick(forbidden)
    if not key.calls:
        return None
    right = key.calls[at]
    schemas = {get_tool_name(tool): tool["function"].get("parameters") or {} for tool in tools[:-1]}
    for mutate in stream.shuffled(MUTATIONS):
        wrong = mutate(right, schemas, stream)
        if wrong is not None and wrong not in key.calls:
            return wrong
    return None


Schemas = Mapping[str, Mapping[str, Any]]


def call_another_tool(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """Call another tool with the arguments that were meant for the right one."""
    others = [name for name in schemas if name != right.tool]
    if not others:
        return None
    name = stream.pick(others)
    known = schemas[name].get("properties", {})
    given = {part: value for part, value in right.arguments.items() if part in known}
    texts = [value for value in right.arguments.values() if isinstance(value, str)]
    for part in schemas[name].get("required", ()):
        choices = known.get(part, {}).get("enum")
        if part not in given and (choices or texts):
            given[part] = stream.pick(choices or texts)
    return Call(name, given)


def call_unknown_tool(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """Call a tool that does not exist."""
    verb, _, rest = right.tool.partition("_")
    names = [f"{one}_{rest or verb}" for one in VERBS]
    unknown = [name for name in names if name not in schemas]
    return Call(stream.pick(unknown), right.arguments) if unknown else None


def omit_argument(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """Make the right call without one of its required arguments."""
    required = [part for part in schemas.get(right.tool, {}).get("required", ()) if part in right.arguments]
    if not required:
        return None
    omitted = stream.pick(required)
    return Call(right.tool, {part: value for part, value in right.arguments.items() if part != omitted})


def rename_argument(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """Make the right call with one argument under a wrong name."""
    if not right.arguments:
        return None
    renamed = stream.pick(sorted(right.arguments))
    name = renamed.removesuffix("_id") if renamed.endswith("_id") else f"{renamed}_id"
    return Call(right.tool, {name if part == renamed else part: value for part, value in right.arguments.items()})


def use_invalid_choice(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """Make the right call with a value that is none of the choices of its parameter."""
    known = schemas.get(right.tool, {}).get("properties", {})
    chosen = [part for part in sorted(right.arguments) if known.get(part, {}).get("enum")]
    return Call(right.tool, {**right.arguments, stream.pick(chosen): INVALID_CHOICE}) if chosen else None


MUTATIONS: tuple[Callable[[Call, Schemas, Stream], Call | None], ...] = (
    call_another_tool,
    call_another_tool,
    call_unknown_tool,
    omit_argument,
    rename_argument,
    use_invalid_choice,
)
"""Ways to make a call wrong. Models call the wrong tool most often, so that one is listed twice."""
