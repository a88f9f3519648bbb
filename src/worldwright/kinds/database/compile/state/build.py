"""The state pass: base rows, history, mess; the bytes of the opening state come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldwright.blueprint.checked import Mess
from worldwright.kinds.build_events import RowsGrown, Watch, unwatched
from worldwright.kinds.database.compile.situations import Edge, Situations, find_situations
from worldwright.kinds.database.compile.state.base import BaseRows
from worldwright.kinds.database.compile.state.grow import SeededUnitOfWork
from worldwright.kinds.database.compile.state.history import History, Past
from worldwright.kinds.database.compile.state.mess import MessedCell, MessWriter
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.sql import register_functions
from worldwright.kinds.database.state import dump_state, empty_state, state_digest

GROWING_PAGE = 4096
"""Larger pages while rows come in; the state is sealed with its own."""


@dataclass(frozen=True, slots=True)
class GrownState:
    """An opening state and how it came to be."""

    data: bytes
    digest: str
    rows: dict[str, int]
    past: Past
    blemishes: tuple[MessedCell, ...]
    edges: dict[Edge, str]
    """Where each edge was planted."""

    def list_copies(self, mess: Sequence[Mess]) -> frozenset[tuple[str, str]]:
        """List the (entity, id) of rows that only say once more what another says; but for those laid over what is used."""
        labels = {one.spec.label for one in mess if one.spec.layer == "duplicate" and not one.spec.onto}
        return frozenset((b.entity, b.id) for b in self.blemishes if b.label in labels)

    @property
    def messed_rows(self) -> dict[str, list[tuple[str, str]]]:
        """The (entity, id) of the rows that each mess layer touched or left half done."""
        out: dict[str, list[tuple[str, str]]] = {}
        for blemish in self.blemishes:
            out.setdefault(blemish.label, []).append((blemish.entity, blemish.id))
        for label, entity, key in self.past.half_done:
            out.setdefault(label, []).append((entity, key))
        return out


def grow_state(
    compiled: CompiledWorld,
    seed: int,
    wanted: Situations | None = None,
    mess: bool = True,
    watch: Watch = unwatched,
) -> GrownState:
    """The opening state of a seed. Without `mess`, the consistent state that mess would be laid on."""

    def count() -> dict[str, int]:
        return {name: uow.fetch(f'SELECT COUNT(*) FROM "{name}"', ())[0][0] for name in schema.entities}

    schema = compiled.blueprint.schema
    wanted = wanted or compiled.derive(find_situations)
    conn = empty_state(schema, page_size=GROWING_PAGE)
    register_functions(conn, schema)
    uow = SeededUnitOfWork(compiled, conn)
    uow.set_time(schema.now)
    conn.execute("BEGIN")
    base = BaseRows(compiled, uow, seed, wanted.edges)
    base.grow()
    conn.execute("COMMIT")
    watched = watch is not unwatched
    if watched:
        watch(RowsGrown("base", count()))
    past = History(
        compiled, uow, seed, wanted.ready, lambda month: watch(RowsGrown(month, count())) if watched else None
    ).run()
    blemishes = MessWriter(compiled, uow, seed).lay() if mess else ()
    rows = count()
    watch(RowsGrown("mess", rows))
    data, digest = dump_state(conn, schema), state_digest(conn, schema)
    conn.close()
    return GrownState(data, digest, rows, past, blemishes, base.planted)
