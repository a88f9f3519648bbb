"""Planned variants, built: the Blueprint varied, what is asked of tasks with it, and its parent named."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from worldwright.blueprint.checked import Checked
from worldwright.compiler.build import BuiltWorld, build
from worldwright.core.errors import WorldwrightError
from worldwright.core.memo import Memo
from worldwright.engine.contract import Contract
from worldwright.kinds.database.battery.settings import FULL, BatterySettings
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.variants.apply import apply, choose_task_options
from worldwright.variants.record import Variant

OF_ONE_WORLD = (
    WorldwrightError, sqlite3.Error, ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip
"""What a Blueprint may bring about that nobody thought of. Memory and disks are not among them: they concern every world."""


def build_variant(
    base: Checked,
    variant: Variant,
    lock: str = "",
    contract: Contract | None = None,
    battery: BatterySettings = FULL,
    settings: Mapping[str, str] = MappingProxyType({}),
    memo: Memo | None = None,
) -> BuiltWorld:
    """The world of a variant. Its parent is the lock of the anchor, or the Blueprint that it was varied from.

    `settings` are asked of the tasks of every variant, unless an axis of this one says otherwise.
    Half of the tasks at most are requests that the rules decide."""
    checked = apply(base, variant)
    profile, asked = choose_task_options(variant, "", settings)
    if "most" in settings and "contrast" not in settings:
        asked["contrast"] = str(min(int(asked["contrast"]), int(settings["most"]) // 2))
    parent = lock or (base.digest if checked.digest != base.digest else "")
    return build(
        checked, variant.seed, parent, knobs=knobs(profile, asked), contract=contract, battery=battery, memo=memo
    )


def build_siblings(
    base: Checked,
    variants: Iterable[Variant],
    lock: str = "",
    contract: Contract | None = None,
    battery: BatterySettings = FULL,
    settings: Mapping[str, str] = MappingProxyType({}),
    memo: Memo | None = None,
) -> Iterator[tuple[Variant, BuiltWorld | Exception]]:
    """Worlds of one place, one after the other: what they share is made for the first and kept for the rest.

    One that fails is given with what it failed of, and the others are built all the same."""
    shared = memo or Memo()
    for variant in variants:
        try:
            found: BuiltWorld | Exception = build_variant(base, variant, lock, contract, battery, settings, shared)
        except OF_ONE_WORLD as e:
            found = e
        yield variant, found
