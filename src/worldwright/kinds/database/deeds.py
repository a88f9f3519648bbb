"""What the agent itself did to the rows of a world in which others act too: the frame of a verdict is about nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.kinds.database.unit_of_work import Change

Values = Sequence[Any] | None
At = tuple[str, str]


class Deeds:
    """By row, what it held before the agent first wrote to it, and what it would hold had nobody else written to it since."""

    __slots__ = ("_base", "_mine")

    def __init__(self, base: Mapping[At, Values] | None = None, mine: Mapping[At, Values] | None = None) -> None:
        self._base: dict[At, Values] = dict(base or {})
        self._mine: dict[At, Values] = dict(mine or {})

    def copy(self) -> Deeds:
        return Deeds(self._base, self._mine)

    def add(self, touched: Mapping[At, Values], standing: Mapping[At, Values]) -> None:
        """Note what a call of the agent changed, from what each row held before it to what it holds now."""
        for at, before in touched.items():
            after = standing[at]
            mine = self._mine.get(at)
            if at not in self._mine:
                self._base[at], self._mine[at] = _copy(before), _copy(after)
            elif before is None or after is None or mine is None:
                self._mine[at] = _copy(after)
            else:
                self._mine[at] = [a if b != a else m for b, a, m in zip(before, after, mine, strict=True)]

    def list_changes(self) -> tuple[Change, ...]:
        return tuple(
            Change(*at, self._base[at], mine) for at, mine in sorted(self._mine.items()) if self._base[at] != mine
        )

    def list_changes_since(self, earlier: Deeds) -> tuple[Change, ...]:
        """List what the agent changed after an earlier copy was taken."""
        out = []
        for at, mine in sorted(self._mine.items()):
            before = earlier._mine[at] if at in earlier._mine else self._base[at]
            if before != mine:
                out.append(Change(*at, before, mine))
        return tuple(out)

    def list_created(self) -> tuple[At, ...]:
        """List the rows that the agent added, in the order they came."""
        return tuple(at for at, before in self._base.items() if before is None)


def _copy(values: Values) -> Values:
    return None if values is None else list(values)
