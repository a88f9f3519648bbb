"""What is combined when variants are sampled: each axis with its settings, and of the rules each policy with its sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldwright.blueprint.checked import Checked
from worldwright.variants.axes import AXES, SEED, parse_axes, policy
from worldwright.variants.axis import Setting
from worldwright.variants.record import USUAL, Variant

RULES = policy.AXIS.name
Levels = Mapping[str, str]
"""By factor, its level."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that has one of several levels in a variant, the usual one first."""

    name: str
    """The axis, or `policy:NAME`."""
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """Everything that may be combined for one Blueprint."""

    checked: Checked
    axes: tuple[str, ...]
    offers: Mapping[str, tuple[Setting, ...]]
    places: tuple[Factor, ...]
    """Factors of everything but the policies."""
    rules: tuple[Factor, ...]

    @property
    def factors(self) -> tuple[Factor, ...]:
        return (*self.rules, *self.places)

    @property
    def seeds(self) -> bool:
        """Whether every place has a seed of its own."""
        return SEED in self.axes

    def settings(self, levels: Levels) -> dict[str, str]:
        """The settings that these levels are, in the order of the axes, the usual ones left out."""
        bp = self.checked.blueprint
        rules = {factor.name.removeprefix(f"{RULES}:"): levels[factor.name] for factor in self.rules}
        found = {factor.name: levels[factor.name] for factor in self.places}
        found[RULES] = policy.write_setting(bp, rules) if rules else USUAL
        return {axis: found[axis] for axis in AXES if found.get(axis, USUAL) != USUAL}

    def levels(self, variant: Variant) -> dict[str, str]:
        """The level of every factor in a variant."""
        rules = policy.parse_setting(self.checked.blueprint, variant.settings.get(RULES, USUAL))
        own = {f.name: rules.get(f.name.removeprefix(f"{RULES}:"), policy.DEFAULT) for f in self.rules}
        return own | {f.name: variant.settings.get(f.name, USUAL) for f in self.places}


def find_space(checked: Checked, axes: Sequence[str] = ()) -> Space:
    """Find what may be combined for a Blueprint, on these axes or on all."""
    names = parse_axes(axes)
    offers = {axis: AXES[axis].offers(checked) for axis in names if axis != SEED}
    places = tuple(
        Factor(axis, (USUAL, *(s.value for s in found))) for axis, found in offers.items() if axis != RULES and found
    )
    levels = policy.list_levels(checked.blueprint) if RULES in names else {}
    rules = tuple(Factor(f"{RULES}:{name}", sets) for name, sets in levels.items())
    return Space(checked, names, offers, places, rules)
