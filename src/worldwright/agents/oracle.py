"""The oracle: it is given the key and plays it. It shows that a task can be done, and what that looks like.

Where a requester can be asked, it asks for all that they keep back, one question for each, and whether there is more; what
only they can do, it asks them to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_submit_name, get_tool_name, read_payload
from worldwright.agents.protocol import Agent, Brief, Options
from worldwright.core.errors import UsageError
from worldwright.engine.requester import NAME as ASK
from worldwright.engine.service import RATE_LIMITED, UNAVAILABLE
from worldwright.world.records import Call
from worldwright.world.tasks import Act, Key, Task

CLOSING = {
    "done": "Everything that was asked for is done.",
    "partly": "What the rules allow is done; the rest is not.",
    "refused": "The rules forbid this, so nothing was changed.",
}
"""What is thought at the end, by outcome."""


class Oracle:
    name = "oracle"
    sees_key = True
    identity: Mapping[str, Any] = {"version": 7}

    def begin(self, brief: Brief) -> _OracleActor:
        if brief.key is None:
            raise UsageError("the oracle plays tasks; this episode has none")
        return _OracleActor(brief.key, brief.task)


class _OracleActor:
    def __init__(self, key: Key, task: Task | None) -> None:
        self._key = key
        self._questions = [] if task is None else _list_questions(task)
        self._acts = () if task is None or task.requester is None else task.requester.acts
        self._next = 0

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        if self._questions and any(get_tool_name(tool) == ASK for tool in tools):
            question, why = self._questions.pop(0)
            return call(ASK, {"message": question}, messages, why)
        if self._next and _was_busy(messages):
            self._next -= 1
        at, self._next = self._next, self._next + 1
        if at < len(self._key.calls):
            one = self._key.calls[at]
            act = self._find_act(one, tools)
            if act is not None:
                return call(ASK, {"message": act.asked[0]}, messages, "only they can do it")
            return call(one.tool, one.arguments, messages, self._reason(at))
        answer = self._key.answer or {}
        outcome = answer.get("outcome") if isinstance(answer, dict) else None
        return call(get_submit_name(tools), answer, messages, CLOSING.get(str(outcome), CLOSING["done"]))

    def _find_act(self, one: Call, tools: Sequence[Tool]) -> Act | None:
        """What the requester is asked to do in place of a call that is theirs."""
        names = {get_tool_name(tool) for tool in tools}
        if ASK not in names or one.tool in names:
            return None
        return next((a for a in self._acts if (a.tool, a.arguments) == (one.tool, one.arguments)), None)

    def _reason(self, at: int) -> str:
        """Say where the values of a call come from, as the key has it."""
        label = f"{at + 1} {self._key.calls[at].tool}"
        mine = [p for p in self._key.provenance if p.get("call") == label]
        because = [
            f"{p['argument']} is {p['value']}: {p.get('known') or p['from']}"
            for p in mine
            if {"argument", "value", "from"} <= set(p)
        ]
        return "; ".join(because)


def _list_questions(task: Task) -> list[tuple[str, str]]:
    """What there is to ask of a requester, and why it is asked."""
    out = []
    for fact in task.requester.facts if task.requester is not None else ():
        question = fact.asked[0] if fact.asked else f"What is the {fact.called[0]}?"
        out.append((question, f"they have not said: {fact.called[0]}"))
    return [*out, *[("Is there anything else?", "there may be more to do")] * len(task.turns[1:])]


def _was_busy(messages: Sequence[Message]) -> bool:
    """Return whether a busy service did not take the last call: the same call is made again until it does."""
    found = read_payload(messages[-1]) if messages else None
    error = found.get("error") if isinstance(found, Mapping) else None
    return isinstance(error, Mapping) and error.get("code") in (RATE_LIMITED, UNAVAILABLE)


def make(options: Options) -> Agent:
    return Oracle()
