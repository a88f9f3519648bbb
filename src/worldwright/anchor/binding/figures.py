"""Figures in sentences and rules: which a statement names, in which direction, and whether a rule holds them in any unit."""

from __future__ import annotations

import re
from decimal import Decimal

_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90, "hundred": 100, "twice": 2, "half": 0.5,
}  # fmt: skip
_FACTORS = (Decimal("0.01"), 1, 7, 12, 24, 30, 31, 52, 60, 100, 365, 366, 1000, 1440, 3600, 86400, 1000000)
"""From one unit to another: percent and shares, days and weeks, hours, minutes, seconds, months and years, cents, thousands."""
_NUMBER = re.compile(
    r"(?<![\w.#/-])[€$£]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e\+?\d{1,2})?)\s*(k|m|million|thousand)?\b(?![\w/]*-\d)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\s*(?:[A-Z]{1,5}[-_ ]?\d+(?:\.\d+)*|\d+(?:\.\d+)*[.)])[:.)\s]"
    r"|^\s*\d+(?:\.\d+)+\s+(?=[A-Z])"
    r"|\b(?:more|greater|larger|higher) than (?:0|zero)\b(?![.,]\d)"
    r"|\b(?:section|step|table|figure|version|v|rule|chapter|phase|option|RFC|ISO|HTTP|status|error|code)\s?[-\d.]+"
    r"|\b[45]\d\d(?= (?:\w+ )?(?:error|response|status|not found|bad request|forbidden|unauthori[sz]ed|conflict))"
    r"|\b(?:returns?|responds? with|answers?(?: with)?)(?: an?)? [1-5]\d\d\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"\]\([^)]*\)")
"""Where a link leads: `](src/models/rate.ts:1)`."""
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?\b|\b\d{1,2}[:.]\d{2}\s?(?:am|pm)?\b")
_AT_MOST = re.compile(
    r"\b(at most|no more than|not more than|up to|maximum|max\.?|not exceed|cannot exceed"
    r"|within|less than|below|under|no later than|fewer than|limit)\b",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(at least|no less than|not less than|minimum|min\.?|more than"
    r"|over|above|exceeds?|greater than|no earlier than|older than|longer than)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(not|never|no|nobody|none|cannot|can't|without|refused|rejected|denied|only|unless)\b", re.IGNORECASE
)


def list_figures(text: str) -> tuple[Decimal, ...]:
    """The figures that a statement names, without the numbers of its own label, of chapters, dates, and that it is above 0."""
    bare = _DATE.sub(" ", _LABEL.sub(" ", _LINK.sub("]", text)))
    scales = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000}
    found = [Decimal(digits.replace(",", "")) * scales.get(scale.lower(), 1) for digits, scale in _NUMBER.findall(bare)]
    worded = [
        Decimal(str(_WORDS[w])) for w in re.findall(r"(?<!\w)[a-z]+(?!\w)", bare.lower()) if w in _WORDS and w != "one"
    ]
    return tuple(dict.fromkeys([*found, *worded]))


def find_missing_figures(statement: str, text: str) -> tuple[Decimal, ...]:
    """The figures of a statement that stand nowhere in a text, in no unit."""
    there = {Decimal(d.replace("_", "")) for d in re.findall(r"(?<![\w.])\d[\d_]*(?:\.\d+)?", text)}
    there |= {Decimal(str(n)) for w, n in _WORDS.items() if re.search(rf"\b{w}\b", text, re.IGNORECASE)}
    return tuple(
        f for f in list_figures(statement) if not any(f * by == n or n * by == f for n in there for by in _FACTORS)
    )


def find_contradiction(statement: str, sentence: str, all_said: str = "") -> str:
    """Say how the handbook's sentence differs from the statement it stands for; empty where nothing is seen.

    Figures of either that the other lacks, and a bound that is upper in one and lower in the other. Where several statements stand
    for one sentence, `all_said` is what they say together. More than that cannot be told without understanding; so nothing found
    is no proof that they agree."""
    if not list_figures(statement):
        return ""
    lost = find_missing_figures(statement, sentence)
    if lost:
        return f"the evidence says {_listed(lost)}, the handbook does not"
    added = find_missing_figures(sentence, all_said or statement)
    if added:
        return f"the handbook says {_listed(added)}, the evidence does not"
    if any(map(_NEGATION.search, (statement, sentence))):  # then an upper bound may be the other's lower one
        return ""
    ways = [(bool(_AT_MOST.search(t)), bool(_AT_LEAST.search(t))) for t in (statement, sentence)]
    if ways == [(True, False), (False, True)]:
        return "the evidence gives an upper bound, the handbook a lower one"
    if ways == [(False, True), (True, False)]:
        return "the evidence gives a lower bound, the handbook an upper one"
    return ""


def _listed(figures: tuple[Decimal, ...]) -> str:
    return ", ".join(f"{f:f}".rstrip("0").rstrip(".") if f % 1 else f"{f:f}".split(".")[0] for f in figures[:4])
