"""Sessions: episodes that are played in the app, each under a path of its own that nobody can guess.

    sessions = AppSessions()
    session = sessions.open(world, "task_007")
    session.path        /e/<token>/
    session.episode     what is played: its log, its verdict
    sessions.close(session)

A session makes the calls of its episode one after the other, and keeps what came back as its pages show it.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from worldwright.app.forms.reading import Sent
from worldwright.app.looks.choose import AXIS, choose_looks
from worldwright.app.looks.themes import Look
from worldwright.app.pages.known import SeenRecords
from worldwright.app.screens.describe import describe_screens
from worldwright.app.screens.records import Screens
from worldwright.blueprint.checked import Checked
from worldwright.core.errors import UsageError
from worldwright.engine.contract import show_call
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.world import World
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.records import Result, ToolSpec, Trajectory
from worldwright.world.tasks import Task, Verdict

TOKEN_BYTES = 18
MAX_DRAFTS = 64
"""Half-filled forms that a session keeps."""


class Played(Protocol):
    """What a session plays: an episode, or a walk through a world without a task."""

    def call(self, name: str, arguments: Any = None) -> Result: ...
    @property
    def done(self) -> bool: ...
    @property
    def clock(self) -> str: ...


class Walk:
    """A world without a task, for whoever looks around in it."""

    submit = ""
    task: Task | None = None

    def __init__(self, world: World, role: str | None, face: str, limits: Limits | None = None) -> None:
        self.env = world.env(limits, face)
        first = self.env.reset(role=role)
        self.tools: tuple[ToolSpec, ...] = tuple(first.tools)
        self.messages = tuple(dict(message) for message in first.messages)

    def call(self, name: str, arguments: Any = None) -> Result:
        return self.env.call_tool(name, arguments)

    @property
    def done(self) -> bool:
        return self.env.done

    @property
    def calls(self) -> int:
        return self.env.calls

    @property
    def clock(self) -> str:
        return self.env.agent.clock()

    def close(self) -> None:
        self.env.close()


@dataclass(frozen=True, slots=True)
class Seen:
    """A call that was made, and what came back: what pages show again without a call."""

    number: int
    tool: str
    arguments: Any
    result: Result
    clock: str
    """Before the call."""
    form: str = ""
    """The number and content of the form that it came from."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A form that was left for a look-up or another row."""

    tool: str
    sent: Sent


@dataclass
class AppSession:
    """One episode in the app."""

    token: str
    world: World
    episode: Episode | Walk
    screens: Screens
    looks: dict[str, Look]
    face: str
    role: str | None
    shows_verdict: bool
    may_restart: bool
    seen: list[Seen] = field(default_factory=list)
    drafts: dict[int, Draft] = field(default_factory=dict)
    sent: dict[int, Sent] = field(default_factory=dict)
    """Of forms that were refused, what had been written in them."""
    known: SeenRecords = field(default_factory=SeenRecords)
    noted: Callable[[AppSession], None] | None = None
    """Told after each call: whoever keeps the log."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    _drafted: int = 0

    @property
    def path(self) -> str:
        """The path of its pages; what the app is mounted under comes before it."""
        return f"/e/{self.token}/"

    @property
    def task(self) -> Task | None:
        return self.episode.task

    @property
    def handbook(self) -> str:
        return self.world.handbook

    def call(self, tool: str, arguments: Any, form: str = "") -> Seen:
        """Make one call of the episode and keep what came back. Not for two threads at once: hold the lock."""
        clock = self.episode.clock
        result = self.episode.call(tool, arguments)
        seen = Seen(len(self.seen) + 1, tool, arguments, result, clock, form)
        self.seen.append(seen)
        known = self.screens.forms.get(tool)
        if known is not None and result.ok:
            self.known.note(result.data, known.gives, seen.number)
        if self.noted is not None:
            self.noted(self)
        return seen

    @property
    def submitted(self) -> bool:
        """Whether an answer was given."""
        return any(seen.tool == self.episode.submit and seen.result.ok for seen in self.seen)

    def judge(self) -> Verdict | None:
        """The verdict so far; none for a walk. Hold the lock."""
        return self.episode.verify() if isinstance(self.episode, Episode) else None

    def find_sent(self, form: str) -> Seen | None:
        """The call that this very form made already."""
        return next((seen for seen in reversed(self.seen) if form and seen.form == form), None)

    def find_draft(self, number: str) -> Draft | None:
        """The half-filled form of a number, as it stands in a link."""
        return self.drafts.get(int(number)) if number.isascii() and number.isdigit() and len(number) < 10 else None

    def find_seen(self, number: str) -> Seen | None:
        """The call of a number, as it stands in a link."""
        at = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
        return self.seen[at - 1] if 0 < at <= len(self.seen) else None

    def keep_sent(self, seen: Seen, sent: Sent) -> None:
        """Keep what was written in a form that was refused, so that it stands there again."""
        if not seen.result.ok:
            self.sent[seen.number] = sent
            while len(self.sent) > MAX_DRAFTS:
                del self.sent[next(iter(self.sent))]

    def sent_of(self, seen: Seen) -> Sent:
        return self.sent.get(seen.number, {})

    def keep_draft(self, tool: str, sent: Sent) -> int:
        """Keep a half-filled form and give its number; the oldest ones are forgotten."""
        self._drafted += 1
        self.drafts[self._drafted] = Draft(tool, sent)
        while len(self.drafts) > MAX_DRAFTS:
            del self.drafts[next(iter(self.drafts))]
        return self._drafted

    def restart(self) -> None:
        """Begin again from the opening state."""
        if not self.may_restart:
            raise UsageError("this session cannot be started again")
        old, self.episode = self.episode, open_played(self.world, self.task, self.face, self.role)
        old.close()
        self.seen.clear()
        self.known.clear()
        self.drafts.clear()
        self.sent.clear()
        self._drafted = 0
        if self.noted is not None:
            self.noted(self)

    def log(self) -> Trajectory:
        """What was called so far, to be replayed. Hold the lock."""
        return self.episode.env.trajectory()

    def close(self) -> None:
        """End it. Waits for a page that is being made."""
        with self.lock:
            self.episode.close()


class AppSessions:
    """The sessions of a server, by token. For several threads at once."""

    def __init__(self) -> None:
        self._sessions: dict[str, AppSession] = {}
        self._lock = threading.Lock()

    def open(
        self,
        world: World,
        task: str | int | None = None,
        *,
        face: str = "plain",
        role: str | None = None,
        limits: Limits | None = None,
        log: Trajectory | None = None,
        shows_verdict: bool = True,
        may_restart: bool = True,
    ) -> AppSession:
        """Open an episode in the app, or a walk without a task. The calls of a `log` are made before anything is shown, to go on
        where it ended. An agent is to see no verdict and may not start again."""
        check_face(face)
        played = open_played(world, None if task is None else world.book.task(task), face, role, limits)
        actual = (
            played.env.task.role if played.env.task is not None else role or (world.roles[0] if world.roles else "")
        )
        blueprint = get_blueprint(world)
        session = AppSession(
            secrets.token_urlsafe(TOKEN_BYTES), world, played, screens_of(world, tuple(played.tools), actual),
            choose_looks(tuple(blueprint.blueprint.systems), world.digest, blueprint.blueprint.axes.get(AXIS, "")),
            face, role, shows_verdict, may_restart,
        )  # fmt: skip
        for step in log.steps if log is not None else ():
            shown = show_call(world.contract, step.call)
            session.call(shown.tool, shown.arguments)
        if log is not None and log.submitted:
            session.call(played.submit, log.answer)
        with self._lock:
            self._sessions[session.token] = session
        return session

    def find(self, token: str) -> AppSession | None:
        return self._sessions.get(token)

    def close(self, session: AppSession) -> None:
        """Close a session. Its pages are gone; closing twice does nothing."""
        with self._lock:
            found = self._sessions.pop(session.token, None)
        if found is not None:
            found.close()

    def close_all(self) -> None:
        for session in list(self._sessions.values()):
            self.close(session)

    def __len__(self) -> int:
        return len(self._sessions)


def check_face(face: str) -> None:
    """Refuse a face that the app cannot show."""
    if "obscured" in face:
        raise UsageError("the app has no face `obscured`: its pages are made from what tools and fields are called")


def open_played(
    world: World, task: Task | None, face: str, role: str | None, limits: Limits | None = None
) -> Episode | Walk:
    """Begin an episode of a task, or a walk without one."""
    return Walk(world, role, face, limits) if task is None else world.open(task.id, face=face, limits=limits)


def get_blueprint(world: World) -> Checked:
    """The Blueprint that a world runs on."""
    runtime = world.runtime
    if not isinstance(runtime, Runtime):
        raise UsageError(f"{world.name} is of a kind that has no app: only worlds with a Blueprint of tables have one")
    return runtime.compiled.blueprint


_SCREENS: WeakKeyDictionary[World, dict[tuple[str, tuple[str, ...]], Screens]] = WeakKeyDictionary()
"""Screens that were described already, by role and tools of a world."""


def screens_of(world: World, tools: Sequence[ToolSpec], role: str) -> Screens:
    """The screens over the tools of an episode, described once for the same tools of a world."""
    known = _SCREENS.setdefault(world, {})
    key = (role, tuple(tool.name for tool in tools))
    if key not in known:
        known[key] = describe_screens(get_blueprint(world), tools, role, world.contract)
    return known[key]
