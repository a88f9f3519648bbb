"""Column definitions: the name, and what follows it.

What is structure is taken out first (conditions, references, the expression of a computed column, words that only concern storage);
the type and the other constraints go to sqlglot, in the dialect of the text and then in the others. What none of them takes is read
by its words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqlglot import exp

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.sql.lexical import NAME, Marked, closing, columns_in, name_of
from worldwright.anchor.readers.sql.parse import column_definition, dialects
from worldwright.anchor.readers.sql.records import Name
from worldwright.anchor.readers.sql.shapes import Typed, named, typed
from worldwright.anchor.readers.sql.values import Unknown, value_of

_STORAGE = re.compile(
    r"\bCONSTRAINT\s++[^\s(]++(?=\s)|\bROWGUIDCOL\b|\bNOT\s+FOR\s+REPLICATION\b|\b(?:ENABLE|DISABLE)\b(?:\s+(?:NO)?VALIDATE\b)?"
    r"|\bON\s+CONFLICT\s+\w+|\bSPARSE\b|\bCOLLATE\s+(?:[\w.]+|[\"'`][^\s]*)|\b(?:CHARACTER\s+SET|CHARSET)\s+\w+|\bUSING\s+INDEX\b.*"
    r"|\b(?:TEXTIMAGE_|FILESTREAM_)?ON\s+\[[^\]]*\]|\bWITH\s*\([^()]*\)|\b(?:IN)?VISIBLE\b|\bHIDDEN\b|\bPERSISTED\b|\bSTORED\b|\bVIRTUAL\b"
    r"|\bMASKED\s+WITH\s*\([^()]*(?:\([^()]*\)[^()]*)?\)|\bON\s+(?:DELETE|UPDATE)\s+(?:CASCADE|RESTRICT|NO\s+ACTION|SET\s+(?:NULL|DEFAULT))"
    r"|\b(?:NOT\s+)?DEFERRABLE\b|\bINITIALLY\s+(?:DEFERRED|IMMEDIATE)\b|\bMATCH\s+(?:FULL|SIMPLE|PARTIAL)\b|\b(?:NON)?CLUSTERED\b"
    r"|\bTABLESPACE\s+\S+|\bENCODE\s+\w+|\bDISTKEY\b|\bSORTKEY\b|\bCOMPRESSION\s+\w+|\bFILESTREAM\b|\bNO\s+INHERIT\b|\bNOT\s+VALID\b"
    r"|\bSORT\b|\bENCRYPT\b|(?<=KEY)\s+(?:ASC|DESC)\b|(?<=DEFAULT)\s+ON\s+NULL\b|\bZEROFILL\b|\bAFTER\s+[^\s,]+$|\bFIRST$|\bSTORAGE\s+(?:PLAIN|EXTENDED|MAIN|EXTERNAL)\b"
    r"|\bSRID\s+\d+|\bNULLS\s+(?:NOT\s+)?DISTINCT\b|\bCOLUMN_FORMAT\s+\w+|\bNO\s*COPY\b|\bWITHOUT\s+ROWID\b",
    re.IGNORECASE | re.DOTALL,
)
"""Words that say nothing about the values."""
_CHECK = re.compile(r"\bCHECK\s*+(?:NOT\s+FOR\s+REPLICATION\s*+)?\(", re.IGNORECASE)
_REFERENCES = re.compile(rf"(?:\bFOREIGN\s++KEY\s++)?\bREFERENCES\s++({NAME})\s*+(\()?", re.IGNORECASE)
_COMPUTED = re.compile(r"(?:\bGENERATED\s++ALWAYS\s++)?\bAS\s*+\(|^\s*AS\b", re.IGNORECASE)
_ROW_TIME = re.compile(r"\bGENERATED\s++ALWAYS\s++AS\s++ROW\s++(?:START|END)\b", re.IGNORECASE)
_ODD_TYPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"^\s*{odd}", re.IGNORECASE), usual)
    for odd, usual in (
        (r"LONG\s+RAW\b", "BLOB"),
        (r"LONG\s+VARCHAR\b", "TEXT"),
        (r"(?:UNSIGNED\s+)?BIG\s+INT\b", "BIGINT"),
        (r"(?:NATIONAL|NATIVE)\s+(?:VARCHAR|CHARACTER\s+VARYING|CHAR\s+VARYING)\b", "VARCHAR"),
        (r"(?:NATIONAL|NATIVE)\s+(?:CHARACTER|CHAR)\b", "CHAR"),
        (r"VARYING\s+CHARACTER\b", "VARCHAR"),
        (r"CHAR\s+VARYING\b", "VARCHAR"),
        (r"BIT\s+VARYING\b(?:\s*\(\d+\))?|VARBIT\b(?:\s*\(\d+\))?", "TEXT"),
        (r"INTERVAL\s+(?:YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)[^,]*?TO\s+\w+(?:\s*\(\d\))?", "INTERVAL"),
        (r"(?P<kind>FLOAT|REAL)\s*(?:\(\s*\d+\s*(?:,\s*\d+\s*)?\))?\s+UNSIGNED\b", "FLOAT"),
        (r"NUMBER\s*\(\s*\d+\s*,\s*-\d+\s*\)", "BIGINT"),
        (r"DOUBLE\s+PRECISION\s*\(\s*\d+\s*\)", "DOUBLE"),
    )
)
_ODD_IN_ORACLE = ((re.compile(r"^\s*LONG\b", re.IGNORECASE), "CLOB"),)
_OWN_TYPE = re.compile(r"\s*+((?:[^\s(,]++\s*+\.\s*+)?+[^\s(,]++)")
_WORDS_OF_TYPE = re.compile(
    r"\s*+(?:(?!(?:NOT|NULL|DEFAULT|PRIMARY|UNIQUE|CHECK|CONSTRAINT|AUTO_INCREMENT|AUTOINCREMENT|IDENTITY|GENERATED|COMMENT|KEY|ON|AS)\b)"
    r"[^\s(]++\s*+(?:\([^()]*+\)\s*+)?){0,6}",
    re.IGNORECASE,
)


MAX_PARTS = 20
"""Conditions and references of one column."""
Reference = tuple[Name, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Facts:
    """What follows the name of a column."""

    shape: Shape
    type: Name | None = None
    many: bool = False
    empty: bool | None = None
    key: bool = False
    unique: bool = False
    counts: bool = False
    filled: bool = False
    says: str = ""
    whole: bool = True
    """All of it was understood."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken out of a definition, and what is left."""

    rest: str
    checks: tuple[str, ...] = ()
    links: tuple[Reference, ...] = ()
    computed: str = ""
    filled: bool = False


def take(marked: Marked, start: int, end: int) -> Taken:
    """A definition without what is structure."""
    mask = marked.mask[:end]
    checks, cuts = _checks(marked, mask, start)
    links, more = _references(marked, mask, start)
    cuts += more
    computed = ""
    row_time = _ROW_TIME.search(mask, start)
    expression = None if any(a <= start < b for a, b in cuts) else _COMPUTED.search(mask[start:])
    if row_time:
        cuts.append(row_time.span())
    elif expression:
        computed, cut = _computed(marked, start + expression.start(), start + expression.end(), end)
        cuts.append(cut)
    cuts += [found.span() for found in _STORAGE.finditer(mask, start)]
    return Taken(_cut_out(marked.plain, start, end, cuts), checks, links, computed, row_time is not None)


def _checks(marked: Marked, mask: str, pos: int) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """The conditions in a definition, and where they stand."""
    found: list[str] = []
    cuts: list[tuple[int, int]] = []
    while len(cuts) < MAX_PARTS and (check := _CHECK.search(mask, pos)):
        close = closing(mask, check.end() - 1)
        found.append(collapsed(marked, check.end(), close))
        pos = min(close + 1, len(mask))
        cuts.append((check.start(), pos))
    return tuple(found), cuts


def _references(marked: Marked, mask: str, pos: int) -> tuple[tuple[Reference, ...], list[tuple[int, int]]]:
    """The tables that a definition refers to, and where that stands."""
    found: list[Reference] = []
    cuts: list[tuple[int, int]] = []
    while len(cuts) < MAX_PARTS and (link := _REFERENCES.search(mask, pos)):
        close = closing(mask, link.end() - 1) if link[2] else link.end()
        to = columns_in(marked, link.end(), close) if link[2] else ()
        found.append((name_of(marked.plain[link.start(1) : link.end(1)]), to or ()))
        pos = min(close + bool(link[2]), len(mask))
        cuts.append((link.start(), pos))
    return tuple(found), cuts


def collapsed(marked: Marked, start: int, end: int) -> str:
    """A part of the text on one line; what is quoted keeps its blanks."""
    out: list[str] = []
    pos = start
    for found in re.finditer(r"\s+", marked.mask[start:end]):
        out += (marked.plain[pos : start + found.start()], " ")
        pos = start + found.end()
    return "".join((*out, marked.plain[pos:end])).strip()


def _computed(marked: Marked, start: int, after: int, end: int) -> tuple[str, tuple[int, int]]:
    if marked.mask[after - 1] == "(":
        close = closing(marked.mask[:end], after - 1)
        return collapsed(marked, after, close), (start, min(close + 1, end))
    words = re.compile(r"\b(?:PERSISTED|NOT\s+NULL)\b", re.IGNORECASE).search(marked.mask, after, end)
    stop = words.start() if words else end
    return collapsed(marked, after, stop), (start, stop)


def _cut_out(text: str, start: int, end: int, cuts: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    pos = start
    for a, b in sorted(cuts):
        if a >= pos:
            pieces += (text[pos:a], " ")
        pos = max(pos, b)
    left = "".join((*pieces, text[pos:end]))
    return left if "'" in left or '"' in left else " ".join(left.split())


@lru_cache(maxsize=8192)
def facts(rest: str, dialect: str) -> Facts:
    """Return what the rest of a definition says, its structure taken out."""
    for odd, usual in (*_ODD_TYPES, *(_ODD_IN_ORACLE if dialect == "oracle" else ())):
        rest = odd.sub(usual, rest, count=1)
    rest = rest.strip()
    if not rest:
        return Facts(Shape("any"))
    for name in dialects(dialect, rest):
        found = column_definition(rest, name)
        if found is not None:
            return _understood(found, dialect)
    return _by_words(rest, dialect)


def _understood(definition: exp.ColumnDef, dialect: str) -> Facts:
    kind = definition.args.get("kind")
    about = typed(kind if isinstance(kind, exp.Expr) else None, dialect)
    out = Facts(about.shape, about.type, about.many, counts=about.counts, filled=about.filled)
    for constraint in definition.args.get("constraints") or ():
        out = _with(out, constraint.args.get("kind"))
    numbered = dialect == "sqlite" and out.key and out.shape.kind == "integer"
    return replace(out, counts=True) if numbered else out


def _with(facts: Facts, constraint: Any) -> Facts:
    match constraint:
        case exp.NotNullColumnConstraint():
            return replace(facts, empty=bool(constraint.args.get("allow_null")))
        case exp.PrimaryKeyColumnConstraint():
            return replace(facts, key=True)
        case exp.UniqueColumnConstraint():
            return replace(facts, unique=True)
        case exp.AutoIncrementColumnConstraint() | exp.GeneratedAsIdentityColumnConstraint():
            return replace(facts, counts=True)
        case exp.CommentColumnConstraint():
            return replace(facts, says=constraint.name.strip())
        case exp.DefaultColumnConstraint():
            if _draws_number(constraint.this):
                return replace(facts, counts=True)
            default = value_of(constraint.this)
            return (
                facts if isinstance(default, Unknown) else replace(facts, shape=replace(facts.shape, default=default))
            )
    return facts


def _draws_number(default: exp.Expr) -> bool:
    """Tell whether a default is the next number of a sequence."""
    return "nextval" in default.sql().casefold() or isinstance(default, exp.NextValueFor)


def _by_words(rest: str, dialect: str) -> Facts:
    """A definition that no parser takes: its type alone, and the words that follow."""
    found = _WORDS_OF_TYPE.match(rest)
    said = found.group().strip() if found else ""
    about = next(_types(said, dialect), Typed(Shape("any")))
    words = re.sub(r"'(?:[^']|'')*+'", "''", rest[len(said) :]).upper()
    empty = False if re.search(r"\bNOT\s+NULL\b", words) else True if re.search(r"\bNULL\b", words) else None
    return Facts(
        about.shape,
        about.type,
        about.many,
        empty,
        key="PRIMARY KEY" in words,
        unique=bool(re.search(r"\bUNIQUE\b", words)),
        counts=about.counts or bool(re.search(r"\bAUTO_?INCREMENT\b|\bIDENTITY\b|\bNEXTVAL\b", words)),
        whole=False,
    )


def _types(said: str, dialect: str) -> Iterator[Typed]:
    for name in dialects(dialect, said):
        found = column_definition(said, name) if said else None
        if found is not None:
            yield typed(found.args.get("kind"), dialect)
    own = _OWN_TYPE.match(said)
    if own:
        its = name_of(own[1])
        yield Typed(named(its) or Shape("any", name=its.own), its)
