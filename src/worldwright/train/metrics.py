"""Metrics of a run, step by step: to `metrics.jsonl`, and to TensorBoard where it is installed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldwright.core.errors import StoreError
from worldwright.train.rollouts import Rollout

METRICS_FILE = "metrics.jsonl"


def summarise_rollouts(rollouts: Sequence[Rollout], groups: Sequence[int]) -> dict[str, float]:
    """Summarise a batch of rollouts; `groups` has the number of the group of each.

    Rollouts without a verdict are counted in `no_verdict` and nowhere else. `all_0` and `all_1` are the shares of groups that teach
    nothing, because all their rewards are the same."""
    judged = [one for one in rollouts if one.reward is not None]
    calls = sum(len(one.episode.steps) for one in judged)
    turns = sum(one.turns for one in judged)
    rewards = [one.reward for one in judged if one.reward is not None]
    by_group: dict[int, list[float]] = {}
    for one, group in zip(rollouts, groups, strict=True):
        if one.reward is not None:
            by_group.setdefault(group, []).append(one.reward)
    return {
        "reward": _mean(rewards),
        "solved": _mean([float(reward == 1.0) for reward in rewards]),
        "reward_variance": _mean([_variance(group) for group in by_group.values()]),
        "all_0": _mean([float(max(group) == 0.0) for group in by_group.values()]),
        "all_1": _mean([float(min(group) == 1.0) for group in by_group.values()]),
        "no_verdict": float(len(rollouts) - len(judged)),
        "response_tokens": _mean([float(one.tokens.num_response_tokens) for one in judged]),
        "episode_tokens": _mean([float(len(one.tokens.token_ids)) for one in judged]),
        "turns": turns / max(len(judged), 1),
        "calls": calls / max(len(judged), 1),
        "tool_errors": sum(one.errors for one in judged) / max(turns, 1),
        "well_formed": sum(one.well_formed_turns for one in judged) / max(turns, 1),
        "submitted": _mean([float(one.episode.submitted) for one in judged]),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return _mean([(value - mean) ** 2 for value in values])


class MetricsLog:
    """The metrics file of a run. On resume, lines of steps that are taken again are removed first."""

    def __init__(self, folder: Path, next_steps: Mapping[str, int] | None = None) -> None:
        """`next_steps`: the step that comes next, by stage."""
        self._path = folder / METRICS_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._truncate({} if next_steps is None else next_steps)
            self._file = self._path.open("a", encoding="utf-8")
        except OSError as e:
            raise StoreError(f"{self._path} cannot be written: {e.strerror or e}") from None
        self._tensorboard = _open_tensorboard(folder)

    def _truncate(self, next_steps: Mapping[str, int]) -> None:
        if not self._path.exists():
            return
        lines = [json.loads(line) for line in self._path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
        kept = [line for line in lines if line["step"] < next_steps.get(line["stage"], 0)]
        self._path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")

    def write(self, stage: str, step: int, metrics: Mapping[str, float]) -> None:
        self._file.write(json.dumps({"stage": stage, "step": step, **metrics}) + "\n")
        self._file.flush()
        if self._tensorboard is not None:
            for name, value in metrics.items():
                self._tensorboard.add_scalar(f"{stage}/{name}", value, step)

    def close(self) -> None:
        self._file.close()
        if self._tensorboard is not None:
            self._tensorboard.close()


def _open_tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - written where it is installed
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))
