"""A walk over the tools of a world: one role, one private copy of the state, values flowing from call to call.

The walker resolves a tool's inputs before it chooses it. Ids come only out of results, so a tool whose required input can only
come from one other tool is never called before that tool has shown a value. Among the tools that could be called, the next is
drawn by weight: the heaviest edge from the latest calls (3, 2 or 1) plus a bonus for values at hand that match.

Deterministic: the same world, role and stream give the same walk. Most writes succeed; what is refused is part of the walk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from worldwright.blueprint.toolgraph import INDEPENDENT
from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.kinds.database.compile.graph.memory import (
    LATEST_CALLS,
    Memory,
    Settled,
    Use,
    is_resting,
    remember,
    take_over,
)
from worldwright.kinds.database.compile.graph.plan import Plan, ToolPlan, plan_of
from worldwright.kinds.database.compile.graph.pool import Pool
from worldwright.kinds.database.compile.graph.resolve import resolve
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.world.records import Call, Result, Step

MAX_BONUS = 0.9
"""What matches can add at most. Less than 1, the distance between two weights: however much matches, a tool never comes before
one with a heavier edge."""
MAX_READS_IN_A_ROW = 2
"""After so many reads in a row a write comes first, where one can be called."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A call that could be made now."""

    tool: str
    arguments: Mapping[str, Any]
    uses: tuple[Use, ...]
    """Where each value comes from."""


@dataclass(frozen=True, slots=True)
class Move:
    """A call that was made."""

    number: int
    """Of the call, from 1."""
    step: Step
    uses: tuple[Use, ...]


class Caller(Protocol):
    """Whoever makes the calls: a session, or an episode."""

    @property
    def clock(self) -> str: ...
    def call(self, tool: str, arguments: Mapping[str, Any]) -> Result: ...


@dataclass(frozen=True, slots=True)
class _Episode:
    """An environment as a caller."""

    env: Env

    @property
    def clock(self) -> str:
        return self.env.agent.clock()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        return self.env.call_tool(tool, arguments)


def walk_graph(
    where: Caller | Env, compiled: CompiledWorld, role: str, stream: Stream, calls: int, actor: str = ""
) -> tuple[Move, ...]:
    """Make so many calls in a world that was reset for this role. `actor` is the id of who acts, where the caller may know it."""
    plan = compiled.derive(plan_of)
    caller: Caller = _Episode(where) if isinstance(where, Env) else where
    memory = Memory(Pool(plan))
    take_over(memory, plan, role, actor)
    out: list[Move] = []
    while len(out) < calls and not (out and out[-1].step.result.done):
        clock = caller.clock
        found = propose(plan, role, memory, stream, clock)
        if found is None:
            break
        result = caller.call(found.tool, found.arguments)
        remember(memory, plan.tools[found.tool], found.uses, result)
        out.append(Move(memory.calls, Step(Call(found.tool, found.arguments), result, clock), found.uses))
    return tuple(out)


def propose(
    plan: Plan, role: str, memory: Memory, stream: Stream, clock: str, settled: Settled = frozenset()
) -> Proposal | None:
    """The next call, with its inputs resolved; none where nothing can be called. It leans to edges that are not `settled`."""
    memory.pool.now = clock
    known = memory.pool.latest
    ready = [
        t for t in plan.offered[role] if all(entity in known for entity in t.needs) and not is_resting(memory, t.name)
    ]
    first = [t for t in ready if t.mutates] if memory.looked >= MAX_READS_IN_A_ROW else []
    rest = [t for t in ready if not t.mutates] if first else ready
    return _draw_proposal(plan, first, memory, stream, settled) or _draw_proposal(plan, rest, memory, stream, settled)


def _draw_proposal(
    plan: Plan, tools: Sequence[ToolPlan], memory: Memory, stream: Stream, settled: Settled
) -> Proposal | None:
    """Draw one of the tools whose inputs can be resolved, by weight: one that cannot after all is put aside for another."""
    left = [(t, weigh_tool(plan, t, memory, settled)) for t in tools]
    while left:
        found = stream.weighted(left, [w for _, w in left])
        resolved = resolve(found[0], memory, stream, settled)
        if resolved is not None:
            return Proposal(found[0].name, *resolved)
        left.remove(found)
    return None


def weigh_tool(plan: Plan, tool: ToolPlan, memory: Memory, settled: Settled = frozenset()) -> float:
    """Weigh how likely a tool is next: its heaviest edge from the latest calls, and the bonus for what matches."""
    weights = plan.weights
    edge = max([weights.get((source, tool.name), INDEPENDENT) for source in memory.recent], default=INDEPENDENT)
    return edge + compute_bonus(_count_matches(plan, tool, memory, settled))


def compute_bonus(matches: float) -> float:
    """Compute something below MAX_BONUS from any number of matches: each one adds less than the one before."""
    return MAX_BONUS * matches / (1.0 + matches)


def _count_matches(plan: Plan, tool: ToolPlan, memory: Memory, settled: Settled) -> int:
    """Count required ids and plain inputs for which the latest calls showed something; where edges are to be settled, those
    that are not."""
    since = memory.calls - LATEST_CALLS
    rows, values = memory.pool.latest, memory.pool.newest
    found = sum(rows.get(entity, 0) > since for entity in tool.needs)
    found += sum(values.get(name, 0) > since for name in tool.plain)
    if settled:
        open_inputs = ((source, name) for source in memory.recent for name in plan.between.get((source, tool.name), ()))
        found += sum((source, tool.name, name) not in settled for source, name in open_inputs)
    return found
