"""Packages that a framework installs: a gym written out as the framework wants it, ready to be built and published.

Nothing of a framework has to be installed for it: only files are written.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from worldwright.core.canonical import pretty_json
from worldwright.core.errors import StoreError, UsageError
from worldwright.core.names import suggest

TARGETS: Mapping[str, str] = {
    "verifiers": "worldwright.adapters.export.verifiers",
    "openenv": "worldwright.adapters.export.openenv",
    "prime-rl": "worldwright.adapters.export.prime_rl",
    "skyrl": "worldwright.adapters.export.skyrl",
    "verl": "worldwright.adapters.export.verl",
}
"""By framework, the module whose `write(gym, out)` writes the package and names its files. Loaded when it is asked for."""
LISTED = "export.json"
"""What an export wrote: so that the next one can replace it, and nothing else."""


def writer(target: str) -> Callable[[str, Path], list[Path]]:
    """The function that writes a package for a framework."""
    if target not in TARGETS:
        raise UsageError(f"there is no export to {target!r}; {suggest(target, TARGETS)}")
    write: Callable[[str, Path], list[Path]] = import_module(TARGETS[target]).write
    return write


def export(target: str, gym: str, out: Path, *, replace: bool = False) -> list[Path]:
    """Write a gym as a package of a framework, whole or not at all. The files, in order.

    With `replace`, the files of an earlier export give way; others in the folder stay.
    """
    write = writer(target)
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; name a folder")
    if out.is_dir() and any(out.iterdir()) and not replace:
        raise UsageError(f"{out} is not empty; name another folder, or replace what an export wrote there with --force")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        try:
            made = work / (out.name or "export")
            names = sorted(path.relative_to(made) for path in write(gym, made))
            listed = {"to": target, "files": [name.as_posix() for name in names]}
            (made / LISTED).write_text(pretty_json(listed), encoding="utf-8")
            _take_place(made, [*names, Path(LISTED)], out)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as e:
        raise StoreError(f"{out} cannot be written: {e.strerror or e}") from None
    return [out / name for name in names]


def _take_place(made: Path, names: list[Path], out: Path) -> None:
    if not out.is_dir() or not any(out.iterdir()):
        made.replace(out)
        return
    for earlier in _list_earlier_files(out):
        earlier.unlink(missing_ok=True)
    for name in names:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).replace(out / name)


def _list_earlier_files(out: Path) -> list[Path]:
    """List the files that an earlier export says it wrote, as far as they are inside the folder."""
    try:
        found = json.loads((out / LISTED).read_bytes())
        places = [out / name for name in found["files"] if isinstance(name, str)]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return []
    return [place for place in places if place.is_file() and place.resolve().is_relative_to(out.resolve())]
