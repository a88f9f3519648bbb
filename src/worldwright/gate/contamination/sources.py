"""Benchmark files, read as a stream of texts: every string value of JSON Lines, JSON, CSV and Parquet, paragraphs of plain text.

Nobody vouches for these files. What cannot be read is remarked upon, with file and line, and the rest is read; memory is bounded by
the largest single record.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import json
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from worldwright.core.errors import StoreError, UsageError
from worldwright.formats.json_stream import read_values
from worldwright.formats.parquet import UnsoundParquet, open_parquet

MAX_LINE_CHARS = 64 * 1024 * 1024
"""Characters of one line."""
BLOCK, OVERLAP = 400, 12
"""Lines of plain text that are taken together, and words that the next ones begin with, so that no run is cut."""
HEAD_BYTES = 8192
ROWS_AT_ONCE = 1000
MAX_FILES = 100_000
_PACKED: dict[str, Callable[[BinaryIO], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_UNREAD = (".zip", ".tar", ".tgz", ".zst", ".7z", ".rar")
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError)

Says = Callable[[int, str], None]
"""A remark on a line; 0 where it is about the whole file."""


class Text(NamedTuple):
    """A text of a benchmark."""

    line: int
    at: str
    text: str


def files_of(named: Sequence[Path]) -> list[Path]:
    """The files that were named, and those in folders that were, in order."""
    out: dict[Path, None] = {}
    for path in named:
        if not path.exists():
            raise StoreError(f"{path} is not there")
        found = (
            [path]
            if path.is_file()
            else sorted(
                p
                for p in path.rglob("*")
                if p.is_file() and not any(part.startswith(".") for part in p.relative_to(path).parts)
            )
        )
        if not found:
            raise UsageError(f"{path} holds no file")
        out.update(dict.fromkeys(found))
    if len(out) > MAX_FILES:
        raise UsageError(f"that is {len(out):,} files; name at most {MAX_FILES:,}")
    return list(out)


def read_texts(path: Path, says: Says, moved: Callable[[int], None]) -> Iterator[Text]:
    """Yield every text of a file. `moved` is told now and then how many of its bytes have been read."""
    name = path.name.lower()
    packed = next((end for end in _PACKED if name.endswith(end)), "")
    kind = Path(name.removesuffix(packed)).suffix
    if kind in _UNREAD:
        says(0, "an archive: unpack it first")
        return
    try:
        if kind == ".parquet" and not packed:
            yield from _parquet(path, says, moved)
            return
        with path.open("rb") as raw, ExitStack() as stack:
            opened = stack.enter_context(_PACKED[packed](raw)) if packed else raw
            encoding = _detect_encoding(opened.peek(HEAD_BYTES)[:HEAD_BYTES], says)
            if not encoding:
                return
            stream = stack.enter_context(io.TextIOWrapper(opened, encoding, errors="replace", newline=""))
            for number, text in enumerate(_READERS.get(kind, _read_paragraphs)(stream, says)):
                if number % 64 == 0:
                    moved(raw.tell())
                yield text
    except _BROKEN as e:
        says(0, f"cannot be read to its end: {e}")


def _detect_encoding(head: bytes, says: Says) -> str:
    """Detect how a file that begins so is written; empty where it is no text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\v\x1b" for byte in head)
    if b"\0" in head or controls * 20 > len(head):
        says(0, "binary, skipped")
        return ""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        says(0, "not UTF-8; read as Latin-1")
        return "latin-1"
    return "utf-8-sig"


def _json_lines(stream: TextIO, says: Says) -> Iterator[Text]:
    for number, line in _lines(stream, says):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as e:
                says(number, f"not JSON, skipped: {e}")
                continue
            yield from _list_strings(value, number)


def _json(stream: TextIO, says: Says) -> Iterator[Text]:
    for number, at, value in read_values(stream, says):
        yield from _list_strings(value, number, at)


def _csv(stream: TextIO, says: Says) -> Iterator[Text]:
    csv.field_size_limit(MAX_LINE_CHARS)
    lines = (line.replace("\0", "") for _, line in _lines(stream, says))
    first = next(lines, "")
    delimiter = max(",;\t|", key=first.count)
    rows = csv.reader(_prepend(first, lines), delimiter=delimiter)
    heads: list[str] = []
    while True:
        try:
            row = next(rows, None)
        except csv.Error as e:
            says(rows.line_num, f"not CSV, skipped: {e}")
            continue
        if row is None:
            return
        if not heads:
            heads = row
        for at, cell in enumerate(row):
            if cell:
                yield Text(rows.line_num, heads[at] if at < len(heads) else str(at + 1), cell)


def _prepend(first: str, rest: Iterable[str]) -> Iterator[str]:
    yield first
    yield from rest


def _read_paragraphs(stream: TextIO, says: Says) -> Iterator[Text]:
    """Yield paragraphs; long ones in blocks that overlap."""
    block: list[str] = []
    start, size = 1, 0
    for number, line in _lines(stream, says):
        if line.strip():
            if not block:
                start = number
            block.append(line)
            size += len(line)
        if block and (not line.strip() or len(block) >= BLOCK or size > 1 << 16):
            text = "".join(block)
            yield Text(start, "", text)
            block = [" ".join(text.split()[-OVERLAP:]) + "\n"] if line.strip() else []
            start, size = number, 0
    if block:
        yield Text(start, "", "".join(block))


def _lines(stream: TextIO, says: Says) -> Iterator[tuple[int, str]]:
    """Lines with their numbers. One without end is cut off."""
    number = 0
    while line := stream.readline(MAX_LINE_CHARS):
        number += 1
        if len(line) == MAX_LINE_CHARS and not line.endswith("\n"):
            says(number, f"longer than {MAX_LINE_CHARS:,} characters: the rest of the line is skipped")
            while (more := stream.readline(MAX_LINE_CHARS)) and not more.endswith("\n"):
                pass
        yield number, line


def _parquet(path: Path, says: Says, moved: Callable[[int], None]) -> Iterator[Text]:
    try:
        with open_parquet(path) as file:
            total, number = max(1, file.metadata.num_rows), 0
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    yield from _list_strings(row, number)
                moved(path.stat().st_size * number // total)
    except UnsoundParquet as e:
        says(0, f"no sound Parquet file: {e}")


def _list_strings(value: Any, line: int, at: str = "") -> Iterator[Text]:
    """Yield every string in a value, in order. No recursion: a file may nest as deep as it likes."""
    stack: list[tuple[str, Any]] = [(at, value)]
    while stack:
        place, one = stack.pop()
        if isinstance(one, str):
            if one:
                yield Text(line, place, one)
        elif isinstance(one, dict):
            stack += [(f"{place}.{name}" if place else str(name), inner) for name, inner in reversed(one.items())]
        elif isinstance(one, (list, tuple)):
            stack += [(f"{place}[{i}]", inner) for i, inner in reversed(list(enumerate(one)))]


_READERS: dict[str, Callable[[TextIO, Says], Iterator[Text]]] = {
    ".jsonl": _json_lines, ".ndjson": _json_lines, ".json": _json, ".csv": _csv, ".tsv": _csv,
}  # fmt: skip
