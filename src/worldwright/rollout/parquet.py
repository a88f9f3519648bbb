"""A run as one Parquet file: what can be compared in columns of its own, what is nested as JSON text.

Arguments and rows have other keys in every world. As nested columns, each would get the keys of all others, so they stay JSON.
Unlike the lines of `trajectories.jsonl`, a row has all messages and all tools of its episode: equal texts are stored once.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldwright.agents.chat import encode
from worldwright.core.whole_file import whole_file
from worldwright.rollout.read import Run
from worldwright.rollout.records import Episode

PARQUET = "trajectories.parquet"
BATCH = 500

_TEXT = (
    "id", "status", "domain", "variant", "world", "task", "family", "role", "face", "agent", "agent_id", "outcome", "final",
    "problem", "digest",
)  # fmt: skip
_JSON = ("answer", "verdict", "features", "usage", "timing", "steps", "broken_rules")
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in _TEXT),
        ("attempt", pa.int32()),
        ("seed", pa.int64()),
        ("sees_key", pa.bool_()),
        ("submitted", pa.bool_()),
        ("reward", pa.float64()),
        ("calls", pa.int32()),
        *((name, pa.string()) for name in (*_JSON, "messages", "tools")),
    ]
)


def write_parquet(run: Run) -> Path:
    """Write `trajectories.parquet` into the folder of a run."""
    path = run.folder / PARQUET
    episodes = run.episodes()
    with whole_file(path) as out, pq.ParquetWriter(out, SCHEMA, compression="zstd") as writer:
        while rows := [_row(run, e) for e in islice(episodes, BATCH)]:
            writer.write_table(pa.Table.from_pylist(rows, SCHEMA))
    return path


def _row(run: Run, episode: Episode) -> dict[str, Any]:
    data = episode.data()
    return {
        **{name: data[name] for name in (*_TEXT, "attempt", "seed", "sees_key", "submitted", "reward")},
        **{name: encode(data[name]) for name in _JSON},
        "calls": len(episode.steps),
        "messages": encode(run.messages(episode)),
        "tools": encode(run.tools(episode)),
    }
