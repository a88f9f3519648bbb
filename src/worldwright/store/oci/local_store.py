"""Packs of the local store, by the name that somebody gave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from worldwright.pack.open import Pack
from worldwright.store.open import find_gym_packs, pack_at, resolve
from worldwright.store.store import Store

_START = re.compile(r"[0-9a-f]{6,64}\Z")


def _find_places(ref: str) -> dict[str, Path]:
    """Find where packs lie: those of a family, of one variant of it (`name:tag/variant`), of a digest, or of a path."""
    base, mark, variant = ref.partition("/")
    if Path(ref).exists():
        return find_gym_packs(ref)
    if mark and variant and base:
        return {variant: resolve(ref)}
    if _START.match(ref) and (ref, "latest") not in Store().list_references():
        return {ref[:12]: resolve(ref)}
    return find_gym_packs(ref)


def open_packs(ref: str) -> Iterator[tuple[str, Pack]]:
    """Yield every pack of a reference with its variant, opened when its turn comes."""
    for variant, place in _find_places(ref).items():
        yield variant, pack_at(place)


def count_of(ref: str) -> int:
    return len(_find_places(ref))
