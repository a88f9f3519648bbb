"""A step that is left out names nothing: whatever later steps read of it is none, in history and on the way to a goal."""

from __future__ import annotations

import sqlite3

import pytest
from tests.shared_builds import build

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compile.state.history import Past
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.store.open import world_of

WORLD = """
blueprint: helpdesk
title: Helpdesk
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {agent: works, boss: decides}
entities:
  clerk: {in: desk, key: CLK-##, rows: 4, called: "{name}", fields: {name: person, role: "one of agent, boss"}}
  ticket:
    in: desk
    key: TCK-####
    called: the ticket {code}
    rows: 12
    fields: {code: text ~ letters(6), urgent: bool ~ chance(0.5), days: int ~ 0, closed: bool ~ false}
  alarm: {in: desk, key: ALM-####, fields: {ticket: ticket as alarms, raised_by: clerk, days: int, answered: bool}}
operations:
  find_tickets: {in: desk, says: Search., by: anyone, search: ticket, filters: [code, urgent, closed], sort: [code]}
  get_ticket: {in: desk, says: One., by: anyone, get: ticket, with: [alarms]}
  open_ticket:
    in: desk
    says: Open.
    by: [agent, boss]
    takes: {urgent: bool}
    does: [{add: ticket, with: {code: "'T'", urgent: urgent}, as: made}]
    gives: made
  raise_alarm:
    in: desk
    says: Alarm.
    by: [agent, boss]
    takes: {ticket: ticket}
    does: [{add: alarm, with: {ticket: ticket, raised_by: actor, days: 3}, as: made}]
    gives: made
  answer_alarm:
    in: desk
    says: Answer.
    by: [agent, boss]
    takes: {alarm: alarm}
    does: [set: {alarm.answered: true}]
    gives: alarm
  note_days:
    in: desk
    says: How long it took.
    by: [agent, boss]
    takes: {ticket: ticket, days: int?}
    does: [{set: {ticket.days: "coalesce(days, 99)"}}]
    gives: ticket
  count_alarms:
    in: desk
    says: How many there were.
    by: [agent, boss]
    takes: {ticket: ticket, alarms: {list: alarm, min: 0, max: 5}}
    does: [{set: {ticket.days: 3 * count(a for a in alarms)}}]
    gives: ticket
  close_ticket:
    in: desk
    says: Close.
    by: [agent, boss]
    takes: {ticket: ticket}
    does: [set: {ticket.closed: true}]
    gives: ticket
"""

FLOW = """
history:
  spans: 120 days
  flows:
    tickets:
      per_week: 10
      steps:
        - {do: open_ticket, with: {urgent: chance(0.5)}, as: t}
        - {do: raise_alarm, if: t.urgent, with: {ticket: t}, as: a}
        - %s
        - {do: close_ticket, with: {ticket: t}}
"""


def grown(step: str) -> tuple[Past, list[tuple[int, int, int]]]:
    """What happened, and the (urgent, days, closed) of every ticket that history opened."""
    state = grow_state(compile_blueprint(WORLD + FLOW % step), 7)
    conn = sqlite3.connect(":memory:")
    conn.deserialize(state.data)
    found = conn.execute("SELECT urgent, days, closed FROM ticket WHERE code = 'T'").fetchall()
    conn.close()
    return state.past, found


@pytest.mark.parametrize(
    ("step", "without"),
    [
        ("{do: note_days, after: a.days, with: {ticket: t, days: a.days}}", 99),
        ("{do: note_days, after: 'between(a.days, 5)', with: {ticket: t, days: a.days}}", 99),
        ("{do: note_days, with: {ticket: t, days: count(x for x in alarm if x == a) * a.days}}", 99),
        ("{do: count_alarms, with: {ticket: t, alarms: listed(x for x in a.ticket.alarms)}}", 0),
    ],
)
def test_a_dot_on_it_is_none(step: str, without: int) -> None:
    _, tickets = grown(step)
    assert {(urgent, days) for urgent, days, closed in tickets if closed} == {(1, 3), (0, without)}


def test_a_condition_on_it_may_ask_whether_it_is_there() -> None:
    _, tickets = grown("{do: note_days, if: a is none, with: {ticket: t, days: 7}}")
    assert {(urgent, days) for urgent, days, closed in tickets if closed} == {(1, 0), (0, 7)}


def test_a_condition_that_reads_it_is_false() -> None:
    _, tickets = grown("{do: note_days, if: a.days < 5, with: {ticket: t, days: 7}}")
    assert {(urgent, days) for urgent, days, closed in tickets if closed} == {(1, 7), (0, 0)}


@pytest.mark.parametrize(
    ("step", "refused"),
    [
        ("{do: answer_alarm, with: {alarm: a}}", "answer_alarm NO_CANDIDATE"),
        ("{do: note_days, by: a.raised_by, with: {ticket: t}}", "note_days NO_ACTOR"),
    ],
)
def test_a_step_that_cannot_do_without_it_ends_the_flow(step: str, refused: str) -> None:
    past, tickets = grown(step)
    assert past.refused[refused] > 0
    assert {urgent for urgent, _, closed in tickets if closed} == {1}
    assert {urgent for urgent, _, closed in tickets if not closed} == {0, 1}


GOAL = """
goals:
  settle:
    given: {x: ticket where not closed}
    wants: x.closed and x.days == (3 if x.urgent else 99)
    how:
      - {do: raise_alarm, if: x.urgent, with: {ticket: x}, as: a}
      - {do: note_days, with: {ticket: x, days: a.days}}
      - {do: close_ticket, if: a is none or not a.answered, with: {ticket: x}}
    asks: ["please settle {x}: three days where it is urgent, with an alarm, and 99 otherwise"]
"""


def test_on_the_way_to_a_goal_too() -> None:
    world = world_of(build(load_text(WORLD + GOAL), 7).pack)
    writes = [[call.tool for call in world.key(task.id).calls if call.tool != "find_tickets"] for task in world.tasks]
    assert ["note_days", "close_ticket"] in writes
