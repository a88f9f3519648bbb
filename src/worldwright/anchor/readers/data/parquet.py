"""Tables in Parquet files."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from worldwright.anchor.evidence import Note, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.names import fresh
from worldwright.anchor.readers.data.tables import Scan, Table
from worldwright.core.errors import UsageError
from worldwright.formats.parquet import UnsoundParquet, open_parquet

BATCH_ROWS = 2_000
MAX_CELLS = 6_000_000
"""That are looked at. Of a larger file, row groups and batches are left out evenly; its rows are still counted."""
MAX_COLUMNS = 2_000
MAX_BATCH_BYTES = 256 * 1024 * 1024
"""Of one batch. A few bytes of a packed file can stand for any number of them."""
MAX_DEPTH = 12


def read_parquet(upload: Upload, name: str, notes: list[Note], skipped: list[Skipped]) -> list[Table]:
    """The table in a Parquet file."""
    whole = Source(upload.name)
    try:
        with open_parquet(upload.data) as file:
            names = _unlike(file.schema_arrow.names[:MAX_COLUMNS])
            total = file.metadata.num_rows
            scan = Scan(name, names, whole)
            for rows in _batches(file, len(names), total):
                scan.add(rows)
    except UsageError as e:
        notes.append(Note("error", f"{e}, or save the table as CSV", whole))
        return []
    except UnsoundParquet as e:
        notes.append(Note("error", f"this is no sound Parquet file: {e}", whole))
        return []
    if not names:
        notes.append(Note("error", "the Parquet file has no columns", whole))
        return []
    if scan.total < total:
        notes.append(Note("info", f"{scan.total:,} of the {total:,} rows were looked at", whole))
        scan.total = total
    return [scan.table()]


def _unlike(names: Sequence[str]) -> list[str]:
    """The names, with a number where one comes twice."""
    out: dict[str, None] = {}
    for name in names:
        out[fresh(str(name), out)] = None
    return list(out)


def _batches(file: Any, width: int, total: int) -> Iterator[list[Sequence[Any]]]:
    """The rows, batch by batch; every so-many-th batch of a file that is too large."""
    step = max(1, -(-total * max(1, width) // MAX_CELLS))
    groups = range(0, file.num_row_groups, step if file.num_row_groups >= step else 1)
    sparse = step if file.num_row_groups < step else 1
    for i, batch in enumerate(file.iter_batches(BATCH_ROWS, row_groups=list(groups))):
        if i % sparse:
            continue
        if batch.nbytes > MAX_BATCH_BYTES:
            raise ValueError("a row is far too large")
        yield list(zip(*(_values(batch.column(j)) for j in range(width)), strict=True))


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
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return (int(value) if value == value.to_integral_value() else float(value)) if value.is_finite() else None
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
