"""Paths of routes, as each framework writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from worldwright.anchor.evidence import Shape

_CONVERTED = re.compile(r"<(?:([a-z_]{1,20})(?:\([^)<>]{0,60}\))?:)?([A-Za-z_]\w{0,80})>")
_BRACED = re.compile(r"\{([A-Za-z_]\w{0,80})(?::[a-z]{1,20})?\}")
_GROUP = re.compile(r"\(\?P<(\w{1,80})>[^()]{0,100}\)")
_TYPES: Mapping[str, Shape] = {
    "int": Shape("integer"),
    "float": Shape("number"),
    "uuid": Shape("string", "uuid"),
}


def plain_path(path: str) -> tuple[str, dict[str, Shape]]:
    """A path with its parts in braces, and the shape of each: `/orders/<int:id>` -> `/orders/{id}`."""
    path = path[:1_000]
    shapes: dict[str, Shape] = {}
    for kind, name in _CONVERTED.findall(path):
        shapes[name] = _TYPES.get(kind, Shape("string"))
    for name in _BRACED.findall(path):
        shapes.setdefault(name, Shape("string"))
    plain = _CONVERTED.sub(r"{\2}", path)
    return "/" + _BRACED.sub(r"{\1}", plain).lstrip("/"), shapes


def from_pattern(pattern: str) -> str:
    """A path that is written as a pattern: `^tickets/(?P<pk>[0-9]+)/$` -> `tickets/{pk}/`."""
    plain = _GROUP.sub(r"{\1}", pattern[:1_000].removeprefix("^").removesuffix("$").removesuffix("\\Z"))
    return plain.replace("\\", "").replace("/?", "/")
