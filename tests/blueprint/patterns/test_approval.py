"""Approval: limits bind to the cent, absences to the day, and the delegate decides within a limit of their own."""

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
  - approval:
      in: erp
      document: requisition
      named: request
      amount: total
      decider: employee
      decision: approval
      key: APR-#####
      free: {default: 50, strict: 0}
"""

BODY = """
blueprint: requests
title: Requests
now: 2025-03-12T09:00:00Z
systems: {erp: the books}
actor: {entity: employee, role: role}
roles: {asker: asks, boss: decides, deputy: stands in}
entities:
  employee:
    in: erp
    key: EMP-##
    rows: 3
    fields:
      name: person
      role: one of asker, boss, deputy
      approval_limit: money
      away_from: date?
      away_until: date?
      delegate: employee? as stands_in_for
  requisition: {in: erp, key: REQ-####, fields: {asked_by: employee as requisitions, total: money}}
operations:
  ask:
    in: erp
    says: Put a request on somebody's desk.
    by: asker
    takes: {total: {type: money, min: 0.01}, approver: employee}
    does:
      - obey: [approver_away]
      - {add: requisition, with: {asked_by: actor, total: total}, as: request}
      - add: approval
        with: {request: request, asked: approver, asked_at: now, amount: total}
        as: a
    gives: a
  ask_whoever_decides:
    in: erp
    says: The same, with whoever decides for that person today.
    by: asker
    takes: {total: money, who: employee}
    does: [{run: ask, with: {total: total, approver: decider_now(who)}, as: a}]
    gives: a
  approve:
    in: erp
    says: Say yes, as the one who acts.
    by: [boss, deputy]
    takes: {approval: approval}
    does:
      - let: {request: approval.request}
      - obey: {approval_limit: {request: request, approver: actor}}
      - set: {approval.outcome: approved, approval.decided_by: actor, approval.decided_at: now}
    gives: approval
  withdraw:
    in: erp
    says: Take the question back.
    by: asker
    takes: {approval: approval}
    does: [{set: {approval.outcome: withdrawn}}]
    gives: approval
  look_at:
    in: erp
    says: What the terms say of somebody.
    by: anyone
    takes: {who: employee}
    gives: {away: is_away(who), decides: decider_now(who).id, waiting: open_decisions(who)}
"""

TEXT = BODY + USE
ASKER, BOSS, DEPUTY = "EMP-01", "EMP-02", "EMP-03"
AWAY: dict[str, Any] = {"away_from": "2025-03-10", "away_until": "2025-03-14"}


def office(text: str = TEXT, role: str = "asker", deputy: dict[str, Any] | None = None, **boss: Any) -> Session:
    """An asker, a boss with a limit of 1,000, a deputy with one of 200 who stands in, and questions put to the boss."""
    world = SmallWorld(text)
    world.given("employee", role="asker", approval_limit=0)
    world.given("employee", **{"role": "boss", "approval_limit": 1000_00, "delegate": DEPUTY, **boss})
    world.given("employee", **{"role": "deputy", "approval_limit": 200_00, **(deputy or {})})
    for total in (50_00, 50_01, 200_00, 200_01, 1000_00, 1000_01):
        request = world.given("requisition", asked_by=ASKER, total=total)
        world.given("approval", request=request, asked=BOSS, amount=total)
    return world.opens(role)


def question(total: str) -> str:
    return f"APR-0000{('50.00', '50.01', '200.00', '200.01', '1000.00', '1000.01').index(total) + 1}"


def on(day: str) -> str:
    return TEXT.replace("now: 2025-03-12", f"now: {day}")


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "approval") == {
        "entities": {"approval"},
        "terms": {"is_away", "decider_now", "open_decisions"},
        "policies": {"approval_limit", "approver_away"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    load_text(BODY + example("approval")[0])


def test_it_works_on_a_grown_world() -> None:
    desk = grown(TEXT, "asker")
    assert does(desk, "look_at", who=BOSS)["waiting"] == 0


# limits


@pytest.mark.parametrize(("role", "covered", "over"), [("boss", "1000.00", "1000.01"), ("deputy", "200.00", "200.01")])
def test_everybody_decides_up_to_their_own_limit(role: str, covered: str, over: str) -> None:
    desk = office(role=role)
    assert refuses(desk, "approve", approval=question(over)) == "OVER_APPROVAL_LIMIT"
    assert does(desk, "approve", approval=question(covered))["outcome"] == "approved"


def test_a_delegate_does_not_inherit_the_limit() -> None:
    desk = office(role="deputy", **AWAY)
    assert does(desk, "look_at", who=BOSS)["decides"] == DEPUTY
    assert refuses(desk, "approve", approval=question("1000.00")) == "OVER_APPROVAL_LIMIT"
    found = does(desk, "approve", approval=question("200.00"))
    assert (found["asked"], found["decided_by"]) == (BOSS, DEPUTY)


def test_small_amounts_need_no_limit() -> None:
    desk = office(role="boss", approval_limit=0)
    does(desk, "approve", approval=question("50.00"))
    assert refuses(desk, "approve", approval=question("50.01")) == "OVER_APPROVAL_LIMIT"


def test_a_strict_variant_frees_nothing() -> None:
    desk = office(TEXT + "variant: {approval_limit: strict}\n", role="boss", approval_limit=49_99)
    assert refuses(desk, "approve", approval=question("50.00")) == "OVER_APPROVAL_LIMIT"


def test_a_rule_for_the_agent_is_noted_not_refused() -> None:
    text = TEXT + "      limit_enforced: agent\n      away_enforced: agent\n"
    desk = office(text, role="boss", **AWAY)
    does(desk, "approve", approval=question("1000.01"))
    assert desk.violations() == (("approval_limit", "approve", 1),)
    desk = office(text, **AWAY)
    does(desk, "ask", total=10, approver=BOSS)
    assert desk.violations() == (("approver_away", "ask", 1),)


# absences


@pytest.mark.parametrize(
    ("day", "away"),
    [("2025-03-09", False), ("2025-03-10", True), ("2025-03-14", True), ("2025-03-15", False)],
)
def test_away_from_the_first_to_the_last_day(day: str, away: bool) -> None:
    desk = office(on(day), **AWAY)
    found = does(desk, "look_at", who=BOSS)
    assert (found["away"], found["decides"]) == (away, DEPUTY if away else BOSS)
    if away:
        assert refuses(desk, "ask", total=10, approver=BOSS) == "APPROVER_AWAY"
    else:
        assert does(desk, "ask", total=10, approver=BOSS)["asked"] == BOSS
    assert does(desk, "ask_whoever_decides", total=10, who=BOSS)["asked"] == found["decides"]


@pytest.mark.parametrize(
    ("first", "last", "away"),
    [
        ("2025-03-12", "2025-03-12", True),
        ("2025-03-01", None, True),
        ("2025-03-13", None, False),
        (None, "2025-03-31", False),
        (None, None, False),
    ],
)
def test_an_absence_needs_a_first_day_but_no_last(first: str | None, last: str | None, away: bool) -> None:
    desk = office(away_from=first, away_until=last)
    assert does(desk, "look_at", who=BOSS)["away"] is away


def test_a_delegate_who_is_away_is_not_asked_either() -> None:
    desk = office(deputy=AWAY, **AWAY)
    assert refuses(desk, "ask_whoever_decides", total=10, who=BOSS) == "APPROVER_AWAY"


def test_nobody_decides_for_somebody_away_without_a_delegate() -> None:
    desk = office(delegate=None, **AWAY)
    assert does(desk, "look_at", who=BOSS) == {"away": True, "decides": None, "waiting": 6}
    assert refuses(desk, "ask_whoever_decides", total=10, who=BOSS) == "MISSING_VALUE"


# decisions


def test_only_open_decisions_wait() -> None:
    desk = office(role="boss")
    assert does(desk, "look_at", who=BOSS)["waiting"] == 6
    does(desk, "approve", approval=question("50.00"))
    assert does(desk, "look_at", who=BOSS)["waiting"] == 5
    assert does(desk, "look_at", who=DEPUTY)["waiting"] == 0


def test_a_decision_is_final() -> None:
    desk = office()
    does(desk, "withdraw", approval=question("50.00"))
    assert refuses(desk, "withdraw", approval=question("50.00")) == "INVALID_STATE"


# wrong uses


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("amount: total", "amont: total", "`amont` is not known here"),
        ("      document: requisition\n", "", "`document` is needed"),
        ("default: 50", "default: -1", "free.default: Input should be greater than or equal to 0"),
        ("default: 50", "default: 0.5", "free.default: Input should be a valid integer"),
        ("      free", "      away_enforced: nobody\n      free", "away_enforced: Input should be 'tool' or 'agent'"),
        ("named: request", "named: asked", "named: `asked` is the pattern's own"),
        ("named: request", "named: approver", "named: `approver` is the pattern's own"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- approval:"), "use[0].approval")
    assert found.hint.startswith(
        "parameters: in, document, named, amount, decider, limit, away_from, away_until, delegate"
    )


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("amount: total\n", "amount: totl\n", "`requisition` has no field `totl` (did you mean `total`?)"),
        ("decider: employee", "decider: requisition", "`requisition` has no field `away_from`"),
        ("default: 50", "usual: 50", "parameter `free` has no `default`"),
        (
            "  - approval:\n      in: erp",
            "  - approval:\n      in: epr",
            "no system is called `epr` (did you mean `erp`?)",
        ),
        ("      free", "      delegate: deputy\n      free", "`employee` has no field `deputy`"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- approval:") for f in found)


def test_a_blueprint_uses_it_once() -> None:
    again = USE.replace("\nuse:\n", "").replace("decision: approval", "decision: verdict").replace("APR", "VER")
    found = finding(TEXT + again)
    assert (found.path, found.message) == ("use[1].approval", "adds terms.is_away, which is there already")
    assert found.hint == "pattern `approval` added it further up"
