"""Archives as uploads: their files, opened in memory.

An archive is written by someone else. It may name files outside of itself, hold links and devices, or grow to any size when it is
opened. Members that are not plain files are left out, and an archive that is too large is refused before and while it is read.
Nothing is written to the disk.
"""

from __future__ import annotations

import gzip
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import IO, Self

from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.intake.uploads import MAX_FILE_BYTES, Upload

MOST_UNPACKED = 200 * 1024 * 1024
"""Bytes of all members together."""
MOST_MEMBERS = 20_000
MOST_RATIO = 200
"""Unpacked bytes for one packed byte. Source code and tables stay far below; only what is made to explode is above."""
SMALL = 1024 * 1024
"""Up to here a high ratio does no harm: an empty table packs very well."""
TOO_MANY = "it holds more than {:,} members; give the folders that matter"
ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_LONGEST_HEADER = 64 * 1024
"""Of a tar header that holds names and attributes. Reading a longer one is slow on purpose."""
_EXTENDED = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip
_BAD = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError, OverflowError,
    RuntimeError,
)  # fmt: skip
"""What the libraries raise for content that is no archive of its kind."""


class _TooLarge(Exception):
    """An archive that is over a limit, in words."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A file in an archive, before it is read."""

    name: str
    declared: int
    packed: int
    """Its bytes in the archive; 0 where that cannot be told."""
    refused: str
    """Why it is no plain file; empty where it is one."""
    open: Callable[[], IO[bytes] | None]


def is_archive(upload: Upload) -> bool:
    """Tell whether an upload is to be opened rather than read."""
    return upload.name.lower().endswith(ENDINGS)


def unpacked(upload: Upload) -> tuple[list[Upload], list[Note]]:
    """The files in an archive, in their order, and what a person should know about the rest."""
    notes: list[Note] = []
    source = Source(upload.name)
    try:
        zipped = upload.data.startswith((b"PK\x03\x04", b"PK\x05\x06"))
        files = _files(_zip(upload.data) if zipped else _tar(_plain_tar(upload.data)), len(upload.data), source, notes)
    except _TooLarge as e:
        return [], [Note("error", f"the archive is refused: {e}", source)]
    except _BAD as e:
        what = f"the archive cannot be opened ({type(e).__name__}): a .zip, .tar or .tar.gz is expected"
        return [], [Note("error", what, source)]
    return files, notes if files or notes else [Note("warning", "the archive holds no files", source)]


def _files(members: Iterator[_Member | None], size: int, source: Source, notes: list[Note]) -> list[Upload]:
    """The plain files among the members; None stands for a folder, which counts as well."""
    found: dict[str, Upload] = {}
    declared = real = 0
    for count, member in enumerate(members, 1):
        if count > MOST_MEMBERS:
            raise _TooLarge(TOO_MANY.format(MOST_MEMBERS))
        if member is None:
            continue
        written = member.name.replace("\\", "/").encode("utf-8", "replace").decode("utf-8")
        name = "/".join(part for part in written.split("/") if part not in ("", "."))
        refused = member.refused or _bad_name(written)
        if refused:
            name = repr(written[:200])[1:-1]
        elif name in found:
            refused = "its name occurs twice; the first of the two is read"
        else:
            declared += max(member.declared, 0)
            _refuse_if_large(declared, size)
            if member.packed and member.declared > max(SMALL, MOST_RATIO * member.packed):
                raise _TooLarge(f"{name} would grow more than {MOST_RATIO}-fold when it is unpacked")
            data, refused = _read(member)
            real += len(data)
            _refuse_if_large(real, size)
            found |= {} if refused else {name: Upload(name, data)}
        if refused:
            notes.append(Note("warning", f"{name} is left out: {refused}", source))
    return list(found.values())


def _read(member: _Member) -> tuple[bytes, str]:
    try:
        file = member.open()
        data = file.read(MAX_FILE_BYTES + 1) if file is not None else b""
    except _BAD as e:
        return b"", f"it is damaged ({type(e).__name__})"
    return (data, "") if len(data) <= MAX_FILE_BYTES else (b"", f"it is larger than {MAX_FILE_BYTES // 2**20} MiB")


def grows_too_large(unpacked_size: int, size: int) -> str:
    """Why what is packed in so many bytes is not unpacked; empty where it may be."""
    if unpacked_size > MOST_UNPACKED:
        return f"its files are more than {MOST_UNPACKED // 2**20} MiB together; give the folders that matter"
    grows = unpacked_size > 10 * SMALL and unpacked_size > MOST_RATIO * size
    return f"it grows more than {MOST_RATIO}-fold when it is unpacked" if grows else ""


def _refuse_if_large(unpacked_size: int, size: int) -> None:
    if why := grows_too_large(unpacked_size, size):
        raise _TooLarge(why)


def _bad_name(name: str) -> str:
    """Why a name is not that of a file inside of the archive."""
    if not name.strip("/. ") or len(name) > 1000 or any(ord(ch) < 32 for ch in name):
        return "its name is no name of a file"
    if name.startswith("/") or name[1:2] == ":":
        return "its name is absolute"
    return "its name leads out of the archive" if ".." in name.split("/") else ""


# zip


def _zip(data: bytes) -> Iterator[_Member | None]:
    if data.count(b"PK\x01\x02") > 5 * MOST_MEMBERS:
        raise _TooLarge(TOO_MANY.format(MOST_MEMBERS))
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for info in archive.infolist():
            read = partial(archive.open, info)
            found = _Member(info.filename, info.file_size, info.compress_size, _zip_refusal(info), read)
            yield None if info.is_dir() else found


def _zip_refusal(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) and not stat.S_ISREG(mode):
        return "a link" if stat.S_ISLNK(mode) else "no plain file"
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others cannot be read in bounded steps
        return "it is packed in a way that is not opened here; only stored and deflated members are"
    return ""


# tar


class _Header(tarfile.TarInfo):
    """A tar header whose sizes are sane: a negative one leads backwards, and a long one takes hours to read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.size < 0 or (header.size > _LONGEST_HEADER and header.type in _EXTENDED):
            raise tarfile.ReadError("a header of an impossible size")
        return header


def _tar(data: bytes) -> Iterator[_Member | None]:
    with tarfile.open(fileobj=BytesIO(data), mode="r:", tarinfo=_Header) as archive:
        while (info := archive.next()) is not None:
            refused = "a link" if info.issym() or info.islnk() else "no plain file"
            if info.isreg() and not info.issparse():
                refused = "its size is impossible" if info.size < 0 else ""
            found = _Member(info.name, info.size, 0, refused, partial(archive.extractfile, info))
            yield None if info.isdir() else found


def _plain_tar(data: bytes) -> bytes:
    """The tar inside of what packs it."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    most = min(MOST_UNPACKED + MOST_MEMBERS * 2048, max(10 * SMALL, MOST_RATIO * len(data)))
    with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
        tar = packed.read(most + 1)
    if len(tar) > most:
        raise _TooLarge(f"it grows more than {MOST_RATIO}-fold, or over {MOST_UNPACKED // 2**20} MiB")
    return tar
