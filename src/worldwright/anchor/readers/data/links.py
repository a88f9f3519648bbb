"""How tables hang together: columns whose values are keys of another table, and whose names say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.data.columns import NUMBERS, Column
from worldwright.anchor.readers.data.tables import Table, Told
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

ENOUGH = 0.95
"""Of the values of a column that have to be keys there."""
SOME = 0.5
"""From here on it is told that a reference seems to be meant."""
ALIKE = 0.8
ABOVE = wordset("parent manager supervisor boss superior predecessor previous reports superseded")
"""Words for another record of the same table."""
MAX_TABLES = 300


@dataclass(frozen=True, slots=True)
class Known:
    """A table with its columns and its key."""

    table: Table
    columns: tuple[Column, ...]
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A reference: the table and the column there, empty for its key."""

    to: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class _Target:
    known: Known
    column: Column
    values: frozenset[str]
    noun: tuple[str, ...]

    @property
    def is_key(self) -> bool:
        return self.known.key == (self.column.name,)


def links(tables: Sequence[Known], told: Told) -> Mapping[tuple[str, str], Link]:
    """By table and column, what it refers to."""
    targets = [t for known in tables[:MAX_TABLES] for t in _targets(known)]
    out: dict[tuple[str, str], Link] = {}
    for known in tables[:MAX_TABLES]:
        for column in known.columns:
            declared = known.table.declared.refers.get(column.name)
            if declared is not None:
                out[known.table.name, column.name] = Link(*declared)
                continue
            found = _best(known, column, targets, told)
            if found is not None:
                by = "" if found.is_key else found.column.name
                out[known.table.name, column.name] = Link(found.known.table.name, by)
    return out


def _targets(known: Known) -> Iterator[_Target]:
    """The columns of a table that tell its records apart."""
    for column in known.columns:
        if column.single and (known.key == (column.name,) or (column.unique and column.required)):
            yield _Target(known, column, frozenset(map(_text, column.different)), noun(known.table.name))


def _best(known: Known, column: Column, targets: Sequence[_Target], told: Told) -> _Target | None:
    if not column.may_be_key:
        return None
    words = parts(column.name)
    ranked: list[tuple[int, float, int, _Target]] = []
    near: list[tuple[float, _Target]] = []
    given: frozenset[str] | None = None
    for i, target in enumerate(targets):
        own = target.known is known
        if own and (target.column is column or known.key == (column.name,)):
            continue
        rank = _agreement(words, target, own)
        if rank is None or known.key == (column.name,) == ("id",):
            continue
        if given is None:
            given = frozenset(map(_text, column.different))
        share = len(given & target.values) / len(given) if given else 0.0
        if share >= ENOUGH:
            ranked.append((rank, -share, i, target))
        elif share >= SOME and rank == 0:
            near.append((share, target))
    if ranked:
        return min(ranked, key=lambda r: r[:3])[3]
    for share, target in near[:1]:
        what = f"`{column.name}` of `{known.table.name}` seems to refer to `{target.known.table.name}`"
        told.warn(f"{what}, but only {share:.0%} of its values are there", known.table.source)
    return None


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def _agreement(words: tuple[str, ...], target: _Target, own: bool) -> int | None:
    """Return how well the name of a column fits: 0 very well, 2 a little, None not at all."""
    there = parts(target.column.name)
    if not target.is_key:
        return 1 if not own and words in ((*target.noun, *there), (*target.noun[-1:], *there)) else None
    stem = words[:-1] if len(words) > 1 and (words[-1] == "id" or words[-1] in NUMBERS) else words
    if len(words) == 1 and words[0].endswith("id") and len(words[0]) > 4:
        stem = (words[0][:-2],)
    if stem == ("id",) or not stem:
        return None
    if own:
        return 1 if ABOVE & set(stem) or stem[-1:] == target.noun[-1:] else None
    base = (*stem[:-1], singular(stem[-1]))
    if base in (target.noun, target.noun[-1:]):
        return 0
    if words == there and (len(words) > 1 or words[0] in NUMBERS):
        return 0 if there[:-1] in (target.noun, target.noun[-1:]) else 1
    if base[-1:] == target.noun[-1:] or base == target.noun[: len(base)]:
        return 1
    alike = SequenceMatcher(None, "_".join(base), "_".join(target.noun)).ratio()
    return 2 if stem != words and alike >= ALIKE else None
