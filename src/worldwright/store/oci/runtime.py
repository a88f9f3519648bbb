"""The runtime of an image: the server of this very Worldwright, and the libraries that it needs, in one layer.

The versions are those that are installed here, so what runs in an image is what was tried here. Their files come from wheels for
the base's Python, not from this environment: from PyPI or whatever index pip is set to, or from a folder of wheels.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from worldwright.core.canonical import digest, sha256
from worldwright.core.errors import BuildError, UsageError
from worldwright.store.oci import spec
from worldwright.store.oci.layer_cache import LayerCache, SharedLayers
from worldwright.store.oci.layout import Layout
from worldwright.store.oci.python_in import Python
from worldwright.store.oci.tars import layer

OWN = "worldwright"
STARTS = ("__main__", "cli.commands.serve", "cli.commands.verify", "engine.trajectories")
"""Where an image starts: its commands, and logs of episodes."""
WHOLE = ("blueprint", "kinds", "serve")
"""Packages whose modules are found by looking, or run as processes of their own."""
BUILDING = frozenset({"compile", "battery", "referee", "builder.py"})
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


EXTRAS = ("cli", "serve")
PLACE = "/opt/worldwright"
"""Where it lies in an image."""
_FORMAT = 1
"""Of the layer: another way to make it is another runtime."""
_LEFT_OUT = re.compile(
    r"(.*/)?__pycache__/.*|.*\.pyc|bin/.*|[^/]+\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json)"
)
"""What differs from machine to machine, and what nothing needs: an image is started by its Python, not by a script."""
_WHEELS = {"glibc": ("manylinux_2_28", "manylinux_2_17", "manylinux2014"), "musl": ("musllinux_1_2", "musllinux_1_1")}


class Runtime(SharedLayers):
    """A runtime whose layer is in the workshop."""

    packages: dict[str, str]
    """By name, the version."""


def make_runtime(python: Python, workshop: LayerCache, wheels: Path | None = None) -> Runtime:
    """The runtime for a Python. The same versions and the same code are the same layer."""
    packages = find_requirements(python)
    own = find_package_files()
    facts = {path: sha256(data) for path, data in own.items()}
    key = digest(["runtime", _FORMAT, python.model_dump(exclude={"path"}), packages, facts])

    def make(layout: Layout) -> Runtime:
        files = {f"{PLACE[1:]}/{path}": data for path, data in {**install(packages, python, wheels), **own}.items()}
        tar = layer(files)
        return Runtime(layers=(layout.put(tar.data, spec.LAYER),), diff_ids=(tar.diff_id,), packages=packages)

    return workshop.get_or_make(Runtime, key, make)


def find_requirements(python: Python) -> dict[str, str]:
    """Find every library that the server needs there, in the version that is installed here."""
    there: dict[str, str] = {
        **{name: str(value) for name, value in default_environment().items()},
        "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux",
        "platform_machine": python.machine, "python_version": f"3.{python.minor}",
        "python_full_version": f"3.{python.minor}.0", "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }  # fmt: skip
    out: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    todo = [(OWN, extra) for extra in ("", *EXTRAS)]
    while todo:
        name, extra = todo.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise UsageError(
                f"an image needs {name}, in the version that is installed here, and it is not: "
                f"pip install '{OWN}[{','.join(EXTRAS)}]'"
            ) from None
        out[name] = found.version
        for line in found.requires or ():
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({**there, "extra": extra}):
                todo += [(canonicalize_name(wanted.name), e) for e in ("", *wanted.extras)]
    del out[OWN]
    return dict(sorted(out.items()))


def install(packages: Mapping[str, str], python: Python, wheels: Path | None) -> dict[str, bytes]:
    """The files of libraries as pip installs them for a Python that is elsewhere."""
    platforms = [f"--platform={tag}_{python.machine}" for tag in _WHEELS[python.libc]]
    where = ["--no-index", f"--find-links={wheels}"] if wheels is not None else []
    with tempfile.TemporaryDirectory(prefix="worldwright-") as folder:
        command = [
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
            "--no-compile", "--only-binary=:all:", "--implementation=cp", f"--python-version=3.{python.minor}",
            f"--target={folder}", *platforms, *where, *(f"{name}=={version}" for name, version in packages.items()),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BuildError(f"the libraries of the runtime cannot be installed: {done.stderr.strip()[-1000:]}")
        return dict(_files(Path(folder)))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink() and not _LEFT_OUT.fullmatch(name):
            yield name, path.read_bytes()
