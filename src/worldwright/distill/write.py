"""Rows as lines of JSON, counted while they are written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


@dataclass(slots=True)
class Written:
    """One file of rows."""

    format: str
    side: str
    rows: int = 0
    sha256: str = ""
    tasks: int = 0
    by_domain: Counter[str] = field(default_factory=Counter)
    by_family: Counter[str] = field(default_factory=Counter)
    by_agent: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    lengths: list[int] = field(default_factory=list)
    """Characters of each row: roughly four of them are a token."""


def write_rows(path: Path, fmt: str, side: str, rows: Iterable[Mapping[str, Any]], step: Callable[[], None]) -> Written:
    out, total, tasks = Written(fmt, side), sha256(), set()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for row in rows:
            line = encode(row).encode() + b"\n"
            file.write(line)
            total.update(line)
            tasks.add((row["world"], row["task"]))
            out.rows += 1
            out.by_domain[row["domain"]] += 1
            out.by_family[row["family"]] += 1
            out.lengths.append(len(line))
            if "agent" in row:
                out.by_agent[row["agent"]] += 1
            if "kind" in row:
                out.by_kind[row["kind"]] += 1
                out.by_agent[f"{row['chosen_agent']} over {row['rejected_agent']}"] += 1
            step()
    out.sha256, out.tasks = total.hexdigest(), len(tasks)
    return out
