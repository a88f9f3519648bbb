"""Compiled worlds, each compiled once for all variants, seeds and stages of a build that ask for it.

A variant's rules hold from the opening on; what happened before, happened under the default ones. So all policy variants of a
Blueprint open on the same state, and one request can be put to every one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.marks import Marks
from worldwright.blueprint.policy_parameters import choose_parameters
from worldwright.core.memo import Memo, Slot
from worldwright.kinds.database.compiled_world import CompiledWorld

COMPILED: Slot[CompiledWorld] = Slot("compiled worlds", max_entries=16)


def compile_checked(checked: Checked, memo: Memo) -> CompiledWorld:
    """Compile a Blueprint, or find it compiled."""
    return memo.get(COMPILED, checked.digest, lambda: CompiledWorld(checked))


def compile_under(compiled: CompiledWorld, variant: Mapping[str, str], memo: Memo) -> CompiledWorld:
    """Compile the same world with these named parameters for its policies; itself, where it has them already."""
    found = choose_parameters(compiled.blueprint, dict(variant))
    return compiled if found is compiled.blueprint else compile_checked(found, memo)


def compile_default(compiled: CompiledWorld, memo: Memo) -> CompiledWorld:
    """Compile the same world under its default rules; itself, where it has no others."""
    return compile_under(compiled, {}, memo)


T = TypeVar("T")


def get_for_operation(memo: Memo, slot: Slot[T], compiled: CompiledWorld, operation: str, work: Callable[[], T]) -> T:
    """The result for an operation and the choice for each rule that it may meet."""
    return memo.get(slot, compiled.derive(_marks).mark(operation), work)


def _marks(compiled: CompiledWorld) -> Marks:
    return Marks(compiled.blueprint)
