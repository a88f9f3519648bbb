"""Which call was meant to be which change of the witness: same tool, most values the same, taken before refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.arena.diagnose.scene import GoldWrite, Leaf
from worldwright.kinds.database.compile.tasks.plans import list_leaves

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class WriteAttempt:
    """A call that the agent made to change something."""

    number: int
    tool: str
    arguments: Any
    ok: bool


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """One value that is not the witness's."""

    leaf: Leaf
    found: Any
    """None where it was left out."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A change of the witness, and the call that was meant to be it, where there is one."""

    gold: GoldWrite
    made: WriteAttempt | None
    differing: tuple[ValueDifference, ...] = ()

    @property
    def decisive(self) -> tuple[ValueDifference, ...]:
        """The differences that matter; where only open choices differ, those: one of them was a bad choice."""
        return tuple(d for d in self.differing if d.leaf.demanded) or self.differing


def align_writes(writes: Sequence[GoldWrite], calls: Sequence[WriteAttempt], own: Collection[str]) -> tuple[Pair, ...]:
    """A pair for each change of the witness. `own` are ids that the agent's own calls made."""
    offers = sorted(
        (sum(2 if d.leaf.demanded else 1 for d in found), not call.ok, abs(g - c), g, c)
        for g, gold in enumerate(writes)
        for c, call in enumerate(calls)
        if gold.tool == call.tool
        for found in (find_differences(gold, call, own),)
    )
    taken: dict[int, int] = {}
    for _, _, _, g, c in offers:
        if g not in taken and c not in taken.values():
            taken[g] = c
    return tuple(
        Pair(gold, calls[taken[g]], find_differences(gold, calls[taken[g]], own)) if g in taken else Pair(gold, None)
        for g, gold in enumerate(writes)
    )


def find_differences(gold: GoldWrite, call: WriteAttempt, own: Collection[str]) -> tuple[ValueDifference, ...]:
    """The values of a call that are not the witness's: ids of new rows are the same up to their names."""
    given = dict(list_leaves(call.arguments)) if isinstance(call.arguments, Mapping) else {}
    out = []
    for leaf in gold.leaves:
        found = given.get(leaf.path, _ABSENT)
        if found == leaf.value or (leaf.made and found in own):
            continue
        out.append(ValueDifference(leaf, None if found is _ABSENT else found))
    known = {leaf.path for leaf in gold.leaves}
    more = [path for path, value in given.items() if path not in known and value is not None]
    out += [ValueDifference(Leaf(path, None, None, False, False), given[path]) for path in more]
    return tuple(out)
