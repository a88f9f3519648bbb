"""The grade of a world that was made from evidence: how much of it is real, in figures and in one word.

    thin    little of it is understood: tools, rows and questions are there, the business is not
    plain   tools do what they say and rows can be; a few statements of the evidence are bound to something
    solid   most statements of the evidence about the business are bound to what could hold them, and requests run into rules
    deep    nearly all of them are, no rule was made up, and there are enough requests of every kind

What a rule is bound to may still mean something else than the statement: only cases that somebody else wrote tell, and how many
rules were held against such is said with the figures.

A word is reached where every demand of it is met. What keeps a world from the next word is said with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

GRADE = "grade.json"
"""The file in a pack that holds it."""
WORDS = ("thin", "plain", "solid", "deep")
FIGURES: Mapping[str, str] = {
    "writes": "writing tools with a real effect",
    "reads": "reading tools that answer from the state",
    "parameters": "parameters that change something",
    "answers": "parts of answers backed by the state",
    "claims": "statements about the business bound to what could hold them",
    "stated": "rules that come from the evidence",
    "values": "columns whose values fit their meaning",
}
"""Shares behind a grade."""
DEMANDS: Mapping[str, Mapping[str, float]] = {
    "plain": {"writes": 0.9, "reads": 0.9, "parameters": 0.5, "answers": 0.6, "values": 0.9, "claims": 0.2, "tasks": 10},
    "solid": {"writes": 0.95, "reads": 0.95, "parameters": 0.7, "answers": 0.8, "values": 0.95, "claims": 0.6, "stated": 0.5,
              "tasks": 25, "policy": 1},
    "deep": {"writes": 1.0, "reads": 1.0, "parameters": 0.9, "answers": 0.9, "values": 0.95, "claims": 0.85, "stated": 1.0,
             "tasks": 40, "policy": 5, "program": 3},
}  # fmt: skip
"""By word, what it takes. `tasks`, `policy` (requests that a rule decides) and `program` (several steps) are counts."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    good: int
    of: int

    def __str__(self) -> str:
        return f"{self.good:,} of {self.of:,}"


@dataclass(frozen=True, slots=True)
class Grade:
    """A word, the figures behind it, and what the next word asks for."""

    word: str
    shares: Mapping[str, Share]
    counts: Mapping[str, int]
    lacking: tuple[str, ...]

    def data(self) -> dict[str, object]:
        """The grade as a pack holds it."""
        return {
            "grade": self.word,
            "shares": {name: [s.good, s.of] for name, s in self.shares.items()},
            "counts": dict(self.counts),
            "lacking": list(self.lacking),
        }


def grade_world(shares: Mapping[str, Share], counts: Mapping[str, int], asked: float = 1.0) -> Grade:
    """The best word whose demands are met, and what is lacking for the next. `asked` is the part of all tasks that was asked for.

    A share of nothing meets a demand, except of claims: where the evidence states nothing, nothing of it holds."""
    word = WORDS[0]
    for better in WORDS[1:]:
        lacking = tuple(_lack(name, wanted, shares, counts, asked) for name, wanted in DEMANDS[better].items())
        said = tuple(filter(None, lacking))
        if said:
            return Grade(word, shares, counts, said)
        word = better
    return Grade(word, shares, counts, ())


def _lack(name: str, wanted: float, shares: Mapping[str, Share], counts: Mapping[str, int], asked: float) -> str:
    if name not in FIGURES:
        there, wanted = counts.get(name, 0), ceil(wanted * asked)
        return f"{there} {_COUNTED[name]}, {wanted:g} wanted" if there < wanted else ""
    share = shares.get(name, Share(0, 0))
    if not share.of:
        return "the evidence states nothing about the business" if name == "claims" else ""
    return f"{share} {FIGURES[name]}, {wanted:.0%} wanted" if share.good < wanted * share.of else ""


_COUNTED = {"tasks": "tasks", "policy": "requests that a rule decides", "program": "requests of several steps"}


def read_grade(data: Mapping[str, Any]) -> Grade:
    """A grade as its file has it."""
    shares = {name: Share(*pair) for name, pair in data["shares"].items()}
    return Grade(data["grade"], shares, data["counts"], tuple(data["lacking"]))


def reaches(word: str, least: str) -> bool:
    """Tell whether a grade is at least another."""
    return WORDS.index(word) >= WORDS.index(least)
