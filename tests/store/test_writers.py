"""Several writers at once, writers that are killed, and stores that cannot be written."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.store.packs import variant
from tests.store.writers import PACKS, WRITERS, numbered

from worldwright.core.errors import StoreError
from worldwright.store.index import Index, encode_index
from worldwright.store.locks import lock_for_keeping, lock_for_sweeping
from worldwright.store.stats import count_store
from worldwright.store.store import Store
from worldwright.store.sweep import SweepResult, sweep
from worldwright.store.verify import verify

PROGRAM = Path(__file__).with_name("writers.py")


def program(*args: str) -> str:
    done = subprocess.run([sys.executable, PROGRAM, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_many_write_while_one_sweeps(tmp_path: Path) -> None:
    program("many", str(tmp_path))
    store = Store(tmp_path)
    expected = {f"{w}-{n}": numbered(w, n).manifest.digest for w in range(WRITERS) for n in range(PACKS)}
    assert store.variants("depot", "latest") == expected
    assert verify(store).damage == ()
    assert sorted(store.digests()) == sorted(expected.values())
    assert count_store(store).blobs == 2 + PACKS


def test_nothing_is_swept_that_a_writer_relies_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blob is there already, so the writer does not write it; its only pack would go right now."""
    store, old, new = Store(tmp_path), numbered(1, 1), numbered(2, 1)
    os.utime(store.put(old.files, old.manifest), (1, 1))
    relies, may_end = threading.Event(), threading.Event()

    def waiting(index: Index) -> bytes:
        relies.set()
        may_end.wait(10)
        return encode_index(index)

    monkeypatch.setattr("worldwright.store.store.encode_index", waiting)
    writer = threading.Thread(target=store.put, args=(new.files, new.manifest))
    swept: list[SweepResult] = []
    sweeper = threading.Thread(target=lambda: swept.append(sweep(store, 2.0, untagged=True)))
    writer.start()
    assert relies.wait(10)
    sweeper.start()
    sweeper.join(0.3)
    assert not swept
    may_end.set()
    sweeper.join()
    writer.join()
    assert [one.packs for one in swept] == [(old.manifest.digest,)]
    assert store.pack(new.manifest.digest).files == new.files


def test_killed_at_any_moment(tmp_path: Path) -> None:
    kept = int(program("killed", str(tmp_path)))
    store = Store(tmp_path)
    assert kept == len(store.digests()) > 0
    assert verify(store).damage == ()
    found = sweep(store, float("inf"))
    assert found.leftovers + found.blobs > 0, "no writer was killed while it wrote"
    assert verify(store).damage == ()
    assert len(store.digests()) == kept


def test_who_wants_the_store_alone_is_not_kept_waiting_by_those_who_come_later(tmp_path: Path) -> None:
    """Keepers whose turns overlap without end."""
    done = threading.Event()

    def keep() -> None:
        while not done.is_set():
            with lock_for_keeping(tmp_path):
                time.sleep(0.02)

    threads = [threading.Thread(target=keep) for _ in range(6)]
    for thread in threads:
        thread.start()
    begin = time.monotonic()
    try:
        with lock_for_sweeping(tmp_path):
            waited = time.monotonic() - begin
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert waited < 5


# a store that cannot be written


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond this: writing more fails, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_cannot_be_written_to_its_end(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(variant(1).files, variant(1).manifest)
    before = sorted(p for p in tmp_path.rglob("*") if p.is_file())
    with largest_file(15_000), pytest.raises(StoreError, match=r"cannot be written: File too large"):
        store.put(variant(2).files, variant(2).manifest)
    assert sorted(p for p in tmp_path.rglob("*") if p.is_file()) == before
    with largest_file(10), pytest.raises(StoreError, match=r"latest\.json cannot be written"):
        store.tag("depot", "latest", "default-1", variant(1).manifest.digest)
    assert store.list_references() == []
    assert verify(store).damage == ()
    store.put(variant(2).files, variant(2).manifest)
    assert len(store.digests()) == 2


FULL = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.store.packs import variant
from worldwright.core.errors import StoreError
from worldwright.store.store import Store
from worldwright.store.sweep import SweepResult, sweep
from worldwright.store.verify import verify

store = Store(Path(sys.argv[1]) / "home")
kept = []
try:
    for seed in range(1000):
        store.put(variant(seed).files, variant(seed).manifest)
        kept.append(variant(seed).manifest.digest)
except StoreError as e:
    print(e)
assert 3 < len(kept) < 100 and sorted(store.digests()) == sorted(kept), kept
assert verify(store).damage == ()
assert sweep(store, float("inf"), untagged=True).packs == tuple(sorted(kept))
store.put(variant(0).files, variant(0).manifest)
assert store.pack(kept[0]).files == variant(0).files
"""
READ_ONLY = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.store.packs import variant
from worldwright.core.errors import StoreError
from worldwright.store.store import Store
from worldwright.store.sweep import SweepResult, sweep
from worldwright.store.verify import verify

store = Store(Path(sys.argv[1]) / "home")
digest, loose = (variant(seed).manifest.digest for seed in (0, 5))
assert store.open("depot").files == variant(0).files
assert verify(store).damage == ()
assert sweep(store, float("inf"), untagged=True, dry_run=True).packs == (loose,)
for attempt in (
    lambda: store.put(variant(0).files, variant(0).manifest),
    lambda: store.put(variant(1).files, variant(1).manifest),
    lambda: store.tag("depot", "other", "a", digest),
    lambda: store.untag("depot", "latest"),
    lambda: sweep(store, float("inf"), untagged=True),
):
    try:
        attempt()
        sys.exit("it was written")
    except StoreError as e:
        print(e)
"""


def mounted(tmp_path: Path, mount: str, code: str) -> list[str]:
    """What a program prints that has a file system of its own, mounted as said, at DIR."""
    where = tmp_path / "mounted"
    where.mkdir()
    script = f'{mount.replace("DIR", str(where))} && exec "$@"'
    for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
        probe = subprocess.run([*unshare, "sh", "-c", f"mount -t tmpfs none {where}"], capture_output=True, check=False)
        if probe.returncode == 0:
            break
    else:
        pytest.skip("file systems cannot be mounted here")
    root = str(Path(__file__).resolve().parents[2])
    args = [*unshare, "sh", "-c", script, "sh", sys.executable, "-c", code, str(where), root]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


needs_mounts = pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare of util-linux")


@needs_mounts
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    [said] = mounted(tmp_path, "mount -t tmpfs -o size=400k none DIR", FULL)
    assert said.endswith("cannot be written: No space left on device")


@needs_mounts
def test_a_store_that_is_read_only(tmp_path: Path) -> None:
    store = Store(tmp_path / "given" / "home")
    for seed in (0, 5):
        store.put(variant(seed).files, variant(seed).manifest)
    store.tag("depot", "latest", "default-0", variant(0).manifest.digest)
    bound = f"mount --bind {tmp_path / 'given'} DIR && mount -o remount,bind,ro DIR"
    said = mounted(tmp_path, bound, READ_ONLY)
    assert len(said) == 5
    for line in said:
        assert line.endswith("/home cannot be written: Read-only file system"), line
