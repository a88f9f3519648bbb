"""Parquet: written whole, read in bounds, and one place that loads the library."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from worldwright.core.errors import UsageError
from worldwright.formats.parquet import BATCH_ROWS, JSON_LIST, UnsoundParquet, load_pyarrow, open_parquet, write_parquet

SRC = Path(__file__).parents[2] / "src" / "worldwright"


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    columns = {"name": "string", "n": "int32", "said": JSON_LIST}
    rows = [
        {"name": f"r{n}" if n else None, "n": n, "said": ['{"a": 1}', "[]"][: n % 3]} for n in range(BATCH_ROWS + 1)
    ]
    path = write_parquet(tmp_path / "t.parquet", columns, rows)
    assert pq.read_table(path).to_pylist() == rows
    with open_parquet(path) as file:
        assert file.metadata.num_rows == len(rows)
    with open_parquet(path.read_bytes()) as file:
        assert file.schema_arrow.names == list(columns)


def test_nothing_is_left_where_a_row_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        write_parquet(tmp_path / "t.parquet", {"a": "string"}, [{"a": "x"}, {"b": "y"}])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"no parquet at all"])
def test_what_is_no_parquet_has_one_error(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(data)
    for source in (data, tmp_path / "f"):
        with pytest.raises(UnsoundParquet), open_parquet(source):
            pass


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'worldwright\[data\]'"):
        load_pyarrow()


@pytest.mark.parametrize("library", ["yaml", "pyarrow", "snowballstemmer"])
def test_formats_and_stems_are_read_in_one_room(library: str) -> None:
    room = "english" if library == "snowballstemmer" else "formats"
    for file in SRC.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if library in text and file.relative_to(SRC).parts[0] != room:
            for node in ast.walk(ast.parse(text)):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
                assert library not in {name.split(".")[0] for name in names}, file
