"""Requests that live in the world: before the episode, somebody filed a ticket or a mail that says what is wanted.

Filed by the world's own operations, in the hours before the opening, so that what is asked has to be looked up like anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from worldwright.core import days
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.state.grow import SeededUnitOfWork
from worldwright.kinds.database.compile.tasks.instances import Attempt, RowKey, attempts
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.state import dump_state, state_digest
from worldwright.kinds.database.unit_of_work import Change, Refusal

FORBIDDEN_SHARE = 0.4
"""Of the goals, how many are filed with something that a rule forbids."""
FILING_HOURS = 3
"""Requests came in over so many hours before the opening."""


@dataclass(frozen=True, slots=True)
class FiledRequest:
    """A binding whose request is in the world."""

    attempt: Attempt
    name: str
    at: RowKey
    wrote: tuple[Change, ...] = ()
    """What filing it changed in the world."""

    @property
    def rows(self) -> frozenset[RowKey]:
        """The rows that are there for its sake, and the one that it is about: no other task is about them."""
        made = {(change.entity, change.id) for change in self.wrote if change.before is None}
        return frozenset({*made, self.at, *list_subjects(self.attempt)})


@dataclass(frozen=True, slots=True)
class Filed:
    """The state with the requests in it."""

    state: bytes
    digest: str
    rows: int
    """How many there are in all tables now."""
    requests: tuple[FiledRequest, ...]


def file_requests(
    runtime: Runtime, seed: int, damaged: Mapping[str, Sequence[RowKey]], copies: frozenset[RowKey] = frozenset()
) -> Filed | None:
    """File one request for each goal that says how; None where no goal does. `copies` are rows that no request is about."""
    goals = [g for g in runtime.compiled.blueprint.goals.values() if g.files is not None]
    if not goals:
        return None
    sandbox = Sandbox(runtime, copies=copies)
    chosen: list[Attempt | None] = []
    for goal in goals:
        taken = {at for a in chosen if a is not None for at in list_subjects(a)}
        chosen.append(_choose_binding(sandbox, goal.name, seed, damaged, taken))
    compiled, schema = runtime.compiled, runtime.compiled.blueprint.schema
    conn = compiled.connect(runtime.state)
    uow = SeededUnitOfWork(compiled, conn)
    uow.counters = dict(runtime.opening.counters)
    requests = []
    conn.execute("BEGIN")
    for k, attempt in enumerate(a for a in chosen if a is not None):
        uow.touched = {}
        at = _file(uow, sandbox, attempt, k, seed)
        if at is not None:
            filed = compiled.blueprint.goals[attempt.bound.goal].files
            assert filed is not None
            requests.append(FiledRequest(attempt, filed.call.name, at, _list_written(uow)))
    conn.execute("COMMIT")
    rows = sum(uow.fetch(f'SELECT COUNT(*) FROM "{name}"', ())[0][0] for name in schema.entities)
    out = Filed(dump_state(conn, schema), state_digest(conn, schema), rows, tuple(requests))
    conn.close()
    return out


def _list_written(uow: SeededUnitOfWork) -> tuple[Change, ...]:
    """List the rows that were written to, as they were and as they are."""
    changes = (Change(*at, before, uow.standing[at]) for at, before in sorted(uow.touched.items()))
    return tuple(change for change in changes if change.before != change.after)


def list_subjects(attempt: Attempt) -> tuple[RowKey, ...]:
    """List what a request is about: the first row that it names."""
    return tuple(attempt.bound.rows.values())[:1]


def _choose_binding(
    sandbox: Sandbox, name: str, seed: int, damaged: Mapping[str, Sequence[RowKey]], taken: Collection[RowKey]
) -> Attempt | None:
    """Choose the first binding that can be carried out; for some goals, the first that a rule forbids, where there is one. What is
    taken, another request is about."""
    first = None
    forbidden = Stream(seed, "filed", name, "forbidden").chance(FORBIDDEN_SHARE)
    for attempt in attempts(sandbox, name, seed, damaged):
        if not set(taken).isdisjoint(list_subjects(attempt)):
            continue
        if attempt.forbidden_by if forbidden else attempt.clean:
            return attempt
        first = first or (attempt if attempt.clean else None)
    return first


def _file(uow: SeededUnitOfWork, sandbox: Sandbox, attempt: Attempt, k: int, seed: int) -> RowKey | None:
    """Make the call that files the request; where it is refused, nothing is filed."""
    compiled = sandbox.compiled
    filed = compiled.blueprint.goals[attempt.bound.goal].files
    assert filed is not None
    e = compiled.evaluator
    uow.forget()
    uow.set_time(days.add_seconds(sandbox.schema.now, -FILING_HOURS * 3600 + 420 * k) or sandbox.schema.now)
    uow.stream = Stream(seed, "filed", attempt.bound.goal)
    people = sandbox.actors.get(filed.role, ())
    uow.actor = uow.row(sandbox.schema.actor, uow.stream.pick(people)) if people else None
    frame = {**{name: uow.row(*at) for name, at in attempt.bound.rows.items()}, **attempt.bound.said}
    operation = compiled.blueprint.operations[filed.call.operation]
    given = {name: e.bind(node)(uow, frame) for name, node in filed.call.args}
    values = {
        i.name: given.get(i.name) if given.get(i.name) is not None else i.default.value if i.default else None
        for i in operation.inputs
    }
    counters = dict(uow.counters)
    uow.conn.execute("SAVEPOINT filing")
    try:
        found = compiled.operator.perform_and_give(operation.name, uow, values)
    except Refusal:
        uow.conn.execute("ROLLBACK TO filing")
        uow.counters = counters
        found = None
    uow.conn.execute("RELEASE filing")
    return None if found is None else (found.entity, found.id)
