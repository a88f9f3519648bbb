"""All that is needed to read the operations and schemas of one API, and what its media types hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.documents import Node
from worldwright.anchor.readers.openapi.shapes import Shapes
from worldwright.anchor.readers.openapi.translate import Translator
from worldwright.formats.yaml_or_json import Unreadable, load

MAX_EXAMPLES = 5
MAX_TEXT_CHARS = 200_000
"""Of an example that is JSON written as a text."""
FIELDS = 5
"""The last rank of a media type whose schema describes fields; beyond it a content is one text."""
SCHEMES = (("components", "securitySchemes"), ("securityDefinitions",))


class ApiContext:
    """One API with its shapes, and its schemas as they are sent and as an answer has them."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.shapes = Shapes(api)
        self.sent = Translator(api, sent=True)
        self.received = Translator(api, sent=False)
        schemes = [spot.facts for section in SCHEMES for _, spot in api.children(api.top.down(*section))]
        self.keys = {(str(s.get("in")), str(s.get("name")).lower()) for s in schemes if "name" in s}
        """Place and lower-case name of the parameters that carry a key."""


def rank_media(media: str) -> int:
    """JSON first, then what has fields as well, then everything else."""
    kind = media.lower().split(";", 1)[0].strip()
    ranks = (
        kind == "application/json",
        "json" in kind,
        kind in ("*/*", "application/*", "*"),
        "form-urlencoded" in kind,
        kind.startswith("multipart/"),
        kind.endswith(("/xml", "+xml")),
        True,
    )
    return ranks.index(True)


def contents(api: Api, holder: Node) -> list[tuple[int, Node]]:
    """The contents of a body or an answer with their ranks, best first. A schema that stands there without `content` is JSON."""
    found = [(rank_media(m), s) for m, s in api.children(holder.down("content")) if isinstance(s.value, Mapping)]
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


def parsed(example: Any) -> Any:
    """An object or a list that is written as a text of JSON, as what it is."""
    written = isinstance(example, str) and example.lstrip().startswith(("{", "[")) and len(example) <= MAX_TEXT_CHARS
    return _load(example) if written else example


@lru_cache(maxsize=512)
def _load(text: str) -> Any:
    try:
        document, _ = load(text.encode("utf-8", "replace"))
    except Unreadable:
        return text
    return document if isinstance(document, (dict, list)) else text
