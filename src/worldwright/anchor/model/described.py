"""What the description of a value says of it beside its schema: bounds, lengths, words, defaults, days, and when it may change.

    "Priority, 0-4"                     a bound of the input
    "At most 255 characters"            a length
    "One of draft, sent or paid"        words; nothing else is taken
    "Future dates are not permitted"    a day that is refused
    "Must be unique"                    kept once
    "Cannot be changed once published"  a change that is refused
    "Required if type is business"      a value that has to be given

Only what is said plainly is read, and the words that say it are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

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
_LEAST = _pattern(
    rf"(?:at least|no (?:less|fewer) than|{_NOT} be (?:less|lower|smaller|shorter) than|greater than or equal to|>="
    rf"|min(?:imum)?(?: value| length)?(?: of| is|:)?)\s*{_N}{_LONG}"
)
_LENGTH = _pattern(rf"{_N}\s*(?:characters|chars)\s*(?:or less|or fewer|max(?:imum)?|limit)")
_ABOVE = _pattern(rf"{_MUST} be (?:a )?(?:positive|greater than (?:0|zero))\b")
_LISTED = _pattern(
    r"(?:\bone of(?: the following)?(?: values)?|\bmust be either|\boptions(?: are)?"
    r"|\b(?:possible|allowed|valid|accepted|available|permitted) (?:values|options|types|statuses)(?: are| is)?)"
    rf"\s*:?\s*\(?((?:{_WORD}(?:{_AND})+)+{_WORD})"
)
_SEPARATOR = _pattern(_AND)
_DEFAULT = _pattern(r"\bdefault(?:s to|s? is|s? value is|:)\s*[`'\"]?(-?\w+)[`'\"]?")
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
    rf"\b{_NOT} be (?:changed|updated|modified|edited|altered)(?:[^.]*?\b(?:once|after|when)\b([^.]*))?|\bimmutable\b"
)
_NEEDED = _pattern(
    r"\b(?:required|mandatory|must be (?:given|provided|set|specified)) (?:if|when|for) (?:the )?[`'\"]?([A-Za-z]\w*)"
    r"[`'\"]?(?: field)? (?:is|=|==|equals) (?:set to )?[`'\"]?((?!an? |the )[A-Za-z]\w*)"
)
_GIVEN = dict.fromkeys(("set", "provided", "present", "given", "specified", "used", "supplied"), "set")


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
    fixed_once: str = ""
    """What must have happened before it does."""
    needed_if: tuple[str, str] = ("", "")
    """Another value, and the word it must have, for this one to be required; `set` for any, `not` for none."""


NOTHING = Said()


def read_description(says: str, shape: Shape) -> tuple[Shape, Said]:
    """The shape with what its description adds, and everything else that is said."""
    text = " ".join(says[:MAX_READ].split())
    found: list[str] = []

    def search(pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.search(text)
        found.extend([match[0].strip(" ,(:;")] if match is not None else [])
        return match

    if shape.kind in ("integer", "number") and not shape.enum:
        shape = replace(shape, **dict(_bounds(text, shape, found)))
    elif shape.kind == "string" and not shape.enum:
        shape = replace(shape, **dict(_texts(text, shape, found)))
    if shape.kind not in ("string", "integer"):
        return shape, replace(NOTHING, text="; ".join(found))
    when = "past" if search(_PAST) else "future" if search(_FUTURE) else ""
    unique, fixed, needed = search(_UNIQUE) is not None, search(_FIXED), search(_NEEDED)
    once = (fixed[1] or "").strip() if fixed else ""
    needed_if = (needed[1], _GIVEN.get(needed[2].lower(), needed[2])) if needed else ("", "")
    return shape, Said("; ".join(found), when, unique, fixed is not None, once, needed_if)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _bounds(text: str, shape: Shape, found: list[str]) -> Iterator[tuple[str, Any]]:
    low, high = shape.minimum, shape.maximum
    both = _BETWEEN.search(text) if low is None and high is None else None
    most, least, above = _MOST.search(text), _LEAST.search(text), _ABOVE.search(text)
    if (
        both is not None
        and not both[3]
        and _number(both[1]) < _number(both[2])
        and not 1900 <= _number(both[1]) <= 2100
    ):
        found.append(both[0].strip(" ,(:;"))
        low, high = _number(both[1]), _number(both[2])
    if high is None and most is not None and not most[2]:
        found.append(most[0])
        high = _number(most[1])
    if low is None and (least is not None and not least[2]):
        found.append(least[0])
        low = _number(least[1])
    elif low is None and above is not None:
        found.append(above[0])
        low = 1.0 if shape.kind == "integer" else 0.01
    if low is None or high is None or low <= high:
        yield from (("minimum", low), ("maximum", high))
    default = _DEFAULT.search(text)
    if shape.default is None and default is not None and default[1].lstrip("-").isdigit():
        yield "default", int(default[1])


def _texts(text: str, shape: Shape, found: list[str]) -> Iterator[tuple[str, Any]]:
    most, listed, default = _MOST.search(text), _LISTED.search(text), _DEFAULT.search(text)
    length = most if most is not None and most[2] else _LENGTH.search(text)
    if shape.longest is None and length is not None:
        found.append(length[0])
        yield "longest", int(_number(length[1]))
    words = [w.strip("`'\" ") for w in _SEPARATOR.split(listed[1])] if listed is not None else []
    known = [w for w in (*shape.examples, shape.default) if w is not None]
    plain = not shape.format and not shape.pattern and all(w in words for w in known) and "etc" not in words
    if listed is not None and plain and all(words) and 2 <= len(set(words)) <= MAX_WORDS:
        found.append(listed[0])
        yield "enum", tuple(dict.fromkeys(words))
        if shape.default is None and default is not None and default[1] in words:
            yield "default", default[1]
