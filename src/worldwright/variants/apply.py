"""From a Blueprint and a variant to the Blueprint of that variant, checked as any other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import add_record, check_again
from worldwright.blueprint.model import Blueprint
from worldwright.blueprint.policy_parameters import choose_parameters
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.variants.axes import AXES, policy
from worldwright.variants.axes.complexity import COMPLEXITY
from worldwright.variants.axis import Setting
from worldwright.variants.record import USUAL, Variant

MAX_CONTRASTS = 16
"""Requests that the rules decide, asked for in every variant: policy variants of one state share them."""


def derive(checked: Checked, variant: Variant) -> Blueprint:
    """Derive the Blueprint of a variant: one function per axis, in the order of the axes, layers first and policies last. Pure."""
    bp = checked.blueprint
    out = _vary(_inject(checked, variant).blueprint, variant)
    return out.model_copy(update={"axes": _merge_axes(bp, variant)}) if out is not bp else bp


def _inject(checked: Checked, variant: Variant) -> Checked:
    """Apply the settings that need a checked Blueprint."""
    if variant.family != checked.blueprint.blueprint:
        raise UsageError(f"a variant of `{variant.family}` was asked of `{checked.blueprint.blueprint}`")
    out = checked
    for name, value in _settings(variant):
        inject = AXES[name].inject
        if inject is not None:
            out = inject(out, value)
    return out


def _vary(bp: Blueprint, variant: Variant) -> Blueprint:
    """Apply all other settings."""
    out = bp
    for name, value in sorted(_settings(variant), key=lambda setting: setting[0] == policy.AXIS.name):
        vary = AXES[name].vary
        if vary is not None:
            out = vary(out, value)
    return out


def _merge_axes(bp: Blueprint, variant: Variant) -> dict[str, str]:
    """Merge what changed a Blueprint before with what this variant changes in it."""
    return {**bp.axes, **list_blueprint_axes(variant)}


def list_blueprint_axes(variant: Variant) -> dict[str, str]:
    """Return the settings that a Blueprint keeps: those that changed it. What its policies have it says under `variant` already."""
    return {
        name: value for name, value in _settings(variant) if name != policy.AXIS.name and AXES[name].changes_blueprint
    }


def apply(checked: Checked, variant: Variant) -> Checked:
    """The checked Blueprint of a variant. Policies come last and change nothing else, so siblings are checked once."""
    place = tuple(item for item in _settings(variant) if item[0] != policy.AXIS.name)
    found = _vary_all_but_policies(checked, Variant(variant.family, 0, dict(place)))
    chosen = variant.settings.get(policy.AXIS.name, USUAL)
    if chosen == USUAL:
        return found
    assert policy.AXIS.vary is not None
    return choose_parameters(found, policy.AXIS.vary(found.blueprint, chosen).variant)


@lru_cache(maxsize=4)
def _vary_all_but_policies(checked: Checked, variant: Variant) -> Checked:
    """Vary a Blueprint by every setting but that of the policies."""
    base = _inject(checked, variant)
    found, axes = _vary(base.blueprint, variant), _merge_axes(checked.blueprint, variant)
    if found is checked.blueprint:
        return checked
    if found is base.blueprint:
        return add_record(base, axes=axes)
    return check_again(found.model_copy(update={"axes": axes}), f"{found.blueprint} {variant.name}", base)


def choose_task_options(
    variant: Variant, asked: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, dict[str, str]]:
    """Return what is asked of tasks: the profile of complexity, medium unless an axis says another, and single knobs.

    Knobs that are `asked` for stand against what a profile brings along, but not against an axis of their own.
    """
    out: dict[str, str] = {"contrast": str(MAX_CONTRASTS), **asked}
    for name, value in _settings(variant):
        own = AXES[name].options
        said = own(value) if own is not None else {}
        out |= {knob: to for knob, to in said.items() if name != COMPLEXITY or knob not in asked}
    return out.pop(COMPLEXITY, "medium"), out


def describe(checked: Checked, settings: Mapping[str, str], offers: Mapping[str, tuple[Setting, ...]]) -> str:
    """Describe a variant: `strict rules, a terse plant manager, quarter end (30 September 2025)`."""
    parts = []
    for name, value in settings.items():
        said = {s.value: s.says for s in offers.get(name, ())}
        phrase = AXES[name].phrase
        parts.append(said[value] if value in said else phrase(checked.blueprint, value) if phrase else value)
    return ", ".join(parts) or "as usual"


def _settings(variant: Variant) -> list[tuple[str, str]]:
    for name in variant.settings:
        if name not in AXES:
            raise UsageError(f"no axis is called {name!r}; {suggest(name, AXES)}")
    return [(name, variant.settings[name]) for name in AXES if variant.settings.get(name, USUAL) != USUAL]
