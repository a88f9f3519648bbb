"""Tools as the outside sees them: JSON Schema in and out, from the Blueprint alone."""

from __future__ import annotations

from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.effects import effects
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import Type
from worldwright.core.fixed import to_number
from worldwright.core.names import to_words
from worldwright.english.nouns import indefinite
from worldwright.kinds.database.arguments import MAX_TEXT_CHARS
from worldwright.world.records import ToolSpec


def tool_specs(blueprint: c.Checked) -> dict[str, ToolSpec]:
    """Describe every tool of a Blueprint, by name."""
    return {name: tool_spec(blueprint, name) for name in blueprint.operations}


def tool_spec(blueprint: c.Checked, name: str) -> ToolSpec:
    """Describe one tool."""
    operation = blueprint.operations[name]
    found = effects(blueprint, name)
    return ToolSpec(
        name,
        _description(blueprint, operation, found.codes, found.mutates),
        input_schema(blueprint, operation),
        output_schema(blueprint, operation),
        found.mutates,
        operation.system,
        operation.roles,
    )


def _description(blueprint: c.Checked, operation: c.Operation, codes: tuple[str, ...], mutates: bool) -> str:
    parts = [operation.says]
    if operation.roles:
        parts.append(f"For: {', '.join(to_words(r) for r in operation.roles)}.")
    if mutates and codes:
        parts.append(f"Errors: {', '.join(codes)}.")
    return " ".join(parts)


def input_schema(blueprint: c.Checked, operation: c.Operation) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {i.name: _input(blueprint, i) for i in operation.inputs},
        "required": [i.name for i in operation.inputs if not i.optional and i.default is None],
        "additionalProperties": False,
    }


def _input(blueprint: c.Checked, i: c.Input) -> dict[str, Any]:
    out = _type(blueprint, i.type)
    said = i.says
    if i.type.kind == "ref" and not said:
        said = f"Id of {indefinite(i.type.entity)}."
    elif i.type.monetary:
        said = f"{said} Amount in {blueprint.schema.currency}.".strip()
    if said:
        out["description"] = said
    if i.type.kind == "text":
        out |= {"minLength": i.low or 0, "maxLength": i.high or MAX_TEXT_CHARS}
    elif i.parts:
        out |= {"type": "array", "items": _element(blueprint, i), "minItems": i.low, "maxItems": i.high}
    else:
        if i.low is not None:
            out["minimum"] = to_number(i.low, i.type.places)
        if i.high is not None:
            out["maximum"] = to_number(i.high, i.type.places)
    if i.default is not None:
        value = i.default.value
        out["default"] = to_number(value, i.type.places) if isinstance(value, int) and i.type.places else value
    return out


def _element(blueprint: c.Checked, i: c.Input) -> dict[str, Any]:
    if i.parts[0].name == "":
        return _input(blueprint, i.parts[0])
    return {
        "type": "object",
        "properties": {p.name: _input(blueprint, p) for p in i.parts},
        "required": [p.name for p in i.parts if not p.optional and p.default is None],
        "additionalProperties": False,
    }


def _type(blueprint: c.Checked, kind: Type) -> dict[str, Any]:
    match kind.kind:
        case "int":
            return {"type": "integer"}
        case "decimal" | "money" | "foreign" | "number":
            return {"type": "number", "multipleOf": float(f"1e-{kind.places}")} if kind.places else {"type": "number"}
        case "bool":
            return {"type": "boolean"}
        case "date":
            return {"type": "string", "format": "date"}
        case "time":
            return {"type": "string", "format": "date-time"}
        case "enum":
            return {"type": "string", "enum": list(kind.values)}
        case "ref":
            key = blueprint.schema.entities[kind.entity].key
            return {"type": "string", "pattern": f"^{key.prefix}[0-9]{{{key.digits},}}$", "examples": [key.make(1)]}
    return {"type": "string"}


# what comes out


def output_schema(blueprint: c.Checked, operation: c.Operation) -> dict[str, Any]:
    match operation.read:
        case c.Search() as search:
            return _page(blueprint, search)
        case c.Get() as get:
            return _record(blueprint, blueprint.schema.entities[get.entity], get.embeds)
    if isinstance(operation.gives, n.Node):
        return _record(blueprint, blueprint.schema.entities[operation.gives.type.entity], ())
    values = operation.gives or ()
    properties = {name: _optional(_output(blueprint, v.type)) for name, v in values}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _output(blueprint: c.Checked, kind: Type) -> dict[str, Any]:
    out = _type(blueprint, kind)
    for extra in ("multipleOf", "pattern", "examples"):
        out.pop(extra, None)
    return out


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    out = dict(schema)
    out["type"] = [schema["type"], "null"]
    if "enum" in out:
        out["enum"] = [*out["enum"], None]
    return out


def _column(blueprint: c.Checked, column: Column) -> dict[str, Any]:
    out = _output(blueprint, column.type)
    if column.type.kind == "date" or column.shown is not None:
        out.pop("format", None)
    if column.shown is not None and column.shown.codes:
        out["enum"] = list(column.shown.codes.values())
    if column.optional or not column.stored:
        out = _optional(out)
    said = column.says
    if column.type.monetary and (column.shown is None or not column.shown.by):
        where = f"the currency in `{column.currency}`" if column.currency else blueprint.schema.currency
        said = f"{said} Amount in {where}.".strip()
    if said:
        out["description"] = said
    return out


def _record(blueprint: c.Checked, entity: Entity, embeds: tuple[c.Embed, ...]) -> dict[str, Any]:
    properties: dict[str, Any] = {"id": {"type": "string"}}
    properties |= {c_.name: _column(blueprint, c_) for c_ in entity.columns.values() if not c_.hidden}
    for e in embeds:
        if e.ref is not None:
            inner = _record(blueprint, blueprint.schema.entities[e.ref.type.entity], ())
            properties[e.name] = {**inner, "type": ["object", "null"]}
        else:
            other = blueprint.schema.entities[entity.ways[e.way].entity]
            properties[e.name] = {"type": "array", "items": _record(blueprint, other, ())}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _page(blueprint: c.Checked, search: c.Search) -> dict[str, Any]:
    entity = blueprint.schema.entities[search.entity]
    if search.shows:
        shown = {"id": {"type": "string"}} | {name: _output_of_node(blueprint, node) for name, node in search.shows}
        item: dict[str, Any] = {"type": "object", "properties": shown, "required": list(shown)}
    else:
        item = _record(blueprint, entity, search.embeds)
    return {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": item},
            "total": {"type": "integer"},
            "next_offset": {"type": ["integer", "null"]},
        },
        "required": ["items", "total", "next_offset"],
    }


def _output_of_node(blueprint: c.Checked, node: n.Node) -> dict[str, Any]:
    out = _output(blueprint, node.type)
    out.pop("format", None)
    if isinstance(node, n.Field) and node.base.type.kind == "ref":
        column = blueprint.schema.entities[node.base.type.entity].columns.get(node.name)
        if column is not None and column.shown is not None and column.shown.codes:
            out["enum"] = list(column.shown.codes.values())
    return _optional(out)
