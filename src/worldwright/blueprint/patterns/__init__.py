"""Patterns: small reusable mechanisms, each a function from parameters to a fragment of a Blueprint.

A pattern is a module in this folder with a docstring and an example in it, a `Params` model whose fields are described, and
`expand(params) -> dict`. Patterns are found by
looking here; there is no list to edit.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

MARK = "pattern:"
"""How the source of what a pattern added begins; its name follows."""


@dataclass(frozen=True, slots=True)
class Pattern:
    name: str
    says: str
    """The first line of its docstring."""
    doc: str
    """Its docstring, followed by its parameters."""
    params: type[BaseModel]
    expand: Callable[[Any], dict[str, Any]]


def names() -> tuple[str, ...]:
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")))


def get(name: str) -> Pattern:
    """A pattern by name; KeyError where there is none."""
    if name not in names():
        raise KeyError(name)
    module = importlib.import_module(f"{__name__}.{name}")
    text = (module.__doc__ or "").strip()
    doc = "\n".join([text, "", "Parameters", *_describe(module.Params)])
    return Pattern(name, text.split("\n", 1)[0], doc, module.Params, module.expand)


def _describe(model: type[BaseModel], indent: str = "") -> Iterator[str]:
    """A line for each parameter, with those of its parts below it."""
    for name, field in model.model_fields.items():
        default = "" if field.is_required() or field.default in (None, "", (), {}) else f" Default: {field.default}."
        yield f"{indent}- `{field.alias or name}`: {field.description}{default}"
        for part in _find_models(field.annotation):
            yield from _describe(part, f"{indent}  ")


def _find_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _find_models(part)
