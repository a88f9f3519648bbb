"""Layers: one of the complexity layers is on. Several are asked for by name, and are then on in every variant of a plan."""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.variants.axis import Axis, Setting, check_setting
from worldwright.variants.inject import find_applicable_layers, inject
from worldwright.variants.layers import LAYERS


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    return tuple(Setting(name, LAYERS[name].phrase) for name in find_applicable_layers(checked))


def _inject(checked: Checked, value: str) -> Checked:
    check_setting("layers", value, LAYERS)
    return inject(checked, [value])


AXIS = Axis("layers", "rules", 20, "one of the complexity layers is on", _list_settings, inject=_inject)
