"""One task being tried: the interface that every server and every adapter is a thin coat over.

    episode = world.open("task_001")
    episode.messages        what the agent is told: system and user, as chats have them
    episode.tools           what it may call; the last one takes the answer and ends the episode
    episode.call("find_orders", {"status": "issued"})
    episode.verify()        the verdict so far: pass, fail, or error where the environment failed
    episode.log()           what was called, to be replayed and judged elsewhere (`world.judge`)
    episode.close()

Whatever a model sends, a result comes back, never an exception.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json

from worldwright.core.errors import EpisodeError
from worldwright.engine.env import UNREAD, Env
from worldwright.engine.submit import submit_spec
from worldwright.world.records import Result, TableDiff, ToolError, ToolSpec, Trajectory
from worldwright.world.tasks import Task, Verdict


class Episode:
    """An episode from its first message to its verdict. Not for two threads at once."""

    __slots__ = ("_env", "_give_back", "messages", "submit", "task", "tools", "world")

    def __init__(self, env: Env, task_ref: str | int, give_back: Callable[[Env], None] | None = None) -> None:
        first = env.reset(task_ref)
        assert env.task is not None
        self._env: Env | None = env
        self._give_back = give_back
        self.task: Task = env.task
        self.world = env.digest
        """The digest of the world."""
        self.messages: tuple[dict[str, str], ...] = tuple(dict(m) for m in first.messages)
        ending = submit_spec([t.name for t in first.tools], env.task.answer_schema)
        self.submit = ending.name
        """The name of the tool that ends the episode."""
        self.tools: tuple[ToolSpec, ...] = (*first.tools, ending)

    @property
    def env(self) -> Env:
        """The environment beneath, for what only a controller does."""
        if self._env is None:
            raise EpisodeError("this episode is closed")
        return self._env

    def call(self, name: str, arguments: Any = None) -> Result:
        """Call a tool, the one that submits included. Arguments are an object, or the JSON text of one."""
        env = self.env
        given, problem = read_arguments(arguments)
        if name != self.submit:
            return env.call_tool(name, {UNREAD: problem} if problem else given)
        if problem:
            return Result(False, None, ToolError("INVALID_ARGUMENT", f"The answer is {problem}."), env.done)
        return env.submit(given)

    @property
    def done(self) -> bool:
        """Whether an answer was submitted, or no more calls are allowed."""
        return self.env.done

    @property
    def calls(self) -> int:
        """The number of calls so far; the submission is none."""
        return self.env.calls

    @property
    def clock(self) -> str:
        return self.env.agent.clock()

    def verify(self) -> Verdict:
        """Judge the episode so far. Its `reward` is None where the environment failed: mask such a sample."""
        return self.env.verify()

    def diff(self) -> Mapping[str, TableDiff]:
        """Rows added, changed and removed since the opening, by table."""
        return self.env.diff()

    def log(self) -> Trajectory:
        """The episode as it can be replayed and judged again: `world.judge(episode.log())`."""
        return self.env.trajectory()

    def snapshot(self) -> bytes:
        """The state now, as an SQLite database."""
        return self.env.snapshot()

    def close(self) -> None:
        """Give the environment back to the world. Closing twice does nothing."""
        env, self._env = self._env, None
        if env is not None:
            env.close() if self._give_back is None else self._give_back(env)

    def __enter__(self) -> Episode:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_arguments(arguments: Any) -> tuple[Any, str]:
    """Read arguments as an object, or say why they are none: models send JSON in a string, nothing at all, or something else."""
    if arguments is None or arguments == "":
        return {}, ""
    if isinstance(arguments, Mapping):
        return arguments, ""
    if not isinstance(arguments, (str, bytes)):
        return None, "not a JSON object"
    try:
        read = from_json(arguments)
    except ValueError:  # it may be more than the fast reader takes, and the other one says better what is wrong
        try:
            read = json.loads(arguments)
        except (ValueError, RecursionError) as e:
            return None, f"not JSON: {e}"
    return (read, "") if isinstance(read, dict) else (None, "not a JSON object")
