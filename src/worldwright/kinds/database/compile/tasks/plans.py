"""Plans: the write calls of a witness, with what one call makes and a later one uses left open until it is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from worldwright.kinds.database.session import Session
from worldwright.world.records import Call, Result


@dataclass(frozen=True, slots=True)
class NewRow:
    """The id of a row that an earlier call of the plan makes: its `ordinal`-th row of `entity`."""

    step: int
    entity: str
    ordinal: int


Plan: TypeAlias = tuple[Call, ...]
"""Calls whose arguments may hold `New`."""


@dataclass(frozen=True, slots=True)
class PlanResult:
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


def play(session: Session, plan: Plan, stop: bool = True) -> PlanResult:
    """Make the calls of a plan. With `stop`, up to the first that is refused."""
    made: list[dict[str, list[str]]] = []
    calls: list[Call] = []
    results: list[Result] = []
    for call in plan:
        calls.append(Call(call.tool, fill_new(call.arguments, made)))
        result, rows = make_call(session, calls[-1])
        results.append(result)
        made.append(rows)
        if stop and not results[-1].ok:
            break
    return PlanResult(tuple(calls), tuple(results), list_broken_rules(session), tuple(made))


def make_call(session: Session, call: Call) -> tuple[Result, dict[str, list[str]]]:
    """Make a call. Returns what came back, and the ids of the rows it added."""
    before = len(session.list_created())
    result = session.call(call.tool, call.arguments)
    rows: dict[str, list[str]] = {}
    for entity, key in session.list_created()[before:]:
        rows.setdefault(entity, []).append(key)
    return result, rows


def list_broken_rules(session: Session) -> tuple[str, ...]:
    """List the handbook rules broken so far, each once."""
    return tuple(dict.fromkeys(policy for policy, _, _ in session.violations()))


NOTHING = "NONE-0"
"""What stands for a row that was never made: no world has such an id."""


def fill_new(value: Any, made: Sequence[Mapping[str, Sequence[str]]]) -> Any:
    """Replace every `New` in a value by the id of what was made."""
    if isinstance(value, NewRow):
        rows = made[value.step].get(value.entity, ()) if value.step < len(made) else ()
        return rows[value.ordinal] if value.ordinal < len(rows) else NOTHING
    if isinstance(value, Mapping):
        return {k: fill_new(v, made) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [fill_new(v, made) for v in value]
    return value


def open_new(value: Any, made: Sequence[Mapping[str, Sequence[str]]]) -> Any:
    """Replace every id that an earlier call made by `New`."""
    if isinstance(value, str):
        for step, rows in enumerate(made):
            for entity, keys in rows.items():
                if value in keys:
                    return NewRow(step, entity, list(keys).index(value))
    if isinstance(value, Mapping):
        return {k: open_new(v, made) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [open_new(v, made) for v in value]
    return value


Path: TypeAlias = tuple[str | int, ...]


def list_leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every plain value inside arguments, with where it is."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from list_leaves(item, (*path, key))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from list_leaves(item, (*path, i))
    else:
        yield path, value


def replace_at(value: Any, path: Path, new: Any) -> Any:
    """Copy a value with another one at the path."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, Mapping):
        return {k: replace_at(v, rest, new) if k == head else v for k, v in value.items()}
    return [replace_at(v, rest, new) if i == head else v for i, v in enumerate(value)]
