"""Media types: which of several contents to read, and what its schema and examples are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.documents import Node
from worldwright.formats.yaml_or_json import Unreadable, load

MAX_EXAMPLES = 5
MAX_TEXT_CHARS = 200_000
"""Of an example that is JSON written as a text."""


def rank(media: str) -> int:
    """JSON first, then what has fields as well, then everything else."""
    kind = media.lower().split(";", 1)[0].strip()
    if kind == "application/json":
        return 0
    if "json" in kind:
        return 1
    if kind in ("*/*", "application/*", "*"):
        return 2
    if "form-urlencoded" in kind:
        return 3
    if kind.startswith("multipart/"):
        return 4
    return 5 if kind.endswith(("/xml", "+xml")) else 6


FIELDS = 5
"""The last rank whose schema describes fields; beyond it a content is one text."""


def contents(api: Api, holder: Node) -> list[tuple[int, Node]]:
    """The contents of a body or an answer with their ranks, best first. A schema that stands there without `content` is JSON."""
    found = [
        (rank(media), spot) for media, spot in api.children(holder.down("content")) if isinstance(spot.value, Mapping)
    ]
    if not found and (isinstance(holder.facts.get("schema"), Mapping) or holder.facts.get("examples")):
        found = [(0, holder)]
    return sorted(found, key=lambda pair: pair[0])


def examples(api: Api, content: Node) -> list[Node]:
    """The examples beside a schema. Those of 2.0 stand by media type, later ones by name and under `value`."""
    found = [content.down("example")] if content.facts.get("example") is not None else []
    for _, spot in api.children(content.down("examples")):
        held = spot.down("value") if "value" in spot.facts and api.version != "2.0" else spot
        if held.value is not None and "externalValue" not in spot.facts:
            found.append(held)
    return [Node(parsed(s.value), s.file, s.at) for s in found[:MAX_EXAMPLES]]


@lru_cache(maxsize=512)
def _load(text: str) -> Any:
    try:
        document, _ = load(text.encode("utf-8", "replace"))
    except Unreadable:
        return text
    return document if isinstance(document, (dict, list)) else text


def parsed(example: Any) -> Any:
    """An object or a list that is written as a text of JSON, as what it is."""
    if not isinstance(example, str) or not example.lstrip().startswith(("{", "[")) or len(example) > MAX_TEXT_CHARS:
        return example
    return _load(example)
