"""What an evolution is asked for, and what comes of a round."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from worldwright.arena.compare import PairedComparison
from worldwright.arena.evaluate import Evaluation
from worldwright.core.canonical import digest
from worldwright.core.errors import UsageError
from worldwright.gate.band import Band
from worldwright.rollout.plan import AgentSpec
from worldwright.rollout.records import Limits
from worldwright.rollout.report.summary import render_rate

PLACES = ("gym", "tasks", "guidelines", "agent", "round", "out")
"""What a training command may name in braces."""
_BRACED = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides what an evolution does."""

    dev: tuple[str, ...]
    """Gyms whose failures are looked at."""
    held_out: tuple[str, ...]
    """Gyms that are only ever evaluated on."""
    player: AgentSpec
    rounds: int = 3
    worlds: int = 6
    """Built in each round."""
    tasks: int = 8
    """Of each world."""
    attempts: int = 1
    sample: int | None = None
    band: Band = field(default_factory=Band)
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    train: tuple[str, ...] = ()
    """A command as its arguments, with places in braces; none where nobody trains."""
    targeted: bool = True
    """Whether guidelines say what is built; without, as much is built of the same families, as the control."""

    def __post_init__(self) -> None:
        unknown = [name for part in self.train for name in _BRACED.findall(part) if name not in PLACES]
        if unknown:
            known = ", ".join(f"{{{name}}}" for name in PLACES)
            raise UsageError(f"the training command names {{{unknown[0]}}}; it can name {known}")

    @property
    def digest(self) -> str:
        """The digest of what makes two evolutions the same; one with more rounds is the longer of the same."""
        data = asdict(self)
        data.pop("rounds")
        return digest({**data, "player": [self.player.spec, self.player.options.data()]})


@dataclass(frozen=True, slots=True)
class BuiltWorld:
    """A world of a round, with its tasks."""

    world: str
    family: str
    variant: str
    seed: int
    order: str
    guideline: str
    why: str
    reference: str
    """Of its gym in the store."""
    tasks: int
    wanted: tuple[str, ...]
    """Tasks that are about what the guideline is about."""


@dataclass(frozen=True, slots=True)
class WorldOrigin:
    """One line of `lineage.jsonl`: a world, the round in which it was built, and the guideline that asked for it."""

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


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did."""

    number: int
    agent: str
    agent_id: str
    """Before the round."""
    dev: Evaluation
    built: tuple[BuiltWorld, ...]
    kept: Mapping[str, tuple[str, ...]]
    """By world, tasks in the learnable band."""
    trained: AgentSpec | None
    """Who came out of training; none where nothing was trained."""
    before: Evaluation
    after: Evaluation
    """On the held-out worlds."""
    change: PairedComparison
    earlier: tuple[tuple[int, PairedComparison], ...]
    """On the tasks that each round kept: the new agent against the one before the round."""
    verdict: str
    """Why to go on or to stop."""
    goes_on: bool

    @property
    def number_kept(self) -> int:
        return sum(map(len, self.kept.values()))

    def data(self) -> dict[str, Any]:
        return {
            "round": self.number, "agent": self.agent, "agent_id": self.agent_id, "dev": render_rate(self.dev.rate),
            "worlds": len(self.built), "tasks": sum(b.tasks for b in self.built), "wanted": sum(len(b.wanted) for b in self.built),
            "kept": self.number_kept, "trained": None if self.trained is None else self.trained.spec,
            "held_out": {"before": render_rate(self.before.rate), "after": render_rate(self.after.rate),
                         "change": self.change.data()},
            "earlier": {str(number): pair.data() for number, pair in self.earlier},
            "verdict": self.verdict, "goes_on": self.goes_on,
        }  # fmt: skip
