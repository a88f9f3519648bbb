"""The rows of a task in its file: what they are called, and the calls that say which came, changed and went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import Type
from worldwright.core.errors import TamperedPack
from worldwright.core.names import IDENTIFIER
from worldwright.english.nouns import plural
from worldwright.kinds.database.emit import shapes as s
from worldwright.kinds.database.emit.expressions import RUNTIME, literal
from worldwright.kinds.database.emit.layout import statement
from worldwright.kinds.database.verify.patterns import Accepted, AnyValue, During, Is, Of, Pattern


@dataclass(frozen=True, slots=True)
class Use:
    """A goal with its names filled in."""

    goal: c.Goal
    rows: Mapping[str, Mapping[str, str]]
    """By name, the `id` of a row, or the label of one that the episode makes as `row`."""
    said: Mapping[str, Any]
    """In storage form."""


class Rows:
    """Names for what a task is about, and calls that use them."""

    def __init__(self, schema: Schema, uses: Sequence[Use], accepts: Sequence[Accepted]) -> None:
        self.schema = schema
        self.uses = uses
        self.accepts = accepts
        self._taken = {"expect", "verify", RUNTIME}
        self._rows: dict[tuple[str, str], str] = {}
        """By table and id, the variable."""
        self._said: dict[tuple[str, str], str] = {}
        """By goal and what it calls a value."""
        self._labels: dict[str, tuple[str, str]] = {}
        """By label of a row that is new, or that may be any: the variable, and the table."""

    def take(self, wanted: str) -> str:
        """A name for a variable that no other has."""
        name, number = wanted, 2
        while name in self._taken:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        return name

    # variables

    def variables(self) -> list[str]:
        """Names for the rows and values that the request is about, and for other rows that something refers to."""
        lines: list[str] = []
        if len(self.uses) == len({use.goal.name for use in self.uses}):
            for use in self.uses:
                lines += self._given(use)
        for label in self._used_labels():
            lines += self._labelled(label)
        return lines

    def _given(self, use: Use) -> list[str]:
        lines: list[str] = []
        for name, at in use.rows.items():
            where = (use.goal.given[name].entity, at.get("id", ""))
            if where[1] and where not in self._rows:
                self._rows[where] = self.take(name)
                lines += statement(s.call(f"{RUNTIME}.row", *map(s.text, where)), 4, f"{self._rows[where]} = ")
        for name, value in use.said.items():
            called = self._said[use.goal.name, name] = self.take(name)
            lines += statement(self.value(value, use.goal.states[name]), 4, f"{called} = ")
        return lines

    def _used_labels(self) -> list[str]:
        """The labels that a goal or a cell uses, and those of old rows that may be any."""
        used: dict[str, None] = {}
        for use in self.uses:
            used |= {at["row"]: None for at in use.rows.values() if "row" in at}
        for pattern in self._patterns():
            used |= {cell.label: None for cell in pattern.cells.values() if isinstance(cell, Of)}
            used |= {pattern.label: None} if pattern.label and pattern.op != "added" and not pattern.many else {}
        return list(used)

    def _patterns(self) -> Iterator[Pattern]:
        return (pattern for accepted in self.accepts for pattern in accepted)

    def _labelled(self, label: str) -> list[str]:
        own = next((p for p in self._patterns() if p.label == label), None)
        table = own.table if own is not None else self._table_of(label)
        new = own is not None and own.op == "added"
        alone = new and max(sum(p.op == "added" and p.table == table for p in a) for a in self.accepts) == 1
        name = self.take(table if alone or not IDENTIFIER.match(label) else label)
        self._labels[label] = (name, table)
        if own is not None and own.id:
            made = self.row(table, own.id)
        else:
            named = [] if new and label == f"{table}_1" else [s.text(label)]
            made = s.call(f"{RUNTIME}.{'new' if new else 'some'}", s.text(table), *named)
        return statement(made, 4, f"{name} = ")

    def _table_of(self, label: str) -> str:
        """The table of a row that only cells speak of."""
        for pattern in self._patterns():
            columns = self.schema.entities[pattern.table].columns
            for name, cell in pattern.cells.items():
                if isinstance(cell, Of) and cell.label == label and columns[name].type.entity:
                    return columns[name].type.entity
        raise TamperedPack(f"a key speaks of a row {label!r} that no pattern stands for")

    # values

    def row(self, table: str, key: str) -> s.Shape:
        name = self._rows.get((table, key))
        return s.Word(name) if name else s.call(f"{RUNTIME}.row", s.text(table), s.text(key))

    def value(self, value: Any, kind: Type) -> s.Shape:
        """A value in storage form; a row's name where it is one that has a name."""
        if isinstance(value, str):
            named = self._rows.get((kind.entity, value)) if kind.kind == "ref" else None
            return s.Word(named) if named else s.text(value)
        if kind.kind == "bool" and value is not None:
            return s.Word(str(bool(value)))
        return s.Word(literal(n.Const(kind, value)))

    def answered(self, said: str) -> s.Shape:
        """A text of the answer; a row's name where it is the id of one that has a name."""
        named = next((name for (_, key), name in self._rows.items() if key == said), "")
        return s.Word(named) if named else s.text(said)

    def arguments(self, use: Use, *nodes: n.Node) -> list[s.Shape]:
        """What a function of a goal is called with: all its rows, and what was said that it uses."""
        needed = frozenset[str]().union(*map(n.free_names, nodes))
        out: list[s.Shape] = []
        for name, kind in use.goal.given.items():
            at = use.rows[name]
            out.append(self._under(kind.entity, at["row"]) if "row" in at else self.row(kind.entity, at["id"]))
        for name in use.goal.states:
            called = self._said.get((use.goal.name, name))
            if name in needed:
                out.append(s.Word(called) if called else self.value(use.said[name], use.goal.states[name]))
        return out

    def _under(self, table: str, label: str) -> s.Shape:
        """The row of a label; other end states may use the same label for a row of another table."""
        name, own = self._labels[label]
        return s.Word(name) if own == table else s.call(f"{RUNTIME}.some", s.text(table), s.text(label))

    def each(self, name: str, table: str, keys: Sequence[str], indent: int) -> list[str]:
        """The head of a loop over several rows."""
        rows = s.call(f"{RUNTIME}.rows", s.text(table), *map(s.text, keys))
        one = statement(rows, indent, f"for {name} in ", ":")
        if len(one) == 1:
            return one
        several = self.take(plural(table))
        return [*statement(rows, indent, f"{several} = "), f"{' ' * indent}for {name} in {several}:"]

    # what changed

    def changes(self) -> list[str]:
        """The end state; where several are accepted, what they share, and the rest of each as a function."""
        first, *others = self.accepts or ((),)
        shared = tuple(p for p in first if all(p in accepted for accepted in others))
        counts: dict[str, int] = {}
        lines = self._calls(shared, counts, 4)
        if not others:
            return lines
        ways = []
        for number, accepted in enumerate(self.accepts, start=1):
            ways.append(self.take(f"way_{number}"))
            own = self._calls(tuple(p for p in accepted if p not in shared), dict(counts), 8)
            lines += [*([""] if lines else []), f"    def {ways[-1]}() -> None:", *(own or ["        pass"])]
        return [*lines, "", *statement(s.call("expect.one_of", *map(s.Word, ways)), 4)]

    def _calls(self, patterns: Accepted, counts: dict[str, int], indent: int) -> list[str]:
        """The calls for these rows. `counts` are the new rows of each table so far."""
        lines: list[str] = []
        for run in _runs(patterns):
            first = run[0]
            cells = list(self._cells(first))
            if len(run) > 1:
                name = self.take(first.table)
                lines += self.each(name, first.table, [p.id for p in run], indent)
                lines += statement(s.call(f"expect.{first.op}", s.Word(name), *cells), indent + 4)
                continue
            counts[first.table] = counts.get(first.table, 0) + (first.op == "added")
            what = self._what(first, f"{first.table}_{counts[first.table]}")
            lines += statement(s.call(f"expect.{first.op}", what, *cells), indent)
        return lines

    def _what(self, pattern: Pattern, usual: str) -> s.Shape:
        """The row of a pattern; of a new one that nothing refers to, only the table."""
        table, label = s.text(pattern.table), s.text(pattern.label)
        if pattern.many:
            return s.call(f"{RUNTIME}.many", table, *([label] if pattern.label else []))
        if self._labels.get(pattern.label, ("", ""))[1] == pattern.table:
            return s.Word(self._labels[pattern.label][0])
        if pattern.op == "added":
            return table if pattern.label == usual else s.call(f"{RUNTIME}.new", table, label)
        return self.row(pattern.table, pattern.id) if pattern.id else s.call(f"{RUNTIME}.some", table, label)

    def _cells(self, pattern: Pattern) -> Iterator[s.Shape]:
        """What is demanded, then what must be a moment of the episode, then what is free."""
        columns = self.schema.entities[pattern.table].columns
        for name, cell in pattern.cells.items():
            if isinstance(cell, Is):
                yield s.keyword(name, self.value(cell.value, columns[name].type))
            elif isinstance(cell, Of):
                yield s.keyword(name, s.Word(self._labels[cell.label][0]))
        for name, cell in pattern.cells.items():
            if isinstance(cell, During):
                yield s.keyword(name, s.Word(f"{RUNTIME}.DURING"))
        free = [s.text(name) for name, cell in pattern.cells.items() if isinstance(cell, AnyValue)]
        if free:
            yield s.call(f"**{RUNTIME}.free", *free)


def _runs(patterns: Accepted) -> Iterator[tuple[Pattern, ...]]:
    """Patterns one by one; certain rows that follow each other and ended alike together."""
    run: list[Pattern] = []
    for pattern in patterns:
        if run and not _alike(run[-1], pattern):
            yield tuple(run)
            run = []
        run.append(pattern)
    if run:
        yield tuple(run)


def _alike(one: Pattern, other: Pattern) -> bool:
    plain = one.id and other.id and not (one.label or other.label or one.many or other.many)
    return bool(plain) and (one.op, one.table, one.cells) == (other.op, other.table, other.cells)
