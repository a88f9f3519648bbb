"""Flaws that can be said in data: a key's `expects` in, the same with one thing wrong out.

Each function yields every way to plant its flaw in one key, with where it was planted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from worldwright.blueprint.schema import Entity, Schema
from worldwright.kinds.database.compile.tasks.plans import replace_at
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.verify.net import NetRow, list_compared

Expects: TypeAlias = Mapping[str, Any]
Planted: TypeAlias = Iterator[tuple[str, Expects]]


@dataclass(frozen=True, slots=True)
class Witness:
    """What a flaw may need to know of the task besides its key."""

    schema: Schema
    rows: Mapping[int, NetRow]
    """By pattern of the first accepted end state, the row that the witness has for it."""
    answer: Mapping[str, Any]
    forbidden: Sequence[Mapping[str, Any]]
    """What doing it anyway would change, as patterns; for a refusal."""
    writable: Mapping[tuple[str, str], frozenset[str]]
    """By (op, table) that tools of this role can bring about, the columns they set."""
    siblings: Mapping[str, str]
    """By id that a goal is about, another row of the table."""
    rules: Sequence[str]
    """Every rule of the handbook."""

    def value(self, p: int, column: str) -> Any:
        """What the witness has in a cell, as people write it."""
        row = self.rows[p]
        return to_json(row.cells.get(column), self.schema.entities[row.table].columns[column].type)


# an assertion dropped


def row_not_demanded(expects: Expects, witness: Witness) -> Planted:
    """An end state without one of the rows is accepted too."""
    for a, patterns in enumerate(expects["accepts"]):
        for p, pattern in enumerate(patterns):
            rest = [_unnamed(other, pattern.get("as")) for q, other in enumerate(patterns) if q != p]
            yield f"{a}.{p} {pattern['table']}", {**expects, "accepts": [*expects["accepts"], rest]}


def nothing_demanded(expects: Expects, witness: Witness) -> Planted:
    """The untouched state is accepted too."""
    if [] not in expects["accepts"]:
        yield "accepts", {**expects, "accepts": [*expects["accepts"], []]}


def part_not_asked_for(expects: Expects, witness: Witness) -> Planted:
    """A part of the answer is not looked at."""
    for name in expects["answer"]:
        yield name, {**expects, "answer": {k: v for k, v in expects["answer"].items() if k != name}}


def either_outcome(expects: Expects, witness: Witness) -> Planted:
    """Done and refused are the same to it."""
    yield "answer", {**expects, "answer": {k: v for k, v in expects["answer"].items() if k not in ("outcome", "rule")}}


# a frame widened


def more_rows_allowed(expects: Expects, witness: Witness) -> Planted:
    """Any number of other rows of a table may come, change or go."""
    for op, table in witness.writable:
        cells = {} if op == "removed" else dict.fromkeys(list_compared(witness.schema.entities[table]), "any")
        extra = {"op": op, "table": table, "many": True, "cells": cells}
        wider = [[*patterns, extra] for patterns in expects["accepts"]]
        yield f"{op} {table}", {**expects, "accepts": [*expects["accepts"], *wider]}


def more_columns_allowed(expects: Expects, witness: Witness) -> Planted:
    """Another column of a row that changes may be anything."""
    for at, pattern in _patterns(expects):
        if pattern["op"] != "changed":
            continue
        columns = [c for c in list_compared(witness.schema.entities[pattern["table"]]) if c not in pattern["cells"]]
        for column in columns:
            if column in witness.writable.get(("changed", pattern["table"]), ()):
                cells = {**pattern["cells"], column: "any"}
                yield f"{_told(at)} {column}", replace_at(expects, at, {**pattern, "cells": cells})


def cell_not_compared(expects: Expects, witness: Witness) -> Planted:
    """A value that must be there may be any."""
    for at, pattern in _patterns(expects):
        for column, cell in pattern["cells"].items():
            if isinstance(cell, Mapping) and "is" in cell:
                yield f"{_told(at)} {column}", replace_at(expects, (*at, "cells", column), "any")


def reference_not_followed(expects: Expects, witness: Witness) -> Planted:
    """A reference to a new row may be to any."""
    for at, pattern in _patterns(expects):
        for column, cell in pattern["cells"].items():
            if isinstance(cell, Mapping) and "row" in cell:
                yield f"{_told(at)} {column}", replace_at(expects, (*at, "cells", column), "any")


def moment_not_compared(expects: Expects, witness: Witness) -> Planted:
    """A moment of the episode may be any."""
    for at, pattern in _patterns(expects):
        for column, cell in pattern["cells"].items():
            if cell == "during":
                yield f"{_told(at)} {column}", replace_at(expects, (*at, "cells", column), "any")


def another_row_will_do(expects: Expects, witness: Witness) -> Planted:
    """The row that changes or goes may be any of its table."""
    for at, pattern in _patterns(expects):
        if pattern.get("id"):
            free = {k: v for k, v in pattern.items() if k != "id"}
            yield _told(at), replace_at(expects, at, {**free, "as": "free"})


# something pinned that is open


def new_id_pinned(expects: Expects, witness: Witness) -> Planted:
    """A new row must have the id that the witness's has."""
    for p, pattern in enumerate(expects["accepts"][0]):
        if pattern["op"] == "added" and p in witness.rows:
            yield f"0.{p}", replace_at(expects, ("accepts", 0, p), {**pattern, "id": witness.rows[p].id})


def reference_pinned(expects: Expects, witness: Witness) -> Planted:
    """A reference to a new row must be the id that the witness's row has."""
    for p, column, cell in _cells(expects, witness):
        if isinstance(cell, Mapping) and "row" in cell:
            yield f"0.{p} {column}", _pinned(expects, witness, p, column)


def choice_pinned(expects: Expects, witness: Witness) -> Planted:
    """What anybody may choose must be what the witness chose."""
    for p, column, cell in _cells(expects, witness):
        kind = _column(witness, p, column)
        if cell == "any" and kind.sort not in ("text", "time"):
            yield f"0.{p} {column}", _pinned(expects, witness, p, column)


def text_compared_by_value(expects: Expects, witness: Witness) -> Planted:
    """A text must be the witness's, word for word."""
    for p, column, cell in _cells(expects, witness):
        if cell == "any" and _column(witness, p, column).sort == "text":
            yield f"0.{p} {column}", _pinned(expects, witness, p, column)


def moment_compared_by_value(expects: Expects, witness: Witness) -> Planted:
    """A moment must be the witness's, to the second."""
    for p, column, cell in _cells(expects, witness):
        if cell in ("any", "during") and _column(witness, p, column).sort == "time":
            yield f"0.{p} {column}", _pinned(expects, witness, p, column)


def answer_pinned(expects: Expects, witness: Witness) -> Planted:
    """What follows from the end state must be what the witness reported."""
    for name, part in expects["answer"].items():
        value = witness.answer.get(name)
        if "tells" in part and (isinstance(value, str) or value is None):
            yield name, replace_at(expects, ("answer", name), {"is": value})
        elif "tells" in part and isinstance(value, (int, float)) and not isinstance(value, bool):
            yield name, replace_at(expects, ("answer", name), {"number": value, "places": 6})


def alternative_dropped(expects: Expects, witness: Witness) -> Planted:
    """One of several accepted end states is not."""
    if len(expects["accepts"]) > 1:
        for a in range(len(expects["accepts"])):
            yield str(a), {**expects, "accepts": [x for i, x in enumerate(expects["accepts"]) if i != a]}


# the wrong thing asked for


def wrong_side(expects: Expects, witness: Witness) -> Planted:
    """Done where it is to be refused, and the other way round; for a refusal also that having done it is accepted."""
    other = "refused" if expects["outcome"] == "done" else "done"
    yield "answer", replace_at(expects, ("answer", "outcome"), {"is": other})
    yield "outcome", {**expects, "outcome": other}
    if witness.forbidden:
        yield "accepts", {**expects, "accepts": [*expects["accepts"], list(witness.forbidden)]}


def wrong_rule_named(expects: Expects, witness: Witness) -> Planted:
    """A refusal has to name another rule."""
    if "rule" in expects["answer"]:
        right = expects["answer"]["rule"]["is"]
        for rule in [r for r in witness.rules if r != right][:2]:
            yield rule, replace_at(expects, ("answer", "rule"), {"is": rule})


def rule_swapped(expects: Expects, witness: Witness) -> Planted:
    """The rules that the task is about are others."""
    for k, rule in enumerate(expects["rules"]):
        other = next((r for r in witness.rules if r not in expects["rules"]), None)
        rules = [r for i, r in enumerate(expects["rules"]) if i != k]
        yield f"without {rule}", {**expects, "rules": rules}
        if other is not None:
            yield f"{other} for {rule}", {**expects, "rules": [*rules, other]}


def about_another_row(expects: Expects, witness: Witness) -> Planted:
    """The goal is about the row next to the right one."""
    for g, use in enumerate(expects["goals"]):
        for name, at in use["rows"].items():
            if at.get("id") in witness.siblings:
                sibling = {"id": witness.siblings[at["id"]]}
                yield f"{g}.{name}", replace_at(expects, ("goals", g, "rows", name), sibling)


def said_otherwise(expects: Expects, witness: Witness) -> Planted:
    """The goal demands a value a little beside what was said."""
    for g, use in enumerate(expects["goals"]):
        for name, value in use["said"].items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield f"{g}.{name}", replace_at(expects, ("goals", g, "said", name), value + 1)


ANSWER, CHANGES, GOALS, RULES = (
    frozenset({"answer"}),
    frozenset({"changes"}),
    frozenset({"goals"}),
    frozenset({"rules"}),
)
"""The parts of a verdict that a flaw can make a difference to."""

LOOSER: tuple[tuple[str, Callable[[Expects, Witness], Planted]], ...] = (
    ("a row is not demanded", row_not_demanded),
    ("nothing is demanded", nothing_demanded),
    ("more rows may change", more_rows_allowed),
    ("more columns may change", more_columns_allowed),
    ("a cell is not compared", cell_not_compared),
    ("a reference is not followed", reference_not_followed),
    ("a moment is not compared", moment_not_compared),
    ("another row will do", another_row_will_do),
)
"""Of what changed, less is looked at. Goals often demand the same again, so these are also planted where no goal is looked at."""

KINDS: tuple[tuple[str, Callable[[Expects, Witness], Planted], frozenset[str]], ...] = (
    *((name, flaws, CHANGES) for name, flaws in LOOSER),
    ("a part of the answer is not asked for", part_not_asked_for, ANSWER),
    ("either outcome will do", either_outcome, ANSWER),
    ("the id of a new row is pinned", new_id_pinned, CHANGES),
    ("a reference to a new row is pinned", reference_pinned, CHANGES),
    ("a choice is pinned", choice_pinned, CHANGES),
    ("a text is compared by value", text_compared_by_value, CHANGES),
    ("a moment is compared by value", moment_compared_by_value, CHANGES),
    ("an answer that depends is pinned", answer_pinned, ANSWER),
    ("an accepted alternative is dropped", alternative_dropped, CHANGES),
    ("the wrong side is accepted", wrong_side, ANSWER | CHANGES | GOALS),
    ("a refusal must name the wrong rule", wrong_rule_named, ANSWER),
    ("a rule is left out or swapped", rule_swapped, RULES),
    ("the goal is about another row", about_another_row, GOALS | ANSWER),
    ("the goal demands another value", said_otherwise, GOALS | ANSWER),
)


# reading a key


def _patterns(expects: Expects) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    for a, patterns in enumerate(expects["accepts"]):
        for p, pattern in enumerate(patterns):
            yield ("accepts", a, p), pattern


def _cells(expects: Expects, witness: Witness) -> Iterator[tuple[int, str, Any]]:
    """The cells of the first accepted end state that the witness has a value for."""
    for p, pattern in enumerate(expects["accepts"][0]):
        for column, cell in pattern["cells"].items():
            if p in witness.rows and column in witness.rows[p].cells:
                yield p, column, cell


def _column(witness: Witness, p: int, column: str) -> Any:
    entity: Entity = witness.schema.entities[witness.rows[p].table]
    return entity.columns[column]


def _pinned(expects: Expects, witness: Witness, p: int, column: str) -> Expects:
    pinned: Expects = replace_at(expects, ("accepts", 0, p, "cells", column), {"is": witness.value(p, column)})
    return pinned


def _unnamed(pattern: Mapping[str, Any], label: str | None) -> Mapping[str, Any]:
    """A pattern without references to a row that is no longer there."""
    cells = {k: "any" if label and v == {"row": label} else v for k, v in pattern["cells"].items()}
    return {**pattern, "cells": cells}


def _told(at: Sequence[str | int]) -> str:
    return ".".join(map(str, at[1:]))
