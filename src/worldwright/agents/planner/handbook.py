"""The handbook in the system message: its rules by name, and how records move from state to state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from worldwright.agents.planner.words import stem_words, stems

_SECTION = re.compile(r"^#+\s*(.+?)\s*$", re.MULTILINE)
_ENTRY = re.compile(r"^[-*]\s*\*\*([^*]+)\*\*:?\s*(.*)$", re.MULTILINE)
_BEFORE = re.compile(r"\(Comes before: ([^)]*)\)\.?")
_MOVES = re.compile(r"(\w+) to ((?:\w+(?:, )?)+)")


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    says: str
    before: tuple[str, ...] = ()
    """Rules that this one is an exception to."""

    @property
    def meaning(self) -> frozenset[str]:
        return stems(f"{self.name}. {self.says}")


@dataclass(frozen=True, slots=True)
class Handbook:
    rules: tuple[Rule, ...]
    moves: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Per kind of record (its name as one plain word), the states and where each leads."""
    roles: tuple[str, ...] = ()

    def final(self, state: str) -> bool:
        """Return whether nothing ever leads on from a state, in any kind of record that knows it."""
        known = [
            table for table in self.moves.values() if (state in table or any(state in to for to in table.values()))
        ]
        return bool(known) and all(not table.get(state) for table in known)

    def find_saying(self, message: str) -> Rule | None:
        """Find the rule whose sentence a refusal gives as its reason."""
        told = stem_words(message)
        return next((r for r in self.rules if told and stem_words(r.says) == told), None)

    def rule(self, name: str) -> Rule | None:
        wanted = stem_words(name)
        return next((r for r in self.rules if stem_words(r.name) == wanted), None)


def read_handbook(told: str) -> Handbook:
    """Read the handbook out of the system message; parts that it does not have stay empty."""
    titles = list(_SECTION.finditer(told))
    ends = [m.start() for m in titles[1:]] + [len(told)] * bool(titles)
    parts = {m[1].lower(): told[m.end() : end] for m, end in zip(titles, ends, strict=True)}
    rules = [
        _rule(m[1], m[2])
        for title, text in parts.items()
        if "rule" in title or "polic" in title
        for m in _ENTRY.finditer(text)
    ]
    moves = {
        m[1].lower(): {state: tuple(to.split(", ")) for state, to in _MOVES.findall(m[2])}
        for title, text in parts.items()
        if "move" in title or "state" in title or "status" in title
        for m in _ENTRY.finditer(text)
    }
    roles = tuple(m[1].lower() for title, text in parts.items() if "role" in title for m in _ENTRY.finditer(text))
    return Handbook(tuple(rules), moves, roles)


def _rule(name: str, says: str) -> Rule:
    found = _BEFORE.search(says)
    before = tuple(name.strip(" .") for name in re.split(r", | and ", found[1])) if found else ()
    return Rule(name.strip(), _BEFORE.sub("", says).strip(), before)
