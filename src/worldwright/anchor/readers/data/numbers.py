"""Numbers as people write them: with separators for thousands, a decimal comma, a sign of a currency."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MAX_DIGITS = 15
"""Of a number with a fraction. Longer ones would not be the same number any more."""
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})\Z", re.ASCII)
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


def is_integer(text: str) -> bool:
    return bool(_INTEGER.match(text))


def bare(text: str) -> str:
    """An amount without the sign of its currency."""
    found = _MONEY.match(text)
    return found[1].strip() if found else text


def number_style(texts: Iterable[str]) -> Style | None:
    """The first style that all of the texts are written in."""
    values = list(texts)
    return next((s for s in STYLES if values and all(s.number(v) is not None for v in values)), None)
