"""What was worked out for an operation, kept for other variants in which it meets the same rules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.marks import Mark, Marks

T = TypeVar("T")

_MARKS: WeakKeyDictionary[Checked, Marks] = WeakKeyDictionary()


class Known(Generic[T]):
    """By operation and the choice for each rule that it may meet, what was found. The oldest make room."""

    def __init__(self, most: int = 4096) -> None:
        self._found: OrderedDict[Mark, T] = OrderedDict()
        self._most = most

    def of(self, blueprint: Checked, operation: str, work: Callable[[], T]) -> T:
        marks = _MARKS.get(blueprint)
        if marks is None:
            marks = _MARKS[blueprint] = Marks(blueprint)
        mark = marks.of(operation)
        if mark in self._found:
            self._found.move_to_end(mark)
            return self._found[mark]
        found = self._found[mark] = work()
        while len(self._found) > self._most:
            self._found.popitem(last=False)
        return found
