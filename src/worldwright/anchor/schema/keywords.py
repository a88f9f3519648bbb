"""The keywords of JSON Schema 2020-12: what has to stand under each, and what is made of it where it is written otherwise."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from worldwright.english.words import wordset
from worldwright.formats.json_text import deeper

_FORMS = """
schema: items additionalProperties propertyNames contains not if then else unevaluatedItems unevaluatedProperties contentSchema
schemas: allOf anyOf oneOf prefixItems
named: properties $defs definitions dependentSchemas
text: title description $comment format contentEncoding contentMediaType $schema
number: maximum minimum exclusiveMaximum exclusiveMinimum
count: maxLength minLength maxItems minItems maxContains minContains maxProperties minProperties
flag: uniqueItems deprecated readOnly writeOnly
list: enum examples
nothing: $anchor $dynamicAnchor $dynamicRef $recursiveRef $recursiveAnchor $vocabulary dependencies
type: type
names: required
pattern: pattern
patterns: patternProperties
above zero: multipleOf
needs: dependentRequired
reference: $ref
"""
_LINES = [line.split(": ") for line in _FORMS.strip().splitlines()]
KEYWORD_FORMS: Mapping[str, str] = {word: form for form, words in _LINES for word in words.split()}
"""By keyword, what has to stand there. Other words may hold anything."""
TYPES = wordset("object array string integer number boolean null")
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
        case "type":
            return _type(value)
        case "names" if isinstance(value, list):
            return list(dict.fromkeys(v for v in value if isinstance(v, str)))[:MAX_NAMES]
        case "needs" if isinstance(value, Mapping):
            return {str(n): plain_keyword("names", part) for n, part in value.items() if isinstance(part, list)}
        case "count" if _is_number(value) and value >= 0 and value == int(value):
            return int(value)
        case "number" | "above zero":
            fits = _is_number(value) and (form == "number" or value > 0)
        case "text" | "flag":
            fits = isinstance(value, str if form == "text" else bool)
        case "pattern":
            fits = is_pattern(value)
        case None | "list":
            fits = (form is None or isinstance(value, list)) and not deeper(value, MAX_VALUE_DEPTH)
        case _:
            fits = False
    return value if fits else DROP


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -MAX_NUMBER < value < MAX_NUMBER


def _type(value: Any) -> Any:
    said = value if isinstance(value, list) else [value]
    found = ["null" if v is None else "string" if v == "file" else str(v).lower() for v in said]
    if not found or not TYPES.issuperset(found):
        return DROP
    return list(dict.fromkeys(found)) if isinstance(value, list) else found[0]


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
