"""Write calls that can be made again without one of them: rows that one call makes and another uses are left open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from worldwright.kinds.database.session import Session
from worldwright.world.records import Call

NO_ROW = "NONE-0"
"""Stands for a row that was never made: no world has such an id."""

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """The `ordinal`-th row of `entity` that the call number `call` makes."""

    call: int
    entity: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class Step:
    """A write call of an episode, under the number that its rows are known by."""

    number: int
    call: Call


@dataclass(frozen=True, slots=True)
class Played:
    """What became of the steps of an episode."""

    steps: tuple[Step, ...]
    """Those that went through."""
    made: Mapping[int, tuple[tuple[str, str], ...]]
    """By number of the step, (entity, id) of the rows that it made, in order."""


def number_steps(session: Session, calls: Sequence[Call]) -> tuple[Step, ...]:
    """Make the calls once, all but the last, and open the ids of rows that they make."""
    made: dict[int, tuple[tuple[str, str], ...]] = {}
    out = []
    for number, call in enumerate(calls):
        out.append(Step(number, Call(call.tool, _open(call.arguments, made))))
        if number == len(calls) - 1:
            break
        made[number] = _make_call(session, call)[1]
    return tuple(out)


def play(session: Session, steps: Sequence[Step]) -> Played:
    """Make the calls of an episode, whatever becomes of each."""
    made: dict[int, tuple[tuple[str, str], ...]] = {}
    through = []
    for step in steps:
        ok, rows = _make_call(session, fill(step.call, made))
        made[step.number] = rows
        if ok:
            through.append(step)
    return Played(tuple(through), made)


def fill(call: Call, made: Mapping[int, Sequence[tuple[str, str]]]) -> Call:
    """Put ids in the place of the rows that earlier calls made."""
    return Call(call.tool, fill_value(call.arguments, made))


def _make_call(session: Session, call: Call) -> tuple[bool, tuple[tuple[str, str], ...]]:
    before = len(session.list_created())
    result = session.call(call.tool, call.arguments)
    return result.ok, session.list_created()[before:]


def fill_value(value: Any, made: Mapping[int, Sequence[tuple[str, str]]]) -> Any:
    """Put ids in the place of the rows that earlier calls made, in one value."""
    if isinstance(value, Made):
        own = [key for entity, key in made.get(value.call, ()) if entity == value.entity]
        return own[value.ordinal] if value.ordinal < len(own) else NO_ROW
    if isinstance(value, Mapping):
        return {name: fill_value(item, made) for name, item in value.items()}
    return [fill_value(item, made) for item in value] if isinstance(value, (list, tuple)) else value


def _open(value: Any, made: Mapping[int, Sequence[tuple[str, str]]]) -> Any:
    if isinstance(value, str):
        for number, rows in made.items():
            for at, (entity, key) in enumerate(rows):
                if key == value:
                    return Made(number, entity, sum(e == entity for e, _ in rows[:at]))
    if isinstance(value, Mapping):
        return {name: _open(item, made) for name, item in value.items()}
    return [_open(item, made) for item in value] if isinstance(value, (list, tuple)) else value


def list_values(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every plain value in arguments, with where it stands, in one order whoever wrote them down."""
    if isinstance(value, (Mapping, list, tuple)):
        for key, item in sorted(value.items()) if isinstance(value, Mapping) else enumerate(value):
            yield from list_values(item, (*path, key))
    else:
        yield path, value


def put(value: Any, path: Path, new: Any) -> Any:
    """Copy arguments with another value at one place."""
    if not path:
        return new
    if isinstance(value, Mapping):
        return {k: put(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return [put(v, path[1:], new) if k == path[0] else v for k, v in enumerate(value)]
