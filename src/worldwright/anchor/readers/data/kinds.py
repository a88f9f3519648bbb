"""What kind of value a column holds, told from its values and the words of its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.names import parts
from worldwright.anchor.readers.dates import day_is_first, moment, time_of_day
from worldwright.anchor.schema.shapes import kind_of_value
from worldwright.english.money import CURRENCY_CODES
from worldwright.english.words import wordset

MAX_DIGITS = 15
"""Of a number with a fraction. Longer ones would not be the same number any more."""
MAX_CELL_CHARS = 200
"""Characters of a text that may be something else than a text."""
EMPTY = frozenset({"", "NULL", "null", "\\N", "NaN", "nan", "N/A", "n/a", "#N/A", "<NA>", "<null>", "(null)"})
PERHAPS_EMPTY = frozenset({"NA", "na", "None", "none", "-", "--", "?", "."})
"""Nothing, in a column whose other values are no texts."""
TRUTHS = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("ja", "nein"))
TEXTS = wordset(
    "zip postcode postal plz phone tel telephone mobile fax iban ssn card account vat sku isbn ean barcode passport serial"
)
"""Words of names whose values are texts even where they are made of digits."""
PHONES = wordset("phone tel telephone mobile cell fax telefon handy msisdn")
_MONEY = re.compile(
    r"(?:[$€£¥₹]|[A-Z]{3}(?=[ \d-]))? ?(-?[\d.,' \u00a0\u202f]{1,40}) ?(?:[$€£¥₹]|[A-Z]{3})?\Z", re.ASCII
)
_STYLES = tuple(
    (re.compile(rf"(?:{form})\Z", re.ASCII), str.maketrans({**dict.fromkeys(drop), point: "."}))
    for form, drop, point in (
        (r"-?(?:0|[1-9]\d*)?(?:\.\d+)?(?<=\d)", "", "."),
        (r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|-?(?:0|[1-9]\d{0,2})(?:\.\d+)?", ",", "."),
        (r"-?[1-9]\d{0,2}(?:\.\d{3})*(?:,\d+)?|-?(?:0|[1-9]\d*)(?:,\d+)?", ".", ","),
        (r"-?[1-9]\d{0,2}(?:['\u00a0\u202f ]\d{3})*(?:[.,]\d+)?|-?(?:0|[1-9]\d*)(?:[.,]\d+)?", "'\u00a0\u202f ", ","),
        (r"-?\d(?:\.\d+)?[eE][+-]?\d{1,2}|-?(?:0|[1-9]\d*)(?:\.\d+)?", "", "."),
    )
)
"""Ways to write a number: the form of all of them, and what makes them plain."""
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
    types = {kind_of_value(v) for v in values}
    if types == {"string"}:
        found = _of_texts([v.strip() for v in values], set(parts(name)))
        if converts or found.kind == "string":
            return found
        return Kind("string", "decimal", found.places) if found.places else Kind("string")
    if types in ({"number"}, {"integer", "number"}):
        most = max(map(_places, values))
        return Kind("number", "decimal" if 0 < most <= 4 else "", most if most <= 4 else None)
    return Kind(next(iter(types))) if len(types) == 1 else Kind("any")


def _places(value: int | float) -> int:
    text = repr(value)
    return 9 if "e" in text else len(text.partition(".")[2].rstrip("0")) if isinstance(value, float) else 0


def _of_texts(texts: Sequence[str], words: set[str]) -> Kind:
    """The first kind that all of the texts agree with."""
    if any(len(t) > MAX_CELL_CHARS for t in texts):
        return Kind("string", "uri" if all(map(_URI.match, texts)) else "")
    said = {t.lower() for t in texts}
    for yes, no in TRUTHS:
        if said == {yes, no} or (len(yes) > 1 and said <= {yes, no}):
            return Kind("boolean", made=lambda text, yes=yes, no=no: {yes: True, no: False}.get(text.lower()))  # type: ignore[misc]
    for name, form in FORMS.items():
        if all(map(form.match, texts)):
            return Kind("string", name)
    dated = _date(texts)
    if dated is not None:
        return dated
    if all(map(time_of_day, texts)):
        return Kind("string", "time", made=time_of_day)
    if _are_phones(texts, words):
        return Kind("string", "phone")
    if all(t in CURRENCY_CODES for t in texts):
        return Kind("string", "currency")
    if words & TEXTS and all(t.replace(" ", "").replace("-", "").isdecimal() for t in texts):
        return Kind("string")
    return _number(texts, str) or _number(texts, _bare) or Kind("string")


def _date(texts: Sequence[str]) -> Kind | None:
    """Dates, or moments: a date and a time of day. All are read with the day in the same place."""
    day_first, unsure = day_is_first(texts)
    timed: set[bool] = set()
    for text in texts:
        found = moment(text, day_first, expected=False)
        timed.add(bool(found and found.time))
        if not found or len(timed) > 1:
            return None
    read = lambda text: str(m) if (m := moment(text, day_first, expected=False)) else None  # noqa: E731
    return Kind("string", "date-time" if timed == {True} else "date", made=read, unsure=unsure)


def _are_phones(texts: Sequence[str], words: set[str]) -> bool:
    if not all(_PHONE.match(t) and 7 <= sum(ch.isdigit() for ch in t) <= 19 for t in texts):
        return False
    written = (t[0] in "+(" or t.startswith("00") or sum(ch in " ()-/" for ch in t) >= 2 for t in texts)
    return bool(words & PHONES) or all(written)


def _bare(text: str) -> str:
    """An amount without the sign of its currency."""
    found = _MONEY.match(text)
    return found[1].strip() if found else text


def _number(texts: Sequence[str], bare: Callable[[str], str]) -> Kind | None:
    """Numbers that are all written in one style."""
    for form, table in _STYLES:

        def read(text: str, form: re.Pattern[str] = form, table: dict[int, Any] = table) -> int | float | None:
            plain = bare(text).translate(table) if form.match(bare(text)) else ""
            digits = sum(ch.isdigit() for ch in plain)
            if "." not in plain and "e" not in plain.lower():
                return int(plain) if 0 < digits <= 18 else None
            return float(plain) if digits <= MAX_DIGITS + 1 else None

        if all(read(t) is not None for t in texts):
            most = max(9 if "e" in bare(t).lower() else len(bare(t).translate(table).partition(".")[2]) for t in texts)
            places = most if 0 < most <= 6 else None
            return Kind("number" if most else "integer", "decimal" if places else "", places, read)
    return None
