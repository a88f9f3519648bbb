"""The files of a pack, from a folder or an archive, read with suspicion.

Nothing is extracted or executed: a pack is a map from paths to bytes. Links, odd paths, too many or too large files are refused
before anything looks at their content. An archive is a tar file, plain or gzipped, read block by block: what extended headers
say is skipped, so a name or a size has one place where it can be.
"""

from __future__ import annotations

import gzip
import re
import tarfile
import zlib
from pathlib import Path
from typing import Protocol

from worldwright.core.errors import PackError, TamperedPack

MAX_FILES = 20_000
MAX_FILE = 256 * 1024 * 1024
MAX_TOTAL = 512 * 1024 * 1024
MAX_HEADER = 64 * 1024
"""The largest extended header that is skipped."""

_PART = r"[a-z0-9_][a-z0-9_.-]{0,99}"
GOOD_PATH = re.compile(rf"{_PART}(/{_PART}){{0,3}}\Z")

_BLOCK = tarfile.BLOCKSIZE
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)
_SKIPPED = (tarfile.XHDTYPE, tarfile.XGLTYPE)


def check_path(path: str) -> str:
    """The path, or a refusal: relative, lower case, no dots to climb with."""
    if not GOOD_PATH.match(path) or ".." in path:
        raise TamperedPack(f"a pack cannot hold a file called {path!r}")
    return path


def read_pack(path: Path) -> dict[str, bytes]:
    """Read every file of a pack, by path."""
    try:
        if path.is_symlink() and not path.exists():
            raise PackError(f"{path} is a broken link")
        if path.is_dir():
            return _read_folder(path)
        if path.is_file():
            return _read_archive(path)
    except OSError as e:
        raise PackError(f"{path} cannot be read: {e}") from None
    raise PackError(f"there is no pack at {path}")


class _Budget:
    """How much may still be read."""

    def __init__(self) -> None:
        self.files = 0
        self.total = 0

    def take(self, path: str, size: int) -> None:
        """Count a file or a folder before it is read."""
        self.files += 1
        self.total += size
        if self.files > MAX_FILES:
            raise TamperedPack(f"more than {MAX_FILES:,} files")
        if size > MAX_FILE or self.total > MAX_TOTAL:
            raise TamperedPack(f"{path} makes the pack larger than {MAX_TOTAL // 1024**2} MiB")


def _read_folder(root: Path) -> dict[str, bytes]:
    out: dict[str, bytes] = {}
    budget = _Budget()
    todo = [root]
    while todo:
        for item in sorted(todo.pop().iterdir()):
            name = item.relative_to(root).as_posix()
            if item.name in ("__pycache__", ".pytest_cache"):
                continue
            if item.is_symlink():
                raise TamperedPack(f"{name} is a link; a pack has none")
            check_path(name)
            if item.is_dir():
                budget.take(name, 0)
                todo.append(item)
            elif item.is_file():
                size = item.stat().st_size
                budget.take(name, size)
                with item.open("rb") as file:
                    out[name] = file.read(size + 1)
                if len(out[name]) != size:
                    raise TamperedPack(f"{name} changed while it was read")
            else:
                raise TamperedPack(f"{name} is not a plain file")
    return out


def _read_archive(path: Path) -> dict[str, bytes]:
    try:
        with path.open("rb") as raw:
            if raw.peek(2)[:2] != b"\x1f\x8b":
                return _read_tar(raw)
            with gzip.GzipFile(fileobj=raw) as unpacked:
                return _read_tar(unpacked)
    except (tarfile.TarError, zlib.error, EOFError, ValueError, gzip.BadGzipFile) as e:
        raise TamperedPack(f"{path} is not a readable pack archive: {e}") from None


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _read_tar(stream: _Stream) -> dict[str, bytes]:
    out: dict[str, bytes] = {}
    budget = _Budget()
    while (block := _read_exactly(stream, _BLOCK, "the archive")) != bytes(_BLOCK):
        member = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        name = member.name.removeprefix("./")
        if member.isdir():
            budget.take(name, 0)
            if name not in ("", "."):
                check_path(name)
            continue
        if member.type in _SKIPPED:
            name = "an extended header"
            if not 0 <= member.size <= MAX_HEADER:
                raise TamperedPack(f"{name} in the archive has {member.size:,} bytes")
        elif member.type not in _FILES:
            raise TamperedPack(f"{name!r} in the archive is not a plain file")
        elif check_path(name) in out:
            raise TamperedPack(f"{name} is in the archive twice")
        if member.size < 0:
            raise TamperedPack(f"{name} in the archive is less than empty")
        budget.take(name, member.size)
        data = _read_exactly(stream, member.size, name)
        _read_exactly(stream, -member.size % _BLOCK, name)
        if member.type in _FILES:
            out[name] = data
    return out


def _read_exactly(stream: _Stream, size: int, name: str) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise TamperedPack(f"{name} is cut short")
    return data
