"""What a complexity layer is: one thing that makes real systems hard, laid over any Blueprint that has room for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint
from worldwright.variants.axis import Kind


@dataclass(frozen=True, slots=True)
class Draft:
    """A Blueprint with a layer on it."""

    blueprint: Blueprint
    parts: tuple[str, ...]
    """What the layer put there, each as `mess:LABEL`, `policy:NAME`, `decides:NAME`, `operation:NAME`, `goal:NAME` or
    `service:NAME`.
    Tasks that have to do with one of these touch the layer."""
    checked: Checked | None = None
    """The Blueprint as checked, where the layer has done that already."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer. Everything about it is in the file that has its name."""

    kind: Kind
    says: str
    """What it does to a world, as a sentence in docs and help."""
    phrase: str
    """As a part of a sentence: `dates in three styles`."""
    lay: Callable[[Checked], Draft | None]
    """The Blueprint with the layer; None where it does not apply. Pure: choices come from `Stream("layer", ...)`."""
