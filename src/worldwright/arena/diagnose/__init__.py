"""Diagnosis: why an episode failed, decided by rules from its trajectory, its changes and the key. No model takes part."""

from __future__ import annotations

from worldwright.arena.diagnose.causes import CAUSES
from worldwright.arena.diagnose.evidence import Evidence
from worldwright.arena.diagnose.records import Diagnosis
from worldwright.arena.diagnose.scene import Scene
from worldwright.rollout.records import Episode


def diagnose(episode: Episode, scene: Scene) -> Diagnosis | None:
    """Find why an episode failed: the first cause that explains it. None where it passed, or where nobody knows how it went."""
    if episode.status != "fail":
        return None
    evidence = Evidence(episode, scene)
    return next(found for cause in CAUSES if (found := cause(evidence)) is not None)
