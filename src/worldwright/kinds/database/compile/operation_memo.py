"""What was worked out for one operation, used again in every variant in which the operation meets the same rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from worldwright.blueprint.marks import Marks
from worldwright.core.memo import Memo, Slot
from worldwright.kinds.database.compiled_world import CompiledWorld

T = TypeVar("T")


def get_for_operation(memo: Memo, slot: Slot[T], compiled: CompiledWorld, operation: str, work: Callable[[], T]) -> T:
    """The result for an operation and the choice for each rule that it may meet."""
    return memo.get(slot, compiled.derive(_marks).of(operation), work)


def _marks(compiled: CompiledWorld) -> Marks:
    return Marks(compiled.blueprint)
