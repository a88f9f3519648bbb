"""Where code refuses: what it raises or answers instead, under which condition, and in which words."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.names import Repo, kind_of
from worldwright.anchor.readers.repo.source import Assigned, Class, Function, Place
from worldwright.anchor.readers.repo.tree import (
    argument,
    assigned,
    docstring,
    head_of,
    keyword,
    own_nodes,
    path_of,
    written,
)
from worldwright.english.words import wordmap, wordset

_WORDS = ("detail", "message", "msg", "description", "error", "reason", "text", "default_detail", "default_message")
"""Arguments, keys and attributes that hold a message."""
_PROGRAM_ERRORS = set(dir(builtins)) - wordset("Exception ValueError RuntimeError PermissionError KeyError LookupError")
_CALLS: Mapping[str, int] = {"abort": 1, "add_error": 1, "throw": 0, "messages.error": 1, "errors.append": 0}
"""Calls that refuse without raising, and which argument holds the message."""
_STATUSES = wordmap("""
    NotFound=404 Http404=404 PermissionDenied=403 Forbidden=403 HttpResponseForbidden=403 NotAuthenticated=401 Unauthorized=401
    Conflict=409 BadRequest=400 HttpResponseBadRequest=400 ParseError=400 OK=200 CREATED=201 ACCEPTED=202 NO_CONTENT=204
    BAD_REQUEST=400 UNAUTHORIZED=401 FORBIDDEN=403 NOT_FOUND=404 CONFLICT=409 GONE=410 UNPROCESSABLE_ENTITY=422
""")
Asked = tuple[tuple[ast.expr, bool, int], ...]
"""What was asked before: the condition, whether it holds, and the line that it begins on; the innermost last."""


class Refusal(NamedTuple):
    """A place where code does not go on."""

    node: ast.stmt
    says: str
    """The message, with what is filled in as `{order.total}`; else the words of the error's name; else empty."""
    status: str
    """Of HTTP; empty where it is not told."""
    asked: Asked


def refusals(repo: Repo, function: Function) -> list[Refusal]:
    """Every place in a function where it refuses."""
    return repo.once(("refusals", function), [], lambda: list(_refused(repo, function, function.node.body, ())))


def _refused(repo: Repo, function: Function, body: Iterable[ast.AST], asked: Asked) -> Iterator[Refusal]:
    for node in body:
        match node:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield from _refused(repo, function, then, (*asked, (test, True, node.lineno)))
                chained = len(otherwise) == 1 and isinstance(otherwise[0], ast.If)
                denied = asked if chained else (*asked, (test, False, node.lineno))
                yield from _refused(repo, function, otherwise, denied)
            case ast.Raise() | ast.Return() | ast.Expr() | ast.Assign():
                found = _refusal(repo, function, node)
                if found is not None:
                    yield Refusal(node, " ".join(found[0].split())[:500], found[1], asked)
            case ast.For() | ast.AsyncFor() | ast.While() | ast.With() | ast.AsyncWith() | ast.Try() | ast.Match():
                yield from _refused(repo, function, ast.iter_child_nodes(node), asked)
            case ast.ExceptHandler(type=kind, body=then) if head_of(kind) in ("", "Exception"):
                asking = [one for one in then if isinstance(one, ast.If)]  # all else is about the program
                yield from _refused(repo, function, asking, asked)
            case ast.Assert(test=test, msg=ast.expr() as told):
                says = " ".join(message(repo, function, told).split())[:500]
                yield from [Refusal(node, says, "", (*asked, (test, False, node.lineno)))] if says else []
            case ast.excepthandler() | ast.match_case():
                yield from _refused(repo, function, ast.iter_child_nodes(node), asked)


def _refusal(repo: Repo, place: Function, node: ast.stmt) -> tuple[str, str] | None:
    """The message and the status of a statement that refuses."""
    says, status = "", ""
    match node:
        case ast.Raise(exc=ast.expr() as raised):
            if not head_of(raised)[:1].isupper() or head_of(raised) in _PROGRAM_ERRORS:
                return None
            given = keyword(raised, "status_code", "code", "status") or argument(raised, 0)
            status = _STATUSES.get(head_of(raised)) or status_of(repo, place, given)
            rest = repo.full(place, raised).startswith("rest_framework.")
            return _words(repo, place, raised), status or ("400" if rest else "")
        case ast.Expr(value=ast.Call() as call):
            path = f".{path_of(call)}"
            position = next((at for name, at in _CALLS.items() if path.endswith(f".{name}")), -1)
            status = status_of(repo, place, argument(call, 0)) if head_of(call) == "abort" else ""
            return (message(repo, place, argument(call, position, *_WORDS)), status) if position >= 0 else None
        case ast.Assign(targets=[ast.Subscript(value=holder)], value=value) if head_of(holder) == "errors":
            return message(repo, place, value), ""
        case ast.Return(value=ast.Tuple(elts=[answer, code, *_])):
            says, status = message(repo, place, answer), status_of(repo, place, code)
        case ast.Return(value=ast.Call() as call):
            status = _STATUSES.get(head_of(call)) or status_of(repo, place, keyword(call, "status", "status_code"))
            says = message(repo, place, argument(call, 0, "content", "data"))
        case ast.Return(value=ast.Dict(keys=keys)) if "error" in {getattr(key, "value", "") for key in keys}:
            says = message(repo, place, node.value)
            return (says, "") if says else None
    return (says, status) if status >= "400" else None


def _words(repo: Repo, place: Function, raised: ast.expr) -> str:
    """The message of what is raised, or else what its class says by itself, or else its name."""
    args = raised.args[:4] if isinstance(raised, ast.Call) else []
    found = [message(repo, place, part) for part in (keyword(raised, *_WORDS), *args)]
    said = next((text for text in found if " " in text or (text and len(args) == 1)), "")
    cls = repo.find_class(place, raised)
    if said or cls is None:
        return said or (_name(head_of(raised)) if head_of(raised) in _STATUSES else "")
    texts = [message(repo, cls, cls.values.get(word)) for word in _WORDS]
    made = cls.methods.get("__init__")
    nodes = ast.walk(made.node) if made is not None else ()  # `super().__init__("...")`
    calls = [node for node in nodes if isinstance(node, ast.Call) and node.args and not head_of(node)]
    texts += [*(message(repo, made or cls, call.args[-1]) for call in calls), docstring(cls.node).split("\n\n")[0]]
    return next((text for text in texts if " " in text), _name(cls.name))


def _name(error: str) -> str:
    return " ".join(parts(error.removesuffix("Error").removesuffix("Exception"))).capitalize()


def message(repo: Repo, place: Place, node: ast.AST | None, depth: int = 0) -> str:
    """The text of a message; what is filled in stands in braces, unless it is always the same."""
    inner: ast.AST | None = None
    match node if depth < 8 else None:
        case ast.Constant(value=str()):
            return repo.text(place, node)
        case ast.JoinedStr(values=pieces):
            return "".join(message(repo, place, piece, depth + 1) for piece in pieces[:50])
        case ast.FormattedValue(value=value):
            known = repo.value(place, value)
            path = path_of(value) if isinstance(value, ast.Name | ast.Attribute) else ""
            return str(known)[:100] if isinstance(known, str | int | float) else "{" + (path or "value") + "}"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = (message(repo, place, part, depth + 1) for part in (left, right))
            return f"{first} {second}".strip() if first else ""
        case ast.Dict(keys=keys, values=[first_value, *_] as values):
            by_key = {k.value: v for k, v in zip(keys, values, strict=True) if isinstance(k, ast.Constant)}
            inner = next((by_key[word] for word in _WORDS if word in by_key), first_value)
        case ast.BinOp(left=left, op=ast.Mod()) | ast.Call(func=ast.Attribute(value=left, attr="format")):
            inner = left
        case ast.Call(args=[first_one, *_]) | ast.List(elts=[first_one, *_]) | ast.Tuple(elts=[first_one, *_]):
            inner = first_one
        case ast.Call():
            inner = keyword(node, *_WORDS)
        case ast.Name() | ast.Attribute() if repo.text(place, node):
            return repo.text(place, node)
        case ast.Name(id=name, lineno=line) if isinstance(place, Function):  # what was last written to a variable
            earlier = [n for n in own_nodes(place.node) if isinstance(n, ast.Assign) and n.lineno < line]
            inner = next((value for n in reversed(earlier) for key, value in assigned(n) if key == name), None)
    return message(repo, place, inner, depth + 1) if inner is not None else ""


def status_of(repo: Repo, place: Place, node: ast.AST | None) -> str:
    """A status of HTTP: a number, `status.HTTP_409_CONFLICT` or `HTTPStatus.CONFLICT`."""
    found = repo.value(place, node)
    path = path_of(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    named = re.search(r"HTTP_(\d{3})_", path)
    told = named[1] if named else _STATUSES.get(head_of(node), "") if "HTTPStatus" in path else ""
    return str(found) if type(found) is int and 100 <= found < 600 else told


def condition_of(repo: Repo, function: Function, refusal: Refusal) -> str:
    """What was asked before a refusal, as code, with the constants that it names: `order.total > LIMIT, where LIMIT = 5000`."""
    constants: dict[str, str] = {}
    nodes = [node for test, _, _ in refusal.asked for node in ast.walk(test) if head_of(node).isupper()]
    for node in nodes:
        found = repo.find(function, node) or repo.setting(head_of(node))
        owner = found.place if isinstance(found, Assigned) else None
        if isinstance(found, Assigned) and not (isinstance(owner, Class) and kind_of(repo, owner) == "enum"):
            constants[path_of(node)] = written(found.node, 40)
    told = ", ".join(f"{name} = {value}" for name, value in constants.items())
    texts = [written(test) if holds else f"not ({written(test)})" for test, holds, _ in refusal.asked]
    return " and ".join(filter(None, texts)) + (f", where {told}" if told else "")
