"""A pack built again from its own Blueprint and seed, and compared file by file."""

from __future__ import annotations

from dataclasses import dataclass

from worldwright.blueprint.siblings import load_cached
from worldwright.compiler.build import build, read_task_options
from worldwright.core.errors import PackError, UsageError
from worldwright.kinds.build_events import Watch, unwatched
from worldwright.kinds.database.battery.settings import FULL, BatterySettings
from worldwright.kinds.database.compile.tasks.knobs import Knobs
from worldwright.pack.open import Pack
from worldwright.store.open import world_of
from worldwright.world.manifest import MANIFEST, STATE


@dataclass(frozen=True, slots=True)
class RebuildResult:
    pack: Pack
    same: bool
    """Whether the digests are equal: the same world."""
    differing: tuple[tuple[str, str], ...]
    """(file, how it differs), other bytes of the same content included."""
    compared: int


def rebuild(pack: Pack, watch: Watch = unwatched) -> RebuildResult:
    """Build from blueprint.yaml, seed, parent and options of a pack that was opened with every check."""
    m = pack.manifest
    with_tasks, knobs, battery = read_options(pack)
    contract = world_of(pack).contract
    again = build(load_cached(pack.blueprint), m.seed, m.parent, watch, with_tasks, knobs, contract, battery).pack
    paths = sorted(set(pack.files) | set(again.files))
    differing = [
        (path, _describe_difference(path, pack, again))
        for path in paths
        if pack.files.get(path) != again.files.get(path)
    ]
    return RebuildResult(again, m.digest == again.manifest.digest, tuple(differing), len(paths))


def read_options(pack: Pack) -> tuple[bool, Knobs, BatterySettings]:
    """Return whether the pack was built with tasks, which were asked for, and how they were proven."""
    options = pack.manifest.options
    if options == {"tasks": "none"}:
        return False, Knobs(), FULL
    try:
        return True, *read_task_options(options)
    except UsageError as e:
        raise PackError(f"{MANIFEST} asks for tasks that cannot be made: {e}") from None


def _describe_difference(path: str, pack: Pack, again: Pack) -> str:
    if path not in again.files:
        return "only in the pack"
    if path not in pack.files:
        return "only in the rebuilt one"
    if path == STATE and pack.manifest.state == again.manifest.state:
        return "other bytes, the same content"
    if path == MANIFEST and pack.manifest.digest == again.manifest.digest:
        return f"built with {pack.manifest.built_with}, now {again.manifest.built_with}, the same digest"
    return "different"
