"""Operations from the functions behind them: what they take, answer, refuse and ask for."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Field, Operation, Parameter, Shape
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.limits import TYPES, default_of
from worldwright.anchor.readers.repo.names import Repo
from worldwright.anchor.readers.repo.refusals import refusals
from worldwright.anchor.readers.repo.shapes import annotation, declared
from worldwright.anchor.readers.repo.source import Function
from worldwright.anchor.readers.repo.tree import argument, docstring, head_of, keyword, last, own_nodes, path_of
from worldwright.english.words import wordmap, wordset

MAX_PARAMETERS = 100
Paths = Mapping[str, Shape]
"""The parts of a path that are filled in, with the shape of each."""
_PLACES = wordmap("Path=path Query=query Header=header Cookie=cookie Body=body Form=body File=body Field=")
_INJECTED = wordset("Depends Security Inject Provide")
_SERVICES = wordset("""
    Request Response WebSocket BackgroundTasks HTTPConnection SecurityScopes Session AsyncSession Context HttpRequest
    ServerSession RequestContext Connection AsyncClient Client Engine
""")
"""Types of what the framework hands in."""
_NO_ANSWER = wordset("Response JSONResponse HttpResponse RedirectResponse StreamingResponse None Any")
_READ = dict.fromkeys(("args", "query_params", "GET", "values"), "query")
_READ |= dict.fromkeys(("json", "get_json", "data", "POST", "form", "body"), "body")
_FORMATS = wordset("date date-time time duration uuid email uri")
_LIMITS: Mapping[str, Mapping[str, str]] = {
    "string": wordmap("shortest=minLength longest=maxLength"),
    "array": wordmap("shortest=minItems longest=maxItems"),
    **dict.fromkeys(("integer", "number"), wordmap("minimum=minimum maximum=maximum")),
}


def completed(repo: Repo, function: Function | None, made: Operation) -> Operation:
    """An operation with what its function says and refuses, and with its schemas."""
    refused = refusals(repo, function) if function is not None else []
    errors: dict[str, str] = {}
    for refusal in (one for one in refused if one.status >= "400"):
        errors.setdefault(refusal.status, refusal.says)
    first = {p.name: p for p in reversed(made.parameters)}
    order = [first[name] for name in dict.fromkeys(p.name for p in made.parameters)]
    properties = {p.name: schema_of(p.shape, p.says) for p in order}
    schema = {"type": "object", "properties": properties, "required": [p.name for p in order if p.required]}
    says, source = (docstring(function.node), function.source) if function is not None else ("", None)
    made = replace(made, says=made.says or says, source=made.source or source, errors=errors)
    made = replace(made, read_only=True if made.method == "GET" else made.read_only)
    answer = schema_of(made.answer) if made.answer is not None else None
    return replace(made, input_schema=made.input_schema or schema, output_schema=answer)


def answer_of(repo: Repo, function: Function, model: ast.expr | None = None) -> Shape | None:
    """Return what a function answers: the response model, or else its annotation."""
    node = model if model is not None else function.node.returns
    shape = annotation(repo, function, node)[0] if head_of(node) not in _NO_ANSWER else Shape("any")
    return None if shape.kind == "any" and not shape.name else shape


def named_apart(operations: Sequence[Operation]) -> list[Operation]:
    """Operations with names of their own: one that would have another's name gets words of its path before it, or its method."""
    counts = Counter(one.name for one in operations)
    out: dict[str, Operation] = {}
    for one in operations:
        words = [w for part in one.path.split("/") if "{" not in part for w in parts(part) if w not in parts(one.name)]
        words = [w for w in words if w not in ("api", "v", "1", "2")]
        options = [one.name] if counts[one.name] == 1 else ["_".join([*words[:n], one.name]) for n in (1, 9) if words]
        options += [f"{one.name}_{end}" for end in (one.method.lower(), *range(2, len(operations) + 2)) if end]
        name = next(option for option in options if option not in out)
        out[name] = replace(one, name=name)
    return list(out.values())


def taken(repo: Repo, function: Function, in_path: Paths, tool: bool = False, depth: int = 0) -> Operation:
    """An operation with what a signature takes from the path, the query, headers and the body, or as the arguments of a tool."""
    own = in_path if depth == 0 else {}
    found = {("path", n): Parameter(n, "path", s, True, source=function.source) for n, s in own.items()}
    given = function.node.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(plain) - len(given.defaults)), *given.defaults, *given.kw_defaults]
    for arg, value in list(zip([*plain, *given.kwonlyargs], defaults, strict=True))[:MAX_PARAMETERS]:
        field, calls = declared(repo, function, arg.arg, arg.annotation, value, arg)
        injected = next((call for _, call in calls if head_of(call) in _INJECTED), None)
        if injected is not None:  # what a dependency takes, the operation takes
            needed = repo.find(function, argument(injected, 0, "dependency"))
            follow = needed if isinstance(needed, Function) and depth < 3 else None
            there = taken(repo, follow, in_path, False, depth + 1).parameters if follow is not None else ()
            found |= {(p.place, p.name): p for p in there if p.place != "body"}
        elif head_of(arg.annotation) not in _SERVICES and arg.arg not in ("request", "req", "ctx", "self", "cls"):
            where, mark = next(((w, c) for w, c in calls if head_of(c) in _PLACES), (function, None))
            place = "argument" if tool else _PLACES.get(head_of(mark), "") or ("path" if arg.arg in in_path else "")
            record = field.shape.format == "byte" or (field.shape.items or field.shape).kind == "object"
            place = place or ("body" if record else "query")
            own_name = arg.arg.replace("_", "-") if place == "header" else arg.arg
            name, required = repo.text(where, keyword(mark, "alias")) or own_name, place == "path" or field.required
            says = field.says or field.shape.says
            found[place, name] = Parameter(name, place, field.shape, required, says, field.source)
    bodies = [p for p in found.values() if p.place == "body"]
    body = record_of(bodies)
    if len(bodies) == 1 and bodies[0].shape.kind in ("object", "array"):
        body, bodies = bodies[0].shape, sent(bodies[0].shape, not bodies[0].required)
    rest = [p for p in found.values() if p.place != "body"]
    return Operation("", parameters=(*rest, *bodies), body=body)


def sent(record: Shape, optional: bool = False) -> list[Parameter]:
    """The fields of a record as parameters in the body of a request."""
    fields = [f for f in record.fields.values() if not f.read_only]
    return [Parameter(f.name, "body", f.shape, f.required and not optional, f.says, f.source) for f in fields]


def record_of(bodies: Sequence[Parameter]) -> Shape | None:
    """The body that these parameters make; None where there are none."""
    fields = {p.name: Field(p.name, p.shape, p.required, says=p.says, source=p.source) for p in bodies}
    return Shape("object", fields=fields) if fields else None


def taken_by_hand(repo: Repo, function: Function | None, in_path: Paths, method: str) -> Operation:
    """An operation with parts of its path, and what its function reads from the request: `request.json["amount"]`."""
    source = function.source if function is not None else None
    found = {("path", n): Parameter(n, "path", s, True, source=source) for n, s in in_path.items()}
    holders: dict[str, str] = {}
    for node in own_nodes(function.node) if function is not None else ():
        assert function is not None
        place, name, shape, required = "", "", Shape("any"), False
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                holders[target] = _place(value, holders)
            case ast.Subscript(value=value, slice=ast.Constant(value=str() as name), ctx=ast.Load()):
                place, required = _place(value, holders), True
            case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[ast.Constant(value=str() as name), *_]):
                place = _place(value, holders)
                shape = TYPES.get(head_of(keyword(node, "type")), shape)
                shape = replace(shape, default=default_of(repo, function, argument(node, 1, "default")))
        if place:
            known = found.get((place, name), Parameter(name, place, shape, source=function.module.source(node)))
            found[place, name] = replace(known, required=known.required or required)
    bodies = [p for p in found.values() if p.place == "body" and method not in ("GET", "DELETE")]
    rest = [p for p in found.values() if p.place != "body"]
    return Operation("", parameters=(*rest, *bodies), body=record_of(bodies))


def _place(node: ast.AST, holders: Mapping[str, str]) -> str:
    """Tell whether an expression is the query or the body of the request."""
    if isinstance(node, ast.Name):
        return holders.get(node.id, "")
    paths = [path_of(inner) for inner in ast.walk(node) if isinstance(inner, ast.Attribute)]
    return next((_READ[last(p)] for p in paths if p.split(".")[-2:-1] == ["request"] and last(p) in _READ), "")


def schema_of(shape: Shape, says: str = "") -> dict[str, Any]:
    """A shape as JSON Schema; what was cut is an object that may hold anything."""
    facts: dict[str, Any] = {
        "type": ([shape.kind, "null"] if shape.nullable else shape.kind) if shape.kind != "any" else None,
        "description": says or shape.says or None,
        "format": shape.format if shape.format in _FORMATS else None,
        "enum": [*shape.enum, *([None] if shape.nullable else [])] if shape.enum else None,
        "default": shape.default,
        "examples": list(shape.examples) or None,
        "pattern": shape.pattern if shape.pattern and shape.kind == "string" else None,
    }
    for name, word in _LIMITS.get(shape.kind, {}).items():
        limit = getattr(shape, name)
        facts[word] = int(limit) if isinstance(limit, float) and limit.is_integer() else limit
    schema = {word: value for word, value in facts.items() if value is not None}
    if shape.fields:
        schema["properties"] = {name: schema_of(f.shape, f.says) for name, f in shape.fields.items()}
        schema["required"] = [name for name, f in shape.fields.items() if f.required]
    if shape.kind == "array":
        schema["items"] = schema_of(shape.items) if shape.items is not None else {}
    return schema
