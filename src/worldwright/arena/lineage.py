"""Lineage: which world was built in which round, and which guideline asked for it. A line of JSON for each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from worldwright.core.errors import UsageError
from worldwright.core.whole_file import write_whole

LINEAGE = "lineage.jsonl"


@dataclass(frozen=True, slots=True)
class WorldOrigin:
    """One world, and where it comes from."""

    round: int
    world: str
    """The digest of its pack."""
    family: str
    variant: str
    seed: int
    order: str
    """The digest of what the factory was asked for."""
    guideline: str
    why: str
    agent: str
    """The fingerprint of the agent whose failures asked for it."""
    tasks: int
    """That it has; `wanted` of them are about what the guideline is about, and `kept` are in the learnable band."""
    wanted: int
    kept: int


def write_lineage(path: Path, born: Iterable[WorldOrigin]) -> None:
    lines = (json.dumps(asdict(one), ensure_ascii=False) for one in born)
    write_whole(path, "".join(f"{line}\n" for line in lines))


def read_lineage(path: Path) -> tuple[WorldOrigin, ...]:
    if not path.exists():
        return ()
    out = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            out.append(WorldOrigin(**json.loads(line)))
        except (ValueError, TypeError) as e:
            raise UsageError(f"line {number} of {path} says nothing of a world: {e}") from None
    return tuple(out)
