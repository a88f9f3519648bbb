"""What a run says of itself, step by step: to whoever listens, to `metrics.jsonl`, and to TensorBoard where it is installed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldwright.core.errors import StoreError
from worldwright.train.rollouts import Rolled

FILE = "metrics.jsonl"


def figures(rolled: Sequence[Rolled], groups: Sequence[int]) -> dict[str, float]:
    """What a batch of episodes came to. Episodes without a verdict are counted apart and are in no other figure."""
    judged = [(one, group) for one, group in zip(rolled, groups, strict=True) if one.reward is not None]
    calls = sum(len(one.episode.steps) for one, _ in judged)
    turns = sum(one.turns for one, _ in judged)
    return {
        **group_figures([one.reward for one in rolled], groups),
        "no_verdict": float(len(rolled) - len(judged)),
        "said": _mean([float(one.line.spoken) for one, _ in judged]),
        "length": _mean([float(len(one.line.ids)) for one, _ in judged]),
        "turns": turns / max(len(judged), 1),
        "calls": calls / max(len(judged), 1),
        "tool_errors": sum(one.errors for one, _ in judged) / max(turns, 1),
        "formed": sum(one.formed for one, _ in judged) / max(turns, 1),
        "submitted": _mean([float(one.episode.submitted) for one, _ in judged]),
    }


def group_figures(rewards: Sequence[float | None], groups: Sequence[int]) -> dict[str, float]:
    """How rewards are spread within groups: a group that is all 0 or all 1 teaches nothing."""
    judged = [(reward, group) for reward, group in zip(rewards, groups, strict=True) if reward is not None]
    by_group: dict[int, list[float]] = {}
    for reward, group in judged:
        by_group.setdefault(group, []).append(reward)
    return {
        "reward": _mean([reward for reward, _ in judged]),
        "solved": _mean([float(reward == 1.0) for reward, _ in judged]),
        "variance": _mean([_variance(group) for group in by_group.values()]),
        "all_0": _mean([float(max(group) == 0.0) for group in by_group.values()]),
        "all_1": _mean([float(min(group) == 1.0) for group in by_group.values()]),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return _mean([(value - mean) ** 2 for value in values])


class Journal:
    """Where a run writes its figures. Lines of steps that are taken again after a stop are cut off first."""

    def __init__(self, folder: Path, before: Mapping[str, int] | None = None) -> None:
        """`before`: by stage, the step that comes next."""
        self._path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._cut({} if before is None else before)
            self._file = self._path.open("a", encoding="utf-8")
        except OSError as e:
            raise StoreError(f"{self._path} cannot be written: {e.strerror or e}") from None
        self._board = _tensorboard(folder)

    def _cut(self, before: Mapping[str, int]) -> None:
        if not self._path.exists():
            return
        lines = [json.loads(line) for line in self._path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
        kept = [line for line in lines if line["step"] < before.get(line["stage"], 0)]
        self._path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")

    def write(self, stage: str, step: int, found: Mapping[str, float]) -> None:
        self._file.write(json.dumps({"stage": stage, "step": step, **found}) + "\n")
        self._file.flush()
        if self._board is not None:
            for name, value in found.items():
                self._board.add_scalar(f"{stage}/{name}", value, step)

    def close(self) -> None:
        self._file.close()
        if self._board is not None:
            self._board.close()


def _tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - written where it is installed
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))
