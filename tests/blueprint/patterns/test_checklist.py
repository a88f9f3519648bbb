"""The checklist: what a kind of case needs is laid out, settled or waived by those who may, and nothing moves before."""

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
  - checklist:
      in: desk
      case: tenancy
      item: move_in_item
      staff: clerk
      by: kind
      needs: {signed_lease: always, deposit: always, guarantor: [student], pet_addendum: [family, student]}
      fields: {remark: text?}
      acts:
        open_tenancy: [{does: lay_out, row: made}]
        tick_off: [{does: settle, row: item}]
        let_off: [{does: waive, row: item}]
        hand_over_keys: [{does: move, row: tenancy, when: not tenancy.in_court}]
      waived_by: [manager]
      asked_by: opened_by
"""

BODY = """
blueprint: lettings
title: Lettings
now: 2025-03-12T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {agent: lets, manager: lets off}
entities:
  clerk: {in: desk, key: CLK-##, rows: 2, fields: {name: person, role: "one of agent, manager"}}
  tenancy:
    in: desk
    key: TEN-##
    fields: {kind: "one of single, family, student", opened_by: clerk as tenancies, in_court: bool, begun: bool}
operations:
  open_tenancy:
    in: desk
    says: Open.
    by: anyone
    takes: {kind: "one of single, family, student"}
    does: [{add: tenancy, with: {kind: kind, opened_by: actor}, as: made}]
    gives: made
  tick_off: {in: desk, says: Done., by: anyone, takes: {item: move_in_item}, gives: item}
  let_off: {in: desk, says: Waive., by: anyone, takes: {item: move_in_item}, gives: item}
  hand_over_keys:
    in: desk
    says: Begin.
    by: anyone
    takes: {tenancy: tenancy}
    does: [{set: {tenancy.begun: true}}]
    gives: tenancy
  look_at:
    in: desk
    says: What the terms say.
    by: anyone
    takes: {tenancy: tenancy}
    gives:
      missing: still_missing(tenancy)
      lease: is_settled(tenancy, 'signed_lease')
      pets: is_settled(tenancy, 'pet_addendum')
  get_tenancy: {in: desk, says: One., by: anyone, get: tenancy, with: [move_in_items]}
"""

TEXT = BODY + USE
AGENT, MANAGER = "CLK-01", "CLK-02"
TENANCY = "TEN-01"
LEASE, DEPOSIT = "CHK-000001", "CHK-000002"


def desk(role: str, text: str = TEXT, opened_by: str = AGENT, lease: str = "open", **tenancy: Any) -> Session:
    """An agent, a manager, and a tenancy that somebody opened, with a lease in that state and an open deposit."""
    world = SmallWorld(text)
    world.given("clerk", role="agent")
    world.given("clerk", role="manager")
    world.given("tenancy", **{"kind": "single", "opened_by": opened_by, "in_court": 0, "begun": 0, **tenancy})
    world.given("move_in_item", tenancy=TENANCY, what="signed_lease", status=lease)
    world.given("move_in_item", tenancy=TENANCY, what="deposit")
    return world.opens(role)


def laid_out(session: Session, kind: str) -> dict[str, str]:
    made = does(session, "open_tenancy", kind=kind)
    return {i["what"]: i["status"] for i in does(session, "get_tenancy", tenancy=made["id"])["move_in_items"]}


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "checklist") == {
        "entities": {"move_in_item"},
        "terms": {"still_missing", "is_settled"},
        "policies": {"all_settled", "waiver_right", "not_own_waiver"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    load_text(BODY + example("checklist")[0])


@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        ("single", {"signed_lease", "deposit"}),
        ("family", {"signed_lease", "deposit", "pet_addendum"}),
        ("student", {"signed_lease", "deposit", "guarantor", "pet_addendum"}),
    ],
)
def test_the_kind_decides_what_is_needed(kind: str, needed: set[str]) -> None:
    assert laid_out(grown(TEXT, "agent"), kind) == dict.fromkeys(needed, "open")


def test_without_kinds_everything_is_needed() -> None:
    text = (
        TEXT.replace("      by: kind\n", "").replace("[student],", "always,").replace("[family, student]}", "always}")
    )
    assert len(laid_out(grown(text, "agent"), "single")) == 4


# settling


def test_what_is_settled_keeps_who_and_when() -> None:
    session = desk("agent")
    found = does(session, "tick_off", item=LEASE)
    assert [found[f] for f in ("status", "settled_by", "settled_on")] == ["done", AGENT, "2025-03-12"]
    session = desk("manager")
    found = does(session, "let_off", item=LEASE)
    assert [found[f] for f in ("status", "settled_by", "settled_on")] == ["waived", MANAGER, "2025-03-12"]


@pytest.mark.parametrize("status", ["done", "waived"])
def test_an_item_is_settled_once(status: str) -> None:
    session = desk("manager", lease=status)
    assert refuses(session, "tick_off", item=LEASE) == "ITEM_SETTLED"
    assert refuses(session, "let_off", item=LEASE) == "ITEM_SETTLED"


def test_what_is_missing_is_counted() -> None:
    session = desk("manager")
    assert does(session, "look_at", tenancy=TENANCY) == {"missing": 2, "lease": False, "pets": False}
    does(session, "let_off", item=LEASE)
    assert does(session, "look_at", tenancy=TENANCY) == {"missing": 1, "lease": True, "pets": False}
    does(session, "tick_off", item=DEPOSIT)
    assert does(session, "look_at", tenancy=TENANCY)["missing"] == 0


# moving on


def test_nothing_moves_before_everything_is_settled() -> None:
    session = desk("manager", lease="done")
    assert refuses(session, "hand_over_keys", tenancy=TENANCY) == "ITEMS_MISSING"
    does(session, "let_off", item=DEPOSIT)
    assert does(session, "hand_over_keys", tenancy=TENANCY)["begun"] is True


def test_the_agent_may_have_to_keep_it() -> None:
    session = desk("agent", TEXT + "      settled_enforced: agent\n")
    does(session, "hand_over_keys", tenancy=TENANCY)
    assert session.violations() == (("all_settled", "hand_over_keys", 1),)


def test_a_move_may_depend_on_something() -> None:
    does(desk("agent", in_court=1), "hand_over_keys", tenancy=TENANCY)


# waivers


def test_only_those_roles_waive() -> None:
    session = desk("agent", opened_by=MANAGER)
    does(session, "let_off", item=LEASE)
    assert session.violations() == (("waiver_right", "let_off", 1),)
    session = desk("manager", opened_by=AGENT)
    does(session, "let_off", item=LEASE)
    assert session.violations() == ()


def test_nobody_waives_for_themselves() -> None:
    session = desk("manager", opened_by=MANAGER)
    does(session, "let_off", item=LEASE)
    assert session.violations() == (("not_own_waiver", "let_off", 1),)


def test_settling_needs_no_right() -> None:
    session = desk("agent")
    does(session, "tick_off", item=LEASE)
    assert session.violations() == ()


def test_the_tool_may_refuse_a_waiver() -> None:
    text = TEXT + "      waiver_enforced: tool\n"
    assert refuses(desk("agent", text, MANAGER), "let_off", item=LEASE) == "MAY_NOT_WAIVE"
    assert refuses(desk("manager", text, MANAGER), "let_off", item=LEASE) == "OWN_CASE"


def test_without_rules_for_it_anybody_waives() -> None:
    text = TEXT.replace("      waived_by: [manager]\n      asked_by: opened_by\n", "")
    assert from_pattern(text, "checklist")["policies"] == {"all_settled"}
    session = desk("agent", text)
    does(session, "let_off", item=LEASE)
    assert session.violations() == ()


# wrong uses


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("case: tenancy", "cases: tenancy", "`cases` is not known here"),
        ("      staff: clerk\n", "", "`staff` is needed"),
        ("      by: kind\n", "", "needs: where something is not needed always, `by` names the field that decides"),
        ("deposit: always", "deposit: sometimes", "needs.deposit"),
        ("{remark: text?}", "{status: text?}", "fields: `status` is the pattern's own"),
        ("{remark: text?}", "{tenancy: text?}", "fields: `tenancy` is the pattern's own"),
        (
            "does: move",
            "does: go",
            "acts.hand_over_keys.0.does: Input should be 'lay_out', 'settle', 'waive' or 'move'",
        ),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- checklist:"), "use[0].checklist")
    assert found.hint.startswith(
        "parameters: in, case, item, key, staff, role, by, needs, fields, called, acts, waived_by, asked_by"
    )


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("[student],", "[studnt],", "studnt"),
        ("by: kind", "by: kint", "`tenancy` has no field `kint`"),
        ("row: made", "row: mad", "`mad`"),
        ("asked_by: opened_by", "asked_by: opend_by", "`tenancy` has no field `opend_by`"),
        ("[manager]", "[manger]", "manger"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(BODY + USE.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- checklist:") for f in found)
