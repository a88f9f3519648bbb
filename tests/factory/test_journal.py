"""The journal: what is written is read again, what is torn does not count, and one process has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.errors import StoreError, UsageError
from worldwright.factory.journal import JOURNAL, Row, folder_of, open_journal, read_rows, row_of
from worldwright.factory.order import Order
from worldwright.factory.sources import source_of_domain

ORDER = Order((source_of_domain("hotel_booking"),), 3)
ROWS = [
    Row("hotel", f"v{n}", n, f"{n:064x}" if n != 2 else "", 3, 1000, 0.5, 0.25, "" if n != 2 else "no “luck”")
    for n in range(4)
]


def test_what_is_written_is_there_for_the_next(tmp_path: Path) -> None:
    with open_journal(tmp_path, ORDER) as journal:
        journal.write(ROWS[:2])
        journal.write(ROWS[2:])
    with open_journal(tmp_path, ORDER) as journal:
        assert journal.read() == {row.key: row for row in ROWS}
    assert read_rows(folder_of(tmp_path, ORDER)) == {row.key: row for row in ROWS}


def test_the_last_row_of_a_world_counts(tmp_path: Path) -> None:
    again = Row("hotel", "v2", 2, "a" * 64)
    with open_journal(tmp_path, ORDER) as journal:
        journal.write([*ROWS, again])
        assert journal.read()["hotel", "v2"] == again


@given(st.data())
def test_cut_anywhere_it_has_the_whole_lines_before(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("cut")
    with open_journal(root, ORDER) as journal:
        journal.write(ROWS)
    file = folder_of(root, ORDER) / JOURNAL
    whole = file.read_bytes()
    at = data.draw(st.integers(0, len(whole)))
    file.write_bytes(whole[:at])
    with open_journal(root, ORDER) as journal:
        left = whole[:at].count(b"\n")
        assert list(journal.read().values()) == ROWS[:left]
        journal.write(ROWS[left:])
    assert file.read_bytes() == whole


@given(st.binary(max_size=60))
def test_no_bytes_are_taken_for_a_row_by_mistake(line: bytes) -> None:
    assert row_of(line) is None


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b"[" * 100_000, b'{"family": 1}', ROWS[0].data().__repr__().encode(), b"\xff\n"]
)
def test_what_is_no_row_is_none(line: bytes) -> None:
    assert row_of(line) is None


def test_two_processes_cannot_have_it(tmp_path: Path) -> None:
    with (
        open_journal(tmp_path, ORDER),
        pytest.raises(UsageError, match="another process is at this very run"),
        open_journal(tmp_path, ORDER),
    ):
        pass


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(StoreError, match=r"the store at .* cannot be written"), open_journal(tmp_path, ORDER):
        pass


def test_the_end_is_whole_or_not_there(tmp_path: Path) -> None:
    with open_journal(tmp_path, ORDER) as journal:
        assert journal.read_finished() is None
        journal.finish(ROWS, {"some": 1})
        assert journal.read_finished() == (ROWS, {"some": 1})
        journal.unfinish()
        assert journal.read_finished() is None
        journal.finish(ROWS, {"some": 1})
        journal.clear()
        assert journal.read_finished() is None
        assert journal.read() == {}
