"""The rules of the past. A variant's rules hold from the opening on; what happened before, happened under the default ones.

So all policy variants of a Blueprint open on the same state, and one request can be put to every one of them.
"""

from __future__ import annotations

from collections import OrderedDict

from worldwright.blueprint.policy_parameters import choose_parameters
from worldwright.kinds.database.compiled_world import CompiledWorld

_KEPT: OrderedDict[str, CompiledWorld] = OrderedDict()
MOST = 8
"""Compiled worlds that are kept: variants of one Blueprint are built one after the other."""


def before(compiled: CompiledWorld) -> CompiledWorld:
    """The same world under its default rules: itself, where it has no others."""
    return under(compiled, {})


def under(compiled: CompiledWorld, variant: dict[str, str]) -> CompiledWorld:
    """The same world with these named parameters, compiled once for all variants that ask for it."""
    found = choose_parameters(compiled.blueprint, variant)
    if found is compiled.blueprint:
        return compiled
    kept = _KEPT.pop(found.digest, None) or CompiledWorld(found)
    _KEPT[found.digest] = kept
    while len(_KEPT) > MOST:
        _KEPT.popitem(last=False)
    return kept
