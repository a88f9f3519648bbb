"""Diagnosis: why an episode failed, decided by rules from its trajectory, its changes and the key. No model takes part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from worldwright.arena.diagnose.causes import CAUSES
from worldwright.arena.diagnose.evidence import Evidence
from worldwright.arena.diagnose.records import Diagnosis
from worldwright.arena.diagnose.scene import Scene, Scenes
from worldwright.rollout.records import Episode


def diagnose(episode: Episode, scene: Scene) -> Diagnosis | None:
    """Why an episode failed: the first cause that explains it. Nothing where it passed, or where nobody knows how it went."""
    if episode.status != "fail":
        return None
    evidence = Evidence(episode, scene)
    return next(found for cause in CAUSES if (found := cause(evidence)) is not None)


def diagnose_all(
    episodes: Iterable[Episode], worlds: Mapping[str, Scenes]
) -> Iterator[tuple[Episode, Diagnosis | None]]:
    """Every episode with its diagnosis; `worlds` by digest."""
    for episode in episodes:
        failed = episode.status == "fail"
        yield episode, diagnose(episode, worlds[episode.world](episode.task)) if failed else None
