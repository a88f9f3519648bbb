"""Tables in Parquet files and in SQLite databases."""

from __future__ import annotations

import datetime as dt
import math
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any

from worldwright.anchor.evidence import Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.data.tables import Table, Told, make_table, unlike
from worldwright.core.errors import UsageError
from worldwright.formats.json_text import pointer
from worldwright.formats.parquet import UnsoundParquet, open_parquet

BATCH_ROWS = 2_000
MAX_COLUMNS = 2_000
MAX_BATCH_BYTES = 256 * 1024 * 1024
"""Of one batch. A few bytes of a packed file can stand for any number of them."""
MAX_DEPTH = 12


def read_parquet(upload: Upload, name: str, told: Told) -> list[Table]:
    """The table in a Parquet file."""
    whole = Source(upload.name)
    try:
        with open_parquet(upload.data) as file:
            names = unlike(file.schema_arrow.names[:MAX_COLUMNS])
            table = make_table(name, names, _rows(file, len(names)), whole, total=file.metadata.num_rows)
    except UsageError as e:
        return told.fail(f"{e}, or save the table as CSV", whole)
    except UnsoundParquet as e:
        return told.fail(f"this is no sound Parquet file: {e}", whole)
    return [table] if names else told.fail("the Parquet file has no columns", whole)


def _rows(file: Any, width: int) -> Iterator[Sequence[Any]]:
    for batch in file.iter_batches(BATCH_ROWS):
        if batch.nbytes > MAX_BATCH_BYTES:
            raise ValueError("a row is far too large")
        yield from zip(*(_values(batch.column(j)) for j in range(width)), strict=True)


def _values(column: Any) -> list[Any]:
    """The values of a column; as texts where they are finer than any value here, such as billionths of a second."""
    try:
        found = column.to_pylist()
    except (ValueError, KeyError, OverflowError):
        found = column.cast("string").to_pylist()
    return [_value(v, 0) for v in found]


def _value(value: Any, depth: int) -> Any:
    """As a JSON value."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() | Decimal() if not math.isfinite(value):
            return None
        case float():
            return value
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case dt.timedelta():
            return value.total_seconds()
        case bytes():
            return value if depth == 0 else None
        case dict() if depth < MAX_DEPTH:
            return {str(k): _value(v, depth + 1) for k, v in value.items()}
        case list() | tuple() if depth < MAX_DEPTH:
            return [_value(v, depth + 1) for v in value]
        case _:
            return str(value)


# SQLite files, opened in memory and read only. What a file brings along to run (views, triggers, modules) stays unused.


MAX_TABLES = 500
MAX_SQLITE_COLUMNS = 1_000
MAX_REPORTS = 1_000
"""One comes after each `PER_REPORT` steps of the database's machine: a damaged file may lead in circles."""
PER_REPORT = 500_000
ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
PRAGMAS = frozenset({"table_info", "foreign_key_list", "index_list", "index_info"})
_VIRTUAL = re.compile(r"\s*CREATE\s+VIRTUAL\b", re.IGNORECASE)


def read_sqlite(upload: Upload, name: str, told: Told) -> list[Table]:
    """The tables in a database."""
    whole = Source(upload.name)
    before = len(told.notes)
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            _open(database, upload.data)
            found = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY rowid").fetchall()
            tables = [t for n in _names(found, whole, told) for t in _table(database, n, upload.name, told)]
    except (sqlite3.Error, OverflowError, MemoryError, UnicodeError) as e:
        return told.fail(f"this database cannot be read: {e}; try `sqlite3 FILE .recover`", whole)
    return tables if tables or len(told.notes) > before else told.fail("the database has no tables", whole)


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
    left = iter(range(MAX_REPORTS))
    database.set_progress_handler(lambda: next(left, None) is None, PER_REPORT)


def _allows(operation: int, one: str | None, two: str | None, database: str | None, inner: str | None) -> int:
    fine = operation in ALLOWED or (operation == sqlite3.SQLITE_PRAGMA and one in PRAGMAS)
    return sqlite3.SQLITE_OK if fine and inner is None else sqlite3.SQLITE_DENY


def _names(found: Sequence[tuple[Any, Any, Any]], source: Source, told: Told) -> Iterator[str]:
    """The tables that hold rows of their own."""
    virtual = [str(n) for kind, n, sql in found if kind == "table" and _VIRTUAL.match(str(sql or ""))]
    count = 0
    for kind, name, _ in found:
        if not isinstance(name, str) or kind not in ("table", "view", "trigger") or name.startswith("sqlite_"):
            continue
        count += kind == "table"
        if kind != "table":
            told.skip(name, f"a {kind} is not run", source)
        elif any(name == v or name.startswith(f"{v}_") for v in virtual):
            told.skip(name, "a table of a module, which is not loaded", source)
        elif count > MAX_TABLES:
            told.skip(name, f"more than {MAX_TABLES} tables", source)
        else:
            yield name


def _table(database: sqlite3.Connection, name: str, file: str, told: Told) -> list[Table]:
    source, quoted = Source(file, pointer(name)), _quoted(name)
    try:
        facts = database.execute(f"PRAGMA table_info({quoted})").fetchall()[:MAX_SQLITE_COLUMNS]
        names = [str(f[1]) for f in facts]
        declared = _declared(database, quoted, facts)
        rows = database.execute(f"SELECT {', '.join(map(_quoted, names))} FROM {quoted}") if names else ()
        values = ([_value(v, 0) if isinstance(v, float) else v for v in row] for row in rows)
        return [make_table(name, names, values, source, **declared)] if names else []
    except (sqlite3.Error, UnicodeError, OverflowError) as e:
        return told.fail(f"the table `{name}` cannot be read: {e}", source)


def _quoted(name: Any) -> str:
    return '"' + str(name).replace('"', '""') + '"'


def _declared(database: sqlite3.Connection, quoted: str, facts: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """What the database says of a table."""
    key = tuple(str(f[1]) for f in sorted((f for f in facts if f[5]), key=lambda f: f[5]))
    unique: set[tuple[str, ...]] = set()
    for index in database.execute(f"PRAGMA index_list({quoted})").fetchall()[:200]:
        if index[2] and not index[4]:
            names = [c[2] for c in database.execute(f"PRAGMA index_info({_quoted(index[1])})").fetchall()]
            unique |= {tuple(names)} if all(isinstance(n, str) for n in names) else set()
    keys: dict[int, list[Sequence[Any]]] = {}
    for part in database.execute(f"PRAGMA foreign_key_list({quoted})").fetchall():
        keys.setdefault(part[0], []).append(part)
    return {
        "types": {str(f[1]): str(f[2] or "") for f in facts},
        "required": frozenset(str(f[1]) for f in facts if f[3]) | frozenset(key if len(key) == 1 else ()),
        "key": key,
        "unique": tuple(sorted(unique - {key})),
        "refers": {str(p[0][3]): (str(p[0][2]), str(p[0][4] or "")) for p in keys.values() if len(p) == 1},
    }
