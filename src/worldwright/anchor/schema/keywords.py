"""The keywords of JSON Schema 2020-12: what has to stand under each, and what is made of it where it is written otherwise."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from worldwright.formats.json_text import deeper

KEYWORD_FORMS: Mapping[str, str] = {
    **dict.fromkeys(
        ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems",
         "unevaluatedProperties", "contentSchema"),
        "schema",
    ),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), "schemas"),
    **dict.fromkeys(("properties", "$defs", "definitions", "dependentSchemas"), "named"),
    **dict.fromkeys(("title", "description", "$comment", "format", "contentEncoding", "contentMediaType", "$schema"), "text"),
    **dict.fromkeys(("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), "number"),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains", "maxProperties", "minProperties"),
        "count",
    ),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), "flag"),
    **dict.fromkeys(("enum", "examples"), "list"),
    **dict.fromkeys(
        ("$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "dependencies"),
        "nothing",
    ),
    "type": "type", "required": "names", "pattern": "pattern", "patternProperties": "patterns", "multipleOf": "above zero",
    "dependentRequired": "needs", "$ref": "reference",
}  # fmt: skip
"""By keyword, what has to stand there. Other words may hold anything."""
TYPE_NAMES: Mapping[str, str] = {
    **{t: t for t in ("object", "array", "string", "integer", "number", "boolean", "null")},
    **dict.fromkeys(("str", "text", "date", "datetime", "date-time", "timestamp", "uuid", "email", "uri", "url"), "string"),
    **dict.fromkeys(("file", "binary", "char"), "string"),
    **dict.fromkeys(("int", "long", "short", "int32", "int64", "bigint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("dict", "map", "hash", "struct", "json", "record"), "object"),
    **dict.fromkeys(("list", "tuple", "set"), "array"),
    **dict.fromkeys(("none", "nonetype", "nil"), "null"),
}  # fmt: skip
"""What people write for a type, and what it is called."""
ANYTHING = frozenset({"any", "mixed", "unknown", "object|array", ""})
MAX_VALUE_DEPTH = 30
MAX_NAMES = 5_000
"""In one list of required names."""
MAX_PATTERN_CHARS = 2_000
MAX_NUMBER = 10**300
DROP: Any = object()
"""What is made of a value that a keyword cannot have."""


def from_older_drafts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Its keywords; those that meant something else in an older draft in their form of today."""
    for key, value in schema.items():
        exclusive = "exclusiveM" + key[1:]
        if key == "items" and isinstance(value, list):
            if value and "prefixItems" not in schema:
                yield "prefixItems", value
            if "additionalItems" in schema:
                yield "items", schema["additionalItems"]
        elif key in ("minimum", "maximum"):
            yield exclusive if schema.get(exclusive) is True else key, value
        elif key == "$id" or (key.startswith("exclusiveM") and isinstance(value, bool)):
            continue  # an address would change where references lead
        elif not (key == "required" and isinstance(value, bool)) and not (value is None and key in KEYWORD_FORMS):
            yield key, value


def plain_keyword(form: str | None, value: Any) -> Any:
    """What is kept of a value that holds no schemas; `DROP` where the keyword cannot have it."""
    match form:
        case None:
            return DROP if deeper(value, MAX_VALUE_DEPTH) else value
        case "text":
            lines = isinstance(value, list) and all(isinstance(v, str) for v in value)
            return "\n".join(value) if lines else str(value) if _is_plain(value) else DROP
        case "number" | "count" | "above zero":
            return _number(form, value)
        case "flag":
            said = {"true": True, "false": False}.get(value.lower(), DROP) if isinstance(value, str) else value
            return said if isinstance(said, bool) else DROP
        case "list":
            several = list(value.values()) if isinstance(value, Mapping) else value
            return several if isinstance(several, list) and not deeper(several, MAX_VALUE_DEPTH) else DROP
        case "pattern":
            return value if is_pattern(value) else DROP
        case "type":
            return _type(value)
        case "names":
            several = [value] if isinstance(value, str) else value if isinstance(value, list) else DROP
            return (
                DROP if several is DROP else list(dict.fromkeys(v for v in several if isinstance(v, str)))[:MAX_NAMES]
            )
        case "needs" if isinstance(value, Mapping):
            made = {str(name): plain_keyword("names", part) for name, part in value.items()}
            return {name: part for name, part in made.items() if part is not DROP}
    return DROP


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _number(form: str, value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = float(value) if "." in value else int(value[:400])
        except ValueError:
            return DROP
    if not _is_plain(value) or not -MAX_NUMBER < value < MAX_NUMBER:
        return DROP
    if form == "count":
        return int(value) if value >= 0 and value == int(value) else DROP
    return value if form == "number" or value > 0 else DROP


def _type(value: Any) -> Any:
    said = value if isinstance(value, list) else [value]
    plain = ["null" if v is None else v.strip().lower() for v in said if v is None or isinstance(v, str)]
    found = list(dict.fromkeys(TYPE_NAMES[v] for v in plain if v in TYPE_NAMES))
    if not found or len(plain) < len(said) or ANYTHING.intersection(plain):
        return DROP
    return found if isinstance(value, list) else found[0]


def is_pattern(pattern: Any) -> bool:
    """Tell whether a pattern compiles, and without a warning: those say that it will mean something else one day."""
    return isinstance(pattern, str) and len(pattern) <= MAX_PATTERN_CHARS and _compiles(pattern)


@lru_cache(maxsize=4096)
def _compiles(pattern: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            re.compile(f"{pattern}(?:)")  # a text of its own, so that no earlier compilation hides a warning
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError, Warning):
            return False
    return True
