"""A variant: what is set on each axis, and the seed. The rest follows from the Blueprint it is applied to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.core.canonical import digest

USUAL = "usual"
"""The setting of an axis that leaves the Blueprint as it is. A variant does not name it."""
FIRST = "policy"
"""The axis that a name begins with."""
MAX_NAME_CHARS = 60
"""Characters of a name: what a tag, a folder and a registry put up with."""
_PLAIN = re.compile(r"[a-z0-9_]{1,24}\Z")


@dataclass(frozen=True, slots=True)
class Variant:
    """One world of a family, before it is built."""

    family: str
    """The name of the Blueprint."""
    seed: int
    settings: Mapping[str, str] = field(default_factory=dict)
    """By axis, in the order of the axes; what is as usual is left out."""
    says: str = field(default="", compare=False)
    """What it is, in a sentence."""

    def __hash__(self) -> int:
        return hash((self.family, self.seed, tuple(sorted(self.settings.items()))))

    @property
    def digest(self) -> str:
        """The same for the same settings of the same family, whatever the sentence says."""
        return digest({"family": self.family, "seed": self.seed, "settings": dict(self.settings)})

    @property
    def name(self) -> str:
        """A readable name, another one for every other variant of the family: `strict.quarter_end-7`."""
        axes = sorted(self.settings, key=lambda axis: (axis != FIRST, axis))
        parts = [_shorten_setting(axis, self.settings[axis]) for axis in axes]
        name = f"{'.'.join(parts) or 'default'}-{self.seed}"
        if len(name) <= MAX_NAME_CHARS:
            return name
        end = f"-{self.digest[:8]}-{self.seed}"
        return name[: MAX_NAME_CHARS - len(end)].rstrip(".-_") + end

    def data(self) -> dict[str, Any]:
        """Return the variant as plain data."""
        return {"family": self.family, "seed": self.seed, "settings": dict(self.settings), "says": self.says}


def _shorten_setting(axis: str, value: str) -> str:
    """Shorten a setting for a name: itself where it is a word, and a few digits of its digest where it is a list."""
    return value if _PLAIN.match(value) else f"{axis}_{digest([axis, value])[:6]}"
