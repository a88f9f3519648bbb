"""Searches and gets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator, Frame, Run
from worldwright.blueprint.types import ref
from worldwright.core.errors import BuildError
from worldwright.core.names import to_words
from worldwright.kinds.database.records import Recorder
from worldwright.kinds.database.sql import NotSql, SqlCompiler
from worldwright.kinds.database.tables import quote_name
from worldwright.kinds.database.unit_of_work import Refusal, Row, UnitOfWork

Give = Callable[[UnitOfWork, Frame], Any]
SELF = {"self": "t"}
"""The row that is looked at, in SQL."""
MAX_CACHED_QUERIES = 2_048
"""Combinations of filters and orders of one search that are kept: a caller that tries all of them would fill the memory."""


class Query(NamedTuple):
    """The two statements of a search, and what their parameters are."""

    total: str
    select: str
    where: tuple[Run, ...]
    order: tuple[Run, ...]


class Searcher:
    """One search tool: filters and orders are compiled once, a query is put together from those a call uses."""

    def __init__(
        self, operation: c.Operation, evaluator: Evaluator, definitions: c.Checked, recorder: Recorder
    ) -> None:
        assert isinstance(operation.read, c.Search)
        self.search = operation.read
        self.evaluator = evaluator
        self.definitions = definitions
        self.recorder = recorder
        self.table = recorder.tables[self.search.entity]
        self.shows = tuple((name, recorder.make_listed(node)) for name, node in self.search.shows)
        self.embed = embedder(self.search, evaluator, definitions, recorder)
        self._queries: dict[tuple[Any, ...], Query] = {}
        self._parts: dict[Any, tuple[str, tuple[Run, ...]]] = {}
        self._query(tuple(f.name for f in self.search.filters), None)

    def __call__(self, uow: UnitOfWork, f: Frame) -> dict[str, Any]:
        used = tuple(x.name for x in self.search.filters if f[x.name] is not None)
        count, select, where, order = self._query(used, f["sort"])
        values = [p(uow, f) for p in where]
        limit, offset = f["limit"], f["offset"]
        found = uow.fetch(select, [*values, *(p(uow, f) for p in order), limit, offset])
        last = len(found) < limit and (found or not offset)  # a page that is not full is the last one
        total = offset + len(found) if last else uow.fetch(count, values)[0][0]
        items = [self._item(uow, Row(self.search.entity, list(v))) for v in found]
        following = offset + len(items)
        return {"items": items, "total": total, "next_offset": following if following < total else None}

    def _item(self, uow: UnitOfWork, row: Row) -> dict[str, Any]:
        if not self.shows:
            return self.embed(uow, row)
        frame = {"self": row}
        return {"id": row.id, **{name: run(uow, frame) for name, run in self.shows}}

    def _query(self, used: tuple[str, ...], sort: str | None) -> Query:
        key = (used, sort)
        found = self._queries.get(key)
        if found is None:
            if len(self._queries) >= MAX_CACHED_QUERIES:
                self._queries.clear()
            found = self._queries[key] = self._build(used, sort)
        return found

    def _build(self, used: tuple[str, ...], sort: str | None) -> Query:
        where, own = [], self.search.where
        if own is not None:
            where.append(self._part("", lambda compiler: compiler.truth(own, SELF)))
        where += [self._part(f.name, partial(self._condition, f)) for f in self.search.filters if f.name in used]
        order, ordering = self._part((sort,), partial(self._order, sort))
        conditions = f" WHERE {' AND '.join(text for text, _ in where)}" if where else ""
        name = quote_name(self.search.entity)
        columns = ", ".join(f"t.{quote_name(c_)}" for c_ in self.table.names)
        return Query(
            f"SELECT COUNT(*) FROM {name} t{conditions}",
            f"SELECT {columns} FROM {name} t{conditions} ORDER BY {order} LIMIT ? OFFSET ?",
            tuple(parameter for _, parameters in where for parameter in parameters),
            ordering,
        )

    def _part(self, key: Any, make: Callable[[SqlCompiler], str]) -> tuple[str, tuple[Run, ...]]:
        """A condition or an order with its parameters, compiled once: queries are put together from these."""
        found = self._parts.get(key)
        if found is None:
            compiler = SqlCompiler(self.evaluator, self.definitions)
            try:
                text = make(compiler)
            except NotSql as e:
                part = f"the filter `{key}`" if isinstance(key, str) and key else "`where`" if key == "" else "`sort`"
                why = f"{part} of the search of {self.search.entity} has no SQL form ({e})"
                raise BuildError(f"{why}: keep the field with `=` instead of `computed`, or leave it out") from None
            found = self._parts[key] = (text, tuple(compiler.parameters))
        return found

    def _field(self, column: str) -> n.Field:
        entity = self.definitions.schema.entities[self.search.entity]
        return n.Field(entity.columns[column].type, n.Var(ref(self.search.entity), "self"), column)

    def _condition(self, item: c.Filter, compiler: SqlCompiler) -> str:
        node = self._field(item.column)
        if item.op == "contains":
            text = compiler.expr(n.Call(node.type, "lower", (node,)), SELF)
            if item.column in self.table.position:  # of plain ASCII, SQLite knows the small letters itself, and fast
                plain = f"t.{quote_name(item.column)}"
                text = f"CASE WHEN {plain} GLOB '*[^ -~]*' THEN {text} ELSE lower({plain}) END"
            compiler.parameters.append(_read_lowered(item.name))
            return f"instr({text}, ?) > 0"
        given = n.Var(node.type, item.name)
        return compiler.truth(n.Compare(n.TRUE.type, item.op, node, given), SELF)

    def _order(self, sort: str | None, compiler: SqlCompiler) -> str:
        name = sort or self.search.sorts[0] + ("_desc" if self.search.descending else "")
        down = name not in self.search.sorts or (sort is None and self.search.descending)
        direction = " DESC" if down else ""
        column = name.removesuffix("_desc") if down else name
        if column == "id":
            return f"t.id{direction}"
        return f"{compiler.expr(self._field(column), SELF)}{direction}, t.id"


def _read_lowered(name: str) -> Callable[[UnitOfWork, Frame], str]:
    return lambda d, f: str(f[name]).lower()


def embedder(
    read: c.Get | c.Search, evaluator: Evaluator, definitions: c.Checked, recorder: Recorder
) -> Callable[[UnitOfWork, Row], dict[str, Any]]:
    """A record with the records that are shown with it."""
    entity = definitions.schema.entities[read.entity]
    refs = tuple((e.name, evaluator.row(e.ref)) for e in read.embeds if e.ref is not None)
    ways = tuple((e.name, entity.ways[e.way]) for e in read.embeds if e.ref is None)
    if not refs and not ways:
        return recorder.record

    def embed(uow: UnitOfWork, row: Row) -> dict[str, Any]:
        out = recorder.record(uow, row)
        frame = {"self": row}
        for key, run in refs:
            other = run(uow, frame)
            out[key] = None if other is None else recorder.record(uow, other)
        for key, way in ways:
            out[key] = [recorder.record(uow, r) for r in uow.children(way.entity, way.column, row.id)]
        return out

    return embed


def make_getter(operation: c.Operation, evaluator: Evaluator, definitions: c.Checked, recorder: Recorder) -> Give:
    """Make one get tool: the record with what it embeds."""
    get = operation.read
    assert isinstance(get, c.Get)
    where = evaluator.truth(get.where) if get.where is not None else None
    embed = embedder(get, evaluator, definitions, recorder)
    name = get.entity

    def give(uow: UnitOfWork, f: Frame) -> dict[str, Any]:
        row = f[name]
        frame = {"self": row}
        if where is not None and not where(uow, frame):
            raise Refusal("NOT_FOUND", f"There is no {to_words(name)} {row.id!r}.")
        return embed(uow, row)

    return give
