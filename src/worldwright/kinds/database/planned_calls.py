"""A planned call, when its moment has come: the call that somebody makes, as things stand by then."""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.kinds.database.agenda import Event
from worldwright.kinds.database.arguments import write_arguments
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.reactions import Place, PlannedCall
from worldwright.kinds.database.unit_of_work import UnitOfWork


def write_event(
    planned: PlannedCall, compiled: CompiledWorld, uow: UnitOfWork, actors: Mapping[str, str | None], at: str
) -> Event | None:
    """Write a planned call down as things stand now; none where its condition does not hold, or nobody may make it."""
    step = planned.step
    known = {name: uow.row(*v) if isinstance(v, Place) else v for name, v in planned.known.items()}
    if step.test is not None and not step.test(uow, known):
        return None
    schema, actor = compiled.blueprint.schema, actors.get(step.role) if step.role else ""
    if step.actor is not None:
        row = step.actor(uow, known)
        allowed = compiled.tools[step.tool].roles
        role = None if row is None else row.values[compiled.tables[schema.actor].position[schema.role_field]]
        actor = None if row is None or (allowed and role not in allowed) else row.id
    if actor is None:
        return None
    values = {name: run(uow, known) for name, run in step.args}
    return Event(at, step.tool, actor, write_arguments(compiled.blueprint.operations[step.tool], values), {})
