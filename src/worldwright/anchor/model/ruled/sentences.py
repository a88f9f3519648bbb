"""A rule as a sentence that can be looked into: its clauses, what demands, the verb, and where its figures stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldwright.anchor.evidence import Quantity, Rule
from worldwright.anchor.model.ruled.words import CAPABLE, REFUSED, SYSTEMS, Word, words_of

MOST_WORDS = 48
"""Longer sentences say more than one rule."""
_LABEL = re.compile(r"\A(?:[^\s:.]+ ){0,6}[^\s:.]+:\s+(?=\S+ \S+ \S+ \S+)")
_ASIDE = re.compile(r"\((?![^()]*\b(?:unless|except|only|not|if)\b)[^()]{0,120}\)|\[[^\[\]]{0,60}\]")
_PURPOSE = re.compile(
    r",?\s+(?:so that|in order to|to (?:ensure|avoid|prevent|guarantee|make sure)|because|which ensures|as this)\b.*|[,;]\s+otherwise\b.*",
    re.IGNORECASE | re.DOTALL,
)
_LEADS: Mapping[tuple[str, ...], str] = {
    ("as", "long", "as"): "while",
    ("as", "soon", "as"): "once",
    ("prior", "to"): "before",
    ("provided", "that"): "if",
    ("in", "case"): "if",
    **{
        (w,): w
        for w in (
            "if", "when", "whenever", "once", "after", "before", "until", "till", "unless", "while", "where", "provided", "following",
        )
    },
}  # fmt: skip
"""What begins a clause that hangs on another, and what it means."""
_MODALS = frozenset(
    "must shall should may can cannot can't mustn't shouldn't won't will need needs require requires".split()
)
_COPULAS = frozenset("is are be become becomes remain remains stay stays has have get gets".split())
_PASSED = frozenset(
    "not never only also be been being have has to then always no longer strictly still explicitly allowed permitted able "
    "ever either first already therefore is are considered".split()
)
"""Between what demands and its verb."""
_MARKS = frozenset(",;:/")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence."""

    lead: str
    """What joins it to the rest (`if`, `once`, `before`); empty for the main one."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, and its place among the words; no place where the sentence does not write it."""

    quantity: Quantity
    start: int
    end: int

    @property
    def written(self) -> bool:
        return self.start >= 0


@dataclass(frozen=True, slots=True)
class Sentence:
    """A rule, taken apart."""

    rule: Rule
    text: str
    """As it is said, on one line."""
    words: tuple[Word, ...]
    clauses: tuple[Clause, ...]
    figures: tuple[Figure, ...]
    demand: int
    """Where the word stands that demands; after the last where none does."""
    verb: int
    """Where its verb stands; -1 where there is none."""

    @property
    def forbids(self) -> bool:
        return self.rule.demands == "must_not"

    def lead_at(self, at: int) -> str:
        """What leads the clause that a word stands in."""
        return next((c.lead for c in self.clauses if c.start <= at < c.end), "")

    def low(self, at: int) -> str:
        return self.words[at].low if 0 <= at < len(self.words) else ""

    def by_system(self) -> bool:
        """Whether it is the system that is told what to do, or that something is turned away."""
        before = {w.low for w in self.words[: self.demand]}
        return bool(before & SYSTEMS) or (self.verb >= 0 and self.words[self.verb].stem in REFUSED)

    def offers(self) -> bool:
        """Whether it only says what the system lets people do."""
        return self.verb >= 0 and self.words[self.verb].stem in CAPABLE and not self.forbids and self.by_system()


def sentence(rule: Rule) -> Sentence:
    """A rule taken apart; what it is for and what stands in brackets is left out."""
    text = " ".join(rule.says.split())
    words = _counted(text)
    figures = tuple(_figures(rule.quantities, text, words))
    clauses = tuple(_clauses(words, figures))
    demand = _demand(words, clauses)
    return Sentence(rule, text, words, clauses, figures, demand, _verb(words, clauses, demand))


def _counted(text: str) -> tuple[Word, ...]:
    """The words that count."""
    label = _LABEL.match(text)
    start = label.end() if label else 0
    purpose = _PURPOSE.search(text, start)
    end = purpose.start() if purpose else len(text)
    asides = [(m.start(), m.end()) for m in _ASIDE.finditer(text)]
    return tuple(
        w
        for w in words_of(text)
        if start <= w.start and w.end <= end and not any(a <= w.start < b for a, b in asides) and w.low not in ".!\"'“”‘’"
    )


def _figures(quantities: Sequence[Quantity], text: str, words: Sequence[Word]) -> Iterator[Figure]:
    low, done = text.lower(), 0
    for quantity in quantities:
        at = low.find(quantity.text.lower(), done) if quantity.text else -1
        inside = [k for k, w in enumerate(words) if at >= 0 and at <= w.start and w.end <= at + len(quantity.text)]
        if inside:
            done = at + len(quantity.text)
            yield Figure(quantity, inside[0], inside[-1] + 1)
        elif at < 0:
            yield Figure(quantity, -1, -1)


def _clauses(words: Sequence[Word], figures: Sequence[Figure]) -> Iterator[Clause]:
    starts: list[tuple[int, int, str]] = []
    taken = {k for f in figures for k in range(f.start, f.end)}
    k = 0
    while k < len(words):
        form = next((f for f in _LEADS if tuple(w.low for w in words[k : k + len(f)]) == f), None)
        if form is not None and k not in taken:
            starts.append((k, k + len(form), _LEADS[form]))
        k += len(form) if form is not None else 1
    last = 0
    for n, (at, inside, lead) in enumerate(starts):
        if at > last:
            yield Clause("", last, at)
        following = starts[n + 1][0] if n + 1 < len(starts) else len(words)
        mark = next((j for j in range(inside, following) if words[j].low in ",;"), following)
        end = mark if at == 0 or mark < following else following
        yield Clause(lead, inside, end)
        last = end
    if last < len(words):
        yield Clause("", last, len(words))


def _demand(words: Sequence[Word], clauses: Sequence[Clause]) -> int:
    for wanted in (_MODALS, _COPULAS):
        for clause in clauses:
            if not clause.lead:
                for k in range(clause.start, clause.end):
                    if words[k].low in wanted:
                        return k
    return len(words)


def _verb(words: Sequence[Word], clauses: Sequence[Clause], demand: int) -> int:
    clause = next((c for c in clauses if c.start <= demand < c.end), None)
    if clause is None:
        return -1
    if words[demand].low in ("need", "needs", "require", "requires") and words[demand + 1 : demand + 2]:
        return demand if words[demand + 1].low != "to" else _after(words, demand + 1, clause.end)
    return _after(words, demand + 1, clause.end)


def _after(words: Sequence[Word], start: int, end: int) -> int:
    for k in range(start, end):
        low = words[k].low
        if low not in _PASSED and low not in _MARKS and not (low.endswith("ly") and len(low) > 4):
            return k
    return -1
