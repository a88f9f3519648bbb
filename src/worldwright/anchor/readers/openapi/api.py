"""One API description, and everything that its references lead to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.anchor.evidence import Source
from worldwright.anchor.readers.openapi.documents import (
    Node,
    NoteLog,
    Root,
    Shelf,
    as_mapping,
    child,
    escaped,
    target,
    texts,
    unescaped,
)

MAX_HOPS = 40
"""References that lead on to references."""
SCHEMAS = (("components", "schemas"), ("definitions",))
"""Where schemas with names stand, in all versions: documents mix them."""
_NAMING = frozenset({"schemas", "definitions", "$defs", "models"})


class Api:
    """Finds what references point to. Only uploads are looked at; what leads elsewhere is noted once."""

    def __init__(self, root: Root, shelf: Shelf, notes: NoteLog) -> None:
        self.file = root.file
        self.document = root.document
        self.version = root.version
        self.notes = notes
        self.top = Node(root.document, root.file)
        self._shelf = shelf
        self._found: dict[str, Node | None] = {}

    def schemas(self) -> Iterator[Node]:
        """The schemas that the document gives names to."""
        for section in SCHEMAS:
            for name, spot in self.top.down(*section).each():
                yield replace(spot, name=name)

    def find(self, reference: str, source: Source) -> Node | None:
        """Return what a reference points to, one step on; None where it leads nowhere, which is noted."""
        if reference not in self._found:
            self._found[reference] = self._look_up(reference, source)
        return self._found[reference]

    def follow(self, spot: Node) -> Node:
        """The spot where references end. One that leads nowhere ends in what stands beside it."""
        seen: set[str] = set()
        while isinstance(reference := as_mapping(spot.value).get("$ref"), str):
            found = None if reference in seen or len(seen) > MAX_HOPS else self.find(reference, spot.source)
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
        place = target(reference, self.file)
        if place is None:
            self._lost(reference, "it leads out of the uploads, which is never followed", source)
            return None
        name, fragment = place
        document = self.document if name == self.file else self._shelf.part(name)
        if document is None:
            named = self._by_name(reference) if "/" not in reference else None
            if named is None:
                self._lost(reference, f"there is no readable upload `{name}`", source)
            return named
        found = self._walk(Node(document, name), fragment)
        return self._guess(reference, source) if found is None else found

    def _walk(self, spot: Node, fragment: str) -> Node | None:
        """Along a JSON pointer, through references where they stand in the way."""
        tokens = [unescaped(t) for t in fragment.strip("/").split("/")] if fragment.strip("/") else []
        value, at = spot.value, ""
        for token in tokens[:200]:
            inner = child(value, token)
            if inner is None and isinstance(as_mapping(value).get("$ref"), str) and len(tokens) > 1:
                beyond = self._beyond(value["$ref"])
                value, at, spot = (beyond.value, beyond.at, beyond) if beyond else (None, at, spot)
                inner = child(value, token)
            if inner is None:
                return None
            value, at = inner, f"{at}/{escaped(token)}"
        return Node(value, spot.file, at, _name(spot.file, tokens))

    def _beyond(self, reference: str) -> Node | None:
        """A reference in the middle of a pointer, taken without going through another one."""
        place = target(reference, self.file)
        document = None if place is None else self.document if place[0] == self.file else self._shelf.part(place[0])
        if place is None or document is None:
            return None
        value, tokens = document, [unescaped(t) for t in place[1].strip("/").split("/") if t]
        for token in tokens[:200]:
            value = child(value, token)
        return None if value is None else Node(value, place[0], "".join(f"/{escaped(t)}" for t in tokens))

    def _guess(self, reference: str, source: Source) -> Node | None:
        """A schema of that name in the usual places: `#/definitions/Order` in a document that has `components`."""
        found = self._by_name(reference)
        if found is None:
            self._lost(reference, "nothing stands there", source)
        else:
            says = f"`{reference[:200]}` leads nowhere; read as `#{found.at}`"
            self.notes.add("warning", "a reference that is not quite right", says, source)
        return found

    def _by_name(self, reference: str) -> Node | None:
        name = unescaped(reference.rsplit("/", 1)[-1].rsplit("#", 1)[-1])
        for section in SCHEMAS:
            spot = self.top.down(*section, name)
            if isinstance(spot.value, Mapping) and spot.value.get("$ref") != reference:
                return replace(spot, name=name)
        return None

    def _lost(self, reference: str, why: str, source: Source) -> None:
        self.notes.add(
            "warning", "a reference that leads nowhere", f"`{reference[:200]}` cannot be read: {why}", source
        )


def _name(file: str, tokens: list[str]) -> str:
    """What a place is called: `Order` for `/components/schemas/Order`, for `/Order` in a file of schemas, and for `Order.yaml`."""
    if not tokens:
        return file.rsplit("/", 1)[-1].split(".", 1)[0]
    if len(tokens) == 1 or tokens[-2] in _NAMING:
        return tokens[-1]
    return ""


# The properties of an object schema, with everything that `allOf` lays together.


MAX_PARTS = 300
"""Schemas that make up one object."""
_CHOICES = ("oneOf", "anyOf")
_CONDITIONS = frozenset({"required", "not", "title", "description"})


@dataclass(slots=True)
class Members:
    properties: dict[str, Node] = field(default_factory=dict)
    required: dict[str, None] = field(default_factory=dict)
    is_object: bool = False
    """Whether any part of it says so."""
    is_choice: bool = False
    """Whether it is one of several forms, which properties alone cannot say."""


class Objects:
    """The properties of schemas; those that a reference leads to are put together once."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._known: dict[str, Members] = {}

    def of(self, spot: Node) -> Members:
        end = self._api.follow(spot)
        if end.key == spot.key:
            return members(self._api, spot)
        if end.key not in self._known:
            self._known[end.key] = members(self._api, end)
        return self._known[end.key]


def members(api: Api, spot: Node) -> Members:
    """The properties of a schema, later parts over earlier ones and its own over all. Of several forms, those of all of them."""
    found = Members()
    seen: set[str] = set()
    waiting = [(spot, False)]
    while waiting and len(seen) < MAX_PARTS:
        part, inner_done = waiting.pop()
        if inner_done:
            _read_own_members(part, found)
            continue
        part = api.follow(part)
        if part.key in seen or not isinstance(part.value, Mapping):
            continue
        seen.add(part.key)
        laid = [s for _, s in part.down("allOf").each()] if isinstance(part.facts.get("allOf"), list) else []
        forms = _forms(part)
        found.is_choice |= len(forms) > 1
        waiting.append((part, True))
        waiting.extend((s, False) for s in reversed([*laid, *forms]))
    return found


def _read_own_members(part: Node, found: Members) -> None:
    said = part.facts.get("type")
    properties = part.down("properties")
    if isinstance(properties.value, Mapping):
        for name, inner in properties.each():
            found.properties[name] = inner
            if inner.facts.get("required") is True:
                found.required[name] = None
    found.is_object |= "object" in texts(said) or (said is None and isinstance(properties.value, Mapping))
    if isinstance(part.facts.get("required"), list):
        found.required.update(dict.fromkeys(texts(part.facts["required"])))


def _forms(part: Node) -> list[Node]:
    """The forms that a schema may have, without null and without those that only say what is required together."""
    return [
        spot
        for key in _CHOICES
        if isinstance(part.facts.get(key), list)
        for _, spot in part.down(key).each()
        if not _says_little(spot.value)
    ]


def _says_little(schema: Any) -> bool:
    return not isinstance(schema, Mapping) or schema.get("type") == "null" or _CONDITIONS.issuperset(schema)
