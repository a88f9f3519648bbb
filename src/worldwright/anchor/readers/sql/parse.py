"""sqlglot: column definitions and expressions in, syntax trees out, and None for what it does not understand."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
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


def dialects(first: str, text: str) -> tuple[str, ...]:
    """The dialects to try, the likeliest first."""
    return (first, *(name for name in DIALECTS if name != first)) if len(text) <= TRIED_AGAIN else (first,)


def column_definition(rest: str, dialect: str) -> exp.ColumnDef | None:
    """Return what follows the name of a column: its type and its constraints."""
    if too_much(rest):
        return None
    tree = _parse(f"CREATE TABLE t (c {rest})", dialect)
    if not isinstance(tree, exp.Create) or not isinstance(tree.this, exp.Schema) or len(tree.this.expressions) != 1:
        return None
    found = tree.this.expressions[0]
    return found if isinstance(found, exp.ColumnDef) else None


@lru_cache(maxsize=4096)
def expression(text: str, dialect: str) -> exp.Expr | None:
    """One expression. Trees are shared: nobody changes them."""
    if too_much(text):
        return None
    tree = _parse(f"SELECT {text}", dialect)
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return None
    if any(value for key, value in tree.args.items() if key != "expressions"):
        return None
    found = tree.expressions[0]
    return found if isinstance(found, exp.Expr) and not isinstance(found, exp.Alias) else None


def too_much(text: str) -> bool:
    """Too long or nested too deep to be given to a parser that recurses."""
    if len(text) > MAX_EXPRESSION_CHARS:
        return True
    depth = 0
    for found in _LEVELS.finditer(text):
        depth += 1 if found.group() in "([{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _parse(sql: str, dialect: str) -> exp.Expr | None:
    try:
        trees = sqlglot.parse(sql, read=dialect)
    except _WRONG:
        return None
    return trees[0] if len(trees) == 1 else None


# Which dialect of SQL a text is written in, found by its marks, and how that dialect quotes and comments.


HEAD = 150_000
"""Characters at the start of a text that are looked through for marks."""
AROUND = 2_500
"""Characters of each table definition after that."""
MAX_TABLES = 200
MAX_COUNTED = 5
"""Times that one mark counts: a dump of data repeats itself."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a dialect writes what is not a statement."""

    name: str
    """As sqlglot calls it."""
    backslash: bool = False
    """A backslash escapes in every string."""
    hashes: bool = False
    """`#` starts a comment."""
    brackets: bool = False
    """`[a name]`"""
    dollars: bool = False
    """`$tag$ a string $tag$`, and `E'a\\n'`"""
    letters: bool = False
    """`q'[a string]'`"""
    nested: bool = False
    """Comments may hold comments."""
    batches: bool = False
    """Statements need no `;` and stand in batches that end with `GO`."""


DIALECTS = {
    "postgres": Dialect("postgres", dollars=True, nested=True),
    "mysql": Dialect("mysql", backslash=True, hashes=True),
    "tsql": Dialect("tsql", brackets=True, nested=True, batches=True),
    "oracle": Dialect("oracle", letters=True),
    "sqlite": Dialect("sqlite", brackets=True),
}
PLAIN = DIALECTS["postgres"]
"""Where nothing tells."""

_MARKS: tuple[tuple[str, int, str], ...] = (
    ("mysql", 1, r"`\w+`"),
    ("mysql", 5, r"\bENGINE\s?="),
    ("mysql", 5, r"\bAUTO_INCREMENT\b"),
    ("mysql", 4, r"/\*!\d{5}"),
    ("mysql", 3, r"^DELIMITER\b|^LOCK TABLES\b"),
    ("mysql", 2, r"\)\s?UNSIGNED\b|\bINT\s+UNSIGNED\b"),
    ("mysql", 2, r"\bCOMMENT\s?=?\s?'|\bCHARSET\s?="),
    ("mysql", 3, r"\bON UPDATE CURRENT_TIMESTAMP|\butf8mb4\b|\bMEDIUMTEXT\b|\bLONGTEXT\b|\bINSERT IGNORE\b"),
    ("mysql", 2, r"\w\s(?:ENUM|SET)\s?\('|^#\s|\bTINYINT\(1\)"),
    ("postgres", 4, r"\b(?:BIG|SMALL)?SERIAL\b|\bnextval\('"),
    ("postgres", 2, r"'::\w|\)::\w|\bjsonb\b|\btimestamptz\b|\bwith(?:out)? time zone\b|\bbytea\b|\w\[\][,\s]"),
    ("postgres", 3, r"\bcharacter varying\b|\$\$|^\\\w|\bAS ENUM\b|\bUSING (?:btree|gin|gist)\b"),
    ("postgres", 5, r"\bFROM stdin\b|\bOWNER TO\b|^CREATE EXTENSION\b|^SET search_path\b|\bALTER TABLE ONLY\b"),
    ("postgres", 4, r"^CREATE DOMAIN\b|\bgen_random_uuid\(|\bLANGUAGE '?plpgsql\b"),
    ("tsql", 4, r"^GO\s*$|\bIDENTITY\s?\(|\bUNIQUEIDENTIFIER\b|\b(?:NON)?CLUSTERED\b"),
    ("tsql", 5, r"\[dbo\]|\bSET IDENTITY_INSERT\b|\bVARCHAR\]?\s?\(MAX\)|^SET (?:ANSI_NULLS|QUOTED_IDENTIFIER)\b"),
    ("tsql", 1, r"\[\w+\]\s|\bN'|\bNVARCHAR\b|\bBIT\b"),
    ("tsql", 4, r"\b(?:DATETIME2|SMALLDATETIME|DATETIMEOFFSET)\b|\bGETDATE\(\)|\bsp_\w+|^:setvar\b|\bNEWID\(\)"),
    ("oracle", 5, r"\bN?VARCHAR2\b"),
    ("oracle", 3, r"\bNUMBER\s?\(|\bSYSDATE\b|^(?:REM|PROMPT)\b|\bPCTFREE\b|\.NEXTVAL\b|\bORGANIZATION INDEX\b"),
    (
        "oracle",
        2,
        r"\bTO_DATE\s?\(|^/\s*$|\bNUMBER\s*(?:,|\(|NOT|NULL|DEFAULT|PRIMARY|$)|\bSEGMENT CREATION\b|\bNOT NULL ENABLE\b",
    ),
    ("sqlite", 5, r"\bAUTOINCREMENT\b|^PRAGMA\b|\bWITHOUT ROWID\b|\bsqlite_\w+"),
    ("sqlite", 2, r"\bINTEGER\s(?:NOT NULL\s)?PRIMARY KEY\b|^BEGIN TRANSACTION\b|\bSqlite\b"),
    ("sqlite", 4, r"\bstrftime\(|\bdatetime\('now'|\bINSERT OR (?:REPLACE|IGNORE)\b|\bCOLLATE NOCASE\b"),
)
MARKS = tuple((name, weight, re.compile(mark, re.IGNORECASE | re.MULTILINE)) for name, weight, mark in _MARKS)

FILE_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("mysql", re.compile("mysql|maria", re.IGNORECASE)),
    ("postgres", re.compile("postgres|pgsql|psql", re.IGNORECASE)),
    ("tsql", re.compile("tsql|mssql|sqlserver|sql_server", re.IGNORECASE)),
    ("oracle", re.compile("oracle|plsql", re.IGNORECASE)),
    ("sqlite", re.compile("sqlite", re.IGNORECASE)),
)
FILE_NAME_WEIGHT = 6

_ESCAPED = re.compile(r"\w\\'\w")
_STRING = re.compile(r"'[^'\n]++'")
_TABLE = re.compile(r"\bCREATE\s+TABLE\b", re.IGNORECASE)


def dialect_of(text: str, file: str) -> Dialect | None:
    """The dialect of a text; None where it bears no mark at all."""
    sample = _sample(text)
    scores = dict.fromkeys(DIALECTS, 0)
    if _ESCAPED.search(sample):
        scores["mysql"] += 2
    sample = _STRING.sub("''", sample)
    for name, weight, mark in MARKS:
        for count, _ in enumerate(mark.finditer(sample), start=1):
            scores[name] += weight
            if count == MAX_COUNTED:
                break
    for name, mark in FILE_NAMES:
        if mark.search(file.rsplit("/", 1)[-1]):
            scores[name] += FILE_NAME_WEIGHT
    best = max(scores, key=lambda name: scores[name])
    return DIALECTS[best] if scores[best] else None


def _sample(text: str) -> str:
    return "\n".join((text[:HEAD], *_tables(text)))


def _tables(text: str) -> Iterator[str]:
    for count, found in enumerate(_TABLE.finditer(text, HEAD)):
        if count == MAX_TABLES:
            return
        yield text[found.start() : found.start() + AROUND]
