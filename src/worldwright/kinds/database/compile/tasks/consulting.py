"""What has to be read for an answer: the records that a question's own expressions go over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldwright.blueprint.expr import nodes as n
from worldwright.kinds.database.compile.tasks.describe import Reference
from worldwright.kinds.database.compile.tasks.ground import Ground
from worldwright.kinds.database.compile.tasks.instances import At, Bound
from worldwright.kinds.database.compile.tasks.reading import Reader
from worldwright.world.records import Call

MAX_ROWS_CONSULTED = 400
"""Records that somebody may have to look at for one answer."""
FEW, PAGES = 20, 8
"""Records that are looked for one by one, and pages that are turned where there are more."""


def consulted(
    ground: Ground, bounds: Sequence[Bound], references: Sequence[Reference]
) -> tuple[tuple[Call, ...], int] | None:
    """The calls that show everything an answer rests on, and how many records that is; None where some cannot be seen."""
    rows = list(dict.fromkeys(at for bound in bounds for at in _rows(ground, bound)))
    if not rows or len(rows) > MAX_ROWS_CONSULTED:
        return None
    reader = Reader(ground, ground.start(bounds[0].role, bounds[0].actor))
    reader.seen.update({r.id: -1 for r in references if r.kind == "id"})
    for reference in references:
        reader.find(reference)
    for entity in dict.fromkeys(entity for entity, _ in rows):
        own = [key for e, key in rows if e == entity]
        if len(own) > FEW:
            reader.sweep(entity, PAGES)
    named = {r.id for r in references if r.kind == "id"}
    shown = all(reader.look_at(entity, key) if key in named else reader.reach(entity, key) for entity, key in rows)
    return (tuple(reader.calls), len(rows)) if shown else None


def _rows(ground: Ground, bound: Bound) -> Iterator[At]:
    """The records of every table that is gone over; where it is about one owner, the records of that owner."""
    goal = ground.goals[bound.goal].goal
    over = dict.fromkeys(
        node.rows.entity
        for top in (*goal.tells.values(), *goal.where.values())
        for node in n.walk(top)
        if isinstance(node, n.Aggregate) and node.rows.entity
    )
    given_ids = {key for _, key in bound.rows.values() if isinstance(key, str)}
    for entity in over:
        position = ground.compiled.tables[entity].position
        columns = [position[column.name] for column in ground.schema.entities[entity].refs]
        every = list(ground.opening(entity))
        own = [r for r in every if any(r.values[i] in given_ids for i in columns)]
        yield from ((entity, r.id) for r in own or every)
    yield from ((entity, key) for entity, key in bound.rows.values() if isinstance(key, str))
