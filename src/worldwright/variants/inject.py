"""Layers laid over a Blueprint: by name, in the order of the layers, each checked before the next."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import add_record, check_again
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.variants.layer import Draft
from worldwright.variants.layers import LAYERS

MAX_CACHED = 32
"""Drafts, and Blueprints with one layer more, that are kept: plans ask for the same ones again and again."""


def parse_layers(text: str | Iterable[str]) -> tuple[str, ...]:
    """Parse `partial refunds, legacy dates` as names, in the order of the layers."""
    asked = [a.strip() for a in (text.split(",") if isinstance(text, str) else text)]
    names = ["_".join(a.lower().replace("-", " ").split()) for a in asked if a]
    for name in names:
        if name not in LAYERS:
            raise UsageError(f"no layer is called {name.replace('_', ' ')!r}; {suggest(name, LAYERS)}")
    return tuple(name for name in LAYERS if name in names)


def find_applicable_layers(checked: Checked) -> tuple[str, ...]:
    """The layers that have something to fall on here, and are not on it already."""
    return tuple(name for name in LAYERS if name not in checked.blueprint.layers and _draft(checked, name) is not None)


def inject(checked: Checked, names: Iterable[str]) -> Checked:
    """The Blueprint with these layers on; a UsageError where one does not apply."""
    out = checked
    for name in parse_layers(names):
        if name not in out.blueprint.layers:
            out = _inject_one(out, name)
    return out


@lru_cache(maxsize=MAX_CACHED)
def _inject_one(checked: Checked, name: str) -> Checked:
    """Apply one layer, and write down in the Blueprint what it added."""
    found = _draft(checked, name)
    if found is None:
        raise UsageError(f"layer `{name}` does not apply to `{checked.blueprint.blueprint}`")
    bp = found.blueprint
    noted = {**bp.layers, name: found.parts}
    if found.checked is not None:
        return add_record(found.checked, layers=noted)
    return check_again(bp.model_copy(update={"layers": noted}), f"{bp.blueprint} with {name}", checked)


@lru_cache(maxsize=MAX_CACHED)
def _draft(checked: Checked, name: str) -> Draft | None:
    return LAYERS[name].lay(checked)
