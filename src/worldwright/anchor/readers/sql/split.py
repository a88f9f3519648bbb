"""A text as its statements.

The text is split before any parser sees it: one statement that no parser understands must not cost the others, and statements end
in many ways (`;`, `GO`, `/`, another delimiter, the start of the next one).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldwright.anchor.evidence import Source
from worldwright.anchor.readers.sql.parse import Dialect
from worldwright.anchor.readers.sql.tokens import FLAGS, STARTS, Comment, Token, bare, right_above, token_pattern

_STARTS = re.compile(STARTS, FLAGS)
_BATCH_STARTS = re.compile(
    STARTS + r"|INSERT\s++[\[\"]|INSERT\s++[\w.]++\s*+(?:\(|VALUES\b)|EXEC(?:UTE)?\s++[\[\w@]"
    r"|SET\s++(?:ANSI_|QUOTED_|NOCOUNT|IDENTITY_INSERT|XACT_)|PRINT\s++[N']|IF\s++(?:NOT\s++)?(?:EXISTS|OBJECT_ID|@|COL_LENGTH)"
    r"|BEGIN[ \t]*+$|BEGIN\s++(?:TRY|TRAN|CATCH)|END[ \t;]*+$"
    r"|DECLARE\s++@|USE\s++\[|BULK\s++INSERT|UPDATE\s++\S++\s++SET\b|DELETE\s++FROM\b|TRUNCATE\s++TABLE|GRANT\s++\w",
    FLAGS,
)
"""The same where statements need no `;`."""
_END = re.compile(r";|GO(?:[ \t]++\d++)?[ \t]*+;?[ \t]*+(?:--[^\n]*+)?$|/[ \t]*+$", FLAGS)
"""What ends a statement: a mark, or a line of its own."""
_DIRECTIVE = re.compile(
    r"(?:(?:REM(?:ARK)?|PROMPT|SPOOL|WHENEVER|UNDEFINE|ACCEPT|PAUSE|TTITLE|SOURCE)\b"
    r"|\\(?!copy\b)|:[A-Za-z!]|\.[a-z]|@{1,2}[\w/.]+\s*$)[^\n]*+",
    FLAGS,
)
"""Lines for a client program and not for the database, wherever they stand."""
_CLIENT = re.compile(
    r"(?:SET|DEFINE|COLUMN|CONN(?:ECT)?|EXIT|QUIT|SHOW|VAR(?:IABLE)?|HOST|START|CLEAR|BREAK|EXEC(?:UTE)?|UNDEF)\b[^\n]*+",
    FLAGS,
)
"""More of them, in Oracle's client."""
_LINE = re.compile(r"USE\s++[^\s;]++[ \t]*+;?|\\copy\b[^\n]*+", FLAGS)
"""Statements that end with their line."""
_DELIMITER = re.compile(r"DELIMITER[ \t]++(\S++)[^\n]*+(?:\n|\Z)", FLAGS)
_DELIMITER_BACK = re.compile(r"^[ \t]*+DELIMITER[ \t]++;[^\n]*+", FLAGS)
_BODY = re.compile(
    r"(?:CREATE|ALTER)\s++(?:OR\s++(?:REPLACE|ALTER)\s++)?(?:DEFINER\s*+=\s*+\S++\s++)?"
    r"(?:(?:EDITIONABLE|NONEDITIONABLE|TEMP|TEMPORARY|CONSTRAINT|AGGREGATE|EVENT|DDL)\s++){0,2}"
    r"(?:PROCEDURE|PROC|FUNCTION|TRIGGER|PACKAGE|EVENT|RULE|TYPE\s++BODY)\s"
    r"|(?P<block>BEGIN|DECLARE)\b",
    FLAGS,
)
"""Procedures, functions, triggers and blocks: they hold statements of their own."""
_GO = re.compile(r"^[ \t]*+GO(?:[ \t]++\d++)?[ \t]*+;?[ \t]*+$", FLAGS)
_SLASH = re.compile(r"^[ \t]*+/[ \t]*+$", FLAGS)
_TABLE = re.compile(r"^CREATE\s++TABLE\b", FLAGS)
_COPY_END = re.compile(r"^\\\.[ \t]*+$", FLAGS)


@dataclass(frozen=True, slots=True)
class Script:
    """A text that is read, with nothing left in it that a client or a template would take out."""

    text: str
    file: str
    dialect: Dialect
    pattern: re.Pattern[str]
    ends: Sequence[int]
    """Where its lines end."""

    def line(self, at: int) -> int:
        return bisect_left(self.ends, at) + 1


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script."""

    script: Script
    tokens: Sequence[Token]
    comments: Sequence[Comment] = ()
    above: str = ""
    """What the comment that stands right above it says."""
    data: tuple[int, int] = (0, 0)
    """Where the data stands that follows it in the text (`COPY ... FROM stdin`)."""

    @property
    def dialect(self) -> Dialect:
        return self.script.dialect

    @property
    def source(self) -> Source:
        return self.at(self.tokens)

    def at(self, tokens: Sequence[Token]) -> Source:
        """The lines of a part of it."""
        return Source(self.script.file, "{}-{}".format(*self.lines(tokens)))

    def lines(self, tokens: Sequence[Token]) -> tuple[int, int]:
        return self.script.line(tokens[0].start), self.script.line(tokens[-1].end)


def statements(script: Script, pos: int = 0, stop: int | None = None) -> Iterator[Statement]:
    """The statements between two places of a script."""
    text, stop = script.text, len(script.text) if stop is None else stop
    comments: list[Comment] = []
    after = 0
    while pos < stop and (found := script.pattern.match(text, pos, stop)):
        if found.lastgroup == "comment":
            comments.append(Comment(pos, found.end(), bare(found.group())))
        passed = found.end() if found.lastgroup in ("blank", "template", "comment") else _passed(script, pos)
        if passed:
            pos = passed
            continue
        above = right_above(text, comments, pos, after)
        spans, behind = _spans(script, pos)
        for start, end in spans or ((pos, stop),):
            tokens, comments, pos = _lexed(script, start, end, not spans)
            data = _data(text, tokens, pos)
            pos = data[2] if data else pos
            if tokens:
                yield Statement(script, tokens, comments, above, data[:2] if data else (0, 0))
        comments, after = [], behind or pos
        pos = after


def _passed(script: Script, pos: int) -> int:
    """The end of something that is no statement and stands here; 0 where nothing such does."""
    patterns = (_END, _DIRECTIVE, _CLIENT) if script.dialect.letters else (_END, _DIRECTIVE)
    return next((max(found.end(), pos + 1) for p in patterns if (found := p.match(script.text, pos))), 0)


def _lexed(script: Script, pos: int, stop: int, ends: bool) -> tuple[list[Token], list[Comment], int]:
    """The tokens from here on, and where they stop: at the end of the text, or where the statement `ends`."""
    text, begins = script.text, _BATCH_STARTS if script.dialect.batches else _STARTS
    body = _BODY.match(text, pos) if ends else None
    blocks = body is not None and not script.dialect.dollars and not body["block"]
    tokens: list[Token] = []
    comments: list[Comment] = []
    fresh, depth = False, 0
    for found in script.pattern.finditer(text, pos, stop):
        kind, start, said = found.lastgroup or "", found.start(), found.group()
        if kind == "blank":
            fresh = fresh or "\n" in said
        elif kind == "comment":
            comments.append(Comment(start, found.end(), bare(said)))
        elif kind != "template":
            if ends and said == ";" and depth <= 0:
                return tokens, comments, found.end()
            starts = fresh and (body is None or bool(body["block"])) and begins.match(text, start)
            if ends and fresh and tokens and (starts or (said != ";" and _END.match(text, start))):
                return tokens, comments, start
            if blocks and kind == "word":
                depth += _depth(said.upper(), tokens)
            tokens.append(Token(kind, said, start))
            fresh = False
    return tokens, comments, stop


def _depth(word: str, before: Sequence[Token]) -> int:
    """Return by how much a word changes the depth of blocks in a routine: `END IF` ends none that was counted."""
    if word in ("IF", "LOOP", "WHILE", "REPEAT", "FOR") and before and before[-1].word == "END":
        return 1
    return (word in ("BEGIN", "CASE") and not (before and before[-1].word == "END")) - (word == "END")


def _spans(script: Script, pos: int) -> tuple[list[tuple[int, int]], int]:
    """Where statements end that do so in a way of their own, and where to go on after them."""
    text, dialect = script.text, script.dialect
    delimiter = _DELIMITER.match(text, pos)
    if delimiter:
        return _delimited(text, delimiter)
    body, end = _BODY.match(text, pos), _LINE.match(text, pos)
    if end:
        return [(pos, end.end())], end.end()
    if body and dialect.batches and not body["block"]:
        end = _GO.search(text, pos)
    elif body and dialect.name == "oracle":
        end = _SLASH.search(text, pos)
        end = None if end and _TABLE.search(text, pos, end.start()) else end
    return ([(pos, end.start())], end.start()) if end else ([], 0)


def _delimited(text: str, delimiter: re.Match[str]) -> tuple[list[tuple[int, int]], int]:
    """Statements that end with a delimiter of their own (`DELIMITER $$`)."""
    mark, pos = delimiter[1], delimiter.end()
    back = None if mark == ";" else _DELIMITER_BACK.search(text, pos)
    stop, out = back.start() if back else pos if mark == ";" else len(text), [(pos, pos)]
    while pos < stop:
        end = text.find(mark, pos, stop)
        end = end if end >= 0 else stop
        out.append((pos, end))
        pos = end + len(mark)
    return out, back.end() if back else stop


def _data(text: str, tokens: Sequence[Token], pos: int) -> tuple[int, int, int] | None:
    """Where the data that follows a statement starts and ends, and where the next statement may start."""
    words = [token.word for token in tokens[:2_000]] if tokens and tokens[0].word == "COPY" else []
    if "STDIN" not in words:
        return None
    start = text.find("\n", pos - 1) + 1
    found = _COPY_END.search(text, start) if start else None
    end, after = (found.start(), found.end()) if found else (len(text), len(text))
    return (start or end), end, after


# A text made ready to be split: one kind of line end, and nothing left in it that a client or a template would take out.
#
# Whatever is taken out leaves blanks behind, so that every line keeps its number.


_RUN_BY_MYSQL = re.compile(r"/\*M?!\d{0,6}((?:[^*]++|\*(?!/))*+)(?:\*/|\Z)")
_TEMPLATE = re.compile(r"\{%[^{}\n]{0,500}%\}|\{#[^{}\n]{0,500}#\}")
_DOWN = r"^[ \t]*--[ \t]*(?:(?:\+goose|\+migrate)[ \t]+down|migrate:down|//[ \t]*@undo)\b"
_UP = r"^[ \t]*--[ \t]*(?:(?:\+goose|\+migrate)[ \t]+up|migrate:up)\b"
_UNDOES = re.compile(rf"{_DOWN}.*?(?={_UP}|\Z)", FLAGS)
"""The part that takes a migration back."""


def open_script(text: str, file: str, dialect: Dialect) -> Script:
    """The text as the database would get it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", " ")
    if dialect.backslash:
        text = _RUN_BY_MYSQL.sub(
            lambda m: " " * (m.start(1) - m.start()) + m.group(1) + " " * (m.end() - m.end(1)), text
        )
    text = _TEMPLATE.sub(lambda m: " " * len(m.group()), text)
    text = _UNDOES.sub(lambda m: "\n" * m.group().count("\n"), text)
    ends = [found.start() for found in re.finditer("\n", text)]
    return Script(text, file, dialect, token_pattern(dialect), ends)
