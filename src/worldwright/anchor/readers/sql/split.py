"""A text as its statements.

The text is split before any parser sees it: one statement that no parser understands must not cost the others, and a dump of
tens of megabytes is passed over at the speed of a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from worldwright.anchor.readers.sql.bodies import BODY, end_of_body
from worldwright.anchor.readers.sql.dialect import Dialect
from worldwright.anchor.readers.sql.lexical import ENDS, MAX_UNCLOSED, bare, closed, end_of_comment, skipper
from worldwright.anchor.readers.sql.records import Statement
from worldwright.anchor.readers.sql.remarks import worth_heading, worth_saying

MAX_KEPT = 2_000
"""Lines of data that are kept of one block."""

_BLANK = re.compile(r"\s*+")
_COMMENT = re.compile(r"--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
_HASH = re.compile(r"#[^\n]*+")
_END = re.compile(rf";|(?:{ENDS})", re.IGNORECASE | re.MULTILINE)
_DIRECTIVE = re.compile(
    r"(?:(?:REM(?:ARK)?|PROMPT|SPOOL|WHENEVER|UNDEFINE|ACCEPT|PAUSE|TTITLE|SOURCE)\b|\\(?!copy\b)|:[A-Za-z!]|\.[a-z]|@{1,2}[\w/.]+\s*$)[^\n]*+",
    re.IGNORECASE | re.MULTILINE,
)
"""Lines for a client program and not for the database, wherever they stand."""
_CLIENT = re.compile(
    r"(?:SET|DEFINE|COLUMN|CONN(?:ECT)?|EXIT|QUIT|SHOW|VAR(?:IABLE)?|HOST|START|CLEAR|BREAK|EXEC(?:UTE)?|UNDEF)\b[^\n]*+",
    re.IGNORECASE,
)
"""More of them, in Oracle's client."""
_LINE = re.compile(r"USE\s++[^\s;]++[ \t]*+;?|\\copy\b[^\n]*+", re.IGNORECASE)
"""Statements that end with their line."""
_DELIMITER = re.compile(r"DELIMITER[ \t]++(\S++)[^\n]*+(?:\n|\Z)", re.IGNORECASE)
_DELIMITER_BACK = re.compile(r"^[ \t]*+DELIMITER[ \t]++;", re.IGNORECASE | re.MULTILINE)
_COPY = re.compile(r"COPY\b[^;]*\bFROM\s++STDIN\b", re.IGNORECASE)
_COPY_END = re.compile(r"^\\\.[ \t]*+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    next: int
    """Where to go on."""


def statements(text: str, file: str, dialect: Dialect) -> Iterator[Statement]:
    """The statements of a text that `prepared` has made ready."""
    careful = not closed(text, dialect)
    place, line, pos = 0, 1, 0
    above = _Above()
    while (pos := _blank(text, pos)) < len(text):
        after, above = _between(text, pos, dialect, above)
        if after > pos:
            pos = after
            continue
        for span in _spans(text, pos, dialect, careful):
            line += text.count("\n", place, span.start)
            last = line + text.count("\n", span.start, span.end)
            body = text[span.start : span.end]
            lines, total, pos = _data(text, body, span.next)
            if body.strip():
                yield Statement(body, line, last, file, dialect, above.at(text, span.start), lines, total)
            place, line, above = span.end, last, _Above(span.next)


@dataclass(frozen=True, slots=True)
class _Above:
    """Comments since the last statement, as far as they touch each other."""

    statement: int = 0
    """Where that statement ended."""
    start: int = 0
    end: int = 0
    words: str = ""

    def at(self, text: str, start: int) -> str:
        """What they say, where they stand right above a place. What stands first in a file is about the file."""
        if not self.words or not self.start or text.count("\n", self.end, start) > 1:
            return ""
        said = "\n".join(line for line in self.words.split("\n") if worth_saying(line))
        return said if worth_heading(said) else ""

    def then(self, text: str, start: int, end: int) -> _Above:
        """With one more comment."""
        if self.statement and "\n" not in text[self.statement : start]:
            return self
        words = bare(text[start:end])
        joins = self.words and text.count("\n", self.end, start) <= 1 and len(self.words) < 2_000
        return _Above(
            self.statement, self.start if joins else start, end, f"{self.words}\n{words}".strip() if joins else words
        )


def _blank(text: str, pos: int) -> int:
    found = _BLANK.match(text, pos)
    return found.end() if found else pos


def _between(text: str, pos: int, dialect: Dialect, above: _Above) -> tuple[int, _Above]:
    """Past one thing that is no statement, if one stands here."""
    comment = _COMMENT.match(text, pos) or (_HASH.match(text, pos) if dialect.hashes else None)
    if comment:
        end = end_of_comment(text, pos) if dialect.nested and text[pos] == "/" else comment.end()
        return end, above.then(text, pos, end)
    for pattern in (_END, _DIRECTIVE, *((_CLIENT,) if dialect.letters else ())):
        found = pattern.match(text, pos)
        if found:
            return max(found.end(), pos + 1), above
    return pos, above


def _spans(text: str, pos: int, dialect: Dialect, careful: bool) -> Iterator[_Span]:
    """The statement that starts here; several where a delimiter of their own parts them."""
    delimiter = _DELIMITER.match(text, pos)
    if delimiter:
        yield from _delimited(text, delimiter)
        return
    line = _LINE.match(text, pos)
    if line:
        yield _Span(pos, line.end(), line.end())
        return
    body = BODY.match(text, pos)
    if body:
        end = end_of_body(text, pos, dialect, body)
        if end is not None:
            yield _Span(pos, end, end)
            return
    end = _end(text, pos, dialect, careful, starts=body is None or bool(body["block"]))
    yield _Span(pos, end, end + 1)


def _end(text: str, pos: int, dialect: Dialect, careful: bool, starts: bool) -> int:
    skip = skipper(dialect, careful, starts)
    unclosed = 0
    start = pos
    while pos < len(text):
        found = skip.match(text, pos)
        pos = found.end() if found else pos
        ch = text[pos : pos + 1]
        if ch in ("", ";", "\n"):
            break
        if ch == "/":
            pos = end_of_comment(text, pos)
        elif ch == "$" and unclosed < MAX_UNCLOSED:
            end = after_dollars(text, pos)
            unclosed += end < 0
            pos = end if end >= 0 else pos + 1
        else:
            pos += 1
    return max(pos, start + 1)


_TAG = re.compile(r"\$[A-Za-z_]*+\$")


def after_dollars(text: str, pos: int) -> int:
    """The end of the dollar-quoted string that starts here; -1 where none is closed."""
    tag = _TAG.match(text, pos)
    if tag is None:
        return pos + 1
    end = text.find(tag.group(), tag.end())
    return end + len(tag.group()) if end >= 0 else -1


def _delimited(text: str, delimiter: re.Match[str]) -> Iterator[_Span]:
    """Statements that end with a delimiter of their own (`DELIMITER $$`)."""
    mark = delimiter.group(1)
    if mark == ";":
        yield _Span(delimiter.start(), delimiter.start(), delimiter.end())
        return
    back = _DELIMITER_BACK.search(text, delimiter.end())
    stop = back.start() if back else len(text)
    pos = delimiter.end()
    while pos < stop:
        end = text.find(mark, pos, stop)
        end = end if end >= 0 else stop
        start = min(_blank(text, pos), end)
        pos = end + len(mark)
        yield _Span(start, end, min(pos, stop))
    yield _Span(stop, stop, back.end() if back else stop)


def _data(text: str, body: str, pos: int) -> tuple[tuple[str, ...], int, int]:
    """The lines of data that follow a statement, how many there are, and where the next statement may start."""
    if body[:4].upper() != "COPY" or not _COPY.match(body):
        return (), 0, pos
    start = text.find("\n", pos - 1) + 1
    if not start:
        return (), 0, len(text)
    found = _COPY_END.search(text, start)
    end, after = (found.start(), found.end()) if found else (len(text), len(text))
    block = text[start:end].removesuffix("\n")
    return tuple(block.split("\n", MAX_KEPT)[:MAX_KEPT]) if block else (), block.count("\n") + bool(block), after
