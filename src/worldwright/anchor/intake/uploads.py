"""Uploads: the bytes of what was given, each under a name of its own, read once and never again.

A folder becomes its files. Nothing is followed that leads out of what was given, and nothing is unpacked onto the disk.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worldwright.core.errors import StoreError, UsageError
from worldwright.core.names import suggest_path

MAX_FILE_BYTES = 100 * 1024 * 1024
"""Of one file. Larger ones are refused: a contract or a schema of that size is a mistake, and data can be sampled."""
MAX_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Upload:
    """One file of what was given."""

    name: str
    """With `/`, relative to what was given."""
    data: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def read_uploads(path: Path) -> Iterator[Upload]:
    """The files under a path, in order of their names."""
    try:
        there = path.exists()
    except (OSError, ValueError) as e:
        why = e.strerror if isinstance(e, OSError) else e
        raise StoreError(f"{str(path)[:200]} is no path: {why}") from None
    if not there:
        raise StoreError(f"{path} is not there{suggest_path(path)}")
    if path.is_file():
        yield Upload(_named(path.name), _read(path))
        return
    root = path.resolve()
    found = 0
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root)
        if file.is_symlink() or not file.is_file() or any(part.startswith(".git") for part in name.parts):
            continue
        found += 1
        if found > MAX_FILES:
            raise UsageError(f"{path} holds more than {MAX_FILES:,} files: give the folders that matter")
        yield Upload(_named(name.as_posix()), _read(file))


def _named(name: str) -> str:
    """A name that can be written down, whatever bytes it has on the disk."""
    plain = name.encode("utf-8", "replace").decode("utf-8")
    return "".join(ch if ch.isprintable() else "?" for ch in plain)


def _read(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise UsageError(f"{path} is larger than {MAX_FILE_BYTES // 2**20} MiB; give a smaller part of it")
    try:
        return path.read_bytes()
    except OSError as e:
        raise UsageError(f"{path} cannot be read: {e.strerror}") from None


# A repository that lies elsewhere, fetched with git into a folder that is gone again afterwards. Nothing of it is run.


CLONE_TIMEOUT_SECONDS = 300
_ADDRESS = re.compile(r"(?:https?|ssh|git|file)://\S+\Z|[\w.-]+@[\w.-]+:\S+\Z")
_USER = re.compile(r"//[^/@\s]*@")
"""Who asks, and with which password."""
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "core.symlinks=false")


def is_git_url(text: str) -> bool:
    """Tell whether a text names a repository for git rather than a path."""
    return bool(_ADDRESS.match(text))


def clone_repository(address: str) -> tuple[Upload, ...]:
    """The files of the newest commit, without their history."""
    if not is_git_url(address):
        says = f"{address[:200]} is no address of a repository"
        raise UsageError(f"{says}; expected one such as https://host/team/project.git")
    shown = _USER.sub("//", address)
    with tempfile.TemporaryDirectory(prefix="worldwright-") as folder:
        target = Path(folder) / "repository"
        command = ["git", *_SAFE, "clone", "--quiet", "--depth", "1", "--no-tags", "--", address, str(target)]
        settings = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
        try:
            done = subprocess.run(
                command, env=settings, capture_output=True, timeout=CLONE_TIMEOUT_SECONDS, check=False
            )
        except FileNotFoundError:
            raise UsageError("fetching a repository needs git; install it, or give a folder or an archive") from None
        except subprocess.TimeoutExpired:
            raise UsageError(f"{shown} did not come within {CLONE_TIMEOUT_SECONDS} seconds") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").replace(address, shown).strip().splitlines()
            raise UsageError(f"git cannot fetch {shown}: {_USER.sub('//', said[-1]) if said else 'it says nothing'}")
        return tuple(read_uploads(target))
