"""The past: flows of operations, run one event after the other at simulated times, under the world's own rules."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from worldwright.blueprint.checked import Flow, Input, Operation, Step
from worldwright.core import days
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.situations import READY_RUNS, UnfinishedFlow
from worldwright.kinds.database.compile.state.grow import SeededUnitOfWork
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.unit_of_work import Refusal, Row

AHEAD = 3_000_000
"""From which number on runs begin after `now`."""
OPENS, CLOSES = 8, 18
"""Office hours."""


@dataclass(slots=True)
class FlowRun:
    """One walk through a flow: where it is, and the rows its steps named."""

    flow: Flow
    number: int
    last_step: int
    label: str = ""
    """The mess layer or situation that made it, where one did."""
    ready: UnfinishedFlow | None = None
    arrived: bool = False
    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    made: list[tuple[str, str]] = field(default_factory=list)


Due = tuple[str, int, int, FlowRun, int]
"""The moment of a step, the flow's and the run's number, the run, and which step."""


@dataclass(frozen=True, slots=True)
class Made:
    """A call that a flow made, as the operation was given it."""

    at: str
    operation: str
    actor: str
    values: dict[str, Any]
    counters: dict[str, int]
    """Of ids, before it."""


@dataclass(frozen=True, slots=True)
class Past:
    """What happened: how often each operation ran, and what was refused."""

    runs: dict[str, int]
    calls: dict[str, int]
    refused: dict[str, int]
    """`operation CODE` to how often."""
    half_done: tuple[tuple[str, str, str], ...]
    """(label, entity, id) of rows that half-done runs made."""
    ready: tuple[tuple[UnfinishedFlow, str, str, str], ...]
    """(situation, name in the flow, entity, id) of processes that stand just before a step."""
    ahead: tuple[Due, ...] = ()
    """Steps that are due after `now`, of flows that go on."""


class History:
    """The event loop. Events are ordered by time, then by flow and run, so nothing depends on luck."""

    def __init__(
        self,
        compiled: CompiledWorld,
        uow: SeededUnitOfWork,
        seed: int,
        ready: Sequence[UnfinishedFlow] = (),
        reached: Callable[[str], None] = lambda month: None,
    ) -> None:
        """`reached` hears each month that the past has come to."""
        self.compiled = compiled
        self.blueprint = compiled.blueprint
        self.uow = uow
        self.seed = seed
        self.ready = ready
        self.now = self.blueprint.schema.now
        self.holidays = self.blueprint.schema.holidays
        self._steps = compiled.derive(_compile_steps)
        self._actors: dict[str, list[str]] = {}
        self._calls: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._until = self.now
        self._made: list[Made] | None = None
        self._reached = reached

    def run(self) -> Past:
        queue: list[Due] = []
        runs: dict[str, int] = {}
        every: list[FlowRun] = []
        for order, flow in enumerate(self.blueprint.flows.values()):
            starts = list(self._draw_starts(flow))
            runs[flow.name] = len(starts)
            walks = [(moment, FlowRun(flow, i, len(flow.steps) - 1)) for i, moment in enumerate(starts)]
            walks += self._plan_half_done(flow, len(starts))
            walks += self._plan_ready(flow)
            for moment, walk in walks:
                every.append(walk)
                heapq.heappush(queue, (moment, order, walk.number, walk, 0))
        ahead = tuple(due for due in self._work_off(queue) if due[3].flow.goes_on and not due[3].label)
        half = tuple((w.label, entity, key) for w in every if w.label and w.ready is None for entity, key in w.made)
        ready = tuple(
            (w.ready, name, *at) for w in every if w.ready is not None and w.arrived for name, at in w.names.items()
        )
        return Past(runs, dict(sorted(self._calls.items())), dict(sorted(self._refused.items())), half, ready, ahead)

    def go_on(self, ahead: Sequence[Due]) -> list[Made]:
        """Go on after `now` with what is due, and with what begins anew; the calls that were made."""
        queue = [
            (moment, order, number, replace(walk, names=dict(walk.names)), i)
            for moment, order, number, walk, i in ahead
        ]
        first, last = days.parse_day(self.now[:10]), self.blueprint.ahead_days
        assert first is not None
        self._until = f"{(first + timedelta(days=last)).isoformat()}{self.now[10:]}"
        self._made = []
        for order, flow in enumerate(self.blueprint.flows.values()):
            if not flow.goes_on:
                continue
            starts = self._draw_starts_on(flow, (first + timedelta(days=k) for k in range(last + 1)))
            for i, moment in enumerate(starts):
                if self.now <= moment < self._until:
                    queue.append((moment, order, AHEAD + i, FlowRun(flow, AHEAD + i, len(flow.steps) - 1), 0))
        heapq.heapify(queue)
        self._work_off(queue)
        return self._made

    def _work_off(self, queue: list[Due]) -> list[Due]:
        """Do what is due, one after the other; what is due too late, in order."""
        late: list[Due] = []
        conn = self.uow.conn
        conn.execute("BEGIN")
        month = ""
        while queue:
            due = moment, order, number, walk, i = heapq.heappop(queue)
            if moment[:7] != month:
                month = moment[:7]
                self._reached(month)
            if moment >= self._until:
                late.append(due)
                continue
            following = self._advance(moment, walk, i)
            if following is not None:
                heapq.heappush(queue, (following, order, number, walk, i + 1))
        conn.execute("COMMIT")
        return late

    # when things start

    def _draw_starts(self, flow: Flow) -> Iterator[str]:
        """The moments at which a flow starts, over the whole span."""
        end = days.parse_day(self.now[:10])
        assert end is not None
        past = (end - timedelta(days=back) for back in range(self.blueprint.span_days, -1, -1))
        return (moment for moment in self._draw_starts_on(flow, past) if moment < self.now)

    def _draw_starts_on(self, flow: Flow, on_days: Iterable[date]) -> Iterator[str]:
        """Yield the moments at which a flow starts on certain days."""
        per_day = flow.per_week / (5 if flow.weekdays else 7)
        starts = Stream(self.seed, "history", flow.name, "starts")
        for on in on_days:
            if flow.weekdays and not days.is_business_day(on.isoformat(), self.holidays):
                continue
            stream = starts.branch(on.toordinal() * 0x9E3779B97F4A7C15)
            rate = per_day * weigh_season(flow.seasonal, on)
            count = int(rate) + stream.chance(rate - int(rate))
            yield from sorted(_office_time(on, stream) for _ in range(count))

    def _plan_half_done(self, flow: Flow, runs: int) -> list[tuple[str, FlowRun]]:
        """Plan extra runs that stop after a step, for the mess layers that ask for them."""
        out: list[tuple[str, FlowRun]] = []
        for layer in self.blueprint.mess:
            spec = layer.spec
            if spec.layer != "half_done" or spec.flow != flow.name:
                continue
            last = max(i for i, s in enumerate(flow.steps) if s.operation == spec.after)
            stream = Stream(self.seed, "mess", spec.label)
            end = days.parse_day(self.now[:10])
            assert end is not None
            for k in range(max(1, round(runs * spec.share))):
                on = end - timedelta(days=stream.between(20, max(21, self.blueprint.span_days)))
                walk = FlowRun(flow, 1_000_000 + len(out), last, spec.label)
                out.append((_office_time(self._business_day(on, flow), Stream(self.seed, "mess", spec.label, k)), walk))
        return out

    def _plan_ready(self, flow: Flow) -> list[tuple[str, FlowRun]]:
        """Plan recent runs that stop just before a step, so that the step is there to be done."""
        out: list[tuple[str, FlowRun]] = []
        end = days.parse_day(self.now[:10])
        assert end is not None
        for ready in self.ready:
            if ready.flow != flow.name:
                continue
            for k in range(READY_RUNS):
                stream = Stream(self.seed, "ready", flow.name, ready.step, k)
                on = end - timedelta(days=min(self.blueprint.span_days, stream.between(3, 8) + 6 * ready.step))
                label = f"ready before {ready.operation}"
                walk = FlowRun(flow, 2_000_000 + len(out), ready.step - 1, label, ready)
                out.append((_office_time(self._business_day(on, flow), stream), walk))
        return out

    def _business_day(self, on: date, flow: Flow) -> date:
        while flow.weekdays and not days.is_business_day(on.isoformat(), self.holidays):
            on += timedelta(days=1)
        return on

    # one event

    def _advance(self, moment: str, walk: FlowRun, i: int) -> str | None:
        """Do a step; the moment of the next one, or none where the walk ends."""
        step, compiled = walk.flow.steps[i], self._steps[walk.flow.name, i]
        uow = self.uow
        uow.begin()
        uow.set_time(moment)
        uow.stream = stream = Stream(self.seed, "history", walk.flow.name, walk.number, walk.label, i)
        if step.chance < 1 and not walk.label and not stream.chance(step.chance):
            return None
        frame = self._frame(walk)
        if compiled.test is None or compiled.test(uow, frame):
            try:
                self._perform(step, compiled, frame, walk)
            except Refusal as e:
                self._refused[f"{step.operation} {e.error.policy or e.error.code}"] += 1
                return None
        if i >= walk.last_step:
            walk.arrived = True
            return None
        return self._draw_next_time(moment, walk, i + 1)

    def _draw_next_time(self, moment: str, walk: FlowRun, i: int) -> str | None:
        uow = self.uow
        stream = Stream(self.seed, "history", walk.flow.name, walk.number, walk.label, i, "after")
        uow.begin()
        uow.stream = stream
        wait = self._steps[walk.flow.name, i].after(uow, self._frame(walk))
        if wait is None or wait <= 0:
            return days.add_seconds(moment, stream.between(600, 7200))
        on = datetime.fromisoformat(moment[:10]).date() + timedelta(days=min(int(wait), 4000))
        return _office_time(self._business_day(on, walk.flow), stream)

    def _frame(self, walk: FlowRun) -> dict[str, Any]:
        """The rows that steps have named, as they are now; a name whose step was skipped or is still to come is none."""
        rows = {name: self.uow.row(*at) for name, at in walk.names.items()}
        return {step.name: rows.get(step.name) for step in walk.flow.steps if step.name}

    def _perform(self, step: Step, compiled: _CompiledStep, frame: dict[str, Any], walk: FlowRun) -> None:
        uow, conn = self.uow, self.uow.conn
        uow.actor = self._actor(step, compiled, frame)
        arguments = compiled.arguments(uow, frame)
        counters = dict(uow.counters)
        uow.touched = {}
        conn.execute("SAVEPOINT step")
        try:
            row = self.compiled.operator.perform_and_give(step.operation, uow, arguments)
            if uow.wrote:
                for watch in self.compiled.tools[step.operation].watches:
                    watch.check_near(uow, uow.touched)
        except Refusal:
            conn.execute("ROLLBACK TO step")
            conn.execute("RELEASE step")
            uow.counters = counters
            uow.forget()
            raise
        conn.execute("RELEASE step")
        self._calls[step.operation] += 1
        if self._made is not None:
            actor = uow.actor.id if uow.actor is not None else ""
            self._made.append(Made(uow.now, step.operation, actor, arguments, counters))
        if walk.label:
            walk.made += [at for at in uow.touched if at not in walk.made]
        if step.name:
            if row is None:
                raise Refusal("NOTHING_GIVEN", "the step gave no row to go on with")
            walk.names[step.name] = (row.entity, row.id)

    def _actor(self, step: Step, compiled: _CompiledStep, frame: dict[str, Any]) -> Row | None:
        schema = self.blueprint.schema
        if not schema.actor:
            return None
        if compiled.actor is not None:
            row = compiled.actor(self.uow, frame)
            if row is None:
                raise Refusal("NO_ACTOR", "nobody can do this")
        else:
            if step.role not in self._actors:
                sql = f'SELECT id FROM "{schema.actor}" WHERE "{schema.role_field}" = ? ORDER BY id'
                self._actors[step.role] = [r[0] for r in self.uow.fetch(sql, (step.role,))]
            candidates = self._actors[step.role]
            if not candidates:
                raise Refusal("NO_ACTOR", f"nobody is {step.role}")
            row = self.uow.row(schema.actor, self.uow.stream.pick(candidates))
        roles = self.compiled.tools[step.operation].roles
        role = row.values[self.uow.position(schema.actor, schema.role_field)]
        if roles and role not in roles:
            raise Refusal("FORBIDDEN", f"{role} may not do this")
        found: Row = row
        return found


class _CompiledStep:
    """A step's expressions, ready to run."""

    def __init__(self, compiled: CompiledWorld, step: Step) -> None:
        e = compiled.evaluator
        self.operation: Operation = compiled.blueprint.operations[step.operation]
        self.args = tuple((name, e.bind(node)) for name, node in step.args)
        self.actor = e.row(step.actor) if step.actor is not None else None
        self.after = e.value(step.after)
        self.test = e.truth(step.test) if step.test is not None else None

    def arguments(self, uow: SeededUnitOfWork, frame: dict[str, Any]) -> dict[str, Any]:
        """The frame of the operation; refused where an argument is missing or out of bounds, as it would be for a caller."""
        given = {name: run(uow, frame) for name, run in self.args}
        out: dict[str, Any] = {}
        for i in self.operation.inputs:
            value: Any = given.get(i.name)
            if value is None:
                value = i.default.value if i.default is not None else () if i.parts else None
            if value is None and not i.optional:
                raise Refusal("NO_CANDIDATE", f"nothing to give as {i.name}")
            if i.parts and i.parts[0].name and value:
                value = [
                    {p.name: p.default.value if p.default is not None else None for p in i.parts} | v for v in value
                ]
            if value is not None and not _is_in_bounds(i, value):
                raise Refusal("INVALID_ARGUMENT", f"{i.name} is out of bounds")
            out[i.name] = value
        return out


def _compile_steps(compiled: CompiledWorld) -> dict[tuple[str, int], _CompiledStep]:
    """Compile every step of every flow once for all seeds."""
    flows = compiled.blueprint.flows.values()
    return {(flow.name, i): _CompiledStep(compiled, step) for flow in flows for i, step in enumerate(flow.steps)}


def _is_in_bounds(i: Input, value: Any) -> bool:
    if i.parts:
        plain = i.parts[0].name == ""
        return (i.low or 0) <= len(value) <= (i.high or 0) and all(
            _part_ok(p, v if plain else v.get(p.name)) for v in value for p in i.parts
        )
    size = len(value) if i.type.kind == "text" else value if i.type.numeric else None
    return size is None or ((i.low is None or size >= i.low) and (i.high is None or size <= i.high))


def _part_ok(part: Input, value: Any) -> bool:
    return part.optional or part.default is not None if value is None else _is_in_bounds(part, value)


def _office_time(on: date, stream: Stream) -> str:
    second = stream.between(OPENS * 3600, CLOSES * 3600 - 1)
    return f"{on.isoformat()}T{second // 3600:02d}:{second % 3600 // 60:02d}:{second % 60:02d}Z"


def weigh_season(name: str, on: date) -> float:
    """Weigh how busy a day is against an average one. Each pattern averages about one over a year."""
    peak = {
        "quarter_end": on.month % 3 == 0 and on.day > 15,
        "month_end": on.day > 24,
        "summer": on.month in (6, 7, 8),
        "december": on.month == 12 or (on.month == 11 and on.day > 20),
        "winter": on.month in (12, 1, 2),
        "spring": on.month in (3, 4, 5),
        "autumn": on.month in (9, 10, 11),
    }.get(name)
    if peak is None:
        return 1.0
    return {
        "quarter_end": (2.2, 0.76), "month_end": (2.2, 0.70), "summer": (1.8, 0.73), "december": (2.6, 0.80),
        "winter": (1.8, 0.73), "spring": (1.8, 0.73), "autumn": (1.8, 0.73),
    }[name][0 if peak else 1]  # fmt: skip
