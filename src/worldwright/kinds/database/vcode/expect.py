"""The vocabulary: each call says one thing that must hold. What was said is compared by the engine's own verifier.

Amounts are in storage form, as everywhere in generated files; only what an agent reports is as people write it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.types import TEXT, Type
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.kinds.database import tool_runtime
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.unit_of_work import UnitOfWork
from worldwright.kinds.database.verify.net import list_compared
from worldwright.kinds.database.verify.patterns import AnyValue, Cell, During, Is, Of, Pattern
from worldwright.kinds.database.verify.spec import Names, Reported, RowAt, Specification, Stated, Wanted, sort_patterns

ANY = AnyValue()
"""Nobody asked for a certain value here, or goal and rules say which are right."""
DURING = During()
"""A moment of the episode."""
IDS = Type("list")
"""Ids in any order, each once."""

Condition = Callable[..., Any]
"""A function of the context of the final state, and of rows and values."""


def row(table: str, key: str) -> RowAt:
    """A row that was there at the start."""
    return RowAt(table, key)


def rows(table: str, *keys: str) -> tuple[RowAt, ...]:
    """Several of them."""
    return tuple(RowAt(table, key) for key in keys)


def new(table: str, name: str = "") -> RowAt:
    """A row that the episode makes, whatever its id; `name` where a table gets several."""
    return RowAt(table, label=name or f"{table}_1")


def some(table: str, name: str) -> RowAt:
    """A row that was there at the start, whichever it is; the same one everywhere under this name."""
    return RowAt(table, label=name)


def many(table: str, name: str = "") -> RowAt:
    """One row or more that all ended alike."""
    return RowAt(table, label=name, many=True)


def free(*columns: str) -> dict[str, AnyValue]:
    """Columns that may hold anything."""
    return dict.fromkeys(columns, ANY)


class Expect:
    """What must have come of an episode, as it is said."""

    def __init__(self, compiled: CompiledWorld) -> None:
        self._compiled = compiled
        self._goals: list[Wanted] = []
        self._texts: list[Stated] = []
        self._patterns: list[Pattern] = []
        self._ways: list[tuple[Pattern, ...]] = []
        self._framed = self._no_others = False
        self._rules: list[str] = []
        self._answers: list[Reported] = []
        self._request: str | None = None

    # the goal

    def goal(self, name: str, condition: Condition, /, *args: Any) -> None:
        """A condition on the final state. Said several times under one name, it must hold each time."""
        names, run = self._applied(condition, args)
        self._goals.append(Wanted(name, names, run))

    def states(
        self, text: Condition, fact: Condition, /, *args: Any, kind: Type = TEXT, role: tuple[str, ...] = ()
    ) -> None:
        """A text of the final state that must state a fact, and nothing else of the same kind in its role."""
        names, said = self._applied(text, args)
        self._texts.append(Stated(names, said, self._applied(fact, args)[1], kind, role))

    def only_true_texts(self, request: str) -> None:
        """Every figure, name and promise in a text that is left open must be true of the rows around it, or be said here."""
        self._request = request

    # what changed

    def added(self, what: RowAt | str, /, **cells: Any) -> RowAt:
        """A row that must have come. Every column on which states are compared is named."""
        if isinstance(what, str):
            known = sum(p.op == "added" and p.table == what for p in self._patterns)
            what = new(what, f"{what}_{known + 1}")
        left_out = [c for c in list_compared(self._entity(what.table)) if c not in cells]
        if left_out:
            raise UsageError(
                f"added {what.table}: nothing is said of {left_out[0]}; `ww.free({left_out[0]!r})` leaves it open"
            )
        return self._pattern("added", what, cells)

    def changed(self, what: RowAt, /, **cells: Any) -> RowAt:
        """A row that must have changed, with what the columns hold now that may be different from before."""
        return self._pattern("changed", what, cells)

    def removed(self, what: RowAt) -> RowAt:
        """A row that must be gone."""
        return self._pattern("removed", what, {})

    def one_of(self, *ways: Callable[[], None]) -> None:
        """One of several end states, tried in turn. Each way says what changed; what is said outside holds for all."""
        if self._ways:
            raise UsageError("`one_of` is said once; a way holds everything that goes together")
        outside = self._patterns
        for way in ways:
            self._patterns = list(outside)
            way()
            self._ways.append(tuple(self._patterns[len(outside) :]))
        self._patterns = outside

    def nothing_else_changed(self) -> None:
        """Every other row of every table is as it was, in all that counts."""
        self._framed = True

    nothing_changed = nothing_else_changed

    # rules

    def rule_kept(self, rule: str) -> None:
        """A rule of the handbook that no call of the episode may have broken."""
        policies = self._compiled.blueprint.policies
        if rule not in policies:
            raise UsageError(f"this world has no rule {rule!r}; {suggest(rule, policies)}")
        self._rules.append(rule)

    def no_other_rule_broken(self) -> None:
        """Every other rule of the handbook was kept."""
        self._no_others = True

    no_rule_broken = no_other_rule_broken

    # the answer

    def answer(self, name: str, wanted: Any, /, *args: Any, kind: Type = TEXT) -> None:
        """A part of what was submitted: a value as people write it, or a function that works it out on the final state."""
        how = None if kind is IDS else kind
        if callable(wanted):
            names, run = self._applied(wanted, args)
            self._answers.append(Reported(name, how, None, names, run))
        else:
            value = wanted.id if isinstance(wanted, RowAt) else list(wanted) if how is None else wanted
            self._answers.append(Reported(name, how, value))

    # what all of it comes to

    def specification(self) -> Specification:
        outside = tuple(self._patterns)
        accepts = tuple(sort_patterns((*outside, *way)) for way in self._ways or [()])
        return Specification(
            tuple(self._goals), tuple(self._texts), accepts, self._framed, tuple(self._rules), self._no_others,
            tuple(self._answers), self._request,
        )  # fmt: skip

    def _pattern(self, op: str, what: RowAt, cells: Mapping[str, Any]) -> RowAt:
        columns = self._entity(what.table).columns
        for name in cells:
            if name not in columns or not columns[name].stored:
                raise UsageError(f"{what.table} has no column {name!r}; {suggest(name, _stored(columns.values()))}")
        read = {name: _cell(value) for name, value in cells.items()}
        self._patterns.append(Pattern(op, what.table, what.label, what.id, read, what.many))
        return what

    def _entity(self, table: str) -> Any:
        entities = self._compiled.blueprint.schema.entities
        if table not in entities:
            raise UsageError(f"this world has no table {table!r}; {suggest(table, entities)}")
        return entities[table]

    def _applied(self, function: Condition, args: tuple[Any, ...]) -> tuple[Names, Callable[[UnitOfWork, Any], Any]]:
        """A function with what it is called with: rows are looked up in the final state first."""
        compiled = self._compiled

        def run(uow: UnitOfWork, frame: Mapping[str, Any]) -> Any:
            outer = tool_runtime.ToolContext(compiled, uow)
            found = (
                tool_runtime.Record(outer, frame[str(i)]) if isinstance(a, RowAt) else a for i, a in enumerate(args)
            )
            return tool_runtime.stored(function(outer, *found))

        rows = {str(i): a for i, a in enumerate(args) if isinstance(a, RowAt)}
        for at in rows.values():
            self._entity(at.table)
        return Names(rows), run


def _cell(value: Any) -> Cell:
    match value:
        case AnyValue() | During():
            return value
        case RowAt():
            return Is(value.id) if value.id else Of(value.label)
        case bool():
            return Is(int(value))
    return Is(value)


def _stored(columns: Iterable[Any]) -> list[str]:
    return [c.name for c in columns if c.stored]


@dataclass(frozen=True, slots=True)
class Check:
    """What `@ww.task` makes of a function."""

    task: str
    role: str
    actor: str
    """The id of the person the agent acts as."""
    says: Callable[[Expect], None]


def task(name: str, *, role: str = "", actor: str = "") -> Callable[[Callable[[Expect], None]], Check]:
    """Whose episodes the function is about."""
    return lambda says: Check(name, role, actor, says)


def specification(check: Check, compiled: CompiledWorld) -> Specification:
    """Return what the file says, in the engine's own terms."""
    expect = Expect(compiled)
    check.says(expect)
    return expect.specification()
