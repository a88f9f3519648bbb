"""The texts of a gym: what tasks say, what the handbook says, and what stands in rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from worldwright.engine.world import World
from worldwright.gate.contamination.records import HANDBOOK, INSTRUCTION, ROW, GymText
from worldwright.gate.contamination.words import SHORT, words
from worldwright.kinds.database.runtime import Runtime

MIN_NAMES = 10
"""A column with fewer names than this is a list of words, not of names."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What of a gym is compared."""

    texts: tuple[GymText, ...]
    names: Mapping[str, frozenset[str]]
    """By column, its short values of two words and more, as words."""
    too_short: int


def texts_of(world: World) -> Texts:
    """Texts of eight words and more, each once, and the names of columns that have many."""
    held: dict[str, GymText] = {}
    short = 0
    for own in (*_instructions(world), *_handbook(world)):
        if len(words(own.text)) < SHORT:
            short += 1
        else:
            held.setdefault(f"{own.task}\x1f{own.text}", own)
    names: dict[str, set[str]] = {}
    rows: dict[str, list[tuple[str, str]]] = {}
    for column, key, text in _cells(world):
        found = words(text)
        if len(found) >= SHORT:
            rows.setdefault(text, []).append((column, key))
        elif len(found) > 1:
            names.setdefault(column, set()).add(" ".join(found))
    texts = (*held.values(), *(_row(text, places) for text, places in rows.items()))
    many = {column: frozenset(found) for column, found in names.items() if len(found) >= MIN_NAMES}
    return Texts(texts, many, short + sum(map(len, names.values())))


def _instructions(world: World) -> Iterator[GymText]:
    for task in world.tasks:
        for text in dict.fromkeys((task.instruction, *task.turns)):
            yield GymText(INSTRUCTION, task.id, text, task.id)


def _handbook(world: World) -> Iterator[GymText]:
    for number, line in enumerate(world.handbook.splitlines(), start=1):
        if line.strip():
            yield GymText(HANDBOOK, f"handbook line {number}", line)


def _cells(world: World) -> Iterator[tuple[str, str, str]]:
    """Column, id of the row and text, for every text in the opening state."""
    runtime = world.runtime
    if not isinstance(runtime, Runtime):
        return
    conn = runtime.compiled.connect(runtime.state)
    try:
        for table in runtime.compiled.tables:
            cursor = conn.execute(f'SELECT * FROM "{table}" ORDER BY id')
            columns = [c[0] for c in cursor.description]
            at = columns.index("id")
            for row in cursor.fetchall():
                found = zip(columns, row, strict=True)
                yield from ((f"{table}.{c}", str(row[at]), v) for c, v in found if isinstance(v, str) and " " in v)
    finally:
        conn.close()


def _row(text: str, places: list[tuple[str, str]]) -> GymText:
    column, key = places[0]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return GymText(ROW, f"{column} {key}{more}", text, rows=tuple(dict.fromkeys(key for _, key in places)))


def map_tasks_by_row(world: World) -> Mapping[str, frozenset[str]]:
    """Map the id of a row to the tasks whose key names it."""
    out: dict[str, set[str]] = {}
    for task in world.tasks:
        for text in _strings(asdict(world.key(task.id))):
            out.setdefault(text, set()).add(task.id)
    return {key: frozenset(found) for key, found in out.items()}


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _strings(inner)
