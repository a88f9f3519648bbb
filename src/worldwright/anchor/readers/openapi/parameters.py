"""Parameters as an operation declares them: on itself, on its path, or only in the template of its path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.context import ApiContext
from worldwright.anchor.readers.openapi.media import contents, examples
from worldwright.anchor.readers.openapi.names import PathOperation, placeholders
from worldwright.anchor.readers.openapi.nodes import Node

PLACES = {p.lower(): p for p in ("path", "query", "header", "cookie", "body", "formData", "form")}
OF_THE_CONNECTION = frozenset(
    {
        "accept", "accept-charset", "accept-encoding", "accept-language", "authorization", "connection",
        "content-encoding", "content-length", "content-type", "cookie", "date", "host", "origin",
        "proxy-authorization", "referer", "user-agent",
    }
)  # fmt: skip
"""Headers that every client sets by itself."""
_CARRIES_KEY = re.compile(
    r"(?:x[-_]?)?(?:api[-_]?key|auth(?:orization|entication)?(?:[-_]?token)?|access[-_]?token|bearer)\Z"
)
_NOT_SCHEMA = frozenset({"name", "in", "required", "schema", "content", "examples", "style", "explode", "description"})


@dataclass(frozen=True, slots=True)
class Declared:
    """A parameter."""

    name: str
    place: str
    """path, query, header, cookie, body or formData"""
    required: bool
    schema: Node
    says: str
    spot: Node


def declared(bench: ApiContext, operation: PathOperation) -> list[Declared]:
    """The parameters of an operation in order, its own instead of those of its path; left out are those of the connection."""
    found: dict[tuple[str, str], Declared] = {}
    for holder in (operation.item, operation.spot):
        for key, spot in bench.api.children(holder.down("parameters")):
            parameter = _parameter(bench.api, operation, key, spot)
            if parameter is not None:
                found[parameter.place, parameter.name] = parameter
    kept = [p for p in found.values() if not _of_the_connection(bench, p)]
    return list(_with_template(bench.api, operation, kept))


def _parameter(api: Api, operation: PathOperation, key: str, spot: Node) -> Declared | None:
    facts = spot.facts
    said = facts.get("name", "" if key.isdigit() else key)
    name = said if isinstance(said, str) else api.text(said)
    if not facts or (not name.strip() and facts.get("in") != "body"):
        if not operation.lost:
            api.notes.add(
                "warning", "a parameter without a name", "a parameter without a name is left out", spot.source
            )
        return None
    place = PLACES.get(str(facts.get("in")).lower(), "")
    if not place:
        place = "path" if name in placeholders(operation.path) else "query"
        says = f"`{name[:100]}` does not say where it belongs (`in`); read as a parameter of the {place}"
        api.notes.add("warning", "a parameter without a place", says, spot.source)
    place = "formData" if place == "form" else place
    required = place == "path" or facts.get("required") is True
    return Declared(name, place, required, _schema(api, spot, place), api.text(facts.get("description")), spot)


def _schema(api: Api, spot: Node, place: str) -> Node:
    """The schema of a parameter: under `schema`, under `content`, or, in 2.0, the parameter itself."""
    facts = spot.facts
    held = spot.down("schema")
    if not isinstance(held.value, (Mapping, bool)):
        best = next((c for _, c in contents(api, spot)), None)
        held = best.down("schema") if best is not None else Node(None, spot.file, spot.at)
    if not isinstance(held.value, (Mapping, bool)):
        own = {k: v for k, v in facts.items() if k not in _NOT_SCHEMA}
        held = Node(own if own or place == "body" else {"type": "string"}, spot.file, spot.at)
    said = examples(api, spot)
    if said and isinstance(held.value, Mapping) and not {"$ref", "example", "examples"} & held.value.keys():
        held = replace(held, value={**held.value, "example": said[0].value})
    return held


def _of_the_connection(bench: ApiContext, parameter: Declared) -> bool:
    name = parameter.name.lower()
    if (parameter.place, name) in bench.keys:
        why = "it carries the key of the caller"
    elif parameter.place == "header" and name in OF_THE_CONNECTION:
        why = "every client sets it by itself"
    elif parameter.place == "header" and _CARRIES_KEY.match(name):
        why = "it carries the key of the caller"
    else:
        return False
    bench.api.notes.skip(f"{parameter.place} parameter {parameter.name}", why, bench.api.top.down("paths").source)
    return True


def _with_template(api: Api, operation: PathOperation, kept: list[Declared]) -> Iterator[Declared]:
    """The parameters, with those that only the template of the path names, as required texts."""
    wanted = placeholders(operation.path)
    have = {p.name for p in kept if p.place == "path"}
    missing = [name for name in wanted if name not in have]
    for parameter in kept:
        meant = next((m for m in missing if _same(m, parameter.name)), None) if parameter.place == "path" else None
        if meant is None or parameter.name in wanted:
            yield parameter
            continue
        missing.remove(meant)
        says = (
            f"the path names `{meant}`, the parameter is called `{parameter.name[:100]}`; the name in the path counts"
        )
        api.notes.add("warning", "a path parameter under another name", says, parameter.spot.source)
        yield replace(parameter, name=meant)
    for name in missing:
        if not operation.lost:
            says = (
                f"`{name[:100]}` stands in the path {operation.path[:200]} but is not declared; read as a required text"
            )
            api.notes.add("warning", "an undeclared path parameter", says, operation.spot.source)
        spot = Node({"type": "string"}, operation.spot.file, operation.spot.at)
        yield Declared(name, "path", True, spot, "", spot)


def _same(one: str, other: str) -> bool:
    def plain(name: str) -> str:
        return name.lower().replace("_", "").replace("-", "")

    return plain(one) == plain(other)
