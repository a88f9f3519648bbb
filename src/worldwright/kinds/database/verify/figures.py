"""Reading a text for figures: amounts and counts, dates and ids, each with where it stands.

A figure that only points at something (`invoice 4711`, `your mail of 3 October`, `within 30 days`) is marked `aside`: it is
not what the text states. Everything else of its kind is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from worldwright.english.dates import DATE_FORMS, find_dates
from worldwright.english.money import COMMON_CURRENCY_CODES
from worldwright.english.words import NUMBERS

_NO_FIGURES = re.compile(
    r"\S+@\S+|https?://\S+"  # addresses
    r"|(?<!\w)[A-Za-z][A-Za-z0-9]*(?:[-/_#][A-Za-z0-9]*\d[A-Za-z0-9]*)+(?!\w)"  # ids: PO-00412, DN/2025/11
    r"|(?<!\w)\d{1,2}:\d{2}(?::\d{2})?(?!\w)"  # times of the day
)
_PHONE = re.compile(
    r"(?<!\w)\+\d[\d ()/.-]{6,}\d|(?<![\w.,])\(\d{2,5}\) ?\d{3,4}(?:[ .-]?\d{3,4})+(?!\w)"
    r"|(?<![\w.,-])\d{3}([ .-])\d{3}\1\d{4}(?![\w-])|(?<![\w.,-])0\d{2,5}[ /-]\d{3,8}(?:[ -]?\d{2,4})*(?![\w-])"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ID = re.compile(
    r"(?<![\w-])([A-Za-z][A-Za-z0-9]{0,11})[-–]\d{2,}(?![\w-])|(?<![\w-])([A-Z]{2,6})(?: #?|#)?\d{3,}(?![\w.,-]*\d)"
)
"""An id as the world writes it, or with its parts apart or run together: `PO-00133`, `po-00133`, `PO 00133`, `PO00133`."""
_TOKEN = re.compile(r"\d(?:[\d.,'’\u00a0\u202f]*\d)?(?: \d{3}(?!\d))*(?:[.,]\d{1,2}(?!\d))?")
_FORMS = (
    (re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z"), ",", "."),
    (re.compile(r"\d+(?:\.\d+)?\Z"), "", "."),
    (re.compile(r"\d{1,3}(?:\.\d{3})+,\d{1,2}\Z"), ".", ","),
    (re.compile(r"\d{1,3}(?:\.\d{3}){2,}\Z"), ".", ","),
    (re.compile(r"\d{1,3}(?:[ '’\u00a0\u202f]\d{3})+(?:\.\d{1,2})?\Z"), " '’\u00a0\u202f", "."),
    (re.compile(r"\d{1,3}(?:[ '’\u00a0\u202f]\d{3})+(?:,\d{1,2})?\Z"), " '’\u00a0\u202f", ","),
    (re.compile(r"\d+,\d{1,2}\Z"), "", ","),
)
"""How people write numbers, what parts their thousands, and what stands before their cents."""
_CODES = frozenset(code.lower() for code in COMMON_CURRENCY_CODES)
_SCALES = {"k": 1000, "m": 10**6, "mio": 10**6, "mn": 10**6, "million": 10**6, "thousand": 1000, "hundred": 100}
_THINGS = (
    "days? weeks? months? years? hours? minutes? nights? times? questions? invoices? orders? mails? e-mails? messages?"
    " letters? bookings? requests? tickets? attachments? payments? copies pages? lines? items? pieces? units?"
).replace(" ", "|")
_COUNTED = re.compile(
    rf"[ -](?:(?:of )?(?:your|the|our|these|those) |open |unpaid |overdue |outstanding |working |business |calendar |more |other |"
    rf"further )*(?P<thing>{_THINGS})\b",
    re.I,
)
_LASTS = re.compile(r"(?:days?|weeks?|months?|years?|hours?|minutes?|times?)\Z", re.I)
_POINTED = re.compile(
    r"(?:\b(?:invoice|order|request|ticket|case|account|reference|ref|number|no|nr|note|slip|booking|room|page|line|step|"
    r"section|article|extension|customer|vendor|file)\b\.?|#)[ :]{0,2}(?:(?:no|nr|number)\b\.?[ :]?)?(?:\d[\d ]*)?\Z",
    re.I,
)
_MAIL_OF = re.compile(
    r"(?:\b(?:e-?mail|mail|message|letter|call|request|order|ticket|note|enquiry|inquiry|question|invoice|complaint|booking|"
    r"reservation|stay|statement|reminder)\b[^.;!?]{0,24}? (?:of|from|dated|on)|\b(?:dated|received|sent|written|placed|ordered)"
    r"(?: on)?)(?: the)?(?: (?:mon|tues|wednes|thurs|fri|satur|sun)day,?)? \Z",
    re.I,
)
_WORD = re.compile(
    r"(?<![\w-])(?:zero|nil|" + "|".join(w for w, n in NUMBERS.items() if 1 < n <= 20) + r")(?![\w-])", re.I
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that stands in a text."""

    at: int
    end: int
    value: Fraction | None
    """None where it cannot be read: it may be anything."""
    aside: bool
    percent: bool = False
    lasts: bool = False
    """Whether it says how long or how often something is: `30 days`."""


@dataclass(frozen=True, slots=True)
class Day:
    """A date that stands in a text."""

    at: int
    end: int
    readings: frozenset[tuple[int, int, int]]
    """(year, month, day); year 0 where none is said. More than one where people differ in how to read it."""
    aside: bool

    def is_on(self, day: date, near: int) -> bool:
        """Return whether it can be this day; one without a year can be a year around `near`."""
        around = abs(day.year - near) <= 1
        return any(m == day.month and d == day.day and (y == day.year if y else around) for y, m, d in self.readings)


def find_days(text: str) -> list[Day]:
    """Find every date, first to last."""
    found: dict[int, Day] = {}
    for one in find_dates(text):
        aside = _MAIL_OF.search(text[: one.start]) is not None
        found.setdefault(one.start, Day(one.start, one.end, frozenset(one.readings), aside))
    return [found[at] for at in sorted(found)]


@dataclass(frozen=True, slots=True)
class WrittenId:
    """An id that stands in a text."""

    at: int
    end: int
    prefix: str
    number: str
    """Its digits, without zeros in front."""


def find_ids(text: str) -> list[WrittenId]:
    """Find every id: where it stands, its prefix, and its number."""
    found = []
    for m in _ID.finditer(text):
        prefix = (m[1] or m[2]).upper()
        if m[1] is not None or prefix.lower() not in _CODES:
            found.append(WrittenId(m.start(), m.end(), prefix, re.sub(r".*\D", "", m[0]).lstrip("0")))
    return found


def find_phones(text: str) -> list[tuple[int, int, str]]:
    """Find every telephone number: where it stands, and its digits."""
    return [(m.start(), m.end(), re.sub(r"\D", "", m[0])) for m in _PHONE.finditer(text)]


def is_same_phone(one: str, other: str) -> bool:
    """Return whether the digits are those of one number, with or without what is dialled from abroad."""
    one, other = one.lstrip("0"), other.lstrip("0")
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= 7 and longer.endswith(shorter) and len(longer) - len(shorter) <= 3


def find_emails(text: str) -> list[tuple[int, int, str]]:
    """Find every e-mail address."""
    return [(m.start(), m.end(), m[0].lower()) for m in _EMAIL.finditer(text)]


ADDRESS = re.compile(
    r"\b\d{1,5}[a-z]? (?:[A-Z][\w'.-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Way|Boulevard|Blvd|Court|Place|Square|"
    r"Terrace|Close|Row)\b"
)
"""A house and its street: the number is no figure."""


def find_figures(text: str, counts: bool) -> list[Figure]:
    """Find every number that is no part of a date, an id or an address. With `counts`, so many pieces are figures too."""
    masked = text
    for form in (*DATE_FORMS, _NO_FIGURES, _PHONE, ADDRESS):
        masked = form.sub(lambda m: " " * len(m[0]), masked)
    found = [f for m in _TOKEN.finditer(masked) for f in _read(masked, m, counts)]
    if not found:
        found = [
            Figure(m.start(), m.end(), Fraction(NUMBERS.get(m[0].lower(), 0)), False)
            for m in _WORD.finditer(masked)
            if counts or m[0].lower() in ("zero", "nil")
        ]
    return found


def _read(text: str, m: re.Match[str], counts: bool) -> Iterator[Figure]:
    before, after = text[: m.start()], text[m.end() :]
    word = re.match(r"[^\W\d_]+", after)
    glued = word[0].lower() if word else ""
    if glued and glued not in _CODES and glued not in _SCALES:
        return  # 2nd, 4pm, 10kg: no amount
    prefix = re.search(r"[^\W\d_]+\Z", before)
    if (prefix and prefix[0].lower() not in _CODES) or before.endswith("_"):
        return  # a part of a word
    value = _value(m[0])
    if value is not None:
        spaced = re.match(r" (thousand|hundred|million|k|mio)\b", after, re.I)
        value *= _SCALES.get(glued, 1) * (_SCALES[spaced[1].lower()] if spaced else 1)
        value *= -1 if _negative(before) else 1
    percent = re.match(r" ?(?:%|percent\b|per cent\b)", after) is not None
    counted = _COUNTED.match(after)
    lasts = counted is not None and _LASTS.match(counted["thing"]) is not None
    yield Figure(m.start(), m.end(), value, _is_no_figure(m[0], before, after, counts), percent, lasts)


def _negative(before: str) -> bool:
    return re.search(r"(?:(?:^|[\s(:])-|\bminus )(?:[$€£]|[A-Z]{3} ?)?\Z", before) is not None


def _is_no_figure(token: str, before: str, after: str, counts: bool) -> bool:
    if not token.replace(" ", "").isdigit():
        return False
    counted = _COUNTED.match(after)
    if counted is not None and (not counts or _LASTS.match(counted["thing"])):
        return True
    return _POINTED.search(before) is not None


def _value(token: str) -> Fraction | None:
    for form, parts, point in _FORMS:
        if form.match(token):
            whole = "".join(ch for ch in token if ch not in parts) if parts else token
            return Fraction(whole.replace(point, "."))
    return None
