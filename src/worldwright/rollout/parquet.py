"""A run as one Parquet file: what can be compared in columns of its own, what is nested as JSON text.

Arguments and rows have other keys in every world. As nested columns, each would get the keys of all others, so they stay JSON.
Unlike the lines of `trajectories.jsonl`, a row has all messages and all tools of its episode: equal texts are stored once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldwright.agents.chat import encode
from worldwright.formats.parquet import write_parquet
from worldwright.rollout.read import Run
from worldwright.rollout.records import Episode

PARQUET = "trajectories.parquet"

_TEXT = (
    "id", "status", "domain", "variant", "world", "task", "family", "role", "face", "agent", "agent_id", "outcome", "final",
    "problem", "digest",
)  # fmt: skip
_JSON = ("answer", "verdict", "features", "usage", "timing", "steps", "broken_rules")
_PLAIN = {"attempt": "int32", "seed": "int64", "sees_key": "bool", "submitted": "bool", "reward": "double"}
COLUMNS = (
    dict.fromkeys(_TEXT, "string")
    | _PLAIN
    | {"calls": "int32"}
    | dict.fromkeys((*_JSON, "messages", "tools"), "string")
)


def write_run(run: Run) -> Path:
    """Write `trajectories.parquet` into the folder of a run."""
    return write_parquet(run.folder / PARQUET, COLUMNS, (_row(run, e) for e in run.episodes()))


def _row(run: Run, episode: Episode) -> dict[str, Any]:
    data = episode.data()
    return {
        **{name: data[name] for name in (*_TEXT, *_PLAIN)},
        **{name: encode(data[name]) for name in _JSON},
        "calls": len(episode.steps),
        "messages": encode(run.messages(episode)),
        "tools": encode(run.tools(episode)),
    }
