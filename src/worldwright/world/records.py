"""Frozen records that cross boundaries: between engine and agent, pack and program, one process and the next.

Named tuples where an episode makes thousands of them, frozen dataclasses elsewhere. No behaviour lives here beyond turning
a record into plain data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class ToolError(NamedTuple):
    """Why a tool refused."""

    code: str
    message: str
    policy: str | None = None
    """The policy that decided, where one did. Agents are not told: which rule it is, is often what they are asked."""
    details: Mapping[str, Any] | None = None
    """What would be valid: allowed states, the nearest name, the bound."""

    def shown(self) -> dict[str, Any]:
        """Return the error as the agent sees it."""
        out: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details:
            out["details"] = dict(self.details)
        return out


class Result(NamedTuple):
    """What a tool call came to."""

    ok: bool
    data: Any = None
    error: ToolError | None = None
    done: bool = False

    def payload(self) -> dict[str, Any]:
        """Return the result as the agent sees it."""
        if self.ok:
            return {"ok": True, "data": self.data}
        assert self.error is not None
        return {"ok": False, "error": self.error.shown()}


class Call(NamedTuple):
    tool: str
    arguments: Mapping[str, Any]


class Step(NamedTuple):
    """One call of an episode with what came back, and the clock before it."""

    call: Call
    result: Result
    clock: str


class OthersCall(NamedTuple):
    """A call that somebody else made in an episode, and whether the state let it happen."""

    clock: str
    actor: str
    call: Call
    happened: bool


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the outside sees it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    mutates: bool
    system: str
    roles: tuple[str, ...] = ()
    """Who may call it; empty for anyone."""

    def mcp(self) -> dict[str, Any]:
        """Return the tool as an item of an MCP tools/list result."""
        return {
            "name": self.name,
            "title": self.name.replace("_", " ").capitalize(),
            "description": self.description,
            "inputSchema": dict(self.input_schema),
            "outputSchema": dict(self.output_schema),
            "annotations": {"readOnlyHint": not self.mutates, "destructiveHint": False, "openWorldHint": False},
            "_meta": {"system": self.system, "roles": list(self.roles)},
        }


@dataclass(frozen=True, slots=True)
class Observation:
    """What an episode starts with."""

    messages: Sequence[Mapping[str, str]]
    tools: Sequence[ToolSpec]
    clock: str


@dataclass(frozen=True, slots=True)
class TableDiff:
    """Rows of one table that differ from the opening state, as plain records by id."""

    added: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    changed: Mapping[str, Mapping[str, tuple[Any, Any]]] = field(default_factory=dict)
    """By id, each changed column with (before, after)."""
    removed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """An episode as it can be replayed: where it started, what was called, how it ended."""

    world: str
    """The world's digest."""
    role: str
    steps: tuple[Step, ...]
    answer: Any = None
    submitted: bool = False
    final_digest: str = ""
    task: str = ""
