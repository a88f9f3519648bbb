"""Runs as they lie on disk, read back: one episode at a time, and never more of them in memory than are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.core.errors import StoreError, UsageError
from worldwright.core.names import suggest_path
from worldwright.rollout.records import FORMAT, Episode, Opening

RUN, OPENINGS, TRAJECTORIES = "run.json", "openings.jsonl", "trajectories.jsonl"


@dataclass(frozen=True, slots=True)
class Run:
    """A run that has ended, or as far as it has come."""

    folder: Path
    config: Mapping[str, Any]
    openings: Mapping[str, Opening]

    @property
    def ended(self) -> bool:
        """Whether every episode of the plan was played."""
        return self.config.get("ended") is not False and (self.folder / TRAJECTORIES).exists()

    def episodes(self) -> Iterator[Episode]:
        """Yield every episode, in the order of the plan."""
        path = self.folder / TRAJECTORIES
        if not path.exists():
            raise UsageError(
                f"{self.folder} has no {TRAJECTORIES}: the run has not ended; start it again to go on with it"
            )
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                yield read_episode(line, f"{path}:{number}")

    def messages(self, episode: Episode) -> list[dict[str, Any]]:
        """Return all messages of an episode, the system message first."""
        return [{"role": "system", "content": self.openings[episode.opening].system}, *map(dict, episode.messages)]

    def tools(self, episode: Episode) -> list[Mapping[str, Any]]:
        """The tools that the agent had, the one that submits last."""
        return [*self.openings[episode.opening].tools, episode.submit]


def open_run(folder: Path | str) -> Run:
    """Open the run in a folder."""
    path = Path(folder)
    if not path.exists():
        raise StoreError(f"{path} does not exist{suggest_path(path)}")
    if not (path / RUN).is_file():
        raise UsageError(f"{path} is no run: it has no {RUN}")
    config = _json((path / RUN).read_text(encoding="utf-8"), str(path / RUN))
    return Run(path, config, read_openings(path))


def read_openings(folder: Path) -> dict[str, Opening]:
    """Read the openings of a run by their ids; none where the run has not got that far."""
    path = folder / OPENINGS
    found = {}
    if path.exists():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            data = _json(line, f"{path}:{number}")
            found[str(data["id"])] = Opening(data["id"], data["system"], tuple(data["tools"]))
    return found


def read_episode(line: str, where: str) -> Episode:
    data = _json(line, where)
    if data.get("format") != FORMAT:
        raise UsageError(f"{where} is of format {data.get('format')!r}; this version reads {FORMAT}")
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) and k in _TUPLES else v for k, v in data.items()}
    try:
        return Episode(**fields)
    except TypeError as e:
        raise UsageError(f"{where} is no episode: {e}") from None


_TUPLES = ("messages", "steps", "broken_rules")


def _json(text: str, where: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise UsageError(f"{where} cannot be read: {e}") from None
    if not isinstance(data, dict):
        raise UsageError(f"{where} is not an object")
    return data
