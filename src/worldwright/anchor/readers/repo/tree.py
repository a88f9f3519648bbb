"""Syntax trees of Python, and what stands in their nodes."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

MAX_DEPTH = 300
"""Levels of a tree that are looked into. Code that people write has fewer than thirty, but for long chains of `elif`."""
AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


def tree_of(text: str) -> ast.Module | str:
    """The syntax tree of a text, or what is wrong with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as e:
        return f"line {e.lineno or 1} is no Python that is understood here ({e.msg})"
    except (ValueError, RecursionError, MemoryError):
        return "its code is nested too deeply, or holds characters that no code has"
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return f"its code is nested more than {MAX_DEPTH} levels deep" if level else tree


def assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement gives a value, with what it gives them."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            yield from ((n.id, v) for n, v in zip(names, values, strict=False) if isinstance(n, ast.Name))
        case ast.Assign(targets=names, value=value):
            yield from ((n.id, value) for n in names if isinstance(n, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes in a function in order of the text, without those of functions and classes inside of it."""
    waiting = list(ast.iter_child_nodes(node))[::-1]
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, AnyFunction | ast.ClassDef | ast.Lambda):
            waiting.extend(list(ast.iter_child_nodes(one))[::-1])


def docstring(node: ast.ClassDef | AnyFunction) -> str:
    """The text under a class or a function, cut where it becomes a manual."""
    return clean(ast.get_docstring(node) or "")[:4_000].strip()


def clean(text: str) -> str:
    """A text that can be written: half of a character becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def written(node: ast.AST | None, longest: int = 240) -> str:
    """An expression as code on one line."""
    try:
        text = " ".join(clean(ast.unparse(node)).split()) if node is not None else ""
    except (RecursionError, ValueError):
        return ""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def path_of(node: ast.AST | None) -> str:
    """`sa.orm.relationship` for a name with dots, the called one for a call, the generic one for a subscript; else empty."""
    parts: list[str] = []
    while True:
        match node:
            case ast.Attribute(value=inner, attr=attr):
                parts.append(attr)
                node = inner
            case ast.Name(id=name):
                return ".".join([name, *reversed(parts)])
            case ast.Call(func=inner) | ast.Subscript(value=inner) if not parts:
                node = inner
            case _:
                return ""


def last(path: str) -> str:
    return path.rpartition(".")[2]


def head_of(node: ast.AST | None) -> str:
    """The last name of what is named, called or made generic."""
    return last(path_of(node))


def keyword(call: ast.AST | None, *names: str) -> ast.expr | None:
    """The argument that a call gives under one of these names."""
    given = {k.arg: k.value for k in call.keywords} if isinstance(call, ast.Call) else {}
    return next((given[name] for name in names if name in given), None)


def argument(call: ast.AST | None, position: int, *names: str) -> ast.expr | None:
    """The argument at a position, or under one of these names."""
    plain = [a for a in call.args if not isinstance(a, ast.Starred)] if isinstance(call, ast.Call) else []
    return plain[position] if 0 <= position < len(plain) else keyword(call, *names)


def elements(node: ast.AST | None) -> Sequence[ast.expr]:
    """The expressions in a list, a tuple or a set that is written out."""
    return node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else ()
