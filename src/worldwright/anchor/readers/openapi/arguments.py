"""The arguments of an operation: its parameters, and its body property by property."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.anchor.evidence import Field, Parameter, Shape, Source
from worldwright.anchor.names import fresh
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.context import ApiContext
from worldwright.anchor.readers.openapi.documents import Node
from worldwright.anchor.readers.openapi.media import FIELDS, contents, examples
from worldwright.anchor.readers.openapi.names import PathOperation, placeholders
from worldwright.anchor.readers.openapi.shapes import shape_of_values
from worldwright.english.words import wordset

MAX_ARGUMENTS = 300
"""Properties of a body that are arguments of their own."""
OTHER_NAMES = ("body", "request_body")
"""Of the argument that holds a whole body."""


@dataclass(frozen=True, slots=True)
class Arguments:
    parameters: tuple[Parameter, ...]
    body: Shape | None
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Body:
    schema: Node
    required: bool
    says: str
    examples: list[Any]
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Of properties that are parameters of their own in 2.0."""


@dataclass(frozen=True, slots=True)
class _Argument:
    parameter: Parameter
    schema: Node
    says: str = ""
    """What is said of it beside its schema."""


def read_arguments(bench: ApiContext, operation: PathOperation) -> Arguments:
    found = declared(bench, operation)
    plain = _read_parameters(bench, [p for p in found if p.place not in ("body", "formData")])
    body = _body(bench, operation, found)
    shape = _shape(bench, body) if body else None
    inside = _of_body(bench, operation, body, shape, {a.parameter.name for a in plain}) if body and shape else []
    every = [*plain, *inside]
    schema = bench.sent.arguments(
        {a.parameter.name: (a.schema, a.says) for a in every},
        [a.parameter.name for a in every if a.parameter.required],
        operation.spot,
    )
    return Arguments(tuple(a.parameter for a in every), shape, schema)


def _read_parameters(bench: ApiContext, found: list[Declared]) -> list[_Argument]:
    """Parameters of path, query, header and cookie. A name that stands in two places is told apart by the place."""
    out: dict[str, _Argument] = {}
    for p in found:
        name = p.name if p.name not in out else fresh(f"{p.name}_{p.place}", out)
        if name != p.name:
            says = f"`{p.name[:100]}` stands in two places; the one in the {p.place} is called `{name[:100]}`"
            bench.api.notes.add("warning", "a parameter in two places", says, p.spot.source)
        shape = bench.shapes.of(p.schema)
        says = p.says or shape.says
        out[name] = _Argument(Parameter(name, p.place, shape, p.required, says, p.spot.source), p.schema, p.says)
    return list(out.values())


def _body(bench: ApiContext, operation: PathOperation, found: list[Declared]) -> _Body | None:
    """The body of a request: under `requestBody`, or as the parameters of 2.0."""
    api = bench.api
    request = api.follow(operation.spot.down("requestBody"))
    best = next(iter(contents(api, request)), None)
    if best is not None:
        rank, content = best
        schema = content.down("schema")
        if not isinstance(schema.value, Mapping) or (rank > FIELDS and not _is_text(bench, schema)):
            schema = Node({"type": "string"} if rank > FIELDS else {}, content.file, content.at)
        said = [s.value for s in examples(api, content)]
        return _Body(schema, request.facts.get("required") is True, api.text(request.facts.get("description")), said)
    whole = next((p for p in found if p.place == "body"), None)
    if whole is not None:
        return _Body(whole.schema, whole.required, whole.says, [])
    form = [p for p in found if p.place == "formData"]
    if not form:
        return None
    properties = {p.name: {**p.schema.facts, **({"description": p.says} if p.says else {})} for p in form}
    needed = [p.name for p in form if p.required]
    fields = {"type": "object", "properties": properties, **({"required": needed} if needed else {})}
    spot = Node(fields, operation.spot.file, operation.spot.down("parameters").at)
    return _Body(spot, bool(needed), "", [], {p.name: p.spot.source for p in form})


def _shape(bench: ApiContext, body: _Body) -> Shape:
    """The shape of a body; where only examples tell it, that of the examples."""
    if not body.schema.value and body.examples:
        return shape_of_values(body.examples)
    return bench.shapes.with_examples(body.schema, body.examples)


def _is_text(bench: ApiContext, schema: Node) -> bool:
    return bench.shapes.of(schema).kind == "string"


def _of_body(
    bench: ApiContext, operation: PathOperation, body: _Body, shape: Shape, taken: set[str]
) -> list[_Argument]:
    """One argument for each property of the body, or one for all of it where that cannot be done."""
    held = bench.objects.of(body.schema)
    many = len(held.properties) > MAX_ARGUMENTS
    properties = {} if many else {n: s for n, s in held.properties.items() if not bench.sent.left_out(s)}
    why = ""
    if not held.is_object or held.is_choice:
        why = "it is not one object with properties of its own"
    elif many:
        why = f"it has more than {MAX_ARGUMENTS} properties"
    elif not held.properties:
        why = "it is an object that names no properties"
    elif same := next((n for n in properties if n in taken), ""):
        why = f"its property `{same[:100]}` has the name of a parameter"
    if why:
        return [_as_one(bench, operation, body, shape, taken, why)]
    out = []
    for name, spot in properties.items():
        known = shape.fields.get(name) or Field(name, bench.shapes.of(spot))
        required = body.required and name in held.required
        source = body.sources.get(name, spot.source)
        out.append(_Argument(Parameter(name, "body", known.shape, required, known.says, source), spot))
    return out


def _as_one(
    bench: ApiContext, operation: PathOperation, body: _Body, shape: Shape, taken: set[str], why: str
) -> _Argument:
    name = next((n for n in OTHER_NAMES if n not in taken), "") or fresh(OTHER_NAMES[0], taken)
    says = f"the body of {operation.method} {operation.path[:200]} is one argument, `{name}`: {why}"
    bench.api.notes.add("info", "a body as one argument", says, operation.spot.source)
    parameter = Parameter(name, "body", shape, body.required, body.says or shape.says, body.schema.source)
    return _Argument(parameter, body.schema, body.says)


# Parameters as an operation declares them: on itself, on its path, or only in the template of its path.


PLACES = {p.lower(): p for p in ("path", "query", "header", "cookie", "body", "formData", "form")}
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
