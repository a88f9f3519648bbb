"""JSON Schema, in whatever dialect it comes, as shapes.

OpenAPI 2.0, 3.0 and 3.1 and MCP tools all speak a JSON Schema of their own. References are resolved by whoever knows the document;
a cycle is cut where it closes. Nothing raises: what is no schema at all has the shape `any`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Field, Shape
from worldwright.core.regex import generate_matches

MAX_DEPTH = 12
"""Levels of nesting that are looked into."""
MAX_FIELDS = 400
MAX_BOUND = 10**300
"""Bounds beyond it are none."""
MAX_ENUM_VALUES = 2_000
"""Words of one enum."""

Resolve = Callable[[str], tuple[str, Any] | None]
"""A reference as it is written; its name and what it points to, or None where it leads nowhere."""

KINDS = frozenset({"object", "array", "string", "integer", "number", "boolean"})


def resolve_nothing(reference: str) -> tuple[str, Any] | None:
    return None


def shape_of(schema: Any, resolve: Resolve = resolve_nothing, name: str = "") -> Shape:
    """The shape that a schema describes."""
    return _shape(schema, resolve, name, (), 0)


def _shape(schema: Any, resolve: Resolve, name: str, inside: tuple[str, ...], depth: int) -> Shape:
    if schema is True or not isinstance(schema, Mapping):
        return Shape("any", name=name)
    if depth > MAX_DEPTH:
        return Shape("any", name=name, cut=True)
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _referred(reference, schema, resolve, inside, depth)
    merged = _all_of(schema, resolve, inside, depth)
    one_of = _choices(merged)
    if one_of:
        return _one_of(merged, one_of, resolve, name, inside, depth)
    kind, nullable = _kind(merged)
    shape = _make_plain_shape(merged, kind, nullable, name)
    if kind == "object":
        fields = dict(_fields(merged, resolve, inside, depth))
        more = merged.get("additionalProperties")
        return replace(shape, fields=fields, open=bool(more) or (more is None and not fields))
    if kind == "array":
        return replace(shape, items=_shape(merged.get("items", True), resolve, "", inside, depth + 1))
    return shape


def _referred(
    reference: str, schema: Mapping[str, Any], resolve: Resolve, inside: tuple[str, ...], depth: int
) -> Shape:
    found = resolve(reference)
    if found is None:
        return Shape("any", name=reference.rsplit("/", 1)[-1], cut=True)
    name, target = found
    if reference in inside:
        return Shape(_kind(target)[0] if isinstance(target, Mapping) else "any", name=name, cut=True)
    shape = _shape(target, resolve, name, (*inside, reference), depth + 1)
    says = schema.get("description")
    shape = replace(shape, name=shape.name or name)
    if schema.get("nullable") is True:
        shape = replace(shape, nullable=True)
    return replace(shape, says=says) if isinstance(says, str) else shape


def _all_of(schema: Mapping[str, Any], resolve: Resolve, inside: tuple[str, ...], depth: int) -> Mapping[str, Any]:
    """The schema with every part of `allOf` laid over it, references and nested ones too."""
    parts = schema.get("allOf")
    if not isinstance(parts, Sequence) or isinstance(parts, str):
        return schema
    out: dict[str, Any] = {}
    for part in parts:
        seen: set[str] = set(inside)
        while isinstance(part, Mapping) and isinstance(part.get("$ref"), str) and part["$ref"] not in seen:
            seen.add(part["$ref"])
            found = resolve(part["$ref"])
            part = found[1] if found is not None else {}
        if isinstance(part, Mapping) and "$ref" not in part and depth <= MAX_DEPTH:
            _lay(out, _all_of(part, resolve, tuple(seen), depth + 1))
    _lay(out, {k: v for k, v in schema.items() if k != "allOf"})
    return out


def _lay(out: dict[str, Any], part: Mapping[str, Any]) -> None:
    for key, value in part.items():
        if key == "properties" and isinstance(value, Mapping) and isinstance(out.get(key), Mapping):
            out[key] = {**out[key], **value}
        elif key == "required" and isinstance(value, list) and isinstance(out.get(key), list):
            out[key] = [*out[key], *(v for v in value if v not in out[key])]
        else:
            out[key] = value


def _choices(schema: Mapping[str, Any]) -> list[Any]:
    for key in ("oneOf", "anyOf"):
        parts = schema.get(key)
        if isinstance(parts, list) and parts and "properties" not in schema:
            return parts
    return []


def _one_of(
    schema: Mapping[str, Any], parts: list[Any], resolve: Resolve, name: str, inside: tuple[str, ...], depth: int
) -> Shape:
    """Several forms as one: objects with all of their fields, none required that one of them does not have; words together."""
    shapes = [_shape(p, resolve, name, inside, depth + 1) for p in parts[:MAX_FIELDS]]
    real = [s for s, p in zip(shapes, parts, strict=False) if not (isinstance(p, Mapping) and p.get("type") == "null")]
    nullable = len(real) < len(shapes) or any(s.nullable for s in real) or schema.get("nullable") is True
    says = schema.get("description") if isinstance(schema.get("description"), str) else ""
    if not real:
        return Shape("any", name=name, nullable=True)
    first = next((s for s in real if s.kind == "object" and s.fields), real[0])
    alike = [s for s in real if s.kind == first.kind]
    if first.kind == "object":
        fields = {n: f for s in reversed(alike) for n, f in s.fields.items()}
        needed = {n for n in fields if all(n in s.fields and s.fields[n].required for s in alike)}
        names = dict.fromkeys(n for s in alike for n in s.fields)
        first = replace(first, fields={n: replace(fields[n], required=n in needed) for n in names})
    elif all(s.enum for s in alike):
        first = replace(first, enum=tuple(dict.fromkeys(v for s in alike for v in s.enum)))
    else:
        first = replace(first, enum=())
    return replace(first, nullable=nullable, name=name or first.name, says=says or first.says)


def _kind(schema: Mapping[str, Any]) -> tuple[str, bool]:
    """The kind of value, and whether it may be null."""
    said = schema.get("type")
    kinds = [k for k in (said if isinstance(said, list) else [said]) if isinstance(k, str)]
    nullable = "null" in kinds or schema.get("nullable") is True or schema.get("x-nullable") is True
    real = [k for k in kinds if k in KINDS]
    if real:
        return next((k for k in real if k in ("object", "array")), real[0]), nullable
    if "file" in kinds:
        return "string", nullable
    if isinstance(schema.get("properties"), Mapping) or "additionalProperties" in schema:
        return "object", nullable
    if "items" in schema:
        return "array", nullable
    words = schema.get("enum")
    if isinstance(words, list) and words:
        return _kind_of_value(next((w for w in words if w is not None), "")), nullable or None in words
    if "const" in schema:
        return _kind_of_value(schema["const"]), nullable
    if isinstance(schema.get("pattern"), str) or isinstance(schema.get("format"), str):
        return "string", nullable
    return "any", nullable


def _kind_of_value(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    kinds = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "any")


def _make_plain_shape(schema: Mapping[str, Any], kind: str, nullable: bool, name: str) -> Shape:
    words = schema.get("enum")
    enum = tuple(w for w in words[:MAX_ENUM_VALUES] if w is not None) if isinstance(words, list) else ()
    if not enum and "const" in schema and schema["const"] is not None:
        enum = (schema["const"],)
    return Shape(
        kind,
        _text(schema, "format"),
        _text(schema, "title") if not name and kind == "object" else name,
        enum,
        nullable=nullable,
        default=schema.get("default"),
        examples=tuple(_examples(schema)),
        minimum=_number(schema, "minimum", "exclusiveMinimum"),
        maximum=_number(schema, "maximum", "exclusiveMaximum"),
        shortest=_whole(schema, "minLength", "minItems"),
        longest=_whole(schema, "maxLength", "maxItems"),
        pattern=_text(schema, "pattern"),
        says=_text(schema, "description"),
    )


def _fields(
    schema: Mapping[str, Any], resolve: Resolve, inside: tuple[str, ...], depth: int
) -> Iterator[tuple[str, Field]]:
    found = schema.get("properties")
    required = schema.get("required")
    needed = {r for r in required if isinstance(r, str)} if isinstance(required, list) else set()
    if not isinstance(found, Mapping):
        return
    for name, part in list(found.items())[:MAX_FIELDS]:
        shape = _shape(part, resolve, "", inside, depth + 1)
        facts = part if isinstance(part, Mapping) else {}
        needs = str(name) in needed or facts.get("required") is True  # the latter is a habit of the third draft
        reads, writes = facts.get("readOnly") is True, facts.get("writeOnly") is True
        yield str(name), Field(str(name), shape, needs, read_only=reads, write_only=writes, says=shape.says)


def _examples(schema: Mapping[str, Any]) -> Iterator[Any]:
    yield from (schema[key] for key in ("example", "x-example") if schema.get(key) is not None)
    several = schema.get("examples")
    yield from several[:5] if isinstance(several, list) else ()


def _text(schema: Mapping[str, Any], key: str) -> str:
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def _number(schema: Mapping[str, Any], *keys: str) -> float | None:
    for key in keys:
        value = schema.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= MAX_BOUND:
            return float(value)
    return None


def _whole(schema: Mapping[str, Any], *keys: str) -> int | None:
    number = _number(schema, *keys)
    return None if number is None or abs(number) > 2**53 else int(number)


def text_place(schema: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """Where an answer that is nothing but a text has it; None where more is declared than that."""
    if schema is None or schema.get("type", "object") not in ("object", "string"):
        return None
    if schema.get("type") == "string":
        return None if schema.keys() & {"enum", "format", "pattern", "const", "maxLength"} else ()
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or len(properties) != 1:
        return None
    [(name, only)] = properties.items()
    plain = isinstance(only, Mapping) and only.get("type") == "string"
    return (name,) if plain and name in TEXTS and text_place(only) == () else None


TEXTS = frozenset({"result", "content", "text", "output", "message", "response", "data"})
"""What a text is called that is all of an answer."""


def is_untyped(schema: Mapping[str, Any] | None) -> bool:
    """Tell whether a schema is that of any object, of a list of any, or of any text: `{"type": "object"}`."""
    if schema is None:
        return False
    if text_place(schema) is not None:
        return True
    if schema.get("type") == "array":
        items = schema.get("items", {})
        return isinstance(items, Mapping) and is_untyped(items)
    own = schema.keys() - {"type", "description", "title", "additionalProperties", "example", "nullable"}
    own -= {"properties"} if not schema.get("properties") else set()
    return (
        not own and schema.get("type", "object") == "object" and schema.get("additionalProperties") in (None, True, {})
    )


# The least value that a JSON Schema accepts: for the parts of an answer that nothing is known of.


MAX_MINIMAL_DEPTH = 14
FORMAT_EXAMPLES: Mapping[str, str] = {
    "date": "2025-01-31", "date-time": "2025-01-31T09:00:00Z", "time": "09:00:00Z", "email": "someone@mail.example",
    "uuid": "00000000-0000-4000-8000-000000000000", "uri": "https://www.example.org/", "url": "https://www.example.org/",
    "hostname": "www.example.org", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "AA==",
}  # fmt: skip

Schema = Mapping[str, Any]


def resolve_schema(schema: Any, root: Schema) -> Schema:
    """A schema with its reference followed and its parts laid together."""

    def resolve(reference: str) -> tuple[str, Any]:
        name = reference.removeprefix("#/$defs/")
        return name, root.get("$defs", {}).get(name, {})

    plain = isinstance(schema, Mapping) and "$ref" not in schema and "allOf" not in schema
    return schema if plain else _all_of({"allOf": [schema]}, resolve, (), 0)


def first_form(schema: Any, root: Schema) -> Schema:
    """A schema with its reference followed; of several forms the first object or list, else the first that is anything."""
    found = resolve_schema(schema, root)
    forms = [resolve_schema(part, root) for part in _choices(found)]
    held = [f for f in forms if "properties" in f or "items" in f]
    return next(iter(held or (f for f in forms if f.get("type") != "null")), {}) if forms else found


def minimal_value(schema: Any, root: Schema, depth: int = 0) -> Any:
    """A value that the schema accepts, as small as can be."""
    found = resolve_schema(schema, root)
    for key in ("const", "default"):
        if found.get(key) is not None:
            return found[key]
    words = found.get("enum")
    if isinstance(words, list) and words:
        return words[0]
    for key in ("oneOf", "anyOf"):
        if isinstance(found.get(key), list) and found[key]:
            plain = [p for p in found[key] if resolve_schema(p, root).get("type") != "null"]
            return minimal_value({**(plain or found[key])[0]}, root, depth + 1) if depth < MAX_MINIMAL_DEPTH else None
    kind = found.get("type")
    if isinstance(kind, list):
        if "null" in kind:
            return None
        kind = kind[0] if kind else None
    if kind == "object" or "properties" in found:
        properties = found.get("properties", {})
        needed = found.get("required", ()) if depth < MAX_MINIMAL_DEPTH else ()
        return {n: minimal_value(properties.get(n, {}), root, depth + 1) for n in needed if isinstance(n, str)}
    if kind == "array":
        least = min(int(found.get("minItems", 0)), 5) if depth < MAX_MINIMAL_DEPTH else 0
        return [minimal_value(found.get("items", {}), root, depth + 1) for _ in range(least)]
    return _minimal_scalar(kind, found)


def _minimal_scalar(kind: Any, found: Schema) -> Any:
    if kind in ("integer", "number"):
        low, high = found.get("minimum"), found.get("maximum")
        number = low if isinstance(low, (int, float)) else min(0, high) if isinstance(high, (int, float)) else 0
        above = found.get("exclusiveMinimum")
        if isinstance(above, (int, float)) and not isinstance(above, bool) and number <= above:
            number = above + 1
        return int(number) if kind == "integer" else number
    if kind == "boolean":
        return False
    if kind == "string":
        if isinstance(found.get("pattern"), str):
            return next(iter(generate_matches(found["pattern"], "fill", 1)), "")
        text = FORMAT_EXAMPLES.get(str(found.get("format")), "")
        least = found.get("minLength", 0)
        return text if len(text) >= least else text + "x" * (least - len(text))
    return None
