"""The rows of a task in its file: what they are called, and the calls that say which came, changed and went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import Type
from worldwright.kinds.database.emit import source as s
from worldwright.kinds.database.emit.expressions import RUNTIME, literal
from worldwright.kinds.database.emit.source import statement
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
    """The calls that say which rows a task is about, and what became of rows."""

    def __init__(self, schema: Schema, accepts: Sequence[Accepted]) -> None:
        self.schema = schema
        self.accepts = accepts
        self._made = {p.label: p for accepted in reversed(accepts) for p in reversed(accepted) if p.label}
        """By label, the pattern of a row that is new, or that may be any."""

    # values

    def row(self, table: str, key: str) -> s.Code:
        """A row that was there at the start."""
        return s.call(f"{RUNTIME}.row", s.text(table), s.text(key))

    def labelled(self, table: str, label: str) -> s.Code:
        """The row of a label: a certain one, one that the episode makes, or one that may be any."""
        own = self._made.get(label)
        if own is not None and own.table == table and own.id:
            return self.row(table, own.id)
        if own is None or own.table != table or own.op != "added":
            return s.call(f"{RUNTIME}.some", s.text(table), s.text(label))
        return s.call(f"{RUNTIME}.new", s.text(table), *([] if label == f"{table}_1" else [s.text(label)]))

    def value(self, value: Any, kind: Type) -> s.Code:
        """A value in storage form."""
        if isinstance(value, str):
            return s.text(value)
        if kind.kind == "bool" and value is not None:
            return s.Code(str(bool(value)))
        return s.Code(literal(n.Const(kind, value)))

    def arguments(self, use: Use, *nodes: n.Node) -> list[s.Code]:
        """What a function of a goal is called with: all its rows, and what was said that it uses."""
        needed = frozenset[str]().union(*map(n.free_names, nodes))
        rows = ((kind.entity, use.rows[name]) for name, kind in use.goal.given.items())
        return [
            *(self.labelled(table, at["row"]) if "row" in at else self.row(table, at["id"]) for table, at in rows),
            *(self.value(use.said[name], kind) for name, kind in use.goal.states.items() if name in needed),
        ]

    def each(self, table: str, keys: Sequence[str], indent: int) -> list[str]:
        """The head of a loop over several rows."""
        rows = s.call(f"{RUNTIME}.rows", s.text(table), *map(s.text, keys))
        return statement(rows, indent, "for row in ", ":")

    # what changed

    def changes(self) -> list[str]:
        """The end state; where several are accepted, what they share, and the rest of each as a function."""
        first, *others = self.accepts or ((),)
        shared = tuple(p for p in first if all(p in accepted for accepted in others))
        counts: dict[str, int] = {}
        lines = self._calls(shared, counts, 4)
        if not others:
            return lines
        ways = [f"way_{number}" for number in range(1, len(self.accepts) + 1)]
        for way, accepted in zip(ways, self.accepts, strict=True):
            own = self._calls(tuple(p for p in accepted if p not in shared), dict(counts), 8)
            lines += [*([""] if lines else []), f"    def {way}() -> None:", *(own or ["        pass"])]
        return [*lines, "", *statement(s.call("expect.one_of", *map(s.Code, ways)), 4)]

    def _calls(self, patterns: Accepted, counts: dict[str, int], indent: int) -> list[str]:
        """The calls for these rows. `counts` are the new rows of each table so far."""
        lines: list[str] = []
        for run in _runs(patterns):
            first = run[0]
            cells = list(self._cells(first))
            if len(run) > 1:
                lines += self.each(first.table, [p.id for p in run], indent)
                lines += statement(s.call(f"expect.{first.op}", s.Code("row"), *cells), indent + 4)
                continue
            counts[first.table] = counts.get(first.table, 0) + (first.op == "added")
            what = self._what(first, f"{first.table}_{counts[first.table]}")
            lines += statement(s.call(f"expect.{first.op}", what, *cells), indent)
        return lines

    def _what(self, pattern: Pattern, usual: str) -> s.Code:
        """The row of a pattern; of a new one that has the usual label, only the table."""
        if pattern.many:
            return s.call(f"{RUNTIME}.many", s.text(pattern.table), *([s.text(pattern.label)] if pattern.label else []))
        if pattern.op == "added" and pattern.label == usual:
            return s.text(pattern.table)
        return self.row(pattern.table, pattern.id) if pattern.id else self.labelled(pattern.table, pattern.label)

    def _cells(self, pattern: Pattern) -> Iterator[s.Code]:
        """What is demanded, then what must be a moment of the episode, then what is free."""
        columns = self.schema.entities[pattern.table].columns
        for name, cell in pattern.cells.items():
            if isinstance(cell, Is):
                yield s.keyword(name, self.value(cell.value, columns[name].type))
            elif isinstance(cell, Of):
                yield s.keyword(name, self.labelled(columns[name].type.entity, cell.label))
        for name, cell in pattern.cells.items():
            if isinstance(cell, During):
                yield s.keyword(name, s.Code(f"{RUNTIME}.DURING"))
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
