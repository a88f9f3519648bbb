"""What an axis is: one way in which worlds of a family may differ, and one function from Blueprint to Blueprint."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest

Kind = Literal["rules", "world", "surface"]
"""rules: what is right changes. world: other rows, the same rules. surface: the same world with another face."""
KINDS: Mapping[str, str] = {
    "rules": "what is right changes",
    "world": "other rows, the same rules",
    "surface": "the same world, shown or asked about in another way",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that an axis may have for a Blueprint."""

    value: str
    says: str
    """As a part of a sentence: `8% stale vendors`."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis. Everything about it is in the file of its name."""

    name: str
    kind: Kind
    rank: int
    """Its place in the order of the axes."""
    says: str
    offers: Callable[[Checked], tuple[Setting, ...]]
    """What it may be set to for this Blueprint, besides as usual; nothing where it cannot be varied soundly."""
    vary: Callable[[Blueprint, str], Blueprint] | None = None
    """Return the Blueprint with this setting; None where it is not the Blueprint that changes."""
    inject: Callable[[Checked, str], Checked] | None = None
    """As `vary`, where the change needs a checked Blueprint; it comes before every other."""
    options: Callable[[str], Mapping[str, str]] | None = None
    """What is asked of tasks instead: `complexity` and single knobs."""
    phrase: Callable[[Blueprint, str], str] | None = None
    """The part of the sentence for a setting that is not among the offers."""
    by_name_only: bool = False
    """Whether it varies only where it is named: plans that name no axis do without it."""

    @property
    def changes_blueprint(self) -> bool:
        return self.vary is not None or self.inject is not None


def check_setting(axis: str, value: str, known: Collection[str]) -> None:
    """Refuse a value that is not among those of the axis."""
    if value not in known:
        raise UsageError(f"`{axis}` cannot be {value[:60]!r}; {suggest(value[:60], known)}")
