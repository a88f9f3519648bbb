"""The waiting list: who is next by priority and time, who may be offered a place, and how long an offer holds."""

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
  - waiting_list:
      in: desk
      who: student
      place: course_section
      priority: [graduating, major, other]
      fields: {remark: text?}
      eligible: [student.in_good_standing]
      free: seats_left
      window: {default: 48, strict: 24}
      joins:
        ask_for_seat: {who: student, place: course_section, priority: claim, with: {remark: remark}}
      moves:
        offer_seat: [{to: offered, entry: entry}]
        answer_offer:
          - {to: taken, entry: entry, when: accepts}
          - {to: left, entry: entry, when: not accepts}
        withdraw_offer: [{to: lapsed, entry: entry}]
        lose_seat: [{to: waiting, entry: entry}]
"""

BODY = """
blueprint: registrar
title: Registrar
now: 2025-03-12T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {registrar: keeps the lists}
entities:
  clerk: {in: desk, key: CLK-##, rows: 1, fields: {name: person, role: one of registrar}}
  student: {in: desk, key: STU-##, rows: 4, fields: {name: person, in_good_standing: bool ~ true}}
  course_section:
    in: desk
    key: SEC-##
    rows: 2
    fields:
      seats: int ~ 1
      seats_left: int computed seats - count(w for w in waiting_entries if w.status == 'taken')
operations:
  ask_for_seat:
    in: desk
    says: Join the list.
    by: registrar
    takes: {student: student, course_section: course_section, claim: "one of graduating, major, other", remark: text?}
    gives: new_in_line
  offer_seat: {in: desk, says: Offer., by: registrar, takes: {entry: waiting_entry}, gives: entry}
  answer_offer: {in: desk, says: Answer., by: registrar, takes: {entry: waiting_entry, accepts: bool}, gives: entry}
  withdraw_offer: {in: desk, says: Take back., by: registrar, takes: {entry: waiting_entry}, gives: entry}
  lose_seat: {in: desk, says: The seat is gone., by: registrar, takes: {entry: waiting_entry}, gives: entry}
  look_at:
    in: desk
    says: The list of a section.
    by: anyone
    takes: {course_section: course_section, entry: waiting_entry}
    gives: {next: next_waiting(course_section).id, position: place_in_line(entry)}
"""

TEXT = BODY + USE
FIRST, SECOND, THIRD = (f"WTL-0000{i}" for i in range(1, 4))
SECTION = "SEC-01"
OTHERS = "other", "other", "other"


def desk(text: str = TEXT, ranks: tuple[str, ...] = OTHERS, seats: int = 1, barred: str = "", **first: Any) -> Session:
    """A section with so many seats, and students on its list, each of whom joined a day after the one before."""
    world = SmallWorld(text)
    world.given("clerk", role="registrar")
    world.given("course_section", seats=seats)
    world.given("course_section", seats=9)
    for i, rank in enumerate(ranks, 1):
        student = world.given("student", in_good_standing=int(f"WTL-0000{i}" != barred))
        values: dict[str, Any] = {"priority": rank} if "priority: [" in text else {}
        joined = f"2025-03-0{i}T10:00:00Z"
        more = first if i == 1 else {}
        world.given(
            "waiting_entry", **{"student": student, "course_section": SECTION, "joined_at": joined, **values, **more}
        )
    world.given("student", in_good_standing=1)
    return world.opens("registrar")


def position(session: Session, entry: str) -> int:
    found: int = does(session, "look_at", course_section=SECTION, entry=entry)["position"]
    return found


def next_one(session: Session) -> str | None:
    found: str | None = does(session, "look_at", course_section=SECTION, entry=FIRST)["next"]
    return found


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "waiting_list") == {
        "entities": {"waiting_entry"},
        "terms": {"comes_before", "next_waiting", "place_in_line"},
        "policies": {"next_in_line", "offer_window", "place_to_offer"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    load_text(BODY + example("waiting_list")[0])


def test_it_works_on_a_grown_world() -> None:
    session = grown(TEXT, "registrar")
    made = does(session, "ask_for_seat", student="STU-01", course_section=SECTION, claim="major", remark="Please.")
    assert (made["status"], made["rank"], made["joined_at"], made["remark"]) == (
        "waiting",
        1,
        "2025-03-12T09:00:00Z",
        "Please.",
    )
    assert next_one(session) == made["id"]


# the line


def test_with_the_same_priority_time_decides() -> None:
    session = desk()
    assert [position(session, e) for e in (FIRST, SECOND, THIRD)] == [1, 2, 3]
    assert next_one(session) == FIRST


def test_priority_goes_before_time() -> None:
    session = desk(ranks=("other", "major", "graduating"))
    assert [position(session, e) for e in (FIRST, SECOND, THIRD)] == [3, 2, 1]
    assert next_one(session) == THIRD


def test_at_the_same_moment_the_lower_id_comes_first() -> None:
    session = desk(joined_at="2025-03-02T10:00:00Z")
    assert (position(session, FIRST), position(session, SECOND), next_one(session)) == (1, 2, FIRST)


def test_who_may_not_take_a_place_is_passed_over() -> None:
    session = desk(barred=FIRST)
    assert (next_one(session), position(session, SECOND)) == (SECOND, 1)
    does(session, "offer_seat", entry=SECOND)
    assert session.violations() == ()
    session = desk(barred=FIRST)
    does(session, "offer_seat", entry=FIRST)
    assert session.violations() == (("next_in_line", "offer_seat", 1),)


@pytest.mark.parametrize("ended", ["offered", "taken", "lapsed", "left"])
def test_only_those_who_wait_are_in_line(ended: str) -> None:
    session = desk(status=ended)
    assert (next_one(session), position(session, SECOND)) == (SECOND, 1)


def test_nobody_is_next_in_an_empty_line() -> None:
    assert next_one(desk(ranks=("other",), status="left")) is None


def test_without_words_for_it_there_is_no_priority() -> None:
    text = TEXT.replace("      priority: [graduating, major, other]\n", "").replace(", priority: claim", "")
    session = desk(text)
    assert [position(session, e) for e in (FIRST, SECOND, THIRD)] == [1, 2, 3]
    assert next_one(session) == FIRST
    session = desk(text)
    does(session, "offer_seat", entry=SECOND)
    assert session.violations() == (("next_in_line", "offer_seat", 1),)


# offers


def test_the_next_is_offered_a_place() -> None:
    session = desk()
    made = does(session, "offer_seat", entry=FIRST)
    assert (made["status"], made["offered_at"], made["ended_at"]) == ("offered", "2025-03-12T09:00:00Z", None)
    assert session.violations() == ()


def test_passing_somebody_over_breaks_the_handbook() -> None:
    session = desk()
    does(session, "offer_seat", entry=SECOND)
    assert session.violations() == (("next_in_line", "offer_seat", 1),)


def test_the_tool_may_keep_the_order() -> None:
    session = desk(TEXT + "      next_enforced: tool\n")
    assert refuses(session, "offer_seat", entry=SECOND) == "NOT_NEXT_IN_LINE"
    does(session, "offer_seat", entry=FIRST)


def test_no_more_offers_than_places() -> None:
    session = desk(seats=1)
    does(session, "offer_seat", entry=FIRST)
    assert refuses(session, "offer_seat", entry=SECOND) == "NO_PLACE_TO_OFFER"
    does(session, "answer_offer", entry=FIRST, accepts=True)
    assert refuses(session, "offer_seat", entry=SECOND) == "NO_PLACE_TO_OFFER"
    session = desk(seats=2)
    does(session, "offer_seat", entry=FIRST)
    does(session, "offer_seat", entry=SECOND)


def test_a_place_given_up_can_be_offered_again() -> None:
    session = desk(seats=1)
    does(session, "offer_seat", entry=FIRST)
    gone = does(session, "answer_offer", entry=FIRST, accepts=False)
    assert (gone["status"], gone["ended_at"]) == ("left", "2025-03-12T09:01:00Z")
    does(session, "offer_seat", entry=SECOND)


def test_where_the_place_falls_away_they_wait_as_long_as_before() -> None:
    session = desk()
    assert refuses(session, "lose_seat", entry=FIRST) == "NOT_IN_LINE"
    does(session, "offer_seat", entry=FIRST)
    found = does(session, "lose_seat", entry=FIRST)
    assert [found[f] for f in ("status", "joined_at", "offered_at")] == ["waiting", "2025-03-01T10:00:00Z", None]
    assert next_one(session) == FIRST


def test_places_need_not_be_counted() -> None:
    text = TEXT.replace("      free: seats_left\n", "")
    assert "place_to_offer" not in from_pattern(text, "waiting_list")["policies"]
    does(desk(text, seats=0), "offer_seat", entry=FIRST)


@pytest.mark.parametrize("status", ["offered", "taken", "lapsed", "left"])
def test_only_who_waits_is_offered_a_place(status: str) -> None:
    assert refuses(desk(status=status), "offer_seat", entry=FIRST) == "NOT_IN_LINE"


@pytest.mark.parametrize("status", ["waiting", "taken", "lapsed", "left"])
def test_only_an_offer_is_taken_or_lapses(status: str) -> None:
    session = desk(status=status, offered_at="2025-03-12T08:00:00Z")
    assert refuses(session, "answer_offer", entry=FIRST, accepts=True) == "NOT_IN_LINE"
    assert refuses(session, "withdraw_offer", entry=FIRST) == "NOT_IN_LINE"


def test_whoever_waits_may_leave() -> None:
    assert does(desk(), "answer_offer", entry=FIRST, accepts=False)["status"] == "left"


# the window


@pytest.mark.parametrize(
    ("unit", "window", "offered_at", "holds"),
    [
        ("hours", 48, "2025-03-10T09:00:00Z", True),
        ("hours", 48, "2025-03-10T08:59:59Z", False),
        ("days", 3, "2025-03-09T00:00:00Z", True),
        ("days", 3, "2025-03-08T23:59:59Z", False),
        # The 8th and 9th of March 2025 are a weekend.
        ("business_days", 3, "2025-03-07T12:00:00Z", True),
        ("business_days", 3, "2025-03-06T12:00:00Z", False),
    ],
)
def test_an_offer_holds_so_long(unit: str, window: int, offered_at: str, holds: bool) -> None:
    text = TEXT.replace("window: {default: 48, strict: 24}", f"window: {{default: {window}}}\n      unit: {unit}")
    session = desk(text, status="offered", offered_at=offered_at)
    if holds:
        assert refuses(session, "withdraw_offer", entry=FIRST) == "OFFER_WINDOW"
        assert does(session, "answer_offer", entry=FIRST, accepts=True)["status"] == "taken"
    else:
        assert refuses(session, "answer_offer", entry=FIRST, accepts=True) == "OFFER_WINDOW"
        assert does(session, "withdraw_offer", entry=FIRST)["status"] == "lapsed"


def test_a_strict_window_is_shorter() -> None:
    text = TEXT + "variant: {offer_window: strict}\n"
    session = desk(text, status="offered", offered_at="2025-03-11T08:59:00Z")
    assert refuses(session, "answer_offer", entry=FIRST, accepts=True) == "OFFER_WINDOW"


def test_the_window_may_be_for_the_agent_to_keep() -> None:
    session = desk(TEXT + "      window_enforced: agent\n", status="offered", offered_at="2025-03-01T09:00:00Z")
    does(session, "answer_offer", entry=FIRST, accepts=True)
    assert session.violations() == (("offer_window", "answer_offer", 1),)


# joining


def test_nobody_waits_twice_for_the_same() -> None:
    session = desk()
    asks = {"student": "STU-01", "claim": "other"}
    assert refuses(session, "ask_for_seat", course_section=SECTION, **asks) == "WAITING_ALREADY"
    does(session, "ask_for_seat", course_section="SEC-02", **asks)
    assert refuses(desk(status="offered"), "ask_for_seat", course_section=SECTION, **asks) == "WAITING_ALREADY"
    does(desk(status="lapsed"), "ask_for_seat", course_section=SECTION, **asks)


def test_joining_may_depend_on_something() -> None:
    text = TEXT.replace("with: {remark: remark}}", "with: {remark: remark}, when: course_section.seats_left <= 0}")
    text = text.replace("gives: new_in_line", "gives: student")
    session = desk(text, ranks=(), seats=0)
    does(session, "ask_for_seat", student="STU-01", course_section=SECTION, claim="other")
    does(session, "ask_for_seat", student="STU-01", course_section="SEC-02", claim="other")
    assert position(session, FIRST) == 1
    assert refuses(session, "offer_seat", entry=SECOND) == "NOT_FOUND"


# wrong uses


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("who: student\n", "whom: student\n", "`whom` is not known here"),
        ("      place: course_section\n", "", "`place` is needed"),
        ("default: 48", "usual: 48", "window: `window` needs a `default`"),
        ("default: 48", "default: 0", "window.default: Input should be greater than or equal to 1"),
        ("{remark: text?}", "{status: text?}", "fields: `status` is the pattern's own"),
        ("{remark: text?}", "{student: text?}", "fields: `student` is the pattern's own"),
        (
            "to: lapsed",
            "to: gone",
            "moves.withdraw_offer.0.to: Input should be 'offered', 'taken', 'lapsed', 'left' or 'waiting'",
        ),
        (", priority: claim", "", "joins: `ask_for_seat` needs a `priority`"),
        (
            "      priority: [graduating, major, other]\n",
            "",
            "joins: `ask_for_seat` has a `priority`, and there are no words",
        ),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- waiting_list:"), "use[0].waiting_list")
    assert found.hint.startswith(
        "parameters: in, entry, key, who, place, priority, fields, called, eligible, eligible_says, free, window"
    )


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            "free: seats_left",
            "free: seats_lft",
            "`course_section` has no field `seats_lft` (did you mean `seats_left`?)",
        ),
        ("in_good_standing]", "in_good_stand]", "`student` has no field `in_good_stand`"),
        ("to: lapsed, entry: entry", "to: lapsed, entry: entri", "`entri`"),
        ("priority: claim", "priority: clame", "`clame`"),
        ("        withdraw_offer:", "        withdraw_ofer:", "no operation `withdraw_ofer` to extend"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(BODY + USE.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- waiting_list:") for f in found)
