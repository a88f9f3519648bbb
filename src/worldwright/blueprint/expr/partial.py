"""Expressions under partial knowledge: what can be told from the records that somebody has seen.

A third value besides true and false: unknown. Rows are records as tools show them; what was never shown is unknown, and so is
whatever depends on it, unless it does not matter (`false and unknown` is false). Nothing is asked of a database.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, TypeAlias

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.library import FUNCTIONS, divide
from worldwright.blueprint.types import Type

MAX_DEPTH = 8
"""How deep terms and policies inside each other are followed."""


class Unknown:
    """The one value that stands for any."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()

Frame: TypeAlias = Mapping[str, Any]
"""Names in scope, in storage form; rows are their ids, `actor` among them. A name that is missing is unknown."""


class Facts(Protocol):
    """What has been seen. The clock may be unknown too."""

    @property
    def today(self) -> str | Unknown: ...
    @property
    def now(self) -> str | Unknown: ...
    def record(self, entity: str, key: str) -> Mapping[str, Any]: ...
    def children(self, entity: str, column: str, key: str) -> Iterable[str]: ...


class Definitions(Protocol):
    """The named expressions of a Blueprint."""

    @property
    def terms(self) -> Mapping[str, Any]: ...
    @property
    def policies(self) -> Mapping[str, Any]: ...


Guess: TypeAlias = Callable[[Facts, Frame], Any]


def to_stored(kind: Type, value: Any) -> Any:
    """Convert a JSON value to what is stored: amounts in their smallest unit."""
    if value is None or not kind.places or isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return round(value * 10**kind.places)


def guess(node: n.Node, definitions: Definitions, depth: int = 0) -> Guess:
    """A function that gives the expression's value, or UNKNOWN."""
    make = _MAKERS.get(type(node))
    return _unknown if make is None or depth > MAX_DEPTH else make(node, definitions, depth)


def _unknown(facts: Facts, frame: Frame) -> Any:
    return UNKNOWN


def _const(node: n.Const, d: Definitions, depth: int) -> Guess:
    value = node.value
    return lambda facts, f: value


def _var(node: n.Var, d: Definitions, depth: int) -> Guess:
    name = node.name
    if name == "today":
        return lambda facts, f: facts.today
    if name == "now":
        return lambda facts, f: facts.now
    return lambda facts, f: f.get(name, UNKNOWN)


def _field(node: n.Field, d: Definitions, depth: int) -> Guess:
    base, name, kind = guess(node.base, d, depth), node.name, node.type
    entity = node.base.type.entity
    if node.base.type.kind == "row":
        return lambda facts, f: UNKNOWN if (row := base(facts, f)) is UNKNOWN else row.get(name, UNKNOWN)

    def read(facts: Facts, f: Frame) -> Any:
        key = base(facts, f)
        if key is UNKNOWN or key is None or name == "id":
            return key
        value = facts.record(entity, key).get(name, UNKNOWN)
        return value if value is UNKNOWN else to_stored(kind, value)

    return read


# logic


def _not(node: n.Not, d: Definitions, depth: int) -> Guess:
    item = guess(node.item, d, depth)
    return lambda facts, f: UNKNOWN if (v := item(facts, f)) is UNKNOWN else not v


def _join(node: n.And | n.Or, d: Definitions, depth: int) -> Guess:
    items, decides = tuple(guess(i, d, depth) for i in node.items), isinstance(node, n.Or)
    return lambda facts, f: _settle((i(facts, f) for i in items), decides)


def _settle(values: Iterable[Any], decides: bool) -> Any:
    """Return whether one of the values is what decides; else unknown where one is unknown."""
    out: Any = not decides
    for v in values:
        if v is UNKNOWN:
            out = UNKNOWN
        elif bool(v) == decides:
            return decides
    return out


def _compare(node: n.Compare, d: Definitions, depth: int) -> Guess:
    left, right, test, equality = (
        guess(node.left, d, depth),
        guess(node.right, d, depth),
        _TESTS[node.op],
        node.op in _EQUAL,
    )

    def compare(facts: Facts, f: Frame) -> Any:
        a, b = left(facts, f), right(facts, f)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        if not equality and (a is None or b is None):
            return False
        return bool(test(a, b))

    return compare


_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_EQUAL = frozenset({"==", "!="})


def _is_none(node: n.IsNone, d: Definitions, depth: int) -> Guess:
    item = guess(node.item, d, depth)
    return lambda facts, f: UNKNOWN if (v := item(facts, f)) is UNKNOWN else v is None


def _in_values(node: n.InValues, d: Definitions, depth: int) -> Guess:
    item, values = guess(node.item, d, depth), tuple(v.value for v in node.values)
    return lambda facts, f: UNKNOWN if (v := item(facts, f)) is UNKNOWN else v in values


def _if(node: n.If, d: Definitions, depth: int) -> Guess:
    test, then, other = (guess(part, d, depth) for part in (node.test, node.then, node.other))

    def choose(facts: Facts, f: Frame) -> Any:
        which = test(facts, f)
        return UNKNOWN if which is UNKNOWN else then(facts, f) if which else other(facts, f)

    return choose


# numbers


def _apply(parts: tuple[Guess, ...], work: Callable[..., Any]) -> Guess:
    """Apply a function to parts that are all known; none of any is none."""

    def compute(facts: Facts, f: Frame) -> Any:
        values = [p(facts, f) for p in parts]
        if any(v is UNKNOWN for v in values):
            return UNKNOWN
        return None if any(v is None for v in values) else work(*values)

    return compute


def _arith(node: n.Arith, d: Definitions, depth: int) -> Guess:
    return _apply((guess(node.left, d, depth), guess(node.right, d, depth)), _ARITH[node.op])


_ARITH: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _scale(node: n.Scale, d: Definitions, depth: int) -> Guess:
    factor = 10**node.up
    return _apply((guess(node.item, d, depth),), lambda v: v * factor)


def _divide(node: n.Divide, d: Definitions, depth: int) -> Guess:
    mode = node.mode
    return _apply((guess(node.left, d, depth), guess(node.right, d, depth)), lambda a, b: divide(a, b, mode))


def _either(node: n.Either, d: Definitions, depth: int) -> Guess:
    left, right = guess(node.left, d, depth), guess(node.right, d, depth)
    if node.op == "coalesce":
        return lambda facts, f: right(facts, f) if (v := left(facts, f)) is None else v
    return _apply((left, right), min if node.op == "min" else max)


def _call(node: n.Call, d: Definitions, depth: int) -> Guess:
    function = FUNCTIONS[node.name]
    return _unknown if function.holidays else _apply(tuple(guess(a, d, depth) for a in node.args), function.run)


# names of expressions, and lists


def _term(node: n.TermCall, d: Definitions, depth: int) -> Guess:
    term = d.terms[node.name]
    return _call_named(tuple(term.takes), node.args, guess(term.body, d, depth + 1), d, depth)


def _obeys(node: n.Obeys, d: Definitions, depth: int) -> Guess:
    policy = d.policies[node.policy]
    return _call_named(tuple(policy.takes), node.args, guess(policy.binding, d, depth + 1), d, depth)


def _call_named(names: tuple[str, ...], args: tuple[n.Node, ...], body: Guess, d: Definitions, depth: int) -> Guess:
    pairs = tuple(zip(names, (guess(a, d, depth) for a in args), strict=True))

    def run(facts: Facts, f: Frame) -> Any:
        inner = {name: a(facts, f) for name, a in pairs}
        if "actor" in f:
            inner["actor"] = f["actor"]
        return body(facts, inner)

    return run


def _aggregate(node: n.Aggregate, d: Definitions, depth: int) -> Guess:
    """A list input is known whole. Of the rows of a table some are: enough to tell that one is there, or that not all comply."""
    if node.rows.items:
        return _aggregate_list(node, d, depth)
    if node.kind not in ("all", "exists") or node.rows.base is None:
        return _unknown
    base, var, decides = guess(node.rows.base, d, depth), node.var, node.kind == "exists"
    entity, column = node.rows.entity, node.rows.column
    test = _test_row(node, d, depth)

    def fold(facts: Facts, f: Frame) -> Any:
        key = base(facts, f)
        if key is UNKNOWN or key is None:
            return UNKNOWN
        found = (test(facts, {**f, var: row}) for row in facts.children(entity, column, key))
        return decides if _settle(found, decides) is decides else UNKNOWN

    return fold


def _aggregate_list(node: n.Aggregate, d: Definitions, depth: int) -> Guess:
    if node.kind not in ("all", "exists", "count"):
        return _unknown
    items, var, kind, test = node.rows.items, node.var, node.kind, _test_row(node, d, depth)

    def fold(facts: Facts, f: Frame) -> Any:
        rows = f.get(items, UNKNOWN)
        if rows is UNKNOWN or rows is None:
            return UNKNOWN
        found = [test(facts, {**f, var: row}) for row in rows]
        if kind == "count":
            return UNKNOWN if any(v is UNKNOWN for v in found) else sum(map(bool, found))
        return _settle(found, kind == "exists")

    return fold


def _test_row(node: n.Aggregate, d: Definitions, depth: int) -> Guess:
    """Test one row: whether it counts; for `all`, whether it complies or is not meant."""
    where = guess(node.where, d, depth) if node.where is not None else None
    if node.kind != "all":
        return where if where is not None else lambda facts, f: True
    value = guess(node.value, d, depth)
    if where is None:
        return value
    return lambda facts, f: _settle((_negate(where(facts, f)), value(facts, f)), True)


def _negate(value: Any) -> Any:
    return UNKNOWN if value is UNKNOWN else not value


_MAKERS: dict[type[n.Node], Callable[[Any, Definitions, int], Guess]] = {
    n.Const: _const, n.Var: _var, n.Field: _field, n.Not: _not, n.And: _join, n.Or: _join, n.Compare: _compare,
    n.IsNone: _is_none, n.InValues: _in_values, n.If: _if, n.Arith: _arith, n.Scale: _scale, n.Divide: _divide,
    n.Either: _either, n.Call: _call, n.TermCall: _term, n.Obeys: _obeys, n.Aggregate: _aggregate,
}  # fmt: skip
