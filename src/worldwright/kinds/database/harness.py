"""The harness of generated tests: an empty world, the rows that a test gives, and one tool, called through engine or file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldwright.blueprint.expr.nodes import Field, walk
from worldwright.blueprint.schema import Column, Entity
from worldwright.core.days import parse_moment, set_hour
from worldwright.core.names import to_words
from worldwright.kinds.database import tool_runtime
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.state import empty_state
from worldwright.kinds.database.unit_of_work import Refusal, UnitOfWork
from worldwright.world.records import Result


def make_blank_state(compiled: CompiledWorld) -> bytes:
    """Make the world with every table and no row."""
    conn = empty_state(compiled.blueprint.schema)
    data = conn.serialize()
    conn.close()
    return data


def choose_plain_value(entity: Entity, column: Column, today: str) -> Any:
    """Choose what a required field is in a test that does not say: the plainest thing of its type."""
    kind = column.type
    if column.state:
        return next(iter(entity.lifecycle))
    match kind.kind:
        case "enum":
            return kind.values[0]
        case "text":
            return f"some {to_words(column.name)}"
        case "date":
            return today
        case "time":
            return set_hour(today, 8)
        case "bool":
            return 0
        case "int":
            return 1
    return 10**kind.places


def _list_plain_fields(compiled: CompiledWorld) -> dict[str, tuple[tuple[str, str, Any], ...]]:
    """List for each field of each table its name, the entity of a row it must have, and what it is where nothing is said."""
    schema = compiled.blueprint.schema
    return {
        name: tuple(_choose_plain_field(e, c, schema.now[:10]) for c in e.stored) for name, e in schema.entities.items()
    }


def _choose_plain_field(entity: Entity, column: Column, today: str) -> tuple[str, str, Any]:
    if column.optional:
        return column.name, "", None
    if column.type.kind == "ref":
        return column.name, column.type.entity, None
    return (
        column.name,
        "",
        choose_plain_value(entity, column, today) if column.source == "given" else _placeholder(column),
    )


def insert_row(compiled: CompiledWorld, uow: UnitOfWork, entity: str, values: dict[str, Any]) -> str:
    """A row as a test gives it; fields in storage form, required references made where they are not given. The id."""
    full: list[Any] = []
    for name, needs, plain in compiled.derive(_list_plain_fields)[entity]:
        if name in values:
            full.append(values[name])
        else:
            full.append(insert_row(compiled, uow, needs, {}) if needs else plain)
    number = uow.counters[entity] = uow.counters.get(entity, 0) + 1
    key = compiled.blueprint.schema.entities[entity].key.make(number)
    uow.conn.execute(compiled.tables[entity].insert, [key, *full])
    uow.opening = None  # what others know of the opening state is no longer true here
    return key


def _placeholder(column: Column) -> Any:
    """A kept field before it is settled."""
    if column.type.kind == "enum":
        return column.type.values[0]
    return 0 if column.type.numeric or column.type.kind == "bool" else ""


def _order_kept_fields(compiled: CompiledWorld) -> tuple[tuple[str, str], ...]:
    """Order the kept fields, each after those it is made of: one go through them settles everything."""
    kept = compiled.blueprint.kept
    reads = {
        key: [(p.base.type.entity, p.name) for p in walk(node) if isinstance(p, Field) and p.base.type.kind == "ref"]
        for key, node in kept.items()
    }
    done: dict[tuple[str, str], None] = {}

    def visit(key: tuple[str, str]) -> None:
        if key in kept and key not in done:
            for other in reads[key]:
                visit(other)
            done[key] = None

    for key in kept:
        visit(key)
    return tuple(done)


def settle(compiled: CompiledWorld, uow: UnitOfWork) -> None:
    """Bring kept fields in line with the rows that were given."""
    uow.begin()
    rows = {owner: list(uow.rows(owner)) for owner, _ in compiled.derive(_order_kept_fields) if owner in uow.counters}
    for owner, field in compiled.derive(_order_kept_fields):
        compute, position = compiled.keepers[owner, field], compiled.tables[owner].position[field]
        for row in rows.get(owner, ()):
            value = compute(uow, {"self": row})
            if value != row.values[position]:
                uow.check_values(compiled.tables[owner].entity, {field: value})
                uow.conn.execute(f'UPDATE "{owner}" SET "{field}" = ? WHERE id = ?', (value, row.id))
                row.values[position] = value
    uow.begin()


class Harness:
    """What a generated test is handed. `way` is `engine` or `file`."""

    def __init__(self, pack: Path, way: str = "engine") -> None:
        self.compiled = compile_blueprint((pack / "blueprint.yaml").read_text(encoding="utf-8"))
        self.way = way
        self._folder = pack / "tools"
        self._runtime = Runtime(self.compiled, self.compiled.derive(make_blank_state), "")
        schema = self.compiled.blueprint.schema
        self._session: Session = self._runtime.session("")
        self._uow = self._session._uow
        self._actor = ""
        self.role = ""
        self.today = schema.now[:10]

    def given(self, entity: str, /, **values: Any) -> str:
        """A row that is there before the call. Amounts are in the smallest unit. Gives its id."""
        return insert_row(self.compiled, self._uow, entity, values)

    def clock(self, now: str) -> None:
        """Return what time it is at the call, where the world's own opening time will not do."""
        moment = parse_moment(now)
        assert moment is not None
        self._session._moment = moment.replace(tzinfo=None)
        self._uow.now, self._uow.today = now, now[:10]
        self.today = now[:10]

    def acts(self, key: str) -> None:
        """Who calls."""
        schema = self.compiled.blueprint.schema
        settle(self.compiled, self._uow)
        row = self._uow.row(schema.actor, key)
        assert row is not None
        self._actor = key
        self.role = row.values[self._uow.position(schema.actor, schema.role_field)]

    def call(self, tool: str, /, **arguments: Any) -> Result:
        """Call the tool, through the engine or through its file."""
        settle(self.compiled, self._uow)
        session, uow = self._session, self._uow
        session._role = self.role
        uow.begin()
        uow.actor = uow.row(self.compiled.blueprint.schema.actor, self._actor) if self._actor else None
        if self.way == "engine":
            return session.call(tool, arguments)
        return call_file(session, tool, arguments, tool_runtime.ToolContext(self.compiled, uow, self._folder))

    @property
    def broken(self) -> list[str]:
        """Handbook rules that the call broke."""
        return [policy for policy, _, _ in self._session.violations()]

    def count(self, entity: str) -> int:
        found: int = self._uow.fetch(f'SELECT COUNT(*) FROM "{entity}"', ())[0][0]
        return found


def call_file(session: Session, tool: str, arguments: Any, uow: tool_runtime.ToolContext) -> Result:
    """A tool through its file: the session's own checks and transaction around the file's function."""
    found = session._opening.compiled.tools[tool]
    engine = session._uow
    try:
        if found.roles and session.role not in found.roles:
            raise session._make_forbidden(found)
        if not found.mutates:
            return Result(True, uow.call(tool, arguments))
        frame = found.reader.read(engine, arguments)
        return session.transact(found, frame, lambda: uow.perform(tool, frame))
    except Refusal as e:
        return Result(False, None, e.error)
