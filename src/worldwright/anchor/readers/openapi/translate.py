"""Schemas of an API as JSON Schema 2020-12 that needs nothing else: references written in place, or as `#/$defs/Name`.

Only what is right is kept: a keyword of the wrong type, a pattern that does not compile or a keyword of OpenAPI alone makes the
whole schema invalid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from worldwright.anchor.names import fresh
from worldwright.anchor.readers.openapi.api import Api, Size, measure, parts_of
from worldwright.anchor.readers.openapi.documents import Node, texts
from worldwright.anchor.schema.keywords import DROP, KEYWORD_FORMS, from_older_drafts, is_pattern, plain_keyword
from worldwright.anchor.schema.references import limit_validation_cost

MAX_HEIGHT = 40
"""Mappings and lists in one another of a schema that is written in place."""
MAX_INLINE_NESTING = 12
"""Schemas that are written in place within one another."""
MAX_DEFS_NODES = 8_000
"""Mappings and lists under the `$defs` of one schema."""
MAX_EXAMPLE_CHARS = 200
COMBINED = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not", "const", "if"})
"""Keywords beside which `type` alone does not decide whether null is allowed."""
REMARKS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""Keywords that allow and forbid nothing."""
_ALSO_REMARKS = frozenset({"nullable", "example", "externalDocs", "xml"})
_UNUSED = frozenset({"$comment", "$schema", "examples", "$defs", "definitions", "allOf"})
_HOLDING = frozenset({"schema", "schemas", "named", "patterns"})
_ODD = re.compile(r"[^\w.\-]")


def keywords(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a schema that hold no schemas themselves, in the order in which they are written."""
    out: dict[str, Any] = {}
    for key, value in from_older_drafts(schema):
        form = KEYWORD_FORMS.get(key)
        if form in _HOLDING or key in _UNUSED or (form is None and key not in ("default", "const")):
            continue
        if key == "pattern" and isinstance(value, str) and value.startswith("/^") and value.endswith("$/"):
            value = value[1:-1]
        made = plain_keyword(form, value)
        if made is not DROP and (made or form in ("number", "count", None)):
            out[key] = made[0] if key == "type" and len(made) == 1 else made
    said = texts(schema.get("type"))
    if not said and isinstance(schema.get("properties"), Mapping):
        out["type"] = "object"
    if "file" in said:
        out.setdefault("format", "binary")
    if "enum" in out and out.get("type") == "string":  # words of which YAML has made something else
        out["enum"] = [str(v).lower() if isinstance(v, (int, float)) else v for v in out["enum"]]
    several = schema.get("examples")
    found = [schema.get("example"), *(several if isinstance(several, list) else [])]
    short = [v for v in found if isinstance(v, (int, float)) or (isinstance(v, str) and len(v) <= MAX_EXAMPLE_CHARS)]
    return {**out, "examples": short[:3]} if short else out


def says_null(schema: Mapping[str, Any]) -> bool:
    return schema.get("nullable") is True or schema.get("x-nullable") is True


def with_null(out: dict[str, Any]) -> dict[str, Any]:
    """The translated schema, with null allowed."""
    if COMBINED.isdisjoint(out):
        if "type" in out:
            out["type"] = _together(_listed(out["type"]), ["null"])
        if "enum" in out:
            out["enum"] = _together(out["enum"], [None])
        return out
    outside = {k: v for k, v in out.items() if k in REMARKS}
    return {**outside, "anyOf": [{k: v for k, v in out.items() if k not in REMARKS}, {"type": "null"}]}


def only_remarks(part: Mapping[str, Any]) -> bool:
    """Tell whether a schema, as it is written, allows and forbids nothing but null."""
    return all(k in REMARKS or k in _ALSO_REMARKS or k.startswith("x-") for k in part)


def merge_all_of(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The parts as one schema, later ones over earlier ones; parts that contradict each other stay apart under `allOf`.

    By the letter, a value has to satisfy each part alone, so that an object closed by `additionalProperties: false` can never be
    extended. People mean one object with all of the properties; nor can a closed object require what it does not know.
    """
    out: dict[str, Any] = {}
    for key, value in ((k, v) for part in parts for k, v in part.items()):
        old = out.get(key, value)
        if key == "properties":
            out[key] = {**old, **value}
        elif key in ("required", "allOf"):
            out[key] = _together(old, value)
        elif old == value or key in REMARKS or key == "additionalProperties":
            out[key] = value
        elif key in ("type", "enum") and (common := [v for v in _listed(old) if v in _listed(value)]):
            out[key] = common[0] if isinstance(old, str) or isinstance(value, str) else common
        else:
            said = {k: v for part in parts for k, v in part.items() if k in REMARKS}
            return {**said, "allOf": [{k: v for k, v in part.items() if k not in REMARKS} for part in parts]}
    held = [p for p in parts if "properties" in p or "additionalProperties" in p]
    closing = [p["additionalProperties"] for p in held if "additionalProperties" in p]
    alike = len(closing) == len(held) and all(c == closing[0] for c in closing)
    if not alike and "additionalProperties" not in parts[-1]:
        out.pop("additionalProperties", None)
    if out.get("additionalProperties") is False and not set(out.get("required", ())) <= set(out.get("properties", ())):
        del out["additionalProperties"]
    return out


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _together(one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    out = [*one]
    for value in other:
        if value not in out:
            out.append(value)
    return out


@dataclass(slots=True)
class _Body:
    """A schema under `$defs`."""

    schema: Any
    uses: dict[str, None]
    size: Size


@dataclass(slots=True)
class Translator:
    """Translates schemas one way: as what is sent, or as what comes back. Same schema, same translation, made once."""

    api: Api
    sent: bool
    """Whether it is what a caller sends: read-only properties are left out. Otherwise write-only ones are not required."""
    _names: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)
    _waiting: dict[str, Node] = field(default_factory=dict)
    _bodies: dict[str, _Body] = field(default_factory=dict)
    _making: set[str] = field(default_factory=set)

    def whole(self, spot: Node) -> dict[str, Any]:
        """A schema that needs nothing else."""
        uses: dict[str, None] = {}
        out = self._schema(spot, uses, top=True)
        return self._with_defs(out if isinstance(out, dict) else {} if out else {"not": {}}, uses, spot)

    def arguments(self, properties: Mapping[str, tuple[Node, str]], required: list[str], near: Node) -> dict[str, Any]:
        """An object with these properties, each with what is said of it beside its schema."""
        uses: dict[str, None] = {}
        inside: dict[str, Any] = {}
        for name, (spot, says) in properties.items():
            part = self._schema(spot, uses)
            inside[name] = {**part, "description": says} if says and isinstance(part, dict) else part
        out = {"type": "object", "properties": inside, **({"required": required} if required else {})}
        return self._with_defs(out, uses, near)

    def left_out(self, spot: Node) -> bool:
        """Tell whether a property is none of what is sent."""
        return self.sent and self._says(spot, "readOnly")

    def _says(self, spot: Node, keyword: str) -> bool:
        reference = spot.facts.get("$ref")
        end = self.api.target(reference, spot) if isinstance(reference, str) else None
        return spot.facts.get(keyword) is True or (end is not None and end.facts.get(keyword) is True)

    def _schema(self, spot: Node, uses: dict[str, None], *, top: bool = False) -> Any:
        schema = spot.value
        if not isinstance(schema, Mapping):
            return schema if isinstance(schema, bool) else {}
        if isinstance(schema.get("$ref"), str):
            return self._referred(spot, uses, top=top)
        out = keywords(schema)
        self._inside(spot, out, uses)
        held = spot.down("properties")
        self._required(dict(held.each()) if isinstance(held.value, Mapping) else {}, out)
        parts = [part for part in parts_of(spot, "allOf") if part.facts]
        if parts:
            out = self._all_of(parts, out, uses)
            self._required(self.api.members(spot).properties, out)
        null = says_null(schema) or any(only_remarks(p.facts) and says_null(p.facts) for p in parts)
        return with_null(out) if null else out

    def _inside(self, spot: Node, out: dict[str, Any], uses: dict[str, None]) -> None:
        """The schemas that a schema holds."""
        for key, value in spot.facts.items():
            form = KEYWORD_FORMS.get(key) if key not in _UNUSED else None
            below = spot.down(key).each() if form in _HOLDING else ()
            if form == "schema" and isinstance(value, (Mapping, bool)):
                out[key] = self._schema(spot.down(key), uses)
            elif isinstance(value, list) and (
                form == "schemas" or (key == "items" and "prefixItems" not in spot.facts)
            ):
                parts = [part for _, part in below if isinstance(part.value, (Mapping, bool))]
                if parts:
                    out["prefixItems" if key == "items" else key] = [self._schema(p, uses) for p in parts]
            elif form in ("named", "patterns") and isinstance(value, Mapping):
                out[key] = {
                    name: self._schema(part, uses)
                    for name, part in below
                    if (is_pattern(name) if form == "patterns" else key != "properties" or not self.left_out(part))
                }

    def _all_of(self, parts: list[Node], own: dict[str, Any], uses: dict[str, None]) -> dict[str, Any]:
        """Everything that `allOf` puts together as one schema. A single reference among remarks stays a reference."""
        alone = sum(not only_remarks(p.facts) for p in parts) == 1 and REMARKS.issuperset(own)
        laid = []
        for part in parts:
            if only_remarks(part.facts):
                laid.append(keywords(part.facts))
                continue
            out = self._schema(part, uses) if alone else self._written_out(part, uses)
            if isinstance(out, dict):
                laid.append(out)
        return merge_all_of([*laid, own] if own else laid) if laid else own

    def _written_out(self, part: Node, uses: dict[str, None]) -> Any:
        """A part of `allOf` with its properties in sight, even where it stands apart for others."""
        reference = part.facts.get("$ref")
        end = self.api.target(reference, part) if isinstance(reference, str) and len(part.facts) == 1 else None
        out = self._copy(end, uses) if end is not None and end.facts else None
        return self._schema(part, uses) if out is None else out

    def _copy(self, end: Node, uses: dict[str, None]) -> Any:
        """A referenced schema to be written in place; None where it would contain itself or become too tall."""
        if end.key in self._making or len(self._making) >= MAX_INLINE_NESTING:
            return None
        body = self._body(end)
        if body.size.height > MAX_HEIGHT:
            return None
        uses.update(body.uses)
        return body.schema

    def _required(self, properties: Mapping[str, Node], out: dict[str, Any]) -> None:
        """Put what is required: `required: true` on a property counts, a property that never travels this way does not."""
        own = [name for name, part in properties.items() if part.facts.get("required") is True]
        never = "readOnly" if self.sent else "writeOnly"
        said = dict.fromkeys([*out.pop("required", []), *own])
        needed = [name for name in said if name not in properties or not self._says(properties[name], never)]
        if needed:
            out["required"] = needed

    def _referred(self, spot: Node, uses: dict[str, None], *, top: bool) -> Any:
        schema = spot.facts
        end = self.api.target(schema["$ref"], spot)
        extra = self._beside(spot, uses)
        if end is None or isinstance(end.value, bool):
            out: Any = {} if end is None or end.value else {"not": {}}
        else:
            copied = self._copy(end, uses) if top or not self.api.apart(end) else None
            out = self._apart(end, uses) if copied is None else copied
        out = {**out, **extra} if REMARKS.issuperset(extra) else merge_all_of([out, extra])
        return with_null(out) if says_null(schema) else out

    def _beside(self, spot: Node, uses: dict[str, None]) -> dict[str, Any]:
        """What stands beside a reference: remarks always count, all of it does since 3.1."""
        beside = {k: v for k, v in spot.facts.items() if k not in ("$ref", "nullable")}
        if self.api.version != "3.1" or not beside:
            return {k: v for k, v in keywords(beside).items() if k in REMARKS}
        out: dict[str, Any] = self._schema(Node(beside, spot.file, spot.at), uses)
        return out

    def _apart(self, spot: Node, uses: dict[str, None]) -> dict[str, Any]:
        if spot.key not in self._names:
            self._names[spot.key] = fresh(_ODD.sub("_", spot.name)[:80] or "Part", self._taken)
            self._taken.add(self._names[spot.key])
            self._waiting[spot.key] = spot
        uses[spot.key] = None
        return {"$ref": "#/$defs/" + quote(self._names[spot.key])}

    def _body(self, spot: Node) -> _Body:
        if spot.key not in self._bodies:
            uses: dict[str, None] = {}
            self._making.add(spot.key)
            schema = self._schema(spot, uses)
            self._making.discard(spot.key)
            self._bodies[spot.key] = _Body(schema, uses, measure(schema))
        return self._bodies[spot.key]

    def _with_defs(self, out: dict[str, Any], uses: dict[str, None], near: Node) -> dict[str, Any]:
        """The schema with all that it uses, nearest first; where that is too much, the rest only by its name."""
        defs: dict[str, Any] = {}
        nodes, queue, known = 0, list(uses), dict(uses)
        for key in queue:
            body = self._body(self._waiting[key])
            nodes += body.size.nodes
            if nodes > MAX_DEFS_NODES:
                self._note_size(near, "with all that it refers to is too large; its farthest parts are left out")
                defs[self._names[key]] = {"description": "Left out here: the whole would be too large."}
                continue
            defs[self._names[key]] = body.schema
            queue.extend(more for more in body.uses if more not in known)
            known.update(body.uses)
        whole = {**out, "$defs": defs} if defs else out
        if defs and limit_validation_cost(whole):
            self._note_size(
                near, "refers to itself so often that no value could be held to it; its farthest parts allow anything"
            )
        return whole

    def _note_size(self, near: Node, says: str) -> None:
        self.api.notes.add("info", "a schema that is too large", f"a schema {says}", near.source)
