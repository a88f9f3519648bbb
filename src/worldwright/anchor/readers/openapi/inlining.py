"""Schemas of an API as JSON Schema 2020-12 that needs nothing else: references written in place, or as `#/$defs/Name`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from worldwright.anchor.names import fresh
from worldwright.anchor.readers.openapi import dialect
from worldwright.anchor.readers.openapi.api import Api, members
from worldwright.anchor.readers.openapi.dialect import merge_all_of, only_remarks
from worldwright.anchor.readers.openapi.documents import Node
from worldwright.anchor.schema.references import limit_validation_cost

MAX_INLINE_DEPTH = 10
"""Levels of schemas in one another; deeper ones stand under `$defs` as well."""
MAX_HEIGHT = 40
"""Mappings and lists in one another, with what is written in place."""
MAX_INLINE_NESTING = 12
"""Schemas that are written in place within one another."""
MAX_DEFS_NODES = 8_000
"""Mappings and lists under the `$defs` of one schema."""
MAX_INLINED_NODES = 200_000
"""Mappings and lists that references put in place, in all schemas together; after that everything stands under `$defs`."""
_ODD = re.compile(r"[^\w.\-]")


@dataclass(slots=True)
class _Body:
    """A schema under `$defs`."""

    schema: Any
    uses: dict[str, None]
    nodes: int
    height: int


@dataclass(slots=True)
class Translator:
    """Translates schemas one way: as what is sent, or as what comes back. Same schema, same translation, made once."""

    plan: Plan
    sent: bool
    """Whether it is what a caller sends: read-only properties are left out. Otherwise write-only ones are not required."""
    _names: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)
    _waiting: dict[str, Node] = field(default_factory=dict)
    _bodies: dict[str, _Body] = field(default_factory=dict)
    _making: set[str] = field(default_factory=set)
    _room: int = MAX_INLINED_NODES

    def whole(self, spot: Node) -> dict[str, Any]:
        """A schema that needs nothing else."""
        uses: dict[str, None] = {}
        out = self._schema(spot, uses, 0, top=True)
        return self._with_defs(out if isinstance(out, dict) else {} if out else {"not": {}}, uses, spot)

    def arguments(self, properties: Mapping[str, tuple[Node, str]], required: list[str], near: Node) -> dict[str, Any]:
        """An object with these properties, each with what is said of it beside its schema."""
        uses: dict[str, None] = {}
        inside: dict[str, Any] = {}
        for name, (spot, says) in properties.items():
            part = self._schema(spot, uses, 1)
            inside[name] = {**part, "description": says} if says and isinstance(part, dict) else part
        out: dict[str, Any] = {"type": "object", "properties": inside}
        if required:
            out["required"] = required
        return self._with_defs(out, uses, near)

    def left_out(self, spot: Node) -> bool:
        """Tell whether a property is none of what is sent."""
        return self.sent and self._says(spot, "readOnly")

    def _says(self, spot: Node, keyword: str) -> bool:
        if spot.facts.get(keyword) is True:
            return True
        reference = spot.facts.get("$ref")
        end = self.plan.target(reference, spot) if isinstance(reference, str) else None
        return end is not None and end.facts.get(keyword) is True

    def _schema(self, spot: Node, uses: dict[str, None], depth: int, *, top: bool = False) -> Any:
        schema = spot.value
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            return {}
        if isinstance(schema.get("$ref"), str):
            return self._referred(spot, uses, depth, top=top)
        if depth > MAX_INLINE_DEPTH and self.plan.own(spot).nodes > 1:
            return self._apart(spot, uses)
        out = dialect.keywords(schema)
        self._inside(spot, out, uses, depth)
        held = spot.down("properties")
        self._required(dict(held.each()) if isinstance(held.value, Mapping) else {}, out)
        parts = [s for _, s in spot.down("allOf").each() if s.facts] if isinstance(schema.get("allOf"), list) else []
        if parts:
            out = self._all_of(parts, out, uses, depth)
            self._required(members(self.plan.api, spot).properties, out)
        null = dialect.says_null(schema) or any(only_remarks(p.facts) and dialect.says_null(p.facts) for p in parts)
        return dialect.with_null(out) if null else out

    def _all_of(self, parts: list[Node], own: dict[str, Any], uses: dict[str, None], depth: int) -> dict[str, Any]:
        """Everything that `allOf` puts together as one schema. A single reference among remarks stays a reference."""
        real = [p for p in parts if not only_remarks(p.facts)]
        alone = len(real) == 1 and dialect.REMARKS.issuperset(own)
        laid = []
        for part in parts:
            if only_remarks(part.facts):
                laid.append(dialect.keywords(part.facts))
                continue
            out = self._schema(part, uses, depth) if alone else self._written_out(part, uses, depth)
            if isinstance(out, dict):
                laid.append(out)
        return merge_all_of([*laid, own] if own else laid) if laid else own

    def _written_out(self, part: Node, uses: dict[str, None], depth: int) -> Any:
        """A part of `allOf` with its properties in sight, even where it stands apart for others."""
        reference = part.facts.get("$ref")
        end = self.plan.target(reference, part) if isinstance(reference, str) and len(part.facts) == 1 else None
        out = self._copy(end, uses, depth) if end is not None and end.facts else None
        return self._schema(part, uses, depth) if out is None else out

    def _copy(self, end: Node, uses: dict[str, None], depth: int) -> Any:
        """A referenced schema to be written in place; None where it would contain itself or become too tall."""
        if end.key in self._making or len(self._making) >= MAX_INLINE_NESTING:
            return None
        body = self._body(end.key, end)
        if 2 * depth + body.height > MAX_HEIGHT:
            return None
        uses.update(body.uses)
        return body.schema

    def _inside(self, spot: Node, out: dict[str, Any], uses: dict[str, None], depth: int) -> None:
        """The schemas that a schema holds."""
        schema = spot.facts
        for key in dialect.ONE_SCHEMA:
            if isinstance(schema.get(key), (Mapping, bool)):
                out[key] = self._schema(spot.down(key), uses, depth + 1)
        for key in dialect.SCHEMAS_IN_ORDER:
            parts = [s for _, s in spot.down(key).each() if isinstance(s.value, (Mapping, bool))]
            if isinstance(schema.get(key), list) and parts:
                out[key] = [self._schema(part, uses, depth + 1) for part in parts]
        if isinstance(schema.get("items"), list) and "prefixItems" not in out:
            parts = [s for _, s in spot.down("items").each() if isinstance(s.value, (Mapping, bool))]
            if parts:
                out["prefixItems"] = [self._schema(part, uses, depth + 1) for part in parts]
        for key in dialect.SCHEMAS_BY_NAME:
            if not isinstance(schema.get(key), Mapping):
                continue
            named = {
                name: part for name, part in spot.down(key).each() if key != "properties" or not self.left_out(part)
            }
            if key == "patternProperties":
                named = {name: part for name, part in named.items() if dialect.good_pattern(name)}
            out[key] = {name: self._schema(part, uses, depth + 1) for name, part in named.items()}

    def _required(self, properties: Mapping[str, Node], out: dict[str, Any]) -> None:
        """Return what is required of it: `required: true` on a property counts, a property that never travels this way does not."""
        own = [name for name, part in properties.items() if part.facts.get("required") is True]
        never = "readOnly" if self.sent else "writeOnly"
        needed = [
            name
            for name in dict.fromkeys([*out.get("required", []), *own])
            if name not in properties or not self._says(properties[name], never)
        ]
        out.pop("required", None)
        if needed:
            out["required"] = needed

    def _referred(self, spot: Node, uses: dict[str, None], depth: int, *, top: bool) -> Any:
        schema = spot.facts
        beside = {k: v for k, v in schema.items() if k != "$ref"}
        end = self.plan.target(schema["$ref"], spot)
        extra = self._beside(Node(beside, spot.file, spot.at), uses, depth)
        if end is None:
            out: Any = {}
        elif isinstance(end.value, bool):
            out = {} if end.value else {"not": {}}
        else:
            self._room -= self.plan.own(end).nodes
            apart = not top and (self._room < 0 or self.plan.apart(end))
            copied = None if apart else self._copy(end, uses, depth)
            out = self._apart(end, uses) if copied is None else copied
        out = self._join(dict(out), extra)
        return dialect.with_null(out) if dialect.says_null(schema) else out

    def _beside(self, beside: Node, uses: dict[str, None], depth: int) -> dict[str, Any]:
        """Return what stands beside a reference: remarks always count, all of it does since 3.1."""
        if not beside.value:
            return {}
        if self.plan.api.version == "3.1":
            out = self._schema(Node({**beside.value, "nullable": False}, beside.file, beside.at), uses, depth)
            return out if isinstance(out, dict) else {}
        return {k: v for k, v in dialect.keywords(beside.facts).items() if k in dialect.REMARKS}

    def _join(self, out: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
        return {**out, **extra} if dialect.REMARKS.issuperset(extra) else merge_all_of([out, extra])

    def _apart(self, spot: Node, uses: dict[str, None]) -> dict[str, Any]:
        if spot.key not in self._names:
            self._names[spot.key] = fresh(_ODD.sub("_", spot.name)[:80] or "Part", self._taken)
            self._taken.add(self._names[spot.key])
            self._waiting[spot.key] = spot
        uses[spot.key] = None
        return {"$ref": "#/$defs/" + quote(self._names[spot.key])}

    def _body(self, key: str, spot: Node) -> _Body:
        if key not in self._bodies:
            uses: dict[str, None] = {}
            self._making.add(key)
            schema = self._schema(spot, uses, 0)
            self._making.discard(key)
            nodes, height = _size(schema)
            self._bodies[key] = _Body(schema, uses, nodes, height)
        return self._bodies[key]

    def _with_defs(self, out: dict[str, Any], uses: dict[str, None], near: Node) -> dict[str, Any]:
        """The schema with all that it uses, nearest first; where that is too much, the rest only by its name."""
        defs: dict[str, Any] = {}
        nodes, queue, known = 0, list(uses), dict(uses)
        for key in queue:
            body = self._body(key, self._waiting[key])
            nodes += body.nodes
            if nodes > MAX_DEFS_NODES:
                says = "a schema with all that it refers to is too large; its farthest parts are left out"
                self.plan.api.notes.add("info", "a schema that is too large", says, near.source)
                defs[self._names[key]] = {"description": "Left out here: the whole would be too large."}
                continue
            defs[self._names[key]] = body.schema
            queue.extend(more for more in body.uses if more not in known)
            known.update(body.uses)
        whole = {**out, "$defs": defs} if defs else out
        if defs and limit_validation_cost(whole):
            says = "a schema refers to itself so often that no value could be held to it; its farthest parts allow anything"
            self.plan.api.notes.add("info", "a schema that is too large", says, near.source)
        return whole


def _size(schema: Any) -> tuple[int, int]:
    """The mappings and lists in a schema, and how many are in one another."""
    count, height, level = 0, 0, [schema]
    while level:
        count += len(level)
        below: list[Any] = []
        for value in level:
            if isinstance(value, (Mapping, list)):
                inner = value.values() if isinstance(value, Mapping) else value
                below.extend(v for v in inner if isinstance(v, (Mapping, list)))
        level, height = below, height + 1
    return count, height


# Which referenced schemas are written in place, and which stand once under `$defs`.
#
# A schema that contains itself has to stand under `$defs`. So does one that is large or deep when everything in it is written out:
# otherwise a few hundred references to it would make a document of megabytes.


MAX_INLINE_NODES = 120
"""Nodes of a schema that is written in place, all that is in it included."""
MAX_INLINE_HEIGHT = 8
_VALUES = frozenset({"example", "examples", "default", "enum", "const", "required"})


@dataclass(frozen=True, slots=True)
class Own:
    """What a schema itself holds, references not followed."""

    nodes: int
    height: int
    references: tuple[str, ...]
    """With repetitions."""


class Plan:
    def __init__(self, api: Api) -> None:
        self.api = api
        self.names = _names(api)
        """Of schemas, by where they stand: what the document itself calls them comes first."""
        self.elsewhere: dict[str, Node] = {}
        """Schemas with names that other files hold, in the order in which they were met."""
        self._targets: dict[str, Node | None] = {}
        self._own: dict[str, Own] = {}
        self._nodes: dict[str, int] = {}
        self._height: dict[str, int] = {}
        self._apart: set[str] = set()

    def target(self, reference: str, near: Node) -> Node | None:
        """The schema that a reference ends at; None where it leads nowhere."""
        if reference not in self._targets:
            self._targets[reference] = self._target(reference, near)
        return self._targets[reference]

    def _target(self, reference: str, near: Node) -> Node | None:
        end = self.api.follow(Node({"$ref": reference}, near.file, near.at))
        if not isinstance(end.value, (Mapping, bool)) or (end.key == near.key and not end.value):
            return None
        end = replace(end, name=self.names.get(end.key, end.name))
        if end.file != self.api.file and end.name and isinstance(end.value, Mapping):
            self.elsewhere.setdefault(end.key, end)
        return end

    def apart(self, spot: Node) -> bool:
        """Tell whether a referenced schema stands under `$defs`."""
        if spot.key not in self._nodes:
            self._decide(spot)
        return spot.key in self._apart

    def own(self, spot: Node) -> Own:
        if spot.key not in self._own:
            self._own[spot.key] = measure(spot.value)
        return self._own[spot.key]

    def _below(self, spot: Node) -> Iterator[Node]:
        for reference in self.own(spot).references:
            end = self.target(reference, spot)
            if end is not None:
                yield end

    def _decide(self, start: Node) -> None:
        """Depth first, without recursion: what is met again while it is still open closes a cycle."""
        open_ = {start.key}
        stack = [(start, list(self._below(start)), 0)]
        while stack:
            spot, below, index = stack.pop()
            if index < len(below):
                stack.append((spot, below, index + 1))
                inner = below[index]
                if inner.key in open_:
                    self._apart.add(inner.key)
                elif inner.key not in self._nodes:
                    open_.add(inner.key)
                    stack.append((inner, list(self._below(inner)), 0))
                continue
            open_.discard(spot.key)
            self._finish(spot, below)

    def _finish(self, spot: Node, below: list[Node]) -> None:
        own = self.own(spot)
        inside = [b for b in below if b.key not in self._apart]
        nodes = own.nodes + sum(self._nodes.get(b.key, 1) for b in inside)
        height = own.height + max((self._height.get(b.key, 1) for b in inside), default=0)
        self._nodes[spot.key], self._height[spot.key] = nodes, height
        if nodes > MAX_INLINE_NODES or height > MAX_INLINE_HEIGHT:
            self._apart.add(spot.key)


def _names(api: Api) -> dict[str, str]:
    own = {spot.key: spot.name for spot in api.schemas()}
    lent = {api.follow(spot).key: spot.name for spot in api.schemas()}
    return {**lent, **own}


def measure(schema: Any) -> Own:
    """The size of a schema, and the references in it."""
    nodes, height, references = 0, 0, []
    level: list[Any] = [schema]
    while level:
        inner: list[Any] = []
        for value in level:
            nodes += 1
            if isinstance(value, Mapping):
                if isinstance(value.get("$ref"), str):
                    references.append(value["$ref"])
                inner.extend(v for k, v in value.items() if k not in _VALUES and isinstance(v, (Mapping, list)))
            elif isinstance(value, list):
                inner.extend(v for v in value if isinstance(v, (Mapping, list)))
        level, height = inner, height + 1
    return Own(nodes, (height + 1) // 2, tuple(references))
