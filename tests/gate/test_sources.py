from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.errors import StoreError, UsageError
from worldwright.formats import json_stream
from worldwright.gate.contamination import sources
from worldwright.gate.contamination.sources import Text, files_of, read_texts

Remarks = list[tuple[int, str]]
VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 10**12) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def _read(path: Path) -> tuple[list[Text], Remarks]:
    remarks: Remarks = []
    moves: list[int] = []
    found = list(read_texts(path, lambda line, what: remarks.append((line, what)), moves.append))
    assert moves == sorted(moves)
    return found, remarks


def _file(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_every_string_value_of_json_lines(tmp_path: Path) -> None:
    lines = [{"q": "one", "n": 3, "turns": [{"says": "two"}, {"says": "three"}]}, "four", ["five"]]
    found, remarks = _read(_file(tmp_path, "a.jsonl", "\n\n".join(map(json.dumps, lines))))
    assert found == [
        Text(1, "q", "one"), Text(1, "turns[0].says", "two"), Text(1, "turns[1].says", "three"), Text(3, "", "four"),
        Text(5, "[0]", "five"),
    ]  # fmt: skip
    assert remarks == []


def test_a_line_that_is_no_json_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    deep = "[" * 100_000
    found, remarks = _read(_file(tmp_path, "a.jsonl", f'"one"\n{{broken\n"two"\n{deep}\n"three"\n'))
    assert [t.text for t in found] == ["one", "two", "three"]
    assert [line for line, _ in remarks] == [2, 4]
    assert all("not JSON" in what for _, what in remarks)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"a": "one"},\n {"a": "two"}]', [Text(1, "[0].a", "one"), Text(2, "[1].a", "two")]),
        ('{"a": ["one",\n "two"]}', [Text(1, "a[0]", "one"), Text(1, "a[1]", "two")]),
        ('{"a": "one"}\n{"a": "two"}\n', [Text(1, "a", "one"), Text(2, "a", "two")]),
        ("[]", []),
        ("", []),
        ("[1, 2.5, true, null]", []),
    ],
)
def test_json_documents_of_any_shape(tmp_path: Path, text: str, expected: list[Text]) -> None:
    assert _read(_file(tmp_path, "a.json", text)) == (expected, [])


def test_json_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    found, remarks = _read(_file(tmp_path, "a.json", '[{"a": "one"},\n{"a": "two"},\n{"a": '))
    assert [t.text for t in found] == ["one", "two"]
    assert remarks[0][0] == 3
    found, remarks = _read(_file(tmp_path, "b.json", '["one", "two"'))
    assert [t.text for t in found] == ["one", "two"]
    assert "no end" in remarks[0][1]


@given(st.lists(VALUES, max_size=6), st.integers(1, 30), st.sampled_from([None, 1]))
def test_a_stream_of_json_reads_as_the_whole_does(given_values: list[object], chunk: int, indent: int | None) -> None:
    import io

    text = json.dumps(given_values, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK_CHARS", chunk)
        read = list(json_stream.read_values(io.StringIO(text), lambda line, what: pytest.fail(what)))
    assert [value for _, _, value in read] == given_values
    assert [line for line, _, _ in read] == sorted(line for line, _, _ in read)


def test_one_element_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK_CHARS", 100)
    monkeypatch.setattr(json_stream, "MAX_VALUE_CHARS", 1000)
    _, remarks = _read(_file(tmp_path, "a.json", '{"a": "' + "x" * 10_000 + '"}'))
    assert "JSON Lines" in remarks[0][1]


def test_csv_by_its_heads(tmp_path: Path) -> None:
    found, _ = _read(_file(tmp_path, "a.csv", 'question,answer\n"one, or\nmore",two\nthree,four,five\n'))
    assert [(t.at, t.text) for t in found[2:]] == [
        ("question", "one, or\nmore"), ("answer", "two"), ("question", "three"), ("answer", "four"), ("3", "five"),
    ]  # fmt: skip
    found, _ = _read(_file(tmp_path, "b.csv", "a;b\none;two\n"))
    assert [t.text for t in found] == ["a", "b", "one", "two"]
    found, _ = _read(_file(tmp_path, "c.tsv", "a\tb\none\ttwo, and more\n"))
    assert found[-1].text == "two, and more"


def test_plain_text_by_paragraphs(tmp_path: Path) -> None:
    found, _ = _read(_file(tmp_path, "a.txt", "one\ntwo\n\n\nthree\r\n"))
    assert [(t.line, t.text.split()) for t in found] == [(1, ["one", "two"]), (5, ["three"])]


def test_no_run_of_words_is_cut_between_blocks(tmp_path: Path) -> None:
    said = [f"w{n}" for n in range(3 * sources.BLOCK)]
    found, _ = _read(_file(tmp_path, "a.md", "\n".join(said)))
    assert len(found) > 2
    for start in range(len(said) - sources.OVERLAP):
        run = " ".join(said[start : start + sources.OVERLAP + 1])
        assert any(run in " ".join(t.text.split()) for t in found)


@pytest.mark.parametrize(("end", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_packed_files(tmp_path: Path, end: str, pack: Callable[[bytes], bytes]) -> None:
    data = pack(b'{"a": "one"}\n' * 50_000)
    found, remarks = _read(_file(tmp_path, f"a.jsonl{end}", data))
    assert (len(found), remarks) == (50_000, [])
    found, remarks = _read(_file(tmp_path, f"cut.jsonl{end}", data[: len(data) // 2]))
    assert len(found) < 50_000
    assert "cannot be read" in remarks[-1][1]
    assert _read(_file(tmp_path, f"none.jsonl{end}", b"not packed at all"))[1]


def test_parquet(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"q": ["one", "two"], "n": [1, 2], "turns": [["three"], []]}), path)
    found, remarks = _read(path)
    assert found == [Text(1, "q", "one"), Text(1, "turns[0]", "three"), Text(2, "q", "two")]
    assert remarks == []
    _, remarks = _read(_file(tmp_path, "bad.parquet", b"PAR1 not really"))
    assert "no sound Parquet" in remarks[0][1]


def test_what_is_no_text_is_skipped_with_a_remark(tmp_path: Path) -> None:
    assert _read(_file(tmp_path, "a.bin", bytes(range(256)) * 50)) == ([], [(0, "binary, skipped")])
    assert _read(_file(tmp_path, "a.zip", b"PK\x03\x04"))[1] == [(0, "an archive: unpack it first")]
    found, remarks = _read(_file(tmp_path, "latin.txt", "caf\xe9 au lait".encode("latin-1")))
    assert found[0].text == "café au lait"
    assert "Latin-1" in remarks[0][1]
    found, _ = _read(_file(tmp_path, "wide.txt", "naïve words".encode("utf-16")))
    assert found[0].text == "naïve words"


@given(
    data=st.binary(max_size=400),
    name=st.sampled_from(["a.jsonl", "a.json", "a.csv", "a.txt", "a.parquet", "a.json.gz", "a"]),
)
def test_no_file_ends_the_reading(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str) -> None:
    _read(_file(tmp_path_factory.mktemp("any"), name, data))


def test_a_line_without_end_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_LINE_CHARS", 100)
    found, remarks = _read(_file(tmp_path, "a.jsonl", '"' + "x" * 1000 + '"\n"two"\n'))
    assert [t.text for t in found] == ["two"]
    assert remarks[0][0] == 1


def test_folders_are_read_in_order_without_what_is_hidden(tmp_path: Path) -> None:
    for name in ("b/2.txt", "a/1.txt", ".git/config", "a/.hidden"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = files_of([tmp_path, tmp_path / "a" / "1.txt"])
    assert [p.relative_to(tmp_path).as_posix() for p in found] == ["a/1.txt", "b/2.txt"]
    with pytest.raises(StoreError, match="not there"):
        files_of([tmp_path / "nothing"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no file"):
        files_of([tmp_path / "empty"])
