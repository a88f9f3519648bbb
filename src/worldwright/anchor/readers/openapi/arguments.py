"""The arguments of an operation: its parameters, and its body property by property."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.evidence import Parameter, Shape, Source
from worldwright.anchor.names import fresh
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.context import FIELDS, ApiContext, contents, examples
from worldwright.anchor.readers.openapi.documents import Node
from worldwright.anchor.readers.openapi.names import PathOperation, placeholders
from worldwright.anchor.readers.openapi.shapes import shape_of_values
from worldwright.english.words import wordset

MAX_ARGUMENTS = 300
"""Properties of a body that are arguments of their own."""
PLACES = {p: p for p in ("path", "query", "header", "cookie", "body")} | {"formdata": "form", "form": "form"}
OF_THE_CONNECTION = wordset(
    "accept accept-charset accept-encoding accept-language authorization connection content-encoding content-length "
    "content-type cookie date host origin proxy-authorization referer user-agent"
)
"""Headers that every client sets by itself."""
_CARRIES_KEY = re.compile(
    r"(?:x[-_]?)?(?:api[-_]?key|auth(?:orization|entication)?(?:[-_]?token)?|access[-_]?token|bearer)\Z"
)
_NOT_SCHEMA = frozenset({"name", "in", "required", "schema", "content", "examples", "style", "explode", "description"})


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter, a property of a body, or a whole body."""

    name: str
    place: str
    """path, query, header, cookie, body or form (of 2.0)"""
    required: bool
    schema: Node
    source: Source
    says: str = ""
    """What is said of it beside its schema."""
    shape: Shape | None = None
    """Where it is not simply that of the schema."""


def read_arguments(
    bench: ApiContext, operation: PathOperation
) -> tuple[tuple[Parameter, ...], Shape | None, dict[str, Any]]:
    """The parameters of an operation, the shape of its body, and the schema of all of its arguments."""
    declared = _declared(bench, operation)
    body = _body(bench, operation, declared)
    plain = [a for a in declared if a.place not in ("form", "body")]
    form = [replace(a, place="body") for a in declared if a.place == "form" and body is None]
    every = {a.name: a for a in _told_apart(bench.api, [*plain, *form])}
    shape = body.shape if body is not None else None
    if form:
        properties = {a.name: a.schema.value for a in form}
        held = {"type": "object", "properties": properties, "required": [a.name for a in form if a.required]}
        shape = bench.shapes.of(Node(held, operation.spot.file, operation.spot.at))
    if body is not None:
        every |= {a.name: a for a in _of_body(bench, operation, body, every)}
    parameters = []
    for a in every.values():
        own = a.shape or bench.shapes.of(a.schema)
        parameters.append(Parameter(a.name, a.place, own, a.required, a.says or own.says, a.source))
    schema = bench.sent.arguments(
        {a.name: (a.schema, a.says) for a in every.values()},
        [a.name for a in every.values() if a.required],
        operation.spot,
    )
    return tuple(parameters), shape, schema


def _told_apart(api: Api, found: list[Argument]) -> Iterator[Argument]:
    """The arguments. A name that stands in two places is told apart by the place."""
    taken: set[str] = set()
    for a in found:
        name = a.name if a.name not in taken else fresh(f"{a.name}_{a.place}", taken)
        if name != a.name:
            says = f"`{a.name[:100]}` stands in two places; the one in the {a.place} is called `{name[:100]}`"
            api.notes.add("warning", "a parameter in two places", says, a.source)
        taken.add(name)
        yield replace(a, name=name)


def _body(bench: ApiContext, operation: PathOperation, declared: list[Argument]) -> Argument | None:
    """The body of a request: under `requestBody`, or as a parameter of 2.0."""
    api = bench.api
    request = api.follow(operation.spot.down("requestBody"))
    best = next(iter(contents(api, request)), None)
    if best is None:
        whole = next((a for a in declared if a.place == "body"), None)
        return replace(whole, shape=bench.shapes.of(whole.schema)) if whole is not None else None
    rank, content = best
    schema = content.down("schema")
    if not isinstance(schema.value, Mapping) or (rank > FIELDS and bench.shapes.of(schema).kind != "string"):
        schema = Node({"type": "string"} if rank > FIELDS else {}, content.file, content.at)
    said = [s.value for s in examples(api, content)]
    shape = bench.shapes.of(schema, said) if schema.value or not said else shape_of_values(said)
    says = api.text(request.facts.get("description"))
    return Argument("", "body", request.facts.get("required") is True, schema, schema.source, says, shape)


def _of_body(
    bench: ApiContext, operation: PathOperation, body: Argument, taken: Mapping[str, Argument]
) -> Iterator[Argument]:
    """One argument for each property of the body, or one for all of it where that cannot be done."""
    held = bench.api.members(body.schema)
    properties = {n: s for n, s in held.properties.items() if not bench.sent.left_out(s)}
    why = ""
    if not held.is_object or held.is_choice:
        why = "it is not one object with properties of its own"
    elif len(held.properties) > MAX_ARGUMENTS:
        why = f"it has more than {MAX_ARGUMENTS} properties"
    elif not held.properties:
        why = "it is an object that names no properties"
    elif same := next((n for n in properties if n in taken), ""):
        why = f"its property `{same[:100]}` has the name of a parameter"
    if why:
        name = next((n for n in ("body", "request_body") if n not in taken), "") or fresh("body", taken)
        says = f"the body of {operation.method} {operation.path[:200]} is one argument, `{name}`: {why}"
        bench.api.notes.add("info", "a body as one argument", says, operation.spot.source)
        yield replace(body, name=name, source=body.schema.source)
        return
    fields = body.shape.fields if body.shape is not None else {}
    for name, spot in properties.items():
        shape = fields[name].shape if name in fields else None
        yield Argument(name, "body", body.required and name in held.required, spot, spot.source, shape=shape)


def _declared(bench: ApiContext, operation: PathOperation) -> list[Argument]:
    """The parameters of an operation in order, its own instead of those of its path; left out are those of the connection."""
    found: dict[tuple[str, str], Argument] = {}
    for holder in (operation.item, operation.spot):
        for key, spot in bench.api.children(holder.down("parameters")):
            one = _parameter(bench.api, operation, key, spot)
            if one is not None:
                found[one.place, one.name] = one
    kept = [a for a in found.values() if not _of_the_connection(bench, a)]
    return list(_with_template(bench.api, operation, kept))


def _parameter(api: Api, operation: PathOperation, key: str, spot: Node) -> Argument | None:
    facts = spot.facts
    said = facts.get("name", "" if key.isdigit() else key)
    name = said if isinstance(said, str) else api.text(said)
    if not facts or (not name.strip() and facts.get("in") != "body"):
        if not operation.lost:
            says = "a parameter without a name is left out"
            api.notes.add("warning", "a parameter without a name", says, spot.source)
        return None
    place = PLACES.get(str(facts.get("in")).lower(), "")
    if not place:
        place = "path" if name in placeholders(operation.path) else "query"
        says = f"`{name[:100]}` does not say where it belongs (`in`); read as a parameter of the {place}"
        api.notes.add("warning", "a parameter without a place", says, spot.source)
    required = place == "path" or facts.get("required") is True
    says = api.text(facts.get("description"))
    return Argument(name, place, required, _schema(api, spot, place), spot.source, says)


def _schema(api: Api, spot: Node, place: str) -> Node:
    """The schema of a parameter: under `schema`, under `content`, or, in 2.0, the parameter itself."""
    own = {k: v for k, v in spot.facts.items() if k not in _NOT_SCHEMA or (k == "description" and place == "form")}
    written = [spot.down("schema"), *(content.down("schema") for _, content in contents(api, spot)[:1])]
    itself = Node(own if own or place == "body" else {"type": "string"}, spot.file, spot.at)
    held = next((s for s in written if isinstance(s.value, (Mapping, bool))), itself)
    said = examples(api, spot)
    if said and isinstance(held.value, Mapping) and not {"$ref", "example", "examples"} & held.value.keys():
        held = replace(held, value={**held.value, "example": said[0].value})
    return held


def _of_the_connection(bench: ApiContext, one: Argument) -> bool:
    keyed = (one.place, one.name.lower()) in bench.keys
    why = "it carries the key of the caller" if keyed else is_of_connection(one.place, one.name)
    if why:
        bench.api.notes.skip(f"{one.place} parameter {one.name}", why, bench.api.top.down("paths").source)
    return bool(why)


def is_of_connection(place: str, name: str) -> str:
    """Why a parameter is none that a caller gives; nothing where it is one."""
    if place == "header" and name.lower() in OF_THE_CONNECTION:
        return "every client sets it by itself"
    return "it carries the key of the caller" if place == "header" and _CARRIES_KEY.match(name.lower()) else ""


def _with_template(api: Api, operation: PathOperation, kept: list[Argument]) -> Iterator[Argument]:
    """The parameters, with those that only the template of the path names, as required texts."""
    wanted = placeholders(operation.path)
    have = {a.name for a in kept if a.place == "path"}
    missing = [name for name in wanted if name not in have]
    for a in kept:
        meant = next((m for m in missing if _squeezed(m) == _squeezed(a.name)), "")
        if a.place == "path" and a.name not in wanted and meant:
            missing.remove(meant)
            says = f"the path names `{meant}`, the parameter is called `{a.name[:100]}`; the name in the path counts"
            api.notes.add("warning", "a path parameter under another name", says, a.source)
            a = replace(a, name=meant)
        yield a
    for name in missing:
        if not operation.lost:
            says = (
                f"`{name[:100]}` stands in the path {operation.path[:200]} but is not declared; read as a required text"
            )
            api.notes.add("warning", "an undeclared path parameter", says, operation.spot.source)
        spot = Node({"type": "string"}, operation.spot.file, operation.spot.at)
        yield Argument(name, "path", True, spot, spot.source)


def _squeezed(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
