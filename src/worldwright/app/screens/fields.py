"""Fields: what a tool takes, from its JSON Schema, with what the Blueprint knows of each value."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.app.screens.labels import capitalise, to_choice, to_label
from worldwright.app.screens.prose import is_prose
from worldwright.app.screens.records import Choice, Field, Lookup, Path
from worldwright.blueprint.checked import Input
from worldwright.core.canonical import canonical_json
from worldwright.engine.contract import ContractTool, Take

MAX_LINE_CHARS = 160
"""Sentences that may be longer get a field of several lines."""
MAX_SCHEMA_DEPTH = 8
"""Levels of nested objects and lists that become fields; what lies deeper is written as JSON."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is known of a value besides its schema."""

    entity: str = ""
    codec: str = ""
    help: str | None = None
    """None where only the schema's own description says something."""
    unit: str = ""


Means = Callable[[Path], Meaning]
"""Gives the meaning of the value at a path of keys; elements of lists are at the path of the list."""
NOTHING = Meaning()


def mean_inputs(inputs: tuple[Input, ...], currency: str) -> Means:
    """The meanings of an operation's own inputs."""
    known: dict[Path, Meaning] = {}

    def add(items: tuple[Input, ...], at: Path) -> None:
        for i in items:
            path = (*at, i.name) if i.name else at
            unit = currency if i.type.kind == "money" and "currency" not in i.says.lower() else ""
            known[path] = Meaning(i.type.entity if i.type.kind == "ref" else "", help=i.says, unit=unit)
            add(i.parts, path)

    add(inputs, ())
    return lambda path: known.get(path, NOTHING)


def mean_parameters(tool: ContractTool, inputs: tuple[Input, ...]) -> Means:
    """The meanings of a contract's parameters: those of the inputs that they are taken for."""
    known: dict[Path, Meaning] = {}
    by_name = {i.name: i for i in inputs}

    def add(take: Take, i: Input | None, at: Path) -> None:
        path = (*at, *take.at)
        if i is not None and i.type.kind == "ref":
            known[path] = Meaning(i.type.entity, canonical_json(dict(take.codec)).decode())
        parts = {p.name: p for p in i.parts} if i is not None else {}
        for name, part in take.each.items():
            add(part, parts.get(name), path)

    for name, take in tool.takes.items():
        add(take, by_name.get(name), ())
    return lambda path: known.get(path, NOTHING)


def make_fields(schema: Mapping[str, Any], means: Means = lambda _: NOTHING) -> tuple[Field, ...]:
    """Make the fields of an object's schema, in its order."""
    return _make_parts(schema, schema, means, ())


def make_answer_fields(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """Make the fields of an answer: its texts are names and ids, and an empty one is none; of lists, an empty one can be meant."""

    def shorten(field: Field) -> Field:
        parts = tuple(shorten(part) for part in field.parts)
        kind = "text" if field.kind == "area" else field.kind
        return replace(field, kind=kind, blank=field.blank and kind == "list", help=capitalise(field.help), parts=parts)

    return tuple(shorten(field) for field in make_fields(schema))


def _make_parts(schema: Mapping[str, Any], root: Mapping[str, Any], means: Means, at: Path) -> tuple[Field, ...]:
    required = schema.get("required", ())
    return tuple(
        _make_field(name, part if isinstance(part, Mapping) else {}, root, name in required, means, (*at, name))
        for name, part in schema.get("properties", {}).items()
    )


def _make_field(
    name: str, given: Mapping[str, Any], root: Mapping[str, Any], required: bool, means: Means, at: Path
) -> Field:
    schema, nullable = _resolve(given, root)
    meaning = means(at)
    said = str(schema.get("description", given.get("description", "")))
    base = Field(
        "json", name, to_label(name), meaning.help if meaning.help is not None else said, required, nullable,
        _write_default(schema), entity=meaning.entity, codec=meaning.codec, unit=meaning.unit,
    )  # fmt: skip
    kinds = schema.get("type")
    if "const" in schema:
        return replace(base, kind="fixed", default=_encode(schema["const"]))
    if "enum" in schema:
        return replace(base, kind="choice", choices=_make_choices(schema["enum"]), default=_write_default(schema))
    if len(at) < MAX_SCHEMA_DEPTH and kinds == "array" and isinstance(schema.get("items"), Mapping):
        return _make_list(base, schema, root, means, at)
    if len(at) < MAX_SCHEMA_DEPTH and kinds == "object" and schema.get("properties"):
        return replace(base, kind="group", parts=_make_parts(schema, root, means, at))
    return _make_plain(base, schema, kinds)


def _make_plain(base: Field, schema: Mapping[str, Any], kinds: Any) -> Field:
    """A field for a value without parts."""
    if base.entity and kinds in ("string", "integer"):
        example = str((schema.get("examples") or [""])[0])
        return replace(base, kind="reference", example=example, numeric=kinds == "integer")
    match kinds:
        case "boolean":
            return replace(base, kind="flag", default=_write_default(schema))
        case "integer" | "number":
            low, high = schema.get("minimum"), schema.get("maximum")
            return replace(base, kind=kinds, low=low, high=high)
        case "string":
            if schema.get("format") in ("date", "date-time"):
                return replace(base, kind="day" if schema["format"] == "date" else "moment")
            most, least = schema.get("maxLength"), schema.get("minLength", 0)
            long = is_prose(base.name) and not schema.get("format") and (most is None or most > MAX_LINE_CHARS)
            blank = not base.required and least == 0 and not base.default and "format" not in schema
            return replace(base, kind="area" if long else "text", blank=blank, low=least or None, high=most)
    return base


def _make_choices(values: Sequence[Any]) -> tuple[Choice, ...]:
    """The choices of an enumeration: texts stand in a form as they are, other values as JSON."""
    return tuple(
        Choice(v if isinstance(v, str) else _encode(v), to_choice(v if isinstance(v, str) else _encode(v)), _encode(v))
        for v in values
        if v is not None
    )


def _make_list(base: Field, schema: Mapping[str, Any], root: Mapping[str, Any], means: Means, at: Path) -> Field:
    element = _make_field("", schema["items"], root, True, means, at)
    element = replace(
        element,
        label=_singular_label(base.label),
        nullable=False,
        default="" if element.kind != "fixed" else element.default,
    )
    least, most = int(schema.get("minItems") or 0), int(schema.get("maxItems") or 0)
    return replace(
        base, kind="list", default="", entity="", codec="", parts=(element,), min_items=least, max_items=most,
        blank=not base.required and not least,
    )  # fmt: skip


def _singular_label(label: str) -> str:
    return label[:-1] if label.endswith("s") and not label.endswith("ss") else label


def _resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """A schema with its reference followed, one type chosen, and whether it may be null."""
    nullable = False
    for _ in range(MAX_SCHEMA_DEPTH):
        ref = schema.get("$ref")
        options = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(ref, str) and ref.startswith("#/"):
            found: Any = root
            for step in ref[2:].split("/"):
                found = found.get(step, {}) if isinstance(found, Mapping) else {}
            schema = {**found, **{k: v for k, v in schema.items() if k != "$ref"}} if isinstance(found, Mapping) else {}
        elif isinstance(options, list) and all(isinstance(o, Mapping) for o in options):
            real = [o for o in options if o.get("type") != "null"]
            nullable = nullable or len(real) < len(options)
            if len(real) != 1:
                return {k: v for k, v in schema.items() if k in ("description", "default")}, nullable
            outer = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}
            schema = {**real[0], **outer}
        else:
            break
    kinds = schema.get("type")
    if isinstance(kinds, (list, tuple)):
        real_kinds = [kind for kind in kinds if kind != "null"]
        nullable = nullable or len(real_kinds) < len(kinds)
        schema = {**schema, "type": real_kinds[0] if len(real_kinds) == 1 else None}
    return schema, nullable or bool(schema.get("nullable"))


def _write_default(schema: Mapping[str, Any]) -> str:
    """A default as it stands in a field."""
    value = schema.get("default")
    if value is None or isinstance(value, (dict, list)):
        return ""
    return value if isinstance(value, str) else _encode(value)


def _encode(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def attach_lookups(field: Field, find: Callable[[str, str], tuple[Lookup, ...]]) -> Field:
    """Say of every reference in a field in which searches it can be found."""
    parts = tuple(attach_lookups(part, find) for part in field.parts)
    lookups = find(field.entity, field.codec) if field.kind == "reference" else ()
    return replace(field, parts=parts, lookups=lookups)
