"""Archives as uploads: their files, opened in memory.

An archive is written by someone else. It may name files outside of itself, hold links and devices, or grow to any size when it is
opened. Members that are not plain files are left out, and an archive that is too large is refused before and while it is read.
Nothing is written to the disk.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Self

from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.intake.uploads import MAX_FILE_BYTES, Upload

MOST_UNPACKED = 200 * 1024 * 1024
"""Bytes of all members together."""
MOST_MEMBERS = 20_000
MOST_RATIO = 200
"""Unpacked bytes for one packed byte. Source code and tables stay far below; only what is made to explode is above."""
SMALL = 1024 * 1024
"""Up to here a high ratio does no harm: an empty table packs very well."""
MOST_NOTES = 100
ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")

_LONGEST_HEADER = 64 * 1024
"""Of a tar header that holds names and attributes. Reading a longer one is slow on purpose."""
_MOST_TAR = MOST_UNPACKED + MOST_MEMBERS * 2048
_MOST_ENTRIES = 5 * MOST_MEMBERS
_XZ_MEMORY = 128 * 1024 * 1024
_ZIP_START = (b"PK\x03\x04", b"PK\x05\x06")
_BAD = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    KeyError,
    OverflowError,
    NotImplementedError,
    RecursionError,
)
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
    read: Callable[[int], bytes]
    """Its bytes, at most so many."""


def is_archive(upload: Upload) -> bool:
    """Tell whether an upload is to be opened rather than read."""
    return upload.name.lower().endswith(ENDINGS)


def unpacked(upload: Upload) -> tuple[list[Upload], list[Note]]:
    """The files in an archive, in their order, and what a person should know about the rest."""
    notes: list[Note] = []
    try:
        members = _zip(upload.data) if upload.data.startswith(_ZIP_START) else _tar(_plain_tar(upload))
        files = _files(members, len(upload.data), upload.name, notes)
    except _TooLarge as e:
        return [], [Note("error", f"the archive is refused: {e}", Source(upload.name))]
    except _BAD as e:
        what = (
            f"the archive cannot be opened ({type(e).__name__}): a .zip, .tar, .tar.gz, .tar.bz2 or .tar.xz is expected"
        )
        return [], [Note("error", what, Source(upload.name))]
    if not files and not notes:
        notes.append(Note("warning", "the archive holds no files", Source(upload.name)))
    return files, _few(notes, upload.name)


def _files(members: Iterator[_Member | None], size: int, archive: str, notes: list[Note]) -> list[Upload]:
    """The plain files among the members; None stands for a folder, which counts as well."""
    found: dict[str, Upload] = {}
    declared = real = 0
    for count, member in enumerate(members, 1):
        if count > MOST_MEMBERS:
            raise _TooLarge(f"it holds more than {MOST_MEMBERS:,} members; give the folders that matter")
        if member is None:
            continue
        name, refused = _name(member, found)
        if not refused:
            declared += max(member.declared, 0)
            _refuse_if_large(declared, size)
            if member.packed and member.declared > max(SMALL, MOST_RATIO * member.packed):
                raise _TooLarge(f"{name} would grow more than {MOST_RATIO}-fold when it is unpacked")
            data, refused = _read(member)
            real += len(data)
            _refuse_if_large(real, size)
            found |= {} if refused else {name: Upload(name, data)}
        if refused:
            notes.append(Note("warning", f"{name} is left out: {refused}", Source(archive)))
    return list(found.values())


def _name(member: _Member, found: Mapping[str, Upload]) -> tuple[str, str]:
    """The name of a member as an upload's, and why it is left out."""
    name = member.name.replace("\\", "/").encode("utf-8", "replace").decode("utf-8")
    refused = member.refused or _bad_name(name)
    if refused:
        return repr(name[:200])[1:-1], refused
    name = "/".join(part for part in name.split("/") if part not in ("", "."))
    return name, "its name occurs twice; the first of the two is read" if name in found else ""


def _read(member: _Member) -> tuple[bytes, str]:
    try:
        data = member.read(MAX_FILE_BYTES + 1)
    except _BAD as e:
        return b"", f"it is damaged ({type(e).__name__})"
    if len(data) > MAX_FILE_BYTES:
        return b"", f"it is larger than {MAX_FILE_BYTES // 2**20} MiB"
    return data, ""


def _refuse_if_large(unpacked_size: int, size: int) -> None:
    if unpacked_size > MOST_UNPACKED:
        raise _TooLarge(f"its files are more than {MOST_UNPACKED // 2**20} MiB together; give the folders that matter")
    if unpacked_size > 10 * SMALL and unpacked_size > MOST_RATIO * size:
        raise _TooLarge(f"it grows more than {MOST_RATIO}-fold when it is unpacked")


def _bad_name(name: str) -> str:
    """Why a name is not that of a file inside of the archive."""
    if not name.strip("/. ") or len(name) > 1000 or any(ord(ch) < 32 for ch in name):
        return "its name is no name of a file"
    if name.startswith("/") or name[1:2] == ":":
        return "its name is absolute"
    if ".." in name.split("/"):
        return "its name leads out of the archive"
    return ""


def _few(notes: list[Note], archive: str) -> list[Note]:
    if len(notes) <= MOST_NOTES:
        return notes
    more = Note("warning", f"{len(notes) - MOST_NOTES:,} more members left out", Source(archive))
    return [*notes[:MOST_NOTES], more]


# zip


def _zip(data: bytes) -> Iterator[_Member | None]:
    if data.count(b"PK\x01\x02") > _MOST_ENTRIES:
        raise _TooLarge(f"it holds more than {MOST_MEMBERS:,} members; give the folders that matter")
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for info in archive.infolist():
            plain = _Member(
                info.filename, info.file_size, info.compress_size, _zip_refusal(info), _zip_read(archive, info)
            )
            yield None if info.is_dir() else plain


def _zip_read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        with archive.open(info) as file:
            return file.read(most)

    return read


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


_EXTENDED = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


def _tar(data: bytes) -> Iterator[_Member | None]:
    with tarfile.open(fileobj=BytesIO(data), mode="r:", tarinfo=_Header) as archive:
        while (info := archive.next()) is not None:
            plain = _Member(info.name, info.size, 0, _tar_refusal(info), _tar_read(archive, info))
            yield None if info.isdir() else plain


def _tar_read(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        file = archive.extractfile(info)
        if file is None:
            raise tarfile.ReadError("no plain file")
        with file:
            return file.read(most)

    return read


def _tar_refusal(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "a link"
    if not info.isreg() or info.issparse():
        return "no plain file"
    return "its size is impossible" if info.size < 0 else ""


def _plain_tar(upload: Upload) -> bytes:
    """The tar inside of whatever packs it."""
    data = upload.data
    most = min(_MOST_TAR, max(10 * SMALL, MOST_RATIO * len(data)))
    if data.startswith(b"\x1f\x8b"):
        with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
            tar = packed.read(most + 1)
    elif data.startswith(b"BZh"):
        with bz2.BZ2File(BytesIO(data)) as packed_more:
            tar = packed_more.read(most + 1)
    elif data.startswith(b"\xfd7zXZ\x00"):
        tar = _xz(data, most + 1)
    else:
        return data
    if len(tar) > most:
        raise _TooLarge(
            f"it grows over {MOST_UNPACKED // 2**20} MiB, or more than {MOST_RATIO}-fold, when it is unpacked"
        )
    return tar


def _xz(data: bytes, most: int) -> bytes:
    decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)
    out = decoder.decompress(data, most)
    if not decoder.eof and len(out) < most:
        raise lzma.LZMAError("the end is missing")
    return out
