"""Figures that become parameters: their stricter and milder variants, and the sentence with their places left open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from worldwright.anchor.model.ruled.sentences import Figure, Sentence

LARGEST = 10**9
_NUMBER = re.compile(
    r"(?:\d{1,3}(?:[,.'’\u00a0 ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?|\b(?:one|two|three|four|five|six|seven|eight|"
    r"nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety)\b)(?:\s?\(\d{1,3}\))?",
    re.IGNORECASE,
)
_SCALED = re.compile(r"\s?(?:k|thousand|m|mn|million|bn|billion)\b", re.IGNORECASE)
_DAYS = re.compile(r"\s?days?\b", re.IGNORECASE)
_BRACES = {"{": "{{", "}": "}}"}
_COMPARES = {"over": "over", "under": "under", "at_least": "at least", "at_most": "at most", "within": "within"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A figure as a parameter of a policy."""

    name: str
    variants: dict[str, int | float]
    start: int
    end: int
    """Where it stands in the sentence."""
    put: str
    """What stands there instead; empty where it stays as it is written."""


def plain(value: float, places: int = 2) -> int | float:
    """A number as people write it."""
    rounded = round(value, places)
    return int(rounded) if rounded == int(rounded) else rounded


def parameter(
    s: Sentence, figure: Figure, name: str, value: int | float, upper: bool, least: float = 0, most: float = LARGEST
) -> Parameter:
    """A figure as a parameter. `upper`: what is beyond it is forbidden; `least` and `most` are what its variants may be."""
    low, high = (value // 2, value * 2) if isinstance(value, int) else (plain(value / 2), plain(value * 2))
    start, end, put, floor = _place(s, figure, name, value)
    others = {"strict": low if upper else high, "lenient": high if upper else low}
    fitting = {
        k: v for k, v in others.items() if put and v != value and v > 0 and max(least, floor) <= v <= min(most, LARGEST)
    }
    return Parameter(name, {"default": value, **fitting}, start, end, put)


def _place(s: Sentence, figure: Figure, name: str, value: int | float) -> tuple[int, int, str, int]:
    """Where the figure stands, what is put there, and the least that can stand there without breaking the grammar."""
    open_place = f"{{{name}}}"
    if not figure.written:
        at = len(s.text.rstrip(" ."))
        return at, at, f" ({_COMPARES.get(figure.quantity.compares, 'limit')} {open_place})", 0
    start, end = s.words[figure.start].start, s.words[figure.end - 1].end
    found = _NUMBER.search(s.text, start, end)
    if found is None or _SCALED.match(s.text, found.end()):
        return start, start, "", 0
    unit = _DAYS.match(s.text, found.end())
    if unit and name == "days":
        return found.start(), unit.end(), "{days:days}", 1
    if figure.quantity.unit in ("money", "percent", "") or s.text[found.end() :].startswith("-"):
        return found.start(), found.end(), open_place, 0
    return (found.start(), found.end(), open_place, 2) if value != 1 else (start, start, "", 0)


def said(s: Sentence, parameters: Sequence[Parameter]) -> str:
    """The sentence as it is written, with the places of parameters left open."""
    out, at = "", 0
    for p in sorted((p for p in parameters if p.put), key=lambda p: p.start):
        out += _escaped(s.text[at : p.start]) + p.put
        at = p.end
    return out + _escaped(s.text[at:])


def _escaped(text: str) -> str:
    return "".join(_BRACES.get(ch, ch) for ch in text)
