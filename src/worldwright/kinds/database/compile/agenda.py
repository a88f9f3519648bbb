"""The agenda of a world: what its flows go on with after it opens, as calls that were really made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from worldwright.kinds.database.agenda import NOTHING, Agenda, Event
from worldwright.kinds.database.arguments import write_arguments
from worldwright.kinds.database.compile.state.grow import SeededUnitOfWork
from worldwright.kinds.database.compile.state.history import Due, History, Made
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime


def make_agenda(compiled: CompiledWorld, state: bytes, seed: int, ahead: Sequence[Due]) -> Agenda:
    """Make the flows go on over the state in which a world opens, and keep every call that can be made again just so."""
    if not compiled.blueprint.ahead_days:
        return NOTHING
    opening = Runtime(compiled, state, "").opening
    with closing(compiled.connect(state)) as conn:
        uow = SeededUnitOfWork(compiled, conn)
        uow.counters = dict(opening.counters)
        made = History(compiled, uow, seed).go_on(ahead)
        reserved = dict(uow.counters)
    events = tuple(_write_event(compiled, one) for one in made)
    agenda = Agenda(events, {name: number for name, number in reserved.items() if number > opening.counters[name]})
    return Agenda(_keep_sound(compiled, state, agenda), agenda.reserved)


def _write_event(compiled: CompiledWorld, made: Made) -> Event:
    operation = compiled.blueprint.operations[made.operation]
    written = {write.entity for write in compiled.tools[made.operation].effects.writes if write.verb == "add"}
    ids = {entity: made.counters.get(entity, 0) for entity in sorted(written)}
    return Event(made.at, made.operation, made.actor, _to_json(write_arguments(operation, made.values)), ids)


def _to_json(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _keep_sound(compiled: CompiledWorld, state: bytes, agenda: Agenda) -> tuple[Event, ...]:
    """Keep the calls that happen where nobody else does anything."""
    with closing(Runtime(compiled, state, "", agenda=agenda).session("")) as session:
        session.pass_time_to_end()
        return tuple(event for event, happened in session.list_happened() if happened)
