"""Guards that patterns add: in a world that uses a pattern as documented, a test can be found for each of them."""

from __future__ import annotations

from importlib import import_module

import pytest
from tests.blueprint.patterns.small_world import finding

from worldwright.blueprint import checked as c
from worldwright.blueprint import patterns
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.load import load_text
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.stages.tools import test_files as written
from worldwright.kinds.database.kind import compile_blueprint


def text_of(name: str) -> str:
    """The small world that a pattern's own tests use it in."""
    text: str = import_module(f"tests.blueprint.patterns.test_{name}").TEXT
    return text


def unreached(text: str) -> dict[str, tuple[str, ...]]:
    return written(compile_blueprint(text), Memo()).unreached


def refusals(text: str, operation: str) -> list[str]:
    """The codes that an operation's own statements refuse with."""
    body = load_text(text).operations[operation].body
    return [s.code for s in walk_statements(body) if isinstance(s, c.Require)]


def with_drop(takes: str, revision: str, does: str = "") -> str:
    """The world of revisions, with another way to say what is withdrawn."""
    text = text_of("revisions")
    old = "drop: {in: dms, says: Not any more., by: anyone, takes: {revision: revision}, gives: revision}"
    new = f"drop: {{in: dms, says: Not any more., by: anyone, takes: {takes}, {does}gives: {{done: true}}}}"
    assert old in text
    return text.replace(old, new).replace("drop: {revision: revision}", f"drop: {{revision: {revision}}}")


@pytest.mark.parametrize("name", patterns.names())
def test_every_guard_is_reached(name: str) -> None:
    assert unreached(text_of(name)) == {}


@pytest.mark.parametrize(
    ("name", "right", "other"),
    [
        ("service_clock", "unit: hours", "unit: business_days"),
        ("service_clock", "      target: 72\n", "      target: 72\n      late_enforced: tool\n"),
        ("checklist", "waived_by: [manager]", "waived_by: [manager]\n      waiver_enforced: tool"),
        ("checklist", "waived_by: [manager]", "settled_enforced: agent"),
        ("waiting_list", "free: seats_left", "unit: days"),
        ("waiting_list", "free: seats_left", "free: seats_left\n      unit: business_days\n      next_enforced: tool"),
        ("journal", "clearing_enforced: tool", "clearing_enforced: agent"),
        ("instalments", "payment: taken, when: not on_account", "payment: taken, spare: left"),
        ("instalments", "grace: 5", "grace: 5\n      enforced: agent"),
        ("stock", "lots: true", "lots: true\n      first: received"),
        ("stock", "days_left: {default: 0", "days_left: {default: 10"),
        ("revisions", "own_enforced: tool", "notice_enforced: agent"),
    ],
)
def test_whatever_the_parameters(name: str, right: str, other: str) -> None:
    text = text_of(name)
    assert right in text
    assert unreached(text.replace(right, other)) == {}


@pytest.mark.parametrize(("operation", "guards"), [("report_incident", []), ("reopen", ["CLOCK_STARTED"])])
def test_a_clock_of_a_new_row_has_not_started(operation: str, guards: list[str]) -> None:
    assert refusals(text_of("service_clock"), operation) == guards


def test_nor_where_it_starts_in_a_branch() -> None:
    text = text_of("service_clock").replace("case: made}", "case: made, when: priority == 'high'}")
    assert refusals(text, "report_incident") == []
    assert unreached(text) == {}


@pytest.mark.parametrize(("operation", "guards"), [("found", []), ("draft_change", ["DRAFT_OPEN"])])
def test_nobody_works_on_a_new_paper(operation: str, guards: list[str]) -> None:
    assert refusals(text_of("revisions"), operation) == guards


def test_nobody_new_waits_already() -> None:
    text = text_of("waiting_list")
    does = "does: [{add: student, with: {name: remark}, as: made}]\n    gives: new_in_line"
    text = text.replace("takes: {student: student, ", "takes: {").replace("gives: new_in_line", does)
    assert "WAITING_ALREADY" in refusals(text_of("waiting_list"), "ask_for_seat")
    assert refusals(text.replace("{who: student, place", "{who: made, place"), "ask_for_seat") == []


@pytest.mark.parametrize(
    "does",
    [
        "",
        "does: [{require: current_of(procedure) is not none, else: NOTHING_OUT, says: Nothing.}], ",
        "does: [{let: {old: current_of(procedure)}}, {require: old is not none, else: NOTHING_OUT, says: Nothing.}], ",
    ],
)
def test_what_is_withdrawn_may_be_looked_up(does: str) -> None:
    text = with_drop("{procedure: procedure}", "old" if "old" in does else "current_of(procedure)", does)
    assert unreached(text) == {}


AT_ONCE = ", effective_on: effective_on}"
NOTICE = "{default: 5, strict: 10, lenient: 0}"


def test_what_takes_effect_at_once_is_not_asked_for_notice() -> None:
    text = text_of("revisions").replace(AT_ONCE, "}").replace(NOTICE, "{default: 0}")
    assert unreached(text) == {}


def test_notice_needs_a_day() -> None:
    found = finding(text_of("revisions").replace(AT_ONCE, "}"))
    assert "`release` needs an `effective_on`" in found.message
