"""Parquet files. The library comes with an extra, and is loaded when the first such file is read or written."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.whole_file import replace_file

BATCH_ROWS = 500
"""Rows that are written together."""
JSON_LIST = "list of json"
"""The type of a column whose values are lists of JSON texts, which `datasets` reads back as the objects they were."""


class UnsoundParquet(ValueError):
    """A file that is no Parquet, or is damaged."""


@contextmanager
def open_parquet(source: Path | bytes) -> Iterator[Any]:
    """Open a Parquet file of somebody else. Raises `UsageError` without the library, else `UnsoundParquet`."""
    pa, pq = load_pyarrow()
    try:
        with pq.ParquetFile(pa.BufferReader(source) if isinstance(source, bytes) else source) as file:
            yield file
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, MemoryError) as e:
        raise UnsoundParquet(str(e).splitlines()[0][:200] if str(e) else "damaged") from None


def write_parquet(path: Path, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows whose columns have the types of Arrow (`string`, `int32`, ...) or `JSON_LIST`; all of the file or nothing."""
    pa, pq = load_pyarrow()
    json_list = pa.list_(pa.json_())
    schema = pa.schema(
        [(n, json_list if kind == JSON_LIST else pa.type_for_alias(kind)) for n, kind in columns.items()]
    )
    left = iter(rows)
    with replace_file(path) as out, pq.ParquetWriter(out, schema, compression="zstd") as writer:
        while batch := list(islice(left, BATCH_ROWS)):
            arrays = [_array(pa, [row[field.name] for row in batch], field.type, json_list) for field in schema]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    return path


def _array(pa: Any, values: list[Any], kind: Any, json_list: Any) -> Any:
    if kind != json_list:
        return pa.array(values, kind)
    texts = pa.array(values, pa.list_(pa.string()))
    return pa.ListArray.from_arrays(
        texts.offsets, pa.ExtensionArray.from_storage(pa.json_(), texts.values), type=json_list
    )


def load_pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet; without them, raise a `UsageError` that says what to install."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError("Parquet needs a library: pip install 'worldwright[data]'") from None
