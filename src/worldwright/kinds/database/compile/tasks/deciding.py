"""What decides the calls of a plan: the facts that its arguments, the rules it meets and what is told at its end rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.kinds.database.compile.tasks.instances import BoundGoal
from worldwright.kinds.database.compile.tasks.plans import Plan, fill_new
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.tracing import Need, Tracer
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.operate import Act, Operator
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Refusal, Row, UnitOfWork
from worldwright.world.records import Call


@dataclass(slots=True)
class StepNeeds:
    """What one call of a plan rests on."""

    arguments: dict[str, tuple[Need, ...]] = field(default_factory=dict)
    """By argument, what its value was worked out from, or by which it was chosen."""
    chosen: set[str] = field(default_factory=set)
    """Arguments that were chosen among rows: somebody has to see that the choice is right."""
    fixed: set[str] = field(default_factory=set)
    """Arguments that the goal holds as they are: nothing leads to them but words."""
    rules: list[tuple[str, bool, tuple[Need, ...]]] = field(default_factory=list)
    """(policy, whether it was kept, what decides that) of every rule that was asked."""


@dataclass(frozen=True, slots=True)
class PlanNeeds:
    """What a plan rests on, call by call, and what is told at its end."""

    steps: tuple[StepNeeds, ...]
    tells: Mapping[str, tuple[Need, ...]]
    """By part of the answer; only where every call went through."""


class _TracingOperator(Operator):
    """Runs operations, and keeps what each rule that they obey rests on."""

    def __init__(self, compiled: CompiledWorld, tracer: Tracer) -> None:
        super().__init__(compiled.blueprint, compiled.evaluator)
        self._tracer = tracer
        self.met: list[tuple[str, bool, tuple[Need, ...]]] = []

    def _on_Obey(self, s: c.Obey) -> Act:
        act = Operator._on_Obey(self, s)
        node = n.Obeys(n.TRUE.type, s.policy, s.args)
        test = self.evaluator.value(node)

        def obey(d: UnitOfWork, f: Frame) -> None:
            self.met.append((s.policy, bool(test(d, f)), self._tracer.list_needs(node, d, f)))
            act(d, f)

        return obey


def make_tracer(compiled: CompiledWorld) -> tuple[Tracer, _TracingOperator]:
    """Make what traces expressions and operations of a world."""
    tracer = Tracer(compiled)
    return tracer, _TracingOperator(compiled, tracer)


def trace_plan(sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan, goals: bool = True) -> PlanNeeds:
    """Play a plan on the opening state and find what it rests on: up to a refusal, or, without `goals`, every call and its rules
    alone."""
    session = sandbox.start(bounds[0].role, bounds[0].actor)
    made: list[Mapping[str, Sequence[str]]] = []
    steps: list[StepNeeds] = []
    how = _Following(sandbox, bounds) if goals else None
    for call in plan:
        step = StepNeeds()
        steps.append(step)
        arguments = fill_new(call.arguments, made)
        if how is not None:
            how.trace(call.tool, arguments, made, step)
        before = len(session.list_created())
        row = _perform(sandbox, session, call.tool, arguments, step)
        if row is None and goals:
            return PlanNeeds(tuple(steps), {})
        rows: dict[str, list[str]] = {}
        for entity, key in session.list_created()[before:]:
            rows.setdefault(entity, []).append(key)
        made.append(rows)
        if how is not None and row is not None:
            how.name(row[0])
    return PlanNeeds(tuple(steps), _trace_tells(sandbox, bounds, made) if goals else {})


def trace_forbidden(
    sandbox: Sandbox, role: str, actor: str, before: Sequence[Call], forbidden: Plan
) -> list[tuple[str, bool, tuple[Need, ...]]]:
    """Find what the rules rest on that forbid some calls, after others were made. No rule stops them, so that each is met."""
    session = sandbox.start(role, actor)
    for call in before:
        session.call(call.tool, call.arguments)
    session.suspend_rules()
    made: list[Mapping[str, Sequence[str]]] = []
    out: list[tuple[str, bool, tuple[Need, ...]]] = []
    for call in forbidden:
        step = StepNeeds()
        count = len(session.list_created())
        _perform(sandbox, session, call.tool, fill_new(call.arguments, made), step)
        rows: dict[str, list[str]] = {}
        for entity, key in session.list_created()[count:]:
            rows.setdefault(entity, []).append(key)
        made.append(rows)
        out += step.rules
    return out


def _perform(
    sandbox: Sandbox, session: Session, tool: str, arguments: Mapping[str, Any], step: StepNeeds
) -> tuple[Row | None] | None:
    """Make a call and keep the rules it met. Returns the row it gave, if any; None where it was refused."""
    _, operator = sandbox.compiled.derive(make_tracer)
    found = sandbox.compiled.tools[tool]
    uow = session.unit_of_work()
    operator.met = []
    try:
        frame = found.reader.read(uow, arguments)
        if found.waits is not None:
            session.wait(found, frame)
            return (None,)
        row = session.transact(found, frame, lambda: operator.perform_and_give(tool, uow, frame)).data
    except (Refusal, OverflowError):
        step.rules = operator.met
        return None
    step.rules = operator.met
    return (row,)


class _Following:
    """Follows the witness of goals, call by call, to know from which expression each argument comes."""

    def __init__(self, sandbox: Sandbox, bounds: Sequence[BoundGoal]) -> None:
        self._sandbox = sandbox
        self._tracer = sandbox.compiled.derive(make_tracer)[0]
        self._waiting = [(bound, step) for bound in bounds if bound.goal for step in sandbox.goals[bound.goal].goal.how]
        self._named: dict[tuple[int, str], Row | None] = {}
        self._last: tuple[int, str] | None = None

    def trace(
        self, tool: str, arguments: Mapping[str, Any], made: Sequence[Mapping[str, Sequence[str]]], out: StepNeeds
    ) -> None:
        """Find what the arguments of the next call rest on."""
        while self._waiting:
            bound, step = self._waiting.pop(0)
            uow = self._sandbox.uow("trace", tool)
            frame = self._make_frame(bound, uow, made)
            if step.operation != tool or (step.test is not None and not self._evaluate("truth", step.test, uow, frame)):
                continue
            self._last = (id(bound), step.name) if step.name else None
            for name, node in step.args:
                if name not in arguments:
                    continue
                if isinstance(node, n.Aggregate):
                    out.chosen.add(name)
                elif isinstance(node, n.Const):
                    out.fixed.add(name)
                chosen = uow.row(node.type.entity, str(arguments[name])) if node.type.kind == "ref" else None
                out.arguments[name] = (
                    self._tracer.list_needs(node, uow, frame)
                    if chosen is None
                    else self._tracer.list_choice_needs(node, uow, frame, chosen)
                )
            return

    def name(self, row: Row | None) -> None:
        """Keep the row that a named call gave."""
        if self._last is not None:
            self._named[self._last] = row

    def _make_frame(self, bound: BoundGoal, uow: Any, made: Sequence[Mapping[str, Sequence[str]]]) -> Frame:
        rows = {name: uow.row(entity, fill_new(key, made)) for name, (entity, key) in bound.rows.items()}
        names = {step.name: None for step in self._sandbox.goals[bound.goal].goal.how if step.name}
        named = {
            name: uow.row(row.entity, row.id) for (at, name), row in self._named.items() if at == id(bound) and row
        }
        return {**names, **rows, **named, **bound.said}

    def _evaluate(self, how: str, node: n.Node, uow: Any, frame: Frame) -> Any:
        return getattr(self._sandbox.compiled.evaluator, how)(node)(uow, frame)


def _trace_tells(
    sandbox: Sandbox, bounds: Sequence[BoundGoal], made: Sequence[Mapping[str, Sequence[str]]]
) -> dict[str, tuple[Need, ...]]:
    tracer = sandbox.compiled.derive(make_tracer)[0]
    uow = sandbox.session.unit_of_work()
    out: dict[str, tuple[Need, ...]] = {}
    for number, bound in enumerate(bounds):
        if not bound.goal:
            continue
        frame: Frame = {name: uow.row(entity, fill_new(key, made)) for name, (entity, key) in bound.rows.items()}
        for name, node in sandbox.goals[bound.goal].goal.tells.items():
            key = name if name not in out else f"{name}_{number + 1}"
            out[key] = tracer.list_needs(node, uow, {**frame, **bound.said})
    return out
