"""JSON Schema, in whatever dialect it comes, as shapes.

OpenAPI 2.0, 3.0 and 3.1 and MCP tools all speak a JSON Schema of their own. References are resolved by whoever knows the document;
a cycle is cut where it closes. Nothing raises: what is no schema at all has the shape `any`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.schema.references import Resolve
from worldwright.core.regex import generate_matches

MAX_DEPTH = 12
"""Levels of nesting that are looked into."""
MAX_FIELDS = 400
MAX_BOUND = 10**300
"""Bounds beyond it are none."""
MAX_ENUM_VALUES = 2_000
"""Words of one enum."""
KINDS = frozenset({"object", "array", "string", "integer", "number", "boolean"})
Schema = Mapping[str, Any]


def shape_of(schema: Any, resolve: Resolve = lambda reference: None, name: str = "") -> Shape:
    """The shape that a schema describes."""
    return _Shaper(resolve).shape(schema, name, (), 0)


@dataclass(frozen=True, slots=True)
class _Shaper:
    """Makes shapes; `inside` are the references that led to a schema."""

    resolve: Resolve

    def shape(self, schema: Any, name: str, inside: tuple[str, ...], depth: int) -> Shape:
        if schema is True or not isinstance(schema, Mapping):
            return Shape("any", name=name)
        if depth > MAX_DEPTH:
            return Shape("any", name=name, cut=True)
        if isinstance(schema.get("$ref"), str):
            return self._referred(schema, inside, depth)
        merged = lay_all_of(schema, self.resolve, inside, depth)
        if _choices(merged):
            return self._one_of(merged, name, inside, depth)
        kind, nullable = _kind(merged)
        shape = _make_plain_shape(merged, kind, nullable, name)
        if kind == "object":
            fields = dict(self._fields(merged, inside, depth))
            more = merged.get("additionalProperties")
            return replace(shape, fields=fields, open=bool(more) or (more is None and not fields))
        if kind == "array":
            return replace(shape, items=self.shape(merged.get("items", True), "", inside, depth + 1))
        return shape

    def _referred(self, schema: Schema, inside: tuple[str, ...], depth: int) -> Shape:
        reference = schema["$ref"]
        found = self.resolve(reference)
        if found is None:
            return Shape("any", name=reference.rsplit("/", 1)[-1], cut=True)
        name, target = found
        if reference in inside:
            return Shape(_kind(target)[0] if isinstance(target, Mapping) else "any", name=name, cut=True)
        shape = self.shape(target, name, (*inside, reference), depth + 1)
        nullable = shape.nullable or schema.get("nullable") is True
        return replace(shape, name=shape.name or name, nullable=nullable, says=_text(schema, "description", shape.says))

    def _one_of(self, schema: Schema, name: str, inside: tuple[str, ...], depth: int) -> Shape:
        """Several forms as one: objects with all of their fields, none required that one of them does not have; words together."""
        forms = _choices(schema)[:MAX_FIELDS]
        real = [self.shape(form, name, inside, depth + 1) for form in forms if not _is_null(form)]
        nullable = len(real) < len(forms) or any(s.nullable for s in real) or schema.get("nullable") is True
        if not real:
            return Shape("any", name=name, nullable=True)
        first = next((s for s in real if s.kind == "object" and s.fields), real[0])
        alike = [s for s in real if s.kind == first.kind]
        if first.kind == "object":
            fields: dict[str, Field] = {}
            for one in (f for s in alike for f in s.fields.values() if f.name not in fields):
                needed = all(one.name in s.fields and s.fields[one.name].required for s in alike)
                fields[one.name] = replace(one, required=needed)
            first = replace(first, fields=fields)
        enum = tuple({repr(v): v for s in alike for v in s.enum}.values()) if all(s.enum for s in alike) else ()
        enum, says = first.enum if first.kind == "object" else enum, _text(schema, "description") or first.says
        return replace(first, enum=enum, nullable=nullable, name=name or first.name, says=says)

    def _fields(self, schema: Schema, inside: tuple[str, ...], depth: int) -> Iterator[tuple[str, Field]]:
        found, required = schema.get("properties"), schema.get("required")
        needed = {r for r in required if isinstance(r, str)} if isinstance(required, list) else set()
        for name, part in list(found.items())[:MAX_FIELDS] if isinstance(found, Mapping) else ():
            shape = self.shape(part, "", inside, depth + 1)
            facts = part if isinstance(part, Mapping) else {}
            needs = str(name) in needed or facts.get("required") is True  # the latter is a habit of the third draft
            reads, writes = facts.get("readOnly") is True, facts.get("writeOnly") is True
            yield str(name), Field(str(name), shape, needs, read_only=reads, write_only=writes, says=shape.says)


def lay_all_of(schema: Schema, resolve: Resolve, inside: tuple[str, ...] = (), depth: int = 0) -> Schema:
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
            _lay(out, lay_all_of(part, resolve, tuple(seen), depth + 1))
    _lay(out, {k: v for k, v in schema.items() if k != "allOf"})
    return out


def _lay(out: dict[str, Any], part: Schema) -> None:
    for key, value in part.items():
        old = out.get(key)
        if key == "properties" and isinstance(value, Mapping) and isinstance(old, Mapping):
            out[key] = {**old, **value}
        elif key == "required" and isinstance(value, list) and isinstance(old, list):
            out[key] = [*old, *(v for v in value if v not in old)]
        else:
            out[key] = value


def _choices(schema: Schema) -> list[Any]:
    found = [] if "properties" in schema else [schema.get(key) for key in ("oneOf", "anyOf")]
    return next((parts for parts in found if isinstance(parts, list) and parts), [])


def _is_null(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "null"


def _kind(schema: Schema) -> tuple[str, bool]:
    """The kind of value, and whether it may be null."""
    said, words = schema.get("type"), schema.get("enum")
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
    if isinstance(words, list) and words:
        return kind_of_value(next((w for w in words if w is not None), "")), nullable or None in words
    if "const" in schema:
        return kind_of_value(schema["const"]), nullable
    return "string" if _text(schema, "pattern") or _text(schema, "format") else "any", nullable


def kind_of_value(value: Any) -> str:
    """The kind of shape that a JSON value has."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "any")


def _make_plain_shape(schema: Schema, kind: str, nullable: bool, name: str) -> Shape:
    words, several = schema.get("enum"), schema.get("examples")
    enum = tuple(w for w in words[:MAX_ENUM_VALUES] if w is not None) if isinstance(words, list) else ()
    said = [schema[key] for key in ("example", "x-example") if schema.get(key) is not None]
    return Shape(
        kind,
        _text(schema, "format"),
        _text(schema, "title") if not name and kind == "object" else name,
        enum or ((schema["const"],) if schema.get("const") is not None else ()),
        nullable=nullable,
        default=schema.get("default"),
        examples=(*said, *(several[:5] if isinstance(several, list) else ())),
        minimum=_number(schema, "minimum", "exclusiveMinimum"),
        maximum=_number(schema, "maximum", "exclusiveMaximum"),
        shortest=_whole(schema, "minLength", "minItems"),
        longest=_whole(schema, "maxLength", "maxItems"),
        pattern=_text(schema, "pattern"),
        says=_text(schema, "description"),
    )


def _text(schema: Schema, key: str, otherwise: str = "") -> str:
    value = schema.get(key)
    return value if isinstance(value, str) else otherwise


def _number(schema: Schema, *keys: str) -> float | None:
    numbers = [v for key in keys if isinstance(v := schema.get(key), (int, float)) and not isinstance(v, bool)]
    return next((float(v) for v in numbers if abs(v) <= MAX_BOUND), None)


def _whole(schema: Schema, *keys: str) -> int | None:
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
    if schema is None or text_place(schema) is not None:
        return schema is not None
    if schema.get("type") == "array":
        items = schema.get("items", {})
        return isinstance(items, Mapping) and is_untyped(items)
    own = {k for k in schema if k != "properties" or schema[k]} - {
        "type",
        "description",
        "title",
        "example",
        "nullable",
    }
    free = schema.get("additionalProperties") in (None, True, {})
    return free and own <= {"additionalProperties"} and schema.get("type", "object") == "object"


# The least value that a JSON Schema accepts: for the parts of an answer that nothing is known of.


MAX_MINIMAL_DEPTH = 14
FORMAT_EXAMPLES: Mapping[str, str] = {
    "date": "2025-01-31", "date-time": "2025-01-31T09:00:00Z", "time": "09:00:00Z", "email": "someone@mail.example",
    "uuid": "00000000-0000-4000-8000-000000000000", "uri": "https://www.example.org/", "url": "https://www.example.org/",
    "hostname": "www.example.org", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "AA==",
}  # fmt: skip


def resolve_schema(schema: Any, root: Schema) -> Schema:
    """A schema with its reference followed and its parts laid together."""

    def resolve(reference: str) -> tuple[str, Any]:
        name = reference.removeprefix("#/$defs/")
        return name, root.get("$defs", {}).get(name, {})

    plain = isinstance(schema, Mapping) and "$ref" not in schema and "allOf" not in schema
    return schema if plain else lay_all_of({"allOf": [schema]}, resolve)


def first_form(schema: Any, root: Schema) -> Schema:
    """A schema with its reference followed; of several forms the first object or list, else the first that is anything."""
    found = resolve_schema(schema, root)
    forms = [resolve_schema(part, root) for part in _choices(found)]
    held = [f for f in forms if "properties" in f or "items" in f]
    first = next(iter(held or (f for f in forms if f.get("type") != "null")), {}) if forms else found
    return _tell_apart(first, [f for f in held if f is not first]) if "oneOf" in found else first


def _tell_apart(form: Schema, others: Sequence[Schema]) -> Schema:
    """The form with a property required that no other form has, where what it requires now fits another form as well."""
    needed = form.get("required", [])
    own = [n for n in form.get("properties", {}) if all(n not in other.get("properties", {}) for other in others)]
    shared = not any(n in own for n in needed) and any(set(other.get("required", ())) <= {*needed} for other in others)
    return {**form, "required": [*needed, own[0]]} if others and own and shared else form


def minimal_value(schema: Any, root: Schema, depth: int = 0) -> Any:
    """A value that the schema accepts, as small as can be."""
    found = resolve_schema(schema, root)
    known = [found[key] for key in ("const", "default") if found.get(key) is not None] or found.get("enum")
    if isinstance(known, list) and known:
        return known[0]
    forms: list[Any] = next((found[k] for k in ("oneOf", "anyOf") if isinstance(found.get(k), list) and found[k]), [])
    if forms:
        plain = [f for f in (resolve_schema(p, root) for p in forms) if f.get("type") != "null"] or [forms[0]]
        first = _tell_apart(plain[0], plain[1:]) if "oneOf" in found else plain[0]
        return minimal_value(first, root, depth + 1) if depth < MAX_MINIMAL_DEPTH else None
    said = found.get("type")
    kind = next(iter(said), None) if isinstance(said, list) else said
    if isinstance(said, list) and "null" in said:
        return None
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
