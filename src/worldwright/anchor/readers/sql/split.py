"""A text as its statements.

The text is split before any parser sees it: one statement that no parser understands must not cost the others, and a dump of
tens of megabytes is passed over at the speed of a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from worldwright.anchor.readers.sql.lexical import (
    ENDS,
    MAX_UNCLOSED,
    bare,
    closed,
    end_of_comment,
    skipper,
    worth_heading,
    worth_saying,
)
from worldwright.anchor.readers.sql.parse import Dialect
from worldwright.anchor.readers.sql.records import Statement

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
        """Return what they say, where they stand right above a place. What stands first in a file is about the file."""
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


# A text made ready to be split: one kind of line end, and nothing left in it that a client or a template would take out.
#
# Whatever is taken out leaves blanks behind, so that every line keeps its number.


_RUN_BY_MYSQL = re.compile(r"/\*M?!\d{0,6}((?:[^*]++|\*(?!/))*+)(?:\*/|\Z)")
_TEMPLATE = re.compile(r"\{%[^{}\n]{0,500}%\}|\{#[^{}\n]{0,500}#\}")
_DOWN = re.compile(
    r"^[ \t]*--[ \t]*(?:(?:\+goose|\+migrate)[ \t]+down|migrate:down|//[ \t]*@undo)\b", re.IGNORECASE | re.MULTILINE
)
_UP = re.compile(r"^[ \t]*--[ \t]*(?:(?:\+goose|\+migrate)[ \t]+up|migrate:up)\b", re.IGNORECASE | re.MULTILINE)


def prepared(text: str, dialect: Dialect) -> str:
    """The text as the database would get it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", " ")
    if "/*" in text and dialect.backslash:
        text = _RUN_BY_MYSQL.sub(
            lambda m: " " * (m.start(1) - m.start()) + m.group(1) + " " * (m.end() - m.end(1)), text
        )
    if "{%" in text or "{#" in text:
        text = _TEMPLATE.sub(lambda m: " " * len(m.group()), text)
    return _without_undoing(text)


def _without_undoing(text: str) -> str:
    """Without the parts that take a migration back."""
    pieces: list[str] = []
    pos = 0
    while down := _DOWN.search(text, pos):
        up = _UP.search(text, down.end())
        end = up.start() if up else len(text)
        pieces += (text[pos : down.start()], "\n" * text.count("\n", down.start(), end))
        pos = end
    return "".join((*pieces, text[pos:])) if pieces else text


# Procedures, functions, triggers and blocks: where their bodies end, for they hold statements of their own.


BODY = re.compile(
    r"(?:CREATE|ALTER)\s++(?:OR\s++(?:REPLACE|ALTER)\s++)?(?:DEFINER\s*+=\s*+\S++\s++)?"
    r"(?:(?:EDITIONABLE|NONEDITIONABLE|TEMP|TEMPORARY|CONSTRAINT|AGGREGATE|EVENT|DDL)\s++){0,2}"
    r"(?:PROCEDURE|PROC|FUNCTION|TRIGGER|PACKAGE|EVENT|RULE|TYPE\s++BODY)\s"
    r"|(?P<block>BEGIN|DECLARE)\b",
    re.IGNORECASE,
)
MAX_WORDS = 100_000
"""Words of a body that are counted."""

_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL
_GO = re.compile(r"^[ \t]*+GO(?:[ \t]++\d++)?[ \t]*+;?[ \t]*+$", _FLAGS)
_SLASH = re.compile(r"^[ \t]*+/[ \t]*+$", _FLAGS)
_TABLE = re.compile(r"^CREATE\s++TABLE\b", _FLAGS)
_WORDS = re.compile(
    r"'(?:[^'\\]++|\\.|'')*+(?:'|\Z)|--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
    r"|(?P<none>\bEND\s++(?:IF|LOOP|WHILE|REPEAT|FOR)\b)|(?P<opens>\b(?:BEGIN|CASE)\b)"
    r"|(?P<closes>\bEND(?:\s++CASE)?\b)|(?P<stop>;)",
    _FLAGS,
)


def end_of_body(text: str, pos: int, dialect: Dialect, found: re.Match[str]) -> int | None:
    """The end of a body that starts here; None where it ends like any other statement."""
    if dialect.name == "postgres":
        return None
    if dialect.batches:
        return None if found["block"] else _line(_GO, text, pos) or _balanced(text, pos)
    if dialect.name == "oracle":
        slash = _line(_SLASH, text, pos)
        return slash if slash and not _TABLE.search(text, pos, slash) else _balanced(text, pos)
    return None if found["block"] else _balanced(text, pos)


def _line(pattern: re.Pattern[str], text: str, pos: int) -> int | None:
    line = pattern.search(text, pos)
    return line.start() if line else None


def _balanced(text: str, pos: int) -> int | None:
    """The `;` after which every block that was begun has ended."""
    depth = 0
    for count, found in enumerate(_WORDS.finditer(text, pos)):
        depth += (found.lastgroup == "opens") - (found.lastgroup == "closes")
        if found.lastgroup == "stop" and depth <= 0:
            return found.end()
        if count == MAX_WORDS:
            break
    return None
