"""Base rows: what the business starts with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.reach import Down
from worldwright.blueprint.schema import Column, Entity
from worldwright.core.days import add_days, set_hour
from worldwright.core.errors import BuildError
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile import values
from worldwright.kinds.database.compile.situations import Edge
from worldwright.kinds.database.compile.state.grow import SeededUnitOfWork
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.invariants import InvariantCheck
from worldwright.kinds.database.unit_of_work import Row

ORDERED = ("int", "decimal", "money", "foreign", "date", "time")
"""Kinds of values that others are worked out from."""

MAX_ROWS_PER_EDGE = 40
"""Rows that are looked at to place an edge."""

MAX_DRAW_ATTEMPTS = 1_000
"""How often a row is drawn again where it would break uniqueness."""

MAX_EDGE_ATTEMPTS = 300
"""How often a row is drawn again until it is whole with a value at the edge of a rule; after that it goes without."""

MAX_ATTEMPTS_PER_ROW = 20
"""The same for a value that is put in by hand, and may go to any of many rows."""

SAMPLE_ATTEMPTS, FEW_VALUES = 60, 12
"""Where so many draws have given no more than so few values, and the edge was not among them, it will not come."""


def entity_order(blueprint: Checked) -> list[str]:
    """Entities so that what a row refers to or draws from is there before it."""
    needs = {name: _list_needed_entities(blueprint, e) - {name} for name, e in blueprint.schema.entities.items()}
    done: list[str] = []
    while len(done) < len(needs):
        ready = [name for name in needs if name not in done and needs[name] <= set(done)]
        done += ready or [next(name for name in needs if name not in done)]
    return done


def _list_needed_entities(blueprint: Checked, entity: Entity) -> set[str]:
    out = {c.type.entity for c in entity.refs if not c.optional}
    for column in entity.columns.values():
        node = blueprint.draws.get((entity.name, column.name))
        if node is not None:
            out |= {part.rows.entity for part in n.walk(node) if isinstance(part, n.Aggregate)}
    return out


def _looks_down(watch: InvariantCheck) -> bool:
    """Return whether an invariant reads only the row itself and rows that it refers to."""
    return all(isinstance(hop, Down) for path, _ in watch.paths for hop in path)


def _follows_from_others(draw: n.Node | None) -> bool:
    """Return whether a value is worked out from another number, day or moment, of its own row or of one that it refers to."""
    if draw is None:
        return False
    return any(isinstance(part, n.Field) and part.type.kind in ORDERED for part in n.walk(draw))


def _samples_text(draw: n.Node) -> bool:
    return any(isinstance(part, n.Draw) and part.name == "text_of" for part in n.walk(draw))


def _find_sampled(draw: n.Node) -> str:
    """The kind of text that a draw gives, in every case or not at all; empty where it may give another."""
    if isinstance(draw, n.If):
        kinds = {_find_sampled(side) for side in (draw.then, draw.other) if not _is_none(side)}
        return next(iter(kinds)) if len(kinds) == 1 else ""
    named = draw.args[0] if isinstance(draw, n.Draw) and draw.name == "text_of" else None
    return str(named.value) if isinstance(named, n.Const) else ""


def _is_none(node: n.Node) -> bool:
    return isinstance(node, n.Const) and node.value is None


class BaseRows:
    """Draws rows, each field from a stream of its own path."""

    def __init__(self, compiled: CompiledWorld, uow: SeededUnitOfWork, seed: int, edges: Sequence[Edge] = ()) -> None:
        self.compiled = compiled
        self.blueprint = compiled.blueprint
        self.uow = uow
        self.seed = seed
        self.draws = {key: compiled.evaluator.value(node) for key, node in self.blueprint.draws.items()}
        self._sampled = {key: kind for key, node in self.blueprint.draws.items() if (kind := _find_sampled(node))}
        """The kind of text that a field is drawn as, for fields that are no such type."""
        self._tells = {key for key, node in self.blueprint.draws.items() if _samples_text(node)}
        self.kept = compiled.keepers
        self.planted: dict[Edge, str] = {}
        self._own_watches = {
            name: [w for w in compiled.watches if w.each == name and not w.wide and _looks_down(w)]
            for name in self.blueprint.schema.entities
        }
        """By entity, the invariants that a row meets or breaks by itself and what it refers to."""
        self._self_drawn = {
            name
            for name, e in self.blueprint.schema.entities.items()
            if name in _list_needed_entities(self.blueprint, e)
        }
        """Entities whose rows are drawn from rows of the same entity."""
        self._salts = {
            (name, c.name): Stream("field", name, c.name).bits()
            for name, e in self.blueprint.schema.entities.items()
            for c in e.stored
        }
        self._edges = self._place_edges(edges)
        self._later: list[tuple[str, tuple[str, str]]] = []
        """Given references to rows that were not there yet: in a circle, or to a later row of the same entity."""

    def _place_edges(self, edges: Sequence[Edge]) -> dict[tuple[str, int], list[Edge]]:
        """Choose the base rows that each edge may go to; the first that is whole with it, and has no other, gets it."""
        out: dict[tuple[str, int], list[Edge]] = {}
        for edge in edges:
            entity = self.blueprint.schema.entities[edge.entity]
            first = len(entity.seeds) + 1  # what is given stays as it is
            stream = Stream(self.seed, "edge", edge.entity, edge.field, edge.operation, edge.rule, edge.side)
            for i in stream.shuffled(range(first, entity.rows + 1))[: 1 if self._is_tied(edge) else MAX_ROWS_PER_EDGE]:
                out.setdefault((edge.entity, i), []).append(edge)
        return out

    def _is_tied(self, edge: Edge) -> bool:
        return _follows_from_others(self.blueprint.draws.get((edge.entity, edge.field)))

    def grow(self) -> None:
        """Draw every base row of every entity, then the kept fields that aggregate over other rows."""
        for name in entity_order(self.blueprint):
            entity = self.blueprint.schema.entities[name]
            for i in range(1, entity.rows + 1):
                self._put(entity, i)
            self.uow.counters[name] = entity.rows
            self.uow.forget()
        for statement, of_row in self._later:
            self.uow.conn.execute(statement, of_row)
        self.uow.tell()
        self.uow.forget()
        for owner, field in self.blueprint.kept:
            self._settle(owner, field)
        self.uow.forget()

    def _put(self, entity: Entity, i: int) -> None:
        row = self._draw_at_edge(entity, i) or self._draw_free(entity, i)
        self.uow.conn.execute(self.compiled.tables[entity.name].insert, row.values)
        given = entity.seeds[i - 1] if i <= len(entity.seeds) else {}
        position = self.compiled.tables[entity.name].position
        for column in entity.refs if given else ():
            key = given.get(column.name)
            if key is not None and row.values[position[column.name]] != key:
                self._later.append((f'UPDATE "{entity.name}" SET "{column.name}" = ? WHERE id = ?', (key, row.id)))
        if entity.name in self._self_drawn:
            self.uow.forget()

    def _draw_free(self, entity: Entity, i: int) -> Row:
        for attempt in range(MAX_DRAW_ATTEMPTS):
            row = self.draw_row(entity, i, attempt)
            if self._free(entity, row):
                return row
        raise BuildError(
            f"{entity.name} row {i}: no unique values found in {MAX_DRAW_ATTEMPTS} draws; draw from a wider range"
        )

    def _draw_at_edge(self, entity: Entity, i: int) -> Row | None:
        """Draw the row whole with an edge that may go to it; None where there is none, or no such row can be.

        A value that follows from others of the row is not put in by hand: the row is drawn until the value comes out, so that
        a ship whose bookings close today leaves when such a ship does. Any other value is put in before what follows from it.
        """
        for edge in self._edges.get((entity.name, i), ()):
            row = None if edge in self.planted else self._draw_with(entity, i, edge)
            if row is not None:
                self.planted[edge] = row.id
                return row
        return None

    def _draw_with(self, entity: Entity, i: int, edge: Edge) -> Row | None:
        position = self.compiled.tables[entity.name].position[edge.field]
        tied = self._is_tied(edge)
        seen: set[Any] = set()
        for attempt in range(MAX_EDGE_ATTEMPTS if tied else MAX_ATTEMPTS_PER_ROW):
            row = self.draw_row(entity, i, attempt, None if tied else edge)
            if row.values[position] != edge.value:
                seen.add(row.values[position])
                if not tied or (attempt >= SAMPLE_ATTEMPTS and len(seen) <= FEW_VALUES):
                    return None
            elif self._free(entity, row) and all(
                w.holds(self.uow, {"self": row}) for w in self._own_watches[entity.name]
            ):
                return row
        return None

    def _free(self, entity: Entity, row: Row) -> bool:
        position = self.compiled.tables[entity.name].position
        for group in entity.unique:
            test = " AND ".join(f'"{g}" IS ?' for g in group)
            found = self.uow.fetch(
                f'SELECT 1 FROM "{entity.name}" WHERE {test}', [row.values[position[g]] for g in group]
            )
            if found and all(row.values[position[g]] is not None for g in group):
                return False
        return True

    def draw_row(self, entity: Entity, i: int, attempt: int = 0, edge: Edge | None = None) -> Row:
        """Draw one row, field by field in order, so that later fields can read earlier ones; with the value of an edge in it."""
        columns = entity.stored
        row = Row(entity.name, [entity.key.make(i), *[None] * len(columns)])
        frame = {"self": row}
        so_far: dict[str, str] = {}
        self.uow.begin()
        own = Stream(self.seed, "base", entity.name, i, *([attempt] if attempt else []))
        given = entity.seeds[i - 1] if i <= len(entity.seeds) else {}
        for position, column in enumerate(columns, start=1):
            key = (entity.name, column.name)
            self.uow.stream = own.branch(self._salts[key])
            if key in self.kept:
                value = self.kept[key](self.uow, frame)
            elif column.name in given and (column.type.kind != "ref" or self._is_there(column, given[column.name])):
                value = given[column.name]
            elif key in self.draws:
                if key in self._tells:
                    self.uow.tell(so_far, column.name, i, entity.name)
                value = self.draws[key](self.uow, frame)
            else:
                value = self._default(entity, column, i, so_far)
            if edge is not None and edge.field == column.name and value is not None:
                value = edge.value
            if value is None and not column.optional:
                raise BuildError(
                    f"{entity.name}.{column.name} is required but its draw gave none in row {i}; "
                    "make it optional or draw from rows that exist"
                )
            row.values[position] = value
            kind = column.flavour or self._sampled.get(key)
            if kind and isinstance(value, str):
                so_far[kind] = value
        return row

    def _is_there(self, column: Column, key: str | None) -> bool:
        """Return whether a row that is referred to is there already; in a circle somebody comes first."""
        return key is None or self.uow.row(column.type.entity, key) is not None

    def _default(self, entity: Entity, column: Column, i: int, so_far: dict[str, str]) -> Any:
        """A sensible value where the author drew nothing."""
        stream, kind = self.uow.stream, column.type
        if column.state:
            return next(iter(entity.lifecycle))
        match kind.kind:
            case "text":
                if column.optional and not column.flavour and not stream.chance(0.4):
                    return None
                flavour = column.flavour or "text"
                return values.draw(
                    flavour, stream, self.blueprint.blueprint.locale, so_far, column.name, i, entity.name
                )
            case "enum":
                weights = column.weights or [1.0] * len(kind.values)
                return stream.weighted(kind.values, weights)
            case "ref":
                return None if column.optional else self._pick_row(kind.entity)
        if column.optional:
            return None
        match kind.kind:
            case "bool":
                return 0
            case "date":
                return add_days(self.uow.today, -stream.between(0, 700))
            case "time":
                return set_hour(add_days(self.uow.today, -stream.between(1, 700)), stream.between(8, 17))
            case "int":
                return stream.skewed(1, 100)
        return stream.skewed(1, 100) * 10**kind.places

    def _pick_row(self, entity: str) -> str | None:
        rows = self.uow.list_ids(entity)
        return self.uow.stream.pick(rows) if rows else None

    def _settle(self, owner: str, field: str) -> None:
        compute, position = self.kept[owner, field], self.compiled.tables[owner].position[field]
        self.uow.begin()
        for row in list(self.uow.rows(owner)):
            value = compute(self.uow, {"self": row})
            if value != row.values[position]:
                self.uow.conn.execute(f'UPDATE "{owner}" SET "{field}" = ? WHERE id = ?', (value, row.id))
                row.values[position] = value
