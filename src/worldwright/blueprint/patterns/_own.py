"""Names that authors give to fields must not hide those that a pattern adds itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def not_own(given: Iterable[str], own: Collection[str]) -> None:
    """Refuse a name that the pattern already uses: a dict would overwrite it in silence."""
    for name in given:
        if name in own:
            raise ValueError(f"`{name}` is the pattern's own; choose another name")
