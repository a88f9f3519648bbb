from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from worldwright.pack.open import Pack, open_pack
from worldwright.pack.seal import pack_archive, write_pack
from worldwright.store.store import Store

from .conftest import Run


def test_archives_are_the_same_bytes_and_open_like_folders(run: Run, library: str, pack: Pack, tmp_path: Path) -> None:
    first, second = tmp_path / "a.tar", tmp_path / "deep" / "b.tar"
    assert run("pack", "export", library, str(first)).code == 0
    found = run("pack", "export", str(first), str(second), "--json")
    assert found.data["digest"] == pack.manifest.digest
    assert first.read_bytes() == second.read_bytes()
    assert open_pack(first).files == pack.files
    assert run("verify", str(first)).code == 0
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_export_never_overwrites_something_else(run: Run, library: str, tmp_path: Path) -> None:
    file = tmp_path / "a.tar"
    assert "already there" not in run("pack", "export", library, str(file)).out
    assert "already there" in run("pack", "export", library, str(file)).out
    file.write_text("mine")
    found = run("pack", "export", library, str(file))
    assert found.code == 2
    assert file.read_text() == "mine"


def test_list(run: Run, library: str, pack: Pack) -> None:
    found = run("pack", "list")
    assert pack.manifest.digest[:12] in found.out
    assert "town_library:latest/default-7" in found.out
    data = run("pack", "list", "--json").data
    size = sum(map(len, pack.files.values()))
    expected = {"reference": "town_library:latest/default-7", "digest": pack.manifest.digest, "bytes": size}
    assert data["references"] == [expected]
    assert data["untagged"] == []


def test_list_of_an_empty_store_and_of_packs_without_a_reference(run: Run, pack: Pack) -> None:
    assert "nothing yet" in run("pack", "list").out
    Store().put(pack.files, pack.manifest)
    assert "no reference" in run("pack", "list").out
    assert [u["digest"] for u in run("pack", "list", "--json").data["untagged"]] == [pack.manifest.digest]


KILLED = """
import os, signal, sys
from pathlib import Path
from worldwright.pack.open import open_pack
from worldwright.pack.seal import write_pack
from worldwright.store.store import Store

pack, left = open_pack(Path(sys.argv[1])), int(sys.argv[3])
def dying(handle):
    global left
    left -= 1
    if left == 0:
        os.truncate(handle, os.fstat(handle).st_size // 2)
        os.kill(os.getpid(), signal.SIGKILL)

os.fsync = dying
if sys.argv[4] == "store":
    Store(Path(sys.argv[2])).put(pack.files, pack.manifest)
else:
    write_pack(pack.files, Path(sys.argv[2]))
"""


def _killed(pack: Pack, tmp_path: Path, target: Path, after: int, where: str) -> None:
    archive = tmp_path / "source.tar"
    archive.write_bytes(pack_archive(pack.files))
    args = [sys.executable, "-c", KILLED, str(archive), str(target), str(after), where]
    assert subprocess.run(args, check=False).returncode == -signal.SIGKILL


def test_kill_9_in_the_middle_of_a_write_leaves_no_pack_to_be_seen(pack: Pack, tmp_path: Path) -> None:
    for after in (1, 5, len(pack.files)):
        target = tmp_path / f"out{after}" / "world"
        _killed(pack, tmp_path, target, after, "folder")
        assert not target.exists()
        assert [p for p in target.parent.iterdir() if not p.name.startswith(".")] == []
        write_pack(pack.files, target)
        assert open_pack(target).files == pack.files


def test_kill_9_leaves_the_store_as_it_was(pack: Pack, tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    for after in (1, 2):
        _killed(pack, tmp_path, store.root, after, "store")
        assert store.digests() == []
    assert store.list_references() == []
    assert store.put(pack.files, pack.manifest) == store.pack_path(pack.manifest.digest)
    assert store.digests() == [pack.manifest.digest]
    assert store.open(pack.manifest.digest).files == pack.files


def test_unpacked_folders_are_packs(run: Run, library: str, pack: Pack, tmp_path: Path) -> None:
    found = run("pack", "unpack", library, str(tmp_path / "out"), "--json")
    assert found.data["folder"] == str(tmp_path / "out" / f"town_library-{pack.manifest.digest[:6]}")
    assert open_pack(Path(found.data["folder"])).files == pack.files
    assert "already there" in run("pack", "unpack", library, str(tmp_path / "out")).out
