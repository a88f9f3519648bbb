"""Look: which theme the systems of a world have in its app. Nothing else is touched: rows, rules, tasks and tools stay as they are.

It varies only where a plan names it (`--axes look,policy`): for whoever plays with tools the worlds are the same.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint
from worldwright.variants.axis import Axis, Setting, check_setting

LOOKS = ("harbour", "ledger", "meadow", "slate", "ember", "iris", "paper", "signal")
"""The themes of the app, which knows what each of them is."""


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    return tuple(Setting(name, f"the look {name}") for name in LOOKS)


def _vary(bp: Blueprint, value: str) -> Blueprint:
    """A copy: what is kept of the setting stands in the Blueprint's `axes`, where the app reads it."""
    check_setting("look", value, LOOKS)
    return bp.model_copy()


AXIS = Axis(
    "look", "surface", 120, "the theme of the first system in the app", _list_settings, _vary, by_name_only=True
)
