"""Tasks that disturb each other: what was put into the opening state for one must not decide another.

Two things are there for the sake of one task. A filed request: the rows that filing it made and changed. And damage that a repair
mends. A task is disturbed by the first where its key is not right in the world without it (with its own request, where it is
filed itself): the verifier rejects the witness, the rule that forbids it does not, or a program reads other records. It is
disturbed by the second where it is about the damaged row and does not mend it. Values at the edge of a rule and unfinished
processes are whole rows that nobody's task owns, and so disturb nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from worldwright.kinds.database.compile.tasks.candidates import Candidate
from worldwright.kinds.database.compile.tasks.instances import RowKey
from worldwright.kinds.database.compile.tasks.plans import NewRow
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.state import connect
from worldwright.kinds.database.unit_of_work import Change
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

DISTURBED = "what is there for another task decides it"


# what was filed for another


class OtherWorlds:
    """The opening state without what was filed for others, one for every filed task and one for all that are not."""

    def __init__(self, sandbox: Sandbox, filed: Mapping[str, Sequence[Change]]) -> None:
        self.sandbox = sandbox
        self.filed = filed
        """By goal, what filing its request changed."""
        self._sessions: dict[str, tuple[Runtime, Session]] = {}

    def open(self, goal: str) -> tuple[Runtime, Session]:
        """Open the world in which only the request of this goal was filed; none, where it is empty."""
        if goal not in self._sessions:
            others = [change for name, changes in self.filed.items() if name != goal for change in changes]
            own = self.sandbox.runtime
            runtime = Runtime(self.sandbox.compiled, _undo(own.state, self.sandbox, others), "", agenda=own.agenda)
            runtime.opening.counters = dict(self.sandbox.runtime.opening.counters)  # new rows have the ids of the key
            self._sessions[goal] = runtime, runtime.session("")
        return self._sessions[goal]

    def close(self) -> None:
        """Close every session."""
        for _, session in self._sessions.values():
            session.close()


def _undo(state: bytes, sandbox: Sandbox, changes: Sequence[Change]) -> bytes:
    """Undo changes, the last first."""
    with closing(connect(state)) as conn:
        for change in reversed(changes):
            table = sandbox.compiled.tables[change.entity]
            if change.after is not None:
                conn.execute(table.delete, (change.id,))
            if change.before is not None:
                conn.execute(table.insert, list(change.before))
        conn.commit()
        return conn.serialize()


def is_disturbed(worlds: OtherWorlds, task: Task, key: Key, own: str = "") -> bool:
    """Return whether a key is wrong in the world without what was filed for others; `own` is the goal of a task that is filed."""
    if not worlds.filed:
        return False
    runtime, session = worlds.open(own)
    if task.family == "program" and _read(session, task, key) != _read(worlds.sandbox.session, task, key):
        return True
    if key.expects.get("outcome") == "refused":
        found = _list_obstacles(session, task, key)
        return found != _list_obstacles(worlds.sandbox.session, task, key)
    session.reset(task.role, task.actor)
    for call in key.calls:
        session.call(call.tool, call.arguments)
    return runtime.judge(key.expects).verdict(session, key.answer, True).status != "pass"


def _read(session: Session, task: Task, key: Key) -> list[object]:
    """Return what the witness is told before it writes."""
    session.reset(task.role, task.actor)
    out: list[object] = []
    for call in key.calls:
        if session.changes():
            break
        out.append(session.call(call.tool, call.arguments).data)
    return out


def _list_obstacles(session: Session, task: Task, key: Key) -> list[tuple[str, str]]:
    """List what stands in the way of what a rule forbids, call by call: what the tools say, and the rules that it breaks."""
    session.reset(task.role, task.actor)
    out = []
    for data in key.expects.get("forbidden", ()):
        call = Call(data["tool"], data["arguments"])
        result = session.call(call.tool, call.arguments)
        out.append((call.tool, "" if result.error is None else f"{result.error.code} {result.error.policy}"))
    return [*out, *((policy, tool) for policy, tool, _ in session.violations())]


# damage that another mends


def list_mended(sandbox: Sandbox, candidate: Candidate) -> frozenset[RowKey]:
    """List the damaged rows that a repair is there to mend."""
    return frozenset(_list_about(candidate)) & sandbox.damaged if candidate.family == "repair" else frozenset()


def _list_about(candidate: Candidate) -> Iterator[RowKey]:
    for bound in candidate.bounds:
        yield from (at for at in bound.rows.values() if not isinstance(at[1], NewRow))


class Repairs:
    """The damaged rows that tasks mend, and the rows that others are about. Of two that meet, the later one is left out."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._mended: set[RowKey] = set()
        self._others: set[RowKey] = set()

    def allows(self, candidate: Candidate) -> bool:
        """Return whether it is about no row that another mends, and mends none that another is about."""
        if candidate.family == "program":
            return True  # it goes over the records as they are
        if candidate.family == "repair":
            return self._others.isdisjoint(list_mended(self.sandbox, candidate))
        return self._mended.isdisjoint(_list_about(candidate))

    def add(self, candidate: Candidate) -> None:
        if candidate.family == "repair":
            self._mended |= list_mended(self.sandbox, candidate)
        elif candidate.family != "program":
            self._others.update(_list_about(candidate))
