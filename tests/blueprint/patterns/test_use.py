"""`use`: what a pattern adds goes where it belongs, and whatever is wrong is said at the line of its entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel
from tests.blueprint.patterns.small_world import finding, findings, line_of
from tests.blueprint.patterns.test_revisions import TEXT as REVISIONS
from tests.blueprint.patterns.test_revisions import shelf

from worldwright.blueprint import patterns
from worldwright.blueprint.expand import expand_patterns
from worldwright.blueprint.load import load_text
from worldwright.blueprint.source import load_yaml
from worldwright.core.errors import BlueprintError

TEXT = """
blueprint: lending
title: Lending
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {librarian: lends}
entities:
  clerk: {in: desk, key: CLK-##, rows: 1, fields: {name: person, role: one of librarian}}
  book: {in: desk, key: BK-##, rows: 1, fields: {name: product}}
operations:
  rename:
    in: desk
    says: Another name.
    by: librarian
    takes: {book: book, name: text}
    does:
      - set: {book.name: name}
    gives: book
  find_books: {in: desk, says: All., by: anyone, search: book, filters: [name], sort: [name]}
use:
  - audit_trail: {in: desk, actor: clerk, operations: {rename: book}}
"""

ENTRY = "  - audit_trail: {in: desk, actor: clerk, operations: {rename: book}}\n"


class NoParams(BaseModel):
    """A pattern without parameters."""


@pytest.fixture
def using(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], None]:
    """Lets the pattern in the text above be one that returns this fragment."""

    def replace(fragment: dict[str, Any]) -> None:
        made = patterns.Pattern("audit_trail", "", "", NoParams, lambda _: fragment)
        monkeypatch.setattr(patterns, "get", lambda _: made)

    return replace


def test_without_patterns_nothing_is_touched() -> None:
    document = load_yaml(TEXT.replace("use:\n" + ENTRY, ""), "b.yaml")
    assert expand_patterns(document) is document
    assert load_text(TEXT.replace("use:\n" + ENTRY, "use: []\n")).blueprint.use == ()


def test_what_the_author_wrote_is_not_changed() -> None:
    document = load_yaml(TEXT, "b.yaml")
    before = load_yaml(TEXT, "b.yaml")
    out = expand_patterns(document)
    assert document == before
    assert "use" not in out.data
    assert list(out.data["entities"]) == ["clerk", "book", "audit_entry"]


@pytest.mark.parametrize(
    ("use", "path", "message"),
    [
        ("use: 5\n", "use", "a list of patterns (- name: {...})"),
        ("use: {audit_trail: {}}\n", "use", "a list of patterns"),
        ("use:\n  - audit_trail\n", "use[0]", "one pattern and its parameters (- name: {...})"),
        ("use:\n  - {audit_trail: {}, inbox: {}}\n", "use[0]", "one pattern and its parameters"),
        (
            "use:\n  - audit_tral: {}\n",
            "use[0].audit_tral",
            "no pattern is called `audit_tral` (did you mean `audit_trail`?)",
        ),
        ("use:\n  - _parts: {}\n", "use[0]._parts", "no pattern is called `_parts`"),
        ("use:\n  - audit_trail:\n", "use[0].audit_trail", "`in` is needed (parameters: in, actor, operations)"),
        ("use:\n  - audit_trail: [1]\n", "use[0].audit_trail", "parameters: Input should be a valid dictionary"),
    ],
)
def test_an_entry_that_is_none(use: str, path: str, message: str) -> None:
    text = TEXT.replace("use:\n" + ENTRY, use)
    found = finding(text)
    assert (found.path, found.line) == (path, text.count("\n"))
    assert message in str(found)


def test_every_wrong_entry_is_named() -> None:
    text = TEXT.replace(ENTRY, "  - audit_trail: {}\n  - inbox: {}\n  - nothing: {}\n")
    start = line_of(text, "- audit_trail")
    assert [(f.line, f.path) for f in findings(text)] == [
        (start, "use[0].audit_trail"),
        (start + 1, "use[1].inbox"),
        (start + 2, "use[2].nothing"),
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("entities:\n", "entities:\nold_entities:\n", "adds to `entities`, which is not a map"),
        ("operations:\n", "operations:\nold_operations:\n", "adds to `operations`, which is not a map"),
        (
            "    does:\n      - set: {book.name: name}\n",
            "    does: 5\n",
            "`operations.rename.does`, which is not a list",
        ),
        ("  rename:\n    in", "  rename:\n  renames:\n    in", "no operation `rename` to extend"),
        ("operations: {rename: book}", "operations: {find_books: book}", "`find_books` only reads"),
    ],
)
def test_a_blueprint_that_a_pattern_cannot_extend(right: str, wrong: str, message: str) -> None:
    text = TEXT.replace(right, wrong, 1)
    found = finding(text)
    assert message in found.message
    assert (found.path, found.line) == ("use[0].audit_trail", line_of(text, "- audit_trail"))


def test_a_name_of_the_author_is_never_overwritten() -> None:
    text = TEXT.replace("  book: {in", "  audit_entry: {in: desk, key: AE-##, fields: {name: text}}\n  book: {in")
    found = finding(text)
    assert (found.message, found.hint) == ("adds entities.audit_entry, which is there already", "rename one of them")


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ({"history": {"flows": {}}}, "pattern audit_trail adds `history`, which patterns may not"),
        ({"extend": {"entities": {"book": {"fields": {"name": "text"}}}}}, "`book` has a field `name` already"),
        ({"extend": {"entities": {"boook": {}}}}, "no entity `boook` to extend"),
    ],
)
def test_a_fragment_that_does_not_fit(
    using: Callable[[dict[str, Any]], None], fragment: dict[str, Any], message: str
) -> None:
    using(fragment)
    found = finding(TEXT.replace(ENTRY, "  - audit_trail: {}\n"))
    assert message in found.message
    assert found.path == "use[0].audit_trail"


def test_what_is_wrong_in_an_addition_is_said_at_the_pattern(using: Callable[[dict[str, Any]], None]) -> None:
    fragment: dict[str, Any] = {
        "terms": {"odd": {"is": "nonsense"}},
        "extend": {
            "entities": {"book": {"fields": {"odd": "nonsense"}}},
            "operations": {"rename": {"after": [{"require": "nonsense"}]}},
        },
    }
    using(fragment)
    text = TEXT.replace(ENTRY, "  - audit_trail: {}\n")
    entry = line_of(text, "- audit_trail")
    assert {f.line for f in findings(text)} == {entry}
    del fragment["terms"], fragment["extend"]["entities"]
    using(fragment)
    assert {(f.path, f.line) for f in findings(text)} == {("operations.rename.does[1]", entry)}


def test_what_is_wrong_beside_an_addition_keeps_its_line(using: Callable[[dict[str, Any]], None]) -> None:
    using({"extend": {"operations": {"rename": {"after": [{"require": "true"}, {"require": "true"}]}}}})
    text = TEXT.replace(ENTRY, "  - audit_trail: {}\n").replace("{book.name: name}", "{book.name: nme}")
    found = finding(text)
    assert (found.path, found.line) == ("operations.rename.does[0].set.book.name", line_of(text, "- set:"))


def test_patterns_apply_in_order() -> None:
    inbox = "  - inbox: {in: desk, staff: clerk, customer: clerk, sender: writer, by: librarian}\n"
    trail = "  - audit_trail: {in: desk, actor: clerk, operations: {close_ticket: ticket}}\n"
    done = load_text(TEXT.replace(ENTRY, inbox + trail)).blueprint.operations["close_ticket"]
    assert (done.source, done.does[-1].source) == ("pattern:inbox", "pattern:audit_trail")
    with pytest.raises(BlueprintError, match="no operation `close_ticket` to extend"):
        load_text(TEXT.replace(ENTRY, trail + inbox))


EXEMPT = """
policies:
  in_danger:
    about: {revision: revision, effective_on: date}
    when: revision.summary == 'Danger'
    beats: [notice_given]
    says: What is dangerous takes effect at once.
    cases:
      - applies: {revision.summary: Danger, effective_on: 2025-06-16}
      - not: {revision.summary: Torque, effective_on: 2025-06-16}
"""

ON_A_WORKDAY = """
  on_a_workday:
    about: {revision: revision, effective_on: date}
    rule: weekday(effective_on) < 5
    says: A revision takes effect on a workday.
    cases:
      - allowed: {effective_on: 2025-06-16}
      - forbidden: {effective_on: 2025-06-15}
"""


def test_an_author_may_exempt_from_the_rule_of_a_pattern() -> None:
    """Its cases were written without that exemption and hold without it; in the world it counts."""
    for summary, allowed in (("Danger", True), ("Torque", False)):
        desk = shelf({"summary": summary}, text=REVISIONS + EXEMPT)
        result = desk.call("release", {"revision": "REV-00001", "effective_on": "2025-06-16"})
        assert (result.ok, result.error and result.error.code) == ((True, None) if allowed else (False, "TOO_SOON"))


def test_the_cases_of_an_author_speak_of_every_exemption() -> None:
    own = EXEMPT.replace("beats: [notice_given]", "beats: [notice_given, on_a_workday]") + ON_A_WORKDAY
    assert finding(REVISIONS + own).message == "the case does not say `revision.summary`, which the rule reads"


def test_the_cases_of_a_pattern_hold_whatever_the_variant() -> None:
    load_text(REVISIONS + EXEMPT + "variant: {notice_given: strict}\n")
