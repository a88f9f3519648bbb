"""Moves between states that functions make: what a state must be before, and what it is set to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from worldwright.anchor.evidence import Source
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import Function, keyword, last, path_of

_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Move:
    """A function that takes something from one of several states to another."""

    holder: str
    """The variable that holds the thing."""
    field: str
    before: tuple[str, ...]
    after: str
    hints: tuple[str, ...]
    """Names of classes that occur in the function."""
    source: Source


Known = dict[str, tuple[str, ...]]
"""By `order.status`: the states that are possible at this point."""


def moves(repo: Repo) -> Iterator[Move]:
    """Every move that a function guards, in order of the files."""
    for function in repo.functions:
        yield from _decorated(repo, function)
        yield from _block(repo, function, function.node.body, {}, 0)


def _hints(function: Function) -> tuple[str, ...]:
    names = [function.cls.name] if function.cls is not None else []
    names += [n.id for n in ast.walk(function.node) if isinstance(n, ast.Name)]
    names += [
        last(n.value) for n in ast.walk(function.node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    return tuple(dict.fromkeys(n for n in names if n[:1].isupper()))[:50]


def _block(repo: Repo, function: Function, body: list[ast.stmt], known: Known, depth: int) -> Iterator[Move]:
    """The moves in a block of statements. What is known after it stays known to what follows."""
    scope = Scope(function.module, function.cls)
    if depth > _DEEPEST:
        return
    for node in body:
        match node:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield from _block(repo, function, then, known | _if_holds(repo, scope, test, True), depth + 1)
                yield from _block(repo, function, otherwise, known | _if_holds(repo, scope, test, False), depth + 1)
                if _leaves(then):
                    known |= _if_holds(repo, scope, test, False)
            case ast.Assert(test=test):
                known |= _if_holds(repo, scope, test, True)
            case ast.Assign(targets=[ast.Attribute(attr=field, value=holder) as target], value=value):
                path, after = path_of(target), repo.value(scope, value)
                if path and isinstance(after, str) and " " not in after:
                    before = tuple(s for s in known.get(path, ()) if s != after)
                    if before:
                        source = function.module.source(node)
                        yield Move(_holder(path_of(holder), function), field, before, after, _hints(function), source)
                    known[path] = (after,)
            case ast.For(body=inner) | ast.While(body=inner) | ast.With(body=inner) | ast.AsyncWith(body=inner):
                yield from _block(repo, function, inner, known, depth + 1)
            case ast.AsyncFor(body=inner) | ast.Try(body=inner):
                yield from _block(repo, function, inner, known, depth + 1)


def _holder(path: str, function: Function) -> str:
    return function.cls.name if path == "self" and function.cls is not None else last(path)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a block never goes on to what follows it."""
    final = body[-1] if body else None
    if isinstance(final, ast.Expr) and isinstance(final.value, ast.Call):
        return last(path_of(final.value)) == "abort"
    return isinstance(final, ast.Raise | ast.Return | ast.Continue | ast.Break)


def _if_holds(repo: Repo, scope: Scope, test: ast.expr, holds: bool, depth: int = 0) -> Known:
    """What is known of states where a condition holds, or where it does not."""
    if depth > 6:
        return {}
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _if_holds(repo, scope, operand, not holds, depth + 1)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) != holds:
                return {}
            found: Known = {}
            for value in values[:10]:
                found |= _if_holds(repo, scope, value, holds, depth + 1)
            return found
        case ast.Compare(left=ast.Attribute() as left, ops=[op], comparators=[right]):
            equal = isinstance(op, ast.Eq | ast.Is | ast.In)
            if equal != holds or not isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot):
                return {}
            value = repo.value(scope, right)
            states = value if isinstance(value, tuple) else (value,)
            path = path_of(left).removesuffix(".value")
            if path and states and all(isinstance(s, str) for s in states):
                return {path: tuple(states)}
    return {}


def _decorated(repo: Repo, function: Function) -> Iterator[Move]:
    """`@transition(field=status, source="new", target="open")`."""
    scope = Scope(function.module, function.cls)
    for decorator in function.node.decorator_list:
        if not isinstance(decorator, ast.Call) or last(path_of(decorator)) != "transition":
            continue
        field = keyword(decorator, "field")
        source = repo.value(scope, keyword(decorator, "source"))
        target = repo.value(scope, keyword(decorator, "target"))
        before = source if isinstance(source, tuple) else (source,)
        if (
            isinstance(target, str)
            and all(isinstance(s, str) and s != "*" for s in before)
            and function.cls is not None
        ):
            name = last(path_of(field)) or repo.text(scope, field)
            place = function.module.source(function.node)
            yield Move(function.cls.name, name, tuple(before), target, (function.cls.name,), place)
