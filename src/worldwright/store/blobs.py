"""Blobs: bytes by the sha256 of their content, each kept once and compressed.

blobs/AB/ABCDEF...zst       256 folders: with a million blobs, four thousand in each
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from worldwright.core.canonical import sha256
from worldwright.core.errors import TamperedPack
from worldwright.core.whole_file import replace_file
from worldwright.store.zstd import read_decompressed

SHA256 = re.compile(r"[0-9a-f]{64}\Z")


class Blobs:
    """The blobs under one folder. What is there is never written again."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        return self.root / digest[:2] / f"{digest}.zst"

    def __contains__(self, digest: str) -> bool:
        return self.path(digest).is_file()

    def put(self, digest: str, packed: bytes) -> None:
        """Keep what was packed. Two who keep the same at once keep the same."""
        with replace_file(self.path(digest)) as out:
            out.write(packed)

    def get(self, digest: str, most: int) -> bytes:
        """Read what a blob holds, not checked against its digest yet. A refusal names the blob."""
        try:
            return read_decompressed(self.path(digest), most)
        except FileNotFoundError:
            raise TamperedPack(f"the blob {digest} is missing") from None
        except OSError as e:
            raise TamperedPack(f"the blob {digest} cannot be read: {e.strerror}") from None
        except ValueError as e:
            raise TamperedPack(f"the blob {digest} is damaged: {e}") from None

    def get_checked(self, digest: str, most: int) -> bytes:
        data = self.get(digest, most)
        if sha256(data) != digest:
            raise TamperedPack(f"the blob {digest} is damaged: it holds something else")
        return data

    def list_sizes(self) -> Iterator[tuple[str, int]]:
        """Yield every blob with its bytes on the disk."""
        for entry in entries(self.root):
            digest = entry.name.removesuffix(".zst")
            if SHA256.match(digest) and entry.name.endswith(".zst"):
                yield digest, entry.stat().st_size


def entries(root: Path) -> Iterator[os.DirEntry[str]]:
    """The files in the folders of a folder, in order. What goes away meanwhile is left out."""
    for folder in _list_folder(root):
        if folder.is_dir(follow_symlinks=False):
            yield from _list_folder(Path(folder.path))


def _list_folder(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
