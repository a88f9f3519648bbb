"""What others do after a world opens, whatever an agent does: calls of operations, each at its moment.

It is worked out when a world is made, and kept beside its state. A call that the state then forbids does not happen: somebody came
first. Rows that it would have made keep their ids from everybody else, so that a world without the agent and one with it differ in
nothing but what the agent did, and what follows from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from worldwright.core.canonical import pretty_json
from worldwright.core.days import parse_moment
from worldwright.core.errors import TamperedPack

FILE = "agenda.json"


@dataclass(frozen=True, slots=True)
class Event:
    """A call that somebody makes."""

    at: str
    tool: str
    actor: str
    """Who makes it; empty where nobody in particular acts in the world."""
    arguments: Mapping[str, Any]
    ids: Mapping[str, int]
    """By entity, the number after which the ids of the rows that it makes come."""

    @property
    def moment(self) -> datetime:
        found = parse_moment(self.at)
        assert found is not None
        return found.replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Agenda:
    """The calls in the order in which they happen."""

    events: tuple[Event, ...] = ()
    reserved: Mapping[str, int] = field(default_factory=dict)
    """By entity, the highest number that any of them takes."""


NOTHING = Agenda()
_AGENDA = TypeAdapter(Agenda)


def agenda_bytes(agenda: Agenda) -> bytes:
    events = [
        {"at": e.at, "tool": e.tool, "actor": e.actor, "arguments": dict(e.arguments), "ids": dict(e.ids)}
        for e in agenda.events
    ]
    return pretty_json({"reserved": dict(agenda.reserved), "events": events}).encode()


def read_agenda(data: bytes | None, tools: Mapping[str, Any]) -> Agenda:
    """The agenda of a pack; none where it has no such file. A pack is not believed."""
    if data is None:
        return NOTHING
    try:
        found = _AGENDA.validate_python(json.loads(data), strict=False)
    except (ValueError, ValidationError, RecursionError) as e:
        raise TamperedPack(f"{FILE} cannot be read: {e}") from None
    _check_order(found.events, tools)
    return found


def _check_order(events: Sequence[Event], tools: Mapping[str, Any]) -> None:
    last = ""
    for event in events:
        if event.tool not in tools or parse_moment(event.at) is None or event.at < last:
            raise TamperedPack(
                f"{FILE} has a call of `{event.tool[:60]}` at `{event.at[:40]}` that cannot be made then"
            )
        last = event.at
