"""Operations from the functions behind them: what they take, answer, refuse and ask for."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Field, Note, Operation, Parameter, Shape
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.limits import TYPES, Calls, default_of, limited, said
from worldwright.anchor.readers.repo.names import Repo
from worldwright.anchor.readers.repo.refusals import refusals
from worldwright.anchor.readers.repo.shapes import annotation
from worldwright.anchor.readers.repo.source import Function, Place
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
_ASKING = ("require", "permission", "role", "has_perm", "scope", "user_passes_test")
_NO_ANSWER = wordset("Response JSONResponse HttpResponse RedirectResponse StreamingResponse None Any")
_ARGUMENT_LINE = re.compile(
    r"[ \t]*(?::param[ \t]+)?[-*]?[ \t]*`?\*{0,2}(\w+)`?\*{0,2}[ \t]*(?:\([^)\n]{0,80}\))?[ \t]*(?::|--|–)[ \t]*(\S.*)"
)
"""A line of a docstring about an argument, in the styles of Google, Sphinx and plain lists."""
_READ = dict.fromkeys(("args", "query_params", "GET", "values"), "query")
_READ |= dict.fromkeys(("json", "get_json", "data", "POST", "form", "body"), "body")
_FORMATS = wordset("date date-time time duration uuid email uri")
_LIMITS: Mapping[str, Mapping[str, str]] = {
    "string": wordmap("shortest=minLength longest=maxLength pattern=pattern"),
    "array": wordmap("shortest=minItems longest=maxItems"),
    **dict.fromkeys(("integer", "number"), wordmap("minimum=minimum maximum=maximum")),
}


def completed(repo: Repo, function: Function | None, made: Operation) -> Operation:
    """An operation with what its function says, refuses and asks for, and with its schemas."""
    errors: dict[str, str] = {}
    scopes = [*made.scopes]
    if function is not None:
        for refusal in refusals(repo, function):
            errors |= {refusal.status: refusal.says} if refusal.status >= "400" and refusal.status not in errors else {}
        asking = [d for d in function.node.decorator_list if head_of(d).lower().startswith(_ASKING)]
        scopes += [text for call in asking for text in _texts_in(repo, function, call) if not text.isupper()]
    first = {p.name: p for p in reversed(made.parameters)}
    order = [first[name] for name in dict.fromkeys(p.name for p in made.parameters)]
    properties = {p.name: schema_of(p.shape, p.says) for p in order}
    schema = {"type": "object", "properties": properties, "required": [p.name for p in order if p.required]}
    says, source = (docstring(function.node), function.source) if function is not None else ("", None)
    made = replace(made, says=made.says or says, source=made.source or source, errors=errors)
    made = replace(made, read_only=True if made.method == "GET" else made.read_only)
    answer = schema_of(made.answer) if made.answer is not None else None
    scopes = list(dict.fromkeys(scopes))
    return replace(made, scopes=tuple(scopes), input_schema=made.input_schema or schema, output_schema=answer)


def _texts_in(repo: Repo, place: Place, call: ast.expr | None) -> list[str]:
    given = [*call.args[:10], *(k.value for k in call.keywords[:10])] if isinstance(call, ast.Call) else []
    return [text for node in given for text in repo.texts(place, node) or (repo.text(place, node),) if text]


def roles_of(repo: Repo, place: Place, call: ast.expr) -> list[str]:
    """Scopes and roles that a dependency asks for: `Security(user, scopes=["orders:write"])`, `Depends(role("manager"))`."""
    return [*repo.texts(place, keyword(call, "scopes")), *_texts_in(repo, place, argument(call, 0, "dependency"))]


def answer_of(repo: Repo, function: Function, model: ast.expr | None = None) -> Shape | None:
    """Return what a function answers: the response model, or else its annotation."""
    node = model if model is not None else function.node.returns
    shape = annotation(repo, function, node)[0] if head_of(node) not in _NO_ANSWER else Shape("any")
    return None if shape.kind == "any" and not shape.name else shape


def named_apart(operations: Sequence[Operation]) -> tuple[list[Operation], list[Note]]:
    """Operations with names of their own: one that would have another's name gets words of its path before it, or its method."""
    counts = Counter(one.name for one in operations)
    out: dict[str, Operation] = {}
    notes: list[Note] = []
    for one in operations:
        words = [w for part in one.path.split("/") if "{" not in part for w in parts(part) if w not in parts(one.name)]
        words = [w for w in words if w not in ("api", "v", "1", "2")]
        options = [one.name] if counts[one.name] == 1 else ["_".join([*words[:n], one.name]) for n in (1, 9) if words]
        options += [f"{one.name}_{end}" for end in (one.method.lower(), *range(2, len(operations) + 2)) if end]
        name = next(option for option in options if option not in out)
        out[name] = replace(one, name=name)
        if name != one.name and one.source is not None:
            notes.append(Note("info", f"{one.name} is called {name} here: several have its name", one.source))
    return list(out.values()), notes


def taken(repo: Repo, function: Function, in_path: Paths, tool: bool = False, depth: int = 0) -> Operation:
    """An operation with what a signature takes from the path, the query, headers and the body, or as the arguments of a tool."""
    lines = (_ARGUMENT_LINE.fullmatch(line[:400]) for line in docstring(function.node).splitlines()[:200])
    told = {line[1]: line[2].strip() for line in lines if line}
    own = in_path if depth == 0 else {}
    found = {("path", n): Parameter(n, "path", s, True, source=function.source) for n, s in own.items()}
    scopes: list[str] = []
    given = function.node.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(plain) - len(given.defaults)), *given.defaults, *given.kw_defaults]
    for arg, value in list(zip([*plain, *given.kwonlyargs], defaults, strict=True))[:MAX_PARAMETERS]:
        shape, beside = annotation(repo, function, arg.annotation)
        calls: Calls = [*beside, *([(function, value)] if isinstance(value, ast.Call) else [])]
        injected = next((call for _, call in calls if head_of(call) in _INJECTED), None)
        if injected is not None:  # what a dependency takes, the operation takes
            needed = repo.find(function, argument(injected, 0, "dependency"))
            follow = needed if isinstance(needed, Function) and depth < 3 else None
            there = taken(repo, follow, in_path, False, depth + 1) if follow is not None else Operation("")
            found |= {(p.place, p.name): p for p in there.parameters if p.place != "body"}
            scopes += [*roles_of(repo, function, injected), *there.scopes]
            continue
        if head_of(arg.annotation) in _SERVICES or arg.arg in ("request", "req", "ctx", "self", "cls"):
            continue
        where, mark = next(((w, c) for w, c in calls if head_of(c) in _PLACES), (function, None))
        place = "argument" if tool else _PLACES.get(head_of(mark), "") or ("path" if arg.arg in in_path else "")
        record = shape.format == "byte" or (shape.items or shape).kind == "object"
        place = place or ("body" if record else "query")
        shape = limited(repo, function, shape, value)
        if mark is value:
            value = argument(mark, 0, "default") or keyword(mark, "default_factory")
        value = None if isinstance(value, ast.Constant) and value.value is ... else value
        name = repo.text(where, keyword(mark, "alias")) or (arg.arg.replace("_", "-") if place == "header" else arg.arg)
        says = said(repo, calls) or told.get(arg.arg, "") or shape.says
        shape = replace(shape, default=default_of(repo, function, value))
        required = place == "path" or value is None
        found[place, name] = Parameter(name, place, shape, required, says, function.module.source(arg))
    bodies = [p for p in found.values() if p.place == "body"]
    body = record_of(bodies)
    if len(bodies) == 1 and bodies[0].shape.kind in ("object", "array"):
        body, bodies = bodies[0].shape, sent(bodies[0].shape, not bodies[0].required)
    rest = [p for p in found.values() if p.place != "body"]
    return Operation("", parameters=(*rest, *bodies), body=body, scopes=tuple(scopes))


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
    kind = [shape.kind, "null"] if shape.nullable else shape.kind
    schema: dict[str, Any] = {"type": kind} if shape.kind != "any" else {}
    schema |= {"description": says or shape.says} if says or shape.says else {}
    schema |= {"format": shape.format} if shape.format in _FORMATS else {}
    schema |= {"enum": [*shape.enum, *([None] if shape.nullable else [])]} if shape.enum else {}
    schema |= {"default": shape.default} if shape.default is not None else {}
    for name, word in _LIMITS.get(shape.kind, {}).items():
        value = getattr(shape, name)
        if value is not None and value != "":
            schema[word] = int(value) if isinstance(value, float) and value.is_integer() else value
    schema |= {"examples": list(shape.examples)} if shape.examples else {}
    if shape.fields:
        schema["properties"] = {name: schema_of(f.shape, f.says) for name, f in shape.fields.items()}
        schema["required"] = [name for name, f in shape.fields.items() if f.required]
    if shape.kind == "array":
        schema["items"] = schema_of(shape.items) if shape.items is not None else {}
    return schema
