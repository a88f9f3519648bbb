"""Instances: a goal bound to rows of the state, with a witness that was really run on a fork."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.ground import CompiledGoal, Ground, arguments, plain
from worldwright.kinds.database.compile.tasks.plans import Plan, Played, broken_rules, filled, making, opened
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.verify.facts import states
from worldwright.world.records import Call, Result, ToolError

At = tuple[str, Any]
"""(entity, id), or (entity, New) for a row that an earlier part of the plan makes."""

MAX_ATTEMPTS = 60
"""Bindings tried for one goal."""
ACTORS = 3
"""People tried for one binding."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A goal with its names filled in, and who is asked."""

    goal: str
    role: str
    actor: str
    rows: Mapping[str, At]
    said: Mapping[str, Any]
    """In storage form."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A witness that ran to its end, or to where it was refused."""

    bound: Bound
    plan: Plan
    played: Played
    reached: bool
    error: ToolError | None

    @property
    def clean(self) -> bool:
        """The goal was reached and no rule broken."""
        return self.reached and not self.played.broken

    @property
    def forbidden_by(self) -> str:
        """The one policy that stands in the way, or nothing."""
        if self.error is not None:
            return "" if self.played.broken else self.error.policy or ""
        return self.played.broken[0] if len(self.played.broken) == 1 and self.reached else ""


def attempts(ground: Ground, name: str, seed: int, damaged: Mapping[str, Sequence[At]]) -> Iterator[Attempt]:
    """Bindings of a goal, each with its witness run; those where the goal holds from the start are left out."""
    compiled = ground.goals[name]
    for i, rows in enumerate(bindings(ground, compiled, seed, damaged)):
        if i >= MAX_ATTEMPTS:
            return
        found = _attempt(ground, compiled, rows, (seed, "task", name, i))
        if found is not None:
            yield found


def _attempt(ground: Ground, compiled: CompiledGoal, rows: Mapping[str, At], path: tuple[Any, ...]) -> Attempt | None:
    found = None
    for bound in asked_of(ground, compiled, rows, path):
        found = witness(ground, bound, path)
        if found is None or found.clean or found.forbidden_by:
            return found
    return found


def bindings(
    ground: Ground, compiled: CompiledGoal, seed: int, damaged: Mapping[str, Sequence[At]]
) -> Iterator[dict[str, At]]:
    """Rows for the givens of a goal that satisfy what it says of them, in a shuffled order."""
    goal = compiled.goal
    names = tuple(goal.given)
    touched = {at for label in goal.mends for at in damaged.get(label, ())} if goal.mends else None
    stream = Stream(seed, "bind", goal.name)
    role = goal.roles[0] if goal.roles else ""

    def fitting(k: int, bound: Mapping[str, At]) -> list[At]:
        gone = ground.gone(goal.given[names[k]].entity)
        ground.start(role, "")  # between two bindings a witness has run
        uow = ground.uow(seed, "bind", goal.name)
        frame = ground.frame(uow, bound, {})
        name, test = names[k], compiled.where.get(names[k])
        out = []
        for row in uow.rows(goal.given[name].entity):
            if row.id in gone:
                continue
            if k == 0 and touched is not None and (row.entity, row.id) not in touched:
                continue
            if test is None or test(uow, {**frame, name: row, "self": row}):
                out.append((row.entity, row.id))
        return stream.shuffled(out)

    if not names:
        for _ in range(MAX_ATTEMPTS // 10):
            yield {}
        return
    for first in fitting(0, {}):
        bound = {names[0]: first}
        if len(names) == 1:
            yield bound
            continue
        full = _completed(bound, names, fitting)
        if full is not None:
            yield full


def _completed(bound: dict[str, At], names: Sequence[str], fitting: Any) -> dict[str, At] | None:
    """The other givens, each the first that fits and is not taken."""
    for k in range(1, len(names)):
        rest = [at for at in fitting(k, bound) if at not in bound.values()]
        if not rest:
            return None
        bound = {**bound, names[k]: rest[0]}
    return bound


def asked_of(ground: Ground, compiled: CompiledGoal, rows: Mapping[str, At], path: tuple[Any, ...]) -> Iterator[Bound]:
    """The binding with what is said, and with people who could be asked."""
    goal = compiled.goal
    ground.start(goal.roles[0] if goal.roles else "", "")
    uow = ground.uow(*path, "said")
    said: dict[str, Any] = {}
    for name, run in compiled.drawn.items():
        uow.stream = Stream(*path, "said", name)
        said[name] = run(uow, ground.frame(uow, rows, said))
    if any(value is None for value in said.values()):
        return
    if compiled.actor is not None:
        person = compiled.actor(uow, ground.frame(uow, rows, said))
        role = "" if person is None else person.values[uow.position(ground.schema.actor, ground.schema.role_field)]
        if role in goal.roles:
            yield Bound(goal.name, role, person.id, rows, said)
        return
    if not goal.roles:
        yield Bound(goal.name, "", "", rows, said)
    stream = Stream(*path, "asked")
    for role in goal.roles[:1]:
        people = stream.shuffled(list(ground.actors[role]))
        for person in people[:ACTORS]:
            yield Bound(goal.name, role, person, rows, said)


@dataclass(slots=True)
class Performance:
    """A plan in the making, on a session that stands where it has come to."""

    calls: list[Call]
    results: list[Result]
    made: list[dict[str, list[str]]]

    @property
    def plan(self) -> Plan:
        return tuple(self.calls)

    def played(self, session: Session) -> Played:
        calls = tuple(Call(c.tool, filled(c.arguments, self.made)) for c in self.calls)
        return Played(calls, tuple(self.results), broken_rules(session), tuple(self.made))


def witness(ground: Ground, bound: Bound, path: tuple[Any, ...]) -> Attempt | None:
    """Run a goal's `how`. None where the goal holds before anything was done, or an argument cannot be found."""
    compiled = ground.goals[bound.goal]
    session = ground.start(bound.role, bound.actor)
    if compiled.goal.how and holds(ground, bound, []):
        return None
    performance = Performance([], [], [])
    if not perform(ground, bound, path, performance):
        return None
    results = performance.results
    played = performance.played(session)
    reached = played.ok and holds(ground, bound, performance.made)
    error = results[-1].error if results and not results[-1].ok else None
    return Attempt(bound, performance.plan, played, reached, error)


def holds(ground: Ground, bound: Bound, made: Sequence[Mapping[str, Sequence[str]]]) -> bool:
    """Whether what is wanted is so, on the session as it is: the goal's condition, and the facts its texts must state."""
    compiled = ground.goals[bound.goal]
    uow = ground.session.unit_of_work()
    frame = dict(bound.said)
    for name, (entity, key) in bound.rows.items():
        frame[name] = uow.row(entity, filled(key, made))
        if frame[name] is None:
            return False
    return bool(compiled.wants(uow, frame)) and all(
        states(str(text(uow, frame) or ""), plain(fact(uow, frame), kind), kind, int(uow.now[:4]))
        for text, facts in compiled.mentions
        for fact, kind in facts
    )


def perform(ground: Ground, bound: Bound, path: tuple[Any, ...], so_far: Performance) -> bool:
    """Go on with a goal's `how`, up to a refusal. False where an argument cannot be found.

    What a step that is left out would have named is none.
    """
    session = ground.session
    named: dict[str, At] = {}
    how = ground.goals[bound.goal].how
    unnamed: dict[str, Any] = {step.name: None for step, _, _ in how if step.name}
    for step, args, test in how:
        uow = ground.uow(*path, len(so_far.calls))
        rows = {name: (entity, filled(key, so_far.made)) for name, (entity, key) in bound.rows.items()}
        frame = unnamed | ground.frame(uow, {**rows, **named}, bound.said)
        if test is not None and not test(uow, frame):
            continue
        values = {name: run(uow, frame) for name, run in args}
        operation = ground.compiled.blueprint.operations[step.operation]
        if any(values.get(i.name) is None and not i.optional and i.default is None for i in operation.inputs):
            return False
        so_far.calls.append(Call(step.operation, opened(arguments(operation, values), so_far.made)))
        result, new = making(session, Call(step.operation, filled(so_far.calls[-1].arguments, so_far.made)))
        so_far.results.append(result)
        so_far.made.append(new)
        if not result.ok:
            return True
        if step.name:
            named[step.name] = (_given_entity(ground, step.operation), result.data["id"])
    return True


def _given_entity(ground: Ground, operation: str) -> str:
    found = ground.compiled.blueprint.operations[operation]
    if found.read is not None:
        return found.read.entity
    gives: Any = found.gives
    entity: str = gives.type.entity
    return entity
