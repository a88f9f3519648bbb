"""Kinds of worlds, each a package here that is found by looking.

A kind has two doors: the module `kind` opens packs and runs worlds, the module `builder` builds and proves them. An image of
a world carries the first and not the second.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from worldwright.core.errors import PackError


def kind(name: str) -> Any:
    """Find the module that opens and runs worlds of a kind, by the name that a manifest gives."""
    return _load_kind(name, "kind")


def builder(name: str) -> Any:
    """Find the module that builds and proves worlds of a kind, by the name that a Blueprint gives."""
    return _load_kind(name, "builder")


def _load_kind(name: str, module: str) -> Any:
    known = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg)
    if name not in known:
        raise PackError(f"worlds of kind {name!r} are not known to this version; it knows {', '.join(known)}")
    return importlib.import_module(f"{__name__}.{name}.{module}")
