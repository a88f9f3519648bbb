"""Narrowing: which rows a pattern can stand for, seen from the rows that refer to it and to which it refers.

A row is out of the question for a pattern where the references in and out of it cannot be those that the patterns demand.
Going over this until nothing changes tells most end states apart that differ only in how their new rows hang together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Accepted, AnyValue, Cell, During, Is, Of, Pattern

Place: TypeAlias = tuple[str, str, str]
"""Where a reference stands: op, table, column."""


def optional(pattern: Pattern) -> bool:
    """A row that may stay as it is: nothing that could differ in it is demanded."""
    return pattern.op == "changed" and all(isinstance(c, (AnyValue, During)) for c in pattern.cells.values())


def narrow(patterns: Accepted, net: Sequence[NetRow], can: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return by pattern those of its rows that the rows around them allow."""
    wires = _References(patterns, net)
    left = [set(rows) for rows in can]
    while True:
        before = sum(map(len, left))
        for p, rows in enumerate(left):
            if not patterns[p].many:
                left[p] = {r for r in rows if wires.allow(p, r, left)}
        if sum(map(len, left)) == before:
            return [[r for r in rows if r in left[p]] for p, rows in enumerate(can)]


class _References:
    """The references that patterns demand, and those that are there."""

    def __init__(self, patterns: Accepted, net: Sequence[NetRow]) -> None:
        self.patterns = patterns
        self.net = net
        self.at = {row.id: r for r, row in enumerate(net)}
        owner = _map_owners(patterns)
        self.out = [
            [(k, owner[c.label]) for k, c in p.cells.items() if isinstance(c, Of) and c.label in owner]
            for p in patterns
        ]
        """By pattern, the columns that refer to the row of another pattern."""
        self.back: list[dict[Place, list[int]]] = [{} for _ in patterns]
        """By pattern, the patterns that refer to its row, by place."""
        for q, pattern in enumerate(patterns):
            if not pattern.many:
                for name, p in self.out[q]:
                    self.back[p].setdefault((pattern.op, pattern.table, name), []).append(q)
        self.pointing: dict[str, dict[Place, list[int]]] = {}
        """By id, the rows that refer to it, by place."""
        for r, row in enumerate(net):
            for name, value in row.cells.items():
                if value in self.at:
                    self.pointing.setdefault(value, {}).setdefault((row.op, row.table, name), []).append(r)
        self.open = {(p.op, p.table, k) for p in patterns for k, c in p.cells.items() if p.many or self._open(c, owner)}
        """Places where a reference may stand that no pattern demands."""

    def _open(self, cell: Cell, owner: Mapping[str, int]) -> bool:
        match cell:
            case Is(value=value):
                return value in self.at
            case Of(label=label):
                return label not in owner
        return True

    def allow(self, p: int, r: int, left: Sequence[Collection[int]]) -> bool:
        row = self.net[r]
        for name, q in self.out[p]:
            if self.at.get(row.cells.get(name, ""), -1) not in left[q] and not optional(self.patterns[q]):
                return False
        wanted, there = self.back[p], self.pointing.get(row.id, {})
        for place, patterns in wanted.items():
            rows = there.get(place, ())
            if len(rows) < len(patterns) or not all(any(s in left[q] for s in rows) for q in patterns):
                return False
        for place, rows in there.items():
            if place not in self.open:
                patterns = wanted.get(place, [])
                if len(rows) > len(patterns) or not all(any(s in left[q] for q in patterns) for s in rows):
                    return False
        return True


def _map_owners(patterns: Accepted) -> dict[str, int]:
    """Map each label to the one pattern that has it."""
    counts = Counter(p.label for p in patterns)
    return {p.label: i for i, p in enumerate(patterns) if p.label and not p.many and counts[p.label] == 1}
