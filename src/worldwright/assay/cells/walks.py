"""Random legal walks of 50 calls, shared by all tasks of a role, with the right answer submitted at the end: must fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldwright.assay.bench import Bench, Trial
from worldwright.compiler.tasks.ground import Ground
from worldwright.core.rng import Stream
from worldwright.engine.walk import Walker
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
    tools = tuple(t for t in ground.machine.specs.values() if not t.roles or role in t.roles)
    walker = Walker(tools, Stream("assay", "walk", role, k), session.clock)
    for tool in tools:
        if not tool.mutates and not tool.input_schema.get("required"):
            walker.learn(
                session.call(tool.name, {"limit": 30} if "limit" in tool.input_schema["properties"] else {}).data
            )
    writes = []
    for _ in range(CALLS):
        name, arguments = walker.call()
        result = session.call(name, arguments)
        walker.learn(result.data)
        if result.ok and ground.machine.tools[name].mutates:
            writes.append(Call(name, arguments))
    return Walked(role, session, tuple(writes))


def episodes(bench: Bench, walked: Sequence[Walked]) -> Iterator[Trial]:
    for k, walk in enumerate(walked):
        verdict = bench.judge.verdict(walk.session, bench.key.answer, True)
        if walk.session.changes() or bench.plan:
            yield Trial(f"random walk {k}", (), False, bench.key.answer, verdict)
