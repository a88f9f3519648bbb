"""What of this very package goes into an image: the server, and what it needs. The factory stays out.

A world can be built again from its Blueprint and its seed, keys and all, and both are in its image. So nothing that builds,
proves or solves worlds may be there too. What is needed is found by following imports from where an image starts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from worldwright.core.errors import UsageError

OWN = "worldwright"
STARTS = ("__main__", "cli.commands.serve", "cli.commands.verify", "engine.trajectories")
"""Where an image starts: its commands, and logs of episodes."""
WHOLE = ("blueprint", "kinds", "serve")
"""Packages whose modules are found by looking, or run as processes of their own."""
BUILDING = frozenset({"compile", "battery", "builder.py"})
"""Parts of a kind that build and prove its worlds."""
ROOT = Path(__file__).parents[2]


def find_package_files(root: Path = ROOT) -> dict[str, bytes]:
    """Its files by path, with its metadata."""
    out = {f"{OWN}/{path}": (root / path).read_bytes() for path in sorted(_find_modules(root))}
    try:
        found = metadata.distribution(OWN)
    except metadata.PackageNotFoundError:
        raise UsageError(f"{OWN} is not installed here: pip install it first") from None
    text = found.read_text("METADATA") or ""
    return {**out, f"{OWN}-{found.version}.dist-info/METADATA": text.encode()}


def _find_modules(root: Path) -> set[str]:
    """Find modules that the starts lead to, and files that lie beside them as data."""
    todo = [f"{OWN}.{name}" for name in STARTS]
    for package in WHOLE:
        paths = sorted((root / package).rglob("*.py"))
        todo += [_name(root, path) for path in paths if not BUILDING & {*path.relative_to(root).parts}]
    found: dict[str, Path] = {}
    while todo:
        name = todo.pop()
        path = _module(root, name)
        if path is None or name in found:
            continue
        found[name] = path
        todo += [name.rpartition(".")[0], *_list_imports(path, name)]
    folders = {path.parent for path in found.values() if path.name == "__init__.py"}
    beside = [p for folder in folders for p in folder.iterdir() if p.is_file() and p.suffix not in (".py", ".pyc")]
    return {path.relative_to(root).as_posix() for path in (*found.values(), *beside)}


def _name(root: Path, path: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join((OWN, *(parts[:-1] if parts[-1] == "__init__" else parts)))


def _module(root: Path, name: str) -> Path | None:
    """The file of a module, or of a package; None for what is neither: a name in a module, another library."""
    first, *rest = name.split(".")
    place = root.joinpath(*rest)
    candidates = (place / "__init__.py", place.with_suffix(".py")) if rest else (root / "__init__.py",)
    return next((path for path in candidates if path.is_file()), None) if first == OWN else None


def _list_imports(path: Path, name: str) -> Iterator[str]:
    """Yield everything that a module imports, wherever it does."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join((*above, *((node.module,) if node.module else ())))
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
