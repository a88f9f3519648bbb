"""Plans: the write calls of a witness, with what one call makes and a later one uses left open until it is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from worldwright.kinds.database.session import Session
from worldwright.world.records import Call, Result


@dataclass(frozen=True, slots=True)
class New:
    """The id of a row that an earlier call of the plan makes: its `ordinal`-th row of `entity`."""

    step: int
    entity: str
    ordinal: int


Plan: TypeAlias = tuple[Call, ...]
"""Calls whose arguments may hold `New`."""


@dataclass(frozen=True, slots=True)
class Played:
    """How a plan went."""

    calls: tuple[Call, ...]
    """As they were really made."""
    results: tuple[Result, ...]
    broken: tuple[str, ...]
    """Handbook rules broken on the way."""
    made: tuple[Mapping[str, Sequence[str]], ...]
    """By call, the ids of the rows it added, by entity."""

    @property
    def ok(self) -> bool:
        return all(r.ok for r in self.results)


def play(session: Session, plan: Plan, stop: bool = True) -> Played:
    """Make the calls of a plan. With `stop`, up to the first that is refused."""
    made: list[dict[str, list[str]]] = []
    calls: list[Call] = []
    results: list[Result] = []
    for call in plan:
        calls.append(Call(call.tool, filled(call.arguments, made)))
        result, rows = making(session, calls[-1])
        results.append(result)
        made.append(rows)
        if stop and not results[-1].ok:
            break
    return Played(tuple(calls), tuple(results), broken_rules(session), tuple(made))


def making(session: Session, call: Call) -> tuple[Result, dict[str, list[str]]]:
    """Make a call: what came back, and the ids of the rows it added."""
    before = len(session.created())
    result = session.call(call.tool, call.arguments)
    rows: dict[str, list[str]] = {}
    for entity, key in session.created()[before:]:
        rows.setdefault(entity, []).append(key)
    return result, rows


def broken_rules(session: Session) -> tuple[str, ...]:
    """The handbook rules broken so far, each once."""
    return tuple(dict.fromkeys(policy for policy, _, _ in session.violations()))


NOTHING = "NONE-0"
"""What stands for a row that was never made: no world has such an id."""


def filled(value: Any, made: Sequence[Mapping[str, Sequence[str]]]) -> Any:
    """A value with every `New` in it replaced by the id of what was made."""
    if isinstance(value, New):
        rows = made[value.step].get(value.entity, ()) if value.step < len(made) else ()
        return rows[value.ordinal] if value.ordinal < len(rows) else NOTHING
    if isinstance(value, Mapping):
        return {k: filled(v, made) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(v, made) for v in value]
    return value


def opened(value: Any, made: Sequence[Mapping[str, Sequence[str]]]) -> Any:
    """The other way round: every id that an earlier call made becomes `New`."""
    if isinstance(value, str):
        for step, rows in enumerate(made):
            for entity, keys in rows.items():
                if value in keys:
                    return New(step, entity, list(keys).index(value))
    if isinstance(value, Mapping):
        return {k: opened(v, made) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [opened(v, made) for v in value]
    return value


Path: TypeAlias = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every plain value inside arguments, with where it is."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    else:
        yield path, value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A copy with another value at the path."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, Mapping):
        return {k: replaced(v, rest, new) if k == head else v for k, v in value.items()}
    return [replaced(v, rest, new) if i == head else v for i, v in enumerate(value)]
