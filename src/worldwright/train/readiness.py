"""The gate between demonstrations and verdicts.

A model that writes no calls, or never solves anything, learns nothing from its own episodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldwright.train.evaluate import Evaluation
from worldwright.train.settings import ReadySettings


@dataclass(frozen=True, slots=True)
class Readiness:
    ready: bool
    formed: float
    """Share of turns that were calls which could be read, of tools that there are."""
    solved: float
    episodes: int
    why: str
    """What is missing; empty where nothing is."""

    def data(self) -> dict[str, Any]:
        return {
            "ready": self.ready, "formed": round(self.formed, 4), "solved": round(self.solved, 4), "episodes": self.episodes,
            "why": self.why,
        }  # fmt: skip


def readiness(found: Evaluation, wanted: ReadySettings) -> Readiness:
    judged = found.judged
    turns = sum(one.turns for one in judged)
    formed = sum(one.formed for one in judged) / max(turns, 1)
    solved = found.solved
    missing = []
    if formed < wanted.formed:
        missing.append(f"{formed:.0%} of its turns are calls that can be read, {wanted.formed:.0%} are wanted")
    if not any(one.reward == 1.0 for one in judged):
        missing.append(f"none of {len(judged)} episodes was solved: there is nothing to reinforce")
    elif solved < wanted.solved:
        missing.append(f"{solved:.1%} of episodes are solved, {wanted.solved:.1%} are wanted")
    return Readiness(not missing, formed, solved, len(judged), "; ".join(missing))
