"""Patterns: small reusable mechanisms, each a function from parameters to a fragment of a Blueprint.

A pattern is a module in this folder with a docstring, a `Params` model and `expand(params) -> dict`. Patterns are found by
looking here; there is no list to edit.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

MARK = "pattern:"
"""How the source of what a pattern added begins; its name follows."""


@dataclass(frozen=True, slots=True)
class Pattern:
    name: str
    says: str
    """The first line of its docstring."""
    doc: str
    params: type[BaseModel]
    expand: Callable[[Any], dict[str, Any]]


def names() -> tuple[str, ...]:
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")))


def get(name: str) -> Pattern:
    """A pattern by name; KeyError where there is none."""
    if name not in names():
        raise KeyError(name)
    module = importlib.import_module(f"{__name__}.{name}")
    doc = (module.__doc__ or "").strip()
    return Pattern(name, doc.split("\n", 1)[0], doc, module.Params, module.expand)
