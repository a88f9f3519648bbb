"""The service clock: targets by kind, pauses that do not count, and what is late is settled only with a note."""

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

RUNS = """\
      runs:
        report_incident: [{does: start, case: made}]
        ask_back: [{does: pause, case: incident}]
        hear_back: [{does: resume, case: incident}]
        resolve: [{does: stop, case: incident, when: final}]
        reopen: [{does: start, case: incident}]
        escalate: [{does: note, case: incident}]
"""

HOURS = f"""
use:
  - service_clock:
      case: incident
      unit: hours
      by: priority
      targets: {{critical: 4, high: 24}}
      target: 72
{RUNS}      grace: {{default: 0, lenient: 8}}
"""

DAYS = f"""
use:
  - service_clock:
      case: incident
      target: 10
{RUNS}"""

BODY = """
blueprint: helpdesk
title: Helpdesk
now: 2025-03-12T09:00:00Z
holidays: [2025-03-10]
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {agent: works}
entities:
  clerk: {in: desk, key: CLK-##, rows: 1, fields: {name: person, role: one of agent}}
  incident: {in: desk, key: INC-##, rows: 2, fields: {priority: "one of critical, high, low"}}
operations:
  report_incident:
    in: desk
    says: Report.
    by: agent
    takes: {priority: "one of critical, high, low"}
    does: [{add: incident, with: {priority: priority}, as: made}]
    gives: made
  raise_priority:
    in: desk
    says: More pressing.
    by: agent
    takes: {incident: incident}
    does: [{set: {incident.priority: critical}}]
    gives: incident
  ask_back: {in: desk, says: Ask., by: agent, takes: {incident: incident}, gives: incident}
  hear_back: {in: desk, says: Hear., by: agent, takes: {incident: incident}, gives: incident}
  resolve: {in: desk, says: Done., by: agent, takes: {incident: incident, final: {type: bool, default: true}}, gives: incident}
  reopen: {in: desk, says: Again., by: agent, takes: {incident: incident}, gives: incident}
  escalate: {in: desk, says: Tell., by: agent, takes: {incident: incident}, gives: incident}
  look_at:
    in: desk
    says: What the terms say.
    by: agent
    takes: {incident: incident}
    gives:
      target: clock_target(incident)
      left: clock_left(incident)
      runs: clock_runs(incident)
      late: is_late(incident)
"""

TEXT = BODY + HOURS
FIELDS = ("clock_from", "paused_since", "paused_total", "clock_stopped", "late_noted", "due")


def desk(text: str = TEXT, **incident: Any) -> Session:
    """One incident, low unless said; its clock started at nine o'clock two days ago."""
    world = SmallWorld(text)
    world.given("clerk", role="agent")
    started = "2025-03-10T09:00:00Z" if "unit: hours" in text else "2025-03-07"
    world.given("incident", **{"priority": "low", "clock_from": started, "paused_total": 0, **incident})
    return world.opens("agent")


def act(session: Session, tool: str, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = does(session, tool, incident="INC-01", **arguments)
    return found


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "service_clock") == {
        "terms": {"clock_target", "clock_left", "clock_runs", "is_late"},
        "policies": {"late_explained"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    load_text(BODY + example("service_clock")[0])


def test_base_rows_have_no_clock_yet() -> None:
    session = grown(TEXT, "agent")
    assert [act(session, "ask_back")[field] for field in FIELDS] == [None, None, 0, None, None, None]
    assert act(session, "look_at") == {
        "target": act(session, "look_at")["target"],
        "left": None,
        "runs": False,
        "late": False,
    }
    act(session, "resolve")
    assert session.violations() == ()


# targets


@pytest.mark.parametrize(
    ("priority", "target", "due"),
    [
        ("critical", 4, "2025-03-12T13:00:00Z"),
        ("high", 24, "2025-03-13T09:00:00Z"),
        ("low", 72, "2025-03-15T09:00:00Z"),
    ],
)
def test_the_target_depends_on_the_kind(priority: str, target: int, due: str) -> None:
    session = desk()
    made = does(session, "report_incident", priority=priority)
    assert (made["clock_from"], made["due"]) == ("2025-03-12T09:00:00Z", due)
    assert does(session, "look_at", incident=made["id"])["target"] == target


def test_the_target_follows_the_kind() -> None:
    session = desk()
    assert act(session, "look_at") == {"target": 72, "left": 24, "runs": True, "late": False}
    assert act(session, "raise_priority")["due"] == "2025-03-10T13:00:00Z"
    assert act(session, "look_at") == {"target": 4, "left": -44, "runs": True, "late": True}


def test_business_days_leave_out_weekends_and_holidays() -> None:
    session = desk(BODY + DAYS)
    made = does(session, "report_incident", priority="low")
    assert (made["clock_from"], made["due"]) == ("2025-03-12", "2025-03-26")
    # From Friday the 7th: Monday the 10th is a holiday, so two days have passed.
    assert act(session, "look_at") == {"target": 10, "left": 8, "runs": True, "late": False}


@pytest.mark.parametrize(("clock_from", "late"), [("2025-03-09T09:00:00Z", False), ("2025-03-09T08:59:59Z", True)])
def test_late_begins_after_the_target(clock_from: str, late: bool) -> None:
    assert act(desk(clock_from=clock_from), "look_at")["late"] is late


# pauses


def test_a_pause_does_not_count() -> None:
    session = desk(paused_since="2025-03-11T03:00:00Z")
    assert act(session, "look_at") == {"target": 72, "left": 54, "runs": False, "late": False}
    found = act(session, "hear_back")
    assert (found["paused_since"], found["paused_total"], found["due"]) == (None, 30, "2025-03-14T15:00:00Z")
    assert act(session, "look_at") == {"target": 72, "left": 53, "runs": True, "late": False}


def test_pauses_add_up_in_business_days() -> None:
    session = desk(BODY + DAYS, paused_since="2025-03-07", paused_total=3)
    found = act(session, "hear_back")
    assert (found["paused_total"], found["due"]) == (5, "2025-03-31")


def test_what_is_paused_is_not_paused_again() -> None:
    session = desk()
    assert act(session, "ask_back")["paused_since"] == "2025-03-12T09:00:00Z"
    assert act(session, "ask_back")["paused_since"] == "2025-03-12T09:00:00Z"


def test_what_runs_is_not_resumed() -> None:
    found = act(desk(), "hear_back")
    assert (found["paused_since"], found["paused_total"]) == (None, 0)


def test_a_late_case_stays_late_while_it_is_paused() -> None:
    session = desk(clock_from="2025-03-01T09:00:00Z", paused_since="2025-03-05T09:00:00Z")
    assert act(session, "look_at") == {"target": 72, "left": -24, "runs": False, "late": True}


# the end


def test_a_clock_stops() -> None:
    session = desk()
    assert act(session, "resolve", final=False)["clock_stopped"] is None
    assert act(session, "resolve")["clock_stopped"] == "2025-03-12T09:00:00Z"
    assert act(session, "resolve")["clock_stopped"] == "2025-03-12T09:00:00Z"
    assert act(session, "ask_back")["paused_since"] is None
    assert act(session, "look_at")["runs"] is False


def test_a_pause_ends_with_the_clock() -> None:
    found = act(desk(paused_since="2025-03-11T09:00:00Z"), "resolve")
    assert [found[f] for f in ("paused_since", "paused_total", "clock_stopped")] == [None, 24, "2025-03-12T09:00:00Z"]


def test_after_the_end_nothing_becomes_late() -> None:
    session = desk(clock_from="2025-03-01T09:00:00Z", clock_stopped="2025-03-02T09:00:00Z")
    assert act(session, "look_at") == {"target": 72, "left": 48, "runs": False, "late": False}


def test_a_clock_starts_once_and_anew_after_its_end() -> None:
    session = desk(paused_total=5, late_noted="2025-03-11T09:00:00Z")
    assert refuses(session, "reopen", incident="INC-01") == "CLOCK_STARTED"
    act(session, "resolve")
    found = act(session, "reopen")
    assert [found[f] for f in FIELDS[:-1]] == ["2025-03-12T09:01:00Z", None, 0, None, None]


# what is late


def test_settling_late_without_a_note_breaks_the_handbook() -> None:
    session = desk(clock_from="2025-03-09T08:59:59Z")
    act(session, "resolve")
    assert session.violations() == (("late_explained", "resolve", 1),)


def test_a_note_makes_it_right() -> None:
    session = desk(clock_from="2025-03-01T09:00:00Z")
    assert act(session, "escalate")["late_noted"] == "2025-03-12T09:00:00Z"
    act(session, "resolve")
    assert session.violations() == ()


def test_only_settling_needs_the_note() -> None:
    session = desk(clock_from="2025-03-01T09:00:00Z")
    act(session, "resolve", final=False)
    act(session, "ask_back")
    assert session.violations() == ()


@pytest.mark.parametrize(
    ("clock_from", "code"), [("2025-03-09T01:00:00Z", ""), ("2025-03-09T00:59:59Z", "LATE_UNEXPLAINED")]
)
def test_the_tool_may_refuse_and_grace_may_be_given(clock_from: str, code: str) -> None:
    session = desk(TEXT + "      late_enforced: tool\nvariant: {late_explained: lenient}\n", clock_from=clock_from)
    if code:
        assert refuses(session, "resolve", incident="INC-01") == code
    else:
        act(session, "resolve")


def test_grace_in_business_days() -> None:
    text = BODY + DAYS + "      grace: {default: 2}\n      late_enforced: tool\n"
    # Ten days from the 20th or 21st of February end on the 6th or 7th of March; the 10th does not count.
    assert act(desk(text, clock_from="2025-02-21"), "resolve")["due"] == "2025-03-07"
    assert refuses(desk(text, clock_from="2025-02-20"), "resolve", incident="INC-01") == "LATE_UNEXPLAINED"


# wrong uses


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("target: 72", "targe: 72", "`targe` is not known here"),
        ("      target: 72\n", "", "`target` is needed"),
        ("      by: priority\n", "", "targets: `by` and `targets` go together"),
        ("critical: 4", "critical: 0", "targets.critical: Input should be greater than or equal to 1"),
        ("default: 0", "usual: 0", "grace: `grace` needs a `default`"),
        (
            "does: note",
            "does: tell",
            "runs.escalate.0.does: Input should be 'start', 'pause', 'resume', 'stop' or 'note'",
        ),
        ("unit: hours", "unit: weeks", "unit: Input should be 'business_days' or 'hours'"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- service_clock:"), "use[0].service_clock")
    assert found.hint == "parameters: case, unit, target, by, targets, runs, grace, late_enforced"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("by: priority", "by: priorty", "priorty"),
        ("case: incident\n", "case: incidnt\n", "no entity `incidnt` to extend"),
        ("does: stop, case: incident", "does: stop, case: ticket", "`ticket`"),
        ("        escalate:", "        escalat:", "no operation `escalat` to extend"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(BODY + HOURS.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- service_clock:") for f in found)
