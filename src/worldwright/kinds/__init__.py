"""Kinds of worlds. Each is a package here with a module `kind`; they are found by looking, not by a list."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from worldwright.core.errors import PackError


def kind(name: str) -> Any:
    """The module of a kind, by the name a manifest gives."""
    known = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg)
    if name not in known:
        raise PackError(f"worlds of kind {name!r} are not known to this version; it knows {', '.join(known)}")
    return importlib.import_module(f"{__name__}.{name}.kind")
