"""Routes that decorators declare: FastAPI, Flask and what is written like them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldwright.anchor.evidence import Field, Operation, Parameter, Shape
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.operations import Call, operation
from worldwright.anchor.readers.repo.refusals import status_of
from worldwright.anchor.readers.repo.signatures import Inputs, answer_of, inputs, roles_of, used_parameters, used_record
from worldwright.anchor.readers.repo.source import Function, Module, argument, keyword, last, path_of
from worldwright.english.words import wordset

# Where routers are mounted: the prefix that comes before the paths of each.


ROUTERS = wordset("FastAPI APIRouter Flask Blueprint Quart Router NinjaAPI APIBlueprint Starlette")
_MOUNTS = frozenset({"include_router", "register_blueprint", "mount", "add_router"})
_HOPS = 8

Router = tuple[Module, str]
"""A router by the file and the name that it is made under."""


@dataclass(frozen=True, slots=True)
class Mounted:
    """A router: its prefix, the tags that it gives, and the call that makes it."""

    prefix: str
    tags: tuple[str, ...]
    maker: str
    """`APIRouter`, `Blueprint`, ..."""


@dataclass(frozen=True, slots=True)
class _Mount:
    parent: Router | None
    prefix: str
    tags: tuple[str, ...]
    instead: bool
    """Whether the prefix stands instead of the router's own, as a blueprint's does."""


def routers(repo: Repo) -> Mapping[Router, Mounted]:
    """Every router that is made at the top of a file or in a function, with its whole prefix."""
    made = dict(_find_routers(repo))
    mounts: dict[Router, _Mount] = {}
    for child, mount in _mounts(repo):
        mounts.setdefault(child, mount)
    return {router: _resolve_mounts(router, made, mounts) for router in made}


def _find_routers(repo: Repo) -> Iterator[tuple[Router, Mounted]]:
    for module in repo.modules:
        scope = Scope(module)
        for node in ast.walk(module.tree) if module.mentions(ROUTERS) else ():
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call)
                ):
                    maker = last(repo.full(module, path_of(call)))
                    if maker in ROUTERS:
                        prefix = _text(repo, scope, keyword(call, "prefix", "url_prefix"))
                        yield (module, name), Mounted(prefix, _texts(repo, scope, keyword(call, "tags")), maker)


def _mounts(repo: Repo) -> Iterator[tuple[Router, _Mount]]:
    for module in repo.modules:
        scope = Scope(module)
        for node in ast.walk(module.tree) if module.mentions(_MOUNTS) else ():
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MOUNTS):
                continue
            first = argument(node, 0, "router", "blueprint")
            given = keyword(node, "prefix", "url_prefix")
            if node.func.attr in ("mount", "add_router") and len(node.args) > 1:
                given, first = node.args[0], node.args[1]
            child = find_router(repo, module, path_of(first))
            if child is not None:
                parent = find_router(repo, module, path_of(node.func.value))
                instead = node.func.attr == "register_blueprint" and given is not None
                tags = _texts(repo, scope, keyword(node, "tags"))
                yield child, _Mount(parent, _text(repo, scope, given), tags, instead)


def find_router(repo: Repo, module: Module, path: str) -> Router | None:
    """The router that a name such as `orders.router` stands for."""
    head, _, name = path.rpartition(".")
    if not path:
        return None
    if not head:
        return repo.home(module, name) or (module, name)
    there = repo.module(repo.full(module, head), module)
    return repo.home(there, name) if there is not None else None


def _resolve_mounts(router: Router, made: Mapping[Router, Mounted], mounts: Mapping[Router, _Mount]) -> Mounted:
    own = made[router]
    prefix, tags = own.prefix, own.tags
    for _ in range(_HOPS):
        mount = mounts.get(router)
        if mount is None:
            break
        prefix = mount.prefix if mount.instead else mount.prefix + prefix
        tags = (*mount.tags, *tags)
        if mount.parent is None or mount.parent == router:
            break
        router = mount.parent
        prefix = (made[router].prefix if router in made else "") + prefix
    return Mounted(prefix[:500], tuple(dict.fromkeys(tags)), own.maker)


def _text(repo: Repo, scope: Scope, node: ast.expr | None) -> str:
    """A prefix; of `settings.API_PREFIX`, what the settings of the repository say."""
    found = repo.text(scope, node)
    if not found and isinstance(node, ast.Attribute):
        found = repo.setting(node.attr)
    if not found and isinstance(node, ast.JoinedStr):
        found = "".join(
            _text(repo, scope, v.value if isinstance(v, ast.FormattedValue) else v) for v in node.values[:10]
        )
    return found.rstrip("/")


def _texts(repo: Repo, scope: Scope, node: ast.expr | None) -> tuple[str, ...]:
    found = repo.value(scope, node)
    return tuple(t for t in found if isinstance(t, str)) if isinstance(found, tuple) else ()


_METHODS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_ROUTES = frozenset({"route", "api_route", "api_operation"})
_CALLS = frozenset({"add_api_route", "add_url_rule", "add_resource"})
_FLASK = frozenset({"Flask", "Blueprint", "Quart", "APIBlueprint"})
_BY_HAND = frozenset({"route", "add_url_rule", "add_resource"})
_UNKNOWN = Mounted("", (), "")


def routes(repo: Repo) -> Iterator[Operation]:
    """Every route, in order of the files."""
    known = routers(repo)
    yield from _registered(repo, known)
    for function in repo.functions:
        for decorator in function.node.decorator_list:
            if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
                yield from _declared(repo, known, function, decorator, decorator.func)


def _registered(repo: Repo, known: Mapping[Router, Mounted]) -> Iterator[Operation]:
    """Routes that calls declare: `add_api_route`, `add_url_rule`, and `add_resource` for the methods of a class."""
    for module in repo.modules:
        for node in ast.walk(module.tree) if module.mentions(_CALLS) else ():
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CALLS):
                continue
            texts = [a for a in node.args[:5] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            view = keyword(node, "view_func", "endpoint") or next((a for a in node.args[:5] if a not in texts), None)
            path = path_of(view).removesuffix(".as_view")
            cls = repo.find_class(Scope(module), path)
            methods = repo.methods.get(cls, []) if cls is not None else []
            if not methods and (found := repo.find_function(module, path)) is not None:
                methods = [found]
            for function in methods:
                if function.cls is None or function.name in _METHODS:
                    yield from _declared(repo, known, function, node, node.func)


def _declared(
    repo: Repo, known: Mapping[Router, Mounted], function: Function, call: ast.Call, func: ast.Attribute
) -> Iterator[Operation]:
    scope = Scope(function.module, function.cls)
    word = function.name if func.attr in _CALLS and function.cls is not None else func.attr.lower()
    first = argument(call, 1 if func.attr == "add_resource" else 0, "path", "rule")
    written = repo.text(scope, first)
    if word not in _METHODS | _ROUTES | _CALLS or first is None or not (written.startswith("/") or written == ""):
        return
    router = find_router(repo, function.module, path_of(func.value))
    mounted = known.get(router, _UNKNOWN) if router is not None else _UNKNOWN
    if not written and (mounted.maker not in ROUTERS or not isinstance(first, ast.Constant)):
        return
    methods = repo.value(scope, keyword(call, "methods"))
    named = [m.upper() for m in methods if isinstance(m, str)] if isinstance(methods, tuple) else []
    for method in [word.upper()] if word in _METHODS else named or ["GET"]:
        if method in ("HEAD", "OPTIONS"):
            continue
        path, shapes = plain_path(mounted.prefix + written)
        flask = mounted.maker in _FLASK or (func.attr in _BY_HAND and mounted.maker != "APIRouter")
        taken = _by_hand(repo, function, shapes, method) if flask else _typed(repo, function, shapes)
        yield _action(repo, function, call, method, path, taken, mounted.tags)


def _action(
    repo: Repo, function: Function, call: ast.Call, method: str, path: str, taken: Inputs, tags: tuple[str, ...]
) -> Operation:
    scope = Scope(function.module, function.cls)
    own = repo.value(scope, keyword(call, "tags"))
    own_tags = tuple(t for t in own if isinstance(t, str)) if isinstance(own, tuple) else ()
    scopes = list(taken.scopes)
    needed = keyword(call, "dependencies")
    for node in needed.elts if isinstance(needed, ast.List | ast.Tuple) else ():
        scopes += roles_of(repo, scope, node) if isinstance(node, ast.Call) else []
    model = keyword(call, "response_model")
    return operation(
        repo,
        Call(
            _name(function),
            method,
            path,
            taken.parameters,
            taken.body,
            answer_of(repo, function, model),
            status_of(repo, scope, keyword(call, "status_code")) or "200",
            tuple(dict.fromkeys((*tags, *own_tags))),
            tuple(scopes),
            repo.text(scope, keyword(call, "description")),
            repo.text(scope, keyword(call, "summary")),
            _responses(repo, scope, keyword(call, "responses")),
        ),
        function,
    )


def _name(function: Function) -> str:
    """The name of the function; a method of a view is only called `get`, so that the class comes before it."""
    if function.cls is None or function.name not in _METHODS:
        return function.name
    return "_".join([*parts(function.cls.name), function.name])


def _responses(repo: Repo, scope: Scope, node: ast.expr | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
        status = status_of(repo, scope, key)
        if status >= "400" and isinstance(value, ast.Dict):
            texts = {k.value: v for k, v in zip(value.keys, value.values, strict=True) if isinstance(k, ast.Constant)}
            found[status] = repo.text(scope, texts.get("description"))
    return found


def _typed(repo: Repo, function: Function, shapes: Mapping[str, Shape]) -> Inputs:
    """Return what a function of FastAPI takes; parts of the path that it does not name are parameters all the same."""
    found = inputs(repo, function, tuple(shapes))
    names = {p.name for p in found.parameters if p.place == "path"}
    source = function.module.source(function.node)
    more = tuple(Parameter(n, "path", s, True, source=source) for n, s in shapes.items() if n not in names)
    return Inputs((*more, *found.parameters), found.body, found.scopes)


def _by_hand(repo: Repo, function: Function, shapes: Mapping[str, Shape], method: str) -> Inputs:
    """Return what a function of Flask takes: parts of the path, and what it reads from the request itself."""
    source = function.module.source(function.node)
    found = [Parameter(name, "path", shape, True, source=source) for name, shape in shapes.items()]
    used = used_parameters(repo, function)
    found += [p for p in used if p.place == "query"]
    if method in ("GET", "DELETE"):
        return Inputs(tuple(found))
    record = used_record(repo, function)
    if record is not None:
        fields = record.fields.values()
        found += [Parameter(f.name, "body", f.shape, f.required, f.says, f.source) for f in fields]
        return Inputs(tuple(found), record)
    sent = [p for p in used if p.place == "body"]
    whole = Shape("object", fields={p.name: Field(p.name, p.shape, p.required, source=p.source) for p in sent})
    return Inputs((*found, *sent), whole if sent else None)


# Paths of routes, as each framework writes them.


_CONVERTED = re.compile(r"<(?:([a-z_]{1,20})(?:\([^)<>]{0,60}\))?:)?([A-Za-z_]\w{0,80})>")
_BRACED = re.compile(r"\{([A-Za-z_]\w{0,80})(?::[a-z]{1,20})?\}")
_GROUP = re.compile(r"\(\?P<(\w{1,80})>[^()]{0,100}\)")
_TYPES: Mapping[str, Shape] = {
    "int": Shape("integer"),
    "float": Shape("number"),
    "uuid": Shape("string", "uuid"),
}


def plain_path(path: str) -> tuple[str, dict[str, Shape]]:
    """A path with its parts in braces, and the shape of each: `/orders/<int:id>` -> `/orders/{id}`."""
    path = path[:1_000]
    shapes: dict[str, Shape] = {}
    for kind, name in _CONVERTED.findall(path):
        shapes[name] = _TYPES.get(kind, Shape("string"))
    for name in _BRACED.findall(path):
        shapes.setdefault(name, Shape("string"))
    plain = _CONVERTED.sub(r"{\2}", path)
    return "/" + _BRACED.sub(r"{\1}", plain).lstrip("/"), shapes


def from_pattern(pattern: str) -> str:
    """A path that is written as a pattern: `^tickets/(?P<pk>[0-9]+)/$` -> `tickets/{pk}/`."""
    plain = _GROUP.sub(r"{\1}", pattern[:1_000].removeprefix("^").removesuffix("$").removesuffix("\\Z"))
    return plain.replace("\\", "").replace("/?", "/")
