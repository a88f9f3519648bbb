"""Mess: how much of it there is, and of which kind there is more."""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint, MessSpec
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest, to_words
from worldwright.variants.axis import Axis, Setting

CLEAN, LIGHT, HEAVY = "clean", "light", "heavy"
FACTORS = {CLEAN: 0.0, LIGHT: 0.5, HEAVY: 2.5}
MORE = "more_"
MORE_FACTOR = 3.0
MAX_SHARE = 0.4
"""No layer touches more than this share of what it may touch, unless its author said so."""


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    bp = checked.blueprint
    if not any(layer.share for layer in bp.mess):
        return ()
    kinds = dict.fromkeys(layer.layer for layer in bp.mess if layer.share)
    values = (*FACTORS, *(f"{MORE}{kind}" for kind in kinds))
    return tuple(Setting(value, _phrase(bp, value)) for value in values)


def _vary(bp: Blueprint, value: str) -> Blueprint:
    return bp.model_copy(update={"mess": tuple(_layer(layer, value) for layer in bp.mess)})


def _layer(layer: MessSpec, value: str) -> MessSpec:
    kind = value.removeprefix(MORE)
    if value in FACTORS:
        factor = FACTORS[value]
    elif kind != value:
        factor = MORE_FACTOR if layer.layer == kind else 1.0
    else:
        raise UsageError(f"`mess` cannot be {value[:60]!r}; {suggest(value[:60], FACTORS)}")
    share = round(min(max(layer.share, MAX_SHARE), layer.share * factor), 4)
    return layer.model_copy(update={"share": share})


def _phrase(bp: Blueprint, value: str) -> str:
    if value in FACTORS:
        return {CLEAN: "no mess", LIGHT: "half the mess", HEAVY: "two and a half times the mess"}[value]
    layer = next(layer for layer in bp.mess if layer.layer == value.removeprefix(MORE))
    return f"{_layer(layer, value).share:.0%} {to_words(layer.label)}"


AXIS = Axis("mess", "world", 90, "how much mess there is, and of which kind there is more", _list_settings, _vary)
