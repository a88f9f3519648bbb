"""A conversation with a scripted person, through the engine's own requester, and what came of each thing that was wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.engine.requester import answer_question
from worldwright.world.records import Result, ToolError
from worldwright.world.tasks import Act, Fact, Requester, Task

AT_ONCE, ASKED_BACK = "at once", "after a question back"
LOST, OTHER_BACK, OTHER, REFUSED = (
    "not understood",
    "asked back for something else",
    "understood wrongly",
    "act not allowed",
)
Hand = Callable[[str, Mapping[str, Any]], tuple[bool, str]]
"""Runs a tool of the user: whether it could be run, and what they see."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What was wanted of somebody, and what came of it."""

    wanted: str
    message: str
    outcome: str
    replies: tuple[str, ...]
    beside: tuple[str, ...] = ()
    """Acts that were done and not wanted."""
    turns: int = 1

    @property
    def met(self) -> bool:
        return self.outcome in (AT_ONCE, ASKED_BACK)


class Talk:
    """One person on the line. What they do is run by `hand`."""

    def __init__(self, person: Requester, hand: Hand) -> None:
        self.person = person
        self.turns = 0
        self._hand = hand
        self._task = Task("telecom", "walk", "", "", "", "", "message", {}, requester=person)
        self._said: list[tuple[str, str]] = []
        self._ran: list[tuple[str, Mapping[str, Any], bool]] = []

    def want_fact(self, fact: Fact, message: str) -> Wish:
        return self._want(fact, message, lambda reply: fact.says in reply)

    def want_act(self, act: Act, message: str) -> Wish:
        return self._want(act, message, lambda _: self._has_run(act))

    def _want(self, thing: Fact | Act, message: str, is_met: Callable[[str], bool]) -> Wish:
        """Say it, and answer once where they ask back."""
        self._ran = []
        replies = [self._say(message)]
        outcome = AT_ONCE if is_met(replies[0]) else ""
        meant = [] if outcome or self._ran else self._list_meant(replies[0])
        if thing.name in meant:
            replies.append(self._say("Yes, please." if len(meant) == 1 else f"I mean: {thing.called[0]}, please."))
            outcome = ASKED_BACK if is_met(replies[1]) else ""
        beside = [self._name(tool, given) for tool, given, _ in self._ran if not self._is(thing, tool, given)]
        if (
            outcome
            and isinstance(thing, Act)
            and not any(ok for tool, given, ok in self._ran if self._is(thing, tool, given))
        ):
            outcome = REFUSED
        if not outcome:
            told = any(fact.says in reply for fact in self.person.facts for reply in replies)
            outcome = OTHER if beside or told else OTHER_BACK if meant and thing.name not in meant else LOST
        return Wish(thing.name, message, outcome, tuple(replies), tuple(beside), len(replies))

    def _say(self, message: str) -> str:
        self.turns += 1
        result = answer_question(self._task, self._said, {"message": message}, self._run)
        if not result.ok:
            raise ValueError(f"the engine does not take {message!r}: {result.payload()}")
        self._said.append((message, str(result.data["reply"])))
        return self._said[-1][1]

    def _run(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        ok, saw = self._hand(tool, arguments)
        self._ran.append((tool, arguments, ok))
        return Result(True, {"saw": saw}) if ok else Result(False, None, ToolError("REFUSED", saw))

    def _list_meant(self, reply: str) -> list[str]:
        """What a question back names."""
        topics: list[Fact | Act] = [*self.person.facts, *self.person.acts]
        names = {t.name: f"that I should {t.called[0]}" if isinstance(t, Act) else f"the {t.called[0]}" for t in topics}
        return [name for name, said in names.items() if said in reply] if reply.endswith("?") else []

    def _has_run(self, act: Act) -> bool:
        return any(self._is(act, tool, given) for tool, given, _ in self._ran)

    def _is(self, thing: Fact | Act, tool: str, given: Mapping[str, Any]) -> bool:
        return isinstance(thing, Act) and thing.tool == tool and dict(thing.arguments) == dict(given)

    def _name(self, tool: str, given: Mapping[str, Any]) -> str:
        return next((act.name for act in self.person.acts if self._is(act, tool, given)), tool)
