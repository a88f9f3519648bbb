"""The inbox: a ticket is opened, assigned, answered and closed, by those who may, and never touched again."""

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
  - inbox: {in: crm, staff: staff, customer: customer, about: {order: order}, by: [agent, supervisor], from: system}
"""

BODY = """
blueprint: helpdesk
title: Helpdesk
now: 2025-06-16T09:00:00Z
systems: {crm: the inbox}
actor: {entity: staff, role: role}
roles: {agent: answers, supervisor: answers too, system: takes mail in, packer: packs}
entities:
  staff: {in: crm, key: STF-##, rows: 4, fields: {name: person, role: "one of agent, supervisor, system, packer"}}
  customer: {in: crm, key: CUS-##, rows: 2, fields: {name: person}}
  order: {in: crm, key: ORD-##, rows: 2, fields: {customer: customer as orders}}
operations:
  customer_wrote_again:
    in: crm
    says: The other side has answered.
    by: system
    takes: {ticket: ticket}
    does: [{set: {ticket.status: open}}]
    gives: ticket
"""

PAST = """
history:
  spans: 30 days
  flows:
    mail:
      per_week: 5
      steps:
        - do: open_ticket
          by: system
          with: {customer: any(c for c in customer), subject: "'Late'", body: digits(6)}
          as: t
        - {do: reply_to_ticket, by: agent, after: 1, chance: 60%, with: {ticket: t, body: "'Tomorrow.'"}}
        - {do: close_ticket, by: agent, after: 1, with: {ticket: t}}
"""

TEXT = BODY + USE
AGENT, SUPERVISOR, SYSTEM, PACKER = (f"STF-0{i}" for i in range(1, 5))
MAIL = {"customer": "CUS-01", "subject": "Late", "body": "Has it been sent at all?"}
TICKET = "TCK-00001"


def desk(role: str, text: str = TEXT, **ticket: Any) -> Session:
    """One of each role, a customer with an order, and a ticket."""
    world = SmallWorld(text)
    for name in ("agent", "supervisor", "system", "packer"):
        world.given("staff", role=name)
    world.given("customer")
    world.given("order", customer="CUS-01")
    world.given("ticket", customer="CUS-01", subject="Late", body="Where is it?", **ticket)
    return world.opens(role)


def ticket(session: Session, key: str = TICKET) -> dict[str, Any]:
    found: dict[str, Any] = does(session, "get_ticket", ticket=key)
    return found


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "inbox") == {
        "entities": {"ticket", "ticket_reply"},
        "policies": {"answered_first"},
        "operations": {"find_tickets", "get_ticket", "open_ticket", "assign_ticket", "reply_to_ticket", "close_ticket"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    load_text(BODY + example("inbox")[0])


def test_a_message_becomes_an_open_ticket() -> None:
    system = desk("system")
    made = does(system, "open_ticket", **MAIL, order="ORD-01")
    assert made == {
        "id": "TCK-00002",
        **MAIL,
        "order": "ORD-01",
        "assignee": None,
        "opened_at": "2025-06-16T09:00:00Z",
        "closed_at": None,
        "status": "open",
    }
    assert does(system, "open_ticket", **{**MAIL, "body": "Another matter."})["order"] is None


def test_the_same_message_is_not_entered_twice_while_it_is_open() -> None:
    system = desk("system")
    does(system, "open_ticket", **MAIL)
    assert refuses(system, "open_ticket", **MAIL) == "ALREADY_OPEN"
    does(system, "open_ticket", **{**MAIL, "subject": "Something else"})


def test_messages_have_to_say_something() -> None:
    system = desk("system")
    assert refuses(system, "open_ticket", **{**MAIL, "body": ""}) == "INVALID_ARGUMENT"
    assert refuses(system, "open_ticket", **{**MAIL, "subject": "x" * 201}) == "INVALID_ARGUMENT"
    does(system, "open_ticket", **{**MAIL, "subject": "x" * 200, "body": "y" * 4000})
    assert refuses(system, "open_ticket", **{**MAIL, "customer": "CUS-09"}) == "NOT_FOUND"


@pytest.mark.parametrize(
    ("tool", "arguments", "allowed"),
    [
        ("open_ticket", MAIL, {"system"}),
        ("assign_ticket", {"ticket": TICKET, "assignee": AGENT}, {"agent", "supervisor"}),
        ("reply_to_ticket", {"ticket": TICKET, "body": "Tomorrow."}, {"agent", "supervisor"}),
        ("close_ticket", {"ticket": TICKET}, {"agent", "supervisor"}),
        ("find_tickets", {}, {"agent", "supervisor", "system", "packer"}),
    ],
)
def test_who_may_do_what(tool: str, arguments: dict[str, Any], allowed: set[str]) -> None:
    for role in ("agent", "supervisor", "system", "packer"):
        if role in allowed:
            does(desk(role), tool, **arguments)
        else:
            assert refuses(desk(role), tool, **arguments) == "FORBIDDEN"


def test_without_from_the_desk_enters_tickets() -> None:
    text = TEXT.replace(", from: system", "")
    does(desk("agent", text), "open_ticket", **MAIL)
    assert refuses(desk("system", text), "open_ticket", **MAIL) == "FORBIDDEN"


def test_a_ticket_goes_to_the_desk_only() -> None:
    agent = desk("agent")
    for outsider in (SYSTEM, PACKER):
        assert refuses(agent, "assign_ticket", ticket=TICKET, assignee=outsider) == "NOT_ON_DESK"
    assert does(agent, "assign_ticket", ticket=TICKET, assignee=SUPERVISOR)["assignee"] == SUPERVISOR
    assert does(agent, "assign_ticket", ticket=TICKET, assignee=AGENT)["assignee"] == AGENT
    assert ticket(agent)["status"] == "open"


def test_who_answers_first_takes_the_ticket() -> None:
    agent = desk("agent")
    answer = does(agent, "reply_to_ticket", ticket=TICKET, body="Tomorrow.")
    assert (answer["author"], answer["body"], answer["sent_at"]) == (AGENT, "Tomorrow.", "2025-06-16T09:00:00Z")
    found = ticket(agent)
    assert (found["assignee"], found["status"], found["closed_at"]) == (AGENT, "waiting", None)
    assert [r["id"] for r in found["replies"]] == [answer["id"]]


def test_an_answer_does_not_take_a_ticket_from_somebody() -> None:
    agent = desk("agent", assignee=SUPERVISOR)
    does(agent, "reply_to_ticket", ticket=TICKET, body="Tomorrow.")
    does(agent, "reply_to_ticket", ticket=TICKET, body="Or the day after.")
    found = ticket(agent)
    assert (found["assignee"], found["status"], len(found["replies"])) == (SUPERVISOR, "waiting", 2)


def test_a_ticket_can_open_again_while_it_waits() -> None:
    system = desk("system", status="waiting")
    assert does(system, "customer_wrote_again", ticket=TICKET)["status"] == "open"
    system = desk("system", status="closed")
    assert refuses(system, "customer_wrote_again", ticket=TICKET) == "INVALID_STATE"


def test_a_ticket_is_closed_once_answered() -> None:
    agent = desk("agent")
    does(agent, "reply_to_ticket", ticket=TICKET, body="Tomorrow.")
    closed = does(agent, "close_ticket", ticket=TICKET)
    assert (closed["status"], closed["closed_at"]) == ("closed", "2025-06-16T09:01:00Z")
    assert agent.violations() == ()


def test_closing_unanswered_breaks_the_handbook() -> None:
    agent = desk("agent")
    assert does(agent, "close_ticket", ticket=TICKET)["status"] == "closed"
    assert agent.violations() == (("answered_first", "close_ticket", 1),)


def test_a_closed_ticket_is_left_alone() -> None:
    agent = desk("agent", status="closed")
    assert refuses(agent, "close_ticket", ticket=TICKET) == "TICKET_CLOSED"
    assert refuses(agent, "reply_to_ticket", ticket=TICKET, body="Oh.") == "TICKET_CLOSED"
    assert refuses(agent, "assign_ticket", ticket=TICKET, assignee=AGENT) == "TICKET_CLOSED"


def test_the_inbox_is_searched_oldest_first() -> None:
    system = desk("system")
    does(system, "open_ticket", **{**MAIL, "subject": "Newer"}, order="ORD-01")
    does(system, "open_ticket", **{**MAIL, "subject": "Newest"})
    assert [t["subject"] for t in does(system, "find_tickets")["items"]] == ["Late", "Newer", "Newest"]
    assert [t["subject"] for t in does(system, "find_tickets", order="ORD-01")["items"]] == ["Newer"]
    assert does(system, "find_tickets", status="closed")["total"] == 0


def test_a_ticket_is_read_with_everything_about_it() -> None:
    found = ticket(desk("agent", order="ORD-01"))
    assert (found["customer"]["id"], found["order"]["id"], found["replies"]) == ("CUS-01", "ORD-01", [])


def test_the_past_fills_the_inbox() -> None:
    agent = grown(TEXT + PAST, "agent")
    tickets = does(agent, "find_tickets", limit=50)["items"]
    assert {t["status"] for t in tickets} >= {"open", "closed"}
    for t in tickets:
        assert t["status"] == "open" or ticket(agent, t["id"])["replies"]


def test_the_sender_can_have_another_name() -> None:
    text = TEXT.replace("customer: customer, about", "customer: customer, sender: writer, about")
    system = grown(text, "system")
    assert does(system, "open_ticket", writer="CUS-01", subject="Late", body="Well?")["writer"] == "CUS-01"


def test_a_ticket_about_another_customer_has_its_own_way_back() -> None:
    ways = load_text(TEXT.replace("{order: order}", "{friend: customer}")).schema.entities["customer"].ways
    assert {"tickets", "tickets_as_friend"} <= set(ways)


def test_a_ticket_need_not_be_about_anything() -> None:
    load_text(TEXT.replace("about: {order: order}, ", ""))


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("staff: staff", "stuff: staff", "`stuff` is not known here"),
        ("customer: customer, ", "", "`customer` is needed"),
        ("by: [agent, supervisor]", "by: []", "by: Tuple should have at least 1 item"),
        ("from: system", "from: [Post Room]", "from.0: String should match pattern"),
        ("{order: order}", "{subject: order}", "about: `subject` is the pattern's own"),
        ("{order: order}", "{customer: order}", "about: `customer` is the pattern's own"),
        ("customer: customer,", "customer: customer, sender: status,", "sender: `status` is the pattern's own"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- inbox:"), "use[0].inbox")
    assert found.hint == "parameters: in, staff, role, customer, sender, about, by, from"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("in: crm, staff", "in: crn, staff", "no system is called `crn` (did you mean `crm`?)"),
        ("{order: order}", "{order: ordr}", "no type or entity is called `ordr"),
        ("by: [agent, supervisor]", "by: [agnt, supervisor]", "`agnt`"),
        ("staff: staff,", "staff: staff, role: job,", "`staff` has no field `job`"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- inbox:") for f in found)


def test_a_blueprint_has_one_inbox() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].inbox", "adds entities.ticket, which is there already")
    assert found.hint == "pattern `inbox` added it further up"
