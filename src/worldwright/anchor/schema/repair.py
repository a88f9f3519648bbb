"""A copy of a JSON Schema that every validator of the 2020-12 draft accepts.

Schemas of tools come from many generators and hands. What is written in an older draft is brought over, what is meant but misspelt
is put right, and what means nothing is left out; each change is told. Names and required-ness stay exactly as they are.
References stay where they lead somewhere in the same schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.anchor.schema.keywords import DROP, KEYWORD_FORMS, from_older_drafts, is_pattern, plain_keyword
from worldwright.anchor.schema.references import follow_reference, iter_schemas, limit_validation_cost
from worldwright.formats.json_text import pointer

MAX_DEPTH = 30
"""Levels of schemas within schemas."""
MAX_PARTS = 200_000
MAX_CHANGES = 40


def repair_schema(schema: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The copy, and what was changed. Something that is no schema at all becomes the empty one, which allows everything."""
    work = _Work()
    out = work.copy(schema, "", 0)
    if not isinstance(out, dict):
        return {}, tuple(work.changes)
    if work.newer:
        out.pop("$schema", None)
    for part in iter_schemas(out):
        if "$ref" in part and follow_reference(out, part["$ref"]) is None:
            work.note_change(part.pop("$ref")[:200], "leads nowhere in the schema and was left out")
    if limit_validation_cost(out):
        work.note_change(
            "", "refers to itself so often that no value could be held to it; the farthest parts allow anything now"
        )
    return out, tuple(work.changes)


class _Work:
    """One copy in the making."""

    def __init__(self) -> None:
        self.changes: list[str] = []
        self.left = MAX_PARTS
        self.newer = False
        """Whether something was brought over, so that the draft it names is no longer its own."""

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
        for key, value in from_older_drafts(schema):
            made = self._make(KEYWORD_FORMS.get(key), value, at + pointer(key), depth)
            if made is DROP:
                self.note_change(at + pointer(key), "was left out: a schema cannot say that here")
            else:
                out[key] = made
        inner = schema.get("properties")
        own = inner.items() if isinstance(inner, Mapping) else ()
        needed = [n for n, part in own if isinstance(part, Mapping) and part.get("required") is True]
        if needed:  # properties that say so of themselves, as in the third draft
            out["required"] = list(dict.fromkeys([*out.get("required", ()), *needed]))
        return out

    def _make(self, form: str | None, value: Any, at: str, depth: int) -> Any:
        """What a keyword of this form has in the copy."""
        match form:
            case "schema":
                return self.copy(value, at, depth + 1) if isinstance(value, (Mapping, bool)) else DROP
            case "schemas":
                several = enumerate(value if isinstance(value, list) else ())
                parts = [(i, part) for i, part in several if isinstance(part, (Mapping, bool))]
                return [self.copy(part, f"{at}/{i}", depth + 1) for i, part in parts] or DROP
            case "named" | "patterns":
                if not isinstance(value, Mapping):
                    return {} if value == [] else DROP  # an empty table of PHP
                kept = {str(name): part for name, part in value.items() if form == "named" or is_pattern(name)}
                if len(kept) < len(value):
                    self.note_change(at, "has patterns that are no regular expressions here: they were left out")
                return {name: self.copy(part, at + pointer(name), depth + 1) for name, part in kept.items()}
            case "reference":
                return value if isinstance(value, str) and value.startswith("#") else DROP
        made = plain_keyword(form, value)
        if made is not DROP and made != value:
            self.note_change(at, f"says {str(value)[:60]!r}")
        return made
