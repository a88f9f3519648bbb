"""Where a built pack is kept: the store, and folders that a person names."""

from __future__ import annotations

import tempfile
from pathlib import Path

from worldwright.core.errors import PackError, StoreError, UsageError
from worldwright.core.whole_file import write_whole
from worldwright.pack.open import Pack, open_pack
from worldwright.pack.seal import write_pack
from worldwright.store.store import find_home


def name_folder(pack: Pack) -> str:
    """Name the folder of a pack: `enterprise_procurement-8f31c2`."""
    return f"{pack.manifest.name}-{pack.manifest.digest[:6]}"


def check_writable(*folders: Path | None) -> None:
    """Refuse, before the work, a folder that could not be written after it."""
    for folder in folders:
        if folder is not None and (reason := _find_obstacle(folder)):
            raise UsageError(f"cannot write to {folder}: {reason}")


def check_store() -> None:
    """Refuse, before the work, a store that could not be written after it."""
    if reason := _find_obstacle(find_home()):
        raise StoreError(f"the store at {find_home()} cannot be written: {reason}")


def check_new(path: Path | None, force: bool) -> None:
    """Refuse, before the work, to write over what is there, unless told to."""
    if path is not None and not force and path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise UsageError(f"{path} is there already; replace it with --force, or name another place")


def _find_obstacle(folder: Path) -> str:
    """Say why nothing can be written in `folder`, or in what is there of the way to it; empty where it can."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        return f"{there} is a file"
    try:
        with tempfile.TemporaryFile(dir=there):
            return ""
    except OSError as e:
        return e.strerror or str(e)


def keep_in_folder(pack: Pack, parent: Path) -> tuple[Path, bool]:
    """Write the pack under `parent`; the place, and whether the same pack was there already."""
    target = parent / name_folder(pack)
    if target.exists():
        try:
            there = open_pack(target).manifest.digest
        except PackError as e:
            raise PackError(
                f"{target} is there and is not this pack ({e}); name another folder, or remove it"
            ) from None
        if there != pack.manifest.digest:
            raise PackError(f"{target} is there and holds another pack, with digest {there}; name another folder")
        return target, True
    try:
        write_pack(pack.files, target)
    except OSError as e:
        raise PackError(f"{target} cannot be written: {e}") from None
    return target, False


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    try:
        write_whole(path, text)
    except StoreError as e:
        raise UsageError(str(e)) from None
