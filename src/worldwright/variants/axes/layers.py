"""Layers: one of the complexity layers is on. Several are asked for by name, and are then on in every variant of a plan."""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.variants.axis import Axis, Setting
from worldwright.variants.inject import find_applicable_layers, inject
from worldwright.variants.layers import LAYERS


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    return tuple(Setting(name, LAYERS[name].phrase) for name in find_applicable_layers(checked))


def _inject(checked: Checked, value: str) -> Checked:
    if value not in LAYERS:
        raise UsageError(f"`layers` cannot be {value[:60]!r}; {suggest(value[:60], LAYERS)}")
    return inject(checked, [value])


AXIS = Axis("layers", "rules", 20, "one of the complexity layers is on", _list_settings, inject=_inject)
