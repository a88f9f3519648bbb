"""Instances: a goal bound to rows of the state, with a witness that was really run on a fork."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from worldwright.core.rng import Stream
from worldwright.kinds.database.arguments import value_to_json, write_arguments
from worldwright.kinds.database.compile.tasks.plans import (
    Plan,
    PlanResult,
    fill_new,
    list_broken_rules,
    make_call,
    open_new,
)
from worldwright.kinds.database.compile.tasks.sandbox import CompiledGoal, Sandbox
from worldwright.kinds.database.compile.tasks.variations import exchange_steps
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Row
from worldwright.kinds.database.verify.facts import states_fact
from worldwright.world.records import Call, Result, ToolError

RowKey = tuple[str, Any]
"""(entity, id), or (entity, New) for a row that an earlier part of the plan makes."""

MAX_ATTEMPTS = 60
"""Bindings tried for one goal."""
MAX_ACTORS = 3
"""People tried for one binding."""


@dataclass(frozen=True, slots=True)
class BoundGoal:
    """A goal with its names filled in, and who is asked."""

    goal: str
    role: str
    actor: str
    rows: Mapping[str, RowKey]
    said: Mapping[str, Any]
    """In storage form."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A witness that ran to its end, or to where it was refused."""

    bound: BoundGoal
    plan: Plan
    played: PlanResult
    reached: bool
    error: ToolError | None
    forbidding: tuple[str, ...] = ()
    """Every rule that stands in the way, also those that the tools did not get to."""

    @property
    def clean(self) -> bool:
        """The goal was reached and no rule broken."""
        return self.reached and not self.played.broken

    @property
    def forbidden_by(self) -> str:
        """The one policy that stands in the way; nothing where there is none, or more than one."""
        if len(self.forbidding) != 1 or not (self.reached or (self.error is not None and self.error.policy)):
            return ""
        return self.forbidding[0]


def attempts(sandbox: Sandbox, name: str, seed: int, damaged: Mapping[str, Sequence[RowKey]]) -> Iterator[Attempt]:
    """Bindings of a goal, each with its witness run; those where the goal holds from the start are left out."""
    compiled = sandbox.goals[name]
    for i, rows in enumerate(bindings(sandbox, compiled, seed, damaged)):
        if i >= MAX_ATTEMPTS:
            return
        found = _attempt(sandbox, compiled, rows, (seed, "task", name, i))
        if found is not None:
            yield found


def _attempt(
    sandbox: Sandbox, compiled: CompiledGoal, rows: Mapping[str, RowKey], path: tuple[Any, ...]
) -> Attempt | None:
    found = None
    for bound in bind_actors(sandbox, compiled, rows, path):
        found = witness(sandbox, bound, path)
        if found is None or found.clean or found.forbidden_by:
            return found
    return found


def bindings(
    sandbox: Sandbox, compiled: CompiledGoal, seed: int, damaged: Mapping[str, Sequence[RowKey]]
) -> Iterator[dict[str, RowKey]]:
    """Rows for the givens of a goal that satisfy what it says of them, in a shuffled order."""
    goal = compiled.goal
    names = tuple(goal.given)
    touched = {at for label in goal.mends for at in damaged.get(label, ())} if goal.mends else None
    stream = Stream(seed, "bind", goal.name)
    role = goal.roles[0] if goal.roles else ""

    def fitting(k: int, bound: Mapping[str, RowKey]) -> list[RowKey]:
        gone = sandbox.list_gone(goal.given[names[k]].entity)
        sandbox.start(role, "")  # between two bindings a witness has run
        uow = sandbox.uow(seed, "bind", goal.name)
        frame = sandbox.frame(uow, bound, {})
        name, test = names[k], compiled.where.get(names[k])

        def fits(row: Row) -> bool:
            at = (row.entity, row.id)
            mended = k == 0 and touched is not None and at in touched
            if row.id in gone or at in sandbox.reserved or (at in sandbox.copies and not mended):
                return False
            if k == 0 and touched is not None and not mended:
                return False
            return test is None or bool(test(uow, {**frame, name: row, "self": row}))

        entity = goal.given[name].entity
        large = sandbox.large(entity, stream)
        if large:
            return [
                (entity, row.id) for row in islice(filter(fits, large), len(bound) + 1 if bound else 2 * MAX_ATTEMPTS)
            ]
        return stream.shuffled([(entity, row.id) for row in uow.rows(entity) if fits(row)])

    if not names:
        for _ in range(MAX_ATTEMPTS // 10):
            yield {}
        return
    for first in fitting(0, {}):
        bound = {names[0]: first}
        if len(names) == 1:
            yield bound
            continue
        full = _complete_givens(bound, names, fitting)
        if full is not None:
            yield full


def _complete_givens(bound: dict[str, RowKey], names: Sequence[str], fitting: Any) -> dict[str, RowKey] | None:
    """Choose the other givens, each the first that fits and is not taken."""
    for k in range(1, len(names)):
        rest = [at for at in fitting(k, bound) if at not in bound.values()]
        if not rest:
            return None
        bound = {**bound, names[k]: rest[0]}
    return bound


def bind_actors(
    sandbox: Sandbox, compiled: CompiledGoal, rows: Mapping[str, RowKey], path: tuple[Any, ...]
) -> Iterator[BoundGoal]:
    """Yield the binding with what is said, and with people who could be asked."""
    goal = compiled.goal
    sandbox.start(goal.roles[0] if goal.roles else "", "")
    uow = sandbox.uow(*path, "said")
    said: dict[str, Any] = {}
    for name, run in compiled.drawn.items():
        uow.stream = Stream(*path, "said", name)
        said[name] = run(uow, sandbox.frame(uow, rows, said))
    if any(value is None for value in said.values()):
        return
    if compiled.actor is not None:
        person = compiled.actor(uow, sandbox.frame(uow, rows, said))
        role = "" if person is None else person.values[uow.position(sandbox.schema.actor, sandbox.schema.role_field)]
        if role in goal.roles and not sandbox.is_away(person) and (person.entity, person.id) not in sandbox.copies:
            yield BoundGoal(goal.name, role, person.id, rows, said)
        return
    if not goal.roles:
        yield BoundGoal(goal.name, "", "", rows, said)
    stream = Stream(*path, "asked")
    for role in goal.roles[:1]:
        people = stream.shuffled(list(sandbox.actors[role]))
        for person in people[:MAX_ACTORS]:
            yield BoundGoal(goal.name, role, person, rows, said)


@dataclass(slots=True)
class WitnessRun:
    """A plan in the making, on a session that stands where it has come to."""

    calls: list[Call]
    results: list[Result]
    made: list[dict[str, list[str]]]

    @property
    def plan(self) -> Plan:
        return tuple(self.calls)

    def finish(self, session: Session) -> PlanResult:
        calls = tuple(Call(c.tool, fill_new(c.arguments, self.made)) for c in self.calls)
        return PlanResult(calls, tuple(self.results), list_broken_rules(session), tuple(self.made))


def witness(sandbox: Sandbox, bound: BoundGoal, path: tuple[Any, ...]) -> Attempt | None:
    """Run a goal's `how`. None where the goal or one of its records holds before anything was done, or an argument cannot be
    found."""
    compiled = sandbox.goals[bound.goal]
    session = sandbox.start(bound.role, bound.actor)
    if compiled.goal.how and (is_reached(sandbox, bound, []) or _has_record(sandbox, bound)):
        return None
    performance = WitnessRun([], [], [])
    if not perform(sandbox, bound, path, performance):
        return None
    results = performance.results
    played = performance.finish(session)
    reached = played.ok and is_reached(sandbox, bound, performance.made)
    error = results[-1].error if results and not results[-1].ok else None
    forbidding = played.broken
    if error is not None and error.policy:
        forbidding = list_forbidding(sandbox, bound, path)
    return Attempt(bound, performance.plan, played, reached, error, forbidding)


def _has_record(sandbox: Sandbox, bound: BoundGoal) -> bool:
    """Return whether one of the records that are wanted is there already: nobody would ask for it once more."""
    uow = sandbox.session.unit_of_work()
    frame = {**{name: uow.row(*at) for name, at in bound.rows.items()}, **bound.said}
    return any(holds(uow, frame) for holds in sandbox.goals[bound.goal].records)


def list_forbidding(sandbox: Sandbox, bound: BoundGoal, path: tuple[Any, ...]) -> tuple[str, ...]:
    """List every rule that a goal's `how` breaks where none of them refuses."""
    session = sandbox.start(bound.role, bound.actor)
    session.suspend_rules()
    perform(sandbox, bound, path, WitnessRun([], [], []))
    return list_broken_rules(session)


def exchange_rows(bounds: Sequence[BoundGoal], i: int) -> tuple[BoundGoal, ...]:
    """The goals of a plan whose call `i` and the next have changed places."""
    return tuple(
        replace(b, rows={name: (entity, exchange_steps(key, i)) for name, (entity, key) in b.rows.items()})
        for b in bounds
    )


def is_reached(sandbox: Sandbox, bound: BoundGoal, made: Sequence[Mapping[str, Sequence[str]]]) -> bool:
    """Return whether what is wanted is so, on the session as it is: the goal's condition, and the facts its texts must state."""
    compiled = sandbox.goals[bound.goal]
    uow = sandbox.session.unit_of_work()
    frame = dict(bound.said)
    for name, (entity, key) in bound.rows.items():
        frame[name] = uow.row(entity, fill_new(key, made))
        if frame[name] is None:
            return False
    return bool(compiled.wants(uow, frame)) and all(
        states_fact(str(text(uow, frame) or ""), value_to_json(fact(uow, frame), kind), kind, int(uow.now[:4]), role)
        for text, facts in compiled.mentions
        for fact, kind, role in facts
    )


def perform_rest(sandbox: Sandbox, bounds: Sequence[BoundGoal], first: Plan, path: tuple[Any, ...]) -> Plan | None:
    """Make the first calls of a plan as they are and the rest anew, each with what its goal's `how` takes from the state as it has
    become. None where an argument cannot be found, or a call is refused."""
    sandbox.start(bounds[0].role, bounds[0].actor)
    run = WitnessRun([], [], [])
    for bound in bounds:
        if not perform(sandbox, bound, path, run, first) or not all(result.ok for result in run.results):
            return None
    return run.plan


def perform(sandbox: Sandbox, bound: BoundGoal, path: tuple[Any, ...], so_far: WitnessRun, first: Plan = ()) -> bool:
    """Go on with a goal's `how`, up to a refusal. False where an argument cannot be found. The `first` calls are made as they are.

    What a step that is left out would have named is none.
    """
    session = sandbox.session
    named: dict[str, RowKey] = {}
    how = sandbox.goals[bound.goal].how
    unnamed: dict[str, Any] = {step.name: None for step, _, _ in how if step.name}
    for step, args, test in how:
        uow = sandbox.uow(*path, len(so_far.calls))
        rows = {name: (entity, fill_new(key, so_far.made)) for name, (entity, key) in bound.rows.items()}
        frame = unnamed | sandbox.frame(uow, {**rows, **named}, bound.said)
        if test is not None and not test(uow, frame):
            continue
        if len(so_far.calls) < len(first):
            so_far.calls.append(first[len(so_far.calls)])
            if so_far.calls[-1].tool != step.operation:
                return False
        else:
            values = {name: run(uow, frame) for name, run in args}
            operation = sandbox.compiled.blueprint.operations[step.operation]
            if any(values.get(i.name) is None and not i.optional and i.default is None for i in operation.inputs):
                return False
            so_far.calls.append(Call(step.operation, open_new(write_arguments(operation, values), so_far.made)))
        result, new = make_call(session, Call(step.operation, fill_new(so_far.calls[-1].arguments, so_far.made)))
        so_far.results.append(result)
        so_far.made.append(new)
        if not result.ok:
            return True
        if step.name:
            named[step.name] = (_find_given_entity(sandbox, step.operation), result.data["id"])
    return True


def _find_given_entity(sandbox: Sandbox, operation: str) -> str:
    found = sandbox.compiled.blueprint.operations[operation]
    if found.read is not None:
        return found.read.entity
    gives: Any = found.gives
    entity: str = gives.type.entity
    return entity
