"""Views of Django and of its REST framework: view sets, views and functions, at the addresses that `urls.py` gives them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from worldwright.anchor.evidence import Operation, Shape
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.names import Repo, lineage
from worldwright.anchor.readers.repo.operations import completed, record_of, sent, taken_by_hand
from worldwright.anchor.readers.repo.routes import Router, plain_path, router_of
from worldwright.anchor.readers.repo.source import Class, Function, Module
from worldwright.anchor.readers.repo.things import fields_of
from worldwright.anchor.readers.repo.tree import (
    argument,
    docstring,
    elements,
    head_of,
    keyword,
    last,
    own_nodes,
    path_of,
)

_STANDARD = {
    "list": ("GET", False), "create": ("POST", False), "retrieve": ("GET", True), "update": ("PUT", True),
    "partial_update": ("PATCH", True), "destroy": ("DELETE", True),
}  # fmt: skip
"""The operations of a view set: the method, and whether it is about one of many."""
_METHODS = ("get", "post", "put", "patch", "delete")
_GROUP = re.compile(r"\(\?P<(\w{1,80})>(?:[^()]|\([^()]*\)){0,100}\)")


def views(repo: Repo) -> Iterator[Operation]:
    """Every operation, in order of the files."""
    found = _addresses(repo)
    for cls in (cls for cls in repo.classes if cls in found):
        stem = re.sub(r"(?<=.)(ViewSet|APIView|View)$", "", cls.name)
        yield from _of_class(repo, cls, found[cls][0], found[cls][1] or "_".join(parts(stem)))
    for function in repo.functions:
        path, shapes = plain_path(found[function][0]) if function in found else ("", {})
        for method in _methods(repo, function, path):
            one = replace(taken_by_hand(repo, function, shapes, method), name=function.name, method=method)
            yield completed(repo, function, replace(one, path=path))


def _methods(repo: Repo, function: Function, path: str) -> list[str]:
    """The methods of a function under `@api_view([...])` or `@require_POST`, or of one at an address that reads a form."""
    found: list[str] = []
    for decorator in function.node.decorator_list:
        if head_of(decorator) in ("api_view", "require_http_methods"):
            found += repo.texts(function, argument(decorator, 0)) or ("GET",)
        found += [head_of(decorator)[8:]] if head_of(decorator) in ("require_POST", "require_GET") else []
    form = path and any(isinstance(n, ast.Attribute) and n.attr == "POST" for n in own_nodes(function.node))
    return [method.upper() for method in found] or (["POST"] if form else [])


def _addresses(repo: Repo) -> dict[Class | Function, tuple[str, str]]:
    """The path of every view that a `urls.py` names, and what a router calls it."""
    above: dict[Router, tuple[Router, str]] = {}
    found: list[tuple[Router, str, Class | Function, str]] = []
    for module in repo.modules:
        for key, route, view in _routed(repo, module):
            target = repo.find(module, path_of(view).removesuffix(".as_view"))
            if head_of(view) == "include":  # a file, a list of addresses or a router
                inner = (*elements(argument(view, 0)), argument(view, 0))[0]
                there = repo.module(repo.text(module, inner) or repo.full(module, inner), module)
                child = router_of(repo, module, path_of(inner).removesuffix(".urls"))
                if there is not None or child[1]:
                    above.setdefault((there, "") if there is not None else child, (key, route))
            elif isinstance(target, Class | Function) and ".*" not in route:
                found.append((key, route, target, ""))
        for call in module.calls(".register("):
            name = repo.value(module, argument(call, 0, "prefix"))
            cls = repo.find_class(module, argument(call, 1, "viewset"))
            if cls is not None and isinstance(name, str):
                title = repo.text(module, keyword(call, "basename", "base_name")) or name
                router = router_of(repo, module, path_of(call).removesuffix(".register"))
                found.append((router, _plain(name), cls, "_".join(parts(title))))
    out: dict[Class | Function, tuple[str, str]] = {}
    for key, path, named, title in found:
        for _ in range(8):
            key, more = above.get(key, (key, ""))
            path = f"{more.rstrip('/')}/{path.lstrip('/')}"
        out.setdefault(named, (f"/{path.lstrip('/')}", title))
    return out


def _routed(repo: Repo, module: Module) -> Iterator[tuple[Router, str, ast.expr]]:
    """Each `path(route, view)` of a file: the list that it stands in, its route with those around it, and the view."""
    calls = [c for c in module.calls("urlpatterns", "django.urls") if head_of(c) in ("path", "re_path", "url")]
    lists = {n: name for name, node in module.values.items() for n in ast.walk(node)} if calls else {}
    before: dict[ast.AST, str] = {}
    for call in calls:
        route = before.get(call, "") + _plain(repo.text(module, argument(call, 0, "route", "regex")))
        view = argument(call, 1, "view")
        inline = argument(view, 0) if head_of(view) == "include" else None
        inline = inline.elts[0] if isinstance(inline, ast.Tuple) and inline.elts else inline
        if isinstance(inline, ast.List):
            before |= dict.fromkeys(inline.elts, route)
        elif view is not None:
            yield (module, lists.get(call, "").replace("urlpatterns", "")), route, view


def _plain(pattern: str) -> str:
    """A path that may be written as a pattern: `^tickets/(?P<pk>[0-9]+)/$` -> `tickets/{pk}/`."""
    plain = _GROUP.sub(r"{\1}", pattern[:1_000].removeprefix("^").removesuffix("$").removesuffix("\\Z"))
    return plain.replace("\\", "").replace("/?", "/")


def _of_class(repo: Repo, cls: Class, path: str, title: str) -> Iterator[Operation]:
    """The standard operations that a view has by its bases and its own methods, then its other ones."""
    bases = [last(repo.full(owner, base)) for owner in lineage(repo, cls) for base in owner.node.bases]
    view_set = any(base.endswith("ViewSet") for base in bases)
    methods = {name: function for owner in lineage(repo, cls) for name, function in owner.methods.items()}
    allowed = repo.texts(cls, cls.values.get("http_method_names")) or _METHODS
    known = " ".join(base for base in bases if base.endswith(("ModelMixin", "APIView")))
    known += " List Retrieve" if "ReadOnlyModelViewSet" in bases else ""
    lookup = repo.text(cls, cls.values.get("lookup_field")) or "pk"
    whole = path.rstrip("/")
    one_of = f"{whole}/{{{lookup}}}"
    standard: set[str] = set()
    for name, (method, one) in _STANDARD.items():
        named = name.removeprefix("partial_").capitalize() in known
        has = named or "ModelViewSet" in bases or (view_set and name in methods)
        if has and method.lower() in allowed:
            at = path if not view_set else f"{one_of if one else whole}/"
            own = methods.get(name) or (methods.get(method.lower()) if not view_set else None)
            yield _operation(repo, cls, own, f"{title}_{name}", method, at, name)
            standard.add(method.lower())
    for name, function in methods.items():
        if name in _METHODS and not view_set and name not in standard:
            yield _operation(repo, cls, function, f"{title}_{name}", name.upper(), path, "")
        for decorator in function.node.decorator_list:
            if head_of(decorator) == "action" and view_set:
                tail = repo.text(function, keyword(decorator, "url_path")) or name
                at = f"{one_of if repo.flag(function, decorator, 'detail') else whole}/{tail}/"
                for method in repo.texts(function, keyword(decorator, "methods")) or ("get",):
                    yield _operation(repo, cls, function, name, method.upper(), at, "")


def _operation(repo: Repo, cls: Class, own: Function | None, name: str, method: str, path: str, kind: str) -> Operation:
    """One operation of a view, with the serializer that it uses."""
    path, shapes = plain_path(path)
    made = taken_by_hand(repo, own, shapes, method)
    serializer = _serializer(repo, cls, own, bool(kind))
    fields = {f.name: f for f in fields_of(repo, serializer)} if serializer is not None else {}
    if fields and method in ("POST", "PUT", "PATCH") and (kind or made.body is None):
        bodies = sent(Shape("object", fields=fields), method == "PATCH")
        rest = [p for p in made.parameters if p.place != "body"]
        made = replace(made, parameters=(*rest, *bodies), body=record_of(bodies))
    answer = None
    if serializer is not None and fields and kind != "destroy":
        shown = {name: field for name, field in fields.items() if not field.write_only}
        answer = Shape("object", name=serializer.name, fields=shown)
        answer = Shape("array", items=answer) if kind == "list" else answer
    says = docstring(cls.node) if own is None or not docstring(own.node) else ""
    made = replace(made, name=name, says=says, method=method, path=path, answer=answer)
    return completed(repo, own, replace(made, source=own.source if own is not None else cls.source))


def _serializer(repo: Repo, cls: Class, function: Function | None, standard: bool) -> Class | None:
    """The serializer that a function names, or else that of its class, where it is a standard one or asks for it."""
    named: list[ast.AST | None] = []
    if function is not None:
        named = [keyword(decorator, "serializer_class") for decorator in function.node.decorator_list]
        nodes = list(own_nodes(function.node))
        named += [n for n in nodes if isinstance(n, ast.Call) and head_of(n).endswith("Serializer")]
        standard = standard or any(isinstance(n, ast.Attribute) and n.attr == "get_serializer" for n in nodes)
    if standard:
        named += [o.values["serializer_class"] for o in reversed(lineage(repo, cls)) if "serializer_class" in o.values]
    return next((found for node in named if node is not None and (found := repo.find_class(cls, node))), None)
