"""The properties of an object schema, with everything that `allOf` lays together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.nodes import Node, texts

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
            _own(part, found)
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


def _own(part: Node, found: Members) -> None:
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
