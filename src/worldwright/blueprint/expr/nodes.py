"""The typed form of an expression: small frozen nodes, one meaning each.

Values are in storage form: money and decimals as scaled integers, days and moments as ISO text, references as ids. Every
backend (closures, SQL, Python source) reads these nodes and nothing else.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from worldwright.blueprint.types import BOOL, Type


@dataclass(frozen=True, slots=True)
class Node:
    type: Type


@dataclass(frozen=True, slots=True)
class Const(Node):
    value: str | int | bool | None
    label: str = ""
    """`policy.parameter` where the value is a parameter of the variant."""


@dataclass(frozen=True, slots=True)
class Var(Node):
    """A name in scope: an input, a let, a loop variable, `self`, `now`, `today`, `actor`."""

    name: str


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`base.name`; base is a row (or one element of a list input)."""

    base: Node
    name: str


@dataclass(frozen=True, slots=True)
class Not(Node):
    item: Node


@dataclass(frozen=True, slots=True)
class And(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Compare(Node):
    op: str
    """== != < <= > >="""
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class IsNone(Node):
    item: Node


@dataclass(frozen=True, slots=True)
class InValues(Node):
    """Whether something is one of several constants."""

    item: Node
    values: tuple[Const, ...]


@dataclass(frozen=True, slots=True)
class InText(Node):
    needle: Node
    text: Node


@dataclass(frozen=True, slots=True)
class Arith(Node):
    """+ - * on scaled integers. For + and - both sides have the same places."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Scale(Node):
    """The same number with more places: exact."""

    item: Node
    up: int


@dataclass(frozen=True, slots=True)
class Divide(Node):
    """left / right, rounded to the nearest unit; none where right is zero."""

    left: Node
    right: Node
    mode: str


@dataclass(frozen=True, slots=True)
class If(Node):
    test: Node
    then: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Either(Node):
    """min and max of two (none where either is none), coalesce (the first that is not none)."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of the library."""

    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class TermCall(Node):
    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Obeys(Node):
    policy: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Format(Node):
    """An f-string: text pieces and (node, spec) pairs."""

    parts: tuple[str | tuple[Node, str], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Where an aggregate takes its rows from: a table, a way back, or a list input."""

    entity: str
    base: Node | None = None
    """The row whose children these are; None for the whole table."""
    column: str = ""
    """The field of `entity` that refers to `base`."""
    way: str = ""
    """What the way back is called, for people."""
    items: str = ""
    """The name of a list input."""
    element: Type | None = None
    """The type of one element of a list input."""


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    kind: str
    """sum count min max exists all first last; any favourite in draws"""
    var: str
    rows: Rows
    where: Node | None
    value: Node
    by: Node | None = None


@dataclass(frozen=True, slots=True)
class Draw(Node):
    """A random value; only where a draw is allowed."""

    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """A list made for history: so many elements, or one per row; each with its parts."""

    count: Node | None
    var: str
    rows: Rows | None
    where: Node | None
    parts: tuple[tuple[str, Node], ...]


TRUE = Const(BOOL, True)


_PARTS: dict[type[Node], tuple[str, ...]] = {
    kind: tuple(f.name for f in fields(kind) if re.search("Node|Const|Rows", str(f.type)))
    for kind in Node.__subclasses__()
}
"""The fields of each kind of node that may hold other nodes."""


def children(node: Node) -> Iterator[Node]:
    """The direct sub-expressions of a node."""
    for name in _PARTS[type(node)]:
        yield from _nodes_in(getattr(node, name))


def _nodes_in(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, Rows):
        if value.base is not None:
            yield value.base
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes_in(item)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first; what stands in several places (`let` shares it) once."""
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            waiting += reversed(list(children(part)))


def measure(node: Node) -> int:
    """Count the parts of an expression, those that stand in several places as often as they stand there."""
    return _measure(node, {})


def _measure(node: Node, known: dict[int, int]) -> int:
    if id(node) not in known:
        known[id(node)] = 1 + sum(_measure(child, known) for child in children(node))
    return known[id(node)]


def free_names(node: Node, bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """Names the expression needs from outside."""
    return _free_names(node, bound, {})


def _free_names(
    node: Node, bound: frozenset[str], known: dict[tuple[int, frozenset[str]], frozenset[str]]
) -> frozenset[str]:
    if isinstance(node, Var):
        return frozenset() if node.name in bound else frozenset((node.name,))
    at = (id(node), bound)
    if at not in known:
        if isinstance(node, Aggregate):
            outside = [node.rows.base] if node.rows.base is not None else []
            inside = [part for part in (node.where, node.value, node.by) if part is not None]
            own = frozenset((node.rows.items,)) if node.rows.items else frozenset()
        else:
            outside, inside, own = list(children(node)), [], frozenset()
        inner = bound | {node.var} if isinstance(node, Aggregate) else bound
        parts = [*((part, bound) for part in outside), *((part, inner) for part in inside)]
        known[at] = own.union(*(_free_names(part, names, known) for part, names in parts))
    return known[at]


def substitute(node: Node, values: dict[str, Node]) -> Node:
    """The expression with names replaced. Loop variables are never replaced: the checker keeps names apart.

    What stands in several places stays one node: chains of `let` that use each other would grow without end."""
    return _substitute_part(node, values, {}) if values else node


def _substitute_part(value: Any, values: dict[str, Node], done: dict[int, Any]) -> Any:
    if isinstance(value, Var):
        return values.get(value.name, value)
    if isinstance(value, Node):
        if id(value) not in done:
            parts = {name: _substitute_part(getattr(value, name), values, done) for name in _PARTS[type(value)]}
            changed = {name: part for name, part in parts.items() if part is not getattr(value, name)}
            done[id(value)] = replace(value, **changed) if changed else value
        return done[id(value)]
    if isinstance(value, Rows):
        base = None if value.base is None else _substitute_part(value.base, values, done)
        return value if base is value.base else replace(value, base=base)
    if isinstance(value, tuple):
        items = tuple(_substitute_part(item, values, done) for item in value)
        return value if all(map(operator.is_, items, value)) else items
    return value


def statement_nodes(statement: Any) -> Iterator[Node]:
    """The expressions that stand directly in a statement (not those of nested statements)."""
    for f in fields(statement):
        if f.name not in ("do", "otherwise"):
            yield from _nodes_in(getattr(statement, f.name))
