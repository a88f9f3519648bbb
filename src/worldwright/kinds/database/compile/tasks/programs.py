"""Programs: something done for every row of a kind, or worked out over them; the program itself is the witness."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import INT, MONEY, Type
from worldwright.core.names import to_words
from worldwright.core.rng import Stream
from worldwright.english.nouns import plural
from worldwright.kinds.database.arguments import value_to_json
from worldwright.kinds.database.compile.tasks.accept import Dropped
from worldwright.kinds.database.compile.tasks.answer_parts import OUTCOME
from worldwright.kinds.database.compile.tasks.asking import WordedRequest
from worldwright.kinds.database.compile.tasks.candidates import Answers, Candidate, make_done
from worldwright.kinds.database.compile.tasks.conditions import (
    MAX_ROWS,
    MIN_FILTERS,
    MIN_ROWS,
    Condition,
    conditions,
    join_conditions,
    name_amount,
)  # fmt: skip
from worldwright.kinds.database.compile.tasks.describe import Describer, name_kind
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, bindings
from worldwright.kinds.database.compile.tasks.reading import Reader, answers_with, find_page_size, needs_no_input
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.witness_program import Item, Program, Written, list_items
from worldwright.kinds.database.compile.tasks.witnessing import UNFOUND
from worldwright.kinds.database.unit_of_work import UnitOfWork
from worldwright.world.records import Call

MAX_PER_GOAL = MAX_PER_TABLE = 2


def make_loops(
    sandbox: Sandbox, describer: Describer, seed: int, names: Sequence[str]
) -> Iterator[Candidate | Dropped]:
    """Yield tasks that do something for every row of a kind."""
    for name in names:
        compiled = sandbox.goals[name]
        if compiled.goal.each and compiled.actor is None and not compiled.goal.states:
            yield from _make_goal_loops(sandbox, describer, name, seed)


# something for every row


def _make_goal_loops(sandbox: Sandbox, describer: Describer, name: str, seed: int) -> Iterator[Candidate | Dropped]:
    goal = sandbox.goals[name].goal
    variable = next(iter(goal.given))
    entity = goal.given[variable].entity
    role = goal.roles[0] if goal.roles else ""
    steps = read_steps(goal)
    columns = sandbox.schema.entities[entity].columns
    taken = {item.field for _, given in steps or () for v in given.values() for item in list_items(v)} - {"id"}
    if any(columns[name].shown is not None or columns[name].hidden for name in taken):
        return
    if steps is None or (role and not sandbox.actors[role]):
        return
    free = replace_mends(sandbox, name)
    ids = [rows[variable][1] for rows in bindings(sandbox, free, seed, {})]
    pool = [r for r in sandbox.opening(entity) if r.id in ids]
    stream = Stream(seed, "program", name)
    made, shapes = 0, set[str]()
    found_by = (
        (op, condition)
        for op in _list_searches(sandbox, entity, role)
        if isinstance(op.read, c.Search)
        for condition in _draw_conditions(sandbox, describer, op.read, pool, stream, role)
    )
    for k, (search, condition) in enumerate(found_by):
        assert isinstance(search.read, c.Search)
        if made >= MAX_PER_GOAL or condition.kind in shapes:
            continue
        if not answers_with(search, {**dict(condition.arguments), **_common(sandbox, search, pool)}):
            continue
        found = _make_loop(sandbox, describer, goal, search, steps, condition, pool, role, (seed, "program", name, k))
        if isinstance(found, Candidate):
            made += 1
            shapes.add(condition.kind)
        yield found


def replace_mends(sandbox: Sandbox, name: str) -> Any:
    """The goal as it binds without regard to where its rows come from."""
    compiled = sandbox.goals[name]
    if not compiled.goal.mends:
        return compiled
    twin = object.__new__(type(compiled))
    twin.__dict__.update(compiled.__dict__)
    twin.goal = replace(compiled.goal, mends=())
    return twin


def _draw_conditions(
    sandbox: Sandbox, describer: Describer, search: c.Search, pool: Sequence[Any], stream: Stream, role: str
) -> Iterator[Condition]:
    """Yield conditions on these rows as somebody who has a role can tell them, then pairs of them."""
    sandbox.session.reset(role)
    single = stream.shuffled(list(conditions(sandbox, describer, search, pool, stream)))
    yield from single
    for i, one in enumerate(single[:6]):
        for other in single[i + 1 : 6]:
            if one.column != other.column:
                both = join_conditions(one, other)
                if MIN_ROWS <= len(both.rows) <= MAX_ROWS and both.rows not in (one.rows, other.rows):
                    yield both


def _make_loop(
    sandbox: Sandbox,
    describer: Describer,
    goal: c.Goal,
    search: c.Operation,
    steps: Sequence[tuple[str, Mapping[str, Any]]],
    condition: Condition,
    pool: Sequence[Any],
    role: str,
    path: tuple[Any, ...],
) -> Candidate | Dropped:
    assert isinstance(search.read, c.Search)
    entity = search.read.entity
    actor = Stream(*path, "asked").pick(sandbox.actors[role]) if role else ""
    filters = {**dict(condition.arguments), **_common(sandbox, search, pool)}
    filters, looked_for = sandbox.split_filters(search, filters)
    looked_for += _list_marks(sandbox, search.read, pool, filters) if sandbox.contract is not None else []
    program = Program(search.name, filters, tuple(steps), "", find_page_size(search), (*condition.tests, *looked_for))
    if sandbox.contract is not None and _leaves_state_unsaid(sandbox, goal, search, program, role, actor):
        return Dropped("the search finds others too", goal.name)
    session = sandbox.start(role, actor)
    calls, result = program.run(session)
    wanted, handled = {r.id for r in pool} & condition.rows, result["count"]
    if handled + len(result["left_out"]) != len(wanted) or handled < MIN_ROWS or session.violations():
        return Dropped("the search finds others too" if not session.violations() else "a rule is broken", goal.name)
    kept = [key for key in sorted(wanted) if key not in result["left_out"]]
    total = _draw_total(sandbox, search.read, kept, Stream(*path))
    if total:
        program = replace(program, total=total)
        calls, result = program.run(sandbox.start(role, actor))
    reading = _find_reads(sandbox, role, actor, condition)
    if reading is None:
        return Dropped(UNFOUND, goal.name)
    variable = next(iter(goal.given))
    bounds = [BoundGoal(goal.name, role, actor, {variable: (entity, key)}, {}) for key in kept]
    plan = tuple(call for call in calls if sandbox.compiled.tools[call.tool].mutates)
    plan = tuple(call for call in plan if not set(map(str, call.arguments.values())) & set(result["left_out"]))
    stream = Stream(*path, "words")
    ask = stream.pick(describer.list_ways(goal.each))
    references = (condition.reference,) if condition.reference is not None else ()
    asks = (
        WordedRequest(
            "".join(part if isinstance(part, str) else condition.phrase for part in ask.parts),
            references,
            describer.is_held_out(ask),
        ),
    )
    closing = _render_report(sandbox, entity, total, stream)
    found = make_done(
        sandbox, "program", ("each", goal.name, condition.kind), bounds, plan, asks, path, closing,
        answers=_answers(result, total), calls=(*reading, *calls),
    )  # fmt: skip
    if isinstance(found, Dropped):
        return found
    features = {**found.features, "items": handled, "branches": 1}
    expects = {**found.expects, "over": _describe_rows(entity, goal.name, condition, total)}
    return replace(found, program=program.render(), features=features, expects=expects)


def _leaves_state_unsaid(
    sandbox: Sandbox, goal: c.Goal, search: c.Operation, program: Program, role: str, actor: str
) -> bool:
    """Return whether only the state keeps other records out that a request speaks of, and no way to ask says which state."""
    assert isinstance(search.read, c.Search)
    state = sandbox.schema.entities[search.read.entity].state_field
    names = [f.name for f in search.read.filters if f.column == state and f.name in program.filters]
    word = next((str(program.filters[name]) for name in names), "")
    if not word or any(to_words(word) in "".join(p for p in ask.parts if isinstance(p, str)) for ask in goal.each):
        return False
    wider = replace(program, filters={k: v for k, v in program.filters.items() if k not in names}, steps=())
    if not answers_with(search, wider.filters):
        return True
    found = wider.run(sandbox.start(role, actor))[1]["count"]
    return bool(found > replace(program, steps=()).run(sandbox.start(role, actor))[1]["count"])


def _describe_rows(entity: str, goal: str, condition: Condition, total: str) -> dict[str, Any]:
    """Describe the rows that a request speaks of together: all of a table that fit, what is done with each, what is added up."""
    where = [{"field": field, "op": op, "value": value} for field, op, value in condition.said]
    return {"table": entity, "goal": goal, "where": where, "total": total}


def _find_reads(sandbox: Sandbox, role: str, actor: str, condition: Condition) -> tuple[Call, ...] | None:
    """Find the calls that show the thing that the condition names; None where nothing shows it."""
    if condition.reference is None:
        return ()
    reader = Reader(sandbox, sandbox.start(role, actor), condition.phrase)
    return tuple(reader.calls) if reader.find(condition.reference) else None


def read_steps(goal: c.Goal) -> tuple[tuple[str, Mapping[str, Any]], ...] | None:
    """Read the calls of a goal's witness as a program makes them; None where they need more than the record at hand."""
    out, variable = [], next(iter(goal.given))
    for step in goal.how:
        arguments = {}
        for name, node in step.args:
            value = _value(node, variable)
            if value is None:
                return None
            arguments[name] = value
        if step.test is not None or step.name:
            return None
        out.append((step.operation, arguments))
    return tuple(out)


def _value(node: n.Node, variable: str) -> Any:
    match node:
        case n.Const():
            return value_to_json(node.value, node.type)
        case n.Var(name=name) if name == variable:
            return Item("id")
        case n.Field(base=n.Var(name=name), name=field) if name == variable:
            return Item(field)
        case n.Format():
            return _written(node, variable)
    return None


def _written(node: n.Format, variable: str) -> Written | None:
    """A text that a program puts together of what a record shows as it is written: ids, texts and whole numbers."""
    out: list[str | Item] = []
    for part in node.parts:
        if isinstance(part, str):
            out.append(part)
            continue
        value, spec = part
        plain = value.type.kind in ("text", "int", "ref", "id", "enum")
        item = _value(value, variable) if plain and not spec else None
        if not isinstance(item, Item):
            return None
        out.append(item)
    return Written(tuple(out))


def _list_searches(sandbox: Sandbox, entity: str, role: str) -> list[c.Operation]:
    """The searches of a table that a role may make: one that needs nothing to be said, where there is one, else all of them."""
    able = [
        op
        for op in sandbox.compiled.blueprint.operations.values()
        if isinstance(op.read, c.Search)
        and op.read.entity == entity
        and (not op.roles or role in op.roles)
        and (sandbox.contract is None or sandbox.contract.find_tool(Call(op.name, {})) is not None)
    ]
    return [op for op in able if needs_no_input(op)][:1] or able


def _common(sandbox: Sandbox, operation: c.Operation, pool: Sequence[Any]) -> dict[str, Any]:
    """The state and the marks (yes or no) that all these rows share, as filters; and what else they share that has to be said."""
    assert isinstance(operation.read, c.Search)
    filters = {f.column: f.name for f in operation.read.filters if f.op == "=="}
    needed = {i.name for i in operation.inputs if not i.optional and i.default is None}
    also = {column for column, name in filters.items() if name in needed}
    return {filters[at]: value for at, value in _list_shared(sandbox, operation.read, pool, filters, also)}


def _list_marks(
    sandbox: Sandbox, search: c.Search, pool: Sequence[Any], filters: Mapping[str, Any]
) -> list[tuple[str, str, Any]]:
    """The same of what a search shows and cannot filter by, as tests of its records. Tools of others have few filters."""
    known = {f.column for f in search.filters if f.name in filters}
    shown = [name for name, _ in search.shows] or sandbox.schema.entities[search.entity].columns
    columns = [name for name in shown if name in sandbox.schema.entities[search.entity].columns and name not in known]
    return [(column, "==", value) for column, value in _list_shared(sandbox, search, pool, columns)]


def _list_shared(
    sandbox: Sandbox, search: c.Search, pool: Sequence[Any], columns: Iterable[str], also: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield which of these columns are a state or a mark, or one of `also`, and have one value in all these rows, and which."""
    entity = sandbox.schema.entities[search.entity]
    uow = sandbox.session.unit_of_work()
    for name in columns:
        kind = entity.columns[name].type
        if name == entity.state_field or kind.kind == "bool" or name in also:
            value = sandbox.compiled.evaluator.value(sandbox.field(search.entity, name))
            values = {value(uow, {"self": row}) for row in pool}
            if len(values) == 1 and None not in values:
                yield name, value_to_json(values.pop(), kind)


def _list_amounts(sandbox: Sandbox, search: c.Search) -> list[str]:
    """List the amounts in book money that a search shows."""
    columns = sandbox.schema.entities[search.entity].columns
    shown = {name for name, _ in search.shows} or set(columns)
    return [
        name
        for name, column in columns.items()
        if column.type == MONEY and name in shown and column.shown is None and not column.hidden
    ]


def _draw_total(sandbox: Sandbox, search: c.Search, keys: Sequence[str], stream: Stream) -> str:
    """Draw an amount of these rows to be added up: one that what was done with them has left as it was, and that is not zero."""
    first, now = sandbox.first_uow(), sandbox.session.unit_of_work()

    def look(name: str, uow: UnitOfWork) -> list[Any]:
        value = sandbox.compiled.evaluator.value(sandbox.field(search.entity, name))
        return [value(uow, {"self": uow.row(search.entity, key)}) for key in keys]

    amounts = [
        name
        for name in _list_amounts(sandbox, search)
        if (found := look(name, first)) == look(name, now) and any(found)
    ]
    return stream.pick(amounts) if amounts else ""


def _answers(result: Mapping[str, Any], total: str) -> Answers:
    parts: dict[str, Any] = {"count": {"number": result["count"], "places": 0}}
    fields: dict[str, tuple[Type | None, str]] = {"count": (INT, "how many there were")}
    if "left_out" in result:
        fields["outcome"] = (
            OUTCOME,
            "done, also where some had to be left out; refused where a rule forbids all of it",
        )
        fields["count"] = (INT, "for how many it was done, without those left out")
        parts["left_out"] = {"set": result["left_out"]}
        fields["left_out"] = (None, "the ids of those that the rules did not allow; an empty list where there are none")
    if total:
        parts["total"] = {"number": result["total"], "places": 2}
        fields["total"] = (MONEY, f"the sum of their {name_amount(total)}")
    return parts, fields, {k: v for k, v in result.items() if k != "outcome"}


def _render_report(sandbox: Sandbox, entity: str, total: str, stream: Stream) -> tuple[str, ...]:
    """Say what the requester wants to hear of it."""
    skip = (
        "Leave out any that our rules do not allow, and list those for me.",
        "Where the rules say no, skip it and give me a list of those.",
    )
    sums = f", and the sum of their {name_amount(total)}, without the ones left out." if total else "."
    return stream.pick(skip), f"Tell me how many {plural(name_kind(sandbox, entity))} it came to{sums}"


# questions


def make_questions(
    sandbox: Sandbox, describer: Describer, seed: int, operations: Sequence[str]
) -> Iterator[Candidate | Dropped]:
    """Yield questions of how many there are of a kind, and what they add up to."""
    for op in map(sandbox.compiled.blueprint.operations.__getitem__, operations):
        if not isinstance(op.read, c.Search) or op.read.where is not None:
            continue
        able = [r for r in op.roles or sandbox.schema.roles if sandbox.actors[r]]
        if sandbox.schema.roles and not able:
            continue
        role = able[0] if able else ""
        stream = Stream(seed, "question", op.name)
        amounts = _list_amounts(sandbox, op.read)
        total = stream.pick(amounts) if amounts else ""
        made = 0
        pool = sandbox.opening(op.read.entity)
        if not total and len(op.read.filters) >= MIN_FILTERS:
            continue
        for k, condition in enumerate(_draw_conditions(sandbox, describer, op.read, pool, stream, role)):
            if made >= MAX_PER_TABLE or "+" not in condition.kind or not answers_with(op, dict(condition.arguments)):
                continue
            found = _question(sandbox, op, condition, total, role, (seed, "question", op.name, k))
            made += isinstance(found, Candidate)
            yield found


def _question(
    sandbox: Sandbox, op: c.Operation, condition: Condition, total: str, role: str, path: tuple[Any, ...]
) -> Candidate | Dropped:
    assert isinstance(op.read, c.Search)
    stream = Stream(*path, "words")
    actor = stream.pick(sandbox.actors[role]) if role else ""
    filters, looked_for = sandbox.split_filters(op, dict(condition.arguments))
    program = Program(op.name, filters, (), total, find_page_size(op), (*condition.tests, *looked_for))
    calls, result = program.run(sandbox.start(role, actor))
    if result["count"] != len(condition.rows & {r.id for r in sandbox.list_live(op.read.entity)}):
        return Dropped("the search finds others too", op.name)
    reading = _find_reads(sandbox, role, actor, condition)
    if reading is None:
        return Dropped(UNFOUND, op.name)
    what = plural(name_kind(sandbox, op.read.entity))
    amounts = f"their {name_amount(total)}" if total else ""
    ways = (
        (f"how many {what} {condition.phrase} do we have", f", and what is the sum of {amounts}", "?"),
        (f"I need a figure for a report: the number of {what} {condition.phrase}", f", and the sum of {amounts}", ""),
        (f"for the monthly review, please count the {what} {condition.phrase}", f" and add up {amounts}", ""),
    )
    count, add, end = ways[stream.between(0, 2)]
    text = f"{count}{add if total else ''}{end}"
    asks = (WordedRequest(text, (condition.reference,) if condition.reference is not None else ()),)
    bound = BoundGoal("", role, actor, {}, {})
    found = make_done(
        sandbox, "program", ("question", op.name, condition.kind), (bound,), (), asks, path, (),
        answers=_answers({k: result[k] for k in ("count", "total") if k in result}, total),
        calls=(*reading, *calls),
    )  # fmt: skip
    if isinstance(found, Dropped):
        return found
    features = {**found.features, "items": result["count"]}
    expects = {**found.expects, "over": _describe_rows(op.read.entity, "", condition, total)}
    return replace(found, program=program.render(), features=features, expects=expects)
