"""A rule as a sentence that can be looked into: its clauses, what demands, the verb, and where its figures stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from worldwright.anchor.evidence import Quantity, Rule
from worldwright.anchor.model.ruled.words import CAPABLE, REFUSED, SYSTEMS, Word, words_of
from worldwright.english.words import wordset

MOST_WORDS = 48
"""Longer sentences say more than one rule."""
_LABEL = re.compile(r"\A(?:[^\s:.]+ ){0,6}[^\s:.]+:\s+(?=\S+ \S+ \S+ \S+)")
_ASIDE = re.compile(r"\((?![^()]*\b(?:unless|except|only|not|if)\b)[^()]{0,120}\)|\[[^\[\]]{0,60}\]")
_PURPOSE = re.compile(
    r",?\s+(?:so that|in order to|to (?:ensure|avoid|prevent|guarantee|make sure)|because|which ensures|as this)\b.*|"
    r"[,;]\s+otherwise\b.*",
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
        for w in ("if", "when", "whenever", "once", "after", "before", "until", "till", "unless", "while", "where", "provided")
    },
}  # fmt: skip
"""What begins a clause that hangs on another, and what it means."""
MODALS = wordset("must shall should may can cannot can't mustn't shouldn't won't will need needs require requires")
_COPULAS = wordset("is are be become becomes remain remains stay stays has have get gets")
_PASSED = wordset(
    "not never only also be been being to then always no longer strictly still explicitly allowed permitted able ever either first "
    "already therefore is are considered"
)
"""Between what demands and its verb."""
_MARKS = frozenset(",;:/")
_BARE = re.compile(
    r"\b(?:(?P<at_most>at most|up to|(?:no|not) (?:more|greater|higher|larger) than|not exceed|maximum of|limited to|capped at)|"
    r"(?P<at_least>at least|(?:no|not) (?:less|fewer|lower) than|minimum of)|(?P<over>more than|greater than|over|above|exceeds?|"
    r"exceeding)|(?P<under>less than|fewer than|under|below))\s+(?P<number>\d{1,9}(?:\.\d{1,2})?)"
    r"(?=\s*(?:[.;,)]|\Z|(?:per|and|or|for|in|can|may|must)\b))",
    re.IGNORECASE,
)
"""A number that is compared and counts nothing: `the quantity must not exceed 50`."""
_EXTREMES = (
    ("at_most", re.compile(r"\b(?:maximum|max|upper limit|ceiling)\b", re.IGNORECASE)),
    ("at_least", re.compile(r"\b(?:minimum|min)\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence."""

    lead: str
    """What joins it to the rest (`if`, `once`, `before`); empty for the main one."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, and its place among the words."""

    quantity: Quantity
    start: int
    end: int

    @property
    def covered(self) -> frozenset[int]:
        """The words that it is written with."""
        return frozenset(range(self.start, self.end))


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
    def demands(self) -> str:
        """What it demands: a system that has to turn something away forbids it."""
        stated = self.rule.demands
        if stated not in ("must", "may"):
            return stated
        denied = self.low(self.demand) in ("cannot", "can't") or self.low(self.demand + 1) in ("not", "never")
        passive = "be" in {w.low for w in self.words[self.demand : max(self.verb, 0)]}
        turned = self.of_system() and self.verb_stem() in REFUSED and not passive
        return "must_not" if denied or (turned and stated == "must") else stated

    @property
    def forbids(self) -> bool:
        return self.demands == "must_not"

    def low(self, at: int) -> str:
        return self.words[at].low if 0 <= at < len(self.words) else ""

    def lead_at(self, at: int) -> str:
        """Return what leads the clause that a word stands in."""
        return next((c.lead for c in self.clauses if c.start <= at < c.end), "")

    def verb_stem(self) -> str:
        return self.words[self.verb].stem if self.verb >= 0 else ""

    def of_system(self) -> bool:
        """Tell whether it is the system that is told what to do."""
        return bool({w.low for w in self.words[: self.demand]} & SYSTEMS)

    def by_system(self) -> bool:
        """Tell whether the system sees to it: it is told so, or something is turned away."""
        return self.of_system() or self.verb_stem() in REFUSED

    def offers(self) -> bool:
        """Tell whether it only says what the system lets people do."""
        return self.verb_stem() in CAPABLE and not self.forbids and self.of_system()


@lru_cache(maxsize=4096)
def sentence(rule: Rule) -> Sentence:
    """A rule taken apart; what it is for and what stands in brackets is left out."""
    text = " ".join(rule.says.split())
    words = _counted(text)
    figures = tuple(_figures(_all(rule.quantities, text), text, words))
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
        if start <= w.start
        and w.end <= end
        and not any(a <= w.start < b for a, b in asides)
        and w.low not in ".!\"'“”‘’"
    )


# figures


def _all(quantities: Sequence[Quantity], text: str) -> Sequence[Quantity]:
    """The figures of a sentence. A bare number where there is no other; an only one may be called the most or the least."""
    found = None if quantities else _BARE.search(text)
    if found:
        compares = next((k for k, v in found.groupdict().items() if v and k != "number"), "")
        return (Quantity(float(found["number"]), "", compares, found[0]),)
    if len(quantities) == 1 and quantities[0].compares == "exactly":
        return [replace(quantities[0], compares=k) for k, form in _EXTREMES if form.search(text)][:1] or quantities
    return quantities


def _figures(quantities: Sequence[Quantity], text: str, words: Sequence[Word]) -> Iterator[Figure]:
    low, done = text.lower(), 0
    for quantity in quantities:
        at = low.find(quantity.text.lower(), done) if quantity.text else -1
        inside = [k for k, w in enumerate(words) if at >= 0 and at <= w.start and w.end <= at + len(quantity.text)]
        if inside:
            done = at + len(quantity.text)
            yield Figure(quantity, inside[0], inside[-1] + 1)


# clauses


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
        end = next((j for j in range(inside, following) if words[j].low in ",;"), following)
        yield Clause(lead, inside, end)
        last = end
    if last < len(words):
        yield Clause("", last, len(words))


def _demand(words: Sequence[Word], clauses: Sequence[Clause]) -> int:
    for wanted in (MODALS, _COPULAS):
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
        perfect = low in ("have", "has") and k + 1 < end and words[k + 1].low.endswith(("been", "ed"))
        if low not in _PASSED and low not in _MARKS and not perfect and not (low.endswith("ly") and len(low) > 4):
            return k
    return -1


# Figures that become parameters: their stricter and milder variants, and the sentence with their places left open.


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
    """Return where the figure stands, what is put there, and the least that can stand there without breaking the grammar."""
    open_place = f"{{{name}}}"
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
