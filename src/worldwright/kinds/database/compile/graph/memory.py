"""What a walker keeps from call to call."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from worldwright.kinds.database.compile.graph.plan import Plan, ToolPlan
from worldwright.kinds.database.compile.graph.pool import Pool
from worldwright.world.records import Result

LATEST_CALLS = 3
"""Calls that count as the latest."""
REST_CALLS = 5
"""For how many calls a tool that was refused is left alone, for each refusal in a row after the first."""

Settled: TypeAlias = Collection[tuple[str, str, str]]
"""(source, target, input) of edges for which there is evidence enough."""


@dataclass(frozen=True, slots=True)
class Use:
    """A value that a call was given."""

    input: str
    at: str
    """Where it stands: `po`, `lines[0].line`."""
    entity: str
    """Of an id; empty for other values."""
    value: Any
    sources: tuple[int, ...]
    """The calls that had shown it, the latest first; none for a value that was made up."""


@dataclass(slots=True)
class Memory:
    pool: Pool
    actor: str = ""
    """Who acts, where that is known."""
    colleagues: tuple[str, ...] = ()
    """Who else acts in this world: work is rather given to them than to somebody who will never do it."""
    calls: int = 0
    writes: int = 0
    looked: int = 0
    """Reads since the last write."""
    recent: list[str] = field(default_factory=list)
    """The tools of the latest calls that succeeded, the last one last."""
    tried: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """(tool, input, value): how often it was given."""
    spoilt: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """(tool, input, word): how often calls with this word were refused since one succeeded."""
    refused: set[tuple[str, str]] = field(default_factory=set)
    """(tool, values) of calls that were refused."""
    read: dict[tuple[str, str], int] = field(default_factory=dict)
    """(tool, values) of reads, with how many writes there had been: the same again would show nothing new."""
    wishes: dict[str, None] = field(default_factory=dict)
    """Rows that a write would like to be given once somebody has looked at them."""
    strikes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Tools that were refused: how often in a row, and at which call last."""


def take_over(memory: Memory, plan: Plan, role: str, actor: str = "") -> None:
    """Let somebody go on with what those before have seen. Who acts may know who they are."""
    memory.actor = actor
    memory.recent = []
    memory.refused.clear()
    memory.strikes.clear()
    if actor and plan.actor:
        memory.pool.expect(plan.actor, actor, **{plan.role_field: role})


def combination(uses: Collection[Use]) -> str:
    """The values of a call, as one text."""
    return " ".join(f"{u.at}={u.value}" for u in uses)


def is_resting(memory: Memory, tool: str) -> bool:
    """Return whether a tool that keeps refusing is left alone for a while."""
    strikes, last = memory.strikes.get(tool, (0, 0))
    return strikes > 1 and memory.calls - last < REST_CALLS * strikes


def remember(memory: Memory, tool: ToolPlan, uses: tuple[Use, ...], result: Result) -> None:
    """Take in what came of a call."""
    memory.calls += 1
    for u in uses:
        at = (tool.name, u.input, str(u.value))
        if u.entity or tool.search:
            memory.tried[at] = memory.tried.get(at, 0) + 1
        elif not u.sources and isinstance(u.value, (str, bool)):
            memory.spoilt[at] = 0 if result.ok else memory.spoilt.get(at, 0) + 1
    if tool.mutates:
        memory.looked = 0
    else:
        memory.looked += 1
        memory.read[tool.name, combination(uses)] = memory.writes
        for u in uses:
            memory.wishes.pop(str(u.value), None)
    if result.ok:
        _learn(memory, tool, uses, result)
    else:
        _forget_missing(memory, uses, result)
        memory.refused.add((tool.name, combination(uses)))
        memory.strikes[tool.name] = memory.strikes.get(tool.name, (0, 0))[0] + 1, memory.calls


def _forget_missing(memory: Memory, uses: tuple[Use, ...], result: Result) -> None:
    """A row that is not there any more is not offered again."""
    error = result.error
    if error is not None and error.code == "NOT_FOUND" and error.details:
        missing = error.details.get("argument")
        for u in uses:
            if u.entity and missing == u.input:
                memory.pool.rows.get(u.entity, {}).pop(u.value, None)


def _learn(memory: Memory, tool: ToolPlan, uses: tuple[Use, ...], result: Result) -> None:
    memory.strikes.pop(tool.name, None)
    memory.recent = [*(r for r in memory.recent if r != tool.name), tool.name][-LATEST_CALLS:]
    sent = {u.value for u in uses if u.entity}
    if tool.mutates:
        memory.writes += 1
        for u in uses:
            if u.entity:
                memory.pool.forget_changed(u.value, tool.sets)
    memory.pool.learn(tool.shape, result.data, tool.name, memory.calls, sent, tool.mutates)
