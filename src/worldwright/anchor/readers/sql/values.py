"""Constants: expressions as JSON values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlglot import exp

from worldwright.anchor.readers.sql.parse import dialects, expression
from worldwright.english.dates import MONTHS, month_number


class Unknown:
    """A value that only the database would know: a function, a sequence, a query, a default."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()
MAX_DIGITS = 15
"""Digits that a number keeps as a float."""
MAX_BYTES = 1_000
"""Hexadecimal digits that are kept; pictures and files are left out."""
DAY_FIRST_STYLES = frozenset({3, 4, 5, 6, 103, 104, 105, 106, 113, 130, 131})
"""Of T-SQL's CONVERT."""

_INTEGER = re.compile(r"[+-]?\d{1,40}$")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$")


def constant(text: str, dialect: str) -> Any:
    """The value of an expression, or UNKNOWN."""
    for name in dialects(dialect, text)[:2]:
        tree = expression(text.strip(), name)
        if tree is not None:
            return value_of(tree)
    return UNKNOWN


def number(text: str) -> Any:
    """A number; as text where a float would not keep all of its digits, UNKNOWN where it is none."""
    text = text.strip()
    if _INTEGER.match(text):
        return int(text)
    if not _NUMBER.match(text):
        return UNKNOWN
    digits = re.sub(r"[eE].*|\D", "", text).lstrip("0")
    value = float(text)
    return value if len(digits) <= MAX_DIGITS and abs(value) != float("inf") else text


def value_of(node: exp.Expr, depth: int = 0) -> Any:
    """The value of a syntax tree, or UNKNOWN."""
    evaluate = EVALUATE.get(type(node))
    if depth > 40 or evaluate is None:
        return UNKNOWN
    return evaluate(node, depth + 1)


def _literal(node: exp.Expr, depth: int) -> Any:
    return node.name if node.is_string else number(node.name)


def _inside(node: exp.Expr, depth: int) -> Any:
    return value_of(node.this, depth) if isinstance(node.this, exp.Expr) else node.name


def _second(node: exp.Expr, depth: int) -> Any:
    found = node.expression
    return value_of(found, depth) if isinstance(found, exp.Expr) else UNKNOWN


def _negative(node: exp.Expr, depth: int) -> Any:
    value = value_of(node.this, depth)
    if isinstance(value, str):
        return f"-{value}" if _NUMBER.match(value) else UNKNOWN
    return UNKNOWN if isinstance(value, (Unknown, bool)) or value is None else -value


def _joined(node: exp.Expr, depth: int) -> Any:
    """Strings put together."""
    parts = node.expressions or [node.this, node.expression]
    values = [value_of(part, depth) for part in parts]
    if all(isinstance(value, str) for value in values):
        return "".join(values)
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    return sum(values) if whole and isinstance(node, exp.Add) else UNKNOWN


def _date(node: exp.Expr, depth: int) -> Any:
    value = value_of(node.this, depth) if isinstance(node.this, exp.Expr) else UNKNOWN
    form = node.args.get("format")
    return dated(value, form.name if isinstance(form, exp.Expr) else "") if isinstance(value, str) else UNKNOWN


def dated(text: str, form: str) -> str:
    """A date with its format: `TO_DATE('17-06-2003', 'DD-MM-YYYY')`; the text where it is none."""
    said = form.lower()
    found = moment(text, "d" in said and said.find("d") < said.find("m")) if said else moment(text)
    if found is None:
        return text
    return f"{found.day}T{found.time}" if found.time else found.day


_QUICK = re.compile(
    r"TO_(?:DATE|TIMESTAMP)\s*+\(\s*+'(?P<date>[^']*+)'\s*+,\s*+'(?P<form>[^']*+)'\s*+\)"
    r"|CAST\s*+\(\s*+(?:N?'(?P<cast>[^']*+)'|(?P<number>[+-]?[\d.]++))\s++AS\s++[^()']++(?:\([^()']*+\)\s*+)?\)"
    r"|(?:DATE|TIMESTAMP)\s*+'(?P<said>[^']*+)'|'(?P<typed>[^']*+)'::[^()']++(?:\([^()']*+\))?",
    re.IGNORECASE,
)


def quick(text: str) -> Any:
    """Return what exports write around a constant, without a parser; UNKNOWN for everything else."""
    found = _QUICK.fullmatch(text)
    if found is None:
        return UNKNOWN
    if found["date"] is not None:
        return dated(found["date"], found["form"])
    if found["number"] is not None:
        return number(found["number"])
    return next(value for value in (found["cast"], found["said"], found["typed"]) if value is not None)


def _converted(node: exp.Expr, depth: int) -> Any:
    """T-SQL: `CONVERT(datetime, '31/05/2011', 103)`."""
    value = _second(node, depth)
    style = node.args.get("style")
    which = number(style.name) if isinstance(style, exp.Literal) else None
    found = moment(value, which in DAY_FIRST_STYLES) if isinstance(value, str) and which else None
    if found is None:
        return value
    return f"{found.day}T{found.time}" if found.time else found.day


def _hexadecimal(node: exp.Expr, depth: int) -> Any:
    return f"0x{node.name}" if len(node.name) <= MAX_BYTES else None


def _bits(node: exp.Expr, depth: int) -> Any:
    return int(node.name, 2) if re.fullmatch("[01]{1,64}", node.name) else UNKNOWN


def _list(node: exp.Expr, depth: int) -> Any:
    values = [value_of(part, depth) for part in node.expressions]
    return UNKNOWN if any(isinstance(value, Unknown) for value in values) else values


def _letter(node: exp.Expr, depth: int) -> Any:
    codes = [value_of(part, depth) for part in node.expressions]
    known = all(isinstance(code, int) and 0 < code < 0xD800 for code in codes)
    return "".join(map(chr, codes)) if known else UNKNOWN


def _replaced(node: exp.Expr, depth: int) -> Any:
    """SQLite writes line ends of its dumps as `replace('a\\nb','\\n',char(10))`."""
    parts = [node.this, node.expression, node.args.get("replacement")]
    values = [value_of(part, depth) if isinstance(part, exp.Expr) else UNKNOWN for part in parts]
    words = [value for value in values if isinstance(value, str)]
    return words[0].replace(words[1], words[2]) if len(words) == 3 else UNKNOWN


def _named(node: exp.Expr, depth: int) -> Any:
    """A quoted name where only a value can stand: SQLite takes it for a string."""
    quoted = isinstance(node.this, exp.Identifier) and node.this.quoted and not node.args.get("table")
    return node.name if quoted else UNKNOWN


_UNICODE = re.compile(r"\\(?:\+([0-9A-Fa-f]{6})|([0-9A-Fa-f]{4}))")


def _unicode(node: exp.Expr, depth: int) -> Any:
    return _UNICODE.sub(lambda m: _character(int(m[1] or m[2], 16)), node.name)


def _character(code: int) -> str:
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


EVALUATE: Mapping[type[exp.Expr], Callable[[exp.Expr, int], Any]] = {
    exp.Literal: _literal,
    exp.National: _inside,
    exp.RawString: _inside,
    exp.Heredoc: _inside,
    exp.ByteString: _inside,
    exp.UnicodeString: _unicode,
    exp.Boolean: lambda node, depth: bool(node.this),
    exp.Null: lambda node, depth: None,
    exp.Neg: _negative,
    exp.Paren: _inside,
    exp.Cast: _inside,
    exp.TryCast: _inside,
    exp.Collate: _inside,
    exp.Introducer: _second,
    exp.Convert: _converted,
    exp.Concat: _joined,
    exp.DPipe: _joined,
    exp.Add: _joined,
    exp.StrToDate: _date,
    exp.StrToTime: _date,
    exp.DateStrToDate: _date,
    exp.TsOrDsToDate: _date,
    exp.Timestamp: _date,
    exp.Date: _date,
    exp.HexString: _hexadecimal,
    exp.BitString: _bits,
    exp.Array: _list,
    exp.Chr: _letter,
    exp.Replace: _replaced,
    exp.Column: _named,
}

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\x00", "Z": "\x1a"}
_MYSQL_KEEPS = frozenset("%_")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|([0-7]{3})|(.))", re.DOTALL)
_PLAIN_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def string(inside: str, escapes: bool, rich: bool = False) -> str:
    """The text between quotes, with its doubled quotes and its escapes resolved; `rich` for PostgreSQL's `E''`."""
    inside = inside.replace("''", "'")
    if not escapes or "\\" not in inside:
        return inside
    if rich:
        return _ESCAPE.sub(_rich, inside)
    return _PLAIN_ESCAPE.sub(lambda m: m[0] if m[1] in _MYSQL_KEEPS else _ESCAPES.get(m[1], m[1]), inside)


def _rich(found: re.Match[str]) -> str:
    if found[4]:
        return _ESCAPES.get(found[4], found[4])
    return _character(int(found[1] or found[2] or found[3], 8 if found[3] else 16))


def json_value(text: str) -> Any:
    """The value that JSON text stands for; the text itself where it is none."""
    try:
        return json.loads(text, parse_constant=lambda name: name) if len(text) <= 100_000 else text
    except (ValueError, RecursionError):
        return text


# Dates and times, in the ways that scripts and exports write them, as ISO text.


_TIME = (
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,:](?P<part>\d{1,9}))?)?"
    r"\s?(?P<half>[AP]M)?\s?(?P<zone>Z|[+-]\d{2}(?::?\d{2})?)?"
)
_WORD = rf"(?P<word>{'|'.join(m[:3] for m in MONTHS)})[a-z]{{0,6}}"
_FORMS = tuple(
    re.compile(rf"\s*{form}(?:[T\s]\s?{_TIME})?\s*$", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})",
        rf"(?P<day>\d{{1,2}})[-/. ]{_WORD}[-/., ]\s?(?P<year>\d{{4}}|\d{{2}})",
        rf"{_WORD}[. ]\s?(?P<day>\d{{1,2}}),?\s(?P<year>\d{{4}})",
        r"(?P<one>\d{1,2})(?P<sep>[-/.])(?P<two>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})",
    )
)
_ONLY_TIME = re.compile(rf"\s*{_TIME}\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, with a time of day where one was given."""

    day: str
    time: str = ""

    @property
    def midnight(self) -> bool:
        return not self.time.replace("0", "").replace(":", "").strip("Z+.")


def moment(text: str, day_first: bool | None = None) -> Moment | None:
    """A date as text says it; `4/7/1996` only where it is known which of the two is the day."""
    if len(text) > 60:
        return None
    for form in _FORMS:
        found = form.match(text)
        if found:
            parts = found.groupdict()
            month, day = _month_and_day(parts, day_first)
            try:
                when = date(_year(parts["year"]), month, day)
            except ValueError:
                return None
            return Moment(when.isoformat(), _time(parts) if parts["hour"] else "")
    return None


def time_of_day(text: str) -> str | None:
    """`9:05` as `09:05:00`."""
    found = _ONLY_TIME.match(text) if len(text) < 40 else None
    return _time(found.groupdict()) if found else None


def day_is_first(text: str) -> bool | None:
    """Return what one written date says about where its day stands: only numbers over twelve tell."""
    found = _FORMS[-1].match(text) if len(text) <= 60 else None
    if not found:
        return None
    one, two = int(found["one"]), int(found["two"])
    return None if (one > 12) == (two > 12) else one > 12


def _month_and_day(parts: dict[str, str | None], day_first: bool | None) -> tuple[int, int]:
    """Month 0, which no calendar has, where it cannot be told."""
    if parts.get("word"):
        return month_number(str(parts["word"])), int(parts["day"] or 0)
    if parts.get("month"):
        return int(parts["month"] or 0), int(parts["day"] or 0)
    one, two = int(parts["one"] or 0), int(parts["two"] or 0)
    if day_first is None and one == two:
        return one, two
    if day_first is None:
        return 0, 0
    return (two, one) if day_first else (one, two)


def _year(text: str | None) -> int:
    year = int(text or 0)
    return year if len(text or "") == 4 else year + (2000 if year < 50 else 1900)


def _time(parts: dict[str, str | None]) -> str:
    hour = int(parts["hour"] or 0)
    half = (parts["half"] or "").upper()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "PM" else 0)
    part = (parts["part"] or "").rstrip("0")
    zone = (parts["zone"] or "").upper().replace(":", "")
    zone = f"{zone[:3]}:{zone[3:] or '00'}" if len(zone) > 1 else zone
    return f"{hour:02}:{parts['minute']}:{parts['second'] or '00'}{'.' + part if part else ''}{zone}"
