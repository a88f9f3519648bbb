"""The conversations of the catalogue: each example of asking for something gets it, or is asked back for it, and never something
else. What somebody changed their mind about is told to who asks for it after that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from worldwright import catalogue
from worldwright.blueprint.checked import Talk
from worldwright.blueprint.expr.nodes import Format, Node
from worldwright.people.orders import ACTION
from worldwright.people.replies import reply_to
from worldwright.people.understand import understand
from worldwright.world.tasks import Fact, Requester

CHANGING = (
    "broadband_support", "building_permits", "clinic_scheduling", "flight_rebooking", "motor_claims", "property_management",
    "retail_returns", "utility_billing",
)  # fmt: skip
DOMAINS = (*CHANGING, "hotel_booking", "it_service_desk")


def _talks(domain: str) -> list[tuple[str, Talk]]:
    return [(name, goal.talk) for name, goal in catalogue.load(domain).goals.items() if goal.talk is not None]


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_example_is_understood(domain: str) -> None:
    talks = _talks(domain)
    assert len(talks) >= 6
    told = asked = 0
    for name, talk in talks:
        facts = [Fact(known.name, known.kind, known.called, "-", known.asked) for known in talk.knows]
        facts += [Fact(act.name, ACTION, act.called, "", act.asked) for act in talk.does]
        for fact in facts:
            for question in fact.asked:
                heard = understand(question, facts)
                asked += 1
                told += heard.asked == (fact.name,)
                assert fact.name in (*heard.asked, *heard.unclear), (name, question, heard)
    assert told >= 0.9 * asked


@pytest.mark.parametrize("domain", CHANGING)
def test_what_was_changed_is_told_after_that(domain: str) -> None:
    talks = [(name, talk) for name, talk in _talks(domain) if talk.changes]
    assert talks
    for name, talk in talks:
        values = [value for text in (*talk.opens, *talk.changes) for value in _list_values(text)]
        facts = tuple(Fact(k.name, k.kind, k.called, _write(k.says, values), k.asked) for k in talk.knows)
        requester = Requester("plain", facts, (), tuple(_write(text, values) for text in talk.changes))
        changed = list(_list_changed(talk))
        first = next(fact for at, fact in enumerate(facts) if at not in changed).asked[0]
        before = [(first, _ask(requester, first, []))]
        assert requester.changes[0] in before[0][1], name
        assert changed, name
        for fact in (facts[at] for at in changed):
            for question in fact.asked:
                reply = _ask(requester, question, before)
                if fact.says not in reply:
                    reply = _ask(requester, f"Yes, the {fact.called[0]}.", [*before, (question, reply)])
                assert fact.says in reply, (name, question, reply)


def _ask(requester: Requester, message: str, before: list[tuple[str, str]]) -> str:
    reply = reply_to(message, requester, (), before)
    return f"{reply.text} {reply.after}".strip()


def _list_values(text: Format) -> list[Node]:
    return [part[0] for part in text.parts if not isinstance(part, str)]


def _write(text: Format, values: list[Node]) -> str:
    """A text with a word for each value, the same wherever it is said."""
    for value in _list_values(text):
        if value not in values:
            values.append(value)
    return "".join(part if isinstance(part, str) else f"Value{values.index(part[0])}" for part in text.parts)


def _list_changed(talk: Talk) -> Iterator[int]:
    """Yield which facts tell what the changes say."""
    changed = [value for change in talk.changes for value in _list_values(change)]
    for at, known in enumerate(talk.knows):
        if any(value in changed for value in _list_values(known.says)):
            yield at
