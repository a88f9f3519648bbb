"""The same rows as Parquet: messages and tools as JSON values, which `datasets` reads back as the objects they were.

As nested columns, every call would get the argument names of all others, each null, and a chat template would write them out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldwright.distill.rows import COLUMNS
from worldwright.distill.write import encode

BATCH = 500


def schema(fmt: str) -> pa.Schema:
    lists, texts = COLUMNS[fmt]
    return pa.schema([*((n, pa.list_(pa.json_())) for n in lists), *((n, pa.string()) for n in texts)])


def write_parquet(jsonl: Path, fmt: str) -> Path:
    """Write the rows of a file of lines beside it."""
    path = jsonl.with_suffix(".parquet")
    with jsonl.open(encoding="utf-8") as file, pq.ParquetWriter(path, schema(fmt), compression="zstd") as writer:
        rows = map(json.loads, file)
        while batch := list(islice(rows, BATCH)):
            writer.write_table(_table(batch, fmt))
    return path


def _table(rows: list[dict[str, Any]], fmt: str) -> pa.Table:
    lists, texts = COLUMNS[fmt]
    columns = [*(_json_lists(row[name] for row in rows) for name in lists)]
    columns += [pa.array([row[name] for row in rows], pa.string()) for name in texts]
    return pa.Table.from_arrays(columns, schema=schema(fmt))


def _json_lists(values: Iterator[list[Any]]) -> pa.Array:
    texts = pa.array([[encode(one) for one in value] for value in values], pa.list_(pa.string()))
    return pa.ListArray.from_arrays(
        texts.offsets, pa.ExtensionArray.from_storage(pa.json_(), texts.values), type=pa.list_(pa.json_())
    )
