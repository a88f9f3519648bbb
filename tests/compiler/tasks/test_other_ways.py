"""What can be done by giving a record that the usual way leaves out is no request to refuse."""

from __future__ import annotations

import pytest

from worldwright.blueprint.load import load_text
from worldwright.core.memo import Memo
from worldwright.kinds.database.builder import start_draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES, run_stages

WORLD = """
blueprint: ferry_desk
title: Ferry desk
now: 2025-06-16T09:00:00Z
systems: {desk: the ferry desk}
actor: {entity: agent, role: role}
roles: {clerk: moves trips}
entities:
  agent: {in: desk, key: AG-##, rows: 4, called: "{name}", fields: {name: person, role: one of clerk}}
  boat: {in: desk, key: BT-##, rows: 6, called: "the boat {name}", fields: {name: company, big: bool ~ BIG}}
  trip:
    in: desk
    key: TR-###
    rows: 40
    called: "{name}'s trip"
    fields: {name: person, heavy: bool ~ chance(0.5), moved_on: date?, boat: boat? as trips}
operations:
  find_trips: {in: desk, says: Search trips., by: anyone, search: trip, filters: [name], sort: [id], page: 50}
  find_boats: {in: desk, says: Search boats., by: anyone, search: boat, filters: [name, big], sort: [id], page: 50}
  get_trip: {in: desk, says: One trip., by: anyone, get: trip}
  move_trip:
    in: desk
    says: Move a trip to tomorrow, on another boat where the usual one is too small.
    by: anyone
    takes: {trip: trip, boat: boat?}
    does:
      - require: trip.moved_on is none
        else: MOVED
        says: It was moved.
      - obey: boat_is_big
      - set: {trip.moved_on: today, trip.boat: boat}
    gives: trip
policies:
  boat_is_big:
    about: {trip: trip, boat: boat}
    when: trip.heavy
    rule: boat is not none and boat.big
    says: A heavy trip is moved only on a big boat.
    enforced: agent
    cases:
      - allowed: {trip.heavy: true, boat.big: true}
      - forbidden: {trip.heavy: true, boat.big: false}
      - allowed: {trip.heavy: false, boat.big: false}
goals:
  move_it:
    by: clerk
    given: {t: trip where moved_on is none}
    wants: t.moved_on == today
    how: [{do: move_trip, with: {trip: t}}]
    asks: ["move {t} to tomorrow", "{t} has to go tomorrow", "please put {t} off by a day"]
"""


def list_outcomes(big: str) -> set[str]:
    """What the keys of the world say, before the battery or the referee has seen them."""
    checked = load_text(WORLD.replace("BIG", big), "ferry_desk.yaml")
    for _, draft in run_stages(COMPILE_STAGES, start_draft(checked, 7, Memo())):  # noqa: B007  the last one is wanted
        pass
    assert draft.made is not None
    return {key.expects["outcome"] for _, key in draft.made.tasks}


@pytest.mark.parametrize(("big", "refused"), [("false", True), ("chance(0.5)", False)])
def test_a_request_is_refused_only_where_no_record_left_out_makes_it_right(big: str, refused: bool) -> None:
    outcomes = list_outcomes(big)
    assert "done" in outcomes
    assert ("refused" in outcomes) == refused


TICKETS = """
blueprint: ticket_desk
title: Ticket desk
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: agent, role: role}
roles: {clerk: answers}
entities:
  agent: {in: desk, key: AG-##, rows: 4, called: "{name}", fields: {name: person, role: one of clerk}}
  ticket:
    in: desk
    key: TK-###
    rows: 40
    called: "{name}'s ticket"
    fields: {name: person, deleted: bool ~ chance(0.5), status: "one of closed, open ~ 'closed'"}
operations:
  find_tickets: {in: desk, says: Search tickets., by: anyone, search: ticket, filters: [], sort: [id], page: 10}
  restore:
    {in: desk, says: Restore a ticket., by: anyone, takes: {ticket: ticket},
     does: [{obey: only_deleted}, {set: {ticket.deleted: false}}], gives: ticket}
  reopen:
    {in: desk, says: Open a ticket again., by: anyone, takes: {ticket: ticket},
     does: [{set: {ticket.status: open}}], gives: ticket}
policies:
  only_deleted:
    about: {ticket: ticket}
    rule: ticket.deleted
    says: Only a ticket that was deleted is restored.
    enforced: agent
    cases:
      - allowed: {ticket.deleted: true}
      - forbidden: {ticket.deleted: false}
goals:
  bring_back:
    by: clerk
    given: {t: ticket}
    wants: not t.deleted and t.status == 'open'
    how: [{do: restore, with: {ticket: t}}, {do: reopen, with: {ticket: t}}]
    asks: ["restore {t} and open it", "bring {t} back as an open one"]
"""


def test_nor_is_it_where_a_step_can_be_left_out() -> None:
    """The ticket was never deleted: opening it does all that is wanted."""
    checked = load_text(TICKETS, "ticket_desk.yaml")
    for _, draft in run_stages(COMPILE_STAGES, start_draft(checked, 7, Memo())):  # noqa: B007  the last one is wanted
        pass
    assert draft.made is not None
    assert {key.expects["outcome"] for _, key in draft.made.tasks} == {"done"}
