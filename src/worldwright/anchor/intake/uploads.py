"""Uploads: the bytes of what was given, each under a name of its own, read once and never again.

A folder becomes its files. Nothing is followed that leads out of what was given, and nothing is unpacked onto the disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worldwright.core.errors import StoreError, UsageError

MAX_FILE_BYTES = 100 * 1024 * 1024
"""Of one file. Larger ones are refused: a contract or a schema of that size is a mistake, and data can be sampled."""
MAX_FILES = 20_000
SNIFFED_BYTES = 100_000
"""Bytes that are looked at to tell an encoding."""
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True, slots=True)
class Upload:
    """One file of what was given."""

    name: str
    """With `/`, relative to what was given."""
    data: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def decode_text(data: bytes) -> tuple[str, str]:
    """The text of a file, and the encoding that it was read as. Never raises: what is no text comes out as odd characters."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), encoding
    for encoding in ("utf-8", *_eastern(data[:SNIFFED_BYTES]), "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _eastern(data: bytes) -> Iterator[str]:
    """Encodings of Japanese or Chinese as which bytes that are no UTF-8 make sense: letters of theirs beside one another.

    What is western reads as a stray one of these between Latin letters; Chinese reads as Japanese in half-width letters.
    """
    for encoding in ("cp932", "euc-jp", "gb18030"):
        text = data.decode(encoding, "ignore")
        own = [k for k, ch in enumerate(text) if "\u3040" <= ch <= "\u30ff" or "\u4e00" <= ch <= "\u9fff"]
        odd = sum("\uff61" <= ch <= "\uff9f" or "\ue000" <= ch <= "\uf8ff" for ch in text)
        stray = sum(_latin(text[k - 1 : k]) or _latin(text[k + 1 : k + 2]) for k in own)
        kana = sum(text[k] <= "\u30ff" for k in own)
        if own and 2 * stray < len(own) and 5 * odd < len(own) and (encoding != "euc-jp" or 10 * kana > len(own)):
            yield encoding


def _latin(letter: str) -> bool:
    return letter.isascii() and letter.isalpha()


def read_uploads(path: Path) -> Iterator[Upload]:
    """The files under a path, in order of their names."""
    try:
        there = path.exists()
    except (OSError, ValueError) as e:
        why = e.strerror if isinstance(e, OSError) else e
        raise StoreError(f"{str(path)[:200]} is no path: {why}") from None
    if not there:
        raise StoreError(f"{path} is not there")
    if path.is_file():
        yield Upload(_named(path.name), _read(path))
        return
    root = path.resolve()
    found = 0
    for file in sorted(root.rglob("*")):
        if (
            file.is_symlink()
            or not file.is_file()
            or any(part.startswith(".git") for part in file.relative_to(root).parts)
        ):
            continue
        found += 1
        if found > MAX_FILES:
            raise UsageError(f"{path} holds more than {MAX_FILES:,} files: give the folders that matter")
        yield Upload(_named(file.relative_to(root).as_posix()), _read(file))


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
