"""The index of a pack: its manifest, and which blobs hold its files.

A pack has many small files that only it has, and some larger ones that thousands share. A blob for each file would be a block
on the disk for each, and a small file alone compresses badly. So the files of a folder are one part, a file beside the folders
is one part, and each part is a blob: its files one after the other, as long as the manifest says. A part that is small when
compressed lies in the index itself.

    packs/AB/ABCDEF....pack     zstd of: a line of JSON, manifest.json, the small parts one after the other
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.core.canonical import canonical_json
from worldwright.core.errors import PackError, TamperedPack
from worldwright.pack.files import MAX_FILE, MAX_FILES, MAX_TOTAL
from worldwright.pack.open import MAX_MANIFEST
from worldwright.pack.sides import is_world_file
from worldwright.store.blobs import SHA256, Blobs
from worldwright.store.zstd import compress, read_decompressed
from worldwright.world.manifest import MANIFEST, Manifest

FORMAT = 1
MAX_INLINE_BYTES = 4096
"""A part that is smaller than this when compressed is no blob: a file on the disk would take as much."""
MAX_INDEX = MAX_TOTAL + MAX_MANIFEST + 1024**2


@dataclass(frozen=True, slots=True)
class Index:
    """Where the files of a pack are."""

    manifest: bytes
    """manifest.json as it was sealed."""
    blobs: Mapping[str, str]
    """By part, the digest of its blob."""
    small: bytes
    """The parts that are no blobs."""
    whole: bool
    """Whether it has all that the manifest names, or only what the world runs on."""
    name: str
    """What the manifest says too, so that thousands are counted without reading theirs."""
    bytes: int
    """Of its files when unpacked."""

    def paths(self, manifest: Manifest) -> list[str]:
        """The files that are here."""
        return [path for path in manifest.files if self.whole or is_world_file(path)]

    def matches(self, manifest: Manifest) -> bool:
        """Return whether what it says of the pack is so."""
        files = len(self.manifest) + sum(manifest.files[path].bytes for path in self.paths(manifest))
        return (self.name, self.bytes) == (manifest.name, files)


def group_files(paths: Iterable[str]) -> dict[str, list[str]]:
    """The files of each part, all in order: `tools/` for a folder, `state.db` for a file."""
    out: dict[str, list[str]] = {}
    for path in sorted(paths):
        if path != MANIFEST:
            folder, slash, _ = path.partition("/")
            out.setdefault(folder + slash, []).append(path)
    return out


def encode_index(index: Index) -> bytes:
    head = {
        "format": FORMAT,
        "name": index.name,
        "bytes": index.bytes,
        "whole": index.whole,
        "manifest": len(index.manifest),
        "blobs": dict(index.blobs),
    }
    return compress(canonical_json(head) + b"\n" + index.manifest + index.small)


def read_index(path: Path) -> Index:
    """The index in a file of the store, or a refusal."""
    try:
        data = read_decompressed(path, MAX_INDEX)
    except FileNotFoundError:
        raise PackError(f"there is no pack at {path}") from None
    except OSError as e:
        raise PackError(f"{path} cannot be read: {e.strerror}") from None
    except ValueError as e:
        raise TamperedPack(f"{path} is damaged: {e}") from None
    line, _, rest = data.partition(b"\n")
    try:
        head: Any = json.loads(line)
    except (ValueError, RecursionError):
        head = None
    if isinstance(head, dict) and type(head.get("format")) is int and head["format"] != FORMAT:
        raise PackError(f"{path} is an index of format {head['format']}; this version reads {FORMAT}")
    if not _is_head(head):
        raise TamperedPack(f"{path} is damaged: it is no index of a pack")
    length = head["manifest"]
    return Index(rest[:length], head["blobs"], rest[length:], head["whole"], head["name"], head["bytes"])


_HEAD = {"format": int, "name": str, "bytes": int, "whole": bool, "manifest": int, "blobs": dict}


def _is_head(head: Any) -> bool:
    if not isinstance(head, dict) or {key: type(value) for key, value in head.items()} != _HEAD:
        return False
    blobs = head["blobs"].values()
    return 0 <= head["manifest"] <= MAX_MANIFEST and all(isinstance(d, str) and SHA256.match(d) for d in blobs)


def gather_files(index: Index, manifest: Manifest, blobs: Blobs) -> dict[str, bytes]:
    """Read every file of a pack, by path: as long as the manifest says, and not checked further."""
    check_size(manifest)
    out = {MANIFEST: index.manifest}
    at = 0
    for part, paths in group_files(index.paths(manifest)).items():
        size = sum(manifest.files[path].bytes for path in paths)
        if part in index.blobs:
            data = blobs.get(index.blobs[part], size)
        else:
            data, at = index.small[at : at + size], at + size
        if len(data) != size:
            where = f"the blob {index.blobs[part]}" if part in index.blobs else "the index"
            raise TamperedPack(f"{where} has {len(data):,} bytes of {part}; {size:,} were expected")
        start = 0
        for path in paths:
            out[path] = data[start : (start := start + manifest.files[path].bytes)]
    return out


def check_size(manifest: Manifest) -> None:
    """Refuse a pack that is too large before anything is read."""
    found = [entry.bytes for entry in manifest.files.values()]
    if len(found) > MAX_FILES or sum(found) > MAX_TOTAL or max(found, default=0) > MAX_FILE:
        raise TamperedPack(f"the manifest names more than {MAX_FILES:,} files or {MAX_TOTAL // 1024**2} MiB")
