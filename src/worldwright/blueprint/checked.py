"""A Blueprint with meaning: everything resolved and typed. This is what every later layer reads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from worldwright.blueprint.expr.nodes import Const, Format, Node, Rows
from worldwright.blueprint.expr.scope import Key, Parsed
from worldwright.blueprint.model import Blueprint, CaseSpec, MessSpec
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import Type

# statements


@dataclass(frozen=True, slots=True)
class Let:
    name: str
    value: Node


@dataclass(frozen=True, slots=True)
class Find:
    name: str
    rows: Rows
    where: Node | None
    by: Node | None
    descending: bool
    code: str
    """The error where there is no such row; empty where none is a fine answer."""
    says: Format | None


@dataclass(frozen=True, slots=True)
class Require:
    test: Node
    code: str
    says: Format | None
    text: str
    """The condition as the author wrote it."""


@dataclass(frozen=True, slots=True)
class Obey:
    policy: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Set:
    row: Node
    values: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Add:
    entity: str
    values: tuple[tuple[str, Node], ...]
    name: str


@dataclass(frozen=True, slots=True)
class Remove:
    row: Node


@dataclass(frozen=True, slots=True)
class When:
    test: Node
    do: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Each:
    var: str
    rows: Rows
    where: Node | None
    by: Node | None
    descending: bool
    carry: tuple[tuple[str, Node], ...]
    do: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Run:
    operation: str
    args: tuple[tuple[str, Node], ...]
    name: str


Statement: TypeAlias = Let | Find | Require | Obey | Set | Add | Remove | When | Each | Run

# operations


@dataclass(frozen=True, slots=True)
class Input:
    name: str
    type: Type
    optional: bool = False
    default: Const | None = None
    low: int | None = None
    """In storage form; for a list, the least number of elements; for text, of characters."""
    high: int | None = None
    parts: tuple[Input, ...] = ()
    """Of one element of a list input; a single part named '' for a list of plain values."""
    says: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter of a search: the input it is, the column, and how they compare (== <= >= contains)."""

    name: str
    column: str
    op: str


@dataclass(frozen=True, slots=True)
class Embed:
    """A reference, or a way back, whose records a read embeds."""

    name: str
    ref: Node | None
    way: str


@dataclass(frozen=True, slots=True)
class Search:
    entity: str
    where: Node | None
    filters: tuple[Filter, ...]
    sorts: tuple[str, ...]
    descending: bool
    """Whether the default order is the largest first."""
    shows: tuple[tuple[str, Node], ...]
    embeds: tuple[Embed, ...] = ()


@dataclass(frozen=True, slots=True)
class Get:
    entity: str
    where: Node | None
    embeds: tuple[Embed, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    system: str
    says: str
    roles: tuple[str, ...]
    """Who may call it; empty for anyone."""
    inputs: tuple[Input, ...]
    once: Node | None
    body: tuple[Statement, ...]
    gives: Node | tuple[tuple[str, Node], ...] | None
    read: Search | Get | None = None
    origin: str = ""
    lasts: int | None = None
    """Minutes that a successful call takes, where the Blueprint says so."""
    waits: Node | None = None
    wakes: Node | None = None

    def input(self, name: str) -> Input | None:
        return next((i for i in self.inputs if i.name == name), None)


# rules


@dataclass(frozen=True, slots=True)
class Term:
    name: str
    takes: Mapping[str, Type]
    body: Node
    says: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    name: str
    takes: Mapping[str, Type]
    rule: Node | None
    when: Node | None
    beats: tuple[str, ...]
    binding: Node
    """What must hold once `when` and the policies that beat this one are taken into account."""
    parameters: Mapping[str, Const]
    says: str
    """Rendered with this variant's parameters."""
    enforced: str
    code: str
    cases: tuple[CaseSpec, ...]
    text: str = ""
    origin: str = ""
    behind: tuple[str, ...] = ()
    """The rules that this one would beat, where this variant puts it behind them."""


@dataclass(frozen=True, slots=True)
class Invariant:
    name: str
    each: str
    holds: Node
    says: str


@dataclass(frozen=True, slots=True)
class How:
    """One call of a goal's witness."""

    operation: str
    args: tuple[tuple[str, Node], ...]
    name: str
    test: Node | None


@dataclass(frozen=True, slots=True)
class Filed:
    """The call that put a request into the world, who made it, and how somebody is pointed to what it made."""

    call: How
    role: str
    asks: tuple[Format, ...]


@dataclass(frozen=True, slots=True)
class KnownFact:
    """What a requester tells when they are asked for it."""

    name: str
    kind: str
    says: Format
    called: tuple[str, ...]
    asked: tuple[str, ...]
    thinks: Format | None = None


@dataclass(frozen=True, slots=True)
class KnownAct:
    """What a requester does when they are asked to."""

    name: str
    operation: str
    args: tuple[tuple[str, Node], ...]
    called: tuple[str, ...]
    asked: tuple[str, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A goal as a conversation."""

    draws: Mapping[str, tuple[Type, Node]]
    opens: tuple[Format, ...]
    knows: tuple[KnownFact, ...]
    does: tuple[KnownAct, ...]
    changes: tuple[Format, ...]
    adds: tuple[Format, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    name: str
    roles: tuple[str, ...]
    """Who can be asked; empty where nobody in particular acts in this world."""
    actor: Node | None
    given: Mapping[str, Type]
    where: Mapping[str, Node]
    states: Mapping[str, Type]
    drawn: Mapping[str, Node]
    """How what the asker says is drawn, by name."""
    wants: Node
    text: str
    """`wants` as the author wrote it."""
    how: tuple[How, ...]
    tells: Mapping[str, Node]
    mentions: tuple[tuple[Node, tuple[Node, ...]], ...]
    mends: tuple[str, ...]
    asks: tuple[Format, ...]
    files: Filed | None = None
    then: tuple[Format, ...] = ()
    each: tuple[Format, ...] = ()
    """With the name `which` for what tells the rows."""
    talk: Talk | None = None


# the past


@dataclass(frozen=True, slots=True)
class Step:
    operation: str
    role: str
    actor: Node | None
    args: tuple[tuple[str, Node], ...]
    name: str
    after: Node
    chance: float
    test: Node | None


@dataclass(frozen=True, slots=True)
class Flow:
    name: str
    per_week: float
    seasonal: str
    weekdays: bool
    steps: tuple[Step, ...]
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Reaction:
    """What others do at a moment because an operation was called."""

    name: str
    says: str
    operation: str
    names: tuple[str, ...]
    """The arguments of that call, which it knows."""
    row: str
    """What it calls the row that the call gave, of this entity."""
    entity: str
    at: Node
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Mess:
    spec: MessSpec
    entity: str = ""
    column: str = ""
    values: tuple[tuple[str, Node], ...] = ()


@dataclass(frozen=True, eq=False)
class Checked:
    """The whole Blueprint, ready for the compiler and the engine."""

    blueprint: Blueprint
    """Patterns applied, parameters of this variant chosen."""
    schema: Schema
    computed: Mapping[tuple[str, str], Node]
    kept: Mapping[tuple[str, str], Node]
    draws: Mapping[tuple[str, str], Node]
    called: Mapping[str, tuple[Format, ...]]
    """The ways in which people refer to a row of each entity."""
    terms: Mapping[str, Term]
    policies: Mapping[str, Policy]
    operations: Mapping[str, Operation]
    always: Mapping[str, Invariant]
    goals: Mapping[str, Goal]
    span_days: int
    flows: Mapping[str, Flow]
    mess: tuple[Mess, ...]
    digest: str = ""
    ahead_days: int = 0
    reactions: tuple[Reaction, ...] = ()
    live: Mapping[str, Node] = field(default_factory=dict)
    """By entity that has rows which no longer count, which ones do."""
    dependents: Mapping[str, tuple[tuple[str, str, str], ...]] = field(default_factory=dict)
    """For each entity, the kept fields that change with its rows: (owner entity, field, reference column or '' for own)."""
    parsed: Mapping[Key, Parsed] = field(default_factory=dict, repr=False, compare=False)
    """Its expressions as the parser gave them, for Blueprints that are derived from this one."""


P = ParamSpec("P")
T = TypeVar("T")


def once_per_blueprint(work: Callable[Concatenate[Checked, P], T]) -> Callable[Concatenate[Checked, P], T]:
    """Work something out once for each Blueprint and positional arguments. It is forgotten when the Blueprint is."""
    known: WeakKeyDictionary[Checked, dict[Hashable, Any]] = WeakKeyDictionary()

    @wraps(work)
    def get(checked: Checked, /, *args: P.args, **kwargs: P.kwargs) -> T:
        results = known.setdefault(checked, {})
        if args not in results:
            results[args] = work(checked, *args, **kwargs)
        found: T = results[args]
        return found

    return get
