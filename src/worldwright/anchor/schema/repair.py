"""A copy of a JSON Schema that every validator of the 2020-12 draft accepts.

Schemas of tools come from many generators and hands. What is written in an older draft is brought over, what is meant but misspelt
is put right, and what means nothing is left out; each change is told. Names and required-ness stay exactly as they are.
References stay where they lead somewhere in the same schema.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from worldwright.anchor.schema.references import KEYWORD_FORMS, drop_dead_references, limit_validation_cost
from worldwright.formats.json_text import deeper, pointer

MAX_DEPTH = 30
"""Levels of schemas within schemas."""
MAX_PARTS = 200_000
MAX_REQUIRED_NAMES = 5_000
"""In one list of required names."""
MAX_CHANGES = 40
MAX_PATTERN_CHARS = 2_000
MAX_NUMBER = 10**300

TYPE_NAMES: Mapping[str, str] = {
    **{t: t for t in ("object", "array", "string", "integer", "number", "boolean", "null")},
    **dict.fromkeys(("str", "text", "date", "datetime", "date-time", "uuid", "email", "uri", "url", "file", "char"), "string"),
    **dict.fromkeys(("int", "long", "int32", "int64", "bigint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("dict", "map", "json", "record"), "object"),
    **dict.fromkeys(("list", "tuple", "set"), "array"),
    **dict.fromkeys(("none", "nonetype", "nil"), "null"),
}  # fmt: skip
"""What people write for a type, and what it is called."""
ANYTHING = frozenset({"any", "mixed", "unknown", "object|array", ""})
_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*\Z")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:[^#\s]+#?\Z")
_DROP: Any = object()


def repair_schema(schema: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The copy, and what was changed. Something that is no schema at all becomes the empty one, which allows everything."""
    work = _Work(schema)
    out = work.copy(schema, "", 0)
    if not isinstance(out, dict):
        return {}, tuple(work.changes)
    if work.newer:
        out.pop("$schema", None)
    drop_dead_references(out, work.note_change)
    if limit_validation_cost(out):
        work.note_change(
            "", "refers to itself so often that no value could be held to it; the farthest parts allow anything now"
        )
    return out, tuple(work.changes)


class _Work:
    """One copy in the making."""

    def __init__(self, root: Any) -> None:
        self.changes: list[str] = []
        self.left = MAX_PARTS
        self.newer = False
        """Whether something was brought over, so that the draft it names is no longer its own."""
        name = root.get("$id") if isinstance(root, Mapping) else None
        self.address = name.rstrip("#") if isinstance(name, str) else ""

    def note_change(self, at: str, says: str) -> None:
        if len(self.changes) < MAX_CHANGES:
            self.changes.append(f"{at or '/'} {says}")

    def copy(self, schema: Any, at: str, depth: int) -> dict[str, Any] | bool:
        self.left -= 1
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            self.note_change(at, "is no schema and allows anything now")
            return {}
        if depth > MAX_DEPTH or self.left < 0:
            self.note_change(at, "is nested too deeply or too large and allows anything now")
            return {}
        out: dict[str, Any] = {}
        self.newer = self.newer or isinstance(schema.get("items"), list)
        for key, value in _from_older_drafts(schema):
            form = KEYWORD_FORMS.get(key)
            if form is None:
                made = _DROP if deeper(value, MAX_DEPTH) else value
            elif form in MAKE:
                made = MAKE[form](self, value, f"{at}{pointer(key)}", depth)
            else:
                made = _plain(form, value)
            if made is _DROP:
                self.note_change(at + pointer(key), "was left out: a schema cannot say that here")
            else:
                out[key] = made
        inner = schema.get("properties")
        own = inner.items() if isinstance(inner, Mapping) and "properties" in out else ()
        needed = [n for n, part in own if isinstance(part, Mapping) and part.get("required") is True]
        if needed:  # properties that say so of themselves, as in the third draft
            out["required"] = list(dict.fromkeys([*out.get("required", ()), *needed]))
        return out


def _from_older_drafts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Its keywords; those that meant something else in an older draft in their form of today."""
    for key, value in schema.items():
        if key == "items" and isinstance(value, list):
            if value:
                yield "prefixItems", value
            if "additionalItems" in schema:
                yield "items", schema["additionalItems"]
        elif key in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
            bound = "m" + key[len("exclusiveM") :]
            if value and bound in schema:
                yield key, schema[bound]
        elif (key == "required" and isinstance(value, bool)) or (value is None and key in KEYWORD_FORMS):
            continue
        else:
            yield key, value


def _schema(work: _Work, value: Any, at: str, depth: int) -> Any:
    return work.copy(value, at, depth + 1) if isinstance(value, (Mapping, bool)) else _DROP


def _schemas(work: _Work, value: Any, at: str, depth: int) -> Any:
    several = [value] if isinstance(value, Mapping) else value if isinstance(value, list) else []
    found = [work.copy(v, f"{at}/{i}", depth + 1) for i, v in enumerate(several) if isinstance(v, (Mapping, bool))]
    return found or _DROP


def _named(work: _Work, value: Any, at: str, depth: int) -> Any:
    if isinstance(value, list) and not value:
        return {}  # an empty table of PHP
    if not isinstance(value, Mapping):
        return _DROP
    return {str(name): work.copy(part, at + pointer(name), depth + 1) for name, part in value.items()}


def _patterns(work: _Work, value: Any, at: str, depth: int) -> Any:
    if not isinstance(value, Mapping):
        return _DROP
    for name in value:
        if not _compiles(name):
            work.note_change(at + pointer(name), "was left out: it is no regular expression here")
    return {name: work.copy(p, at + pointer(name), depth + 1) for name, p in value.items() if _compiles(name)}


def _items(work: _Work, value: Any, at: str, depth: int) -> Any:
    if isinstance(value, str) and value.lower() in TYPE_NAMES:
        return {"type": TYPE_NAMES[value.lower()]}
    return _schema(work, value, at, depth)


def _names(work: _Work, value: Any, at: str, depth: int) -> Any:
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list):
        return _DROP
    if not all(isinstance(v, str) for v in several):
        work.note_change(at, "names something that is no text")
    return list(dict.fromkeys(v for v in several if isinstance(v, str)))[:MAX_REQUIRED_NAMES]


def _type(work: _Work, value: Any, at: str, depth: int) -> Any:
    said = value if isinstance(value, list) else [value]
    plain = ["null" if v is None else v.strip().lower() for v in said if v is None or isinstance(v, str)]
    if any(v in ANYTHING for v in plain) or len(plain) < len(said):
        return _DROP
    found = list(dict.fromkeys(TYPE_NAMES[v] for v in plain if v in TYPE_NAMES))
    if len(found) < len(set(plain)) or [TYPE_NAMES.get(v) for v in plain] != said:
        work.note_change(at, f"says {str(value)[:60]!r}")
    return _DROP if not found else found if isinstance(value, list) else found[0]


def _dependencies(work: _Work, value: Any, at: str, depth: int) -> Any:
    """Names that are needed beside others, or schemas."""
    if not isinstance(value, Mapping):
        return _DROP
    made = {
        n: (_names if isinstance(p, (list, str)) else _schema)(work, p, at + pointer(n), depth)
        for n, p in value.items()
    }
    return {name: part for name, part in made.items() if part is not _DROP}


def _needs(work: _Work, value: Any, at: str, depth: int) -> Any:
    made = _dependencies(work, value, at, depth)
    return made if made is _DROP else {name: part for name, part in made.items() if isinstance(part, list)}


def _reference(work: _Work, value: Any, at: str, depth: int) -> Any:
    if isinstance(value, str) and work.address and value.startswith(work.address + "#"):
        return value[len(work.address) :]
    return value if isinstance(value, str) and value.startswith("#") else _DROP


def _address(work: _Work, value: Any, at: str, depth: int) -> Any:
    """Only the whole schema may have one: inside, it would change where references lead."""
    return value if depth == 0 and isinstance(value, str) and _ADDRESS.match(value) else _DROP


MAKE: Mapping[str, Callable[[_Work, Any, str, int], Any]] = {
    "schema": _schema, "schemas": _schemas, "named": _named, "patterns": _patterns, "items": _items, "names": _names,
    "type": _type, "needs": _needs, "dependencies": _dependencies, "reference": _reference, "address": _address,
}  # fmt: skip
"""What is made of the values that hold schemas or names, by their form; `_plain` makes the others."""


def _plain(form: str, value: Any) -> Any:
    """A value of a form that stands for itself."""
    match form:
        case "text":
            lines = isinstance(value, list) and all(isinstance(v, str) for v in value)
            return "\n".join(value) if lines else str(value) if isinstance(value, (str, int, float)) else _DROP
        case "number" | "count" | "above zero":
            return _number(form, value)
        case "flag":
            said = {"true": True, "false": False}.get(value.lower(), _DROP) if isinstance(value, str) else value
            return said if isinstance(said, bool) else _DROP
        case "list":
            several = list(value.values()) if isinstance(value, Mapping) else value
            return several if isinstance(several, list) and not deeper(several, MAX_DEPTH) else _DROP
        case "pattern":
            return value if _compiles(value) else _DROP
        case "anchor":
            return value if isinstance(value, str) and _ANCHOR.match(value) else _DROP
    return _DROP


def _number(form: str, value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = float(value) if "." in value else int(value[:400])
        except ValueError:
            return _DROP
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not -MAX_NUMBER < value < MAX_NUMBER:
        return _DROP
    if form == "count":
        return int(value) if value >= 0 and value == int(value) else _DROP
    return value if form == "number" or value > 0 else _DROP


def _compiles(pattern: Any) -> bool:
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN_CHARS:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError, Warning):
        return False
    return True
