"""Opening worlds and gyms: from a folder, an archive, or a reference in the store."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from worldwright.core.errors import StoreError
from worldwright.engine.contract import CONTRACT, read_contract
from worldwright.engine.tasks import TaskBook
from worldwright.engine.world import Gym, World
from worldwright.kinds import kind
from worldwright.pack.files import read_pack
from worldwright.pack.open import Pack, open_pack
from worldwright.store.store import Store, store_of


def resolve(path_or_ref: str | Path, store: Store | None = None) -> Path:
    """The place of a pack: the path itself where there is something, else what the store has under that reference."""
    path, text = Path(path_or_ref), str(path_or_ref)
    try:
        if isinstance(path_or_ref, Path) or (path.exists() and not _is_only_a_namesake(path, text, store)):
            return path
    except OSError as e:
        raise StoreError(f"there is nothing at {text[:200]}: {e.strerror}") from None
    if text.startswith(("/", ".", "~")) or ("/" in text and not (store or Store()).list_references()):
        raise StoreError(f"there is nothing at {text}")
    return (store or Store()).find(text)


def _is_only_a_namesake(path: Path, text: str, store: Store | None) -> bool:
    """Tell whether a folder happens to be called like a family in the store and holds no pack: the bench of an author, say."""
    if not path.is_dir() or path.name != text or _list_packs(path) or store_of(path) is not None:
        return False
    return any(name == text for name, _ in (store or Store()).list_references())


def _list_packs(folder: Path) -> dict[str, Path]:
    """The packs of a folder, by name: itself, folders in it, or else archives."""
    folders = (
        [folder] if (folder / "manifest.json").exists() else [p.parent for p in folder.glob("[!.]*/manifest.json")]
    )
    return {p.name: p for p in sorted(folders)} or {p.stem: p for p in sorted(folder.glob("[!.]*.tar"))}


def pack_at(place: Path) -> Pack:
    """The pack at a place that `resolve` gave: a folder, an archive, or the index of a pack in a store."""
    found = store_of(place)
    return open_pack(place) if found is None else found[0].pack(found[1])


def read_files_at(place: Path) -> dict[str, bytes]:
    """Read every file of the pack at a place, by path. Nothing in it is believed yet."""
    found = store_of(place)
    return read_pack(place) if found is None else found[0].read_files(found[1])


def open_world(path_or_ref: str | Path) -> World:
    """Open one pack, checked and ready to run."""
    return world_of(pack_at(resolve(path_or_ref)))


def world_of(pack: Pack) -> World:
    runtime = kind(pack.manifest.kind).open_runtime(pack)
    found = pack.files.get(CONTRACT)
    contract = None if found is None else read_contract(found, runtime.tools)
    return World(pack.manifest, runtime, TaskBook(pack.files), contract)


def find_gym_packs(path_or_ref: str | Path, store: Store | None = None) -> dict[str, Path]:
    """Find where the packs of a family lie, by variant: a reference in the store, a folder of packs or of archives, or one pack."""
    path = Path(path_or_ref)
    if path.is_dir() and not _is_only_a_namesake(path, str(path_or_ref), store):
        packs = _list_packs(path)
        if not packs:
            raise StoreError(f"{path} holds no pack")
        return packs
    if path.is_file():
        return {path.stem: path}
    held = store or Store()
    name, _, tag = str(path_or_ref).partition(":")
    return {variant: held.find_digest(digest) for variant, digest in held.variants(name, tag or "latest").items()}


def open_gym(path_or_ref: str | Path, store: Store | None = None) -> Gym:
    """A family of variants: a reference in the store, a folder of packs, or one pack."""
    places = find_gym_packs(path_or_ref, store)
    name = Path(path_or_ref).name if Path(path_or_ref).is_dir() else str(path_or_ref)
    return Gym(name, {variant: partial(open_world, place) for variant, place in places.items()})
