"""Revisions: one is current, one is worked on, numbers count up, and a release takes the former out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
from tests.effort import examples

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - revisions:
      in: dms
      document: procedure
      people: employee
      notice: {default: 5, strict: 10, lenient: 0}
      own_enforced: tool
      rows: 3
      opens:
        draft_change: {document: procedure, summary: summary}
        found: {document: made, summary: "'First issue'", as: first_issue}
      releases:
        release: {revision: revision, effective_on: effective_on}
      withdraws:
        drop: {revision: revision}
"""

BODY = """
blueprint: papers
title: Papers
now: 2025-06-16T09:00:00Z
systems: {dms: the shelf}
actor: {entity: employee, role: role}
roles: {author: writes, owner: releases}
entities:
  employee: {in: dms, key: EMP-##, rows: 4, fields: {name: person, role: "one of author, owner"}}
  procedure: {in: dms, key: PRC-##, rows: 5, fields: {name: text}}
operations:
  draft_change:
    in: dms
    says: Start on the next one.
    by: anyone
    takes: {procedure: procedure, summary: text}
    gives: procedure
  found:
    in: dms
    says: A new paper with its first issue.
    by: anyone
    takes: {name: text}
    does: [{add: procedure, with: {name: name}, as: made}]
    gives: first_issue
  release: {in: dms, says: Into force., by: anyone, takes: {revision: revision, effective_on: date}, gives: revision}
  drop: {in: dms, says: Not any more., by: anyone, takes: {revision: revision}, gives: revision}
  look_at:
    in: dms
    says: What the terms say.
    by: anyone
    takes: {procedure: procedure, d: date}
    gives:
      current: current_of(procedure).number
      draft: draft_of(procedure).number
      next: next_number(procedure)
      force: "in_force_on(procedure, d).number"
  get_procedure: {in: dms, says: One of them., by: anyone, get: procedure, with: [revisions]}
"""

TEXT = BODY + USE
DOC, ANN, BOB = "PRC-01", "EMP-01", "EMP-02"
IN_FORCE = {"status": "released", "released_by": BOB, "released_on": "2025-01-01", "effective_on": "2025-02-01"}
OLD = IN_FORCE | {"status": "superseded", "effective_on": "2024-02-01"}


def shelf(*revisions: dict[str, Any], text: str = TEXT, role: str = "owner") -> Session:
    """A paper with revisions, all written by Ann; Bob, an owner, acts unless said otherwise."""
    world = SmallWorld(text)
    world.given("employee", role="author")
    world.given("employee", role="owner")
    world.given("procedure", name="x")
    for number, revision in enumerate(revisions, 1):
        usual = {"number": number, "summary": "", "author": ANN, "opened_on": "2024-01-01"}
        world.given("revision", procedure=DOC, **usual | revision)
    return world.opens(role)


def states(desk: Session) -> list[str]:
    """Of all revisions by number, after comparing the paper with them."""
    found = does(desk, "get_procedure", procedure=DOC)
    rows = sorted(found["revisions"], key=lambda r: r["number"])
    assert [r["number"] for r in rows] == list(range(1, len(rows) + 1))
    current = [r["number"] for r in rows if r["status"] == "released"]
    assert found["current_number"] == (current[0] if current else None)
    assert found["drafts_open"] == sum(r["status"] == "draft" for r in rows)
    return [r["status"] for r in rows]


def revision(number: int) -> str:
    return f"REV-0000{number}"


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "revisions") == {
        "entities": {"revision"},
        "terms": {"current_of", "draft_of", "next_number", "in_force_on"},
        "policies": {"not_own_release", "notice_given"},
        "always": {"one_current", "one_draft", "numbers_count_up"},
    }
    columns = load_text(TEXT).schema.entities["procedure"].columns
    assert {columns[name].source for name in ("current_number", "drafts_open")} == {"kept"}


def test_the_example_of_its_docstring_loads() -> None:
    body = BODY.replace("  drop:", "  drop_draft:").replace("rows: 5", "rows: 50")
    load_text(body.replace("gives: first_issue", "gives: made") + example("revisions")[0])


def test_on_a_grown_world_some_papers_are_in_force() -> None:
    desk = grown(TEXT, "owner")
    found = [does(desk, "get_procedure", procedure=f"PRC-0{i}") for i in range(1, 6)]
    assert sorted(len(p["revisions"]) for p in found) == [0, 0, 1, 1, 1]
    for row in (r for p in found for r in p["revisions"]):
        assert (row["number"], row["status"]) == (1, "released")
        assert row["author"] != row["released_by"]
        assert row["opened_on"] < row["released_on"] < row["effective_on"] < "2025-06-16"


def test_a_paper_begins_with_its_first_issue() -> None:
    desk = shelf()
    first = does(desk, "found", name="y")
    assert does(desk, "get_procedure", procedure=first["procedure"])["revisions"] == [first]
    assert (first["number"], first["status"], first["summary"]) == (1, "draft", "First issue")


def test_a_draft_says_who_began_it_and_why() -> None:
    desk = shelf(OLD, IN_FORCE)
    does(desk, "draft_change", procedure=DOC, summary="Torque")
    draft = does(desk, "get_procedure", procedure=DOC)["revisions"][-1]
    assert {k: draft[k] for k in ("number", "summary", "author", "opened_on", "status", "released_by")} == {
        "number": 3,
        "summary": "Torque",
        "author": BOB,
        "opened_on": "2025-06-16",
        "status": "draft",
        "released_by": None,
    }


def test_one_draft_at_a_time() -> None:
    desk = shelf(IN_FORCE)
    does(desk, "draft_change", procedure=DOC, summary="a")
    assert refuses(desk, "draft_change", procedure=DOC, summary="b") == "DRAFT_OPEN"
    does(desk, "drop", revision=revision(2))
    does(desk, "draft_change", procedure=DOC, summary="b")
    assert states(desk) == ["released", "withdrawn", "draft"]


def test_a_release_takes_the_former_out() -> None:
    desk = shelf(OLD, IN_FORCE, {})
    done = does(desk, "release", revision=revision(3), effective_on="2025-06-21")
    assert (done["released_by"], done["released_on"], done["effective_on"]) == (BOB, "2025-06-16", "2025-06-21")
    assert states(desk) == ["superseded", "superseded", "released"]


@pytest.mark.parametrize("other", [OLD, IN_FORCE, IN_FORCE | {"status": "withdrawn"}])
def test_only_drafts_are_released(other: dict[str, Any]) -> None:
    assert refuses(shelf(other), "release", revision=revision(1), effective_on="2025-09-01") == "NOT_A_DRAFT"


def test_what_is_withdrawn_leaves_no_current_one() -> None:
    desk = shelf(OLD, IN_FORCE)
    assert refuses(desk, "drop", revision=revision(1)) == "NOT_WITHDRAWABLE"
    does(desk, "drop", revision=revision(2))
    assert refuses(desk, "drop", revision=revision(2)) == "NOT_WITHDRAWABLE"
    assert states(desk) == ["superseded", "withdrawn"]
    does(desk, "draft_change", procedure=DOC, summary="a")
    assert states(desk)[2] == "draft"


def test_nobody_releases_their_own() -> None:
    desk = shelf({"author": BOB})
    assert refuses(desk, "release", revision=revision(1), effective_on="2025-09-01") == "OWN_REVISION"
    does(shelf({"author": BOB}, role="author"), "release", revision=revision(1), effective_on="2025-09-01")


def test_by_default_that_is_the_agents_to_keep() -> None:
    desk = shelf({"author": BOB}, text=TEXT.replace("      own_enforced: tool\n", ""))
    does(desk, "release", revision=revision(1), effective_on="2025-09-01")


@pytest.mark.parametrize(
    ("variant", "soon", "right"),
    [
        ("default", "2025-06-20", "2025-06-21"),
        ("strict", "2025-06-25", "2025-06-26"),
        ("lenient", "2025-06-15", "2025-06-16"),
    ],
)
def test_notice_is_given_to_the_day(variant: str, soon: str, right: str) -> None:
    desk = shelf({}, text=TEXT + f"variant: {{notice_given: {variant}}}\n")
    assert refuses(desk, "release", revision=revision(1), effective_on=soon) == "TOO_SOON"
    does(desk, "release", revision=revision(1), effective_on=right)


def test_or_the_agent_gives_notice() -> None:
    desk = shelf({}, text=TEXT.replace("      own_enforced: tool\n", "      notice_enforced: agent\n"))
    does(desk, "release", revision=revision(1), effective_on="2025-06-01")


def test_without_a_day_it_is_in_force_at_once() -> None:
    text = TEXT.replace(", effective_on: effective_on}", "}").replace(
        "{default: 5, strict: 10, lenient: 0}", "{default: 0}"
    )
    assert (
        does(shelf({}, text=text), "release", revision=revision(1), effective_on="2030-01-01")["effective_on"]
        == "2025-06-16"
    )


def test_terms_tell_current_from_in_force() -> None:
    desk = shelf(OLD, IN_FORCE, {})
    does(desk, "release", revision=revision(3), effective_on="2025-07-01")
    does(desk, "draft_change", procedure=DOC, summary="a")
    looks = [
        does(desk, "look_at", procedure=DOC, d=d) for d in ("2024-01-31", "2024-02-01", "2025-06-30", "2025-07-01")
    ]
    assert [look["force"] for look in looks] == [None, 1, 2, 3]
    assert {(look["current"], look["draft"], look["next"]) for look in looks} == {(3, 4, 5)}
    does(desk, "drop", revision=revision(3))
    assert does(desk, "look_at", procedure=DOC, d="2025-07-01") == {"current": None, "draft": 4, "next": 5, "force": 2}


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["draft_change", "release", "drop"]), st.integers(1, 4)), max_size=9))
def test_whatever_happens_there_is_one_of_each(taken: list[tuple[str, int]]) -> None:
    desk = shelf(text=TEXT.replace("own_enforced: tool", "own_enforced: agent"))
    expected: list[str] = []
    for tool, number in taken:
        which = {"revision": revision(number)}
        if tool == "draft_change":
            allowed, call = "draft" not in expected, {"procedure": DOC, "summary": ""}
        else:
            call = which | ({"effective_on": "2025-09-01"} if tool == "release" else {})
            wanted = ("draft",) if tool == "release" else ("draft", "released")
            allowed = number <= len(expected) and expected[number - 1] in wanted
        if not allowed:
            refuses(desk, tool, **call)
            continue
        does(desk, tool, **call)
        if tool == "draft_change":
            expected.append("draft")
        elif tool == "release":
            expected = ["superseded" if s == "released" else s for s in expected]
            expected[number - 1] = "released"
        else:
            expected[number - 1] = "withdrawn"
        assert states(desk) == expected


@pytest.mark.parametrize("days", [0, 1, 40])
def test_its_own_cases_hold_for_any_notice(days: int) -> None:
    load_text(TEXT.replace("{default: 5, strict: 10, lenient: 0}", f"{{default: {days}}}"))


PARAMETERS = "in, document, people, revision, key, called, notice, own_enforced, notice_enforced, rows, opens, releases, withdraws"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("people: employee", "person: employee", "`person` is not known here"),
        ("      document: procedure\n", "", "`document` is needed"),
        ("{default: 5, strict: 10, lenient: 0}", "{strict: 10}", "notice: `notice` needs a `default`"),
        ("document: procedure\n", "document: summary\n", "document: `summary` is the pattern's own"),
        ("drop: {revision: revision}", "drop: {}", "`withdraws.drop.revision` is needed"),
        ("own_enforced: tool", "own_enforced: nobody", "own_enforced: Input should be 'tool' or 'agent'"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- revisions:"), "use[0].revisions")
    assert found.hint == f"parameters: {PARAMETERS}"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("document: procedure\n", "document: procdure\n", "no entity `procdure` to extend"),
        ("        drop: {", "        dropp: {", "no operation `dropp` to extend"),
        ("document: made,", "document: mad,", "nothing is called `mad` here"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- revisions:") for f in found)


def test_a_blueprint_uses_it_once() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].revisions", "adds entities.revision, which is there already")
