"""The axes, one file each, found by looking here. They are applied, named and spoken of in the order of their `rank`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.variants.axis import Axis

AXES: Mapping[str, Axis] = {
    axis.name: axis
    for axis in sorted(
        (importlib.import_module(f"{__name__}.{module.name}").AXIS for module in pkgutil.iter_modules(__path__)),
        key=lambda axis: axis.rank,
    )
}
SEED = "seed"
"""Not an axis of the Blueprint: other people, another past, for the same settings."""
NAMES = (*AXES, SEED)


def parse_axes(names: Iterable[str]) -> tuple[str, ...]:
    """The axes of these names, in their own order; where none is named, all that do not have to be."""
    asked = [name.strip() for name in names if name.strip()]
    for name in asked:
        if name not in NAMES:
            raise UsageError(f"no axis is called {name!r}; {suggest(name, NAMES)}")
    if asked:
        return tuple(name for name in NAMES if name in asked)
    return tuple(name for name in NAMES if name not in AXES or not AXES[name].by_name_only)
