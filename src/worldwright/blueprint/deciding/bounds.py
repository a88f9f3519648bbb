"""Where a policy compares two ordered values: cases just below, at and just above, made by moving one value of a written case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from worldwright.blueprint.checked import Checked, Policy
from worldwright.blueprint.deciding.leaves import Given, Leaf, list_leaves, move, read_leaf, write_leaf
from worldwright.blueprint.deciding.tracing import Bench, Judged, is_bound
from worldwright.blueprint.expr import nodes as n

PROBES = (1, 100, 10_000, -1, -100)
"""Steps by which a value is first moved to see whether a bound follows it."""
MAX_ROUNDS = 12
"""Of the search for the value at which both sides are equal."""
APART = (1, 2, 3, 4, 5, 6, 7, 10, 20, 30, 50, 60, 100, 1_000, 10_000)
"""Steps away from the bound that are tried until the two sides differ."""


@dataclass(frozen=True, slots=True)
class Point:
    """One case: the value that was moved, as an author would write it, and what the code says."""

    value: Any
    side: int
    """-1 where the left side is below the right one, 0 where they are equal, 1 where it is above."""
    holds: bool
    given: Given


@dataclass(frozen=True, slots=True)
class BoundCases:
    """The cases around one bound, in the order of the value that was moved."""

    bound: n.Node
    leaf: Leaf
    points: tuple[Point, ...]

    @property
    def decides(self) -> bool:
        """Whether the verdict changes there."""
        return len({p.holds for p in self.points}) > 1

    @property
    def whole(self) -> bool:
        """Whether there is a case on both sides and one at the bound itself."""
        return {p.side for p in self.points} == {-1, 0, 1}


def list_bounds(blueprint: Checked, policy: Policy) -> tuple[n.Node, ...]:
    """List the comparisons of ordered values that a policy makes, itself and through terms."""
    found: dict[n.Node, None] = {}
    for node in (policy.when, policy.rule):
        if node is not None:
            found |= dict.fromkeys(_walk_terms(blueprint, node))
    return tuple(found)


def _walk_terms(blueprint: Checked, node: n.Node) -> Iterator[n.Node]:
    for part in n.walk(node):
        if is_bound(part):
            yield part
        elif isinstance(part, n.TermCall):
            yield from _walk_terms(blueprint, blueprint.terms[part.name].body)


def find_bound_cases(bench: Bench, bound: n.Node, bases: Sequence[Given]) -> BoundCases | None:
    """Find cases around a bound, of several the first that decide; None where moving no value reaches it."""
    second: BoundCases | None = None
    for given in bases:
        for leaf in list_leaves(given, bench.policy.takes, bench.blueprint.schema):
            found = _surround(bench, bound, given, leaf) if leaf.ordered else None
            if found is None:
                continue
            if found.decides and found.whole:
                return found
            if second is None or (found.whole, found.decides) > (second.whole, second.decides):
                second = found
    return second


@dataclass(frozen=True, slots=True)
class _Slide:
    """A case of which one value can be moved."""

    bench: Bench
    bound: n.Node
    given: Given
    leaf: Leaf
    occasion: int
    """Of the comparisons that this bound makes in the case, the number of the one that is watched."""

    def look(self, steps: int) -> tuple[int, Point] | None:
        """Move the value and return how far apart the sides are then, with the case; None where there is no such case."""
        schema = self.bench.blueprint.schema
        value = move(read_leaf(self.given, self.leaf, schema), self.leaf.type, steps)
        if value is None:
            return None
        given = write_leaf(self.given, self.leaf, value)
        judged = self.bench.judge(given)
        gaps = [] if judged is None else _gaps(judged, self.bound)
        if judged is None or len(gaps) <= self.occasion:
            return None
        gap = gaps[self.occasion]
        return gap, Point(value, (gap > 0) - (gap < 0), judged.holds, given)


def _gaps(judged: Judged, bound: n.Node) -> list[int]:
    return [gap for node, gap in judged.compared if node == bound]


def _surround(bench: Bench, bound: n.Node, given: Given, leaf: Leaf) -> BoundCases | None:
    judged = bench.judge(given)
    best: BoundCases | None = None
    for occasion in range(len(_gaps(judged, bound)) if judged is not None else 0):
        slide = _Slide(bench, bound, given, leaf, occasion)
        steps = _find_meeting(slide)
        points = {} if steps is None else _look_around(slide, steps)
        if not points:
            continue
        found = BoundCases(bound, leaf, tuple(points[at] for at in sorted(points)))
        if found.whole and found.decides:
            return found
        if best is None or (found.whole, found.decides) > (best.whole, best.decides):
            best = found
    return best


def _find_meeting(slide: _Slide) -> int | None:
    """Find by how many steps the value has to move for both sides to be equal, or nearly so where no value makes them equal."""
    start = slide.look(0)
    if start is None:
        return None
    for probe in PROBES:
        moved = slide.look(probe)
        if moved is not None and moved[0] != start[0]:
            return _follow_slope(slide, (0, start[0]), (probe, moved[0]))
    return None


def _follow_slope(slide: _Slide, one: tuple[int, int], other: tuple[int, int]) -> int | None:
    seen = {one[0], other[0]}
    nearest = min(one, other, key=lambda p: abs(p[1]))
    for _ in range(MAX_ROUNDS):
        if nearest[1] == 0 or one[1] == other[1]:
            break
        to = round(other[0] - Fraction(other[1] * (other[0] - one[0]), other[1] - one[1]))
        found = None if to in seen else slide.look(to)
        if found is None:
            break
        seen.add(to)
        one, other = other, (to, found[0])
        nearest = min(nearest, other, key=lambda p: abs(p[1]))
    return nearest[0]


def _look_around(slide: _Slide, steps: int) -> Mapping[int, Point]:
    """Return the case there and the nearest on either side of the bound; nothing where one side cannot be reached."""
    middle = slide.look(steps)
    if middle is None:
        return {}
    out = {steps: middle[1]}
    for direction in (-1, 1):
        for apart in APART:
            found = slide.look(steps + direction * apart)
            if found is None:
                break
            if found[1].side != middle[1].side:
                out[steps + direction * apart] = found[1]
                break
    return out if {p.side for p in out.values()} >= {-1, 1} else {}
