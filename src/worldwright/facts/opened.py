"""A pack that a person named, opened with every check."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.siblings import load_cached
from worldwright.core.errors import PackError, StoreError, UsageError
from worldwright.core.names import suggest_path
from worldwright.engine.world import World
from worldwright.pack.open import Pack
from worldwright.store.open import pack_at, resolve, world_of


@dataclass(frozen=True, slots=True)
class OpenedPack:
    place: Path
    pack: Pack
    world: World
    checked: Checked
    """The pack's own Blueprint."""

    def operation(self, tool: str) -> str:
        """The operation behind a tool: its own name, or what the contract calls."""
        contract = self.world.contract
        return contract.tools[tool].operation if contract is not None and tool in contract.tools else tool


def place_of(named: str) -> Path:
    """The folder or archive of a path or reference."""
    if not named.strip():
        raise UsageError("name a pack: a folder, an archive, or a reference such as name:latest")
    try:
        return resolve(named)
    except StoreError:
        if "\\" in named or named.startswith((".", "/", "~")) or named.endswith(".tar"):
            raise StoreError(f"there is no pack at {named}{suggest_path(Path(named))}") from None
        raise


def open_place(place: Path) -> OpenedPack:
    try:
        pack = pack_at(place)
    except OSError as e:
        raise PackError(f"{place} cannot be read: {e}") from None
    world = world_of(pack)
    return OpenedPack(place, pack, world, load_cached(pack.blueprint))


def open_named(named: str) -> OpenedPack:
    return open_place(place_of(named))
