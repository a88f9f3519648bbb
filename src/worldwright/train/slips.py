"""Slips: the oracle makes one call that is wrong, sees what comes of it, and goes on as the key does.

A gold walk shows no error, so whoever learns from gold walks alone has never seen one, and gives up at the first. The wrong call is
really made and the world really answers; it is told, never taught: the loss is on what is said after it. The episode is judged like
any other, so a slip that did harm makes no demonstration. Where and how it slips is drawn by the name of the task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_tool_name
from worldwright.agents.oracle import Oracle
from worldwright.agents.protocol import Actor, Brief
from worldwright.core.rng import Stream
from worldwright.train.few_tools import few
from worldwright.world.records import Call
from worldwright.world.tasks import Key

REASON = "A slip."
"""What stands as the reason of a slip, so that it is found again."""
NO_CHOICE = "other"
VERBS = ("get", "update", "set", "list", "check", "change")


class Slipping:
    """An oracle that slips once, among so many tools (0: all)."""

    name = "oracle"
    sees_key = True
    identity: Mapping[str, Any] = {"version": 2, "slips": 1}

    def __init__(self, place: str, number: int) -> None:
        self._place, self._number = place, number

    def begin(self, brief: Brief) -> _Slipping:
        rest = Oracle().begin(brief)
        assert brief.key is not None  # or there would be no oracle
        return _Slipping(rest, brief.key, self._place, self._number)


class _Slipping:
    def __init__(self, rest: Actor, key: Key, place: str, number: int) -> None:
        self._rest, self._key, self._place, self._number = rest, key, place, number
        self._stream = Stream("slips", place)
        self._at = self._stream.below(len(key.calls) or 1)
        """Before which call of the key."""

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Any:
        if sum(one["role"] == "assistant" for one in messages) == self._at:
            wrong = slip(self._key, self._at, few(tools, self._key, self._number, self._place), self._stream)
            if wrong is not None:
                return call(wrong.tool, wrong.arguments, messages, REASON)
        return self._rest.act(messages, tools)


def slip(key: Key, at: int, tools: Sequence[Tool], stream: Stream) -> Call | None:
    """A wrong call before this call of a key, or where it has none, before its answer.

    Where rules forbid something, that is tried as often as not."""
    forbidden = [Call(str(one["tool"]), one.get("arguments", {})) for one in key.expects.get("forbidden", ())]
    if forbidden and (stream.chance(0.5) or not key.calls):
        return stream.pick(forbidden)
    if not key.calls:
        return None
    right = key.calls[at]
    schemas = {get_tool_name(tool): tool["function"].get("parameters") or {} for tool in tools[:-1]}
    for way in stream.shuffled(WAYS):
        wrong = way(right, schemas, stream)
        if wrong is not None and wrong not in key.calls:
            return wrong
    return None


Schemas = Mapping[str, Mapping[str, Any]]


def another_tool(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """Another tool, with what was meant for this one."""
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


def no_tool(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """A tool that there is not."""
    verb, _, rest = right.tool.partition("_")
    names = [f"{one}_{rest or verb}" for one in VERBS]
    free = [name for name in names if name not in schemas]
    return Call(stream.pick(free), right.arguments) if free else None


def left_out(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """The right call without something that it needs."""
    needed = [part for part in schemas.get(right.tool, {}).get("required", ()) if part in right.arguments]
    if not needed:
        return None
    without = stream.pick(needed)
    return Call(right.tool, {part: value for part, value in right.arguments.items() if part != without})


def misnamed(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """The right call with something under another name."""
    if not right.arguments:
        return None
    wrong = stream.pick(sorted(right.arguments))
    name = wrong.removesuffix("_id") if wrong.endswith("_id") else f"{wrong}_id"
    return Call(right.tool, {name if part == wrong else part: value for part, value in right.arguments.items()})


def no_choice(right: Call, schemas: Schemas, stream: Stream) -> Call | None:
    """The right call with something that is none of the choices."""
    known = schemas.get(right.tool, {}).get("properties", {})
    chosen = [part for part in sorted(right.arguments) if known.get(part, {}).get("enum")]
    return Call(right.tool, {**right.arguments, stream.pick(chosen): NO_CHOICE}) if chosen else None


WAYS: tuple[Callable[[Call, Schemas, Stream], Call | None], ...] = (
    another_tool,
    another_tool,
    no_tool,
    left_out,
    misnamed,
    no_choice,
)
"""To take another tool is what happens most; it stands twice."""
