"""Runs as the studio shows them: what they came to, their episodes by id and by what they have in common."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

from worldwright.core.errors import StoreError, UsageError
from worldwright.rollout.knobs import assign_bucket
from worldwright.rollout.parts import EpisodeLine, index_episodes
from worldwright.rollout.read import TRAJECTORIES, Run, open_run, read_episode
from worldwright.rollout.records import Episode, Limits
from worldwright.rollout.report.links import Links
from worldwright.rollout.report.summary import Summary, summarise
from worldwright.rollout.stats import EpisodeStats, extract_stats
from worldwright.studio.pages import link
from worldwright.studio.places import RUN, Place, Places

MAX_KEPT = 48
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode in a list."""

    id: str
    attempt: int
    stats: EpisodeStats


class RunLinks(Links):
    """Numbers of a run lead to its episodes."""

    def __init__(self, key: str) -> None:
        self._key = key

    def episodes(self, **which: str) -> str:
        return link("runs", self._key, "episodes", **which)

    def episode(self, key: str, agent: str = "") -> str:
        return link("runs", self._key, "episodes", key)


class Runs:
    """The runs that were found; what was worked out of one is kept until its files change."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def list_runs(self) -> tuple[Place, ...]:
        return self._places.list_places(RUN)

    def find(self, key: str) -> tuple[Place, Run]:
        place = self._places.find(RUN, key)
        return place, open_run(place.path)

    def _get(self, what: str, run: Run, work: Callable[[], T]) -> T:
        key = (what, run.folder, sign_run(run.folder))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast("T", self._kept[key])
        made = work()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return made

    def summarise(self, run: Run) -> Summary:
        """What a run came to."""
        return self._get("summary", run, lambda: summarise(run))

    def index(self, run: Run) -> dict[str, EpisodeLine]:
        """Where every episode stands, those of a run that goes on too."""
        return self._get("index", run, lambda: index_episodes(run.folder))

    def list_rows(self, run: Run) -> list[EpisodeRow]:
        """Every episode of a run so far, in short."""
        return self._get("rows", run, lambda: [_make_row(e) for e in self._read_all(run)])

    def _read_all(self, run: Run) -> Iterator[Episode]:
        if run.ended:
            yield from run.episodes()
            return
        for line in self.index(run).values():
            yield _read_line(line)

    def read(self, run: Run, key: str) -> Episode:
        """One episode of a run by its id."""
        line = self.index(run).get(key)
        if line is None:
            raise StoreError(f"this run has no episode {key[:40]!r}")
        return _read_line(line)


def _read_line(line: EpisodeLine) -> Episode:
    with line.path.open("rb") as file:
        return read_episode(line.read(file).decode(), str(line.path))


def _make_row(episode: Episode) -> EpisodeRow:
    return EpisodeRow(episode.id, episode.attempt, extract_stats(episode))


def sign_run(folder: Path) -> tuple[Any, ...]:
    """Something that is another one whenever more was played."""
    files = [folder / TRAJECTORIES, folder / "run.json", *sorted((folder / "parts").glob("*.jsonl"))]
    return tuple((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files if path.exists())


def read_limits(run: Run) -> Limits:
    """The limits under which a run was played."""
    given = run.config.get("limits")
    try:
        return Limits(**given) if isinstance(given, Mapping) else Limits()
    except TypeError:
        raise UsageError(f"{run.folder} has limits that this version does not know") from None


TRAITS: Mapping[str, Callable[[EpisodeRow], Sequence[str]]] = {
    "status": lambda row: (row.stats.status,),
    "family": lambda row: (row.stats.family,),
    "domain": lambda row: (row.stats.domain,),
    "role": lambda row: (row.stats.role,),
    "outcome": lambda row: (row.stats.outcome,),
    "task": lambda row: (row.stats.task,),
    "world": lambda row: (row.stats.world,),
    "assertion": lambda row: row.stats.failed,
    "knob": lambda row: [f"{name}:{assign_bucket(value)}" for name, value in row.stats.features.items()],
}
"""What episodes can have in common."""


def select_rows(rows: Sequence[EpisodeRow], which: Mapping[str, str]) -> list[EpisodeRow]:
    """The episodes that have everything in common that is asked for."""
    asked = {name: value for name, value in which.items() if value and name in TRAITS}
    return [row for row in rows if all(value in TRAITS[name](row) for name, value in asked.items())]
