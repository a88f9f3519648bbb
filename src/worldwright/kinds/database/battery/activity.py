"""What the tasks of a role share in a battery: random walks along the tool graph, and writes that the world lets through."""

from __future__ import annotations

from dataclasses import dataclass

from worldwright.core.memo import Memo, Slot
from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.settings import FULL, BatterySettings
from worldwright.kinds.database.battery.writes import Write, calls_of_goals, find_writes
from worldwright.kinds.database.compile.graph.walker import walk_graph
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.worlds import compile_default
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.world.records import Call

CALLS_PER_WALK = 50


@dataclass(frozen=True, slots=True)
class Walk:
    """A random walk that was taken: the session stands at its end."""

    role: str
    session: Session
    writes: tuple[Call, ...]
    """The calls that changed something."""


@dataclass(frozen=True, slots=True)
class RoleActivity:
    """What the tasks of a role share."""

    walks: tuple[Walk, ...] = ()
    writes: tuple[Write, ...] = ()
    """Some of each tool, to be added to a witness."""


class ActivityByRole:
    """The activity of each role of a world, sampled when it is first asked for."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._calls_of_goals: tuple[Call, ...] | None = None
        self._known: dict[tuple[str, int], RoleActivity] = {}

    def sample(self, role: str, walks: int = FULL.walks) -> RoleActivity:
        """Sample so many random walks of a role, and the writes that they and the world's goals found possible."""
        if (role, walks) not in self._known:
            self._known[role, walks] = self._sample(role, walks)
        return self._known[role, walks]

    def _sample(self, role: str, number: int) -> RoleActivity:
        walks = tuple(_walk(self._sandbox, role, k) for k in range(number))
        if self._calls_of_goals is None:
            self._calls_of_goals = calls_of_goals(self._sandbox)
        calls = (*self._calls_of_goals, *(call for walk in walks for call in walk.writes))
        return RoleActivity(walks, find_writes(self._sandbox, role, calls))


DEFAULT_ACTIVITY: Slot[ActivityByRole] = Slot("activity under the default rules", max_entries=1)


def activity_of(sandbox: Sandbox, battery: BatterySettings, memo: Memo) -> ActivityByRole:
    """The activity of a world; a battery that shares it takes that of the same state under the default rules."""
    if not battery.shared:
        return ActivityByRole(sandbox)
    default, state = compile_default(sandbox.compiled, memo), sandbox.runtime.state
    agenda = sandbox.runtime.agenda
    key = (default.blueprint.digest, state)
    return memo.get(DEFAULT_ACTIVITY, key, lambda: ActivityByRole(Sandbox(Runtime(default, state, "", agenda=agenda))))


def _walk(sandbox: Sandbox, role: str, k: int) -> Walk:
    session = sandbox.runtime.session(role)
    stream, actor = Stream("assay", "walk", role, k), sandbox.runtime.opening.actors.get(role) or ""
    moves = walk_graph(session, sandbox.compiled, role, stream, CALLS_PER_WALK, actor)
    made = (m.step for m in moves)
    writes = (step.call for step in made if step.result.ok and sandbox.compiled.tools[step.call.tool].mutates)
    return Walk(role, session, tuple(writes))
