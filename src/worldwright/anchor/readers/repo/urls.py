"""Addresses of views in Django's `urls.py`: routes, included files and routers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.routes import from_pattern
from worldwright.anchor.readers.repo.source import Class, Module, argument, keyword, last, path_of

_DEEPEST = 6
MAX_URLS = 5_000


@dataclass(frozen=True, slots=True)
class Address:
    """A view and its path; the path of a view set is that of all of them."""

    path: str
    cls: Class | None
    function: str
    module: Module
    """Where the function stands."""
    registered: str = ""
    """What a router calls a view set."""


def addresses(repo: Repo) -> list[Address]:
    """Every view that has an address, from the files that no other one includes."""
    with_urls = [m for m in repo.modules if "urlpatterns" in m.values or _routers(m)]
    included = {there for m in with_urls for _, _, there in _includes(repo, m, _patterns(m)) if there is not None}
    found: list[Address] = []
    for module in with_urls:
        if module not in included:
            found.extend(_addresses(repo, module, "/", 0))
    return found[:MAX_URLS]


def _patterns(module: Module) -> list[ast.expr]:
    """The routes of a file, those that are added later too."""
    found: list[ast.expr] = []
    for node in module.tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="urlpatterns")], value=value)
                | ast.AnnAssign(target=ast.Name(id="urlpatterns"), value=ast.expr() as value)
                | ast.AugAssign(target=ast.Name(id="urlpatterns"), value=value)
            ):
                waiting = [value]
                for _ in range(20):
                    part = waiting.pop(0) if waiting else None
                    if isinstance(part, ast.List | ast.Tuple):
                        found.extend(part.elts)
                    elif isinstance(part, ast.BinOp):
                        waiting += [part.left, part.right]
                    elif part is not None and path_of(part).endswith(".urls"):
                        found.append(part)
    return found[:MAX_URLS]


def _route(repo: Repo, scope: Scope, call: ast.Call) -> str:
    text = repo.text(scope, argument(call, 0, "route", "regex"))
    return from_pattern(text) if last(path_of(call)) in ("re_path", "url") else text


def _includes(
    repo: Repo, module: Module, patterns: Sequence[ast.expr]
) -> Iterator[tuple[str, ast.expr | None, Module | None]]:
    """Yield what a file includes: the prefix, the router that is included, or the file."""
    scope = Scope(module)
    for node in patterns:
        call = node if isinstance(node, ast.Call) else None
        inner = argument(call, 1, "view") if call is not None else None
        if call is None:
            yield "", node, None
        elif isinstance(inner, ast.Call) and last(path_of(inner)) == "include" and inner.args:
            target = inner.args[0]
            if isinstance(target, ast.Tuple) and target.elts:
                target = target.elts[0]
            name = repo.text(scope, target)
            yield (
                _route(repo, scope, call),
                target,
                repo.module(name, module) if name else _imported(repo, module, target),
            )


def _imported(repo: Repo, module: Module, target: ast.expr) -> Module | None:
    path = path_of(target)
    return repo.module(repo.full(module, path), module) if path else None


def _addresses(repo: Repo, module: Module, prefix: str, depth: int) -> Iterator[Address]:
    if depth > _DEEPEST:
        return
    scope = Scope(module)
    patterns = _patterns(module)
    mounted: dict[str, str] = {}
    for route, target, there in _includes(repo, module, patterns):
        if there is not None and there is not module:
            yield from _addresses(repo, there, _join(prefix, route), depth + 1)
        elif target is not None:
            mounted[path_of(target).removesuffix(".urls")] = _join(prefix, route)
    for name in _routers(module):
        yield from _registered(repo, module, name, mounted.get(name, prefix))
    for node in patterns:
        if isinstance(node, ast.Call):
            yield from _one(repo, scope, node, prefix)


def _one(repo: Repo, scope: Scope, call: ast.Call, prefix: str) -> Iterator[Address]:
    view = argument(call, 1, "view")
    path = path_of(view)
    place = _join(prefix, _route(repo, scope, call))
    if isinstance(view, ast.Call) and path.endswith(".as_view"):
        cls = repo.find_class(scope, path.removesuffix(".as_view"))
        if cls is not None:
            yield Address(place, cls, "", cls.module)
    elif path and not isinstance(view, ast.Call):
        head, _, name = path.rpartition(".")
        full = repo.full(scope.module, path)
        there = repo.module(full.rpartition(".")[0] if not head else repo.full(scope.module, head), scope.module)
        yield Address(place, None, name, there or scope.module)


def _routers(module: Module) -> list[str]:
    return [
        name
        for name, value in module.values.items()
        if isinstance(value, ast.Call)
        and last(path_of(value)) in ("DefaultRouter", "SimpleRouter", "NestedSimpleRouter")
    ]


def _registered(repo: Repo, module: Module, router: str, prefix: str) -> Iterator[Address]:
    """`router.register("tickets", TicketViewSet)`."""
    scope = Scope(module)
    for node in module.tree.body:
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        call = node.value
        if path_of(call) != f"{router}.register":
            continue
        name = repo.text(scope, argument(call, 0, "prefix"))
        cls = repo.find_class(scope, path_of(argument(call, 1, "viewset")))
        if cls is not None:
            title = repo.text(scope, keyword(call, "basename", "base_name")) or name
            yield Address(_join(prefix, from_pattern(name)), cls, "", cls.module, title)


def _join(prefix: str, route: str) -> str:
    return f"{prefix.rstrip('/')}/{route.lstrip('/')}"
