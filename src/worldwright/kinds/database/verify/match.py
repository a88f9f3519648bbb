"""Holding net changes against patterns, up to one renaming of new rows.

Rows are taken for patterns one after the other, always for the pattern that fewest rows fit. Of rows that are interchangeable only
one is tried (see `ties`). What still branches is counted, and more than `MAX_BRANCHES` is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from worldwright.core.errors import BuildError
from worldwright.kinds.database.verify.narrowing import narrow, optional
from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Accepted, During, Is, Of, Pattern
from worldwright.kinds.database.verify.ties import kinds

MAX_BRANCHES = 64

Names: TypeAlias = dict[str, str]
"""By label, the id of the row that it stands for."""
Way: TypeAlias = tuple[int | None, Names]
"""A row to take for a pattern and the names after that; None where the pattern goes without."""


class TooManyWays(BuildError):
    """The rows can be told apart in too many ways: such a task is not sealed."""


@dataclass(frozen=True, slots=True)
class Match:
    """How the rows were taken."""

    rows: Mapping[int, tuple[int, ...]]
    """By pattern, the net rows it stands for."""
    names: Mapping[str, str]
    """By label, the id."""
    missing: tuple[int, ...] = ()
    """Patterns that no row fits."""
    extra: tuple[int, ...] = ()
    """Net rows that no pattern explains."""

    @property
    def whole(self) -> bool:
        return not self.missing and not self.extra


def match(patterns: Accepted, net: Sequence[NetRow], span: tuple[str, str]) -> Match:
    """The best way to explain the net changes by the patterns; `span` is the episode's first and last moment."""
    can = _find_candidates(patterns, net, span)
    found = _match_unique(patterns, net, can, span)
    if found is not None:
        return found
    search = _Search(patterns, net, span, can)
    if search.lacking:
        return _find_nearest(search)
    if not search.strange:
        found = search.find_whole()
        if found is not None:
            return found
    try:
        return search.run(search.singles, {}) or _find_nearest(search)
    except TooManyWays:  # there is no whole match, and this one is only for the report
        return _find_nearest(search)


def _find_candidates(patterns: Accepted, net: Sequence[NetRow], span: tuple[str, str]) -> list[list[int]]:
    """Return by pattern the rows that fit it as long as nothing is named."""
    rows: dict[tuple[str, str], list[int]] = {}
    for r, row in enumerate(net):
        rows.setdefault((row.op, row.table), []).append(r)
    return [[r for r in rows.get((p.op, p.table), ()) if fit_row(p, net[r], {}, span) is not None] for p in patterns]


def _match_unique(
    patterns: Accepted, net: Sequence[NetRow], can: list[list[int]], span: tuple[str, str]
) -> Match | None:
    """Return the match where each pattern has one row and each row one pattern, as nearly always; None where one has to search."""
    if len(patterns) != len(net) or any(len(rows) != 1 for rows in can) or len({rows[0] for rows in can}) != len(net):
        return None
    names: Names = {}
    for pattern, (r,) in zip(patterns, can, strict=True):
        bound = None if pattern.many else fit_row(pattern, net[r], names, span)
        if bound is None:
            return None
        names = bound
    return Match({p: (r,) for p, (r,) in enumerate(can)}, names)


def fit_row(pattern: Pattern, row: NetRow, names: Names, span: tuple[str, str]) -> Names | None:
    """Return the names after taking this row for this pattern; None where it does not fit."""
    if row.op != pattern.op or row.table != pattern.table or (pattern.id and row.id != pattern.id):
        return None
    fresh: Names = {}
    if pattern.label and names.get(pattern.label, row.id) != row.id:
        return None
    if pattern.label:
        fresh[pattern.label] = row.id
    cells = pattern.cells
    for name, value in row.cells.items():
        cell = cells.get(name)
        if isinstance(cell, Is):
            if cell.value != value:
                return None
        elif isinstance(cell, Of):
            if value is None or (names.get(cell.label) or fresh.setdefault(cell.label, value)) != value:
                return None
        elif isinstance(cell, During):
            if not isinstance(value, str) or not span[0] <= value <= span[1]:
                return None
        elif cell is None:
            return None
    if row.op == "changed" and any(isinstance(c, (Is, Of)) and k not in row.cells for k, c in cells.items()):
        return None
    return {**names, **fresh} if fresh else names


class _Search:
    """One go at taking net rows for patterns."""

    __slots__ = (
        "branches", "can", "free", "labels", "lacking", "net", "patterns", "pinned", "several", "singles", "span", "spare",
        "strange", "strict", "taken", "used",
    )  # fmt: skip

    def __init__(self, patterns: Accepted, net: Sequence[NetRow], span: tuple[str, str], can: list[list[int]]) -> None:
        self.patterns = patterns
        self.net = net
        self.span = span
        self.can = can
        self.taken: dict[int, int] = {}
        self.used: set[int] = set()
        self.branches = 0
        self.strict = False
        """Whether only a way that explains every row will do."""
        counted = sorted((not p.id, len(self.can[i]), i) for i, p in enumerate(patterns) if not p.many)
        self.singles = [i for _, _, i in counted]
        self.several = [i for i, p in enumerate(patterns) if p.many]
        self.spare = {r for i in self.several for r in self.can[i]}
        """Rows that a pattern for many could take."""
        self.pinned = {c.value for p in patterns for c in p.cells.values() if isinstance(c, Is)} | {
            p.id for p in patterns
        }
        self.free = [optional(p) for p in patterns]
        self.labels = [{p.label, *(c.label for c in p.cells.values() if isinstance(c, Of))} for p in patterns]
        needed = [i for i, free in enumerate(self.free) if not free]
        self.lacking = len(needed) > len(net) or any(not self.can[i] for i in needed)
        """Whether some pattern goes without for certain."""
        known = {r for can in self.can for r in can}
        self.strange = len(known) < len(net) or len(net) - len(self.spare) > len(self.singles)
        """Whether some row stays unexplained for certain."""

    def find_whole(self) -> Match | None:
        """Find a way that explains every row, where there is one."""
        everything = self.can
        if any(
            len(rows) > 1 for rows in self.can
        ):  # where every pattern has one row at most, there is nothing to narrow
            self.can = narrow(self.patterns, self.net, self.can)
        self.strict = True
        found = self.run(self.singles, {})
        self.strict, self.can, self.branches = False, everything, 0
        return found

    def run(self, waiting: Sequence[int], names: Names) -> Match | None:
        """Take rows for the patterns that wait; None where that cannot be."""
        trail: list[int] = []
        p, ways = -1, list[Way]()
        while waiting:
            p, ways = self._choice(waiting, names)
            waiting = [q for q in waiting if q != p]
            if len(ways) != 1:
                break
            names = self._take(p, ways.pop())
            trail.append(p)
        else:
            found = self._share_out(names)
            if found.whole or not self.strict:
                return found
        for k, way in enumerate(ways):
            self._count(k)
            found_below = self.run(waiting, self._take(p, way))
            if found_below is not None:
                return found_below
            self._give_back(p)
        for p in trail:
            self._give_back(p)
        return None

    def _take(self, p: int, way: Way) -> Names:
        r, names = way
        if r is not None:
            self.taken[p] = r
            self.used.add(r)
        return names

    def _give_back(self, p: int) -> None:
        if p in self.taken:
            self.used.remove(self.taken.pop(p))

    def _count(self, k: int) -> None:
        self.branches += k > 0
        if self.branches > MAX_BRANCHES:
            raise TooManyWays(f"the new rows of this end state can be told apart in more than {MAX_BRANCHES} ways")

    def _choice(self, waiting: Sequence[int], names: Names) -> tuple[int, list[Way]]:
        """The pattern with the fewest ways to go on, and these ways."""
        if self.strict and len(self.net) - len(self.used | self.spare) > len(waiting):
            return waiting[0], []
        best, fewest = waiting[0], len(self.net) + 2
        for p in sorted(waiting, key=lambda p: names.keys().isdisjoint(self.labels[p])):
            if names.keys().isdisjoint(self.labels[p]):  # names make no difference yet, so counting is enough
                ways = sum(r not in self.used for r in self.can[p]) + self.free[p]
            else:
                ways = len(self._ways(p, names))
            if ways < fewest:
                best, fewest = p, ways
            if ways <= 1:
                break
        return best, self._distinguish(self._ways(best, names), names)

    def _ways(self, p: int, names: Names) -> list[Way]:
        out: list[Way] = [
            (r, bound)
            for r in self.can[p]
            if r not in self.used and (bound := fit_row(self.patterns[p], self.net[r], names, self.span)) is not None
        ]
        if self.free[p]:
            out.append((None, names))
        return out

    def _distinguish(self, ways: list[Way], names: Names) -> list[Way]:
        """Keep the ways that really differ."""
        if len(ways) < 2 or (len(ways) == 2 and ways[1][0] is None):
            return ways
        fixed = {*self.pinned, *names.values(), *(self.net[r].id for r in self.used)}
        kind = kinds(self.net, fixed)
        return list({-1 if r is None else kind[r]: (r, bound) for r, bound in reversed(ways)}.values())[::-1]

    def _share_out(self, names: Names) -> Match:
        """Give what is left to the patterns that take rows in any number, to each at least one."""
        left = [r for r in range(len(self.net)) if r not in self.used]
        takers: dict[int, list[int]] = {r: [] for r in left}
        for p in self.several:
            pattern = self.patterns[p]
            others = {k: v for k, v in names.items() if k != pattern.label}
            for r in left:
                if fit_row(pattern, self.net[r], others, self.span) is not None:
                    takers[r].append(p)
        owner = _assign_one_each([p for p in self.several if not self.free[p]], takers)
        for r in left:
            if takers[r]:
                owner.setdefault(r, takers[r][0])
        shares: dict[int, tuple[int, ...]] = {p: (r,) for p, r in self.taken.items()}
        for r, p in sorted(owner.items()):
            shares[p] = (*shares.get(p, ()), r)
        missing = tuple(p for p in self.several if p not in shares and not self.free[p])
        return Match(shares, names, missing, tuple(r for r in left if r not in owner))


def _assign_one_each(several: Sequence[int], takers: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Map each row to the pattern that gets it, so that as many patterns as possible get one."""
    owner: dict[int, int] = {}

    def give(p: int, asked: set[int]) -> bool:
        for r, patterns in takers.items():
            if p in patterns and r not in asked:
                asked.add(r)
                if r not in owner or give(owner[r], asked):
                    owner[r] = p
                    return True
        return False

    for p in several:
        give(p, set())
    return owner


def _find_nearest(search: _Search) -> Match:
    """Match each pattern with the first row that fits it, for the report of a failure."""
    names: Names = {}
    taken: dict[int, int] = {}
    missing = []
    for p in (*search.singles, *search.several):
        pattern = search.patterns[p]
        for r in search.can[p]:
            bound = None if r in taken.values() else fit_row(pattern, search.net[r], names, search.span)
            if bound is not None:
                taken[p], names = r, bound
                break
        else:
            if not search.free[p]:
                missing.append(p)
    extra = tuple(r for r in range(len(search.net)) if r not in taken.values())
    return Match({p: (r,) for p, r in taken.items()}, names, tuple(sorted(missing)), extra)
