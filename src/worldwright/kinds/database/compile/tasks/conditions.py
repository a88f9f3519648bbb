"""Conditions that pick several rows of a table: what a search can filter by, and how people say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.schema import Column
from worldwright.core.names import to_words
from worldwright.core.rng import Stream
from worldwright.english.nouns import article
from worldwright.kinds.database.arguments import value_to_json
from worldwright.kinds.database.compile.tasks.describe import Describer, Reference, speak
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.unit_of_work import Row

MIN_ROWS, MAX_ROWS = 2, 9
MIN_FILTERS = 3
"""Columns that a search can filter by, from which on conditions keep to these."""

_WORDS = re.compile(r"[^\W_][\w '&.,/+-]*")
"""Texts that a person would quote: no markup, no JSON."""
_NO_NOUN = ("ed", "ing", "paid", "taken", "spent", "held", "sold", "left", "due")


def name_amount(column: str) -> str:
    """`paid` as `amount paid`, since "their paid" is no English."""
    name = to_words(column)
    return f"amount {name}" if name.endswith(_NO_NOUN) and " " not in name else name


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on the rows of a table."""

    arguments: tuple[tuple[str, Any], ...]
    """As a search takes it."""
    phrase: str
    column: str
    kind: str
    """reference, word, amount or date: what sort of condition it is"""
    rows: frozenset[str]
    reference: Reference | None = None
    tests: tuple[tuple[str, str, Any], ...] = ()
    """(field, comparison, value) that no filter of the search stands for: who asks has to look at each record."""
    said: tuple[tuple[str, str, Any], ...] = ()
    """(field, comparison, value) of all that the words say."""


def conditions(
    sandbox: Sandbox, describer: Describer, search: c.Search, pool: Sequence[Row], stream: Stream
) -> Iterator[Condition]:
    """Conditions that single out a few of these rows, one or two for each column that can be filtered.

    Where little can be filtered, columns that are shown count as well: the records are then told apart by looking at them."""
    columns = sandbox.schema.entities[search.entity].columns
    uow = sandbox.session.unit_of_work()
    for f in (*search.filters, *_find_unfiltered_columns(search, columns, sandbox.contract is not None)):
        column = columns[f.column]
        value = sandbox.compiled.evaluator.value(sandbox.field(search.entity, f.column))
        found = [(row.id, value(uow, {"self": row})) for row in pool]
        known = [(key, v) for key, v in found if v is not None]
        if column.type.kind == "text" and f not in search.filters:
            known = [(key, v) for key, v in known if to_words(v) == v and _WORDS.fullmatch(v)]
        found_by: Iterator[Condition] = iter(())
        if f.op == "==" and not column.state:
            found_by = _equal(describer, f, column, known, stream)
        elif f.op == ">=" and column.type.kind == "money":
            found_by = _make_at_least(f, column, known, stream)
        elif f.op == "<=" and column.type.kind == "date" and _is_verbal(f.column):
            found_by = _make_by_day(f, column, known, stream)
        yield from found_by if f in search.filters else map(_test_on_records, found_by)


def _find_unfiltered_columns(search: c.Search, columns: Mapping[str, Column], texts: bool) -> Iterator[c.Filter]:
    """Columns that a search shows and cannot filter by, where it can filter by little. Tools of others have words as texts."""
    kinds: tuple[str, ...] = ("ref", "enum", "bool", "money", "date")
    known = {f.column for f in search.filters}
    if sum(columns[name].type.kind in kinds for name in known) >= MIN_FILTERS:
        return
    kinds += ("text",) if texts else ()
    shown = {name for name, _ in search.shows} or set(columns)
    for name, column in columns.items():
        plain = column.stored and column.shown is None and not column.hidden
        if name in shown and name not in known and plain and column.type.kind in kinds and name != "id":
            op = {"money": ">=", "date": "<="}.get(column.type.kind, "==")
            yield c.Filter(name, name, op)


def _test_on_records(condition: Condition) -> Condition:
    """Test a condition on the records themselves."""
    op = {"amount": ">=", "date": "<="}.get(condition.kind, "==")
    return replace(condition, arguments=(), tests=tuple((name, op, value) for name, value in condition.arguments))


def _equal(
    describer: Describer, f: c.Filter, column: Column, known: Sequence[tuple[str, Any]], stream: Stream
) -> Iterator[Condition]:
    groups: dict[Any, list[str]] = {}
    for key, value in known:
        groups.setdefault(value, []).append(key)
    fitting = [(v, keys) for v, keys in groups.items() if MIN_ROWS <= len(keys) <= MAX_ROWS]
    for value, keys in stream.shuffled(fitting)[:2]:
        arguments = ((f.name, value_to_json(value, column.type)),)
        said = ((f.column, "==", value_to_json(value, column.type)),)
        if column.type.kind == "ref":
            reference = describer.refer(column.type.entity, value)
            if reference is not None:
                phrase = f"whose {to_words(f.column)} is {reference.text}"
                yield Condition(arguments, phrase, f.column, "reference", frozenset(keys), reference, said=said)
        elif column.type.kind == "bool":
            if value:
                phrase = f"that are {to_words(f.column)}"
                yield Condition(arguments, phrase, f.column, "word", frozenset(keys), said=said)
        else:
            phrase = f'with {to_words(f.column)} "{to_words(str(value))}"'
            yield Condition(arguments, phrase, f.column, "word", frozenset(keys), said=said)


def _make_at_least(
    f: c.Filter, column: Column, known: Sequence[tuple[str, Any]], stream: Stream
) -> Iterator[Condition]:
    ordered = sorted((v for _, v in known), reverse=True)
    if len(ordered) <= MIN_ROWS:
        return
    k = stream.between(MIN_ROWS, min(MAX_ROWS, len(ordered) - 1))
    bound = _round_between(ordered[k], ordered[k - 1], column.type.places)
    if bound is not None:
        keys = frozenset(key for key, v in known if v >= bound)
        phrase = f"with {article(name_amount(f.column))} of at least {speak(bound, column.type, 'money')}"
        value = value_to_json(bound, column.type)
        yield Condition(((f.name, value),), phrase, f.column, "amount", keys, said=((f.column, ">=", value),))


def _round_between(low: int, high: int, places: int) -> int | None:
    """A round number above one amount and not above another."""
    for unit in (1000, 500, 100, 50, 10, 1):
        step = unit * 10**places
        found = high // step * step
        if low < found <= high:
            return int(found)
    return None


def _is_verbal(name: str) -> bool:
    """Return whether a date's name reads as a verb before a date: `ordered on`, `due on`."""
    return name == "due_on" or (name.endswith("ed_on") and name.count("_") == 1)


def _make_by_day(f: c.Filter, column: Column, known: Sequence[tuple[str, Any]], stream: Stream) -> Iterator[Condition]:
    ordered = sorted(v for _, v in known)
    if len(ordered) <= MIN_ROWS:
        return
    day = ordered[stream.between(MIN_ROWS - 1, min(MAX_ROWS, len(ordered)) - 1)]
    keys = frozenset(key for key, v in known if v <= day)
    phrase = f"{to_words(f.column)} or before {speak(day, column.type, 'day')}"
    yield Condition(((f.name, day),), phrase, f.column, "date", keys, said=((f.column, "<=", day),))


def join_conditions(one: Condition, other: Condition) -> Condition:
    """Join two conditions."""
    first, second = sorted((one, other), key=lambda x: ("date", "amount", "word", "reference").index(x.kind))
    return Condition(
        (*first.arguments, *second.arguments),
        f"{first.phrase} and {second.phrase}",
        f"{first.column}+{second.column}",
        f"{first.kind}+{second.kind}",
        one.rows & other.rows,
        one.reference or other.reference,
        (*first.tests, *second.tests),
        (*first.said, *second.said),
    )
