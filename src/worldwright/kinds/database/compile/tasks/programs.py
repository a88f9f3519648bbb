"""Programs: something done for every row of a kind, or worked out over them; the program itself is the witness."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import INT, MONEY, Type
from worldwright.core.names import to_words
from worldwright.core.rng import Stream
from worldwright.english.nouns import plural
from worldwright.kinds.database.compile.tasks.accept import Dropped
from worldwright.kinds.database.compile.tasks.asking import WordedRequest
from worldwright.kinds.database.compile.tasks.candidates import UNFOUND, Answers, Candidate, done
from worldwright.kinds.database.compile.tasks.conditions import (
    ENOUGH_FILTERS,
    MAX_ROWS,
    MIN_ROWS,
    Condition,
    conditions,
    together,
)
from worldwright.kinds.database.compile.tasks.describe import Describer, noun
from worldwright.kinds.database.compile.tasks.ground import Ground, plain
from worldwright.kinds.database.compile.tasks.instances import Bound, bindings
from worldwright.kinds.database.compile.tasks.reading import Reader, asks_nothing, largest_page
from worldwright.kinds.database.session import Session
from worldwright.world.records import Call, Result

PER_GOAL = 2
PER_TABLE = 2


@dataclass(frozen=True, slots=True)
class Item:
    """A value of the record at hand."""

    field: str


@dataclass(frozen=True, slots=True)
class Program:
    """Search, then for each record found some calls; count, add up, and list what was refused."""

    search: str
    filters: Mapping[str, Any]
    steps: tuple[tuple[str, Mapping[str, Any]], ...]
    total: str
    """The field that is added up; empty for none."""
    page: int = 50
    tests: tuple[tuple[str, str, Any], ...] = ()
    """What only a look at the record tells: (field, comparison, value)."""

    def run(self, session: Session) -> tuple[tuple[Call, ...], dict[str, Any]]:
        """Carry it out: the calls it made, and its result."""
        calls: list[Call] = []

        def call(tool: str, arguments: dict[str, Any]) -> Result:
            calls.append(Call(tool, arguments))
            return session.call(tool, arguments)

        items: list[Mapping[str, Any]] = []
        offset: int | None = 0
        while offset is not None:
            page = call(self.search, {**self.filters, "limit": self.page, **({"offset": offset} if offset else {})})
            items += page.data["items"]
            offset = page.data["next_offset"]
        handled, left_out, total = [], [], 0.0
        for item in items:
            if not all(_passes(item.get(field), op, value) for field, op, value in self.tests):
                continue
            results = []
            for tool, arguments in self.steps:
                given = {k: item[v.field] if isinstance(v, Item) else v for k, v in arguments.items()}
                results.append(call(tool, given))
                if not results[-1].ok:
                    break
            if results and not results[-1].ok:
                left_out.append(item["id"])
                continue
            handled.append(item["id"])
            total += (item[self.total] or 0) if self.total else 0
        return tuple(calls), self._result(handled, left_out, round(total, 2))

    def _result(self, handled: list[str], left_out: list[str], total: float) -> dict[str, Any]:
        out: dict[str, Any] = {"outcome": "done", "count": len(handled)}
        if self.steps:
            out["left_out"] = left_out
        if self.total:
            out["total"] = total
        return out

    def source(self) -> str:
        """As a person reads it, and can run it over the tools of an episode."""
        filters = "".join(f", {k}={json.dumps(v)}" for k, v in self.filters.items())
        lines = ["def solve(tools):", "    handled, left_out, total = [], [], 0"]
        lines.append(f'    for item in tools.every("{self.search}"{filters}):')
        for field, op, value in self.tests:
            known = f'item["{field}"] is None or ' if op != "==" else ""
            lines += [f'        if {known}not item["{field}"] {op} {_literal(value)}:', "            continue"]
        for tool, arguments in self.steps:
            given = ", ".join(
                f'{k}=item["{v.field}"]' if isinstance(v, Item) else f"{k}={json.dumps(v)}"
                for k, v in arguments.items()
            )
            lines.append(f'        if not tools.call("{tool}", {given}).ok:')
            lines += ['            left_out.append(item["id"])', "            continue"]
        lines.append('        handled.append(item["id"])')
        if self.total:
            lines.append(f'        total += item["{self.total}"] or 0')
        parts = ['"outcome": "done"', '"count": len(handled)']
        parts += ['"left_out": left_out'] if self.steps else []
        parts += ['"total": round(total, 2)'] if self.total else []
        return "\n".join([*lines, f"    return {{{', '.join(parts)}}}", ""])


def _passes(found: Any, op: str, value: Any) -> bool:
    if op == "==" or found is None:
        return bool(found == value)
    return bool(found >= value if op == ">=" else found <= value)


def _literal(value: Any) -> str:
    return repr(value) if isinstance(value, bool) else json.dumps(value)


def for_every_row(
    ground: Ground, describer: Describer, seed: int, names: Sequence[str]
) -> Iterator[Candidate | Dropped]:
    """Something for every row of a kind."""
    for name in names:
        compiled = ground.goals[name]
        if compiled.goal.each and compiled.actor is None and not compiled.goal.states:
            yield from _for_each(ground, describer, name, seed)


# something for every row


def _for_each(ground: Ground, describer: Describer, name: str, seed: int) -> Iterator[Candidate | Dropped]:
    goal = ground.goals[name].goal
    variable = next(iter(goal.given))
    entity = goal.given[variable].entity
    role = goal.roles[0] if goal.roles else ""
    steps = _steps(goal, variable)
    columns = ground.schema.entities[entity].columns
    taken = [v.field for _, given in steps or () for v in given.values() if isinstance(v, Item) and v.field != "id"]
    if any(columns[name].shown is not None or columns[name].hidden for name in taken):
        return
    search = _search(ground, entity, role)
    if steps is None or search is None or (role and not ground.actors[role]):
        return
    assert isinstance(search.read, c.Search)
    free = replace_mends(ground, name)
    ids = [rows[variable][1] for rows in bindings(ground, free, seed, {})]
    pool = [r for r in ground.opening(entity) if r.id in ids]
    stream = Stream(seed, "program", name)
    made = 0
    shapes: set[str] = set()
    for k, condition in enumerate(_some(ground, describer, search.read, pool, stream)):
        if made >= PER_GOAL or condition.kind in shapes:
            continue
        found = _doing(ground, describer, goal, search, steps, condition, pool, role, (seed, "program", name, k))
        if isinstance(found, Candidate):
            made += 1
            shapes.add(condition.kind)
        yield found


def replace_mends(ground: Ground, name: str) -> Any:
    """The goal as it binds without regard to where its rows come from."""
    compiled = ground.goals[name]
    if not compiled.goal.mends:
        return compiled
    twin = object.__new__(type(compiled))
    twin.__dict__.update(compiled.__dict__)
    twin.goal = replace(compiled.goal, mends=())
    return twin


def _some(
    ground: Ground, describer: Describer, search: c.Search, pool: Sequence[Any], stream: Stream
) -> Iterator[Condition]:
    """Conditions on these rows, then pairs of them."""
    ground.session.reset(ground.session.role)
    single = stream.shuffled(list(conditions(ground, describer, search, pool, stream)))
    yield from single
    for i, one in enumerate(single[:6]):
        for other in single[i + 1 : 6]:
            if one.column != other.column:
                both = together(one, other)
                if MIN_ROWS <= len(both.rows) <= MAX_ROWS and both.rows not in (one.rows, other.rows):
                    yield both


def _doing(
    ground: Ground,
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
    actor = Stream(*path, "asked").pick(ground.actors[role]) if role else ""
    filters = {**dict(condition.arguments), **_common(ground, search.read, pool)}
    total = _total(ground, search.read, Stream(*path))
    program = Program(search.name, filters, tuple(steps), total, largest_page(search), condition.tests)
    session = ground.start(role, actor)
    calls, result = program.run(session)
    wanted = {r.id for r in pool} & condition.rows
    handled = result["count"]
    if handled + len(result["left_out"]) != len(wanted) or handled < MIN_ROWS or session.violations():
        return Dropped("the search finds others too" if not session.violations() else "a rule is broken", goal.name)
    reading = _reading(ground, role, actor, condition)
    if reading is None:
        return Dropped(UNFOUND, goal.name)
    variable = next(iter(goal.given))
    kept = [key for key in sorted(wanted) if key not in result["left_out"]]
    bounds = [Bound(goal.name, role, actor, {variable: (entity, key)}, {}) for key in kept]
    plan = tuple(call for call in calls if ground.compiled.tools[call.tool].mutates)
    plan = tuple(call for call in plan if not set(map(str, call.arguments.values())) & set(result["left_out"]))
    stream = Stream(*path, "words")
    ask = stream.pick(describer.ways(goal.each))
    references = (condition.reference,) if condition.reference is not None else ()
    asks = (WordedRequest(_rendered(ask, condition.phrase), references, describer.holds_out(ask)),)
    closing = _report(ground, entity, total, stream)
    found = done(
        ground, "program", ("each", goal.name, condition.kind), bounds, plan, asks, path, closing,
        answers=_answers(result, total), calls=(*reading, *calls),
    )  # fmt: skip
    if isinstance(found, Dropped):
        return found
    features = {**found.features, "items": handled, "branches": 1}
    return replace(found, program=program.source(), features=features)


def _reading(ground: Ground, role: str, actor: str, condition: Condition) -> tuple[Call, ...] | None:
    """How the thing that the condition names is found; None where nothing shows it."""
    if condition.reference is None:
        return ()
    reader = Reader(ground, ground.start(role, actor))
    return tuple(reader.calls) if reader.find(condition.reference) else None


def _rendered(ask: n.Format, which: str) -> str:
    return "".join(part if isinstance(part, str) else which for part in ask.parts)


def _steps(goal: c.Goal, variable: str) -> tuple[tuple[str, Mapping[str, Any]], ...] | None:
    """The calls of a goal's witness as a program makes them; None where they need more than the record at hand."""
    out = []
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
            return plain(node.value, node.type)
        case n.Var(name=name) if name == variable:
            return Item("id")
        case n.Field(base=n.Var(name=name), name=field) if name == variable:
            return Item(field)
    return None


def _search(ground: Ground, entity: str, role: str) -> c.Operation | None:
    for op in ground.compiled.blueprint.operations.values():
        if not isinstance(op.read, c.Search) or op.read.entity != entity or not asks_nothing(op):
            continue
        if not op.roles or role in op.roles:
            return op
    return None


def _common(ground: Ground, search: c.Search, pool: Sequence[Any]) -> dict[str, Any]:
    """The state that all these rows share, as a filter."""
    entity = ground.schema.entities[search.entity]
    position = ground.compiled.tables[search.entity].position
    for f in search.filters:
        if f.op == "==" and f.column == entity.state_field:
            states = {r.values[position[f.column]] for r in pool}
            if len(states) == 1:
                return {f.name: states.pop()}
    return {}


def _total(ground: Ground, search: c.Search, stream: Stream) -> str:
    """An amount in book money that the search shows, to be added up."""
    columns = ground.schema.entities[search.entity].columns
    shown = {name for name, _ in search.shows} or set(columns)
    amounts = [
        name
        for name, column in columns.items()
        if column.type == MONEY and name in shown and column.shown is None and not column.hidden
    ]
    return stream.pick(amounts) if amounts else ""


def _answers(result: Mapping[str, Any], total: str) -> Answers:
    parts: dict[str, Any] = {"count": {"number": result["count"], "places": 0}}
    fields: dict[str, tuple[Type | None, str]] = {"count": (INT, "how many there were")}
    if "left_out" in result:
        parts["left_out"] = {"set": result["left_out"]}
        fields["left_out"] = (None, "the ids of those that the rules did not allow; an empty list where there are none")
    if total:
        parts["total"] = {"number": result["total"], "places": 2}
        fields["total"] = (MONEY, f"their {to_words(total)} added up")
    return parts, fields, {k: v for k, v in result.items() if k != "outcome"}


def _report(ground: Ground, entity: str, total: str, stream: Stream) -> tuple[str, ...]:
    """What the requester wants to hear of it."""
    skip = (
        "Leave out any that our rules do not allow, and list those for me.",
        "Where the rules say no, skip it and give me a list of those.",
    )
    sums = f", and what their {to_words(total)} adds up to, without the ones left out." if total else "."
    return stream.pick(skip), f"Tell me how many {plural(noun(ground, entity))} it came to{sums}"


# questions


def questions(
    ground: Ground, describer: Describer, seed: int, operations: Sequence[str]
) -> Iterator[Candidate | Dropped]:
    """How many there are of a kind, and what they add up to."""
    for op in map(ground.compiled.blueprint.operations.__getitem__, operations):
        if not isinstance(op.read, c.Search) or op.read.where is not None or not asks_nothing(op):
            continue
        able = [r for r in op.roles or ground.schema.roles if ground.actors[r]]
        if ground.schema.roles and not able:
            continue
        role = able[0] if able else ""
        stream = Stream(seed, "question", op.name)
        total = _total(ground, op.read, stream)
        made = 0
        pool = ground.opening(op.read.entity)
        if not total and len(op.read.filters) >= ENOUGH_FILTERS:
            continue
        for k, condition in enumerate(_some(ground, describer, op.read, pool, stream)):
            if made >= PER_TABLE or "+" not in condition.kind:
                continue
            found = _question(ground, op, condition, total, role, (seed, "question", op.name, k))
            made += isinstance(found, Candidate)
            yield found


def _question(
    ground: Ground, op: c.Operation, condition: Condition, total: str, role: str, path: tuple[Any, ...]
) -> Candidate | Dropped:
    assert isinstance(op.read, c.Search)
    stream = Stream(*path, "words")
    actor = stream.pick(ground.actors[role]) if role else ""
    program = Program(op.name, dict(condition.arguments), (), total, largest_page(op), condition.tests)
    calls, result = program.run(ground.start(role, actor))
    if result["count"] != len(condition.rows & {r.id for r in ground.live(op.read.entity)}):
        return Dropped("the search finds others too", op.name)
    reading = _reading(ground, role, actor, condition)
    if reading is None:
        return Dropped(UNFOUND, op.name)
    what = plural(noun(ground, op.read.entity))
    ways = (
        f"how many {what} {condition.phrase} do we have{{}}?",
        f"I need a figure for a report: the number of {what} {condition.phrase}{{}}",
        f"for the monthly review, please count the {what} {condition.phrase}{{}}",
    )
    sums = (
        f", and what does their {to_words(total)} add up to",
        f", and their {to_words(total)} in all",
        f" and add up their {to_words(total)}",
    )
    k = stream.between(0, 2)
    text = ways[k].format(sums[k] if total else "")
    asks = (WordedRequest(text, (condition.reference,) if condition.reference is not None else ()),)
    bound = Bound("", role, actor, {}, {})
    found = done(
        ground, "program", ("question", op.name, condition.kind), (bound,), (), asks, path, (),
        answers=_answers({k: result[k] for k in ("count", "total") if k in result}, total),
        calls=(*reading, *calls),
    )  # fmt: skip
    if isinstance(found, Dropped):
        return found
    return replace(found, program=program.source(), features={**found.features, "items": result["count"]})
