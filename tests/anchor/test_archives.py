"""Archives: their files come out as they are, and whatever is hostile in them stays in."""

from __future__ import annotations

import builtins
import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.anchor import archives
from worldwright.anchor.archives import is_archive
from worldwright.anchor.evidence import Note
from worldwright.anchor.intake.uploads import Upload

FILES = {"shop/models.py": b"x = 1\n", "shop/README.md": b"# Shop\n", "shop/empty.txt": b""}
MEGABYTE = 1024 * 1024


def zipped(files: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: dict[str, bytes], odd: tuple[tarfile.TarInfo, ...] = ()) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in odd:
            archive.addfile(info)
    return out.getvalue()


PACKERS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "a.zip": zipped,
    "a.tar": tarred,
    "a.tar.gz": lambda files: gzip.compress(tarred(files)),
    "a.tgz": lambda files: gzip.compress(tarred(files)),
}


def unpacked(upload: Upload) -> tuple[list[Upload], list[Note]]:
    """The archive opened while no file can be: any attempt fails the test."""

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    with ExitStack() as sealed:
        for place, name in ((builtins, "open"), (io, "open"), (tarfile, "bltn_open"), (os, "mkdir"), (os, "symlink")):
            sealed.enter_context(patch.object(place, name, refused))
        return archives.unpacked(upload)


@pytest.mark.parametrize("name", PACKERS)
def test_members_come_out_as_uploads(name: str) -> None:
    upload = Upload(name, PACKERS[name](FILES))
    assert is_archive(upload)
    files, notes = unpacked(upload)
    assert {f.name: f.data for f in files} == FILES
    assert notes == []
    assert unpacked(upload) == (files, notes)


def test_what_is_no_archive_is_said() -> None:
    for data in (b"", b"hello", b"PK\x03\x04nonsense", b"\x1f\x8bxx", b"BZh9", b"\xfd7zXZ\x00\x00"):
        files, [note] = unpacked(Upload("a.zip", data))
        assert files == []
        assert note.level in ("error", "warning")
        assert note.source.file == "a.zip"
    assert not is_archive(Upload("models.py", b""))


@pytest.mark.parametrize(
    "name", ["../outside.py", "/etc/passwd", "a/../../b.py", "C:/windows.py", "..\\up.py", "", "..", "a\x01b"]
)
def test_names_that_lead_out_are_left_out(name: str) -> None:
    for data in (tarred({name: b"evil", "good.py": b"1"}), zipped({name or "../x": b"evil", "good.py": b"1"})):
        files, notes = unpacked(Upload("a.tar", data))
        assert [f.name for f in files] == ["good.py"]
        assert [n.level for n in notes] == ["warning"]


def test_links_and_devices_are_left_out() -> None:
    odd: list[tarfile.TarInfo] = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE):
        info = tarfile.TarInfo(f"odd{len(odd)}")
        info.type, info.linkname = kind, "/etc/passwd"
        odd.append(info)
    files, notes = unpacked(Upload("a.tar", tarred({"good.py": b"1"}, tuple(odd))))
    assert [f.name for f in files] == ["good.py"]
    assert [n.says.split(" is left out: ") for n in notes] == [
        ["odd0", "a link"],
        ["odd1", "a link"],
        ["odd2", "no plain file"],
        ["odd3", "no plain file"],
        ["odd4", "no plain file"],
    ]


def test_a_link_in_a_zip_is_left_out() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("good.py", "1")
    files, [note] = unpacked(Upload("a.zip", out.getvalue()))
    assert [f.name for f in files] == ["good.py"]
    assert "a link" in note.says


def test_a_name_that_occurs_twice_is_read_once() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.py", "first")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.py", "second")
    [file], [note] = unpacked(Upload("a.zip", out.getvalue()))
    assert file.data == b"first"
    assert "twice" in note.says


def test_bombs_are_refused() -> None:
    bomb = gzip.compress(tarred({"zeros": bytes(30 * MEGABYTE)}))
    assert len(bomb) < MEGABYTE / 10
    files, [note] = unpacked(Upload("bomb.tar.gz", bomb))
    assert files == []
    assert "refused" in note.says


def test_a_zip_bomb_is_refused_by_what_it_declares() -> None:
    files, [note] = unpacked(Upload("bomb.zip", zipped({"zeros": bytes(30 * MEGABYTE)})))
    assert files == []
    assert "200-fold" in note.says


def test_an_archive_that_lies_about_its_sizes_is_not_believed() -> None:
    data = bytearray(zipped({"zeros": bytes(30 * MEGABYTE)}))
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = data.index(mark) + at
        data[place : place + 4] = struct.pack("<I", 10)
    files, [note] = unpacked(Upload("bomb.zip", bytes(data)))
    assert files == []
    assert "damaged" in note.says


def test_too_many_members_and_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 5)
    for data in (zipped({f"{i}.py": b"" for i in range(6)}), tarred({f"{i}.py": b"" for i in range(6)})):
        files, [note] = unpacked(Upload("a.tar", data))
        assert files == []
        assert "more than 5 members" in note.says
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1000)
    for data in (zipped({"a": b"a" * 600, "b": b"b" * 600}), tarred({"a": b"a" * 600, "b": b"b" * 600})):
        files, [note] = unpacked(Upload("a.tar", data))
        assert files == []
        assert "together" in note.says


def test_members_that_unpack_without_bounds_are_left_out() -> None:
    data = zipped({"a.py": b"1"}, zipfile.ZIP_BZIP2)
    files, [note] = unpacked(Upload("a.zip", data))
    assert files == []
    assert "packed in a way" in note.says


def test_headers_that_lead_backwards_or_are_endless_are_refused() -> None:
    info = tarfile.TarInfo("pax")
    info.pax_headers = {"comment": "1" * 200_000}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info)
    backwards = tarfile.TarInfo("back")
    backwards.pax_headers = {"size": "-1024"}
    other = io.BytesIO()
    with tarfile.open(fileobj=other, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(backwards)
    for data in (out.getvalue(), other.getvalue()):
        files, notes = unpacked(Upload("a.tar", data))
        assert files == []
        assert notes


GOOD = [PACKERS[name](FILES) for name in ("a.zip", "a.tar", "a.tar.gz")]


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_damaged_archives_never_raise(data: st.DataObject) -> None:
    good = bytearray(data.draw(st.sampled_from(GOOD)))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(good) - 1))
        good[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(good)))
    for damaged in (bytes(good), bytes(good[:cut])):
        first = unpacked(Upload("a.zip", damaged))
        assert first == unpacked(Upload("a.zip", damaged))
        for file in first[0]:
            assert ".." not in file.name.split("/")
            assert not file.name.startswith("/")


@settings(max_examples=examples(60), deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=20), st.binary(max_size=40), max_size=5), st.binary(max_size=600))
def test_hostile_names_and_bytes_never_raise_and_never_lead_out(files: dict[str, bytes], junk: bytes) -> None:
    named = {name: data for name, data in files.items() if name.isprintable() and "\ud800" not in name}
    for data in (tarred(named), junk, b"PK\x03\x04" + junk, b"\x1f\x8b" + junk):
        found, _ = unpacked(Upload("a.tar", data))
        for file in found:
            path = Path(file.name)
            assert not path.is_absolute()
            assert ".." not in path.parts
