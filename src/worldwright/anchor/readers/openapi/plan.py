"""Which referenced schemas are written in place, and which stand once under `$defs`.

A schema that contains itself has to stand under `$defs`. So does one that is large or deep when everything in it is written out:
otherwise a few hundred references to it would make a document of megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.nodes import Node

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
        """Whether a referenced schema stands under `$defs`."""
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
