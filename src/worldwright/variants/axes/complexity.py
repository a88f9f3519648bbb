"""Complexity: the profile of difficulty that tasks are made to. How askers refer to things is left to `knowledge`."""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.blueprint.checked import Checked
from worldwright.variants.axis import Axis, Setting, check_setting

SAYS = {"easy": "easy tasks", "hard": "hard tasks"}
PROFILES = {"easy": "low", "hard": "high"}
COMPLEXITY = "complexity"
"""Among the options of a variant, the name of the profile; all others are single knobs."""


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    return tuple(Setting(value, says) for value, says in SAYS.items()) if checked.goals else ()


def _options(value: str) -> Mapping[str, str]:
    check_setting("complexity", value, SAYS)
    return {COMPLEXITY: PROFILES[value], "reference": "any"}


AXIS = Axis("complexity", "surface", 50, "how hard the tasks are", _list_settings, options=_options)
