"""Plans: the write calls of a witness, with what one call makes and a later one uses left open until it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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


def play(session: Session, plan: Plan, stop: bool = True, before: PlanResult | None = None) -> PlanResult:
    """Make the calls of a plan. With `stop`, up to the first that is refused. `before` are the first of them, made already."""
    made: list[Mapping[str, Sequence[str]]] = [] if before is None else list(before.made)
    calls: list[Call] = [] if before is None else list(before.calls)
    results: list[Result] = [] if before is None else list(before.results)
    for call in () if stop and not all(r.ok for r in results) else plan[len(calls) :]:
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

    def find(leaf: Any) -> Any:
        if not isinstance(leaf, NewRow):
            return leaf
        rows = made[leaf.step].get(leaf.entity, ()) if leaf.step < len(made) else ()
        return rows[leaf.ordinal] if leaf.ordinal < len(rows) else NOTHING

    return map_leaves(value, find)


def open_new(value: Any, made: Sequence[Mapping[str, Sequence[str]]]) -> Any:
    """Replace every id that an earlier call made by `New`."""
    ids = {
        key: NewRow(step, entity, n)
        for step, rows in reversed(tuple(enumerate(made)))
        for entity, keys in rows.items()
        for n, key in enumerate(keys)
    }
    return map_leaves(value, lambda leaf: ids.get(leaf, leaf) if isinstance(leaf, str) else leaf)


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


def map_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """Copy a value with every plain value inside it changed."""
    if isinstance(value, Mapping):
        return {k: map_leaves(v, change) for k, v in value.items()}
    return [map_leaves(v, change) for v in value] if isinstance(value, (list, tuple)) else change(value)


def replace_at(value: Any, path: Path, new: Any) -> Any:
    """Copy a value with another one at the path; a name that is not there yet is added."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, Mapping):
        added = {} if head in value else {head: new}
        return {**{k: replace_at(v, rest, new) if k == head else v for k, v in value.items()}, **added}
    return [replace_at(v, rest, new) if i == head else v for i, v in enumerate(value)]
