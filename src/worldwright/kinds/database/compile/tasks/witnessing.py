"""A witness as somebody plays it who knows nothing but what was said and shown: a plan with the read calls that it takes.

Before a call is made, everything that it sends is known, and every rule of the handbook that it is bound by was looked into. Before
a request is refused, the facts were read by which the rule forbids it. Before an answer is given, the facts were read that it
tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.expr import nodes as n
from worldwright.kinds.database.compile.tasks.accept import Dropped
from worldwright.kinds.database.compile.tasks.deciding import PlanNeeds, StepNeeds, trace_forbidden, trace_plan
from worldwright.kinds.database.compile.tasks.describe import Reference
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, RowKey
from worldwright.kinds.database.compile.tasks.known import WORKED_OUT, list_values
from worldwright.kinds.database.compile.tasks.plans import NOTHING, Plan, fill_new, list_leaves, make_call
from worldwright.kinds.database.compile.tasks.reading import Reader
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.seeing import say_needs
from worldwright.kinds.database.compile.tasks.tracing import Need, TooMuch, list_records
from worldwright.kinds.database.compile.tasks.variations import find_input
from worldwright.world.records import Call

UNFOUND = "an id cannot be found out"
"""Why something is no task: no tool shows what it speaks of."""
UNKNOWN = "a value cannot be known"
"""No tool shows what a value is worked out from."""
UNDECIDED = "no tool shows what decides it"
"""No tool shows this role the facts by which a rule forbids or allows it."""
UNTOLD = "no tool shows the answer"
MAX_ROWS_CONSULTED = 400
"""Records that somebody may have to look at for one answer."""
FEW = 20
"""Records that are looked for one by one."""
TOO_MUCH = "it rests on more than anybody looks at"


@dataclass(frozen=True, slots=True)
class PlayedWitness:
    """The calls of a witness, and where it has the value of each argument from."""

    calls: tuple[Call, ...]
    sources: tuple[Mapping[str, str], ...]
    records: int = 0
    """Records that the answer rests on."""


def play_refusal(
    sandbox: Sandbox,
    bound: BoundGoal,
    plan: Plan,
    rule: str,
    request: str,
    references: Sequence[Reference],
    about: RowKey,
) -> PlayedWitness | Dropped:
    """Find out that a rule forbids what is asked for."""
    try:
        decides = list_rule_needs(trace_forbidden(sandbox, bound.role, bound.actor, (), plan), rule)
    except TooMuch:
        return Dropped(TOO_MUCH, bound.goal)
    reader = Reader(sandbox, sandbox.start(bound.role, bound.actor), _tell(request, bound))
    if decides is None or not reader.can_show(decides):
        return Dropped(UNDECIDED, bound.goal)
    found = [reader.find(reference) for reference in references]
    if not all(found) or not reader.look_at(*about):
        return Dropped(UNFOUND, bound.goal)
    if not reader.show(decides):
        return Dropped(UNDECIDED, bound.goal)
    return PlayedWitness(tuple(reader.calls), tuple(reader.sources))


def play_plan(
    sandbox: Sandbox,
    bounds: Sequence[BoundGoal],
    plan: Plan,
    request: str,
    references: Sequence[Reference],
    about: RowKey | None = None,
    forbidden: tuple[Sequence[Call], str] | None = None,
) -> PlayedWitness | Dropped:
    """Carry out a plan. `about` is a record that has to be looked at where no call needs it; `forbidden` are calls that would
    carry out another part of the request, and the rule that forbids them.

    Things that are only spoken of, and whose ids no call needs, may have no tool that shows them."""
    needs = _trace(sandbox, bounds, plan)
    if isinstance(needs, Dropped):
        return needs
    name = bounds[0].goal
    reader = Reader(sandbox, sandbox.start(bounds[0].role, bounds[0].actor), _tell(request, bounds[0]))
    if not all(reader.can_show(told) for told in needs.tells.values()):
        return Dropped(UNTOLD, name)
    if not all(reader.can_show(decides) for step in needs.steps for decides in _list_deciding(reader, step)):
        return Dropped(UNDECIDED, name)
    found = [reader.find(reference) for reference in references]
    if not plan and not all(found):
        return Dropped(UNFOUND, name)
    needed = {value for call in plan for _, value in list_leaves(call.arguments) if isinstance(value, str)}
    if about is not None and about[1] not in needed and not reader.look_at(*about):
        return Dropped(UNFOUND, name)
    made: list[Mapping[str, Sequence[str]]] = []
    for call, step in zip(plan, needs.steps, strict=True):
        problem = _make_step(reader, Call(call.tool, fill_new(call.arguments, made)), step, references, made)
        if problem:
            return Dropped(problem, name)
    if not plan and not all(_go_over(reader, sandbox, bound) for bound in bounds if bound.goal):
        return Dropped(UNTOLD, name)
    if not all(reader.show(told) for told in needs.tells.values()):
        return Dropped(UNTOLD, name)
    if forbidden is not None and not _find_forbidden(reader, sandbox, bounds[0], *forbidden):
        return Dropped(UNDECIDED, name)
    records = {at for told in needs.tells.values() for at in list_records(told)}
    return PlayedWitness(tuple(reader.calls), tuple(reader.sources), len(records))


def _go_over(reader: Reader, sandbox: Sandbox, bound: BoundGoal) -> bool:
    """Look at every record of the tables that a question goes over; where it is about one owner, at those of that owner."""
    goal = sandbox.goals[bound.goal].goal
    parts = [node for top in (*goal.tells.values(), *goal.where.values()) for node in n.walk(top)]
    over = dict.fromkeys(
        p.rows.entity for p in parts if isinstance(p, n.Aggregate) and not p.rows.items and not p.rows.base
    )
    given = {key for _, key in bound.rows.values()}
    for entity in over:
        position = sandbox.compiled.tables[entity].position
        columns = [position[column.name] for column in sandbox.schema.entities[entity].refs]
        every = list(reader.session.unit_of_work().rows(entity))
        rows = [row for row in every if any(row.values[at] in given for at in columns)] or every
        if len(rows) > MAX_ROWS_CONSULTED:
            continue
        if len(rows) > FEW:
            reader.read_table(entity)
        if not all(reader.reach(entity, row.id) for row in rows):
            return False
    return True


def _find_forbidden(reader: Reader, sandbox: Sandbox, who: BoundGoal, calls: Sequence[Call], rule: str) -> bool:
    """Find out, where a plan has come to, that a rule forbids the rest. It is looked into on a session apart."""
    twin = Sandbox(sandbox.runtime)
    writes = [call for call in reader.calls if sandbox.compiled.tools[call.tool].mutates]
    try:
        decides = list_rule_needs(trace_forbidden(twin, who.role, who.actor, writes, tuple(calls)), rule)
    except TooMuch:
        return False
    finally:
        twin.session.close()
    return decides is not None and reader.show(decides)


def play_calls(
    sandbox: Sandbox, bounds: Sequence[BoundGoal], calls: Sequence[Call], request: str
) -> PlayedWitness | Dropped:
    """Hold the calls of a program against what is known before each of them, and against the rules that bind them."""
    plan = tuple(call for call in calls if sandbox.compiled.tools[call.tool].mutates)
    needs = _trace(sandbox, bounds, plan, goals=False)
    if isinstance(needs, Dropped):
        return needs
    policies = sandbox.compiled.blueprint.policies
    decided = [facts for step in needs.steps for rule, _, facts in step.rules if policies[rule].enforced == "agent"]
    session = sandbox.start(bounds[0].role, bounds[0].actor)
    reader = Reader(sandbox, session, _tell(request, bounds[0]))
    if sandbox.contract is not None:  # lists of others show less: what the rules rest on is looked up before
        for facts in decided:
            reader.show(facts)
    for call in calls:
        sources = {path: reader.known.find_source(call.tool, path, v) for path, v in list_values(call.arguments)}
        if not all(sources.values()):
            return Dropped(UNKNOWN, bounds[0].goal)
        reader.note(call, session.call(call.tool, call.arguments), sources)
    if any(reader.sight.list_missing(facts) for facts in decided):
        return Dropped(UNDECIDED, bounds[0].goal)
    return PlayedWitness(tuple(reader.calls), tuple(reader.sources))


def _tell(request: str, bound: BoundGoal) -> str:
    """Everything that is said to somebody: who they are, and what is asked."""
    return f"{bound.role} {bound.actor} {request}"


def _trace(sandbox: Sandbox, bounds: Sequence[BoundGoal], plan: Plan, goals: bool = True) -> PlanNeeds | Dropped:
    try:
        return trace_plan(sandbox, bounds, plan, goals)
    except TooMuch:
        return Dropped(TOO_MUCH, bounds[0].goal)


def _make_step(
    reader: Reader,
    call: Call,
    step: StepNeeds,
    references: Sequence[Reference],
    made: list[Mapping[str, Sequence[str]]],
) -> str:
    """Find out what a call needs, and make it. Returns why it cannot be, or nothing."""
    operation = reader.blueprint.operations[call.tool]
    for path, value in list_leaves(call.arguments):
        kind = find_input(operation, path)
        if kind is None or kind.type.kind != "ref" or value is None or reader.known.is_seen(value):
            continue
        if value == NOTHING or not reader.reach(kind.type.entity, value):
            return UNFOUND
    if not all(reader.show(needs) for needs in _list_deciding(reader, step)):
        return UNDECIDED
    if any(True for _ in reader.known.list_unknown(call)):
        for reference in references:
            reader.look_at(reference.entity, reference.id)
    sources = {
        at: reader.known.find_source(call.tool, at, value) or _work_out(reader, at, step)
        for at, value in list_values(call.arguments)
    }
    if not all(sources.values()):
        return UNKNOWN
    result, rows = make_call(reader.session, call)
    if not result.ok:
        return "witness does not repeat"
    reader.note(call, result, sources)
    made.append(rows)
    return ""


def _list_deciding(reader: Reader, step: StepNeeds) -> Iterator[tuple[Need, ...]]:
    """Yield what a call rests on beside its arguments: why a row was chosen, and that rules of the handbook allow it."""
    yield from (step.arguments[name] for name in sorted(step.chosen))
    policies = reader.blueprint.policies
    yield from (needs for rule, _, needs in step.rules if policies[rule].enforced == "agent")


def _work_out(reader: Reader, path: str, step: StepNeeds) -> str:
    """Say what a value is worked out from, once all of that is shown; empty where it cannot be."""
    name = path.partition(".")[0]
    needs: Any = step.arguments.get(name)
    if needs is None or name in step.fixed or not reader.show(needs):
        return ""
    return WORKED_OUT + (say_needs(needs) or "what was said")


def list_rule_needs(met: Sequence[tuple[str, bool, tuple[Need, ...]]], rule: str) -> tuple[Need, ...] | None:
    """List what shows that a rule forbids something, of all rules that were met; None where it does not."""
    return next((needs for name, kept, needs in met if name == rule and not kept), None)
