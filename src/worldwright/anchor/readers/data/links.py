"""How tables hang together: columns whose values are keys of another table, and whose names say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.data.columns import NUMBERS, Column
from worldwright.anchor.readers.data.tables import Table, Told
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

ENOUGH, SOME = 0.95, 0.5
"""Of the values of a column that have to be keys there; and from which on it is told that a reference seems to be meant."""
ABOVE = wordset("parent manager supervisor boss superior predecessor previous reports superseded")
"""Words for another record of the same table."""
MAX_TABLES = 300


@dataclass(frozen=True, slots=True)
class Known:
    """A table with its columns and its key."""

    table: Table
    columns: tuple[Column, ...]
    key: tuple[str, ...]


_Target = tuple[Known, Column, frozenset[str]]
"""A column that tells the records of a table apart, and its values."""


def links(tables: Sequence[Known], told: Told) -> Mapping[tuple[str, str], tuple[str, str]]:
    """By table and column, what it refers to: a table, and the column there, empty for its key."""
    targets = [t for known in tables[:MAX_TABLES] for t in _targets(known)]
    out: dict[tuple[str, str], tuple[str, str]] = {}
    for known in tables[:MAX_TABLES]:
        for column in known.columns:
            found = known.table.refers.get(column.name) or _best(known, column, targets, told)
            if found:
                out[known.table.name, column.name] = found
    return out


def _targets(known: Known) -> Iterator[_Target]:
    for column in known.columns:
        if column.single and (known.key == (column.name,) or (column.unique and column.required)):
            yield known, column, frozenset(map(_text, column.different))


def _best(known: Known, column: Column, targets: Sequence[_Target], told: Told) -> tuple[str, str] | None:
    """The table that the values and the name of a column agree on."""
    own_key = known.key == (column.name,)
    if not column.may_be_key or (own_key and column.name == "id"):
        return None
    words = parts(column.name)
    best: tuple[int, float, tuple[str, str]] | None = None
    near: tuple[float, str] | None = None
    for there, target, keys in targets:
        if there is known and (target is column or own_key):
            continue
        is_key = there.key == (target.name,)
        rank = _agreement(words, noun(there.table.name), parts(target.name), is_key=is_key, own=there is known)
        if rank is None:
            continue
        given = frozenset(map(_text, column.different))
        share = len(given & keys) / len(given) if given else 0.0
        if share >= ENOUGH and (best is None or (rank, -share) < best[:2]):
            best = rank, -share, (there.table.name, "" if is_key else target.name)
        elif SOME <= share < ENOUGH and rank == 0 and near is None:
            near = share, there.table.name
    if best is None and near is not None:
        says = f"`{column.name}` of `{known.table.name}` seems to refer to `{near[1]}`"
        told.warn(f"{says}, but only {near[0]:.0%} of its values are there", known.table.source)
    return best[2] if best else None


def _text(value: Any) -> str:
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


def _agreement(
    words: tuple[str, ...], resource: tuple[str, ...], there: tuple[str, ...], *, is_key: bool, own: bool
) -> int | None:
    """Return how well the name of a column fits one of a resource: 0 very well, 1 well, None not at all."""
    if not is_key:
        return 1 if not own and words in ((*resource, *there), (*resource[-1:], *there)) else None
    stem = words[:-1] if len(words) > 1 and (words[-1] == "id" or words[-1] in NUMBERS) else words
    if len(words) == 1 and words[0].endswith("id") and len(words[0]) > 4:
        stem = (words[0][:-2],)
    if stem == ("id",) or not stem:
        return None
    if own:
        return 1 if ABOVE & set(stem) or stem[-1:] == resource[-1:] else None
    base = (*stem[:-1], singular(stem[-1]))
    if base in (resource, resource[-1:]):
        return 0
    if words == there and (len(words) > 1 or words[0] in NUMBERS):
        return 0 if there[:-1] in (resource, resource[-1:]) else 1
    return 1 if base[-1:] == resource[-1:] or base == resource[: len(base)] else None
