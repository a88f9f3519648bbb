"""Where routers are mounted: the prefix that comes before the paths of each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import Module, argument, keyword, last, path_of

ROUTERS = frozenset(
    {"FastAPI", "APIRouter", "Flask", "Blueprint", "Quart", "Router", "NinjaAPI", "APIBlueprint", "Starlette"}
)
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
    made = dict(_made(repo))
    mounts: dict[Router, _Mount] = {}
    for child, mount in _mounts(repo):
        mounts.setdefault(child, mount)
    return {router: _whole(router, made, mounts) for router in made}


def _made(repo: Repo) -> Iterator[tuple[Router, Mounted]]:
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


def _whole(router: Router, made: Mapping[Router, Mounted], mounts: Mapping[Router, _Mount]) -> Mounted:
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
