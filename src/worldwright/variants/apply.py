"""From a Blueprint and a variant to the Blueprint of that variant, checked as any other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.choice import rechosen
from worldwright.blueprint.load import check_again
from worldwright.blueprint.model import Blueprint
from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.variants.axes import AXES, policy
from worldwright.variants.axes.complexity import COMPLEXITY
from worldwright.variants.axis import Setting
from worldwright.variants.record import USUAL, Variant

CONTRAST = 16
"""Requests that the rules decide, asked for in every variant: policy variants of one state share them."""


def varied(bp: Blueprint, variant: Variant) -> Blueprint:
    """The Blueprint of a variant: one function per axis, in the order of the axes, policies last. Pure."""
    if variant.family != bp.blueprint:
        raise UsageError(f"a variant of `{variant.family}` was asked of `{bp.blueprint}`")
    out = bp
    for name, value in sorted(_settings(variant), key=lambda setting: setting[0] == policy.AXIS.name):
        vary = AXES[name].vary
        if vary is not None:
            out = vary(out, value)
    return out.model_copy(update={"axes": {**bp.axes, **written_axes(variant)}}) if out is not bp else bp


def written_axes(variant: Variant) -> dict[str, str]:
    """The settings that a Blueprint keeps: those that changed it. What its policies have it says under `variant` already."""
    return {
        name: value for name, value in _settings(variant) if name != policy.AXIS.name and AXES[name].vary is not None
    }


def apply(checked: Checked, variant: Variant) -> Checked:
    """The checked Blueprint of a variant. Policies come last and change nothing else, so siblings are checked once."""
    place = tuple(item for item in _settings(variant) if item[0] != policy.AXIS.name)
    found = _placed(checked, Variant(variant.family, 0, dict(place)))
    chosen = variant.settings.get(policy.AXIS.name, USUAL)
    if chosen == USUAL:
        return found
    assert policy.AXIS.vary is not None
    return rechosen(found, policy.AXIS.vary(found.blueprint, chosen).variant)


@lru_cache(maxsize=4)
def _placed(checked: Checked, variant: Variant) -> Checked:
    """The Blueprint with every setting but that of the policies."""
    found = varied(checked.blueprint, variant)
    if found is checked.blueprint:
        return checked
    return check_again(found, f"{found.blueprint} {variant.name}")


def options(
    variant: Variant, complexity: str = "", asked: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, dict[str, str]]:
    """What is asked of tasks: the profile of complexity (the given one unless an axis says another), and single knobs.

    Knobs that are `asked` for stand against what a profile brings along, but not against an axis of their own."""
    out: dict[str, str] = {"contrast": str(CONTRAST), **asked}
    for name, value in _settings(variant):
        own = AXES[name].options
        said = own(value) if own is not None else {}
        out |= {knob: to for knob, to in said.items() if name != COMPLEXITY or knob not in asked}
    return out.pop(COMPLEXITY, complexity or "medium"), out


def sentence(checked: Checked, settings: Mapping[str, str], offers: Mapping[str, tuple[Setting, ...]]) -> str:
    """What a variant is: `strict rules, a terse plant manager, quarter end (30 September 2025)`."""
    parts = []
    for name, value in settings.items():
        said = {s.value: s.says for s in offers.get(name, ())}
        phrase = AXES[name].phrase
        parts.append(said[value] if value in said else phrase(checked.blueprint, value) if phrase else value)
    return ", ".join(parts) or "as usual"


def _settings(variant: Variant) -> list[tuple[str, str]]:
    for name in variant.settings:
        if name not in AXES:
            raise UsageError(f"no axis is called {name!r}; {nearest(name, AXES)}")
    return [(name, variant.settings[name]) for name in AXES if variant.settings.get(name, USUAL) != USUAL]
