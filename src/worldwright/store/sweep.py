"""What no pack needs is removed from a store.

A pack without a name is kept unless asked otherwise: it may just have been built, and its name may come in an hour. A blob goes
when no pack that is kept needs it. Nobody keeps a pack while something is removed, so nothing goes that somebody relies on; and
some are removed at a time, so nobody waits long.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldwright.core.errors import PackError, StoreError
from worldwright.store.blobs import entries
from worldwright.store.index import read_index
from worldwright.store.locks import lock_for_sweeping
from worldwright.store.stats import find_tagged
from worldwright.store.store import Store

BATCH_DIGESTS = 1_000
"""Files that are removed while others wait."""
Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What was removed, or would be."""

    untagged: tuple[str, ...]
    """Packs that no reference names, and that stay."""
    packs: tuple[str, ...]
    blobs: int
    leftovers: int
    """Files that a killed writer left."""
    bytes: int


def sweep(
    store: Store, before: float, untagged: bool = False, dry_run: bool = False, step: Step = lambda: None
) -> SweepResult:
    """Remove what is not needed: with `untagged` also packs without a name that were kept before a time (of the file system).

    `step` hears every pack and every blob.
    """
    going = _find_removable(store, store.digests(), before) if untagged else []
    needs = _Needs(store)
    needs.read_packs(step, going)
    size = dict(store.blobs.list_sizes())
    blobs = sorted(set(size) - needs.used)
    left = [path for folder in ("blobs", "packs", "refs") for path in _leftovers(store.root / folder, before)]
    for _ in range(len(size) - len(blobs)):
        step()
    if dry_run:
        total = _size(map(store.pack_path, going)) + sum(size[blob] for blob in blobs) + _size(left)
    else:
        try:
            total = _size(left)
            for path in left:
                path.unlink(missing_ok=True)
            going, freed = _packs_removed(store, going, before)
            blobs = list(_blobs_removed(store, blobs, needs, step))
            total += freed + sum(size[blob] for blob in blobs)
        except OSError as e:
            raise StoreError(f"the store at {store.root} cannot be written: {e.strerror}") from None
    loose = set(store.digests()) - find_tagged(store) - set(going)
    return SweepResult(tuple(sorted(loose)), tuple(going), len(blobs), len(left), total)


def _packs_removed(store: Store, going: Sequence[str], before: float) -> tuple[list[str], int]:
    """Packs go before their blobs: one that can be seen has what it needs, also where this is killed half-way."""
    gone: list[str] = []
    total = 0
    for some in _split_batches(going):
        with lock_for_sweeping(store.root):
            for digest in _find_removable(store, some, before):  # one may have got a name meanwhile, or was kept again
                total += _size([store.pack_path(digest)])
                store.pack_path(digest).unlink()
                gone.append(digest)
    return gone, total


def _blobs_removed(store: Store, blobs: Sequence[str], needs: _Needs, step: Step) -> Iterator[str]:
    for some in _split_batches(blobs):
        with lock_for_sweeping(store.root):
            needs.read_packs(lambda: None)  # what was kept meanwhile
            for blob in some:
                step()
                if blob not in needs.used:
                    store.blobs.path(blob).unlink()
                    yield blob


class _Needs:
    """The blobs that packs need. Looking again reads only what is new."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: dict[str, tuple[int, int]] = {}
        self.used: set[str] = set()

    def read_packs(self, step: Step, without: Collection[str] = ()) -> None:
        left_out = set(without)
        for digest in self._store.digests():
            path = self._store.pack_path(digest)
            try:
                found = path.stat()
                written = (found.st_ino, found.st_mtime_ns)
                if digest not in left_out and self._seen.get(digest) != written:
                    self.used.update(read_index(path).blobs.values())
                    self._seen[digest] = written
            except FileNotFoundError:
                continue
            except PackError as e:
                hint = "`worldwright store verify --remove` takes damaged packs out"
                raise StoreError(f"which blobs are needed cannot be told: {e}; {hint}") from None
            step()


def _find_removable(store: Store, digests: Collection[str], before: float) -> list[str]:
    """Find packs without a name that were kept before a time."""
    named = find_tagged(store)
    return [d for d in digests if d not in named and _age(store.pack_path(d)) < before]


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def _leftovers(root: Path, before: float) -> list[Path]:
    found = [Path(entry.path) for entry in entries(root) if entry.name.startswith(".")]
    return [path for path in found if _age(path) < before]


def _size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def _split_batches(digests: Sequence[str]) -> Iterator[Sequence[str]]:
    return (digests[start : start + BATCH_DIGESTS] for start in range(0, len(digests), BATCH_DIGESTS))
