"""One API description: what its references lead to, what its objects hold, and which of its schemas are large."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from worldwright.anchor.evidence import Source
from worldwright.anchor.readers.openapi.documents import Node, NoteLog, Shelf, as_mapping, child, target, texts
from worldwright.anchor.schema.references import reference_steps

MAX_HOPS = 40
"""References that lead on to references."""
MAX_PARTS = 300
"""Schemas that make up one object."""
MAX_INLINE_NODES = 120
"""Nodes of a schema that is written in place, all that is in it included."""
MAX_INLINE_HEIGHT = 8
SCHEMAS = (("components", "schemas"), ("definitions",))
"""Where schemas with names stand, in all versions: documents mix them."""
_NAMING = frozenset({"schemas", "definitions", "$defs", "models"})
_CONDITIONS = frozenset({"required", "not", "title", "description"})
VALUES = frozenset({"example", "examples", "default", "enum", "const", "required"})
"""Keywords that hold values, and no schemas."""


@dataclass(slots=True)
class Members:
    """What an object holds."""

    properties: dict[str, Node] = field(default_factory=dict)
    required: dict[str, None] = field(default_factory=dict)
    is_object: bool = False
    """Whether any part of it says so."""
    is_choice: bool = False
    """Whether it is one of several forms, which properties alone cannot say."""


class Size(NamedTuple):
    """The mappings and lists of a value, how many of them are in one another, and the references in it, with repetitions."""

    nodes: int
    height: int
    references: tuple[str, ...]


class Api:
    """Finds what references point to. Only uploads are looked at; what leads elsewhere is noted once."""

    def __init__(self, file: str, version: str, shelf: Shelf, notes: NoteLog) -> None:
        self.file = file
        self.version = version
        self.notes = notes
        self.top = Node(shelf.documents[file], file)
        self._shelf = shelf
        self._found: dict[str, Node | None] = {}
        self._members: dict[str, Members] = {}
        self._targets: dict[str, Node | None] = {}
        self._own: dict[str, Size] = {}
        self._whole: dict[str, tuple[int, int]] = {}
        self._apart: set[str] = set()
        self.elsewhere: dict[str, Node] = {}
        """Schemas with names that other files hold, in the order in which they were met."""

    @cached_property
    def names(self) -> dict[str, str]:
        """Of schemas, by where they stand: what the document itself calls them comes first."""
        lent = {self.follow(spot).key: spot.name for spot in self.schemas()}
        return lent | {spot.key: spot.name for spot in self.schemas()}

    def schemas(self) -> Iterator[Node]:
        """The schemas that the document gives names to."""
        for section in SCHEMAS:
            for name, spot in self.top.down(*section).each():
                yield replace(spot, name=name)

    def follow(self, spot: Node) -> Node:
        """The spot where references end. One that leads nowhere ends in what stands beside it."""
        seen: set[str] = set()
        while isinstance(reference := spot.facts.get("$ref"), str):
            if reference not in self._found:
                self._found[reference] = self._look_up(reference, spot.source)
            found = None if reference in seen or len(seen) > MAX_HOPS else self._found[reference]
            seen.add(reference)
            if found is None:
                return replace(spot, value={k: v for k, v in spot.value.items() if k != "$ref"})
            spot = replace(found, name=found.name or spot.name)
        return spot

    def children(self, spot: Node) -> Iterator[tuple[str, Node]]:
        """Yield what is inside of a mapping or a list, every reference followed."""
        for key, inner in self.follow(spot).each():
            yield key, self.follow(inner)

    def text(self, value: Any) -> str:
        """A text, as it is or as a reference to it; empty for anything else."""
        if isinstance(value, Mapping):
            value = self.follow(Node(value, self.file)).value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        return value.strip() if isinstance(value, str) else ""

    def _look_up(self, reference: str, source: Source) -> Node | None:
        """What a reference points to, one step on; None where it leads nowhere, which is noted."""
        found = self._walk(reference)
        if isinstance(found, Node):
            return found
        guess = self._by_name(reference) if not found or "/" not in reference else None
        if guess is None:
            says = f"`{reference[:200]}` cannot be read: {found or 'nothing stands there'}"
            self.notes.add("warning", "a reference that leads nowhere", says, source)
        elif not found:
            says = f"`{reference[:200]}` leads nowhere; read as `#{guess.at}`"
            self.notes.add("warning", "a reference that is not quite right", says, source)
        return guess

    def _walk(self, reference: str, through: bool = True) -> Node | str:
        """Along a reference, through another one where it stands in the way; else why its file is not there, empty where it is."""
        place = target(reference, self.file)
        if place is None:
            return "it leads out of the uploads, which is never followed"
        file, tokens = place[0], [token for token in reference_steps(reference) if token]
        value = self.top.value if file == self.file else self._shelf.part(file)
        if value is None:
            return f"there is no readable upload `{file}`"
        spot = Node(value, file)
        for token in tokens[:200]:
            if child(spot.value, token) is None and through and isinstance(spot.facts.get("$ref"), str):
                beyond = self._walk(spot.facts["$ref"], through=False)
                spot = beyond if isinstance(beyond, Node) else spot
            spot = spot.down(token)
            if spot.value is None:
                return ""
        return replace(spot, name=_name(spot.file, tokens))

    def _by_name(self, reference: str) -> Node | None:
        """A schema of that name in the usual places: `#/definitions/Order` in a document that has `components`."""
        name = reference_steps(reference)[-1] or reference
        found = [self.top.down(*section, name) for section in SCHEMAS]
        good = (s for s in found if isinstance(s.value, Mapping) and s.value.get("$ref") != reference)
        return next((replace(spot, name=name) for spot in good), None)

    def members(self, spot: Node) -> Members:
        """The properties of a schema, later parts over earlier ones and its own over all; of several forms, those of all."""
        end = self.follow(spot)
        if end.key == spot.key:
            return self._gather_members(spot, Members(), set())
        if end.key not in self._members:
            self._members[end.key] = self._gather_members(end, Members(), set())
        return self._members[end.key]

    def _gather_members(self, spot: Node, found: Members, seen: set[str], depth: int = 0) -> Members:
        part = self.follow(spot)
        if part.key in seen or not isinstance(part.value, Mapping) or len(seen) >= MAX_PARTS or depth > MAX_HOPS:
            return found
        seen.add(part.key)
        forms = [s for s in parts_of(part, "oneOf", "anyOf") if not _says_little(s.value)]
        found.is_choice |= len(forms) > 1
        for inner in (*parts_of(part, "allOf"), *forms):
            self._gather_members(inner, found, seen, depth + 1)
        said, needed, properties = part.facts.get("type"), part.facts.get("required"), part.down("properties")
        own = dict(properties.each()) if isinstance(properties.value, Mapping) else {}
        found.properties |= own
        found.required |= dict.fromkeys(name for name, inner in own.items() if inner.facts.get("required") is True)
        found.required |= dict.fromkeys(texts(needed) if isinstance(needed, list) else ())
        found.is_object |= "object" in texts(said) or (said is None and isinstance(properties.value, Mapping))
        return found

    def target(self, reference: str, near: Node) -> Node | None:
        """The schema that a reference ends at; None where it leads nowhere."""
        if reference not in self._targets:
            self._targets[reference] = self._end_of(reference, near)
        return self._targets[reference]

    def _end_of(self, reference: str, near: Node) -> Node | None:
        end = self.follow(Node({"$ref": reference}, near.file, near.at))
        if not isinstance(end.value, (Mapping, bool)) or (end.key == near.key and not end.value):
            return None
        end = replace(end, name=self.names.get(end.key, end.name))
        if end.file != self.file and end.name and isinstance(end.value, Mapping):
            self.elsewhere.setdefault(end.key, end)
        return end

    def own(self, spot: Node) -> Size:
        """What a schema itself holds, references not followed."""
        if spot.key not in self._own:
            self._own[spot.key] = measure(spot.value, VALUES)
        return self._own[spot.key]

    def apart(self, spot: Node) -> bool:
        """Tell whether a referenced schema stands once under `$defs`: one that contains itself, or is large with all that is in it.

        Otherwise a few hundred references to it would make a document of megabytes.
        """
        if spot.key not in self._whole:
            self._weigh(spot, {spot.key})
        return spot.key in self._apart

    def _weigh(self, spot: Node, inside: set[str]) -> None:
        """Find the size of a schema with all that is in it. What is met again inside of itself closes a cycle."""
        own = self.own(spot)
        nodes, below = own.nodes, 0
        for end in (self.target(reference, spot) for reference in own.references):
            if end is None:
                continue
            if end.key in inside or len(inside) > MAX_HOPS:
                self._apart.add(end.key)
            elif end.key not in self._whole:
                self._weigh(end, inside | {end.key})
            if end.key not in self._apart:
                nodes, below = nodes + self._whole[end.key][0], max(below, self._whole[end.key][1])
        height = (own.height + 1) // 2 + below
        self._whole[spot.key] = nodes, height
        if nodes > MAX_INLINE_NODES or height > MAX_INLINE_HEIGHT:
            self._apart.add(spot.key)


def _name(file: str, tokens: list[str]) -> str:
    """What a place is called: `Order` for `/components/schemas/Order`, for `/Order` in a file of schemas, and for `Order.yaml`."""
    if not tokens:
        return file.rsplit("/", 1)[-1].split(".", 1)[0]
    return tokens[-1] if len(tokens) == 1 or tokens[-2] in _NAMING else ""


def parts_of(spot: Node, *keys: str) -> list[Node]:
    """The schemas in the lists under these keywords."""
    return [part for key in keys if isinstance(spot.facts.get(key), list) for _, part in spot.down(key).each()]


def _says_little(schema: Any) -> bool:
    """Tell whether a form is null, or only says what is required together."""
    return not isinstance(schema, Mapping) or schema.get("type") == "null" or _CONDITIONS.issuperset(schema)


def measure(value: Any, without: Container[str] = ()) -> Size:
    """The size of a value, without what stands under some keys."""
    nodes, height, references = 0, 0, []
    level: list[Any] = [value]
    while level:
        nodes += len(level)
        height += 1
        inner: list[Any] = []
        for one in level:
            if isinstance(as_mapping(one).get("$ref"), str):
                references.append(one["$ref"])
            mapped = [v for k, v in one.items() if k not in without] if isinstance(one, Mapping) else []
            inner.extend(v for v in (one if isinstance(one, list) else mapped) if isinstance(v, (Mapping, list)))
        level = inner
    return Size(nodes, height, tuple(references))
