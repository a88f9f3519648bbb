"""The axes, one file each. Their order is the order in which they are applied, named and spoken of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.variants.axes import (
    complexity,
    knowledge,
    layers,
    locale,
    mess,
    permissions,
    persona,
    policy,
    season,
    tools,
    volume,
)
from worldwright.variants.axis import Axis

AXES: Mapping[str, Axis] = {
    module.AXIS.name: module.AXIS
    for module in (policy, layers, permissions, persona, complexity, knowledge, season, volume, mess, locale, tools)
}
SEED = "seed"
"""Not an axis of the Blueprint: other people, another past, for the same settings."""
NAMES = (*AXES, SEED)


def chosen_axes(names: Iterable[str]) -> tuple[str, ...]:
    """The axes of these names, in their own order; all of them where none is named."""
    asked = [name.strip() for name in names if name.strip()]
    for name in asked:
        if name not in NAMES:
            raise UsageError(f"no axis is called {name!r}; {nearest(name, NAMES)}")
    return tuple(name for name in NAMES if name in asked) if asked else NAMES
