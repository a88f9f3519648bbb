"""What an episode changed, written so that two ends can be held against each other whatever new rows are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from worldwright.blueprint.schema import Column
from worldwright.kinds.database.tables import Table
from worldwright.kinds.database.unit_of_work import Change

Changes: TypeAlias = Counter[tuple[str, ...]]
"""Every row that came or went, and every cell of another row that is not as it was."""

FOLLOWS = frozenset({"derived", "sequence", "log"})
"""Sorts of columns that follow from others, or that a Blueprint declares to be of no account."""


FIRST_TEXT = "a text where there was none"


def list_changes(tables: Mapping[str, Table], changes: Iterable[Change], span: tuple[str, str]) -> Changes:
    """List the changes that count. Lines of a trail follow from what was done; what a text says and when within the episode a
    thing happened make no difference here."""
    every = [change for change in changes if not tables[change.entity].entity.trail]
    new = {change.id: f"a new {change.entity}" for change in every if change.before is None}
    out: Changes = Counter()
    for entity, key, before, after in every:
        table = tables[entity]
        if after is None:
            out["removed", entity, key] += 1
            continue
        cells = [
            (column.name, _write_cell(column, None if before is None else before[i], after[i], new, span))
            for column in table.entity.stored
            for i in [table.position[column.name]]
            if column.sort not in FOLLOWS and (column.sort != "text" if before is None else before[i] != after[i])
        ]
        if before is None:
            out["added", entity, repr(cells)] += 1
        else:
            for name, value in cells:
                out["changed", entity, key, name, value] += 1
    return out


def _write_cell(column: Column, before: Any, value: Any, new: Mapping[str, str], span: tuple[str, str]) -> str:
    if column.type.kind == "text" and column.sort == "text" and (before or value):
        return "other words, or none" if before else FIRST_TEXT
    if value is None or column.type.kind == "bool":
        return repr(value)
    if column.type.kind == "text":
        return _hide_ids(str(value), new)
    if column.sort == "time" and isinstance(value, str) and span[0] <= value <= span[1]:
        return "then"
    return new.get(value, repr(value)) if column.type.kind == "ref" else repr(value)


def _hide_ids(text: str, new: Mapping[str, str]) -> str:
    for key, name in new.items():
        text = text.replace(key, name)
    return text


def holds_more(one: Changes, other: Changes) -> bool:
    """Return whether the one has all that the other has, and more."""
    return one != other and not other - one


def drop_first_texts(changes: Changes) -> Changes:
    """Leave out texts where there were none: words that come with a call that is needed are judged by the facts they state."""
    return Counter({change: number for change, number in changes.items() if change[-1] != FIRST_TEXT})


def list_places(changes: Changes) -> Changes:
    """List what was changed, without what it is now: rows that came or went, and cells."""
    out: Changes = Counter()
    for change, number in changes.items():
        out[change[:2] if change[0] == "added" else change[:4]] += number
    return out
