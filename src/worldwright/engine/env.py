"""The controller's face of an episode: start it, watch it, measure it.

An agent is never handed this object; see `agent_face`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worldwright.core.errors import EpisodeError, LostTransaction
from worldwright.engine.agent_face import AgentFace
from worldwright.engine.limits import Limits, Unreadable, plain, plain_name
from worldwright.world.protocol import Runtime, Session
from worldwright.world.records import Call, Observation, Result, Step, TableDiff, ToolError, ToolSpec, Trajectory

UNREAD = "$unread"
"""What a trajectory holds for arguments that were refused unread: why. Sent again, it is refused in the same words."""


class Env:
    """One episode at a time over one world."""

    def __init__(self, runtime: Runtime, digest: str, limits: Limits | None = None) -> None:
        self._runtime = runtime
        self._digest = digest
        self._limits = limits or Limits()
        self._session: Session | None = None
        self._steps: list[Step] = []
        self._answer: Any = None
        self._done = False
        self._submitted = False
        self._broken = ""
        self._observations: dict[str, Observation] = {}

    def reset(self, task_ref: str | None = None, *, role: str | None = None) -> Observation:
        """Start an episode from the opening state: a fork in memory. Without a task, as whoever first has the role."""
        if task_ref is not None:
            raise EpisodeError(f"this world has no task {task_ref!r}")
        name = role if role is not None else (self._runtime.roles[0] if self._runtime.roles else "")
        if self._session is None:
            self._session = self._runtime.session(name)
        else:
            self._session.reset(name)
        self._steps = []
        self._answer = None
        self._done = self._submitted = False
        self._broken = ""
        found = self._observations.get(name)
        if found is None:
            found = self._observations[name] = self._observe(name)
        return replace(found, messages=tuple(map(dict, found.messages)))

    def _observe(self, role: str) -> Observation:
        offered = tuple(t for t in self._runtime.tools.values() if not t.roles or role in t.roles)
        who = f"You act as {role.replace('_', ' ')}." if role else ""
        clock = self._runtime.opening_clock
        text = f"{who} It is {clock}.\n\n{self._runtime.handbook}".strip()
        return Observation(({"role": "system", "content": text},), offered, clock)

    @property
    def agent(self) -> AgentFace:
        """What an agent gets: tools, calls and submit, nothing else."""
        return AgentFace(self.call_tool, self.submit, self._offered, self._clock)

    def _offered(self) -> tuple[ToolSpec, ...]:
        role = self._running().role
        return tuple(t for t in self._runtime.tools.values() if not t.roles or role in t.roles)

    def _clock(self) -> str:
        return self._running().clock

    def _running(self) -> Session:
        if self._session is None:
            raise EpisodeError("reset the environment first")
        return self._session

    def _sound(self) -> Session:
        """The session, where its state can be trusted."""
        if self._broken:
            raise LostTransaction(self._broken)
        return self._running()

    def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> Result:
        """Call a tool as the agent. Whatever is sent, a result comes back."""
        session = self._running()
        if self._done:
            return Result(False, None, ToolError("EPISODE_OVER", "This episode has ended."), True)
        clock = session.clock
        tool = plain_name(name)
        given, problem = self._read({} if arguments is None else arguments)
        if problem:
            result = Result(False, None, ToolError("INVALID_ARGUMENT", f"The arguments are {problem}."))
        else:
            result = self._called(session, tool, given)
        if len(self._steps) + 1 >= self._limits.calls:
            self._done = True
            result = result._replace(done=True)
        self._steps.append(Step(Call(tool, given), result, clock))
        return result

    def _read(self, arguments: Any) -> tuple[Any, str]:
        """The arguments as they are from now on, whatever the caller does with its object; and why they are refused, if so."""
        try:
            given = plain(arguments, self._limits)
        except Unreadable as e:
            return {UNREAD: str(e)}, str(e)
        if isinstance(given, dict) and UNREAD in given and len(given) == 1:
            return given, str(given[UNREAD])
        return given, ""

    def _called(self, session: Session, name: str, arguments: Any) -> Result:
        try:
            return session.call(name, arguments)
        except LostTransaction as e:
            self._broken = str(e)
            self._done = True
            return Result(False, None, ToolError("UNAVAILABLE", "The system is not available."), True)

    def submit(self, answer: Any = None) -> Result:
        """End the episode with an answer."""
        self._running()
        if self._done:
            return Result(False, None, ToolError("EPISODE_OVER", "This episode has ended."), True)
        try:
            self._answer = plain(answer, self._limits)
        except Unreadable as e:
            return Result(False, None, ToolError("INVALID_ARGUMENT", f"The answer is {e}."))
        self._submitted = self._done = True
        return Result(True, None, None, True)

    @property
    def done(self) -> bool:
        return self._done

    @property
    def broken(self) -> str:
        """Why the backend failed, where it did: the verdict of such an episode is `error`, never 0 or 1."""
        return self._broken

    def diff(self) -> Mapping[str, TableDiff]:
        """Rows added, changed and removed since reset, by table."""
        return self._sound().diff()

    def violations(self) -> tuple[tuple[str, str, int], ...]:
        """Handbook rules broken so far: (policy, tool, number of the call)."""
        return self._running().violations()

    def state_digest(self) -> str:
        return self._sound().digest()

    def snapshot(self) -> bytes:
        """The state now, as an SQLite database."""
        return self._sound().snapshot()

    def fork(self) -> Env:
        """An independent copy of the running episode at this step."""
        twin = Env(self._runtime, self._digest, self._limits)
        twin._session = self._sound().fork()
        twin._steps = list(self._steps)
        twin._answer = self._answer
        twin._done, twin._submitted = self._done, self._submitted
        twin._observations = self._observations
        return twin

    def trajectory(self) -> Trajectory:
        """The episode as it can be replayed."""
        session = self._running()
        final = "" if self._broken else session.digest()
        return Trajectory(self._digest, session.role, tuple(self._steps), self._answer, self._submitted, final)

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
