"""Random walks of 50 calls along the tool graph, shared by all tasks of a role, then the right answer: must fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.harness import Bench, Trial
from worldwright.kinds.database.compile.graph.walker import walk_graph
from worldwright.kinds.database.compile.tasks.ground import Ground
from worldwright.kinds.database.session import Session
from worldwright.world.records import Call

CALLS = 50


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk that was taken: the session stands at its end."""

    role: str
    session: Session
    writes: tuple[Call, ...]
    """The calls that changed something."""


def walks(ground: Ground, role: str, number: int) -> tuple[Walked, ...]:
    """So many walks as whoever first has the role."""
    return tuple(_walk(ground, role, k) for k in range(number))


def _walk(ground: Ground, role: str, k: int) -> Walked:
    session = ground.runtime.session(role)
    stream, actor = Stream("assay", "walk", role, k), ground.runtime.opening.actors.get(role) or ""
    moves = walk_graph(session, ground.compiled, role, stream, CALLS, actor)
    made = (m.step for m in moves)
    writes = (step.call for step in made if step.result.ok and ground.compiled.tools[step.call.tool].mutates)
    return Walked(role, session, tuple(writes))


def episodes(bench: Bench, walked: Sequence[Walked]) -> Iterator[Trial]:
    for k, walk in enumerate(walked):
        verdict = bench.judge.verdict(walk.session, bench.key.answer, True)
        if walk.session.changes() or bench.plan:
            yield Trial(f"random walk {k}", (), False, bench.key.answer, verdict)
