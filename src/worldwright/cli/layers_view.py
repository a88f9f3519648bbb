"""The complexity layers on the screen: what each does, and where it can be laid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.blueprint.checked import Checked
from worldwright.cli.console import folded, hanging
from worldwright.variants.axis import KINDS
from worldwright.variants.inject import inject, offered
from worldwright.variants.layers import LAYERS


def layer_data(checked: Checked | None) -> list[dict[str, Any]]:
    """Every layer. With a Blueprint, whether it can be laid there, and what it would put there or has put there."""
    out: list[dict[str, Any]] = []
    free = () if checked is None else offered(checked)
    for name, layer in LAYERS.items():
        found: dict[str, Any] = {"name": name, "kind": layer.kind, "says": layer.says}
        if checked is not None:
            on = name in checked.blueprint.layers
            bp = inject(checked, [name]).blueprint if name in free else checked.blueprint
            found |= {"offered": name in free, "on": on, "parts": list(bp.layers.get(name, ()))}
        out.append(found)
    return out


def show_layers(screen: Console, checked: Checked | None) -> None:
    for layer in layer_data(checked):
        name = layer["name"].replace("_", " ")
        screen.print(Text.assemble((name, "bold"), (f"  {layer['kind']}: {KINDS[layer['kind']]}", "dim")))
        hanging(screen, Text(layer["says"]), 2)
        if checked is not None:
            _place(screen, layer)


def _place(screen: Console, layer: Mapping[str, Any]) -> None:
    """Where it lies or would lie."""
    if layer["on"] or layer["offered"]:
        folded(
            screen, [f"{'is on' if layer['on'] else 'can be laid'}: {layer['parts'][0]}", *layer["parts"][1:]], 4, "dim"
        )
    else:
        screen.print(Text("    does not apply to this Blueprint", "dim"))
