"""Routes that decorators and calls declare (FastAPI, Flask and what is written like them), and tools of MCP servers."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from worldwright.anchor.evidence import Operation, Parameter, Shape
from worldwright.anchor.readers.repo.names import Repo
from worldwright.anchor.readers.repo.operations import answer_of, completed, taken, taken_by_hand
from worldwright.anchor.readers.repo.shapes import record_shape
from worldwright.anchor.readers.repo.source import Assigned, Function, Module, Place
from worldwright.anchor.readers.repo.tree import argument, assigned, head_of, keyword, last, path_of, written
from worldwright.anchor.schema.shapes import shape_of as shape_of_schema
from worldwright.english.words import wordset

_ROUTERS = wordset("FastAPI APIRouter Flask Blueprint Quart Router NinjaAPI APIBlueprint Starlette")
_FLASK = wordset("Flask Blueprint Quart APIBlueprint")
_MOUNTS = wordset("include_router register_blueprint mount add_router")
_METHODS = wordset("get post put patch delete")
_WORDS = _METHODS | wordset("route api_route api_operation")
"""Names of decorators that declare a route."""
_CONVERTED = re.compile(r"<(?:([a-z_]{1,20})(?:\([^)<>]{0,60}\))?:)?([A-Za-z_]\w{0,80})>")
_BRACED = re.compile(r"\{([A-Za-z_]\w{0,80})(?::[a-z]{1,20})?\}")
_TYPES: Mapping[str, Shape] = {"int": Shape("integer"), "float": Shape("number"), "uuid": Shape("string", "uuid")}

Router = tuple[Module, str]
"""A router by the file and the name that it is made under."""


class _Mounted(NamedTuple):
    """A router: its prefix, the tags that it gives, the call that makes it, and where it is mounted."""

    prefix: str = ""
    tags: tuple[str, ...] = ()
    maker: str = ""
    parent: Router | None = None


def routes(repo: Repo) -> Iterator[Operation]:
    """Every route, in order of the files."""
    for module in repo.modules:
        for function in module.functions:
            for decorator in function.node.decorator_list:
                if isinstance(decorator, ast.Call) and head_of(decorator) in _WORDS:
                    yield from _declared(repo, function, decorator)


def _routers(repo: Repo) -> dict[Router, _Mounted]:
    """Every router that is made anywhere, with its whole prefix."""
    found: dict[Router, _Mounted] = {}
    for module in repo.modules:
        for node in ast.walk(module.tree) if any(maker in module.text for maker in _ROUTERS) else ():
            for name, call in assigned(node):
                maker = last(repo.full(module, call)) if isinstance(call, ast.Call) else ""
                if maker in _ROUTERS:
                    prefix = _prefix(repo, module, keyword(call, "prefix", "url_prefix"))
                    found[module, name] = _Mounted(prefix, repo.texts(module, keyword(call, "tags")), maker)
    for module in repo.modules:
        for call in module.calls(*_MOUNTS):
            where, word = path_of(call).rpartition(".")[0], head_of(call)
            swapped = word in ("mount", "add_router") and len(call.args) > 1
            child = router_of(repo, module, path_of(argument(call, int(swapped), "router", "blueprint")))
            if word in _MOUNTS and child in found and found[child].parent is None:
                given = call.args[0] if swapped else keyword(call, "prefix", "url_prefix")
                instead = word == "register_blueprint" and given is not None
                prefix = _prefix(repo, module, given) + ("" if instead else found[child].prefix)
                tags = (*repo.texts(module, keyword(call, "tags")), *found[child].tags)
                found[child] = _Mounted(prefix, tags, found[child].maker, router_of(repo, module, where))
    return {router: _whole(found, one) for router, one in found.items()}


def _whole(found: Mapping[Router, _Mounted], one: _Mounted) -> _Mounted:
    for _ in range(8):
        above = found.get(one.parent, _Mounted()) if one.parent is not None else _Mounted()
        one = _Mounted((above.prefix + one.prefix)[:500], (*above.tags, *one.tags), one.maker, above.parent)
    return one


def router_of(repo: Repo, module: Module, path: str) -> Router:
    """The router that a name such as `orders.router` stands for."""
    found = repo.find(module, path)
    named = found.place.module.values if isinstance(found, Assigned) else {}
    home = next((name for name, node in named.items() if isinstance(found, Assigned) and node is found.node), "")
    return (found.place.module, home) if isinstance(found, Assigned) and home else (module, path)


def _prefix(repo: Repo, place: Place, node: ast.expr | None) -> str:
    """A prefix; of `settings.API_PREFIX`, what the settings of the repository say."""
    if isinstance(node, ast.JoinedStr):
        pieces = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values[:10]]
        return "".join(_prefix(repo, place, piece) for piece in pieces)
    setting = repo.setting(node.attr) if isinstance(node, ast.Attribute) else None
    return repo.text(setting.place, setting.node) if setting is not None else repo.text(place, node)


def _declared(repo: Repo, function: Function, call: ast.Call) -> Iterator[Operation]:
    module, word, at = function.module, head_of(call), argument(call, 0, "path", "rule")
    path = repo.text(module, at)
    nothing: dict[Router, _Mounted] = {}
    known = repo.once("routers", nothing, lambda: _routers(repo))
    mounted = known.get(router_of(repo, module, path_of(call).rpartition(".")[0]), _Mounted())
    empty = not path and isinstance(at, ast.Constant) and mounted.maker
    if not (path.startswith("/") or empty):
        return
    flask = mounted.maker in _FLASK or (word == "route" and mounted.maker != "APIRouter")
    path, shapes = plain_path(mounted.prefix + path)
    named = repo.texts(module, keyword(call, "methods")) or ("get",)
    tags = tuple(dict.fromkeys((*mounted.tags, *repo.texts(module, keyword(call, "tags")))))
    says, title = (repo.text(module, keyword(call, word)) for word in ("description", "summary"))
    answer = answer_of(repo, function, keyword(call, "response_model"))
    for method in [word] if word in _METHODS else [m.lower() for m in named if m.lower() in _METHODS]:
        made = taken_by_hand(repo, function, shapes, method.upper()) if flask else taken(repo, function, shapes)
        made = replace(made, name=function.name, says=says, title=title, answer=answer)
        yield completed(repo, function, replace(made, method=method.upper(), path=path, tags=tags))


def plain_path(path: str) -> tuple[str, dict[str, Shape]]:
    """A path with its parts in braces, and the shape of each: `/orders/<int:id>` -> `/orders/{id}`."""
    shapes = {name: _TYPES.get(kind, Shape("string")) for kind, name in _CONVERTED.findall(path[:1_000])}
    plain = _CONVERTED.sub(r"{\2}", path[:1_000])
    shapes |= {name: Shape("string") for name in _BRACED.findall(plain) if name not in shapes}
    return "/" + _BRACED.sub(r"{\1}", plain).replace("//", "/").lstrip("/"), shapes


def mcp_tools(repo: Repo) -> Iterator[Operation]:
    """Functions under `@mcp.tool()`, and `Tool(...)` records that a server lists."""
    for module in repo.modules:
        of_mcp = any("mcp" in path.lower() for path in module.imports.values())
        for function in module.functions:
            for decorator in function.node.decorator_list:
                holder, _, word = path_of(decorator).rpartition(".")
                if word == "tool" and (of_mcp or "mcp" in holder.lower()):
                    name = repo.text(function, argument(decorator, 0, "name")) or function.name
                    made = replace(taken(repo, function, {}, tool=True), name=name, answer=answer_of(repo, function))
                    yield completed(repo, function, _told(repo, function, made, decorator))
        for call in module.calls("inputSchema", "input_schema"):
            yield from _listed(repo, module, call) if head_of(call) == "Tool" else ()


def _told(repo: Repo, place: Place, made: Operation, call: ast.expr) -> Operation:
    """A tool with what it says of itself, and whether it only reads."""
    hint = re.search(r"read_?only_?hint\W{1,3}(true|false)", written(keyword(call, "annotations")), re.I)
    says = repo.text(place, keyword(call, "description"))
    return replace(made, says=says, read_only=hint[1].lower() == "true" if hint else None)


def _listed(repo: Repo, module: Module, call: ast.Call) -> Iterator[Operation]:
    """`Tool(name=..., inputSchema={...})`, where the schema is written out, or is that of a record."""
    name, node = repo.text(module, keyword(call, "name")), keyword(call, "inputSchema", "input_schema")
    cls = repo.find_class(module, path_of(node).rpartition(".")[0]) if isinstance(node, ast.Call) else None
    found = repo.value(module, node) if cls is None else {}
    try:
        schema = json.loads("".join(islice(json.JSONEncoder().iterencode(found), 200_000)))
    except (ValueError, TypeError, RecursionError):
        return
    shape = record_shape(repo, cls) if cls is not None else shape_of_schema(schema)
    source = module.source(call)
    given = tuple(Parameter(f.name, "argument", f.shape, f.required, f.says, source) for f in shape.fields.values())
    if name:
        made = Operation(name, parameters=given, input_schema=schema, source=source)
        yield completed(repo, None, _told(repo, module, made, call))
