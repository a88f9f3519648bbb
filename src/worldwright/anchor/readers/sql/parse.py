"""The dialects of SQL: which of them a text is written in, how it quotes and comments, and what sqlglot makes of pieces of it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of every statement that it only partly knows

MAX_EXPRESSION_CHARS = 10_000
"""Characters of one definition or expression."""
TRIED_AGAIN = 1_000
"""Characters of those that are tried in other dialects too."""
MAX_DEPTH = 40
"""Levels of parentheses."""
_WRONG = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError)
"""What sqlglot raises for text that it cannot take."""
_LEVELS = re.compile(r"[(\[{]|[)\]}]")


def column_definition(rest: str, dialect: str) -> exp.ColumnDef | None:
    """Return what follows the name of a column: its type and its constraints."""
    for tree in _trees("CREATE TABLE t (c {})", rest, dialect):
        inside = tree.this.expressions if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema) else []
        if len(inside) == 1 and isinstance(inside[0], exp.ColumnDef):
            return inside[0]
    return None


@lru_cache(maxsize=4096)
def expression(text: str, dialect: str) -> exp.Expr | None:
    """One expression. Trees are shared: nobody changes them."""
    for tree in _trees("SELECT {}", text, dialect):
        plain = isinstance(tree, exp.Select) and not any(v for key, v in tree.args.items() if key != "expressions")
        found = tree.expressions[0] if plain and len(tree.expressions) == 1 else None
        if isinstance(found, exp.Expr) and not isinstance(found, exp.Alias):
            return found
    return None


def _trees(frame: str, text: str, dialect: str) -> Iterator[exp.Expr]:
    """What a text in a statement is in its dialect, then in the others; nothing where it is too long or deep to be parsed."""
    depth = most = 0
    for found in _LEVELS.finditer(text):
        depth += 1 if found.group() in "([{" else -1
        most = max(most, depth)
    if len(text) > MAX_EXPRESSION_CHARS or most > MAX_DEPTH:
        return
    for name in (dialect, *(n for n in DIALECTS if n != dialect and len(text) <= TRIED_AGAIN)):
        try:
            trees = sqlglot.parse(frame.replace("{}", text), read=name)
        except _WRONG:
            continue
        if len(trees) == 1 and trees[0] is not None:
            yield trees[0]


DIALECTS = {
    "postgres": "postgres|pgsql|psql",
    "mysql": "mysql|maria",
    "tsql": "tsql|mssql|sqlserver|sql_server",
    "oracle": "oracle|plsql",
    "sqlite": "sqlite",
}
"""As sqlglot calls them, and how files of them are called."""
PLAIN = "postgres"
"""Where nothing tells."""
HEAD = 300_000
"""Characters at the start of a text that are looked through for marks."""
MAX_COUNTED = 5
"""Times that one mark counts: a dump of data repeats itself."""
FILE_NAME_WEIGHT = 6
MARKS = tuple(
    (name, int(weight), re.compile(mark, re.IGNORECASE | re.MULTILINE))
    for name, weight, mark in (
        line.split(None, 2)
        for line in r"""
mysql 1 `\w+`
mysql 5 \bENGINE\s?=|\bAUTO_INCREMENT\b|/\*!\d{5}
mysql 3 ^DELIMITER\b|^LOCK TABLES\b|\bON UPDATE CURRENT_TIMESTAMP|\butf8mb4\b|\b(?:MEDIUM|LONG)TEXT\b|\bINSERT IGNORE\b
mysql 2 \)\s?UNSIGNED\b|\bINT\s+UNSIGNED\b|\bCOMMENT\s?=?\s?'|\bCHARSET\s?=|\w\s(?:ENUM|SET)\s?\('|^#\s|\bTINYINT\(1\)
postgres 4 \b(?:BIG|SMALL)?SERIAL\b|\bnextval\('|^CREATE DOMAIN\b|\bgen_random_uuid\(|\bLANGUAGE '?plpgsql\b
postgres 2 '::\w|\)::\w|\bjsonb\b|\btimestamptz\b|\bwith(?:out)? time zone\b|\bbytea\b|\w\[\][,\s]
postgres 3 \bcharacter varying\b|\$\$|^\\\w|\bAS ENUM\b|\bUSING (?:btree|gin|gist)\b
postgres 5 \bFROM stdin\b|\bOWNER TO\b|^CREATE EXTENSION\b|^SET search_path\b|\bALTER TABLE ONLY\b
tsql 4 ^GO\s*$|\bIDENTITY\s?\(|\bUNIQUEIDENTIFIER\b|\b(?:NON)?CLUSTERED\b|\bGETDATE\(\)|\bsp_\w+|^:setvar\b|\bNEWID\(\)
tsql 5 \[dbo\]|\bSET IDENTITY_INSERT\b|\bVARCHAR\]?\s?\(MAX\)|^SET (?:ANSI_NULLS|QUOTED_IDENTIFIER)\b
tsql 1 \[\w+\]\s|\bN'|\bNVARCHAR\b|\bBIT\b
tsql 4 \b(?:DATETIME2|SMALLDATETIME|DATETIMEOFFSET)\b
oracle 5 \bN?VARCHAR2\b
oracle 3 \bNUMBER\s?\(|\bSYSDATE\b|^(?:REM|PROMPT)\b|\bPCTFREE\b|\.NEXTVAL\b|\bORGANIZATION INDEX\b
oracle 2 \bTO_DATE\s?\(|^/\s*$|\bNUMBER\s*(?:,|\(|NOT|NULL|DEFAULT|PRIMARY|$)|\bNOT NULL ENABLE\b
sqlite 5 \bAUTOINCREMENT\b|^PRAGMA\b|\bWITHOUT ROWID\b|\bsqlite_\w+
sqlite 2 \bINTEGER\s(?:NOT NULL\s)?PRIMARY KEY\b|^BEGIN TRANSACTION\b|\bSqlite\b
sqlite 4 \bstrftime\(|\bdatetime\('now'|\bINSERT OR (?:REPLACE|IGNORE)\b|\bCOLLATE NOCASE\b
""".strip().splitlines()
    )
)
"""By dialect, how much a mark in the text speaks for it."""
_STRING = re.compile(r"'[^'\n]++'")


def dialect_of(text: str, file: str) -> str:
    """The dialect of a text, by the marks in it and the name of its file; empty where it bears no mark at all."""
    sample = text[:HEAD]
    called = file.rsplit("/", 1)[-1]
    scores = {name: FILE_NAME_WEIGHT * bool(re.search(d, called, re.IGNORECASE)) for name, d in DIALECTS.items()}
    scores["mysql"] += 2 * bool(re.search(r"\w\\'\w", sample))
    sample = _STRING.sub("''", sample)
    for name, weight, mark in MARKS:
        scores[name] += weight * min(MAX_COUNTED, sum(1 for _ in mark.finditer(sample)))
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] else ""
