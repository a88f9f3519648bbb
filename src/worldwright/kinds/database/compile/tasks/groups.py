"""Which tasks of a world belong together, because they are about the same things: a split keeps them on one side."""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.kinds.database.compile.tasks.candidates import Candidate
from worldwright.kinds.database.compile.tasks.plans import NewRow

Binding = tuple[str, tuple[tuple[str, str], ...]]
"""A goal and the rows that it is about, by name."""


def list_bindings(candidate: Candidate) -> tuple[Binding, ...]:
    """List the goals of a task with the rows that they are about, but for those about rows that it makes itself."""
    out = []
    for bound in candidate.bounds:
        rows = sorted((name, key) for name, (_, key) in bound.rows.items() if not isinstance(key, NewRow))
        if bound.goal and rows and len(rows) == len(bound.rows):
            out.append((bound.goal, tuple(rows)))
    return tuple(out)


def number_groups(candidates: Sequence[Candidate]) -> tuple[int, ...]:
    """Number the groups of tasks that share a binding, directly or by a third, from 1 on in the order of the tasks."""
    first: dict[Binding, int] = {}
    parent = list(range(len(candidates)))

    def find(at: int) -> int:
        while parent[at] != at:
            at = parent[at]
        return at

    for at, candidate in enumerate(candidates):
        for binding in list_bindings(candidate):
            one, other = sorted((find(at), find(first.setdefault(binding, at))))
            parent[other] = one
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(find(at), len(numbers) + 1) for at in range(len(candidates)))
