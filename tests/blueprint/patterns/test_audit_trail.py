"""The audit trail: one entry for every listed operation that did something, and none for what failed or changed nothing."""

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
    uses,
)

from worldwright.blueprint.load import load_text
from worldwright.formats.strict_yaml import dump_yaml
from worldwright.kinds.database.session import Session

USE = """
use:
  - audit_trail: {in: desk, actor: clerk, operations: {lend: l, take_back: loan, hand_over: l}}
"""

BODY = """
blueprint: lending
title: Lending
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {librarian: lends, manager: watches}
entities:
  clerk: {in: desk, key: CLK-##, rows: 2, fields: {name: person, role: "one of librarian 50%, manager 50%"}}
  book: {in: desk, key: BK-##, rows: 2, fields: {name: product}}
  loan:
    in: desk
    key: LN-###
    fields: {book: book as loans, reference: text?, status: state}
    lifecycle: {out: [back], back: []}
operations:
  lend:
    in: desk
    says: Lend a book that is in.
    by: librarian
    takes: {book: book, reference: text?}
    once: first(x for x in loan if x.reference == reference and reference is not none)
    does:
      - {require: not exists(x for x in book.loans if x.status == 'out'), else: LENT}
      - {add: loan, with: {book: book, reference: reference}, as: l}
    gives: l
  take_back: {in: desk, says: Take it back., by: librarian, takes: {loan: loan}, does: [{set: {loan.status: back}}], gives: loan}
  hand_over:
    in: desk
    says: Back from one, out to the next.
    by: librarian
    takes: {loan: loan}
    does:
      - {run: take_back, with: {loan: loan}}
      - {run: lend, with: {book: loan.book}, as: l}
    gives: l
  note_damage: {in: desk, says: It is torn., by: librarian, takes: {book: book}, does: [{set: {book.name: "'torn'"}}], gives: book}
  find_entries: {in: desk, says: The trail., by: anyone, search: audit_entry, filters: [who, action], sort: [id]}
"""

TEXT = BODY + USE


@pytest.fixture
def desk() -> Session:
    return opened(TEXT)


def opened(text: str) -> Session:
    world = SmallWorld(text)
    world.given("clerk", role="manager")
    world.given("clerk", role="librarian")
    world.given("book")
    world.given("book")
    return world.opens("librarian")


def trail(desk: Session) -> list[tuple[str, str]]:
    """Action and subject of each entry, oldest first."""
    return [(e["action"], e["subject"]) for e in does(desk, "find_entries")["items"]]


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "audit_trail") == {"entities": {"audit_entry"}}
    checked = load_text(TEXT)
    assert checked.schema.entities["audit_entry"].log
    sources = {name: [s.source for s in op.does] for name, op in checked.blueprint.operations.items()}
    assert sources["lend"] == ["", "", "pattern:audit_trail"]
    assert sources["take_back"] == ["", "pattern:audit_trail"]
    assert sources["note_damage"] == [""]


@pytest.mark.parametrize("entry", uses(example("audit_trail")[0]), ids=["with_subjects", "without"])
def test_the_examples_of_its_docstring_load(entry: dict[str, Any]) -> None:
    load_text(BODY + dump_yaml({"use": [entry]}))


def test_an_entry_says_who_did_what_to_what_and_when(desk: Session) -> None:
    loan = does(desk, "lend", book="BK-01")["id"]
    assert does(desk, "find_entries")["items"] == [
        {"id": "AUD-000001", "happened_at": "2025-06-16T09:00:00Z", "who": "CLK-02", "action": "lend", "subject": loan}
    ]
    does(desk, "take_back", loan=loan)
    entry = does(desk, "find_entries", action="take_back")["items"][0]
    assert entry["happened_at"] == "2025-06-16T09:01:00Z"


def test_every_listed_operation_leaves_one_entry(desk: Session) -> None:
    does(desk, "lend", book="BK-01")
    does(desk, "lend", book="BK-02")
    does(desk, "take_back", loan="LN-002")
    does(desk, "note_damage", book="BK-01")
    assert trail(desk) == [("lend", "LN-001"), ("lend", "LN-002"), ("take_back", "LN-002")]


def test_what_is_refused_leaves_none(desk: Session) -> None:
    does(desk, "lend", book="BK-01")
    assert refuses(desk, "lend", book="BK-01") == "LENT"
    assert refuses(desk, "take_back", loan="LN-009") == "NOT_FOUND"
    does(desk, "take_back", loan="LN-001")
    assert refuses(desk, "take_back", loan="LN-001") == "INVALID_STATE"
    assert trail(desk) == [("lend", "LN-001"), ("take_back", "LN-001")]


def test_another_role_leaves_none() -> None:
    world = SmallWorld(TEXT)
    world.given("clerk", role="manager")
    world.given("book")
    manager = world.opens("manager")
    assert refuses(manager, "lend", book="BK-01") == "FORBIDDEN"
    assert trail(manager) == []


def test_what_was_done_already_leaves_none(desk: Session) -> None:
    first = does(desk, "lend", book="BK-01", reference="R1")
    assert does(desk, "lend", book="BK-02", reference="R1") == first
    assert trail(desk) == [("lend", "LN-001")]


def test_operations_inside_another_leave_theirs_too(desk: Session) -> None:
    does(desk, "lend", book="BK-01")
    does(desk, "hand_over", loan="LN-001")
    assert trail(desk)[1:] == [("take_back", "LN-001"), ("lend", "LN-002"), ("hand_over", "LN-002")]
    assert refuses(desk, "hand_over", loan="LN-001") == "INVALID_STATE"


def test_a_plain_list_leaves_the_subject_empty() -> None:
    desk = opened(TEXT.replace("{lend: l, take_back: loan, hand_over: l}", "[lend, lend]"))
    does(desk, "lend", book="BK-01")
    does(desk, "take_back", loan="LN-001")
    assert trail(desk) == [("lend", "")]


def test_the_subject_may_be_any_row_in_scope() -> None:
    desk = opened(TEXT.replace("lend: l,", "lend: l.book,"))
    does(desk, "lend", book="BK-02")
    assert trail(desk) == [("lend", "BK-02")]


def test_the_past_is_in_the_trail() -> None:
    text = TEXT + (
        "history:\n  spans: 30 days\n  flows:\n    lending:\n      per_week: 5\n      steps:\n"
        "        - {do: lend, by: librarian, with: {book: any(b for b in book)}, as: l}\n"
        "        - {do: take_back, by: librarian, after: 2, with: {loan: l}}\n"
    )
    desk = grown(text, "librarian")
    actions = [action for action, _ in trail(desk)]
    assert set(actions) == {"lend", "take_back"}
    assert all(e["happened_at"] < desk.clock for e in does(desk, "find_entries")["items"])


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("actor: clerk, operations", "who: clerk, operations", "`who` is not known here"),
        ("actor: clerk, operations", "operations", "`actor` is needed"),
        ("{lend: l, take_back: loan, hand_over: l}", "7", "operations: Input should be a valid dictionary"),
        ("{lend: l,", "{lend: 7,", "operations.lend: Input should be a valid string"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- audit_trail:"), "use[0].audit_trail")
    assert found.hint == "parameters: in, actor, operations"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("{lend: l,", "{lnd: l,", "no operation `lnd` to extend (did you mean `lend`?)"),
        ("{lend: l,", "{find_entries: l,", "`find_entries` only reads"),
        ("{lend: l,", "{lend: bok,", "nothing is called `bok` here (did you mean `book`?)"),
        ("in: desk, actor: clerk,", "in: dsk, actor: clerk,", "no system is called `dsk` (did you mean `desk`?)"),
        ("in: desk, actor: clerk,", "in: desk, actor: book,", "a row of book is needed, not clerk"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    for found in findings(TEXT.replace(right, wrong)):
        assert message in str(found)
        assert found.line == line_of(TEXT, "- audit_trail:")


def test_a_blueprint_has_one_trail() -> None:
    text = TEXT + "  - audit_trail: {in: desk, actor: clerk, operations: [note_damage]}\n"
    found = finding(text)
    assert str(found) == (
        f"blueprint.yaml:{text.count(chr(10))}: use[1].audit_trail: adds entities.audit_entry, which is there already "
        "(pattern `audit_trail` added it further up)"
    )
