"""Episodes of a gym as OpenEnv's harnesses drive them (0.10), in this process: no server, no socket.

    sessions = GymSessions("town_library")
    session = sessions.create(task="seed_7/task_001")
    session.initial_messages(), session.list_tools(), session.call_tool(name, arguments), session.verify([])

`openenv.core.harness` runs them: `CollectRunner` for datasets, `build_harness_rollout_func` for TRL. Where the environment
failed the reward is None, their sign for an episode without a score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from openenv.core.env_server import RESERVED_TOOL_NAMES, State, Tool
from openenv.core.harness import ResourceSession, ResourceSessionFactory, ToolResult, VerifyResult
from pydantic import Field
from pydantic_core import from_json

from worldwright.adapters.names import rename_tools
from worldwright.adapters.rows import open_row_gym, render_verdict
from worldwright.agents.chat import encode
from worldwright.core.errors import LostTransaction, UsageError
from worldwright.engine.limits import Limits
from worldwright.engine.world import Gym
from worldwright.world.records import Result
from worldwright.world.tasks import Verdict

Called = Callable[[str, Any], tuple[Result, Verdict | None]]


class EpisodeState(State):
    """Which episode a session is in, and where it stands. Nothing of the key."""

    gym: str = ""
    variant: str = ""
    task: str = ""
    world: str = ""
    clock: str = ""
    done: bool = False
    changes: dict[str, Any] = Field(default_factory=dict)
    """Rows added, changed and removed since the opening, by table; empty where the environment failed."""


class GymSession(ResourceSession):
    """One episode, its tools under names that OpenEnv leaves free."""

    def __init__(self, gym: Gym, variant: str, task: str, face: str = "plain", limits: Limits | None = None) -> None:
        self.variant = variant
        self.episode = gym.world(variant).open(task, face=face, limits=limits)
        tools, self._real = rename_tools(self.episode.tools, RESERVED_TOOL_NAMES)
        self._tools = [Tool(name=t.name, description=t.description, input_schema=dict(t.input_schema)) for t in tools]

    def initial_messages(self) -> list[dict[str, Any]]:
        return [dict(m) for m in self.episode.messages]

    def list_tools(self) -> list[Tool]:
        return list(self._tools)

    def call(self, name: str, arguments: Any) -> tuple[Result, Verdict | None]:
        """Make a call. Returns its result, and the verdict once the episode is over."""
        result = self.episode.call(self._real.get(name, name), arguments)
        return result, self.episode.verify() if result.done else None

    def call_tool(self, name: str, arguments: Any) -> ToolResult:
        """Answer whatever a model sends with a result; what went wrong stands in its data, as the model sees it."""
        result, verdict = self.call(str(name), arguments)
        error = None if result.error is None else result.error.code
        return ToolResult(
            to_plain_json(result.payload()), result.done, render_verdict(verdict) if verdict else {}, error
        )

    def verify(self, transcript: list[dict[str, Any]], final_state: Any | None = None) -> VerifyResult:
        """The verdict on the state that the episode has left. Nothing that a transcript says is believed."""
        verdict = self.episode.verify()
        return VerifyResult(verdict.reward, self.episode.done, render_verdict(verdict), self.describe_state())

    def describe_state(self) -> dict[str, Any]:
        """Return the fields of an `EpisodeState` of the episode."""
        one = self.episode
        which = {"variant": self.variant, "task": one.task.id, "world": one.world}
        try:
            changes = {table: asdict(rows) for table, rows in one.diff().items()}
        except LostTransaction:
            changes = {}
        return {**which, "clock": one.clock, "done": one.done, "changes": to_plain_json(changes)}

    def close(self) -> None:
        self.episode.close()


class GymSessions(ResourceSessionFactory[GymSession]):
    """A session for every rollout."""

    def __init__(self, gym: str | Path, face: str = "plain", limits: Limits | None = None) -> None:
        self._gym, self._face, self._limits = open_row_gym(str(gym)), face, limits

    def create(self, task: Any = None, seed: int | None = None, episode_id: str | None = None) -> GymSession:
        """A task is `variant/task`, or a row that says the same; without one, the seed picks."""
        row = task if isinstance(task, Mapping) else {}
        if isinstance(task, str):
            variant, _, name = task.rpartition("/")
            row = {"variant": variant, "task": name}
        elif task is not None and not row:
            raise UsageError(f"a task is `variant/task` or a row with both, not {task!r:.80}")
        return GymSession(self._gym, *choose_task(self._gym, seed or 0, row), self._face, self._limits)


class McpConnection(AbstractAsyncContextManager["McpConnection"]):
    """The tools as OpenEnv's server asks a client of MCP for them. What is told over MCP has no reward."""

    def __init__(self, tools: Callable[[], list[Tool]], call: Called) -> None:
        self._tools, self._call = tools, call

    def is_connected(self) -> bool:
        return True

    async def list_tools(self) -> list[dict[str, Any]]:
        return [{"name": t.name, "description": t.description, "inputSchema": t.input_schema} for t in self._tools()]

    async def call_tool(self, name: Any, arguments: Any) -> dict[str, Any]:
        told = self._call(str(name), arguments)[0].payload()
        return {
            "content": [{"type": "text", "text": encode(told)}],
            "data": to_plain_json(told),
            "is_error": not told["ok"],
        }

    async def __aexit__(self, *_: object) -> None:
        return None


def choose_task(gym: Gym, seed: int, row: Mapping[str, Any]) -> tuple[str, str]:
    """Variant and task: as the row says (`variant` and `task`, or OpenEnv's `split` and `index`); the seed picks the rest."""
    variant = row.get("variant") or row.get("split") or gym.variants[seed % len(gym.variants)]
    world = gym.world(variant)
    if row.get("world") not in (None, world.digest):
        raise UsageError(f"{gym.name} ({variant}) is the world {world.digest[:12]}, not {str(row['world'])[:12]}")
    if row.get("task"):
        return variant, str(row["task"])
    at = row.get("index")
    at = seed // len(gym.variants) % max(1, len(world.tasks)) if at is None else at
    if not isinstance(at, int) or not 0 <= at < len(world.tasks):
        raise UsageError(f"{gym.name} ({variant}) has {len(world.tasks)} tasks, none at {at!r}")
    return variant, world.tasks[at].id


def to_plain_json(value: Any) -> Any:
    """Convert a value to what travels: JSON and nothing else, and no half characters, which no wire takes."""
    return from_json(encode(value))
