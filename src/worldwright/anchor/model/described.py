"""What the description of a value says of it beside its schema: bounds, lengths, words, days, and whether it may change.

    "Priority, 0-4"                     a bound of the input
    "At most 255 characters"            a length
    "One of draft, sent or paid"        words; nothing else is taken
    "Future dates are not permitted"    a day that is refused
    "Must be unique"                    kept once
    "Cannot be changed"                 a change that is refused

Only what is said plainly is read, and the words that say it are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from worldwright.anchor.evidence import Shape

MAX_READ = 1_500
"""Characters of a description."""
MAX_WORDS = 24
_N = r"(-?\d[\d,]*(?:\.\d+)?)"
_UNIT = r"(?:\s*(characters|chars|letters|digits))?"
_LONG = rf"{_UNIT}(?!\s*[%\w])(?!\.\d)"
_WORD = r"[`'\"]?[A-Za-z][\w-]{0,30}[`'\"]?"
_AND = r"\s*(?:,|\||/|\bor\b|\band\b)\s*"
_NOT = r"(?:cannot|can't|can not|must not|may not|should not)"
_MUST = r"(?:must|has to|needs to|should)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_BETWEEN = _pattern(
    rf"(?:^|[,(:;]|between|from|range(?: of| is)?|values?(?: of)?|\bis|\bbe) ?{_N}\s*(?:-|–|to|and|through)\s*"
    rf"{_N}{_UNIT}(?![\w-])(?!\.\d)"
)
_MOST = _pattern(
    rf"(?:at most|no more than|not exceed|{_NOT} be (?:greater|more|longer|larger) than|up to|less than or equal to|<="
    rf"|max(?:imum)?(?: value| length)?(?: of| is|:)?)\s*{_N}{_LONG}"
)
_LISTED = _pattern(
    r"(?:\bone of(?: the following)?(?: values)?|\bmust be either|\boptions(?: are)?"
    r"|\b(?:possible|allowed|valid|accepted|available|permitted) (?:values|options|types|statuses)(?: are| is)?)"
    rf"\s*:?\s*\(?((?:{_WORD}(?:{_AND})+)+{_WORD})"
)
_PAST = _pattern(
    rf"future (?:dates?|times?|values?) (?:are|is) not|{_NOT} be (?:a |set )?(?:in the )?future|{_MUST} be (?:a date )?in the past"
    r"|not be later than (?:today|now|the current)"
)
_FUTURE = _pattern(
    rf"{_MUST} be (?:a date |a time |set )?(?:in the future|a future)|{_NOT} be (?:a |set )?in the past"
    r"|past (?:dates?|times?) (?:are|is) not|not be earlier than (?:today|now|the current)"
)
_UNIQUE = _pattern(rf"\b{_MUST} be (?:globally )?unique\b|\bunique across\b")
_FIXED = _pattern(
    rf"\b{_NOT} be (?:changed|updated|modified|edited|altered)(?![^.]*\b(?:once|after|when)\b)|\bimmutable\b"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a description adds, and the words that say so."""

    text: str = ""
    """All that was understood, as it is written; empty where nothing was."""
    when: str = ""
    """future or past: on which side of now a day must lie"""
    unique: bool = False
    fixed: bool = False
    """Whether it stays as it was given."""


NOTHING = Said()


def read_description(says: str, shape: Shape) -> tuple[Shape, Said]:
    """The shape with what its description adds, and everything else that is said."""
    text = " ".join(says[:MAX_READ].split())
    found: list[str] = []

    def search(pattern: re.Pattern[str], fits: bool = True, long: bool = False) -> re.Match[str] | None:
        """A match that counts characters where it should; none where it would not add anything."""
        match = pattern.search(text) if fits else None
        if match is None or (pattern in (_BETWEEN, _MOST) and bool(match[match.re.groups]) is not long):
            return None
        found.append(match[0].strip(" ,(:;"))
        return match

    if shape.kind in ("integer", "number") and not shape.enum:
        low, high = shape.minimum, shape.maximum
        if low is None and high is None and (both := search(_BETWEEN)) is not None:
            low, high = _number(both[1]), _number(both[2])
            low, high = (None, None) if low >= high or 1900 <= low <= 2100 else (low, high)
        high = _number(most[1]) if (most := search(_MOST, high is None)) is not None else high
        if low is None or high is None or low <= high:
            shape = replace(shape, minimum=low, maximum=high)
    elif shape.kind == "string" and not shape.enum:
        if (most := search(_MOST, shape.longest is None, long=True)) is not None:
            shape = replace(shape, longest=int(_number(most[1])))
        shape = replace(shape, enum=_read_words(text, shape, found))
    if shape.kind not in ("string", "integer"):
        return shape, Said("; ".join(found))
    when = "past" if search(_PAST) else "future" if search(_FUTURE) else ""
    unique, fixed = search(_UNIQUE) is not None, search(_FIXED) is not None
    return shape, Said("; ".join(found), when, unique, fixed)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _read_words(text: str, shape: Shape, found: list[str]) -> tuple[str, ...]:
    """The only words that a text may be; none where others are shown, or the list goes on."""
    listed = _LISTED.search(text)
    words = [w.strip("`'\" ") for w in re.split(_AND, listed[1], flags=re.IGNORECASE)] if listed is not None else []
    shown = all(w in words for w in (*shape.examples, shape.default) if w is not None)
    free = bool(shape.format or shape.pattern or "etc" in words)
    if listed is None or free or not shown or not all(words) or not 2 <= len(set(words)) <= MAX_WORDS:
        return ()
    found.append(listed[0])
    return tuple(dict.fromkeys(words))
