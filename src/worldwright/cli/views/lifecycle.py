"""Lifecycles drawn with arrows: the longest way through on one line, what leaves it below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

ARROW = " --> "
MAX_STEPS = 20_000
"""How long to look for the longest way; a lifecycle that needs more is drawn from what was found by then."""


def draw(lifecycle: Mapping[str, Sequence[str]], width: int = 80) -> list[str]:
    """Lines of arrows. A state in brackets is an end."""
    way = _find_longest_way(lifecycle)
    lines = _fold([_state(lifecycle, s) for s in way], width)
    along = set(pairwise(way))
    for state, following in lifecycle.items():
        rest = [_state(lifecycle, s) for s in following if (state, s) not in along]
        if rest:
            lines.append(f"{state}{ARROW}{' | '.join(rest)}")
    return lines


def _state(lifecycle: Mapping[str, Sequence[str]], state: str) -> str:
    return state if lifecycle.get(state) else f"[{state}]"


def _find_longest_way(lifecycle: Mapping[str, Sequence[str]]) -> list[str]:
    """Find the longest way from the first state that enters none twice; of equals, the one that the author wrote first."""
    best: list[str] = []
    todo: list[list[str]] = [[next(iter(lifecycle))]] if lifecycle else []
    steps = 0
    while todo and steps < MAX_STEPS:
        way = todo.pop()
        steps += 1
        if len(way) > len(best):
            best = way
        todo.extend([*way, s] for s in reversed(lifecycle.get(way[-1], ())) if s not in way)
    return best


def _fold(states: list[str], width: int) -> list[str]:
    lines: list[str] = []
    for state in states:
        if lines and len(lines[-1]) + len(ARROW) + len(state) <= width:
            lines[-1] += ARROW + state
        else:
            lines.append(("   " + ARROW.lstrip() if lines else "") + state)
    return lines
