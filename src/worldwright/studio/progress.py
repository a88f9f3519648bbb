"""How far a build is: its events, gathered into what a page shows of each of its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worldwright.factory.build_log import LoggedBuild
from worldwright.kinds.build_events import (
    GraphProposed,
    LinkProven,
    RefereeDisagreed,
    RowsGrown,
    StageBegun,
    StageEnded,
    TaskFound,
    TaskLeftOut,
    TaskTried,
)

STAGE_NAMES: Mapping[str, str] = {"state": "database", "assay": "proof", "seal": "sealed"}
"""What stages are called on a page, where not as in the code."""
AHEAD, AT_WORK, DONE, SKIPPED, BROKEN = "ahead", "at work", "done", "nothing to do", "broken off"


@dataclass(slots=True)
class StageProgress:
    name: str
    status: str = AHEAD
    figures: str = ""
    began: float = 0.0
    seconds: float = 0.0


@dataclass(slots=True)
class BuildProgress:
    """What a build has told so far."""

    stages: list[StageProgress]
    rows: Mapping[str, int] = field(default_factory=dict)
    grown: list[tuple[str, int]] = field(default_factory=list)
    """How many rows there were when history had come to a month."""
    graph: GraphProposed | None = None
    proven: dict[tuple[str, str], int] = field(default_factory=dict)
    links: int = 0
    found: list[TaskFound] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    after_all: int = 0
    tried: list[TaskTried] = field(default_factory=list)
    cells: dict[str, list[int]] = field(default_factory=dict)
    disagreed: list[RefereeDisagreed] = field(default_factory=list)

    @property
    def kept(self) -> int:
        """The candidates that are kept by now."""
        return len(self.found) - self.after_all

    @property
    def episodes(self) -> int:
        return sum(map(sum, self.cells.values()))

    @property
    def families(self) -> dict[str, int]:
        return dict(Counter(one.family for one in self.found))


def gather_progress(log: LoggedBuild, now: float) -> BuildProgress:
    """Gather what a build has told. `now` is how many seconds it has taken, while it is at work."""
    stages = {name: StageProgress(name) for name in map(str, log.asked.get("stages", ()))}
    out = BuildProgress([])
    last: StageProgress | None = None
    for at, event in log.events:
        match event:
            case StageBegun(name):
                if last is not None and last.status == AT_WORK:
                    last.status = SKIPPED
                last = stages.setdefault(name, StageProgress(name))
                last.status, last.began = AT_WORK, at
            case StageEnded(name, figures):
                stage = stages.setdefault(name, StageProgress(name))
                stage.status, stage.figures, stage.seconds = DONE, figures, at - stage.began
            case _:
                _note(out, event)
    if last is not None and last.status == AT_WORK:
        last.status = AT_WORK if log.running and not log.end else SKIPPED if log.end == "done" else BROKEN
        last.seconds = max(0.0, now - last.began)
    out.stages = list(stages.values())
    return out


def _note(out: BuildProgress, event: object) -> None:
    match event:
        case RowsGrown(reached, rows):
            out.rows = rows
            out.grown.append((reached, sum(rows.values())))
        case GraphProposed():
            out.graph = event
        case LinkProven(source, target):
            out.links += 1
            out.proven[source, target] = out.proven.get((source, target), 0) + 1
        case TaskFound():
            out.found.append(event)
        case TaskLeftOut(reason, _, after_all):
            out.left_out[reason] += 1
            out.after_all += after_all
        case TaskTried(cells=cells):
            out.tried.append(event)
            for name, counts in cells.items():
                total = out.cells.setdefault(name, [0, 0, 0, 0])
                out.cells[name] = [a + b for a, b in zip(total, _pad(counts), strict=True)]
        case RefereeDisagreed():
            out.disagreed.append(event)


def _pad(counts: Sequence[int]) -> list[int]:
    return [*counts, 0, 0, 0, 0][:4]
