"""Texts, by the facts they state: what must be there, and nothing of the same kind that must not.

A text states a fact where the fact stands in it, no other amount (or date, or id of that kind) stands beside it that could be
meant instead, and the clause around it does not deny, suppose or ask. So neither a text stuffed with every figure nor one that
says the opposite passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from worldwright.blueprint.types import Type
from worldwright.core import days
from worldwright.english.said_values import read_number
from worldwright.kinds.database.verify.answers import find_tolerance
from worldwright.kinds.database.verify.clauses import Stance, find_stance
from worldwright.kinds.database.verify.figures import find_days, find_figures, find_ids, normalise


def states_fact(text: str, fact: Any, kind: Type, year: int) -> bool:
    """Return whether the text states the fact (as people write it), and it alone of its kind. `year` is that of the text."""
    text = normalise(text)
    if kind.kind == "date":
        return _states_day(text, fact, year)
    if kind.numeric:
        return _states_number(text, fact, kind)
    return _states_word(text, " ".join(normalise(str(fact)).split()), kind)


def _states_day(text: str, fact: str, year: int) -> bool:
    day = days.parse_day(fact)
    found = find_days(text)
    claims = [d for d in found if not d.aside] or found
    return day is not None and all(d.is_on(day, year) for d in claims) and _is_affirmed(text, (d.at for d in claims))


def _states_number(text: str, fact: Any, kind: Type) -> bool:
    wanted = read_number(fact)
    found = [f for f in find_figures(text, counts=not kind.monetary) if not (f.percent and kind.monetary)]
    claims = [f for f in found if not f.aside] or found
    return (
        wanted is not None
        and all(f.value is not None and abs(f.value - wanted) <= find_tolerance(kind) for f in claims)
        and _is_affirmed(text, (f.at for f in claims))
    )


def _states_word(text: str, fact: str, kind: Type) -> bool:
    """A word, a name or an id."""
    text = " ".join(text.split())
    if not fact:
        return False
    places = [m.start() for m in re.finditer(rf"(?<!\w){re.escape(fact)}(?!\w)", text, re.IGNORECASE)]
    own = find_ids(fact)
    if own and any(prefix == own[0][1] and key != fact for _, prefix, key in find_ids(text)):
        return False
    others = "|".join(re.escape(v) for v in kind.values if v.casefold() != fact.casefold())
    beside = r"\W+(?:(?:or|and|but|maybe|perhaps)\W+)*"
    word = re.escape(fact)
    if others and re.search(rf"\b(?:{word}{beside}(?:{others})|(?:{others}){beside}{word})\b", text, re.IGNORECASE):
        return False
    return _is_affirmed(text, places)


def _is_affirmed(text: str, places: Iterable[int]) -> bool:
    """Return whether it is affirmed at one place at least and denied at none."""
    found = [find_stance(text, at) for at in places]
    return Stance.AFFIRMED in found and Stance.DENIED not in found
