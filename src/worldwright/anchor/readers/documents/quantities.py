"""Figures in a sentence: times, amounts of money and shares, and how they compare."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldwright.anchor.evidence import Quantity
from worldwright.anchor.readers.documents.blocks import squeezed
from worldwright.english.money import CURRENCY_CODES, CURRENCY_SIGNS
from worldwright.english.words import NUMBERS, wordset

# Words that figures are written with in English: numbers, units and comparisons; and the currencies.


TIMES = {"once": 1, "twice": 2, "thrice": 3}

UNITS: tuple[tuple[str, str], ...] = (
    ("business_days", r"(?:business|working|work|banking|trading)[ -]?days?"),
    ("days", r"(?:(?:calendar|consecutive|full|natural)[ -])?days?"),
    ("hours", r"(?:(?:business|working|clock)[ -])?(?:hours?|hrs?|h)"),
    ("weeks", r"(?:(?:calendar|working)[ -])?(?:weeks?|wks?)"),
    ("months", r"(?:calendar[ -])?months?"),
    ("years", r"(?:(?:calendar|fiscal|financial)[ -])?(?:years?|yrs?)"),
    ("minutes", r"min(?:ute)?s?"),
    ("seconds", r"sec(?:ond)?s?|ms|s|milliseconds?"),
    ("quarters", r"quarters"),
    ("percent", r"%|per ?cent|percentage points?|pct"),
    ("times", r"times|x|×"),
)

BEFORE: tuple[tuple[str, str], ...] = (
    (
        "at_most",
        r"(?:no|not) (?:more|greater|larger|higher|longer) than|(?:not|never|n't|"
        r"cannot) (?:to )?exceed(?:ing)?|not over|at most|up to|(?:a )?max(?:imum|\.)?(?: of)?|capped at|"
        r"limited to|(?:a )?(?:limit|cap|ceiling) of|not above|<=|≤",
    ),
    (
        "at_least",
        r"(?:no|not) (?:less|fewer|lower|smaller|shorter|earlier) than|at least|(?:a )?min(?:imum|\.)?(?: of)?|"
        r"not below|not under|starting (?:at|from)|>=|≥",
    ),
    (
        "within",
        r"within(?: a (?:period|maximum) of)?(?: the (?:first|next|last|following))?|(?:no|not) later than|"
        r"in (?:less|under)(?: than)?|inside of",
    ),
    (
        "over",
        r"(?:more|greater|larger|higher|longer|older|later) than|in excess of|over|above|exceed(?:s|ing)?|"
        r"beyond|surpass(?:es)?|after|>",
    ),
    ("under", r"(?:less|fewer|lower|smaller|shorter|younger|earlier) than|under|below|<"),
    ("exactly", r"exactly|equal to|precisely|="),
)

AFTER: tuple[tuple[str, str], ...] = (
    (
        "at_least",
        r"or (?:more|older|above|over|longer|higher|greater|later)|and (?:above|over|up|older)|minimum|"
        r"at (?:a )?minimum|\+",
    ),
    (
        "at_most",
        r"or (?:less|fewer|below|under|younger|shorter|lower)|and (?:below|under)|maximum|at (?:the )?most",
    ),
)

CODES = CURRENCY_CODES - wordset("ALL BAM CUP GEL SOS TOP")
"""Codes that no English word is spelt like, whatever their case."""

UNIT_FORMS = tuple((name, re.compile(rf"(?:{form})(?!\w)", re.IGNORECASE)) for name, form in UNITS)


MOST = 30
"""Figures of one sentence."""
_DIGITS = (
    r"\d{1,3}(?:[,.'’\u00a0\u202f]\d{3}){1,4}(?:[.,]\d{1,4})?(?![\d])|\d{1,3}(?: \d{3}){1,3}(?!\d)|"
    r"\d{1,12}(?:[.,]\d{1,4})?(?![\d])"
)
_LABEL = re.compile(
    r"(?:section|sections|step|steps|table|figure|fig\.|version|ver\.|phase|option|chapter|page|appendix|annex|"
    r"article|part|no\.|number|level|tier|item|"
    r"clause|para|paragraph|release|stage|scenario|case|iso|rfc|\bv|§|#|№)\s?\Z",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}:\d{2}")
_MONTH = re.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s?\Z", re.IGNORECASE)
_CLOCK = re.compile(r"\s?(?:a\.?m\.?|p\.?m\.?|o'clock)\b|:\d{2}", re.IGNORECASE)
_SCALE = re.compile(r"\s?(k|thousand|mn|m|million|bn|billion)\b", re.IGNORECASE)
_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "billion": 1e9,
}
_SIGNS = "|".join(
    re.escape(s)
    for s in sorted(CURRENCY_SIGNS, key=len, reverse=True)
    if not s[0].isalpha() or "$" in s or s in ("rm", "rs", "rs.", "kr")
)
_MONEY_BEFORE = re.compile(rf"(?:(?<![A-Za-z])({_SIGNS})|(?<![A-Za-z])({'|'.join(sorted(CODES))}))\s?\Z", re.IGNORECASE)
_MONEY_AFTER = re.compile(
    rf"\s?(?:({'|'.join(re.escape(s) for s in sorted(CURRENCY_SIGNS, key=len, reverse=True))})(?![A-Za-z])|"
    rf"({'|'.join(sorted(CODES))})\b)",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\s?(?:an?|per|every|each|in an?)\s(?:\w+\s)?(?:day|week|month|quarter|year|hour|user|customer|order)\b|"
    r"\s?(?:only|daily|weekly|monthly)\b|[.;)]?\s*\Z",
    re.IGNORECASE,
)
"""After `once`, where it counts and is no conjunction."""
_ONE = re.compile(
    r"\b(?:within|(?:no|not) later than|at least|at most|more than|less than|up to|every|after) (an?)(?= (?:(?:business|working|"
    r"calendar) )?(?:day|hour|week|month|year)\b)",
    re.IGNORECASE,
)
"""`within a week` is one week."""
_LINK = re.compile(r"\s?[-–—~～]\s?\Z|\s(?:to|and)\s\Z", re.IGNORECASE)
_RANGED = re.compile(r"(?:between|from)\s\S{0,6}\Z", re.IGNORECASE)
_FILL = re.compile(
    r"(?:\b(?:a|an|the|of|by|total|sum|value|amount|any|approximately|about)\s)\Z",
    re.IGNORECASE,
)


_LASTING = frozenset({"days", "business_days", "hours", "weeks", "months", "years", "times"})


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number in a sentence, before what it means is known."""

    start: int
    end: int
    value: float
    word: bool
    times: bool = False
    """`once`, `twice`"""


def quantities(text: str) -> tuple[Quantity, ...]:
    """Every figure of a sentence that says how much, in order."""
    out: list[Quantity] = []
    figures = _figures(text)
    for number, figure in enumerate(figures[: 2 * MOST]):
        following = figures[number + 1] if number + 1 < len(figures) else None
        earlier = figures[number - 1] if number else None
        found = _quantity(text, figure, following, earlier)
        if found is not None:
            out.append(found)
    return tuple(out[:MOST])


_NUMBER_WORDS = "|".join(sorted([*NUMBERS, *TIMES], key=len, reverse=True))
_NUMBER_FORM = re.compile(
    rf"(?<![\w./])(?<![A-Za-z]-)(?:({_DIGITS})|({_NUMBER_WORDS})(?![\w])(?:\s?\(\d{{1,3}}\))?)", re.IGNORECASE
)
_BEFORE_FORMS = tuple((name, re.compile(rf"(?:(?<=\W)|\A)(?:{form})\s?\Z", re.IGNORECASE)) for name, form in BEFORE)
_AFTER_FORMS = tuple((name, re.compile(rf"\s?\(?(?:{form})(?!\w)", re.IGNORECASE)) for name, form in AFTER)


def _figures(text: str) -> list[_Figure]:
    dates = [(m.start(), m.end()) for m in _DATE.finditer(text)]
    out = [_Figure(m.start(1), m.end(1), 1.0, True) for m in _ONE.finditer(text)]
    for found in _NUMBER_FORM.finditer(text):
        if any(a < found.end() and found.start() < b for a, b in dates):
            continue
        if found[1]:
            out.append(_Figure(found.start(), found.end(), _value(found[1]), False))
        else:
            low = found[2].lower()
            value = TIMES[low] if low in TIMES else NUMBERS[low]
            out.append(_Figure(found.start(), found.end(), float(value), True, low in TIMES))
    return sorted(out, key=lambda f: f.start)


def _value(digits: str) -> float:
    """Return what written digits stand for; the last mark is a decimal point where both marks stand in it."""
    plain = re.sub(r"['’\u00a0\u202f ]", "", digits)
    last = max(plain.rfind(","), plain.rfind("."))
    if last < 0:
        return float(plain)
    mark, tail = plain[last], plain[last + 1 :]
    several = plain.count(mark) > 1
    both = "," in plain and "." in plain
    thousands = several or (not both and len(tail) == 3 and mark != "." and not plain.startswith("0"))
    if thousands:
        return float(re.sub(r"[,.]", "", plain))
    whole = re.sub(r"[,.]", "", plain[:last])
    return float(f"{whole or 0}.{tail}")


def _quantity(text: str, figure: _Figure, following: _Figure | None, earlier: _Figure | None) -> Quantity | None:
    """Return what a number says, with what stands before and after it; None where it only counts or names something."""
    before, after = _around(text, figure)
    if _is_label(text, figure, before, after):
        return None
    unit, currency, used, value = _unit(figure, before, after)
    linked = following is not None and _linked(text, figure, following)
    if following is not None and linked and not unit:
        unit, currency, used, _ = _unit(following, *_around(text, following))
        used += following.end - figure.end
    compares, lead = _compares(before, currency)
    end = figure.end + used
    later, more = _compares_after(text[end : end + 30]) if not compares else ("", 0)
    if linked:
        compares = "at_least"
    elif earlier is not None and _linked(text, earlier, figure):
        compares = "at_most"
    compares, end = compares or later, end + more
    if not unit or (figure.word and value == 1 and not compares and unit not in _LASTING):
        return None
    return Quantity(value, unit, compares or "exactly", squeezed(text[figure.start - lead : end]), currency)


def _around(text: str, figure: _Figure) -> tuple[str, str]:
    return text[max(0, figure.start - 60) : figure.start], text[figure.end : figure.end + 70]


def _is_label(text: str, figure: _Figure, before: str, after: str) -> bool:
    """Tell whether a number only names something: a section, a day, a time, or is no number at all."""
    if _LABEL.search(before[-14:]):
        return True
    if figure.word:
        return text[figure.start : figure.end].lower() == "once" and not _OFTEN.match(after)
    return bool(_CLOCK.match(after) or _MONTH.search(before[-12:]))


def _compares_after(tail: str) -> tuple[str, int]:
    """Return how a number compares by the words after it, and how many characters those take."""
    for name, form in _AFTER_FORMS:
        found = form.match(tail)
        if found:
            return name, found.end()
    return "", 0


def _unit(figure: _Figure, before: str, after: str) -> tuple[str, str, int, float]:
    """The unit, the currency, how many characters after the number belong to it, and the value with its scale."""
    sign = _MONEY_BEFORE.search(before[-6:])
    behind = _MONEY_AFTER.match(after)
    scale = _SCALE.match(after)
    if scale and (sign or len(scale[1]) > 2 or _MONEY_AFTER.match(after[scale.end() :])):
        value = figure.value * _SCALES[scale[1].lower()]
        money = _MONEY_AFTER.match(after[scale.end() :])
        if sign or money:
            return "money", _currency(sign or money), scale.end() + (money.end() if money and not sign else 0), value
        return "", "", scale.end(), value
    if figure.times:
        return "times", "", 0, figure.value
    if sign:
        return "money", _currency(sign), 0, figure.value
    if behind and not figure.word:
        return "money", _currency(behind), behind.end(), figure.value
    gap = 1 if after[:1] in (" ", "-", "\u00a0", "\u2011") else 0
    for name, form in UNIT_FORMS:
        found = form.match(after, gap)
        if found:
            return name, "", found.end(), figure.value
    return "", "", 0, figure.value


def _currency(found: re.Match[str] | None) -> str:
    if found is None:
        return ""
    return CURRENCY_SIGNS.get((found[1] or "").lower(), "") or (found[2] or "").upper()


def _linked(text: str, first: _Figure, second: _Figure) -> bool:
    """Tell whether two numbers are the ends of a range."""
    between = text[first.end : second.start]
    if len(between) > 8 or not _LINK.match(_without_money(between)):
        return False
    return (
        any(ch in between for ch in "-–—~～")
        or " to " in between
        or bool(_RANGED.search(text[max(0, first.start - 20) : first.start]))
    )


def _without_money(between: str) -> str:
    found = _MONEY_BEFORE.search(between)
    return between[: found.start()] if found else between


def _compares(before: str, currency: str) -> tuple[str, int]:
    """Return how a number compares by the words before it, and how far those reach back."""
    rest = before
    if currency:
        found = _MONEY_BEFORE.search(rest[-6:])
        rest = rest[: len(rest) - (len(rest[-6:]) - found.start())] if found else rest
    shown = len(before) - len(rest)
    for _ in range(3):
        for name, form in _BEFORE_FORMS:
            found = form.search(rest[-40:])
            if found:
                return name, len(before) - len(rest) + len(rest[-40:]) - found.start()
        filler = _FILL.search(rest)
        if not filler:
            break
        rest = rest[: filler.start()]
    return "", shown
