"""Where the Python of a base is, and what it is made for: read from the names in its tars."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from tarfile import TarError
from tarfile import open as open_tar

from pydantic import BaseModel, ConfigDict

from worldwright.core.errors import BuildError

MIN_PYTHON_MINOR = 11
"""3.11"""
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
"""As machines call themselves, and as OCI does."""
_PYTHON = re.compile(r"(usr/local/bin|usr/bin|bin|opt/[^/]+/bin)/python3\.(\d+)\Z")
_PLACES = ("usr/local/bin", "opt", "usr/bin", "bin")
"""Whoever puts a Python there means it: the first of these wins over those that came with the system."""
_LOADER = re.compile(r"(?:.*/)?ld-(linux-|musl-)(x86[-_]64|aarch64)\.so\.\d\Z")


class Python(BaseModel):
    """A Python in a base."""

    model_config = ConfigDict(frozen=True)

    path: str
    minor: int
    machine: str
    libc: str
    """glibc or musl"""


def list_names(layers: Iterable[Path]) -> Iterator[str]:
    """Yield every name in some tars."""
    for path in layers:
        try:
            with open_tar(path, "r|*") as tar:
                for member in tar:
                    yield member.name.removeprefix("./").lstrip("/")
        except (TarError, OSError, EOFError) as e:
            raise BuildError(
                f"a layer of the base cannot be read ({e}); gzip or no compression would be right"
            ) from None


def python_in(names: Iterable[str]) -> Python:
    """The Python of a base, or why there is none that would do."""
    found: dict[tuple[int, int], str] = {}
    loaders: list[tuple[str, str]] = []
    for name in names:
        if m := _PYTHON.match(name):
            place = next(i for i, start in enumerate(_PLACES) if m[1].startswith(start))
            found[(-place, int(m[2]))] = name
        elif m := _LOADER.match(name):
            loaders.append(("musl" if m[1] == "musl-" else "glibc", m[2].replace("-", "_")))
    fit = {key: name for key, name in found.items() if key[1] >= MIN_PYTHON_MINOR}
    if not fit:
        older = ", ".join(sorted(f"/{name}" for name in found.values())) or "no /usr/bin/python3.N at all"
        raise BuildError(f"the base needs Python 3.{MIN_PYTHON_MINOR} or newer, and has {older}")
    if not loaders:
        raise BuildError(
            "the base has no ld-linux or ld-musl for x86_64 or aarch64: nothing that is compiled would run"
        )
    best = max(fit)
    libc, machine = loaders[-1]
    return Python(path=f"/{fit[best]}", minor=best[1], machine=machine, libc=libc)
