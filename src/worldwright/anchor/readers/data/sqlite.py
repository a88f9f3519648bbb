"""SQLite files, opened in memory and read only. What a file brings along to run (views, triggers, modules) stays unused."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from worldwright.anchor.evidence import Note, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.data.tables import BATCH, Declared, Scan, Table
from worldwright.formats.json_text import pointer

MAX_TABLES = 500
MAX_COLUMNS = 1_000
MAX_REPORTS = 1_000
"""One comes after each `PER_REPORT` steps of the database's machine: a damaged file may lead in circles."""
PER_REPORT = 500_000
ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
PRAGMAS = frozenset({"table_info", "foreign_key_list", "index_list", "index_info"})
_VIRTUAL = re.compile(r"\s*CREATE\s+VIRTUAL\b", re.IGNORECASE)


def read_sqlite(upload: Upload, name: str, notes: list[Note], skipped: list[Skipped]) -> list[Table]:
    """The tables in a database."""
    whole = Source(upload.name)
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            _open(database, upload.data)
            found = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY rowid").fetchall()
            tables = [_table(database, n, upload.name, notes) for n in _names(found, whole, skipped)]
    except (sqlite3.Error, OverflowError, MemoryError, UnicodeError) as e:
        notes.append(Note("error", f"this database cannot be read: {e}; try `sqlite3 FILE .recover`", whole))
        return []
    kept = [t for t in tables if t is not None]
    if not kept and not any(n.source.file == upload.name and n.level == "error" for n in notes):
        notes.append(Note("error", "the database has no tables", whole))
    return kept


def _open(database: sqlite3.Connection, data: bytes) -> None:
    """The bytes as a database that nothing can be done with but look."""
    if data[18:20] == b"\2\2":  # written with a log beside it, which is not here
        data = data[:18] + b"\1\1" + data[20:]
    database.deserialize(data)
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA query_only = ON")
    database.execute("PRAGMA cell_size_check = ON")
    database.set_authorizer(_allows)
    left = MAX_REPORTS

    def enough() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    database.set_progress_handler(enough, PER_REPORT)


def _allows(operation: int, one: str | None, two: str | None, database: str | None, inner: str | None) -> int:
    fine = operation in ALLOWED or (operation == sqlite3.SQLITE_PRAGMA and one in PRAGMAS)
    return sqlite3.SQLITE_OK if fine and inner is None else sqlite3.SQLITE_DENY


def _names(found: Sequence[tuple[Any, Any, Any]], source: Source, skipped: list[Skipped]) -> Iterator[str]:
    """The tables that hold rows of their own."""
    virtual = [str(n) for kind, n, sql in found if kind == "table" and _VIRTUAL.match(str(sql or ""))]
    count = 0
    for kind, name, _ in found:
        if not isinstance(name, str) or kind not in ("table", "view", "trigger") or name.startswith("sqlite_"):
            continue
        count += kind == "table"
        if kind != "table":
            skipped.append(Skipped(name, f"a {kind} is not run", source))
        elif any(name == v or name.startswith(f"{v}_") for v in virtual):
            skipped.append(Skipped(name, "a table of a module, which is not loaded", source))
        elif count > MAX_TABLES:
            skipped.append(Skipped(name, f"more than {MAX_TABLES} tables", source))
        else:
            yield name


def _table(database: sqlite3.Connection, name: str, file: str, notes: list[Note]) -> Table | None:
    source = Source(file, pointer(name))
    quoted = '"' + name.replace('"', '""') + '"'
    try:
        facts = database.execute(f"PRAGMA table_info({quoted})").fetchall()[:MAX_COLUMNS]
        names = [str(f[1]) for f in facts]
        declared = _declared(database, quoted, facts)
        scan = Scan(name, names, source)
        listed = ", ".join('"' + n.replace('"', '""') + '"' for n in names)
        rows = database.execute(f"SELECT {listed} FROM {quoted}") if names else None
        while rows is not None and (batch := rows.fetchmany(BATCH)):
            scan.add([[_value(v) for v in row] for row in batch])
    except (sqlite3.Error, UnicodeError, OverflowError) as e:
        notes.append(Note("error", f"the table `{name}` cannot be read: {e}", source))
        return None
    return scan.table(declared) if names else None


def _declared(database: sqlite3.Connection, quoted: str, facts: Sequence[Sequence[Any]]) -> Declared:
    ordered = sorted((f for f in facts if f[5]), key=lambda f: f[5])
    key = tuple(str(f[1]) for f in ordered)
    unique: list[tuple[str, ...]] = []
    for index in database.execute(f"PRAGMA index_list({quoted})").fetchall():
        if index[2] and not index[4] and len(unique) < 100:
            inner = '"' + str(index[1]).replace('"', '""') + '"'
            names = [c[2] for c in database.execute(f"PRAGMA index_info({inner})").fetchall()]
            unique += [tuple(names)] if all(isinstance(n, str) for n in names) else []
    keys: dict[int, list[Sequence[Any]]] = {}
    for part in database.execute(f"PRAGMA foreign_key_list({quoted})").fetchall():
        keys.setdefault(part[0], []).append(part)
    refers = {str(p[0][3]): (str(p[0][2]), str(p[0][4] or "")) for p in keys.values() if len(p) == 1}
    required = frozenset(str(f[1]) for f in facts if f[3]) | (frozenset(key) if len(key) == 1 else frozenset())
    types = {str(f[1]): str(f[2] or "") for f in facts}
    return Declared(types, required, key, tuple(sorted(set(unique) - {key})), refers)


def _value(value: Any) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
