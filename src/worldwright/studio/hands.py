"""Episodes that a person plays here: begun with a task, in a role, or from a step of somebody else's episode.

Each is a file with the calls that were made, written whole after every call. So nothing is lost when the studio is killed: the
calls are made again when somebody comes back.

    $WORLDWRIGHT_HOME/studio/hand/ID.json
"""

from __future__ import annotations

import json
import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any

from worldwright.core.errors import StoreError, UsageError
from worldwright.core.whole_file import write_whole
from worldwright.engine.env import Env
from worldwright.engine.submit import submit_spec
from worldwright.engine.surface import SURFACES
from worldwright.rollout.episode import render_diff, render_others_call
from worldwright.studio.opened import Worlds
from worldwright.world.records import Result, ToolSpec
from worldwright.world.tasks import Task, Verdict

MAX_OPEN, MAX_LISTED = 24, 200
_ID = re.compile(r"[0-9a-f]{12}\Z")


@dataclass(frozen=True, slots=True)
class HandRecord:
    """What is kept of an episode by hand."""

    id: str
    world: str
    """The digest of its world."""
    task: str
    """Empty where somebody only looks around."""
    role: str
    face: str
    began: str
    calls: tuple[tuple[str, Any], ...] = ()
    """Each with the tool as it is shown, and its arguments; the one that submits among them."""
    source: Mapping[str, Any] = field(default_factory=dict)
    """Of a fork: the run, the episode and the step that it goes on from."""
    seen: bool = False
    """Whether the verdict was looked at before an answer was given."""


@dataclass(frozen=True, slots=True)
class HandStep:
    """A call that was made, and what it did."""

    number: int
    tool: str
    arguments: Any
    result: Result
    clock: str
    diff: Mapping[str, Any]
    others: tuple[Mapping[str, Any], ...]
    broken: tuple[str, ...]


class HandEpisode:
    """An episode by hand while it is open."""

    def __init__(
        self,
        record: HandRecord,
        env: Env,
        tools: Sequence[ToolSpec],
        messages: Sequence[Mapping[str, str]],
        lock: RLock,
    ) -> None:
        self.record = record
        self.env = env
        self.messages = tuple(messages)
        self.task: Task | None = env.task
        self.submit = submit_spec([t.name for t in tools], env.task.answer_schema) if env.task is not None else None
        self.tools: dict[str, ToolSpec] = {
            t.name: t for t in (*tools, *([self.submit] if self.submit is not None else []))
        }
        self.steps: list[HandStep] = []
        self.lock = lock
        """That of its world: nobody else plays in it meanwhile."""
        self._others = 0
        self._rules = 0

    @property
    def done(self) -> bool:
        return self.env.done

    @property
    def submitted(self) -> bool:
        return self.submit is not None and any(step.tool == self.submit.name and step.result.ok for step in self.steps)

    def call(self, tool: str, arguments: Any) -> HandStep:
        """Make a call, the one that submits included."""
        env, clock = self.env, self.env.agent.clock()
        result = (
            env.submit(arguments)
            if self.submit is not None and tool == self.submit.name
            else env.call_tool(tool, arguments)
        )
        others, broken = (() if env.broken else env.list_others(self._others)), env.violations()[self._rules :]
        self._others += len(others)
        self._rules += len(broken)
        diff = {} if env.broken else {table: render_diff(found) for table, found in env.diff_since_last().items()}
        step = HandStep(
            len(self.steps) + 1, tool, arguments, result, clock, diff, tuple(map(render_others_call, others)),
            tuple(dict.fromkeys(policy for policy, _, _ in broken)),
        )  # fmt: skip
        self.steps.append(step)
        return step

    def judge(self) -> Verdict | None:
        """How it stands; none where there is no task, or the pack has no keys."""
        return self.env.verify() if self.task is not None else None


class Hands:
    """The episodes by hand of a studio."""

    def __init__(self, root: Path, worlds: Worlds) -> None:
        self._root = root / "hand"
        self._worlds = worlds
        self._open: OrderedDict[str, HandEpisode] = OrderedDict()
        self._lock = RLock()

    def begin(
        self, world: str, task: str = "", role: str = "", face: str = "plain", calls: Sequence[tuple[str, Any]] = (),
        source: Mapping[str, Any] | None = None,
    ) -> HandEpisode:  # fmt: skip
        """Begin an episode, or go on from some calls."""
        if face not in SURFACES:
            raise UsageError(f"no face is called {face[:40]!r}; known: {', '.join(SURFACES)}")
        began = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
        record = HandRecord(secrets.token_hex(6), world, task, role, face, began, tuple(calls), dict(source or {}))
        made = self._restore(record)
        self._save(made)
        with self._lock:
            self._open[record.id] = made
        return made

    def find(self, key: str) -> HandEpisode:
        """The episode of an id, opened again where it is not open."""
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key]
            made = self._restore(self._read(key))
            self._open[key] = made
            while len(self._open) > MAX_OPEN:
                _, old = self._open.popitem(last=False)
                with old.lock:
                    old.env.close()
            return made

    def call(self, key: str, tool: str, arguments: Any, number: int) -> HandStep:
        """Make a call in an episode. `number` is how many calls its player knows of: whoever knows of fewer looks first."""
        found = self.find(key)
        with found.lock:
            if found.done:
                raise UsageError("this episode has ended; begin another one")
            if number != len(found.steps):
                raise UsageError(f"{len(found.steps) - number:+d} calls were made meanwhile: look at them, then decide")
            if tool not in found.tools:
                raise UsageError(f"there is no tool {tool[:60]!r} here")
            step = found.call(tool, arguments)
            found.record = replace(found.record, calls=(*found.record.calls, (tool, arguments)))
            self._save(found)
            return step

    def adopt(self, key: str, calls: Sequence[tuple[str, Any]]) -> None:
        """Keep the calls that were made in the app; the episode is opened again when it is looked at here."""
        with self._lock:
            found, record = self._open.pop(key, None), self._read(key)
            self._write(replace(record, calls=tuple(calls)))
        if found is not None:
            with found.lock:
                found.env.close()

    def note_seen(self, key: str) -> HandEpisode:
        """Note that the verdict was looked at before an answer was given."""
        found = self.find(key)
        with found.lock:
            if not found.submitted and not found.record.seen:
                found.record = replace(found.record, seen=True)
                self._save(found)
        return found

    def list_records(self) -> list[HandRecord]:
        """The episodes that are kept, the newest first."""
        paths = (
            sorted(self._root.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
            if self._root.is_dir()
            else []
        )
        out = []
        for path in paths[:MAX_LISTED]:
            try:
                out.append(self._read(path.stem))
            except StoreError:
                continue
        return out

    def remove(self, key: str) -> None:
        """Forget an episode."""
        record = self._read(key)
        with self._lock:
            found = self._open.pop(record.id, None)
        if found is not None:
            with found.lock:
                found.env.close()
        (self._root / f"{record.id}.json").unlink(missing_ok=True)

    def _restore(self, record: HandRecord) -> HandEpisode:
        world = self._worlds.open(record.world)
        with world.lock:
            env = world.pack.world.env(face=record.face)
            first = env.reset(record.task) if record.task else env.reset(role=record.role or None)
            made = HandEpisode(record, env, first.tools, first.messages, world.lock)
            for tool, arguments in record.calls:
                made.call(tool, arguments)
        return made

    def _save(self, episode: HandEpisode) -> None:
        self._write(episode.record)

    def _write(self, record: HandRecord) -> None:
        write_whole(self._root / f"{record.id}.json", json.dumps(asdict(record), ensure_ascii=False) + "\n")

    def _read(self, key: str) -> HandRecord:
        if not _ID.match(key) or not (self._root / f"{key}.json").is_file():
            raise StoreError("there is no such episode here")
        try:
            data = json.loads((self._root / f"{key}.json").read_text(encoding="utf-8"))
            calls = tuple((str(tool), arguments) for tool, arguments in data.pop("calls"))
            return HandRecord(**data, calls=calls)
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as e:
            raise StoreError(f"the episode {key} cannot be read: {type(e).__name__}") from None
