"""Archives and folders that are not what they seem."""

from __future__ import annotations

import gzip
import os
import shutil
import tarfile
from pathlib import Path

import pytest
from tests.redteam.helpers import Files, member, tar, within

from worldwright.core.errors import PackError, TamperedPack
from worldwright.pack import files as pack_files
from worldwright.pack.open import open_pack
from worldwright.pack.seal import pack_archive, write_pack


def archive(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "pack.tar"
    path.write_bytes(data)
    return path


def refused(tmp_path: Path, data: bytes, match: str) -> None:
    with within(5), pytest.raises(TamperedPack, match=match):
        open_pack(archive(tmp_path, data))


# names


@pytest.mark.parametrize(
    "name",
    [
        "../evil.py", "tools/../../evil.py", "/etc/passwd", "//etc/passwd", "tools//lend.py", "TOOLS/lend.py",
        "tools/Lend.py",
        "tools/.hidden", ".git/config", "tools/le nd.py", "tools\\lend.py", "c:evil.py", "tools/a/b/c/d.py", "x" * 101,
        "tools/lend.py\n", "tools/lénd.py", "tools/ｌend.py", "tools/len\u202ed.py", "-rf", "tools/a..b",
    ],
)  # fmt: skip
def test_archive_with_a_hostile_name(tmp_path: Path, name: str) -> None:
    data = tar((member(name), b"x"), form=tarfile.GNU_FORMAT)
    refused(tmp_path, data, "cannot hold a file called|not a plain file")


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "Tools"])
def test_archive_with_a_hostile_folder(tmp_path: Path, name: str) -> None:
    refused(tmp_path, tar((member(name, tarfile.DIRTYPE), b"")), "cannot hold a file called")


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil", "A.py", ""])
def test_writing_a_pack_outside_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(TamperedPack, match="cannot hold a file called"):
        write_pack({"manifest.json": b"{}", name: b"x"}, tmp_path / "pack")
    assert list(tmp_path.iterdir()) == []


def test_archive_with_a_file_twice(tmp_path: Path) -> None:
    data = tar((member("manifest.json"), b"good"), (member("manifest.json"), b"bad!"))
    refused(tmp_path, data, "manifest.json is in the archive twice")


def test_archive_with_a_file_twice_under_two_spellings(tmp_path: Path) -> None:
    data = tar((member("policy.md"), b"good"), (member("./policy.md"), b"bad!"))
    refused(tmp_path, data, "policy.md is in the archive twice")


# what is not a file


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE,
        tarfile.GNUTYPE_SPARSE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, b"Z",
    ],
)  # fmt: skip
def test_archive_with_a_link_or_a_device(tmp_path: Path, kind: bytes) -> None:
    refused(
        tmp_path,
        tar((member("manifest.json", kind, "/etc/passwd"), b"")),
        "'manifest.json' in the archive is not a plain file",
    )


def test_folder_with_a_linked_file(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "pack"))
    (copy / "policy.md").unlink()
    (copy / "policy.md").symlink_to("/etc/passwd")
    with pytest.raises(TamperedPack, match=r"policy\.md is a link"):
        open_pack(copy)


def test_folder_with_a_linked_folder(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "pack"))
    (copy / "more").symlink_to(tmp_path)
    with within(5), pytest.raises(TamperedPack, match="more is a link"):
        open_pack(copy)


def test_folder_with_a_pipe_that_never_ends(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "pack"))
    os.mkfifo(copy / "pipe")
    with within(5), pytest.raises(TamperedPack, match="pipe is not a plain file"):
        open_pack(copy)


@pytest.mark.parametrize("name", ["README.md", ".git", "a b", "x\n", "ünder"])
def test_folder_with_an_odd_name(folder: Path, tmp_path: Path, name: str) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "pack"))
    (copy / name).mkdir()
    with pytest.raises(TamperedPack, match="cannot hold a file called"):
        open_pack(copy)


def test_folder_with_compiled_python_beside_the_tools(folder: Path, tmp_path: Path, files: Files) -> None:
    """It is left where it is: not read, not counted, not run."""
    copy = Path(shutil.copytree(folder, tmp_path / "pack"))
    (copy / "tools" / "__pycache__").mkdir()
    (copy / "tools" / "__pycache__" / "lend.cpython-311.pyc").write_bytes(b"evil")
    assert open_pack(copy).files == files


def test_path_that_is_no_pack(tmp_path: Path) -> None:
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    for path, match in [
        (tmp_path / "missing", "there is no pack"),
        (tmp_path / "broken", "is a broken link"),
        (Path("/dev/zero"), "there is no pack"),
        (tmp_path / ("x" * 5000), "cannot be read"),
        (tmp_path, "is a broken link|broken is a link"),
    ]:
        with within(5), pytest.raises(PackError, match=match):
            open_pack(path)


# bombs


def test_archive_larger_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_files, "MAX_FILE", 1000)
    refused(tmp_path, tar((member("manifest.json"), b"x" * 1001)), "manifest.json makes the pack larger")


def test_archive_larger_in_all_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_files, "MAX_TOTAL", 3000)
    data = tar(*[(member(f"f{i}"), b"x" * 1000) for i in range(5)])
    refused(tmp_path, data, "f3 makes the pack larger")


def test_gzip_bomb_is_refused_by_its_header(tmp_path: Path) -> None:
    """Says it has more than is allowed; nothing of it is unpacked."""
    info = member("manifest.json")
    info.size = pack_files.MAX_FILE + 1
    data = gzip.compress(info.tobuf(tarfile.USTAR_FORMAT) + bytes(1000))
    refused(tmp_path, data, "manifest.json makes the pack larger")


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_gzip_bomb_in_an_extended_header(tmp_path: Path, kind: bytes) -> None:
    """A header of eight GiB would be read into memory before any file is counted."""
    info = member("header", kind)
    info.size = 8 * 1024**3 - 1
    data = gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(100_000))
    refused(tmp_path, data, r"extended header in the archive has 8,589,934,591 bytes|not a plain file")


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE])
def test_archive_with_very_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: bytes) -> None:
    monkeypatch.setattr(pack_files, "MAX_FILES", 50)
    data = gzip.compress(tar(*[(member(f"d{i}", kind), b"") for i in range(60)]))
    refused(tmp_path, data, "more than 50 files")


def test_folder_with_very_many_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_files, "MAX_FILES", 50)
    for i in range(60):
        (tmp_path / f"d{i}").mkdir()
    with pytest.raises(TamperedPack, match="more than 50 files"):
        open_pack(tmp_path)


def test_archive_whose_members_have_negative_size(tmp_path: Path) -> None:
    """Seeking back by a negative size would read the same member for ever."""
    info = member("manifest.json")
    info.size = -1024
    block = info.tobuf(tarfile.GNU_FORMAT)
    refused(tmp_path, block + bytes(2048), "less than empty")


@pytest.mark.parametrize(
    "header",
    [{"size": "-1024"}, {"size": "9" * 5000}, {"path": "../evil"}, {"GNU.sparse.map": "0,1,x", "GNU.sparse.size": "5"}],
)
def test_archive_with_lies_in_extended_headers(tmp_path: Path, header: dict[str, str]) -> None:
    """They are skipped: name and size are those of the plain header."""
    info = member("policy.md")
    info.pax_headers = header
    data = tar((info, b"plain"), form=tarfile.PAX_FORMAT)
    assert pack_files.read_pack(archive(tmp_path, data)) == {"policy.md": b"plain"}


# damage


def test_archive_cut_anywhere(tmp_path: Path, files: Files) -> None:
    whole = pack_archive(files)
    for cut in range(0, len(whole) - 10240, len(whole) // 23):
        with pytest.raises(PackError, match=r"cut short|no manifest"):
            open_pack(archive(tmp_path, whole[:cut]))


def test_gzipped_archive_cut_anywhere(tmp_path: Path, files: Files) -> None:
    whole = gzip.compress(pack_archive(files))
    for cut in range(2, len(whole) - 200, len(whole) // 23):
        with pytest.raises(TamperedPack, match=r"not a readable pack archive|cut short"):
            open_pack(archive(tmp_path, whole[:cut]))


def test_gzipped_archive_with_changed_bytes(tmp_path: Path, files: Files) -> None:
    """Every kind of damage is a TamperedPack, also what the decompressor finds."""
    whole = gzip.compress(pack_archive(files))
    refusals = 0
    for at in range(11, len(whole) - 8, len(whole) // 60):
        data = bytearray(whole)
        data[at] ^= 0x55
        try:
            assert (
                open_pack(archive(tmp_path, bytes(data))).files == files
            )  # what was hit is padding after the last file
        except TamperedPack:
            refusals += 1
    assert refusals > 50


@pytest.mark.parametrize(
    "data", [b"", b"PK\3\4" + bytes(600), b"\x1f\x8b", b"BZh9" + bytes(600), b"\xfd7zXZ\0" + bytes(600), b"x" * 512]
)
def test_file_that_is_no_archive(tmp_path: Path, data: bytes) -> None:
    refused(tmp_path, data, "not a readable pack archive|cut short")
