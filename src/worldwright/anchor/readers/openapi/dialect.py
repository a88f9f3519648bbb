"""The keywords of a schema, from the JSON Schema of OpenAPI 2.0, 3.0 or 3.1 to that of 2020-12.

Only what is right is kept: a keyword of the wrong type, a pattern that does not compile or a keyword of OpenAPI alone makes the
whole schema invalid. Nothing here follows references or looks into the schemas inside.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from worldwright.anchor.readers.openapi.documents import texts

MAX_PATTERN_CHARS = 2_000
MAX_EXAMPLE_CHARS = 200
TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
OTHER_TYPES = {
    **dict.fromkeys(("int", "int32", "int64", "long", "short"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("str", "text", "file", "date", "datetime", "date-time", "timestamp", "uuid", "binary"), "string"),
    **dict.fromkeys(("dict", "map", "hash", "struct"), "object"),
    **dict.fromkeys(("list",), "array"),
}
"""What people write for a type that JSON Schema does not have."""

ONE_SCHEMA = (
    "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else",
    "unevaluatedProperties", "unevaluatedItems",
)  # fmt: skip
SCHEMAS_IN_ORDER = ("anyOf", "oneOf", "prefixItems")
SCHEMAS_BY_NAME = ("properties", "patternProperties", "dependentSchemas")
COMBINED = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not", "const", "if"})
"""Keywords beside which `type` alone does not decide whether null is allowed."""
REMARKS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""Keywords that allow and forbid nothing."""


def keywords(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a schema that hold no schemas themselves, in the order in which they are written."""
    out: dict[str, Any] = {}
    for key, value in schema.items():
        check = _CHECKS.get(key)
        kept = check(value) if check else None
        if kept is not None or (key in ("default", "const") and value is None):
            out[key] = kept
    _limits(schema, out)
    _type(schema, out)
    _examples(schema, out)
    if "enum" in out and out.get("type") == "string":
        out["enum"] = [_word(v) for v in out["enum"]]
    return out


def says_null(schema: Mapping[str, Any]) -> bool:
    return schema.get("nullable") is True or schema.get("x-nullable") is True


def with_null(out: dict[str, Any]) -> dict[str, Any]:
    """The translated schema, with null allowed."""
    if COMBINED.isdisjoint(out):
        said = out.get("type")
        if said is not None:
            kinds = [said] if isinstance(said, str) else said
            out["type"] = kinds if "null" in kinds else [*kinds, "null"]
        if "enum" in out and None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
        return out
    outside = {k: v for k, v in out.items() if k in REMARKS}
    return {**outside, "anyOf": [{k: v for k, v in out.items() if k not in REMARKS}, {"type": "null"}]}


@lru_cache(maxsize=4096)
def good_pattern(pattern: str) -> bool:
    """Tell whether a pattern compiles, and without a warning: those say that it will mean something else one day."""
    if len(pattern) > MAX_PATTERN_CHARS:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            re.compile(f"{pattern}(?:)")  # a text of its own, so that no earlier compilation hides a warning
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError, Warning):
            return False
    return True


def _limits(schema: Mapping[str, Any], out: dict[str, Any]) -> None:
    """`exclusiveMinimum: true` beside `minimum: 5` is `exclusiveMinimum: 5`."""
    for exclusive, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(exclusive) is True and plain in out:
            out[exclusive] = out.pop(plain)


def _type(schema: Mapping[str, Any], out: dict[str, Any]) -> None:
    said = texts(schema.get("type"))
    known = list(dict.fromkeys(k for k in (t if t in TYPES else OTHER_TYPES.get(t.lower()) for t in said) if k))
    if known:
        out["type"] = known[0] if len(known) == 1 else known
    elif "properties" in schema and isinstance(schema["properties"], Mapping) and not said:
        out["type"] = "object"
    if "file" in said and "format" not in out:
        out["format"] = "binary"


def _examples(schema: Mapping[str, Any], out: dict[str, Any]) -> None:
    several = schema.get("examples")
    found = [schema.get("example"), *(several if isinstance(several, list) else [])]
    short = [
        v for v in found if isinstance(v, (bool, int, float)) or (isinstance(v, str) and len(v) <= MAX_EXAMPLE_CHARS)
    ]
    if short:
        out["examples"] = short[:3]


def _word(value: Any) -> Any:
    """A word of an enum of texts, where YAML has made something else of it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def _text(value: Any) -> Any:
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _positive(value: Any) -> Any:
    return value if _number(value) is not None and value > 0 else None


def _count(value: Any) -> Any:
    whole = _number(value) is not None and value >= 0 and value == int(value)
    return int(value) if whole else None


def _flag(value: Any) -> Any:
    return value if isinstance(value, bool) else None


def _true(value: Any) -> Any:
    return True if value is True else None


def _list(value: Any) -> Any:
    return value if isinstance(value, list) and value else None


def _names(value: Any) -> Any:
    found = list(dict.fromkeys(texts(value))) if isinstance(value, list) else []
    return found or None


def _pattern(value: Any) -> Any:
    if not isinstance(value, str) or not value:
        return None
    if value.startswith("/^") and value.endswith("$/"):
        value = value[1:-1]
    return value if good_pattern(value) else None


def _needs(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return None
    return {k: names for k, v in value.items() if (names := _names(v))} or None


def _any(value: Any) -> Any:
    return value


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "title": _text,
    "description": _text,
    "format": _text,
    "enum": _list,
    "const": _any,
    "default": _any,
    "minimum": _number,
    "maximum": _number,
    "exclusiveMinimum": _number,
    "exclusiveMaximum": _number,
    "multipleOf": _positive,
    "minLength": _count,
    "maxLength": _count,
    "minItems": _count,
    "maxItems": _count,
    "minContains": _count,
    "maxContains": _count,
    "minProperties": _count,
    "maxProperties": _count,
    "pattern": _pattern,
    "uniqueItems": _flag,
    "required": _names,
    "dependentRequired": _needs,
    "deprecated": _true,
    "readOnly": _true,
    "writeOnly": _true,
    "contentEncoding": _text,
    "contentMediaType": _text,
}
"""By keyword, what is kept of its value; None for nothing."""


# Schemas that `allOf` puts together, as one.
#
# By the letter, a value has to satisfy each of them alone, so that an object closed by `additionalProperties: false` can never be
# extended. People mean one object with all of the properties; that is what comes out here.


_LAID = frozenset({"properties", "required", "additionalProperties", "type", "enum", "allOf"})
_NARROWER = {frozenset({"integer", "number"}): "integer"}


def merge_all_of(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The parts as one schema, later ones over earlier ones. A part that contradicts the others stays under `allOf`."""
    out: dict[str, Any] = {}
    apart: list[Any] = []
    for part in parts:
        laid = _over(out, part)
        if laid is None:
            apart.append({k: v for k, v in part.items() if k not in REMARKS})
            out |= {k: v for k, v in part.items() if k in REMARKS}
        else:
            out = laid
    if "additionalProperties" in out and not _closed(parts):
        del out["additionalProperties"]
    if apart:
        known = out.get("allOf", [])
        out["allOf"] = [*known, *(p for i, p in enumerate(apart) if p not in known and p not in apart[:i])]
    return out


def only_remarks(part: Mapping[str, Any]) -> bool:
    """Tell whether a schema, as it is written, allows and forbids nothing but null."""
    return all(k in REMARKS or k in ("nullable", "example", "externalDocs", "xml") or k.startswith("x-") for k in part)


def _over(out: dict[str, Any], part: Mapping[str, Any]) -> dict[str, Any] | None:
    """One part laid over others; None where both cannot be said in one schema."""
    both = [k for k in part if k in out and k not in REMARKS and k not in _LAID and out[k] != part[k]]
    if both:
        return None
    laid = {**out, **part}
    for key in ("type", "enum"):
        if key in out and key in part:
            common = _common(out[key], part[key])
            if not common:
                return None
            laid[key] = common
    for key in ("properties", "required", "allOf"):
        if key in out and key in part:
            laid[key] = _together(out[key], part[key])
    return laid


def _common(one: Any, other: Any) -> Any:
    """Return what two types, or the words of two enums, have in common."""
    if one == other:
        return one
    ones, others = (v if isinstance(v, list) else [v] for v in (one, other))
    kept = [v for v in ones if v in others]
    if not kept and all(isinstance(v, str) for v in (*ones, *others)):
        kept = [n for pair, n in _NARROWER.items() if pair <= {*ones, *others}]
    is_type = isinstance(one, str) or isinstance(other, str)
    return kept[0] if is_type and len(kept) == 1 else kept


def _together(one: Any, other: Any) -> Any:
    if isinstance(one, Mapping):
        return {**one, **other}
    return [*one, *(v for v in other if v not in one)]


def _closed(parts: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether what else an object may hold can be said of all parts together."""
    held = [p for p in parts if "properties" in p or "additionalProperties" in p]
    said = [p["additionalProperties"] for p in held if "additionalProperties" in p]
    return "additionalProperties" in parts[-1] or (len(said) == len(held) and all(s == said[0] for s in said))
