"""The same rows as Parquet: messages and tools as JSON values, which `datasets` reads back as the objects they were.

As nested columns, every call would get the argument names of all others, each null, and a chat template would write them out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from worldwright.distill.rows import COLUMNS, encode
from worldwright.formats.parquet import JSON_LIST, write_parquet


def write_beside(jsonl: Path, fmt: str) -> Path:
    """Write the rows of a file of lines as a Parquet file beside it."""
    lists, texts = COLUMNS[fmt]
    columns = dict.fromkeys(lists, JSON_LIST) | dict.fromkeys(texts, "string")
    with jsonl.open(encoding="utf-8") as file:
        return write_parquet(jsonl.with_suffix(".parquet"), columns, (_row(json.loads(line), lists) for line in file))


def _row(row: dict[str, Any], lists: tuple[str, ...]) -> dict[str, Any]:
    return row | {name: [encode(one) for one in row[name]] for name in lists}
