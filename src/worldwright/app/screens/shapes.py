"""Shapes: what the values in a tool's answer mean, from the Blueprint, and through the templates of a contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from worldwright.app.screens.labels import to_label
from worldwright.app.screens.prose import is_prose
from worldwright.app.screens.records import Path, Shape, ShapeKind
from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import Type
from worldwright.core.canonical import canonical_json
from worldwright.engine.contract import ContractTool

KINDS: Mapping[str, ShapeKind] = {
    "int": "number", "decimal": "number", "number": "number", "ratio": "number", "money": "money", "foreign": "money",
    "bool": "flag", "date": "day", "time": "moment", "enum": "word", "ref": "reference",
}  # fmt: skip
"""By kind of type; everything else is text."""
TOTAL, NEXT = ("$total",), ("$next",)
"""What a search gives besides rows: how many there are, and what leads to the next ones."""
PLAIN_CODECS = frozenset({"text", "integer", "number", "boolean", "date", "moment", "list", "json"})
"""Codecs that write a value as the world shows it."""


def describe_answer(blueprint: c.Checked, operation: c.Operation) -> Shape:
    """Describe what an operation gives."""
    match operation.read:
        case c.Search() as search:
            row = _describe_row(blueprint, search)
            rows = replace(row, kind="rows", at=("items",), label=to_label(search.entity))
            total = Shape("number", ("total",), "Total", origin=TOTAL)
            return Shape("record", parts=(rows, total, Shape("any", ("next_offset",), "Next", origin=NEXT)))
        case c.Get() as get:
            return describe_record(blueprint, blueprint.schema.entities[get.entity], get.embeds)
    if isinstance(operation.gives, n.Node):
        return describe_record(blueprint, blueprint.schema.entities[operation.gives.type.entity])
    return Shape("record", parts=tuple(_describe_value(blueprint, name, v) for name, v in operation.gives or ()))


def describe_record(blueprint: c.Checked, entity: Entity, embeds: tuple[c.Embed, ...] = (), origin: Path = ()) -> Shape:
    """Describe the whole record of a row, with what is shown with it."""
    parts = {"id": Shape("id", ("id",), "ID", origin=(*origin, "id"), entity=entity.name)}
    for column in entity.columns.values():
        if not column.hidden:
            parts[column.name] = _describe_column(blueprint, entity, column, origin)
    for embed in embeds:
        parts[embed.name] = _describe_embed(blueprint, entity, embed)
    return Shape("record", origin=origin, entity=entity.name, parts=tuple(parts.values()))


def _describe_embed(blueprint: c.Checked, entity: Entity, embed: c.Embed) -> Shape:
    if embed.ref is not None:
        other = blueprint.schema.entities[embed.ref.type.entity]
        inner = describe_record(blueprint, other, origin=path_of(embed.ref) or ("",))
        return replace(inner, at=(embed.name,), label=to_label(embed.name))
    other = blueprint.schema.entities[entity.ways[embed.way].entity]
    return replace(describe_record(blueprint, other), kind="rows", at=(embed.name,), label=to_label(embed.name))


def _describe_row(blueprint: c.Checked, search: c.Search) -> Shape:
    entity = blueprint.schema.entities[search.entity]
    if not search.shows:
        return describe_record(blueprint, entity, search.embeds)
    own = Shape("id", ("id",), "ID", origin=("id",), entity=entity.name)
    shown = [_describe_value(blueprint, name, node, entity) for name, node in search.shows]
    places = {part.origin: part.at for part in shown}
    return Shape("record", entity=entity.name, parts=(own, *(_place_currency(part, places) for part in shown)))


def _place_currency(shape: Shape, places: Mapping[Path, Path]) -> Shape:
    """Point an amount to the value beside it that names its currency; for now that path is one of columns."""
    return replace(shape, currency_at=places.get(shape.currency_at, ())) if shape.currency_at else shape


def _describe_column(blueprint: c.Checked, entity: Entity, column: Column, origin: Path = ()) -> Shape:
    shown = column.shown
    kind = _kind_of(column.type, column.name, column.flavour)
    out = Shape(
        kind, (column.name,), to_label(column.name), column.says, (*origin, column.name), _entity_of(column.type),
        places=column.type.places,
    )  # fmt: skip
    if column.state:
        return replace(out, kind="state" if shown is None else "word", entity=entity.name)
    if shown is not None and not shown.codes:  # written in a way that each row names
        return replace(out, kind="number" if column.type.numeric else "text")
    return _set_currency(blueprint, out, column)


def _set_currency(blueprint: c.Checked, shape: Shape, column: Column) -> Shape:
    if not column.type.monetary:
        return shape
    if column.currency:
        return replace(shape, currency_at=(column.currency,))
    return replace(shape, currency=blueprint.schema.currency if column.type.kind == "money" else "")


def _describe_value(blueprint: c.Checked, name: str, node: n.Node, row: Entity | None = None) -> Shape:
    """Describe a value that a search lists or an operation gives."""
    path = path_of(node)
    label = to_label(name)
    if isinstance(node, n.Field) and node.base.type.kind == "ref":
        entity = blueprint.schema.entities[node.base.type.entity]
        column = entity.columns.get(node.name)
        if column is not None:
            out = _describe_column(blueprint, entity, column)
            currency = (*path[:-1], column.currency) if out.currency_at else ()
            return replace(out, at=(name,), label=label, origin=path if row else (), currency_at=currency)
        if node.name == "id":
            return Shape("reference", (name,), label, origin=path[:-1], entity=entity.name)
    kind = node.type
    money = blueprint.schema.currency if kind.kind == "money" else ""
    return Shape(
        _kind_of(kind, name), (name,), label, origin=path if row else (), entity=_entity_of(kind), places=kind.places,
        currency=money,
    )  # fmt: skip


def _kind_of(kind: Type, name: str, flavour: str = "") -> ShapeKind:
    if kind.kind in KINDS:
        return KINDS[kind.kind]
    return "prose" if is_prose(name) or flavour == "sentence" else "text"


def _entity_of(kind: Type) -> str:
    return kind.entity if kind.kind == "ref" else ""


def path_of(node: n.Node) -> Path:
    """The columns that lead from a row to a value; empty where it is worked out otherwise."""
    names: list[str] = []
    while isinstance(node, n.Field):
        names.append(node.name)
        node = node.base
    return tuple(reversed(names)) if isinstance(node, n.Var) and node.name == "self" else ()


# through a contract


def describe_contract_answer(tool: ContractTool, inside: Shape) -> Shape:
    """Describe what a tool of a contract answers, from what the operation behind it gives."""
    return _describe_template(tool.gives, inside, ())


def _describe_template(template: Mapping[str, Any], data: Shape, at: Path) -> Shape:
    label = to_label(at[-1]) if at else ""
    if "is" in template:
        return Shape("any", at, label)
    if "text" in template:
        return replace(_describe_template(template["text"], data, at), written=True)
    if "fields" in template:
        parts = tuple(_describe_template(part, data, (name,)) for name, part in template["fields"].items())
        places = {part.origin: part.at for part in parts if part.origin}
        owner = data.entity if any(part.origin == ("id",) for part in parts) else ""
        return Shape("record", at, label, entity=owner, parts=tuple(_place_currency(p, places) for p in parts))
    if "rows" in template:
        rows = find_shape(data, template["rows"])
        each = _describe_template(template["each"], rows or Shape("any"), ())
        return Shape("rows", at, label, entity=each.entity, parts=each.parts or (each,))
    found = find_shape(data, template["from"])
    if found is None:
        return Shape("any", at, label)
    return _write(replace(found, at=at, label=label), template["codec"])


def _write(shape: Shape, codec: Mapping[str, Any]) -> Shape:
    """The shape of a value as a contract writes it."""
    if shape.kind in ("id", "reference"):
        return replace(shape, codec=canonical_json(codec).decode())
    if shape.kind in ("record", "rows"):  # written as a whole
        return replace(shape, kind="any", parts=())
    if codec["as"] == "words":
        return replace(shape, kind="word" if shape.kind == "flag" else shape.kind)
    return shape if codec["as"] in PLAIN_CODECS else replace(shape, kind="text", currency="", currency_at=())


def find_shape(data: Shape, path: Path | list[str]) -> Shape | None:
    """Find the shape at a path of keys."""
    for step in path:
        found = next((part for part in data.parts if part.at == (step,)), None)
        if found is None:
            return None
        data = found
    return data


def walk_row(row: Shape) -> Iterator[tuple[Path, Shape]]:
    """Walk over the values of one row with where they stand, through records in it and not into rows."""
    for part in row.parts:
        yield part.at, part
        if part.kind == "record" and not part.written:
            for path, inner in walk_row(part):
                yield (*part.at, *path), inner


def find_rows(shape: Shape, at: Path = ()) -> tuple[Path, Shape] | None:
    """Find the rows in a search's answer: the first list of records."""
    if shape.kind == "rows":
        return at, shape
    for part in shape.parts:
        found = find_rows(part, (*at, *part.at)) if part.kind in ("rows", "record") else None
        if found is not None:
            return found
    return None
