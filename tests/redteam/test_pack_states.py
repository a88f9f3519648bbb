"""A state.db with something in it that does not belong there, sealed again with the digest of what it holds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from tests.redteam.helpers import Files, edited, opened, resealed, with_state, within

from worldwright.core.errors import TamperedPack


def refused(files: Files, state: bytes, match: str) -> None:
    with within(5), pytest.raises(TamperedPack, match=match):
        opened(with_state(files, state))


# planted schema


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("CREATE TABLE evil (x)", "table evil"),
        ("CREATE TRIGGER evil AFTER INSERT ON loan BEGIN DELETE FROM member; END", "trigger evil"),
        ("CREATE TRIGGER evil AFTER UPDATE ON loan BEGIN UPDATE loan SET fine = 0; END", "trigger evil"),
        ("CREATE VIEW evil AS SELECT * FROM loan", "view evil"),
        ("CREATE INDEX evil ON loan (fine)", "index evil"),
        ("CREATE UNIQUE INDEX evil ON loan (reference)", "index evil"),
        ("CREATE VIRTUAL TABLE evil USING fts5(x)", "table evil"),
        ("CREATE TABLE evil (x INTEGER PRIMARY KEY AUTOINCREMENT)", "table evil"),
        ("ANALYZE", "table sqlite_stat1"),
        ("ALTER TABLE title ADD COLUMN evil INTEGER", "table title"),
        ("ALTER TABLE title ADD COLUMN evil INTEGER GENERATED ALWAYS AS (price * 2) VIRTUAL", "table title"),
        ("ALTER TABLE title RENAME COLUMN name TO evil", "table title"),
        ("DROP TABLE notice", "table notice"),
        ("DROP INDEX loan__member", "index loan__member"),
    ],
)
def test_planted_schema(files: Files, sql: str, what: str) -> None:
    refused(files, edited(files["state.db"], sql), f"another schema than its Blueprint: .*{what}")


def test_table_with_a_default_that_calls_a_function(files: Files) -> None:
    state = edited(
        files["state.db"],
        "DROP TABLE notice",
        "CREATE TABLE notice (id TEXT PRIMARY KEY, x DEFAULT (load_extension('evil')))",
    )
    refused(files, state, "another schema than its Blueprint: .*table notice")


def _loosened(files: Files, *statements: str) -> bytes:
    """Rows written while the table was not strict; the schema says afterwards what it always said."""
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.deserialize(files["state.db"])
        (sql,) = conn.execute("SELECT sql FROM sqlite_master WHERE name = 'title'").fetchone()
    loose = sql.replace(" STRICT,", "").replace("'", "''").replace("NOT NULL,", ",")
    state = edited(
        files["state.db"],
        "PRAGMA writable_schema = ON",
        f"UPDATE sqlite_master SET sql = '{loose}' WHERE name = 'title'",
    )
    state = edited(state, *statements)
    tight = sql.replace("'", "''")
    return edited(
        state, "PRAGMA writable_schema = ON", f"UPDATE sqlite_master SET sql = '{tight}' WHERE name = 'title'"
    )


@pytest.mark.parametrize(
    ("sql", "match"),
    [
        ("UPDATE title SET price = 'lots' WHERE id = 'TTL-0001'", "non-INTEGER value in title.price"),
        ("UPDATE title SET price = 1.5 WHERE id = 'TTL-0001'", "non-INTEGER value in title.price"),
        ("UPDATE title SET name = x'0102' WHERE id = 'TTL-0001'", "non-TEXT value in title.name"),
        ("UPDATE title SET name = NULL WHERE id = 'TTL-0001'", "NULL value in title.name"),
    ],
)
def test_column_of_the_wrong_type(files: Files, sql: str, match: str) -> None:
    refused(files, _loosened(files, sql), f"state.db is damaged: {match}")


def test_word_that_the_choice_does_not_have(files: Files) -> None:
    state = edited(
        files["state.db"],
        "PRAGMA ignore_check_constraints = ON",
        "UPDATE copy SET status = 'stolen' WHERE id = 'CPY-0001'",
    )
    refused(files, state, "CHECK constraint failed in copy")


# content


def test_index_that_lies(files: Files) -> None:
    """Tables, and so the digest of the content, are as they were; a search by index would find other rows."""
    where = "WHERE name = 'loan__member'"
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.deserialize(files["state.db"])
        row = conn.execute(f"SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master {where}").fetchone()
    state = edited(files["state.db"], "PRAGMA writable_schema = ON", f"DELETE FROM sqlite_master {where}")
    state = edited(
        state, "UPDATE loan SET member = 'MEM-0001' WHERE id = (SELECT id FROM loan WHERE member <> 'MEM-0001' LIMIT 1)"
    )
    values = ", ".join(repr(v) for v in row)
    state = edited(state, "PRAGMA writable_schema = ON", f"INSERT INTO sqlite_master VALUES ({values})")
    refused(files, state, "state.db is damaged: .*index loan__member")


def test_two_indexes_swapped(files: Files) -> None:
    swap = (
        "UPDATE sqlite_master SET rootpage = (SELECT SUM(rootpage) FROM sqlite_master WHERE name IN ('loan__member', 'loan__copy'))"
        " - rootpage WHERE name IN ('loan__member', 'loan__copy')"
    )
    refused(files, edited(files["state.db"], "PRAGMA writable_schema = ON", swap), "state.db is damaged|cannot be read")


def test_text_that_is_not_utf_8(files: Files) -> None:
    refused(
        files,
        edited(files["state.db"], "UPDATE member SET name = CAST(x'ff41' AS TEXT) WHERE id = 'MEM-0001'"),
        "cannot be read: .*UTF-8",
    )


def test_database_in_utf_16(files: Files) -> None:
    """The same content, the same digest, another order of text."""
    with closing(sqlite3.connect(":memory:")) as old, closing(sqlite3.connect(":memory:")) as new:
        old.deserialize(files["state.db"])
        new.execute("PRAGMA encoding = 'UTF-16le'")
        new.executescript("\n".join(old.iterdump()))
        refused(files, new.serialize(), "not in UTF-8")


def test_reference_to_a_row_that_is_not_there(files: Files) -> None:
    sql = "UPDATE loan SET member = 'MEM-9999' WHERE id = (SELECT MIN(id) FROM loan)"
    refused(files, edited(files["state.db"], sql), "a row of loan refers to a row of member that is not there")


@pytest.mark.parametrize(
    "key", ["x; DROP TABLE loan", "", "CLK-1", "CLK-" + "9" * 19, "CLK-" + "9" * 5000, "CLK-٠١", "clk-01", "CLK-0x"]
)
def test_id_that_is_no_id(files: Files, key: str) -> None:
    """New ids follow the largest number: one of thousands of digits would stop the count."""
    sql = f"INSERT INTO clerk SELECT '{key}', name, role FROM clerk LIMIT 1"
    refused(files, edited(files["state.db"], sql), "a row of clerk whose id is")


def test_content_swapped_under_the_old_digest(files: Files) -> None:
    state = edited(files["state.db"], "UPDATE loan SET fine = 0")
    assert opened(with_state(files, state)).manifest.state != opened(files).manifest.state
    with pytest.raises(TamperedPack, match="does not have the content that the manifest names"):
        opened(resealed({**files, "state.db": state}))


# the file itself


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"SQLite format 3\0",
        b"SQLite format 3\0" + bytes(84),
        b"PK\3\4" + bytes(1000),
        b"\x7fELF" + bytes(1000),
        b"SQLite format 2\0" + bytes(1000),
    ],
)
def test_state_that_is_no_database(files: Files, state: bytes) -> None:
    refused(files, state, "state.db is not an SQLite database")


def test_state_that_is_a_header_only(files: Files) -> None:
    refused(files, b"SQLite format 3\0" + bytes(1008), "journal mode")


def test_state_in_wal_mode(files: Files) -> None:
    """Such a file makes SQLite look for two more files beside it."""
    state = bytearray(files["state.db"])
    state[18:20] = b"\2\2"
    refused(files, bytes(state), "journal mode")


@pytest.mark.parametrize("keep", [512, 1024, 4096, -1024, -1])
def test_state_cut_short(files: Files, keep: int) -> None:
    refused(files, files["state.db"][:keep], "not as long as its header says")


def test_state_with_something_after_its_end(files: Files) -> None:
    refused(files, files["state.db"] + b"hidden" * 1024, "not as long as its header says")


def test_state_whose_header_asks_for_huge_pages(files: Files) -> None:
    state = bytearray(files["state.db"])
    state[16:18] = b"\0\1"
    refused(files, bytes(state), "not as long as its header says")


def test_state_with_damaged_pages(files: Files) -> None:
    """Whatever a changed byte does, it is refused or it is content with a digest of its own; nothing else is raised."""
    kept = opened(files).manifest.state
    refusals = 0
    for at in range(30, len(files["state.db"]), 1511):
        state = bytearray(files["state.db"])
        state[at] ^= 0xFF
        sealed = with_state(files, bytes(state))
        try:
            with within(5):
                world = opened(sealed)
        except TamperedPack:
            refusals += 1
        else:
            env = world.env()
            env.reset()
            assert env.call_tool("find_loans", {"limit": 50}).ok
            assert world.manifest.state != kept or env.state_digest() == kept
    assert refusals > 8


def test_state_whose_schema_version_is_chosen(files: Files) -> None:
    """Prepared statements are told apart by it; the engine counts from its own number, not from the file's."""
    state = bytearray(files["state.db"])
    state[40:44] = (2).to_bytes(4, "big")
    runtime: Any = opened(with_state(files, bytes(state))).runtime
    assert runtime.state[40:44] == (1).to_bytes(4, "big")
