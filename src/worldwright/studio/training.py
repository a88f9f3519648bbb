"""A training folder, read: its settings, a line of figures for every step, and what it came to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.formats.strict_yaml import YamlError, read_yaml
from worldwright.train import FIRST_METRICS

METRICS, RESULT, SETTINGS = "metrics.jsonl", "result.json", "run.yaml"
MAX_BYTES = 64_000_000
SAYS: Mapping[str, str] = {
    "loss": "what the optimizer brings down",
    "reward": "mean reward of the episodes of a step",
    "solved": "share of episodes that passed",
    "reward_variance": "how much attempts of one task differ: where it is 0, nothing is learned",
    "all_0": "share of tasks that no attempt solved",
    "all_1": "share of tasks that every attempt solved",
    "entropy": "how open the model's choices are",
    "kl": "how far it has moved from the model it began as",
    "response_tokens": "tokens that it writes in an episode",
    "tool_errors": "share of its calls that were refused",
    "tokens": "tokens of a step",
    "grad_norm": "the length of the gradient",
    "turns": "messages of an episode",
    "calls": "calls of an episode",
    "well_formed": "share of messages that could be read",
    "submitted": "share of episodes that ended with an answer",
    "no_verdict": "episodes without a verdict",
    "seconds": "seconds since it began",
}
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Training:
    """What a training folder says."""

    stages: Mapping[str, Mapping[str, Sequence[Point]]]
    """By stage and figure, its value at each step."""
    steps: int
    settings: Mapping[str, Any]
    result: Mapping[str, Any]
    """What it came to, where it has ended."""


def read_training(folder: Path) -> Training:
    """Read a training, whether it goes on or not. A line that is torn does not count."""
    try:
        with (folder / METRICS).open("rb") as file:
            lines = file.read(MAX_BYTES).splitlines(keepends=True)
    except OSError as e:
        raise UsageError(f"{folder / METRICS} cannot be read: {e.strerror}") from None
    stages: dict[str, dict[str, list[Point]]] = {}
    steps = 0
    for line in lines:
        data = _parse(line)
        if data is None:
            continue
        steps += 1
        figures = stages.setdefault(str(data.get("stage") or data.get("run") or "steps"), {})
        for name, value in data.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in ("step", "stage"):
                figures.setdefault(name, []).append((float(data["step"]), float(value)))
    ordered = {stage: {name: figures[name] for name in _order(figures)} for stage, figures in stages.items()}
    return Training(ordered, steps, _read_settings(folder / SETTINGS), _read_object(folder / RESULT))


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("step"), (int, float)) else None


def _order(figures: Mapping[str, Any]) -> list[str]:
    return [
        *(name for name in FIRST_METRICS if name in figures),
        *sorted(name for name in figures if name not in FIRST_METRICS),
    ]


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        found, _ = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, YamlError):
        return {}
    return found if isinstance(found, dict) else {}
