"""Correspondence: a message is logged once, waits, and is answered once, by those who may."""

from __future__ import annotations

from typing import Any

import pytest
from tests.blueprint.patterns.small_world import (
    SmallWorld,
    does,
    example,
    finding,
    findings,
    from_pattern,
    grown,
    line_of,
    refuses,
)

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - correspondence:
      in: counter
      message: letter
      key: LTR-#####
      says: What an owner wrote.
      called: 'the letter "{subject}" from {owner.name}'
      noun: mail
      staff: clerk
      fields:
        owner: owner as letters
        permit: {type: permit as letters?, says: "The permit it is about, where there is one."}
        region: {type: text, is: owner.region}
        kind: one of question, complaint
        subject: {type: text, sort: content, min: 3, max: 20}
        body: {type: text, min: 3, max: 2000}
      also:
        answer_by: {type: date, is: "add_business_days(today, 2 if kind == 'complaint' else 5)"}
        writer: text computed owner.name
        handler: clerk? as in_hand
      log:
        name: file_letter
        says: Put a letter on the counter.
        by: [portal, counter]
        require: [{require: permit is none or permit.owner == owner, else: NOT_THEIRS, says: Somebody else's.}]
        once: [owner, subject]
      answer:
        name: answer_letter
        says: Write back.
        by: counter
        keeps: {reply: reply, by: answered_by, on: answered_on}
        min: 4
        max: 30
        require: [{require: "letter.kind != 'complaint' or 'sorry' in reply", else: IMPOLITE, says: Say sorry.}]
        obey: [permit_first]
        sets: {handler: "coalesce(letter.handler, actor)"}
"""

BODY = """
blueprint: permits
title: Permits
now: 2025-06-16T09:00:00Z
systems: {counter: the counter}
actor: {entity: clerk, role: role}
roles: {portal: takes mail in, counter: answers}
entities:
  clerk: {in: counter, key: CLK-##, rows: 2, fields: {name: person, role: "one of portal, counter"}}
  owner: {in: counter, key: OWN-##, rows: 2, fields: {name: person, region: "text ~ pick('north', 'south')"}}
  permit: {in: counter, key: PER-##, rows: 2, fields: {owner: owner as permits, issued: bool}}
policies:
  permit_first:
    about: {letter: letter}
    rule: letter.permit is none or letter.permit.issued
    says: Whoever asks for a permit gets it before they get an answer.
    enforced: agent
    cases:
      - allowed: {letter.permit: none}
      - allowed: {letter.permit: p, letter.permit.issued: true}
      - forbidden: {letter.permit: p, letter.permit.issued: false}
operations:
  get_letter: {in: counter, says: Read., by: anyone, get: letter}
"""

PAST = """
history:
  spans: 30 days
  flows:
    mail:
      per_week: 5
      steps:
        - do: file_letter
          by: portal
          with: {owner: any(o for o in owner), kind: "'question'", subject: digits(6), body: "'How long?'"}
          as: l
        - {do: answer_letter, by: counter, after: 1, chance: 60%, with: {letter: l, reply: "'A week.'"}}
"""

TEXT = BODY + USE
PORTAL, COUNTER = "CLK-01", "CLK-02"
MAIL = {"owner": "OWN-01", "kind": "question", "subject": "Fence", "body": "How high?"}
LETTER = "LTR-00001"

SEVERAL = TEXT.replace(
    "      log:\n", "      states: [open, granted, denied]\n      came: filed_on\n      log:\n"
).replace(
    "keeps: {reply: reply, by: answered_by, on: answered_on}", "keeps: {by: decided_by}\n        outcome: verdict"
)
SEVERAL = SEVERAL.replace(
    "        require: [{require: \"letter.kind != 'complaint' or 'sorry' in reply\", else: IMPOLITE, says: Say sorry.}]\n",
    "",
)


def desk(role: str, text: str = TEXT, **letter: Any) -> Session:
    """One of each role, two owners with a permit each, and a letter of the first."""
    world = SmallWorld(text)
    world.given("clerk", role="portal")
    world.given("clerk", role="counter")
    world.given("owner", name="Ada Brandt", region="north")
    world.given("owner", name="Bo Lind", region="south")
    world.given("permit", owner="OWN-01", issued=False)
    world.given("permit", owner="OWN-02", issued=True)
    world.given("letter", **{"owner": "OWN-01", "kind": "question", "subject": "Shed", "body": "May I?", **letter})
    return world.opens(role)


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "correspondence") == {
        "entities": {"letter"},
        "operations": {"file_letter", "answer_letter"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    load_text(BODY + example("correspondence")[0])


def test_the_order_of_fields_and_inputs_is_the_authors() -> None:
    blueprint = load_text(TEXT).blueprint
    said = ["owner", "permit", "region", "kind", "subject", "body"]
    own = ["received_at", "answer_by", "handler", "reply", "answered_by", "answered_on", "writer", "status"]
    assert list(blueprint.entities["letter"].fields) == said + own
    assert list(blueprint.operations["file_letter"].takes) == [name for name in said if name != "region"]
    assert list(blueprint.operations["answer_letter"].takes) == ["letter", "reply"]


def test_what_a_message_is_called() -> None:
    letter = load_text(TEXT).blueprint.entities["letter"]
    assert (letter.says, letter.noun) == ("What an owner wrote.", "mail")
    assert letter.called == ('the letter "{subject}" from {owner.name}',)


def test_ways_back() -> None:
    entities = load_text(TEXT).schema.entities
    assert {"letters_answered", "in_hand"} <= set(entities["clerk"].ways)
    assert "letters" in entities["owner"].ways
    assert "letters" in entities["permit"].ways


def test_a_message_is_logged_and_waits() -> None:
    made = does(desk("portal"), "file_letter", **MAIL, permit="PER-01")
    assert made == {
        "id": "LTR-00002",
        **MAIL,
        "permit": "PER-01",
        "region": "north",
        "received_at": "2025-06-16T09:00:00Z",
        "answer_by": "2025-06-23",
        "writer": "Ada Brandt",
        "handler": None,
        "reply": None,
        "answered_by": None,
        "answered_on": None,
        "status": "waiting",
    }
    assert does(desk("portal"), "file_letter", **{**MAIL, "kind": "complaint"})["answer_by"] == "2025-06-18"
    assert does(desk("portal"), "file_letter", **MAIL)["permit"] is None


def test_the_guards_of_the_author_hold_when_it_is_logged() -> None:
    assert refuses(desk("portal"), "file_letter", **MAIL, permit="PER-02") == "NOT_THEIRS"


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("      log:\n", "      came: received_on\n      log:\n")])
def test_the_same_message_is_logged_once_a_day(text: str) -> None:
    portal = desk("portal", text)
    first = does(portal, "file_letter", **MAIL)
    again = does(portal, "file_letter", **{**MAIL, "body": "Once more: how high?"})
    assert again == first
    assert does(portal, "file_letter", **{**MAIL, "subject": "Fence again"})["id"] == "LTR-00003"
    assert does(portal, "file_letter", **{**MAIL, "owner": "OWN-02"})["id"] == "LTR-00004"


@pytest.mark.parametrize("came", ["received_at: 2025-06-13T09:00:00Z", "received_on: 2025-06-13"])
def test_on_another_day_it_is_another_message(came: str) -> None:
    field, _, value = came.partition(": ")
    text = TEXT.replace("      log:\n", f"      came: {field}\n      log:\n")
    portal = desk("portal", text, subject="Fence", **{field: value})
    assert does(portal, "file_letter", **MAIL)["id"] == "LTR-00002"


def test_without_once_every_message_counts() -> None:
    portal = desk("portal", TEXT.replace("        once: [owner, subject]\n", ""))
    assert does(portal, "file_letter", **MAIL)["id"] == "LTR-00002"
    assert does(portal, "file_letter", **MAIL)["id"] == "LTR-00003"


def test_lengths_are_those_of_the_inputs() -> None:
    portal, counter = desk("portal"), desk("counter")
    for subject in ("x", "x" * 21):
        assert refuses(portal, "file_letter", **{**MAIL, "subject": subject}) == "INVALID_ARGUMENT"
    for reply in ("yes", "x" * 31):
        assert refuses(counter, "answer_letter", letter=LETTER, reply=reply) == "INVALID_ARGUMENT"
    does(portal, "file_letter", **{**MAIL, "subject": "x" * 20})
    does(counter, "answer_letter", letter=LETTER, reply="x" * 30)


def test_an_input_may_have_a_default() -> None:
    text = TEXT.replace(
        "kind: one of question, complaint", "kind: {type: 'one of question, complaint', default: complaint}"
    )
    without = {name: value for name, value in MAIL.items() if name != "kind"}
    assert does(desk("portal", text), "file_letter", **without)["kind"] == "complaint"
    assert refuses(desk("portal"), "file_letter", **without) == "INVALID_ARGUMENT"


def test_a_message_is_answered_once() -> None:
    counter = desk("counter")
    done = does(counter, "answer_letter", letter=LETTER, reply="Two metres.")
    assert (done["reply"], done["answered_by"], done["answered_on"]) == ("Two metres.", COUNTER, "2025-06-16")
    assert (done["status"], done["handler"]) == ("answered", COUNTER)
    assert refuses(counter, "answer_letter", letter=LETTER, reply="Or three.") == "ANSWERED_ALREADY"
    assert does(counter, "get_letter", letter=LETTER)["reply"] == "Two metres."


def test_what_else_is_set_is_the_authors_to_say() -> None:
    assert (
        does(desk("counter", handler=PORTAL), "answer_letter", letter=LETTER, reply="Yes, you may.")["handler"]
        == PORTAL
    )


def test_the_guards_of_the_author_hold_when_it_is_answered() -> None:
    counter = desk("counter", kind="complaint")
    assert refuses(counter, "answer_letter", letter=LETTER, reply="So what?") == "IMPOLITE"
    does(counter, "answer_letter", letter=LETTER, reply="We are sorry.")


def test_policies_are_obeyed() -> None:
    counter = desk("counter", permit="PER-01")
    does(counter, "answer_letter", letter=LETTER, reply="Yes, you may.")
    assert counter.violations() == (("permit_first", "answer_letter", 1),)
    counter = desk("counter", permit="PER-02")
    does(counter, "answer_letter", letter=LETTER, reply="Yes, you may.")
    assert counter.violations() == ()


def test_who_may_do_what() -> None:
    assert refuses(desk("portal"), "answer_letter", letter=LETTER, reply="Yes, you may.") == "FORBIDDEN"
    does(desk("counter"), "file_letter", **MAIL)
    text = TEXT.replace("by: [portal, counter]", "by: portal").replace("by: counter\n", "by: anyone\n")
    assert refuses(desk("counter", text), "file_letter", **MAIL) == "FORBIDDEN"
    does(desk("portal", text), "answer_letter", letter=LETTER, reply="Yes, you may.")


def test_names_are_the_authors() -> None:
    text = TEXT.replace(
        "keeps: {reply: reply, by: answered_by, on: answered_on}", "keeps: {by: settled_by, reply: answer}"
    )
    text = text.replace("letter.handler", "mail.handler").replace(
        "letter.kind != 'complaint' or 'sorry' in reply", "mail.id != answer"
    )
    text = text.replace("obey: [permit_first]", "named: mail\n        code: SETTLED_ALREADY")
    assert list(load_text(text).blueprint.entities["letter"].fields)[-4:-2] == ["settled_by", "answer"]
    assert "letters_settled" in load_text(text).schema.entities["clerk"].ways
    counter = desk("counter", text)
    done = does(counter, "answer_letter", mail=LETTER, answer="Yes, you may.")
    assert (done["answer"], done["settled_by"], done["status"]) == ("Yes, you may.", COUNTER, "answered")
    assert refuses(counter, "answer_letter", mail=LETTER, answer="Or not.") == "SETTLED_ALREADY"


def test_several_ends() -> None:
    counter = desk("counter", SEVERAL)
    done = does(counter, "answer_letter", letter=LETTER, verdict="denied")
    assert (done["status"], done["decided_by"]) == ("denied", COUNTER)
    assert "reply" not in done
    assert refuses(counter, "answer_letter", letter=LETTER, verdict="granted") == "ANSWERED_ALREADY"
    assert refuses(desk("counter", SEVERAL), "answer_letter", letter=LETTER, verdict="open") == "INVALID_ARGUMENT"
    assert refuses(desk("counter", SEVERAL), "answer_letter", letter=LETTER) == "INVALID_ARGUMENT"


def test_a_day_or_a_moment() -> None:
    assert does(desk("portal", SEVERAL), "file_letter", **MAIL)["filed_on"] == "2025-06-16"


def test_the_past_fills_the_desk() -> None:
    counter = grown(TEXT + PAST, "counter")
    found = [does(counter, "get_letter", letter=f"LTR-{n:05d}") for n in range(1, 11)]
    assert {letter["status"] for letter in found} == {"waiting", "answered"}
    for letter in found:
        assert (letter["status"] == "answered") == (letter["answered_by"] is not None) == (letter["reply"] == "A week.")


def test_a_blueprint_may_have_two_of_them() -> None:
    small = "{owner: owner as calls, body: text}, log: {name: note_call, by: portal}, answer: {name: call_back, by: counter}"
    text = TEXT + f"  - correspondence: {{in: counter, message: call, key: CL-####, staff: clerk, fields: {small}}}\n"
    assert {"letter", "call"} <= set(load_text(text).schema.entities)
    operations = load_text(text).blueprint.operations
    assert operations["note_call"].says == "Log a call that came in."
    assert operations["call_back"].says == "Answer a call."
    assert finding(TEXT + USE.replace("\nuse:\n", "")).message == "adds entities.letter, which is there already"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("staff: clerk", "stuff: clerk", "`stuff` is not known here"),
        ("      staff: clerk\n", "", "`staff` is needed"),
        ("by: counter\n        keeps", "by: []\n        keeps", "answer.by: Tuple should have at least 1 item"),
        ("by: answered_by,", "at: answered_by,", "answer.keeps.at"),
        ("      log:\n", "      came: received\n      log:\n", "came: String should match pattern"),
        ("      log:\n", "      states: [open]\n      log:\n", "states: Tuple should have at least 2 items"),
        ("kind: one of", "status: one of", "`status` is the pattern's own"),
        ("kind: one of", "logged: one of", "`logged` is the pattern's own"),
        ("kind: one of", "answered_on: one of", "two fields would be called `answered_on`"),
        ("handler: clerk?", "body: clerk?", "two fields would be called `body`"),
        ("once: [owner, subject]", "once: [owner, handler]", "`once` names `handler`, which is not among `fields`"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    assert right in TEXT
    found = finding(TEXT.replace(right, wrong, 1))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- correspondence:"), "use[0].correspondence")
    assert found.hint.startswith(
        "parameters: in, message, key, says, called, noun, staff, fields, came, also, states, log"
    )


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("in: counter\n", "in: conter\n", "no system is called `conter` (did you mean `counter`?)"),
        ("owner: owner as", "owner: ownr as", "no type or entity is called `ownr"),
        ("by: [portal, counter]", "by: [portl, counter]", "`portl`"),
        ("obey: [permit_first]", "obey: [permit_last]", "`permit_last`"),
        ("is: owner.region", "is: owner.regoin", "`regoin`"),
        ("permit.owner == owner, else", "permit.ower == owner, else", "`ower`"),
        ("handler: clerk? as in_hand", "handler: {type: clerk?, min: 3}", "min"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    assert right in USE
    found = findings(BODY + USE.replace(right, wrong, 1))
    assert any(message in str(f) and f.line == line_of(TEXT, "- correspondence:") for f in found)
