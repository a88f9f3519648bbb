"""Packs that an older version kept as folders, taken over."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from worldwright.core.errors import PackError, StoreError
from worldwright.pack.open import open_pack
from worldwright.store.store import Store


def migrate(store: Store) -> Iterator[tuple[str, str]]:
    """Each pack as it is taken over, with what is wrong where it cannot be. Its folder goes when the pack is kept."""
    for folder in store.older_packs():
        try:
            pack = open_pack(folder)
        except PackError as e:
            yield folder.name, str(e)
            continue
        if pack.manifest.digest != folder.name:
            yield folder.name, f"it is the pack {pack.manifest.digest}"
            continue
        store.put(pack.files, pack.manifest)
        try:
            shutil.rmtree(folder)
        except OSError as e:
            raise StoreError(f"{folder} cannot be removed: {e.strerror}") from None
        yield folder.name, ""
