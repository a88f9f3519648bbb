"""From proposed edges to proven ones: walks are made, and an edge is kept only where a value really passed along it.

A walk is a relay: each leg is one role on the same private copy of the state, and hands over what it has seen to the next, as
colleagues do. So a delivery can be booked on an order that somebody else placed a moment ago.

- A *value* edge is proven by an id that a call of the source showed, unasked, and that a later call of the target was given and
  succeeded with.
- An *effect* edge is proven by a cell that a call of the source changed and that still held that value when a later call of the
  target, given the row, succeeded: its guard read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from worldwright.blueprint.toolgraph import EFFECT, Edge
from worldwright.core.rng import Stream
from worldwright.kinds.build_events import LinkProven, Watch, unwatched
from worldwright.kinds.database.compile.graph.memory import Memory, Use, remember, take_over
from worldwright.kinds.database.compile.graph.plan import Plan, plan_of
from worldwright.kinds.database.compile.graph.pool import Pool
from worldwright.kinds.database.compile.graph.walker import Proposal, propose
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session

NUM_WALKS = 2
ROUNDS = 3
"""How often everybody has a turn in one walk."""
CALLS_PER_TURN = 24


@dataclass(frozen=True, slots=True)
class CitedCall:
    """A call of a walk. To repeat a walk: start from the opening state, and where the role changes, somebody else goes on."""

    walk: int
    number: int
    """From 1 in each walk; reads that are cited nowhere are left out, because reading changes nothing."""
    role: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an edge was seen."""

    walk: int
    produced: int
    """The number of the call that showed or wrote the value; calls of a walk are counted from 1."""
    consumed: int
    at: str
    """The argument: `po`, `lines[0].line`."""
    row: str
    """The id that was given."""
    value: Any
    """What passed: the id, or what the changed cell held."""


@dataclass(frozen=True, slots=True)
class Proven:
    edge: Edge
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class ProvenGraph:
    proven: tuple[Proven, ...]
    unproven: tuple[Edge, ...]
    calls: tuple[CitedCall, ...]
    """Of the walks that are cited, in order: every write that succeeded before the last cited call, and every cited call."""
    writes: int
    """Write calls in all walks, cited or not."""
    succeeded: int


Cell: TypeAlias = tuple[str, str, str]
"""Entity, id and column."""


@dataclass(slots=True)
class _Ledger:
    """What has been proven so far, and what is still looked for."""

    values: dict[tuple[str, str, str, str], Edge]
    """Value edges by (source, target, input, entity)."""
    effects: dict[tuple[str, str], list[Edge]]
    """Effect edges by (target, input)."""
    columns: dict[str, dict[str, tuple[str, ...]]]
    """By tool, the columns it may change that some effect edge is about, of each entity."""
    found: dict[Edge, Evidence] = field(default_factory=dict)
    settled: set[tuple[str, str, str]] = field(default_factory=set)
    watch: Watch = unwatched
    writes: int = 0
    succeeded: int = 0

    def prove(self, edge: Edge, evidence: Evidence) -> None:
        self.found[edge] = evidence
        self.watch(LinkProven(edge.source, edge.target, edge.kind, edge.input))


@dataclass(slots=True)
class _OpenWalk:
    """One walk under way."""

    number: int
    tools: list[str] = field(default_factory=lambda: [""])
    """By number of the call, which tool it was."""
    calls: list[tuple[CitedCall, bool]] = field(default_factory=list)
    """With whether it changed anything."""
    changed: dict[Cell, tuple[int, Any]] = field(default_factory=dict)
    """The call that last changed a cell, and what it left there."""


def prove_edges(runtime: Runtime, seed: int, watch: Watch = unwatched) -> ProvenGraph:
    """Prove the static graph of a world by walks over its opening state."""
    plan = runtime.compiled.derive(plan_of)
    edges, ledger = plan.edges, _ledger(plan)
    ledger.watch = watch
    roles = (runtime.roles or ("",)) * ROUNDS
    courses = [_walk(runtime, Stream(seed, "graph", k), k, roles, ledger) for k in range(NUM_WALKS)]
    return ProvenGraph(
        tuple(Proven(e, ledger.found[e]) for e in edges if e in ledger.found),
        tuple(e for e in edges if e not in ledger.found),
        tuple(made for course in courses for made in _select_calls(course, ledger)),
        ledger.writes,
        ledger.succeeded,
    )


def _select_calls(course: _OpenWalk, ledger: _Ledger) -> Iterator[CitedCall]:
    """Yield the calls without which what is cited could not be repeated."""
    evidence = [e for e in ledger.found.values() if e.walk == course.number]
    cited = {number for e in evidence for number in (e.produced, e.consumed)}
    last = max(cited, default=0)
    for made, wrote in course.calls:
        if made.number in cited or (wrote and made.number < last):
            yield made


def _ledger(plan: Plan) -> _Ledger:
    effects: dict[tuple[str, str], list[Edge]] = {}
    for e in plan.edges:
        if e.kind == EFFECT:
            effects.setdefault((e.target, e.input), []).append(e)
    read = {(e.entity, e.column) for found in effects.values() for e in found}
    columns = {
        tool.name: {
            entity: tuple(name for name in names if (entity, name) in read) for entity, names in tool.sets.items()
        }
        for tool in plan.tools.values()
    }
    values = {(e.source, e.target, e.input, e.entity): e for e in plan.edges if e.kind != EFFECT}
    return _Ledger(values, effects, columns)


def _walk(runtime: Runtime, stream: Stream, number: int, roles: tuple[str, ...], ledger: _Ledger) -> _OpenWalk:
    plan = runtime.compiled.derive(plan_of)
    memory = Memory(Pool(plan), colleagues=tuple(sorted(filter(None, runtime.opening.actors.values()))))
    course = _OpenWalk(number)
    session = runtime.session(roles[0])
    for at, role in enumerate(roles):
        if at:
            session = _hand_over(session, role)
        take_over(memory, plan, role, runtime.opening.actors.get(role) or "")
        for _ in range(CALLS_PER_TURN):
            found = propose(plan, role, memory, stream, session.clock, ledger.settled)
            if found is None:
                break
            _take(plan, session, memory, found, course, ledger)
    session.close()
    return course


def _hand_over(session: Session, role: str) -> Session:
    twin = session.fork(role)
    session.close()
    return twin


def _take(plan: Plan, session: Session, memory: Memory, call: Proposal, course: _OpenWalk, ledger: _Ledger) -> None:
    """Make a call and note what it proves."""
    watched = _cells_at_hand(memory, call, ledger.columns[call.tool])
    before = dict(_read_cells(plan, session, watched))
    held = dict(_read_cells(plan, session, _cells_read(ledger, call)))
    result = session.call(call.tool, call.arguments)
    remember(memory, plan.tools[call.tool], call.uses, result)
    mutates = plan.tools[call.tool].mutates
    made = CitedCall(course.number, memory.calls, session.role, call.tool, call.arguments)
    course.tools.append(call.tool)
    course.calls.append((made, mutates and result.ok))
    ledger.writes += mutates
    ledger.succeeded += mutates and result.ok
    if not result.ok:
        return
    for u in call.uses:
        if u.entity:
            _value_edges(ledger, u, course)
            _effect_edges(ledger, u, course, held)
    for cell, value in _read_cells(plan, session, watched):
        if before.get(cell) != value:
            course.changed[cell] = (memory.calls, value)


def _cells_at_hand(memory: Memory, call: Proposal, columns: Mapping[str, tuple[str, ...]]) -> tuple[Cell, ...]:
    """The cells that a write might change and somebody might care about: of rows it is given, and of rows next to them."""
    out: dict[Cell, None] = {}
    for u in call.uses if columns else ():
        if u.entity:
            for key in (u.value, *memory.pool.links.get(u.value, ())):
                for entity, names in columns.items():
                    if key in memory.pool.rows.get(entity, ()):
                        out.update(dict.fromkeys((entity, key, name) for name in names))
    return tuple(out)


def _cells_read(ledger: _Ledger, call: Proposal) -> Iterator[Cell]:
    """The cells that guards of a call read and an unproven edge is about."""
    for u in call.uses:
        for edge in ledger.effects.get((call.tool, u.input), ()) if u.entity else ():
            if edge.entity == u.entity and edge not in ledger.found:
                yield u.entity, u.value, edge.column


def _read_cells(plan: Plan, session: Session, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Any]]:
    """Yield what cells hold now, as plain data."""
    uow = None
    for cell in cells:
        uow = uow or session.unit_of_work()
        entity, key, name = cell
        row = uow.row(entity, key)
        if row is not None:
            value = row.values[uow.position(entity, name)]
            show = plan.shown[entity, name]
            yield cell, value if show is None else show(value)


def _value_edges(ledger: _Ledger, u: Use, course: _OpenWalk) -> None:
    consumed = len(course.tools) - 1
    target = course.tools[consumed]
    for produced in u.sources:
        source = course.tools[produced]
        edge = ledger.values.get((source, target, u.input, u.entity))
        if edge is not None and edge not in ledger.found:
            ledger.prove(edge, Evidence(course.number, produced, consumed, u.at, u.value, u.value))
        ledger.settled.add((source, target, u.input))


def _effect_edges(ledger: _Ledger, u: Use, course: _OpenWalk, held: dict[Cell, Any]) -> None:
    consumed = len(course.tools) - 1
    for edge in ledger.effects.get((course.tools[consumed], u.input), ()):
        cell = (u.entity, u.value, edge.column)
        if edge.entity == u.entity and edge not in ledger.found and cell in course.changed:
            produced, value = course.changed[cell]
            if course.tools[produced] == edge.source and held.get(cell) == value:
                ledger.prove(edge, Evidence(course.number, produced, consumed, u.at, u.value, value))
