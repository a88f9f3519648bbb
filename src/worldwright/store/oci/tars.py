"""Layers: tar files with nothing in them that depends on when, where and by whom they were made.

Compressed with zlib at one level. Another build of zlib may compress to other bytes; what is inside, and its digest (`diff_id`),
is the same everywhere.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Protocol, cast

LEVEL = 6
CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Tar:
    """A layer, packed."""

    data: bytes
    diff_id: str
    """sha256 of what was packed."""


def layer(files: Mapping[str, bytes]) -> Tar:
    """Files as one layer: in order, owned by root, readable by all, without times; folders before what is in them."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        made: set[str] = set()
        for path in sorted(files):
            for folder in _folders(path):
                if folder not in made:
                    made.add(folder)
                    tar.addfile(_entry(folder, tarfile.DIRTYPE, 0o755, 0))
            tar.addfile(_entry(path, tarfile.REGTYPE, 0o644, len(files[path])), io.BytesIO(files[path]))
    plain = out.getvalue()
    return Tar(compress(plain), f"sha256:{hashlib.sha256(plain).hexdigest()}")


def compress(plain: bytes) -> bytes:
    out = io.BytesIO()
    with open_gzip(out) as file:
        file.write(plain)
    return out.getvalue()


class Sink(Protocol):
    """Whatever takes bytes."""

    def write(self, data: bytes, /) -> int: ...


def open_gzip(out: Sink) -> gzip.GzipFile:
    """A gzip stream whose header says nothing."""
    return gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=cast("IO[bytes]", out), mtime=0)


def open_decompressed(stream: IO[bytes]) -> IO[bytes]:
    """Open what is in a stream, however it is compressed."""
    start = stream.read(6)
    stream.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if start.startswith(b"\xfd7zXZ"):
        return cast("IO[bytes]", lzma.LZMAFile(stream))
    return cast("IO[bytes]", bz2.BZ2File(stream)) if start.startswith(b"BZh") else stream


def read_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


def _entry(name: str, kind: bytes, mode: int, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.size = kind, mode, size
    return info
