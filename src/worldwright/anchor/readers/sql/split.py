"""A text as its statements.

It is cut into pieces before anything else sees it: what is wrong in one of them must not cost the others. Statements in them end in
many ways (`;`, `GO`, `/`, another delimiter, the start of the next one).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from worldwright.anchor.evidence import Source
from worldwright.anchor.readers.sql.tokens import Token, tokenized, tokenized_somehow
from worldwright.english.words import wordset

MAX_JOINED = 100_000
"""Characters that are looked through for the end of what is still open at the end of a piece."""
MAX_OPEN = 10
"""Pieces whose end is looked for so far, and not found."""
NEAR = 50
"""Places where it may be that are all tried; further ones are tried at twice the distance each time."""
FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL
_CUT = re.compile(
    r";(?:[ \t]++|--[^\n]*+)*+\n(?=(?:\s++|--[^\n]*+)*+(?:CREATE|ALTER|INSERT|COMMENT|DROP|EXEC)\b)"
    r"|^[ \t]*+(?:GO(?:[ \t]++\d++)?[ \t]*+;?|/)[ \t]*+(?:--[^\n]*+)?$|\n(?=COPY\s[^;\n]*?\bFROM\s+STDIN\b)",
    FLAGS,
)
"""What ends a piece."""
_COPY = re.compile(r"\s*+(COPY\s[^;\n]*?\bFROM\s+STDIN\b[^;\n]*);[^\n]*\n(.*?)(?:^\\\.[ \t]*$|\Z)", FLAGS)
_STARTS = {
    "": wordset("CREATE ALTER INSERT DROP COMMENT"),
    "tsql": wordset(
        "CREATE ALTER INSERT DROP EXEC EXECUTE SET PRINT IF BEGIN END DECLARE USE BULK UPDATE DELETE TRUNCATE GRANT"
    ),
}
"""What starts a statement wherever it stands first on a line; T-SQL needs no `;`."""
_SECOND = {
    "ALTER": wordset("TABLE"),
    "INSERT": wordset("INTO IGNORE"),
    "DROP": wordset("TABLE VIEW"),
    "COMMENT": wordset("ON"),
}
"""And what follows it where it does."""
_BY_LINE = ("tsql", "oracle")
"""Where routines end with a line of their own."""
_ROUTINES = wordset("PROCEDURE PROC FUNCTION TRIGGER PACKAGE EVENT RULE BODY")
_NO_ROUTINES = wordset("TABLE VIEW INDEX SEQUENCE AS ON ( .")
"""What none of these comes after."""
_BEFORE_ROUTINES = 12
"""Words that may stand before one of these: `CREATE OR REPLACE DEFINER = root @ localhost ...`."""


@dataclass(frozen=True, slots=True)
class Script:
    """A text that is read, with nothing left in it that a client or a template would take out."""

    text: str
    file: str
    dialect: str
    ends: Sequence[int]
    """Where its lines end."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script."""

    script: Script
    tokens: Sequence[Token]
    data: str = ""
    """The lines that follow it in the text (`COPY ... FROM stdin`)."""

    @property
    def dialect(self) -> str:
        return self.script.dialect

    @property
    def source(self) -> Source:
        return self.at(self.tokens)

    def at(self, tokens: Sequence[Token]) -> Source:
        """The lines of a part of it."""
        first, last = (bisect_left(self.script.ends, at) + 1 for at in (tokens[0].start, tokens[-1].end))
        return Source(self.script.file, f"{first}-{last}")


def statements(script: Script, pos: int = 0, stop: int | None = None) -> Iterator[Statement]:
    """The statements between two places of a script."""
    text, stop = script.text, len(script.text) if stop is None else stop
    unclosed = 0
    while pos < stop:
        copied = _COPY.match(text, pos, stop)
        if copied:
            tokens = tokenized_somehow(copied[1], script.dialect, copied.start(1))
            yield Statement(script, tokens, copied[2])
            pos = copied.end()
            continue
        found, end, pos = _piece(script, pos, stop, unclosed < MAX_OPEN)
        unclosed += end
        for part in found:
            yield Statement(script, part)


def _piece(script: Script, pos: int, stop: int, join: bool) -> tuple[list[Sequence[Token]], bool, int]:
    """The statements of the next piece, whether its end is missing, and where it ends; a part of one is joined with the next."""
    text, dialect = script.text, script.dialect
    cuts = chain(((cut.start(), cut.end()) for cut in _CUT.finditer(text, pos, stop)), [(stop, stop)])
    first, tried = (stop, stop), 0
    for number, (end, after) in enumerate(cuts):
        sure = end == stop or (dialect in _BY_LINE and text[end] not in ";\n")
        if end < stop and end - pos < 2 * tried and not (sure and number < NEAR):
            continue
        tokens = tokenized(text[pos:end], dialect, pos)
        found, whole = _split(script, tokens or ())
        if tokens is not None and (whole or sure):
            return found, False, after
        first, tried = first if tried else (end, after), end - pos
        if not join or tried > MAX_JOINED:
            break
    end, after = first
    return _split(script, tokenized_somehow(text[pos:end], dialect, pos))[0], True, after


def _split(script: Script, tokens: Sequence[Token]) -> tuple[list[Sequence[Token]], bool]:
    """Tokens as statements, and whether the last of them is whole."""
    out: list[Sequence[Token]] = []
    dialect = script.dialect
    starts = _STARTS.get(dialect, _STARTS[""])
    start = depth = level = 0
    routine = False
    for i, token in enumerate(tokens):
        kind, text = token.kind, token.text
        if kind == "word":
            word = text.upper()
            if i == start:
                routine, depth, level = _is_routine(tokens[i : i + _BEFORE_ROUTINES], dialect), 0, 0
            elif routine:
                depth += _depth(word, tokens[i - 1].word)
            elif level <= 0 and word in starts and _starts(script, tokens, i):
                out.append(tokens[start:i])
                start = i
                routine = _is_routine(tokens[i : i + _BEFORE_ROUTINES], dialect)
        elif kind == "mark":
            level += (text == "(") - (text == ")")
            if text == ";" and depth <= 0 and not (routine and dialect in _BY_LINE):
                out.append(tokens[start:i])
                start, routine, level = i + 1, False, 0
    out.append(tokens[start:])
    whole = not routine or (depth <= 0 and dialect not in _BY_LINE)
    return [part for part in out if part], whole


def _starts(script: Script, tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a word that may start a statement does: it stands first on its line, and the right word follows."""
    token, after = tokens[at], tokens[at + 1].word if at + 1 < len(tokens) else ""
    first = "\n" in script.text[tokens[at - 1].end : token.start]
    follows = _SECOND.get(token.word)
    return first and (follows is None or after in follows or (token.word == "INSERT" and script.dialect == "tsql"))


def _is_routine(tokens: Sequence[Token], dialect: str) -> bool:
    """Procedures, functions, triggers and blocks hold statements of their own."""
    words = [token.word for token in tokens]
    if words[0] in ("CREATE", "ALTER"):
        end = next((i for i, word in enumerate(words) if word in _NO_ROUTINES), len(words))
        return not _ROUTINES.isdisjoint(words[:end])
    return dialect == "oracle" and words[0] in ("BEGIN", "DECLARE")


def _depth(word: str, before: str) -> int:
    """Return by how much a word changes the depth of blocks in a routine: `END IF` ends none that was counted."""
    if before == "END":
        return word in ("IF", "LOOP", "WHILE", "REPEAT", "FOR")
    return (word in ("BEGIN", "CASE")) - (word == "END")


# A text made ready to be split: one kind of line end, and nothing left in it that a client or a template would take out.
#
# Whatever is taken out leaves blanks behind, so that every line keeps its number.


_RUN_BY_MYSQL = re.compile(r"/\*M?!\d{0,6}((?:[^*]++|\*(?!/))*+)(?:\*/|\Z)")
_DELIMITED = re.compile(
    r"^[ \t]*+DELIMITER[ \t]++(?!;[ \t]*$)(\S++)[^\n]*+\n(.*?)(?:^[ \t]*+DELIMITER[ \t]++;[^\n]*+$|\Z)", FLAGS
)
_CLIENT = re.compile(r"^(?:REM(?:ARK)?|PROMPT)\b[^\n]*+|^\\echo\b[^\n]*+", FLAGS)
"""Lines for a client program in which an apostrophe may stand."""
_PLACEHOLDER = re.compile(
    r"(\b(?:TABLE|EXISTS|INTO|REFERENCES|ON|ONLY)\s++)"
    r"((?:\$\{[\w.:-]+\}|\$\(\w+\)|\{\{[^{}\n]{1,80}\}\}|\{\w+\}|%\w+%)\.?|(?:@|&&?|:)\w+\.)(?=[\w\"`\[])",
    FLAGS,
)
"""What a template puts before a name: a schema, or a prefix."""
_DOWN = r"^[ \t]*--[ \t]*(?:(?:\+goose|\+migrate)[ \t]+down|migrate:down|//[ \t]*@undo)\b"
_UP = r"^[ \t]*--[ \t]*(?:(?:\+goose|\+migrate)[ \t]+up|migrate:up)\b"
_UNDOES = re.compile(rf"{_DOWN}.*?(?={_UP}|\Z)", FLAGS)
"""The part that takes a migration back."""


def open_script(text: str, file: str, dialect: str) -> Script:
    """The text as the database would get it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", " ")
    if dialect == "mysql":
        text = _RUN_BY_MYSQL.sub(
            lambda m: " " * (m.start(1) - m.start()) + m.group(1) + " " * (m.end() - m.end(1)), text
        )
        text = _DELIMITED.sub(_with_semicolons, text)
    elif dialect in ("oracle", "postgres"):
        text = _CLIENT.sub("", text)
    text = _PLACEHOLDER.sub(lambda m: m[1] + " " * len(m[2]), text)
    text = _UNDOES.sub(lambda m: "\n" * m.group().count("\n"), text)
    return Script(text, file, dialect, [found.start() for found in re.finditer("\n", text)])


def _with_semicolons(found: re.Match[str]) -> str:
    """Statements that end with a delimiter of their own (`DELIMITER $$`), ended by `;`."""
    return "\n" + found[2].replace(found[1], ";")
