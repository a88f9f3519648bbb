"""Where bases and runtimes are kept between builds: a layout of its own, and a note of what each was made from.

    $WORLDWRIGHT_HOME/oci/
    ├── blobs/sha256/...
    └── made/KEY.json       the record of a base or a runtime whose blobs are all there

All of it can be made again; removing the folder loses nothing but time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from worldwright.core.whole_file import write_whole
from worldwright.store.oci import spec
from worldwright.store.oci.layout import Layout
from worldwright.store.store import find_home


class SharedLayers(BaseModel):
    """Something that is shared by many images: layers, and the digests of what is packed in them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layers: tuple[spec.Descriptor, ...]
    diff_ids: tuple[str, ...]


M = TypeVar("M", bound=SharedLayers)


class LayerCache:
    """The folder of things that are made once."""

    def __init__(self, root: Path | None = None) -> None:
        self.layout = Layout(root if root is not None else find_home() / "oci")

    def get_or_make(self, kind: type[M], key: str, make: Callable[[Layout], M]) -> M:
        """Return what was made under this key before, where all of it is still there; else make it now."""
        path = self.layout.root / "made" / f"{key}.json"
        try:
            found = kind.model_validate_json(path.read_bytes())
            if all(map(self.layout.has, found.layers)):
                return found
        except (OSError, ValidationError):
            pass
        fresh = make(self.layout)
        write_whole(path, fresh.model_dump_json(by_alias=True, exclude_none=True))
        return fresh
