"""Which new rows of an end state are interchangeable: exchanging them changes nothing but names.

Each new row is coloured by table, plain cells and references to rows that are fixed, and refined by references in and out until
nothing changes. Where the references between rows that are not fixed form a forest, rows of one colour are interchangeable;
in a ring they need not be (two short rings look like a long one from every place), so there each row stands for itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from worldwright.kinds.database.verify.net import NetRow


def kinds(net: Sequence[NetRow], fixed: Collection[str]) -> list[int]:
    """A number for each row: two rows of one number are interchangeable. `fixed` are new ids that must keep their place."""
    loose = {row.id: i for i, row in enumerate(net) if row.op == "added" and row.id not in fixed}
    ahead: list[list[tuple[str, int]]] = [[] for _ in net]
    behind: list[list[tuple[str, int]]] = [[] for _ in net]
    for i, row in enumerate(net):
        for name, value in row.cells.items():
            at = loose.get(value)
            if at is not None:
                ahead[i].append((name, at))
                behind[at].append((name, i))
    found = _numbered([_literal(i, row, loose) for i, row in enumerate(net)])
    if any(ahead):
        found = _refine(found, ahead, behind)
        rings = _find_rings(net, loose, ahead)
        found = _numbered([(found[i], i if i in rings else -1) for i in range(len(net))])
    return found


def _literal(i: int, row: NetRow, loose: Collection[str]) -> Any:
    """A row by what does not depend on names; one that is old or fixed is like no other."""
    if row.id not in loose:
        return i
    return row.table, tuple((k, type(v), v) for k, v in sorted(row.cells.items()) if v not in loose)


def _refine(
    colours: list[int], ahead: Sequence[Sequence[tuple[str, int]]], behind: Sequence[Sequence[tuple[str, int]]]
) -> list[int]:
    while True:
        signs = [
            (
                own,
                tuple(sorted((k, colours[j]) for k, j in ahead[i])),
                tuple(sorted((k, colours[j]) for k, j in behind[i])),
            )
            for i, own in enumerate(colours)
        ]
        refined = _numbered(signs)
        if max(refined) == max(colours):
            return colours
        colours = refined


def _find_rings(net: Sequence[NetRow], loose: Collection[str], ahead: Sequence[Sequence[tuple[str, int]]]) -> set[int]:
    """Find the rows whose references, followed both ways, come back some other way."""
    group = list(range(len(net)))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    closed = []
    for i, row in enumerate(net):
        if row.id not in loose:
            continue  # a fixed row is no way from one row to another: whoever refers to it, or it to whom, is told apart by it
        for _, j in ahead[i]:
            one, other = root(i), root(j)
            if one == other:
                closed.append(i)
            group[one] = other
    ringed = {root(i) for i in closed}
    return {i for i in range(len(net)) if root(i) in ringed}


def _numbered(signs: Sequence[Any]) -> list[int]:
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(sign, len(numbers)) for sign in signs]
