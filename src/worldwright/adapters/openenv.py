"""A gym as an OpenEnv environment (0.10): each session plays an episode of its own.

    app_of("town_library")              an app for uvicorn: WebSocket, HTTP and MCP
    GymEnvironment("town_library")      the environment behind it, in this process

For OpenEnv's harnesses see `openenv_sessions`.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Literal

from openenv.core import env_server
from openenv.core.env_server import CallToolObservation, ListToolsObservation, Observation, Tool
from openenv.core.env_server.types import EnvironmentMetadata

from worldwright.adapters.openenv_sessions import EpisodeState, GymSession, McpConnection, choose_task, to_plain_json
from worldwright.adapters.rows import open_row_gym, render_verdict
from worldwright.engine.limits import Limits
from worldwright.world.records import Result, ToolError
from worldwright.world.tasks import Verdict

NO_EPISODE = ToolError("NO_EPISODE", "Reset first. Plain HTTP keeps no episode between requests: use the WebSocket.")


class ToolCall(env_server.CallToolAction):
    """A call of a tool, or `list_tools`. Arguments are an object or its JSON text; anything else is a tool error."""

    type: Literal["call_tool", "list_tools"] = "call_tool"
    tool_name: Any = ""
    arguments: Any = None


class Opening(Observation):
    """What an episode starts with. (A field `tools` would be taken for an answer to `list_tools`.)"""

    messages: list[dict[str, str]]
    tool_specs: list[Tool]


class GymEnvironment(env_server.Environment):
    """The reward is 0 while an episode runs, then what the verifier says: None where the environment failed."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, gym: str | Path, name: str = "", face: str = "plain", limits: Limits | None = None) -> None:
        super().__init__()
        self._gym, self._face, self._limits = open_row_gym(str(gym)), face, limits
        self._name = name or self._gym.name
        self._session: GymSession | None = None
        self._id: str | None = None
        self._steps = self._resets = 0
        self.mcp_client = McpConnection(self.tools, self.call)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **row: Any) -> Opening:
        """Begin an episode: `variant` and `task`, or `split` and `index`, or the seed say which. Else they come in turn."""
        which = choose_task(self._gym, self._resets if seed is None else seed, row)
        self.close()
        self._session = GymSession(self._gym, *which, self._face, self._limits)
        self._id, self._steps, self._resets = episode_id, 0, self._resets + 1
        says = {"variant": which[0], "task": which[1]}
        return Opening(messages=self._session.initial_messages(), tool_specs=self.tools(), metadata=says)

    def step(self, action: ToolCall, timeout_s: float | None = None, **_: Any) -> Observation:
        running = None if self._session is None else 0.0
        if action.type == "list_tools":
            self._steps += 1
            return ListToolsObservation(tools=self.tools(), reward=running)
        name = str(action.tool_name).encode("utf-8", "replace").decode()
        result, verdict = self.call(name, action.arguments)
        return CallToolObservation(
            tool_name=name,
            result=to_plain_json(result.payload()),
            done=result.done,
            reward=verdict.reward if verdict else running,
            metadata=render_verdict(verdict) if verdict else {},
        )

    async def reset_async(self, **given: Any) -> Opening:
        """Open an episode on the server's own loop: that takes less time than the way to a thread and back."""
        return self.reset(**given)

    async def step_async(self, action: ToolCall, timeout_s: float | None = None, **_: Any) -> Observation:
        return self.step(action)

    def call(self, name: str, arguments: Any) -> tuple[Result, Verdict | None]:
        self._steps += 1
        return (Result(False, None, NO_EPISODE), None) if self._session is None else self._session.call(name, arguments)

    def tools(self) -> list[Tool]:
        return [] if self._session is None else self._session.list_tools()

    @property
    def state(self) -> EpisodeState:
        says = {} if self._session is None else self._session.describe_state()
        return EpisodeState(episode_id=self._id, step_count=self._steps, gym=self._name, **says)

    def get_metadata(self) -> EnvironmentMetadata:
        says = (
            "An agent works through the tools of a simulated organisation; a verifier judges the state that it leaves."
        )
        return EnvironmentMetadata(name=self._name, description=says)

    def list_splits(self) -> list[dict[str, str]]:
        return [{"name": variant, "type": "train"} for variant in self._gym.variants]

    def num_tasks(self, split: str) -> int:
        return len(self.list_tasks(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        return self.list_tasks(split)[index]

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        return self.list_tasks(split)[start:stop]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        if split not in self._gym.variants:
            raise IndexError(split)  # what the server answers with 400
        tasks = enumerate(self._gym.world(split).tasks)
        return [
            {"index": at, "id": t.id, "variant": split, "family": t.family, "request": t.instruction} for at, t in tasks
        ]

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def make_app(
    gym: str | Path, name: str = "", sessions: int = 256, idle_s: float | None = 3600, face: str = "plain"
) -> Any:
    """An app that serves a gym to as many sessions at once; one that nothing comes from for `idle_s` seconds is closed."""
    opened = open_row_gym(str(gym))  # what is wrong with it is said now, not to the first session
    return env_server.create_app(
        partial(GymEnvironment, gym, name, face),
        ToolCall,
        CallToolObservation,
        env_name=name or opened.name,
        concurrency_config=env_server.ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=idle_s),
        state_cls=EpisodeState,
        reset_observation_cls=Opening,
    )
