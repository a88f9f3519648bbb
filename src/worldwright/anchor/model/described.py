"""What the description of a value says of it beside its schema: bounds, lengths, words, defaults, days, and when it may change.

    "Priority from 0-4"                 a bound of the input
    "At most 255 characters"            a length
    "One of draft, sent or paid"        words; nothing else is taken
    "Future dates are not permitted"    a day that is refused
    "Must be unique"                    kept once
    "Cannot be changed once published"  a change that is refused
    "Required if type is business"      a value that has to be given

Only what is said plainly is read. Everything found keeps the words that say it.
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
_UNIT = r"(?:\s*(characters|chars|letters|digits|symbols))?"
_BETWEEN = re.compile(
    rf"(?:between|from|range(?: of|:| is)?|values?(?: of|:)?|\(|^|\b(?:is|be)) ?{_N}\s*(?:-|–|to|and|through)\s*{_N}{_UNIT}(?![\w-])(?!\.\d)",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf"(?:at most|no more than|not exceed|(?:cannot|can't|must not) be (?:greater|more|longer|larger) than|max(?:imum)?(?: value| length)?"
    rf"(?: of| is|:)?|up to|less than or equal to|<=)\s*{_N}{_UNIT}(?!\s*(?:%|\w))(?!\.\d)",
    re.IGNORECASE,
)
_LEAST = re.compile(
    rf"(?:at least|no (?:less|fewer) than|(?:cannot|can't|must not) be (?:less|lower|smaller|shorter) than|min(?:imum)?(?: value| length)?"
    rf"(?: of| is|:)?|greater than or equal to|>=)\s*{_N}{_UNIT}(?!\s*(?:%|\w))(?!\.\d)",
    re.IGNORECASE,
)
_LENGTH = re.compile(rf"{_N}\s*(?:characters|chars)\s*(?:or less|or fewer|max(?:imum)?|long at most|limit)", re.IGNORECASE)
_ABOVE = re.compile(r"(?:must be|has to be|should be) (?:a )?(?:positive|greater than (?:0|zero))\b", re.IGNORECASE)
_LISTED = re.compile(
    r"(?:\bone of(?: the following)?(?: values)?|\b(?:possible|allowed|valid|accepted|available|permitted) (?:values|options|types|statuses)"
    r"(?: are| is)?|\bmust be either|\boptions(?: are)?)\s*:?\s*\(?((?:[`'\"]?[A-Za-z][\w-]{0,30}[`'\"]?(?:\s*(?:,|\||/|\bor\b|\band\b)\s*)+)+"
    r"[`'\"]?[A-Za-z][\w-]{0,30}[`'\"]?)",
    re.IGNORECASE,
)
_BETWEEN_WORDS = re.compile(r"\s*(?:,|\||/|\bor\b|\band\b)\s*", re.IGNORECASE)
_DEFAULT = re.compile(r"\bdefault(?:s to|s? is|s? value is|:)\s*[`'\"]?(-?[\w]+(?:\.\d+)?)[`'\"]?", re.IGNORECASE)
_NOT_LATER = re.compile(
    r"future (?:dates?|times?|values?) (?:are|is) not|(?:cannot|can't|can not|must not|may not|should not) be (?:a |set )?(?:in the )?future"
    r"|must be (?:a date |a time )?in the past|not be later than (?:today|now|the current)",
    re.IGNORECASE,
)
_NOT_EARLIER = re.compile(
    r"(?:must|has to|should) be (?:a date |a time |set )?(?:in the future|a future)|(?:cannot|can't|must not|may not) be (?:a |set )?in the past"
    r"|past (?:dates?|times?) (?:are|is) not|not be earlier than (?:today|now|the current)",
    re.IGNORECASE,
)
_UNIQUE = re.compile(r"\b(?:must|has to|needs to|should) be (?:globally )?unique\b|\bunique across\b", re.IGNORECASE)
_FIXED = re.compile(
    r"\b(?:can(?:not|'t| not)|may not|must not) be (?:changed|updated|modified|edited|altered)(?:[^.]*?\b(?:once|after|when)\b([^.]*))?"
    r"|\bimmutable\b",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"\b(?:required|mandatory|must be (?:given|provided|set|specified)) (?:if|when|for) (?:the )?[`'\"]?([A-Za-z]\w*)[`'\"]?(?: field)? "
    r"(?:is|=|==|equals) (?:set to )?[`'\"]?((?!an? |the )[A-Za-z]\w*)",
    re.IGNORECASE,
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


def read_description(says: str, shape: Shape) -> tuple[Shape, Said]:
    """The shape with what its description adds, and everything else that is said."""
    text = " ".join(says[:MAX_READ].split())
    found: list[str] = []
    if shape.kind in ("integer", "number") and not shape.enum:
        shape = replace(shape, **dict(_bounds(text, shape, found)))
    elif shape.kind == "string" and not shape.enum:
        shape = replace(shape, **dict(_texts(text, shape, found)))
    said = Said()
    if shape.kind in ("string", "integer"):
        when = "past" if _keep(_NOT_LATER.search(text), found) else "future" if _keep(_NOT_EARLIER.search(text), found) else ""
        fixed = _keep(_FIXED.search(text), found)
        needed = _keep(_NEEDED.search(text), found)
        said = Said(
            "", when, _keep(_UNIQUE.search(text), found) is not None, fixed is not None,
            (fixed[1] or "").strip() if fixed else "", (needed[1], _GIVEN.get(needed[2].lower(), needed[2])) if needed else ("", ""),
        )  # fmt: skip
    return shape, replace(said, text="; ".join(found))


def _keep(match: re.Match[str] | None, found: list[str]) -> re.Match[str] | None:
    if match is not None:
        found.append(match[0].strip(" ("))
    return match


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _bounds(text: str, shape: Shape, found: list[str]) -> Iterator[tuple[str, Any]]:
    low, high = shape.minimum, shape.maximum
    both = _BETWEEN.search(text) if low is None and high is None else None
    if both is not None and not both[3] and _number(both[1]) < _number(both[2]) and not _years(both):
        _keep(both, found)
        low, high = _number(both[1]), _number(both[2])
    if high is None and (most := _MOST.search(text)) is not None and not most[2]:
        high = _number(_keep(most, found)[1])  # type: ignore[index]
    if low is None and (least := _LEAST.search(text)) is not None and not least[2]:
        low = _number(_keep(least, found)[1])  # type: ignore[index]
    elif low is None and (above := _keep(_ABOVE.search(text), found)) is not None:
        low = 1.0 if shape.kind == "integer" else 0.01
    if low is None or high is None or low <= high:
        yield from (("minimum", low), ("maximum", high))
    if shape.default is None and (default := _DEFAULT.search(text)) is not None and default[1].lstrip("-").isdigit():
        yield "default", int(default[1])


def _years(match: re.Match[str]) -> bool:
    return all(1900 <= _number(match[k]) <= 2100 for k in (1, 2))


def _texts(text: str, shape: Shape, found: list[str]) -> Iterator[tuple[str, Any]]:
    for pattern in (_MOST, _LENGTH):
        most = pattern.search(text)
        if shape.longest is None and most is not None and (pattern is _LENGTH or most[2]):
            _keep(most, found)
            yield "longest", int(_number(most[1]))
            break
    listed = _LISTED.search(text)
    if listed is None or shape.format or shape.pattern:
        return
    words = [w.strip("`'\" ") for w in _BETWEEN_WORDS.split(listed[1])]
    known = [w for w in (*shape.examples, shape.default) if w is not None]
    if 2 <= len(set(words)) <= MAX_WORDS and all(words) and set(known) <= set(words) and "etc" not in words:
        _keep(listed, found)
        yield "enum", tuple(dict.fromkeys(words))
        default = _DEFAULT.search(text)
        if shape.default is None and default is not None and default[1] in words:
            yield "default", default[1]
