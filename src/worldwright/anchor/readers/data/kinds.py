"""What kind of value a column holds, told from its values and the words of its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.names import parts
from worldwright.anchor.readers.dates import day_is_first, moment, time_of_day
from worldwright.english.money import CURRENCY_CODES

MAX_DIGITS = 15
"""Of a number with a fraction. Longer ones would not be the same number any more."""
_MONEY = re.compile(
    r"(?:[$€£¥₹]|[A-Z]{3}(?=[ \d-]))? ?(-?[\d.,' \u00a0\u202f]{1,40}) ?(?:[$€£¥₹]|[A-Z]{3})?\Z", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Style:
    """One way to write a number."""

    form: re.Pattern[str]
    plain: Callable[[str], str]

    def number(self, text: str) -> int | float | None:
        if not self.form.match(text):
            return None
        plain = self.plain(text)
        digits = sum(ch.isdigit() for ch in plain)
        if "." not in plain and "e" not in plain.lower():
            return int(plain) if digits <= 18 else None
        return float(plain) if digits <= MAX_DIGITS + 1 else None

    def places(self, text: str) -> int:
        return len(self.plain(text).partition(".")[2])


def _style(form: str, drop: str = "", point: str = ".") -> Style:
    table = str.maketrans({**dict.fromkeys(drop), point: "."})
    return Style(re.compile(rf"(?:{form})\Z", re.ASCII), lambda text: text.translate(table))


STYLES = (
    _style(r"-?(?:0|[1-9]\d*)?(?:\.\d+)?(?<=\d)"),
    _style(r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|-?(?:0|[1-9]\d{0,2})(?:\.\d+)?", ","),
    _style(r"-?[1-9]\d{0,2}(?:\.\d{3})*(?:,\d+)?|-?(?:0|[1-9]\d*)(?:,\d+)?", ".", ","),
    _style(r"-?[1-9]\d{0,2}(?:['\u00a0\u202f ]\d{3})*(?:[.,]\d+)?|-?(?:0|[1-9]\d*)(?:[.,]\d+)?", "'\u00a0\u202f ", ","),
    _style(r"-?\d(?:\.\d+)?[eE][+-]?\d{1,2}|-?(?:0|[1-9]\d*)(?:\.\d+)?"),
)


def bare(text: str) -> str:
    """An amount without the sign of its currency."""
    found = _MONEY.match(text)
    return found[1].strip() if found else text


def number_style(texts: Iterable[str]) -> Style | None:
    """The first style that all of the texts are written in."""
    values = list(texts)
    return next((s for s in STYLES if values and all(s.number(v) is not None for v in values)), None)


MAX_CELL_CHARS = 200
"""Characters of a text that may be something else than a text."""
EMPTY = frozenset({"", "NULL", "null", "\\N", "NaN", "nan", "N/A", "n/a", "#N/A", "<NA>", "<null>", "(null)"})
PERHAPS_EMPTY = frozenset({"NA", "na", "None", "none", "-", "--", "?", "."})
"""Nothing, in a column whose other values are no texts."""
TRUTHS = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("ja", "nein"))
TEXTS = frozenset(
    {"zip", "postcode", "postal", "plz", "phone", "tel", "telephone", "mobile", "fax", "iban", "ssn", "card", "account", "vat",
     "sku", "isbn", "ean", "barcode", "passport", "serial"}
)  # fmt: skip
"""Words of names whose values are texts even where they are made of digits."""
PHONES = frozenset({"phone", "tel", "telephone", "mobile", "cell", "fax", "telefon", "handy", "msisdn"})
_URI = re.compile(
    r"(?:https?|ftps?|s3|gs|file|wss?)://\S{1,1900}\Z|mailto:\S{3,300}\Z|urn:\S{3,300}\Z|www\.\S{3,300}\Z", re.I
)
FORMS = {
    "uuid": re.compile(r"\{?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?\Z"),
    "email": re.compile(r"[^@\s,;<>()\"]{1,64}@[^@\s,;<>()\"]{1,190}\.[^@\s.,;<>()\"]{2,24}\Z"),
    "uri": _URI,
}
_PHONE = re.compile(
    r"(?!\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\Z)(?:\+|00|\()?\d[\d ()./-]{5,24}(?: ?(?:x|ext\.?) ?\d{1,6})?\Z", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a column holds, and how a value of it is read."""

    kind: str
    format: str = ""
    places: int | None = None
    made: Callable[[Any], Any] | None = None
    """The JSON value of a text; None for what is not of this kind. Absent where values stay as they are."""
    unsure: bool = False
    """Whether the day or the month comes first cannot be told."""


def kind_of(values: Sequence[Any], name: str, converts: bool) -> Kind:
    """The kind of some values, none of which is empty. `converts`: they come from a text file and may be numbers in disguise."""
    types = {_type(v) for v in values}
    if not types:
        return Kind("any")
    if types == {"string"}:
        return _of_texts(values, frozenset(parts(name)), converts)
    if types == {"number"} or types == {"integer", "number"}:
        most = max((_places(v) for v in values), default=0)
        return Kind("number", "decimal" if 0 < most <= 4 else "", most if most <= 4 else None)
    return Kind(next(iter(types))) if len(types) == 1 else Kind("any")


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    kinds = {int: "integer", float: "number", str: "string", list: "array", dict: "object", bytes: "bytes"}
    return kinds.get(type(value), "any")


def _places(value: int | float) -> int:
    text = repr(value)
    return 9 if "e" in text else len(text.partition(".")[2].rstrip("0")) if isinstance(value, float) else 0


def _of_texts(values: Sequence[str], words: frozenset[str], converts: bool) -> Kind:
    texts = [v.strip() for v in values]
    if any(len(t) > MAX_CELL_CHARS for t in texts):
        return Kind("string", "uri") if all(_URI.match(t) for t in texts) else Kind("string")
    for find in FINDERS:
        found = find(texts, words)
        if found is not None:
            return found if converts or found.kind == "string" else _as_text(found)
    return Kind("string")


def _as_text(kind: Kind) -> Kind:
    """Of a value that is written as a text where it could have been a number: it stays one."""
    return Kind("string", "decimal", kind.places) if kind.places else Kind("string")


def _truth(texts: Sequence[str], words: frozenset[str]) -> Kind | None:
    said = {t.lower() for t in texts}
    for yes, no in TRUTHS:
        if said == {yes, no} or (len(yes) > 1 and said <= {yes, no}):
            return Kind("boolean", made=lambda text, truth={yes: True, no: False}: truth.get(text.lower()))  # type: ignore[misc]
    return None


def _form(texts: Sequence[str], words: frozenset[str]) -> Kind | None:
    """Texts that are all of one form."""
    return next((Kind("string", name) for name, form in FORMS.items() if all(map(form.match, texts))), None)


def _date(texts: Sequence[str], words: frozenset[str]) -> Kind | None:
    """Dates, or moments: a date and a time of day. All are read with the day in the same place."""
    day_first, unsure = day_is_first(texts)
    found = [moment(t, day_first, expected=False) for t in texts]
    if not all(found):
        return None
    timed = {bool(m.time) for m in found if m}
    if len(timed) > 1:
        return None
    read = lambda text: str(m) if (m := moment(text, day_first, expected=False)) else None  # noqa: E731
    return Kind("string", "date-time" if timed == {True} else "date", made=read, unsure=unsure)


def _time(texts: Sequence[str], words: frozenset[str]) -> Kind | None:
    return Kind("string", "time", made=time_of_day) if all(map(time_of_day, texts)) else None


def _phone(texts: Sequence[str], words: frozenset[str]) -> Kind | None:
    if not all(_PHONE.match(t) and 7 <= sum(ch.isdigit() for ch in t) <= 19 for t in texts):
        return None
    written = all(t[0] in "+(" or t.startswith("00") or sum(ch in " ()-/" for ch in t) >= 2 for t in texts)
    return Kind("string", "phone") if words & PHONES or written else None


def _currency(texts: Sequence[str], words: frozenset[str]) -> Kind | None:
    return Kind("string", "currency") if all(t in CURRENCY_CODES for t in texts) else None


def _plain_text(texts: Sequence[str], words: frozenset[str]) -> Kind | None:
    digits = all(t.replace(" ", "").replace("-", "").isdecimal() for t in texts)
    return Kind("string") if digits and words & TEXTS else None


def _number(texts: Sequence[str], words: frozenset[str]) -> Kind | None:
    plain = number_style(texts)
    style, read = (plain, str) if plain else (number_style(map(bare, texts)), bare)
    if style is None:
        return None
    most = 9 if any("e" in read(t).lower() for t in texts) else max(style.places(read(t)) for t in texts)
    places = most if 0 < most <= 6 else None
    return Kind("number" if most else "integer", "decimal" if places else "", places, lambda t: style.number(read(t)))


FINDERS: Iterable[Callable[[Sequence[str], frozenset[str]], Kind | None]] = (
    _truth, _form, _date, _time, _phone, _currency, _plain_text, _number,
)  # fmt: skip
"""Tried in this order; the first that all values agree with is the kind."""
