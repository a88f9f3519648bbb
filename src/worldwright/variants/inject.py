"""Layers laid over a Blueprint: by name, in the order of the layers, each checked before the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import check_again
from worldwright.blueprint.model import Blueprint
from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.variants.layer import Laid
from worldwright.variants.layers import LAYERS

_LAID: OrderedDict[tuple[str, str], Laid | None] = OrderedDict()
_MOST = 64


def chosen_layers(text: str | Iterable[str]) -> tuple[str, ...]:
    """`partial refunds, legacy dates` as names, in the order of the layers."""
    asked = [a.strip() for a in (text.split(",") if isinstance(text, str) else text)]
    names = ["_".join(a.lower().replace("-", " ").split()) for a in asked if a]
    for name in names:
        if name not in LAYERS:
            raise UsageError(f"no layer is called {name.replace('_', ' ')!r}; {nearest(name, LAYERS)}")
    return tuple(name for name in LAYERS if name in names)


def offered(checked: Checked) -> tuple[str, ...]:
    """The layers that have something to fall on here, and are not on it already."""
    return tuple(name for name in LAYERS if name not in checked.blueprint.layers and _laid(checked, name) is not None)


def inject(checked: Checked, names: Iterable[str]) -> Checked:
    """The Blueprint with these layers on; a UsageError where one has nothing to fall on."""
    out = checked
    for name in chosen_layers(names):
        if name in out.blueprint.layers:
            continue
        found = _laid(out, name)
        if found is None:
            raise UsageError(f"`{checked.blueprint.blueprint}` has nothing that the layer `{name}` could fall on")
        out = check_again(_noted(found, name), f"{out.blueprint.blueprint} with {name}")
    return out


def lay(bp: Blueprint, name: str) -> Blueprint:
    """The same for one layer and a Blueprint that was not checked yet."""
    return inject(check_again(bp, bp.blueprint), [name]).blueprint


def _noted(laid: Laid, name: str) -> Blueprint:
    """With what was laid written down in it."""
    bp = laid.blueprint
    return bp.model_copy(update={"layers": {**bp.layers, name: laid.parts}})


def _laid(checked: Checked, name: str) -> Laid | None:
    """Worked out once: plans ask for it again and again."""
    key = (checked.digest, name)
    if key not in _LAID:
        _LAID[key] = LAYERS[name].lay(checked)
        while len(_LAID) > _MOST:
            _LAID.popitem(last=False)
    return _LAID[key]
