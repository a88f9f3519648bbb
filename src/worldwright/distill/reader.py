"""Runs, looked through once and then read at any place: no more than one episode is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.distill.records import EpisodeSummary
from worldwright.distill.summarise import summarise_episode
from worldwright.rollout.episode import make_opening
from worldwright.rollout.read import TRAJECTORIES, Run, open_run, read_episode
from worldwright.rollout.records import Episode, Opening, episode_digest


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run, as the card of a dataset names it."""

    digest: str
    """Over the digests of its episodes, in order: equal for runs in which the same was done."""
    agent: str
    agent_id: str
    spec: str
    sees_key: bool
    gym: str
    episodes: int
    passed: int
    failed: int
    errors: int
    seed: int | None
    attempts: int | None
    worlds: Mapping[str, str]
    """The domain of each world, by digest."""


class EpisodeReader:
    """The episodes of several runs."""

    def __init__(self, folders: Sequence[Path]) -> None:
        if not folders:
            raise UsageError("nothing to distill: name a gym and a teacher, or runs")
        self._runs: list[Run] = []
        for folder in dict.fromkeys(f.resolve() for f in folders):
            self._runs.append(open_run(folder))
            if not (folder / TRAJECTORIES).exists():
                raise UsageError(
                    f"{folder} has no {TRAJECTORIES}: the run has not ended; start it again to go on with it"
                )
        self.openings: dict[str, Opening] = {k: v for run in self._runs for k, v in run.openings.items()}
        for one in self.openings.values():
            if make_opening(one.system, one.tools).id != one.id:
                raise UsageError(
                    f"the opening {one.id} is not what was recorded: its digest is another. Play the run again"
                )
        self.facts: list[RunFacts] = []

    def count(self) -> int:
        """Count the episodes that there are to look at."""
        total = 0
        for run in self._runs:
            with (run.folder / TRAJECTORIES).open("rb") as file:
                total += sum(1 for _ in file)
        return total

    def summaries(self, watch: Callable[[], None] | None = None) -> Iterator[EpisodeSummary]:
        """Yield a summary of every episode. An episode that two runs hold counts once."""
        ids: set[str] = set()
        self.facts = []
        for number in range(len(self._runs)):
            for one in self._summarise_run(number, watch):
                if one.digest not in ids:
                    ids.add(one.digest)
                    yield one

    def _summarise_run(self, number: int, watch: Callable[[], None] | None) -> Iterator[EpisodeSummary]:
        run, total, statuses, worlds = self._runs[number], sha256(), [], {}
        path, offset, first = run.folder / TRAJECTORIES, 0, None
        with path.open("rb") as file:
            for line_number, line in enumerate(file, start=1):
                where = f"{path}:{line_number}"
                episode = read_episode(line.decode(errors="replace"), where)
                self._check_digest(episode, where)
                one = summarise_episode(episode, self.openings[episode.opening], number, offset)
                first = first or episode
                total.update(episode.digest.encode())
                statuses.append(episode.status)
                worlds[episode.world] = episode.domain
                offset += len(line)
                if watch is not None:
                    watch()
                yield one
        if first is None:
            raise UsageError(f"{path} holds no episode")
        self.facts.append(_facts(run.config, first, total.hexdigest(), statuses, worlds))

    def _check_digest(self, episode: Episode, where: str) -> None:
        if episode.opening not in self.openings:
            raise UsageError(f"{where} names an opening that the run does not have: {episode.opening}")
        if episode_digest(episode.data()) != episode.digest:
            raise UsageError(f"{where} is not what was recorded: its digest is another. Play the run again")

    def episode(self, seen: EpisodeSummary) -> Episode:
        path = self._runs[seen.run].folder / TRAJECTORIES
        with path.open("rb") as file:
            file.seek(seen.offset)
            return read_episode(file.readline().decode(), f"{path} at byte {seen.offset}")

    def opening(self, seen: EpisodeSummary) -> Opening:
        return self.openings[seen.opening]


def _facts(
    config: Mapping[str, Any], first: Episode, total: str, statuses: Sequence[str], worlds: Mapping[str, str]
) -> RunFacts:
    who = config.get("agent", {})
    spec = str(who.get("spec", first.agent)) if isinstance(who, Mapping) else first.agent
    passed, failed, errors = (statuses.count(s) for s in ("pass", "fail", "error"))
    seed, attempts = config.get("seed"), config.get("attempts")
    return RunFacts(
        total, first.agent, first.agent_id, spec, first.sees_key, Path(str(config.get("gym", ""))).name, len(statuses), passed,
        failed, errors,
        seed if isinstance(seed, int) else None, attempts if isinstance(attempts, int) else None, dict(sorted(worlds.items())),
    )  # fmt: skip
