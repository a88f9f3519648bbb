"""What has to hold for a call not to be refused, as far as it can be said of the call itself.

The guards of an operation as conditions over its inputs, `actor`, `now` and `today`: names that the operation introduces are
replaced by what they stand for, a guard under `when` holds where the test does not, and a move of a lifecycle asks for a state
that it starts from. A guard on something that the operation itself has written by then says nothing; in a loop over a list input it
is asked of the state before the first round. So a condition that is false is a refusal; that none is false is no promise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.definitions import find_definition
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import BOOL, Type

LOCAL = "$local"
"""A value that nobody outside can know: a row that was looked up or made on the way."""


@dataclass(slots=True)
class _Scope:
    """Where we are in an operation."""

    names: dict[str, n.Node]
    tests: tuple[n.Node, ...] = ()
    """What leads here: the tests of the `when`s around."""
    loops: tuple[c.Each, ...] = ()
    """The loops over list inputs around."""
    written: list[tuple[tuple[str, str], tuple[n.Node, ...]]] = field(default_factory=list)
    """The cells written so far, with the tests that led there; shared by the whole operation."""

    def within(self, *tests: n.Node) -> _Scope:
        return replace(self, names=dict(self.names), tests=(*self.tests, *tests))


MAX_PARTS = 5_000
"""Parts of a condition, with everything written out that names stand for."""


@c.once_per_blueprint
def list_conditions(blueprint: c.Checked, name: str) -> tuple[n.Node, ...]:
    """List conditions, each true, false or unknown of a call before it is made; not those that are too large once every name is
    written out."""
    found = _block(blueprint, blueprint.operations[name].body, _Scope({}))
    return tuple(node for node in found if n.measure(node) <= MAX_PARTS)


def _block(bp: c.Checked, body: tuple[c.Statement, ...], scope: _Scope) -> Iterator[n.Node]:
    for s in body:
        match s:
            case c.Let():
                scope.names[s.name] = n.substitute(s.value, scope.names)
            case c.Require():
                yield from _list_guarded(bp, scope, n.substitute(s.test, scope.names))
            case c.Obey() if bp.policies[s.policy].enforced == "tool":
                yield from _list_guarded(bp, scope, n.substitute(n.Obeys(BOOL, s.policy, s.args), scope.names))
            case c.Set():
                yield from _move(bp, scope, s)
                _note_write(bp, scope, s.row.type.entity, tuple(column for column, _ in s.values))
            case c.Find():
                _hide(scope, s.name, s.rows.entity)
            case c.Add():
                _note_write(bp, scope, s.entity)
                _hide(scope, s.name, s.entity)
            case c.Remove():
                _note_write(bp, scope, s.row.type.entity, tuple(bp.schema.entities[s.row.type.entity].columns))
            case c.When():
                test = n.substitute(s.test, scope.names)
                yield from _block(bp, s.do, scope.within(test))
                yield from _block(bp, s.otherwise, scope.within(n.Not(BOOL, test)))
            case c.Each():
                yield from _note_loop(bp, scope, s)
            case c.Run():
                given = {key: n.substitute(value, scope.names) for key, value in s.args}
                inner = bp.operations[s.operation]
                missing = {i.name: i.default or n.Const(i.type, None) for i in inner.inputs if i.name not in given}
                yield from _block(bp, inner.body, replace(scope, names={**missing, **given}))
                _hide(scope, s.name, "")


def _note_write(bp: c.Checked, scope: _Scope, entity: str, columns: tuple[str, ...] = ()) -> None:
    """Note the cells of rows that were there before, kept fields that follow from what was written among them."""
    cells = dict.fromkeys((entity, column) for column in columns)
    todo = [entity]
    while todo:
        for owner, name, _ in bp.dependents.get(todo.pop(), ()):
            if (owner, name) not in cells:
                cells[owner, name] = None
                todo.append(owner)
    scope.written += [(cell, scope.tests) for cell in cells]


def _hide(scope: _Scope, name: str, entity: str) -> None:
    if name:
        scope.names[name] = n.Var(Type("ref", entity=entity), LOCAL)


def _note_loop(bp: c.Checked, scope: _Scope, s: c.Each) -> Iterator[n.Node]:
    """Note what a loop over rows writes; nothing else is known of it."""
    inner = scope.within()
    if s.rows.items:
        inner.loops = (*scope.loops, s)
    else:
        _hide(inner, s.var, s.rows.entity)
    found = list(_block(bp, s.do, inner))
    if s.rows.items and s.rows.items not in scope.names:
        yield from found


def _move(bp: c.Checked, scope: _Scope, s: c.Set) -> Iterator[n.Node]:
    entity = bp.schema.entities[s.row.type.entity]
    row = n.substitute(s.row, scope.names)
    for column, value in s.values:
        if column == entity.state_field and isinstance(value, n.Const):
            kind = entity.columns[column].type
            starts = [state for state, following in entity.lifecycle.items() if value.value in following]
            asked = n.InValues(BOOL, n.Field(kind, row, column), tuple(n.Const(kind, state) for state in starts))
            yield from _list_guarded(bp, scope, asked)


def _list_guarded(bp: c.Checked, scope: _Scope, test: n.Node) -> Iterator[n.Node]:
    if isinstance(test, n.And):
        for item in test.items:
            yield from _list_guarded(bp, scope, item)
        return
    looked = set(_cells(bp, test))
    before = [tests for cell, tests in scope.written if cell in looked]
    if () in before:
        return
    ways = (*(n.Not(BOOL, t) for t in scope.tests), *(n.And(BOOL, tests) for tests in before))
    out = n.Or(BOOL, (*ways, test)) if ways else test
    for s in reversed(scope.loops):
        out = n.Aggregate(BOOL, "all", s.var, s.rows, s.where, out)
    yield out


# what conditions look at


def _cells(bp: c.Checked, node: n.Node) -> Iterator[tuple[str, str]]:
    for _, part in _list_parts(bp, node, {}):
        if isinstance(part, n.Field) and part.base.type.kind == "ref":
            yield part.base.type.entity, part.name
        elif isinstance(part, n.Aggregate) and part.rows.column:
            yield part.rows.entity, part.rows.column


def _list_parts(
    bp: c.Checked, node: n.Node, origins: Mapping[str, str], seen: dict[Any, None] | None = None
) -> Iterator[tuple[Mapping[str, str], n.Node]]:
    """Yield every part of a condition, through terms, policies and computed fields, with the inputs that names stand for there."""
    seen = {} if seen is None else seen
    for part in n.walk(node):
        yield origins, part
        found = find_definition(bp, part)
        if found is not None:
            inner = {name: _find_input(value, origins) for name, value in found.names.items()}
            at = (found.key, *inner.items())
            if at not in seen:
                seen[at] = None
                yield from _list_parts(bp, found.body, inner, seen)


@c.once_per_blueprint
def list_guard_reads(bp: c.Checked, name: str) -> tuple[tuple[str, str, str], ...]:
    """List (input, entity, column) for every column of a row given to a call that one of its guards reads."""
    inputs = {i.name: i.name for i in bp.operations[name].inputs}
    out: dict[tuple[str, str, str], None] = {}
    for node in list_conditions(bp, name):
        lists = {p.var: p.rows.items for p in n.walk(node) if isinstance(p, n.Aggregate) and p.rows.items}
        for origins, part in _list_parts(bp, node, {**lists, **inputs}):
            if isinstance(part, n.Field) and part.base.type.kind == "ref" and part.name != "id":
                found = _find_input(part.base, origins)
                if found:
                    out[found, part.base.type.entity, part.name] = None
    return tuple(out)


def _find_input(row: n.Node, origins: Mapping[str, str]) -> str:
    """The input that a row is."""
    at = row.base if isinstance(row, n.Field) and row.base.type.kind == "row" else row
    return origins.get(at.name, "") if isinstance(at, n.Var) else ""


# what operations leave behind


@c.once_per_blueprint
def map_written_words(bp: c.Checked, name: str) -> Mapping[tuple[str, str], frozenset[Any]]:
    """Map columns that an operation only ever sets to constants to these. A column that is missing may get any value."""
    out: dict[tuple[str, str], frozenset[Any]] = {}
    unknown: set[tuple[str, str]] = set()
    for s, operation in _sets(bp, bp.operations[name]):
        for column, value in s.values:
            cell = (s.row.type.entity, column)
            words = _words(operation, value)
            if words is None:
                unknown.add(cell)
            else:
                out[cell] = out.get(cell, frozenset()) | words
    return {cell: words for cell, words in out.items() if cell not in unknown}


def _sets(bp: c.Checked, operation: c.Operation) -> Iterator[tuple[c.Set, c.Operation]]:
    for s in walk_statements(operation.body):
        if isinstance(s, c.Set):
            yield s, operation
        elif isinstance(s, c.Run):
            yield from _sets(bp, bp.operations[s.operation])


def _words(operation: c.Operation, value: n.Node) -> frozenset[Any] | None:
    match value:
        case n.Const():
            return frozenset([value.value])
        case n.If():
            then, other = _words(operation, value.then), _words(operation, value.other)
            return None if then is None or other is None else then | other
        case n.Var() if value.type.kind == "enum":
            found = operation.input(value.name)
            return frozenset(value.type.values) if found is not None else None
    return None
