"""Procedures, functions, triggers and blocks: where their bodies end, for they hold statements of their own."""

from __future__ import annotations

import re

from worldwright.anchor.readers.sql.dialect import Dialect

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
