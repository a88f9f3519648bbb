"""A shared inbox: customers write in, the desk assigns, answers and closes, and nothing is closed unanswered.

Adds
- entity `ticket` (key `TCK-#####`): the sender, subject and body, what it is about, who works on it; its state is
  open (the desk has to act), waiting (for the customer) or closed;
- entity `ticket_reply` (key `TRP-######`): what the desk wrote back, reached as `ticket.replies`;
- read tools `find_tickets` and `get_ticket`;
- operations `open_ticket`, `assign_ticket`, `reply_to_ticket` and `close_ticket`;
- policy `answered_first` (for the agent to keep): a ticket is closed only after somebody has written back.

The same message is not entered twice while it is open. Tickets have no base rows: they come in by `open_ticket` in a flow of the
history. When the other side writes again, an operation of yours may set a waiting ticket back to open; a closed one stays closed.

```yaml
use:
  - inbox: {in: crm, staff: staff, customer: customer, about: {order: order}, by: [agent, supervisor], from: system}
```
"""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Name, Names, Parameters, refuse_own
from worldwright.core.names import to_words
from worldwright.english.nouns import indefinite

OWN = ("subject", "body", "assignee", "opened_at", "closed_at", "status")
"""The fields of a ticket that do not depend on parameters."""


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system of the inbox.")
    staff: Name = Field(description="The entity of callers: they are given tickets and write replies.")
    role: Name = Field(default="role", description="The field of `staff` that names the role.")
    customer: Name = Field(description="The entity of those who write in.")
    sender: Name | None = Field(
        default=None,
        validate_default=True,
        description="What a ticket calls its sender; the name of that entity unless said.",
    )
    about: dict[Name, Name] = Field(
        default={}, description="What a ticket may be about: names and entities, each optional."
    )
    by: Names = Field(min_length=1, description="The roles that work the inbox; only they can be given a ticket.")
    from_: Names = Field(
        default=(),
        alias="from",
        description="The roles that enter tickets, such as a mail gateway; those of `by` unless said.",
    )

    @field_validator("sender")
    @classmethod
    def _name_is_free(cls, sender: str | None, info: ValidationInfo) -> str | None:
        refuse_own((sender or info.data.get("customer", ""),), OWN)
        return sender

    @field_validator("about")
    @classmethod
    def _names_are_free(cls, about: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        refuse_own(about, (info.data.get("sender") or info.data.get("customer", ""), *OWN))
        return about


def expand(params: Params) -> dict[str, Any]:
    sender = params.sender or params.customer
    return {
        "entities": {"ticket": _ticket(params, sender), "ticket_reply": _reply(params)},
        "policies": {"answered_first": _answered_first()},
        "operations": {
            "find_tickets": _find(params, sender),
            "get_ticket": _get(params, sender),
            "open_ticket": _open(params, sender),
            "assign_ticket": _assign(params),
            "reply_to_ticket": _reply_to(params),
            "close_ticket": _close(params),
        },
    }


def _ticket(params: Params, sender: str) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": f"A message from {indefinite(params.customer)} that the desk has to deal with.",
        "key": "TCK-#####",
        "called": '"{subject}" of {opened_at:day}',
        "fields": {
            sender: f"{params.customer} as tickets",
            "subject": "text",
            "body": write.field("text", f"What the {to_words(params.customer)} wrote."),
            **_subjects(params),
            "assignee": write.field(f"{params.staff} as assigned_tickets?", "Who works on it."),
            "opened_at": "time",
            "closed_at": "time?",
            "status": write.field("state", "open: the desk has to act. waiting: for the other side."),
        },
        "lifecycle": {"open": ["waiting", "closed"], "waiting": ["open", "closed"], "closed": []},
    }


def _subjects(params: Params) -> dict[str, str]:
    """The fields of what a ticket is about. The way back is `tickets`, unless two fields lead to the same entity."""
    leads = [params.customer, *params.about.values()]
    ways = {
        name: "tickets" if leads.count(entity) == 1 else f"tickets_as_{name}" for name, entity in params.about.items()
    }
    return {name: f"{entity} as {ways[name]}?" for name, entity in params.about.items()}


def _reply(params: Params) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": "An answer that the desk sent.",
        "key": "TRP-######",
        "fields": {
            "ticket": "ticket as replies",
            "author": f"{params.staff} as ticket_replies",
            "body": "text",
            "sent_at": "time",
        },
    }


def _answered_first() -> dict[str, Any]:
    return {
        "about": {"ticket": "ticket"},
        "rule": "exists(x for x in ticket.replies)",
        "says": "A ticket is closed only after somebody has written back.",
        "enforced": "agent",
        "cases": [{"allowed": {"ticket.replies": 1}}, {"forbidden": {"ticket.replies": 0}}],
    }


def _find(params: Params, sender: str) -> dict[str, Any]:
    about = list(params.about)
    return {
        "in": params.in_,
        "says": "Search the inbox, oldest tickets first.",
        "by": "anyone",
        "search": "ticket",
        "filters": ["status", "assignee", sender, *about, "subject", "body", "opened_at"],
        "sort": ["opened_at", "subject"],
        "shows": [sender, "subject", *about, "assignee", "opened_at", "status"],
    }


def _get(params: Params, sender: str) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": "Read one ticket with its replies, its sender and what it is about.",
        "by": "anyone",
        "get": "ticket",
        "with": [sender, *params.about, "replies"],
    }


def _open(params: Params, sender: str) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": "Enter a message that came in as a new ticket.",
        "by": list(params.from_ or params.by),
        "takes": {
            sender: params.customer,
            "subject": {"type": "text", "min": 1, "max": 200},
            "body": {"type": "text", "min": 1, "max": 4000, "says": "The message, word for word."},
            **{name: write.field(f"{entity}?", "What it is about.") for name, entity in params.about.items()},
        },
        "does": [
            write.require(
                f"not exists(t for t in ticket if t.{sender} == {sender} and t.subject == subject "
                "and t.body == body and t.status == 'open')",
                "ALREADY_OPEN",
                "That very message is an open ticket already.",
            ),
            {
                "add": "ticket",
                "with": {
                    **{name: name for name in (sender, "subject", "body", *params.about)},
                    "opened_at": "now",
                },
                "as": "t",
            },
        ],
        "gives": "t",
    }


def _assign(params: Params) -> dict[str, Any]:
    roles = write.is_one_of(f"assignee.{params.role}", params.by)
    return {
        "in": params.in_,
        "says": "Give a ticket to somebody of the desk.",
        "by": list(params.by),
        "takes": {"ticket": "ticket", "assignee": write.field(params.staff, "Who is to work on it.")},
        "does": [
            _not_closed(),
            write.require(roles, "NOT_ON_DESK", "{assignee.id} does not work the inbox."),
            {"set": {"ticket.assignee": "assignee"}},
        ],
        "gives": "ticket",
    }


def _reply_to(params: Params) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": "Write back. The ticket then waits for the other side.",
        "by": list(params.by),
        "takes": {"ticket": "ticket", "body": {"type": "text", "min": 1, "max": 4000, "says": "The answer."}},
        "does": [
            _not_closed(),
            {
                "add": "ticket_reply",
                "with": {"ticket": "ticket", "author": "actor", "body": "body", "sent_at": "now"},
                "as": "answer",
            },
            {"when": "ticket.assignee is none", "do": [{"set": {"ticket.assignee": "actor"}}]},
            {"when": "ticket.status == 'open'", "do": [{"set": {"ticket.status": "waiting"}}]},
        ],
        "gives": "answer",
    }


def _close(params: Params) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": "Close a ticket that is dealt with.",
        "by": list(params.by),
        "takes": {"ticket": "ticket"},
        "does": [
            _not_closed(),
            {"obey": ["answered_first"]},
            {"set": {"ticket.status": "closed", "ticket.closed_at": "now"}},
        ],
        "gives": "ticket",
    }


def _not_closed() -> dict[str, Any]:
    return write.require(
        "ticket.status != 'closed'", "TICKET_CLOSED", "{ticket.id} is closed; a new message makes a new ticket."
    )
