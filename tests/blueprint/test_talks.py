"""Conversations are checked: what the request says has to be said, and what is kept back must not be said at once."""

from __future__ import annotations

from typing import Any

import pytest
from tests.blueprint.test_goals import library

from worldwright.blueprint.load import load_text
from worldwright.core.errors import BlueprintError

ASKED = ["How long?", "For how many days?", "Until when?"]
SAME = [*ASKED[:2], "how  long", "How, long!"]
TALK: dict[str, Any] = {
    "opens": ["lend something to {m}"],
    "knows": {
        "book": {
            "says": "{c}",
            "called": ["book"],
            "asked": ["Which book?", "What would they like?", "The title, please."],
        },
        "period": {"called": ["length of the loan"], "asked": ASKED},
    },
}


def test_a_conversation_is_read() -> None:
    talk = load_text(library(talk=TALK)).goals["lend_it"].talk
    assert talk is not None
    assert [(fact.name, fact.kind, fact.called) for fact in talk.knows] == [
        ("book", "record", ("book",)), ("period", "count", ("length of the loan",)),
    ]  # fmt: skip


def test_a_kind_can_be_said_and_something_added() -> None:
    facts = {**TALK["knows"], "period": {**TALK["knows"]["period"], "kind": "text"}}
    talk = load_text(library(talk={**TALK, "knows": facts, "adds": ["and hurry"]})).goals["lend_it"].talk
    assert talk is not None
    assert talk.knows[1].kind == "text"
    assert len(talk.adds) == 1


ACT: dict[str, Any] = {
    "do": "take_back",
    "with": {"loan": "first(l for l in loan if l.copy == c)"},
    "called": ["put it on the trolley"],
    "asked": [
        "Please put it on the trolley.",
        "Could they lay it on the returns trolley?",
        "Onto the trolley with it.",
    ],
    "says": "it is on the trolley, {status}",
}


WEIGHTS = {"states": {"period": "int ~ pick(5, 10, 15)", "weight": "int ~ pick(1, 2)"}}
SECOND = {"called": ["weight"], "asked": ["How heavy is it?", "What does it weigh?", "Which weight?"]}


@pytest.mark.parametrize(
    "talk",
    [
        {"changes": ["no, {period} days"]},
        {"changes": ["no, for {m}"]},
        {"changes": ["no, {thought} was wrong, {period} days"], "draws": {"thought": "int ~ pick(1, 2)"}},
        {"changes": ["no, that of today, {today:day}"]},
        {"changes": ["no, {weight} kg"], "knows": {**TALK["knows"], "weight": {**SECOND, "says": "it is {weight} kg"}}},
    ],
)
def test_a_change_may_say_what_is_said_elsewhere(talk: dict[str, Any]) -> None:
    opens = {"opens": ["lend something to {m} for {thought} days"]} if "draws" in talk else {}
    assert load_text(library(talk={**TALK, **opens, **talk}, **WEIGHTS)).goals["lend_it"].talk is not None


@pytest.mark.parametrize(
    ("talk", "value"),
    [
        ({"changes": ["no, {weight} kg"]}, "weight"),
        ({"changes": ["no, {period} days", "and {weight} kg"]}, "weight"),
        ({"changes": ["no, since {m.joined_on:day}"]}, "m.joined_on"),
        ({"changes": ["no, {weight} kg"], "opens": ["lend {weight} kg to {m}", "lend something to {m}"]}, "weight"),
    ],
)
def test_what_a_change_says_can_be_asked_for(talk: dict[str, Any], value: str) -> None:
    with pytest.raises(BlueprintError) as caught:
        load_text(library(talk={**TALK, **talk}, **WEIGHTS))
    (finding,) = caught.value.findings
    place = f"goals.lend_it.talk.changes[{len(talk['changes']) - 1}]"
    assert finding.path == place
    assert f"no fact tells `{value}`" in finding.message
    assert f"says `{value}`" in finding.hint


def test_a_belief_may_differ_in_a_word_or_in_a_value() -> None:
    for thinks in ("the other {c}", "{c.title.name}"):
        knows = {**TALK["knows"], "book": {**TALK["knows"]["book"], "thinks": thinks}}
        assert load_text(library(talk={**TALK, "knows": knows})).goals["lend_it"].talk is not None


def test_things_are_done_and_taken_back() -> None:
    change = {"draws": {"thought": "int ~ pick(1, 2)"}, "changes": ["no, {period} days"], "does": {"trolley": ACT}}
    opens = ["lend something to {m} for {thought} days"]
    talk = load_text(library(talk={**TALK, **change, "opens": opens})).goals["lend_it"].talk
    assert talk is not None
    assert list(talk.draws) == ["thought"]
    assert [(act.name, act.operation) for act in talk.does] == [("trolley", "take_back")]
    assert len(talk.changes) == 1


def _believing(thinks: str, says: str) -> dict[str, Any]:
    return {**TALK["knows"], "period": {**TALK["knows"]["period"], "says": says, "thinks": thinks}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"opens": []}, "nobody opens"),
        ({"opens": ["lend something to somebody"]}, "nobody ever says `m`"),
        ({"opens": ["lend {c} to {m}"]}, "the openings say this already"),
        ({"opens": ["lend {x} to {m}"]}, "x"),
        ({"knows": {}}, "knows and does 1 to 6 things"),
        ({"knows": {"period": TALK["knows"]["period"]}}, "nobody ever says `c`"),
        ({"knows": {**TALK["knows"], "when": {"called": ["day"], "asked": ASKED}}}, "nothing is called `when`"),
        ({"knows": {**TALK["knows"], "period": {"asked": ASKED}}}, "give it `called`"),
        ({"knows": {**TALK["knows"], "period": {"called": ["days"], "asked": ["How long?"]}}}, "at least 3"),
        (
            {"knows": {**TALK["knows"], "period": {"called": ["days"], "asked": SAME}}},
            "2 different examples of how one asks for it",
        ),
        ({"does": {"trolley": {**ACT, "asked": [ACT["asked"][0]] * 6}}}, "1 example of how one asks for it"),
        ({"knows": {**TALK["knows"], "period": {"called": ["days"]}}}, "0 different examples"),
        ({"knows": _believing("{period:int}", "{period}")}, "they believe what is true"),
        ({"knows": _believing("The {period} days!", "the {period} days")}, "they believe what is true"),
        (
            {"knows": {**TALK["knows"], "period": {"called": ["days"], "asked": ASKED, "kind": "number"}}},
            "no fact is a `number`",
        ),
        ({"adds": ["and {nothing}"]}, "nothing"),
        ({"does": {"trolley": {**ACT, "do": "take_bakc"}}}, "no operation is called `take_bakc`"),
        ({"does": {"trolley": {**ACT, "with": {}}}}, "needs `loan`"),
        ({"does": {"trolley": {**ACT, "says": "it is {stauts}"}}}, "gives no `stauts`"),
        ({"does": {"trolley": {**ACT, "asked": ["How long?", *ACT["asked"]]}}}, "the first example is understood as"),
        ({"draws": {"thought": "int ~ pick(1, 2)"}}, "no opening says `thought`"),
        ({"draws": {"period": "int ~ pick(1, 2)"}}, "`period` is given already"),
        ({"changes": ["no, {thought} days"]}, "thought"),
    ],
)
def test_wrong_conversations_are_told(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BlueprintError) as caught:
        load_text(library(talk={**TALK, **change}))
    assert any("goals.lend_it.talk" in str(finding) for finding in caught.value.findings)
    assert said in str(caught.value)
