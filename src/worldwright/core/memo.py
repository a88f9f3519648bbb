"""A bounded memo of results. Whoever runs a series of builds makes one and passes it down: no module keeps results of its own."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Slot(Generic[T]):
    """One kind of result in a memo, declared beside the function that works it out."""

    name: str
    max_entries: int


class Memo:
    """Results by slot and key. A slot that is full forgets what was asked for longest ago."""

    def __init__(self) -> None:
        self._slots: dict[Slot[Any], OrderedDict[Hashable, Any]] = {}

    def get(self, slot: Slot[T], key: Hashable, work: Callable[[], T]) -> T:
        """The result under a key, worked out where the memo does not have it."""
        results = self._slots.setdefault(slot, OrderedDict())
        if key in results:
            results.move_to_end(key)
        else:
            results[key] = work()
            while len(results) > slot.max_entries:
                results.popitem(last=False)
        return cast("T", results[key])
