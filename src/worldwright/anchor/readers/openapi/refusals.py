"""Refusals that the schemas and examples of error responses spell out, one message each: every one is a claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.evidence import Claim
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.documents import Node, texts
from worldwright.anchor.readers.openapi.names import PathOperation

_REFUSES = re.compile(r"4(?:\d\d|[xX]{2})\Z")
_ABOUT_THE_CALL = frozenset({"401", "406", "415", "429"})
_SAYS = ("description", "message", "detail", "reason", "error")
_INTO = ("allOf", "anyOf", "oneOf", "properties", "items", "details", "errors", "error", "schema", "content")
DEEPEST, MOST = 14, 400


def refusal_claims(api: Api, operations: Sequence[tuple[PathOperation, str]]) -> Iterator[Claim]:
    """Yield every message once, where it stands first."""
    seen: set[str] = set()
    for operation, name in operations:
        for status, response in api.children(operation.spot.down("responses")):
            if not _REFUSES.match(status.strip()) or status.strip() in _ABOUT_THE_CALL:
                continue
            for spot, text in _messages(api, response, 0, set()):
                if len(seen) < MOST and spot.key not in seen:
                    seen.add(spot.key)
                    yield Claim(text, "error", spot.source, f"{name} {status}", *about_of(text))


def _messages(api: Api, spot: Node, depth: int, above: set[str]) -> Iterator[tuple[Node, str]]:
    """Yield the objects of a schema whose message is fixed, with that message."""
    spot = api.follow(spot)
    if depth > DEEPEST or spot.key in above:
        return
    members = spot.facts.get("properties")
    for name in _SAYS if isinstance(members, dict) else ():
        facts = api.follow(spot.down("properties", name)).facts
        fixed = texts(facts.get("enum")) or texts([facts.get("const")])
        if len(fixed) == 1 and len(fixed[0].split()) > 2:
            yield spot, " ".join(fixed[0].split())
            return
    for key, inner in spot.each():
        if key in _INTO or key.isdigit() or depth in (1, 2) or spot.at.endswith("/properties"):
            yield from _messages(api, inner, depth + 1, above | {spot.key})
