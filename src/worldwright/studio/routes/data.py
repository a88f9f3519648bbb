"""The data of a world: tables to browse, one row with what refers to it, entities and their lifecycles drawn."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright.core.errors import PackError, StoreError
from worldwright.core.names import suggest
from worldwright.facts.rows import read_row, read_table
from worldwright.facts.values import format_json, format_value
from worldwright.facts.world import ColumnFacts, TableFacts
from worldwright.studio.context import Studio
from worldwright.studio.drawing.entities import draw_entities, draw_lifecycles
from worldwright.studio.opened import OpenWorld
from worldwright.studio.pages import Crumb, link
from worldwright.studio.routes.world_frame import known_tables, render_world

MAX_ROWS_READ = 25_000
"""Of a larger table the first so many are shown, sorted and searched."""
ROWS_PER_PAGE = 60
MAX_WORDS = 12
"""A column with so few values offers them to choose from."""
MAX_REFERRING = 8
Record = Mapping[str, Any]


def add_routes(app: FastAPI, studio: Studio) -> None:
    @app.get("/world/{digest}/tables")
    def show_tables(request: Request, digest: str) -> Response:
        world = studio.worlds.open(digest)
        tables = list(known_tables(world).values())
        return render_world(
            studio, request, world, "Data", "tables.html", tables=tables, systems=world.pack.checked.blueprint.systems
        )

    @app.get("/world/{digest}/tables/{name}")
    def show_table(request: Request, digest: str, name: str, q: str = "", sort: str = "", page: int = 1) -> Response:
        world = studio.worlds.open(digest)
        table = find_table(world, name)
        where = [(c, v) for c, _, v in (one.partition(":") for one in request.query_params.getlist("where")) if v]
        every = known_rows(world, name)
        found = sort_rows([row for row in every if matches(row, q, where)], sort)
        start = (max(1, page) - 1) * ROWS_PER_PAGE
        return render_world(
            studio, request, world, "Data", "table.html", Crumb(name), table=table,
            rows=[show_row_cells(world, table, row) for row in found[start : start + ROWS_PER_PAGE]],
            found=len(found), page=max(1, page), pages=-(-len(found) // ROWS_PER_PAGE), q=q, sort=sort, where=where,
            choices=list(_list_choices(table, every)), refers=references(world, table), cut=table.rows > MAX_ROWS_READ,
            page_link=lambda **new: _link_page(digest, name, {"q": q, "sort": sort, "where": [f"{c}:{v}" for c, v in where]} | new),
            numbers=_list_numbers(table), lifecycle=known_lifecycles(world).get(name, ""),
        )  # fmt: skip

    @app.get("/world/{digest}/tables/{name}/{key}")
    def show_row(request: Request, digest: str, name: str, key: str) -> Response:
        world = studio.worlds.open(digest)
        table = find_table(world, name)
        row = read_row(world.pack.world, name, key)
        if row is None:
            raise StoreError(f"{name} has no row {key[:80]!r}")
        return render_world(
            studio,
            request,
            world,
            "Data",
            "row.html",
            Crumb(name, link("world", digest, "tables", name)),
            Crumb(key),
            table=table,
            cells=show_row_cells(world, table, row)[1],
            referring=list(_find_referring(world, table, key)),
            marks=_find_marks(world, name, key),
        )

    @app.get("/world/{digest}/entities")
    def show_entities(request: Request, digest: str) -> Response:
        world = studio.worlds.open(digest)
        tables = list(known_tables(world).values())
        every = [(t.name, target, column) for t in tables for column, target in references(world, t).items()]
        picture = world.get(
            "entity picture", lambda: draw_entities(tables, every, lambda n: link("world", digest, "tables", n))
        )
        return render_world(
            studio, request, world, "Entities", "entities.html", tables=tables, picture=picture, lifecycles=known_lifecycles(world),
            references={t.name: references(world, t) for t in tables},
        )  # fmt: skip


class Cell(NamedTuple):
    """A value as a page shows it."""

    text: str
    url: str = ""
    none: bool = False
    code: bool = False


def show_row_cells(world: OpenWorld, table: TableFacts, row: Record) -> tuple[str, list[Cell]]:
    """The cells of a row as a page shows them, after its id."""
    refers, columns = references(world, table), world.pack.checked.schema.entities[table.name].columns
    return str(row.get("id")), [
        show_cell(world.digest, row.get(c.name), refers.get(c.name, ""), columns[c.name].type.places)
        for c in table.columns
    ]


def show_cell(digest: str, value: Any, target: str = "", places: int = 0) -> Cell:
    """A value as a page shows it: with its places, and as a link where it refers to a row."""
    if value is None:
        return Cell("–", none=True)
    if isinstance(value, (list, dict)):
        return Cell(format_json(value), code=True)
    if isinstance(value, float):
        return Cell(f"{value:,.{places}f}" if places else f"{value:,}")
    return Cell(format_value(value), link("world", digest, "tables", target, value) if target else "")


def find_table(world: OpenWorld, name: str) -> TableFacts:
    tables = known_tables(world)
    if name not in tables:
        raise StoreError(f"this world has no table {name[:60]!r}; {suggest(name[:60], tables)}")
    return tables[name]


def known_rows(world: OpenWorld, table: str) -> list[dict[str, Any]]:
    """The rows of a table, read once."""
    return world.get(("rows", table), lambda: read_table(world.pack.world, table, MAX_ROWS_READ))


def references(world: OpenWorld, table: TableFacts) -> dict[str, str]:
    """By column, the table that it refers to."""
    return {c.name: c.type.entity for c in world.pack.checked.schema.entities[table.name].refs}


def known_lifecycles(world: OpenWorld) -> dict[str, Any]:
    """The pictures of lifecycles by entity, with how many rows are in each state."""

    def draw() -> dict[str, Any]:
        living = {t.name: t for t in known_tables(world).values() if t.lifecycle}
        counts = {n: Counter(str(row.get(t.state_column)) for row in known_rows(world, n)) for n, t in living.items()}
        return dict(draw_lifecycles({n: t.lifecycle for n, t in living.items()}, counts))

    return world.get("lifecycles", draw)


def matches(row: Record, text: str, where: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a row holds a text somewhere, and has the values that are asked for."""
    if any(format_value(row.get(column)) != value for column, value in where):
        return False
    words = text.lower().split()
    if not words:
        return True
    whole = " ".join(_spell(value) for value in row.values()).lower()
    return all(word in whole for word in words)


def _spell(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else format_value(value)


def sort_rows(rows: list[dict[str, Any]], by: str) -> list[dict[str, Any]]:
    """Sort rows by a column, `-column` the largest first; what has no value comes last."""
    name, down = by.removeprefix("-"), by.startswith("-")
    if not name:
        return rows
    having = [row for row in rows if row.get(name) is not None]
    numeric = all(isinstance(row[name], (int, float)) for row in having)
    having.sort(key=lambda row: row[name] if numeric else _spell(row[name]).lower(), reverse=down)
    return [*having, *(row for row in rows if row.get(name) is None)]


def _list_numbers(table: TableFacts) -> set[str]:
    return {c.name for c in table.columns if c.type.startswith(("int", "decimal", "money"))}


def _list_choices(table: TableFacts, rows: Sequence[Record]) -> Iterator[tuple[ColumnFacts, list[tuple[str, int]]]]:
    """Columns with few values, each value with how many rows have it."""
    for column in table.columns:
        if column.type == "state" or column.type.startswith(("one of", "bool")):
            counts = Counter(format_value(row.get(column.name)) for row in rows)
            if 1 < len(counts) <= MAX_WORDS:
                yield column, counts.most_common()


def _link_page(digest: str, name: str, query: dict[str, Any]) -> str:
    return link("world", digest, "tables", name, **query)


def _find_referring(
    world: OpenWorld, table: TableFacts, key: str
) -> Iterator[tuple[str, str, int, list[dict[str, Any]], str]]:
    """The rows of other tables that refer to one: table, column, how many, the first of them, the page of all."""
    for way in table.ways_back.values():
        other, _, column = way.partition(".")
        rows = [row for row in known_rows(world, other) if row.get(column) == key]
        if rows:
            yield (
                other,
                column,
                len(rows),
                rows[:MAX_REFERRING],
                link("world", world.digest, "tables", other, where=f"{column}:{key}"),
            )


def _find_marks(world: OpenWorld, table: str, key: str) -> list[str]:
    """What was laid on a row or planted in it: blemishes, half-done processes, edges of rules."""
    return world.get("marks", lambda: _gather_marks(world.pack.pack.files)).get((table, key), [])


def _gather_marks(files: Mapping[str, bytes]) -> dict[tuple[str, str], list[str]]:
    out: dict[tuple[str, str], list[str]] = {}
    try:
        mess, planted = (json.loads(files.get(name, b"{}")) for name in ("mess.json", "situations.json"))
        said = [(one, f"{one['label']}: {one['layer']} in {one['column']}") for one in mess.get("blemishes", ())]
        said += [(one, f"{one['label']}: left half done") for one in mess.get("half_done", ())]
        said += [(one, f"stands just before {one['operation']} in {one['flow']}") for one in planted.get("ready", ())]
        said += [
            (one, f"{one['field']} stands {one['side']} the edge of {one['rule']}") for one in planted.get("edges", ())
        ]
        for one, text in said:
            out.setdefault((str(one["entity"]), str(one["id"])), []).append(text)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise PackError(f"mess.json or situations.json cannot be read: {e}") from None
    return out
