"""Lists: how the rows of a search are shown, filtered and turned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from worldwright.app.screens.labels import capitalise, split_name, to_phrase
from worldwright.app.screens.records import Column, Form, Hole, ListScreen, Paging, Path, Shape, Title
from worldwright.app.screens.shapes import NEXT, TOTAL, find_rows
from worldwright.app.screens.titles import NAMING, make_titles
from worldwright.blueprint import checked as c
from worldwright.core.names import to_words
from worldwright.engine.contract import ContractTool
from worldwright.english.nouns import plural

MAX_MAIN_COLUMNS = 7
"""Columns of a list that are shown at first."""
LISTING = frozenset({"find", "list", "search", "browse", "show", "query", "lookup", "all"})
"""Verbs after which the name of a search says what it lists."""
WEIGHTS: Mapping[str, int] = {
    "state": 100, "reference": 60, "record": 58, "money": 56, "day": 50, "moment": 48, "word": 44, "text": 40, "number": 32,
    "flag": 22, "rows": 12, "any": 10, "prose": 4,
}  # fmt: skip
"""How much a column of each kind says at first sight."""


def find_noun(blueprint: c.Checked, entity: str) -> str:
    """What people call a row of an entity."""
    spec = blueprint.blueprint.entities[entity]
    return spec.noun or to_words(entity)


def name_list(blueprint: c.Checked, tool: str, entity: str) -> str:
    """Name the list of a search: by what its name says it finds, else by what its rows are."""
    verb, *rest = split_name(tool)
    if verb.lower() in LISTING and rest:
        return capitalise(to_phrase(" ".join(rest)))
    return capitalise(plural(find_noun(blueprint, entity)))


def make_list(
    blueprint: c.Checked, operation: c.Operation, form: Form, contract_tool: ContractTool | None = None
) -> ListScreen | None:
    """Make the list of a search; none where its answer has no rows."""
    search = operation.read
    found = find_rows(form.gives)
    if not isinstance(search, c.Search) or found is None:
        return None
    rows_at, rows = found
    row = Shape("record", entity=search.entity, parts=rows.parts)
    parameters = _map_inputs(operation, contract_tool)
    filters = {parameters[f.name]: (f.column, f.op) for f in search.filters if f.name in parameters}
    noun = find_noun(blueprint, search.entity)
    paging = _make_paging(form, parameters, contract_tool)
    sorts = _list_sorts(form, paging.sort)
    columns = _make_columns(blueprint, search.entity, row, sorts)
    title = name_list(blueprint, form.tool, search.entity)
    return ListScreen(
        form, title, noun, search.entity, rows_at, row, columns, _name_row(row), paging, filters,
        tuple(f.name for f in form.fields if f.required and not f.default),
    )  # fmt: skip


def _map_inputs(operation: c.Operation, tool: ContractTool | None) -> dict[str, str]:
    """Under which parameter each input is given."""
    if tool is None:
        return {i.name: i.name for i in operation.inputs}
    return {name: ".".join(take.at) for name, take in tool.takes.items()}


def _make_paging(form: Form, parameters: Mapping[str, str], tool: ContractTool | None) -> Paging:
    limit, offset = parameters.get("limit", ""), parameters.get("offset", "")
    field = form.field(limit)
    turned = tool.takes["offset"].turned if tool is not None and offset else ""
    places = dict(_find_markers(form.gives, ()))
    return Paging(
        limit, offset, "page" if turned == "page" else "cursor" if turned else "",
        int(field.default) if field is not None and field.default.isdigit() else 10,
        int(field.high) if field is not None and field.high else 50,
        parameters.get("sort", ""), places.get(TOTAL, ()), places.get(NEXT, ()),
    )  # fmt: skip


def _find_markers(shape: Shape, at: Path) -> list[tuple[Path, Path]]:
    """Where the number of all rows, and what leads to the next ones, stand in an answer."""
    out: list[tuple[Path, Path]] = []
    for part in shape.parts if shape.kind == "record" else ():
        here = (*at, *part.at)
        if part.origin in (TOTAL, NEXT):
            out.append((part.origin, here))
        out += _find_markers(part, here)
    return out


def _list_sorts(form: Form, name: str) -> frozenset[str]:
    field = form.field(name) if name else None
    return frozenset(choice.value for choice in field.choices) if field is not None else frozenset()


def _name_row(row: Shape) -> tuple[Title, ...]:
    """How a row is named in its list: by the first of its own values that is a name."""
    return make_own_titles(row)[:1]


def make_own_titles(row: Shape) -> tuple[Title, ...]:
    """The naming values that a row has itself."""
    from_row = {part.origin: part for part in row.parts if len(part.origin) == 1 and part.kind in ("text", "prose")}
    found = [from_row[(name,)] for name in NAMING if (name,) in from_row]
    return tuple(_title_of(part) for part in found)


def _title_of(part: Shape) -> Title:
    return Title((Hole(part.at, part),))


def _make_columns(blueprint: c.Checked, entity: str, row: Shape, sorts: frozenset[str]) -> tuple[Column, ...]:
    """The columns of a list. A name that stands beside a reference becomes part of it."""
    named = {hole.at for title in _name_row(row) for hole in title.pieces if not isinstance(hole, str)}
    taken: set[Path] = set()
    columns: list[Column] = []
    for part in row.parts:
        if part.kind == "reference" and part.origin:
            titles = make_titles(blueprint, part.entity, row, part.origin)
            columns.append(Column(part, titles, sorts=_find_sorts(part, sorts)))
            beside = [hole.at for title in titles for hole in title.pieces if not isinstance(hole, str)]
            taken.update(at for at in beside[:1] if len(titles[0].pieces) == 1 or len(beside) == 1)
        elif part.kind != "id" and part.at not in named:
            columns.append(Column(part, sorts=_find_sorts(part, sorts)))
    columns = [column for column in columns if column.shape.at not in taken]
    return choose_main(columns)


def _find_sorts(part: Shape, sorts: frozenset[str]) -> tuple[str, str]:
    name = part.origin[-1] if len(part.origin) == 1 else ""
    return (name if name in sorts else "", f"{name}_desc" if f"{name}_desc" in sorts else "")


def choose_main(columns: list[Column]) -> tuple[Column, ...]:
    if len(columns) <= MAX_MAIN_COLUMNS + 1:
        return tuple(columns)
    ranked = sorted(range(len(columns)), key=lambda at: (-_weigh(columns[at], at), at))[:MAX_MAIN_COLUMNS]
    return tuple(replace(column, main=at in ranked) for at, column in enumerate(columns))


def _weigh(column: Column, at: int) -> int:
    sorted_by = 12 if any(column.sorts) else 0
    return WEIGHTS.get(column.shape.kind, 0) + sorted_by - at
