"""Runs that tests make up: as many episodes as they like, with the outcomes they like."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldwright.rollout.records import Episode
from worldwright.rollout.stats import EpisodeStats

BASE = Episode(
    "e0", "hotel", "default-7", "w1", "task_001", "walk", "clerk", "plain", 1, 5, "tester", "f" * 16, False, "o1", {},
    (
        {"role": "user", "content": "Please book a room."},
        {"role": "assistant", "content": None, "reasoning_content": "I look first.", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "find_rooms", "arguments": '{"beds": 2}'}}]},
        {"role": "tool", "tool_call_id": "call_1", "name": "find_rooms", "content": '{"ok": true, "data": []}'},
    ),
    ({"call": "call_1", "tool": "find_rooms", "arguments": {"beds": 2}, "clock": "", "ok": True},),
    "submitted", True, {}, "pass", 1.0, {"status": "pass", "reward": 1.0, "assertions": [{"name": "booked", "ok": True}]},
    (), {"calls": 2, "held_out": False, "reference": "id"}, "d", {"prompt_tokens": 10},
    timing={"total": 1.0, "agent": 0.5, "tools": 0.25, "verifier": 0.125},
)  # fmt: skip
VERDICTS: Mapping[str, Mapping[str, Any]] = {
    "pass": {},
    "fail": {"verdict": {"status": "fail", "assertions": [{"name": "booked", "ok": False, "expected": 1, "found": 0}]}},
    "error": {"verdict": {"status": "error", "assertions": []}, "outcome": "error", "problem": "the endpoint is away"},
}


def episode(status: str = "pass", **changes: Any) -> Episode:
    return replace(BASE, status=status, **{**VERDICTS[status], **changes})


def run_of(statuses: Mapping[str, Sequence[str]], **changes: Any) -> list[Episode]:
    """By task, the status of each attempt."""
    return [
        episode(status, id=f"{task}-{attempt}", task=task, attempt=attempt, **changes)
        for task, found in statuses.items()
        for attempt, status in enumerate(found, start=1)
    ]


def write_run(folder: Path, episodes: Iterable[Episode], planned: int | None = None, **config: Any) -> Path:
    folder.mkdir(parents=True)
    lines = [json.dumps(e.data()) for e in episodes]
    (folder / "trajectories.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "openings.jsonl").write_text(
        '{"id": "o1", "system": "You act as clerk.", "tools": []}\n', encoding="utf-8"
    )
    facts = {"gym": "hotel", "attempts": 2, "seed": 7, "episodes": planned or len(lines), "ended": True, **config}
    (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    return folder


def row(task: str, status: str = "pass", **changes: Any) -> EpisodeStats:
    base = EpisodeStats("w", task, "hotel", "walk", "clerk", {}, status, "submitted", 3, 4, {}, {})
    return replace(base, **changes)


def rows_of(statuses: Mapping[str, Sequence[bool]]) -> list[EpisodeStats]:
    """By task, whether each attempt passed."""
    return [row(task, "pass" if ok else "fail") for task, found in statuses.items() for ok in found]
