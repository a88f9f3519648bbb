"""Searches and gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator, Frame, Run
from worldwright.blueprint.types import ref
from worldwright.core.errors import BuildError
from worldwright.core.names import words
from worldwright.kinds.database.desk import Desk, Refusal, Row
from worldwright.kinds.database.records import Recorder
from worldwright.kinds.database.sql import Definitions, NotSql, SqlCompiler
from worldwright.kinds.database.tables import quoted

Give = Callable[[Desk, Frame], Any]


class Query(NamedTuple):
    """The two statements of a search, and what their parameters are."""

    total: str
    select: str
    where: tuple[Run, ...]
    order: tuple[Run, ...]


class Searcher:
    """One search tool: filters and orders are compiled once, a query is put together from those a call uses."""

    def __init__(
        self, operation: c.Operation, evaluator: Evaluator, definitions: Definitions, recorder: Recorder
    ) -> None:
        assert isinstance(operation.read, c.Search)
        self.search = operation.read
        self.evaluator = evaluator
        self.definitions = definitions
        self.recorder = recorder
        self.table = recorder.tables[self.search.entity]
        self.shows = tuple((name, recorder.valued(node)) for name, node in self.search.shows)
        self.embed = embedder(self.search, evaluator, definitions, recorder)
        self._queries: dict[tuple[Any, ...], Query] = {}
        self._query(tuple(f.name for f in self.search.filters), None)

    def __call__(self, desk: Desk, f: Frame) -> dict[str, Any]:
        used = tuple(x.name for x in self.search.filters if f[x.name] is not None)
        count, select, where, order = self._query(used, f["sort"])
        values = [p(desk, f) for p in where]
        total = desk.fetch(count, values)[0][0]
        limit, offset = f["limit"], f["offset"]
        found = desk.fetch(select, [*values, *(p(desk, f) for p in order), limit, offset])
        items = [self._item(desk, Row(self.search.entity, list(v))) for v in found]
        following = offset + len(items)
        return {"items": items, "total": total, "next_offset": following if following < total else None}

    def _item(self, desk: Desk, row: Row) -> dict[str, Any]:
        if not self.shows:
            return self.embed(desk, row)
        frame = {"self": row}
        return {"id": row.id, **{name: run(desk, frame) for name, run in self.shows}}

    def _query(self, used: tuple[str, ...], sort: str | None) -> Query:
        key = (used, sort)
        found = self._queries.get(key)
        if found is None:
            found = self._queries[key] = self._build(used, sort)
        return found

    def _build(self, used: tuple[str, ...], sort: str | None) -> Query:
        compiler = SqlCompiler(self.evaluator, self.definitions)
        env = {"self": "t"}
        conditions = []
        try:
            if self.search.where is not None:
                conditions.append(compiler.truth(self.search.where, env))
            conditions += [self._condition(item, compiler) for item in self.search.filters if item.name in used]
            where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
            given = len(compiler.parameters)
            order = self._order(sort, compiler)
        except NotSql as e:
            raise BuildError(f"search of {self.search.entity}: a filter or condition has no SQL form ({e})") from None
        name = quoted(self.search.entity)
        columns = ", ".join(f"t.{quoted(c_)}" for c_ in self.table.names)
        return Query(
            f"SELECT COUNT(*) FROM {name} t{where}",
            f"SELECT {columns} FROM {name} t{where} ORDER BY {order} LIMIT ? OFFSET ?",
            tuple(compiler.parameters[:given]),
            tuple(compiler.parameters[given:]),
        )

    def _field(self, column: str) -> n.Field:
        entity = self.definitions.schema.entities[self.search.entity]
        return n.Field(entity.columns[column].type, n.Var(ref(self.search.entity), "self"), column)

    def _condition(self, item: c.Filter, compiler: SqlCompiler) -> str:
        node = self._field(item.column)
        if item.op == "contains":
            text = compiler.expr(n.Call(node.type, "lower", (node,)), {"self": "t"})
            compiler.parameters.append(_lowered(item.name))
            return f"instr({text}, ?) > 0"
        given = n.Var(node.type, item.name)
        return compiler.truth(n.Compare(n.TRUE.type, item.op, node, given), {"self": "t"})

    def _order(self, sort: str | None, compiler: SqlCompiler) -> str:
        name = sort or self.search.sorts[0] + ("_desc" if self.search.descending else "")
        down = name not in self.search.sorts or (sort is None and self.search.descending)
        direction = " DESC" if down else ""
        column = name.removesuffix("_desc") if down else name
        if column == "id":
            return f"t.id{direction}"
        return f"{compiler.expr(self._field(column), {'self': 't'})}{direction}, t.id"


def _lowered(name: str) -> Callable[[Desk, Frame], str]:
    return lambda d, f: str(f[name]).lower()


def embedder(
    read: c.Get | c.Search, evaluator: Evaluator, definitions: Definitions, recorder: Recorder
) -> Callable[[Desk, Row], dict[str, Any]]:
    """A record with the records that are shown with it."""
    entity = definitions.schema.entities[read.entity]
    refs = tuple((e.name, evaluator.row(e.ref)) for e in read.embeds if e.ref is not None)
    ways = tuple((e.name, entity.ways[e.way]) for e in read.embeds if e.ref is None)
    if not refs and not ways:
        return recorder.record

    def embed(desk: Desk, row: Row) -> dict[str, Any]:
        out = recorder.record(desk, row)
        frame = {"self": row}
        for key, run in refs:
            other = run(desk, frame)
            out[key] = None if other is None else recorder.record(desk, other)
        for key, way in ways:
            out[key] = [recorder.record(desk, r) for r in desk.children(way.entity, way.column, row.id)]
        return out

    return embed


def getter(operation: c.Operation, evaluator: Evaluator, definitions: Definitions, recorder: Recorder) -> Give:
    """One get tool: the record with what it embeds."""
    get = operation.read
    assert isinstance(get, c.Get)
    where = evaluator.truth(get.where) if get.where is not None else None
    embed = embedder(get, evaluator, definitions, recorder)
    name = get.entity

    def give(desk: Desk, f: Frame) -> dict[str, Any]:
        row = f[name]
        frame = {"self": row}
        if where is not None and not where(desk, frame):
            raise Refusal("NOT_FOUND", f"There is no {words(name)} {row.id!r}.")
        return embed(desk, row)

    return give
