"""The complexity layers, one file each, found by looking here. They are applied and named in alphabetical order."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from worldwright.variants.layer import Layer

LAYERS: Mapping[str, Layer] = {
    name: importlib.import_module(f"{__name__}.{name}").LAYER
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__))
}
