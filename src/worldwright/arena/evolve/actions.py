"""What an evolution has done for it by others: playing, building, gating, saying how it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.factory.order import Order
from worldwright.gate.attempts import RolloutPlayer, identify_player
from worldwright.gate.records import Terms
from worldwright.gate.run import Gate, GatedWorld, run
from worldwright.gate.run import Order as GateOrder
from worldwright.rollout.plan import AgentSpec, Plan, PlannedWorld
from worldwright.rollout.read import Run


@dataclass(frozen=True, slots=True)
class Actions:
    """Functions, so that whoever calls can show what goes on."""

    play: Callable[[Plan, Path], Run]
    build: Callable[[Order, str], Mapping[str, Any]]
    """An order, built under a tag; the report of the factory."""
    say: Callable[[str], None]
    workers: int = 0


def gate_worlds(
    places: tuple[PlannedWorld, ...],
    tasks: Mapping[str, tuple[str, ...]],
    player: AgentSpec,
    terms: Terms,
    order: GateOrder,
    workers: int,
) -> dict[str, tuple[str, ...]]:
    """Return by world the tasks that the agent can learn from now. What was tried before is not tried again."""
    subjects = [GatedWorld(p.digest, p.domain, p.variant, tasks[p.digest]) for p in places if tasks.get(p.digest)]
    if not subjects:
        return {}
    agent = identify_player(player)
    gate = Gate(subjects, agent, terms, order)
    rolled = RolloutPlayer("evolve", places, player, agent, terms, workers)
    with rolled.lock(gate.record):
        run(gate, rolled.play)
    kept = {one.world: set(one.list_kept()) for one in gate.summarise()}
    return {s.digest: tuple(t for t in s.tasks if t in kept.get(s.digest, ())) for s in subjects}
