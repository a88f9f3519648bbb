"""The bytes of a state: connections to private copies, digests of content, and a file that is always the same."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from struct import pack_into

from worldwright.blueprint.schema import Schema
from worldwright.core.canonical import canonical_json
from worldwright.core.errors import TamperedPack
from worldwright.kinds.database.tables import quote_name, write_schema

SCHEMA_VERSION = 40
"""Where an SQLite file keeps the version of its schema."""

PAGE_SIZE = 1024
"""Small pages: less to copy for a small table, and a reset is a copy."""

MAX_KEY_DIGITS = 18
"""The longest number of an id: the next one still is a number of 64 bits."""


def connect(state: bytes | None = None) -> sqlite3.Connection:
    """A private in-memory database that trusts nothing in its schema. Every query is read to its end (see `UnitOfWork.fetch`)."""
    conn = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, cached_statements=512)
    conn.execute("PRAGMA trusted_schema = OFF")
    conn.execute("PRAGMA cell_size_check = ON")
    conn.execute("PRAGMA secure_delete = ON")  # of a row that is gone, nothing stays in a snapshot
    if state is not None:
        conn.deserialize(state)
    return conn


def normalise(data: bytes) -> bytes:
    """A database file without what depends on how it was made: counters, and the library's version."""
    out = bytearray(data)
    for offset, number in ((24, 1), (SCHEMA_VERSION, 1), (92, 1), (96, 0)):
        pack_into(">I", out, offset, number)
    return bytes(out)


def empty_state(schema: Schema, page_size: int = PAGE_SIZE) -> sqlite3.Connection:
    """A database with every table and no row."""
    conn = connect()
    conn.execute(f"PRAGMA page_size = {page_size}")
    for statement in write_schema(schema):
        conn.execute(statement)
    return conn


def dump_state(conn: sqlite3.Connection, schema: Schema) -> bytes:
    """The database as a file: rows in order, no free pages, no trace of the library's version."""
    fresh = empty_state(schema)
    fresh.execute("BEGIN")
    for name, entity in schema.entities.items():
        columns = ", ".join(map(quote_name, ("id", *(c.name for c in entity.stored))))
        rows = conn.execute(f"SELECT {columns} FROM {quote_name(name)} ORDER BY id").fetchall()
        marks = ", ".join("?" * (len(entity.stored) + 1))
        fresh.executemany(f"INSERT INTO {quote_name(name)} ({columns}) VALUES ({marks})", rows)
    fresh.execute("COMMIT")
    data = normalise(fresh.serialize())
    fresh.close()
    return data


def compact(conn: sqlite3.Connection) -> bytes:
    """A copy of the database as a file in which the same rows are the same bytes, however they came about."""
    copy = connect(conn.serialize())
    try:
        copy.execute("VACUUM")
        return normalise(copy.serialize())
    finally:
        copy.close()


def state_digest(conn: sqlite3.Connection, schema: Schema) -> str:
    """The digest of what is in the tables, whatever the file looks like."""
    out = hashlib.sha256()
    for name, entity in sorted(schema.entities.items()):
        columns = ["id", *(c.name for c in entity.stored)]
        out.update(canonical_json([name, columns]))
        sql = f"SELECT {', '.join(map(quote_name, columns))} FROM {quote_name(name)} ORDER BY id"
        for row in conn.execute(sql).fetchall():
            out.update(canonical_json(row))
            out.update(b"\n")
    return out.hexdigest()


def check_state(data: bytes, schema: Schema) -> None:
    """Refuse a state.db that is not exactly the Blueprint's tables: no trigger, no view, no extra, no damage."""
    if not data.startswith(b"SQLite format 3\0") or len(data) < 512:
        raise TamperedPack("state.db is not an SQLite database")
    _check_header(data)
    try:
        with closing(connect(data)) as conn:
            _check_schema(conn, schema)
            _check_content(conn, schema)
    except (sqlite3.Error, UnicodeDecodeError) as e:
        raise TamperedPack(f"state.db cannot be read: {e}") from None


def _check_header(data: bytes) -> None:
    if data[18:20] != b"\x01\x01":
        raise TamperedPack("state.db is in a journal mode that a sealed state never has")
    page = int.from_bytes(data[16:18], "big")
    pages = int.from_bytes(data[28:32], "big")
    if len(data) != (65536 if page == 1 else page) * pages:
        raise TamperedPack("state.db is not as long as its header says")
    if int.from_bytes(data[56:60], "big") != 1:
        raise TamperedPack("state.db is not in UTF-8: text would sort in another order")


def _check_schema(conn: sqlite3.Connection, schema: Schema) -> None:
    sql = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
    found = conn.execute(sql).fetchall()
    with closing(empty_state(schema)) as expected:
        wanted = expected.execute(sql).fetchall()
    if found != wanted:
        odd = sorted({f"{r[0]} {r[1]}" for r in set(found) ^ set(wanted)})
        raise TamperedPack(f"state.db has another schema than its Blueprint: {', '.join(odd[:5])}")


def _check_content(conn: sqlite3.Connection, schema: Schema) -> None:
    """Check what the digest of the content cannot see: indexes that lie, references to nothing, ids that are none."""
    problem = conn.execute("PRAGMA integrity_check(1)").fetchall()
    if problem != [("ok",)]:
        raise TamperedPack(f"state.db is damaged: {problem[0][0]}")
    dangling = conn.execute("PRAGMA foreign_key_check").fetchall()
    if dangling:
        raise TamperedPack(
            f"state.db is damaged: a row of {dangling[0][0]} refers to a row of {dangling[0][2]} that is not there"
        )
    for name, entity in schema.entities.items():
        longest = len(entity.key.prefix) + MAX_KEY_DIGITS
        for (key,) in conn.execute(f"SELECT id FROM {quote_name(name)}").fetchall():
            if len(key) > longest or entity.key.number(key) is None:
                raise TamperedPack(f"state.db has a row of {name} whose id is {key[:60]!r}")
