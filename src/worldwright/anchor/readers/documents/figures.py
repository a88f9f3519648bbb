"""Words that figures are written with in English: numbers, units and comparisons; and the currencies."""

from __future__ import annotations

import re

from worldwright.english.money import CURRENCY_CODES
from worldwright.english.words import wordset

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
