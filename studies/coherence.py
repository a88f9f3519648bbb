"""Count the rows of opening states that cannot be: the figure to reach is 0.

    python -m studies.coherence --domains hotel_booking,it_service_desk --seeds 7,90210
    python -m studies.coherence --domains all --seeds 7,90210,51515

States are grown, without tasks and without filed requests. Every row is held against every invariant of its Blueprint, and against
what no Blueprint has to say, read off the names of its fields:

- what is past (`paid_on`, `sent_at`) does not lie after now,
- what begins a row (its first required moment in the past) comes before all that happened to it, and before its end or due day,
- what ends comes after what begins (`starts_on` and `ends_on`, `valid_from` and `valid_until`),
- a row that is `closed` says when (`closed_on`), and one that has only begun does not,
- no row refers to one that began later than itself.

What a mess layer touched is excused for the rows and the fields that it touched, by its name; an invariant, for the rows.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from worldwright import catalogue
from worldwright.blueprint.schema import Column, Entity
from worldwright.kinds.database.compile.moments import is_past
from worldwright.kinds.database.compile.state.build import GrownState, grow_state
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.invariants import find_broken_rows
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork

_END = re.compile(r"(?!\w+ed_until)(?:\w+_)?(?:until|by)|ends_(?:on|at)|expires_on|due_on|due_back")
"""Names of the day by which something ends or is due; `worked_until` says how far something has come."""
_PAIRS = (
    ("starts_on", "ends_on"), ("starts_at", "ends_at"), ("from_on", "to_on"), ("from_on", "until_on"), ("from_on", "back_on"),
    ("arrival_on", "departure_on"), ("departs_on", "arrives_on"), ("cutoff_on", "departs_on"), ("valid_from", "valid_until"),
    ("away_from", "away_until"), ("freeze_from", "freeze_to"), ("first_day", "last_day"), ("out_on", "due_back"),
    ("started_on", "last_day"), ("cut_off", "pay_on"), ("launched_on", "retired_on"), ("joined_on", "left_on"),
    ("joined_on", "ended_on"), ("since_on", "ended_on"), ("since_on", "last_used_on"), ("hired_on", "left_on"),
)  # fmt: skip
"""What begins, and what ends it."""
_LONG_GONE = frozenset(
    ("born_on", "built_on", "spent_on", "occurred_on", "happened_on", "incurred_on", "worked_on", "earned_on")
)
"""Moments that may be before the row came to be: of what it tells."""
_LATEST = frozenset(
    ("moved_on", "raised_on", "checked_on", "reviewed_on", "changed_on", "synced_on", "tested_on", "step_on")
)
"""Moments that move on while a row lives, where it has a life."""
MAX_SHOWN = 5
"""Rows that are shown of one kind."""


class Incoherent(NamedTuple):
    """A row that cannot be."""

    entity: str
    id: str
    kind: str
    what: str


@dataclass(frozen=True)
class State:
    """An opening state to look over."""

    compiled: CompiledWorld
    grown: GrownState
    uow: UnitOfWork

    @property
    def entities(self) -> Mapping[str, Entity]:
        return self.compiled.blueprint.schema.entities

    @cached_property
    def touched(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """By row, the fields that a mess layer touched; an empty name for the whole row."""
        out: dict[tuple[str, str], set[str]] = {}
        for cell in self.grown.blemishes:
            out.setdefault((cell.entity, cell.id), set()).add(cell.column)
        return {at: frozenset(names) for at, names in out.items()}

    def read(self, row: Row, name: str) -> Any:
        """Read a field; None where a mess layer wrote it."""
        spoilt = self.touched.get((row.entity, row.id), frozenset())
        return None if name in spoilt or "" in spoilt else row.values[self.compiled.tables[row.entity].position[name]]


def find_begin(entity: Entity) -> str:
    """Find the field that says when a row came to be: its first required moment in the past; empty where it has none."""
    others = _LONG_GONE | (_LATEST if entity.lifecycle else frozenset[str]())
    return next((c.name for c in entity.columns.values() if is_past(c) and not c.optional and c.name not in others), "")


def list_timed(entity: Entity) -> list[Column]:
    return [c for c in entity.stored if c.type.kind in ("date", "time")]


# the checks


def find_future(state: State) -> Iterator[Incoherent]:
    """Find moments in the past that lie after now."""
    now = state.uow.now
    for name, entity in state.entities.items():
        names = [c.name for c in list_timed(entity) if is_past(c) and not (entity.lifecycle and c.name in _LATEST)]
        for row in state.uow.rows(name) if names else ():
            for field in names:
                value = state.read(row, field)
                if value is not None and str(value) > now[: len(str(value))]:
                    yield Incoherent(name, row.id, f"{name}.{field} lies ahead", f"{value}, and now is {now}")


def find_disorder(state: State) -> Iterator[Incoherent]:
    """Find rows to which something happened before they began, and rows that end before they begin."""
    for name, entity in state.entities.items():
        begin = find_begin(entity)
        timed = {c.name: c for c in list_timed(entity)}
        pairs = [(a, b) for a, b in _PAIRS if a in timed and b in timed]
        if begin:
            later = [c.name for c in timed.values() if is_past(c) and c.optional]
            ends = [n for n in timed if _END.fullmatch(n) and not n.startswith("away")]
            pairs += [(begin, other) for other in (*later, *ends)]
        for row in state.uow.rows(name) if pairs else ():
            for first, last in pairs:
                a, b = state.read(row, first), state.read(row, last)
                if a is not None and b is not None and _is_before(b, a):
                    yield Incoherent(name, row.id, f"{name}: {last} before {first}", f"{b} before {a}")


def _is_before(one: Any, other: Any) -> bool:
    length = min(len(str(one)), len(str(other)))
    return str(one)[:length] < str(other)[:length]


def find_unsaid(state: State) -> Iterator[Incoherent]:
    """Find rows whose state and moments contradict each other: closed and nobody says when, or just begun with a day for what
    comes later."""
    for name, entity in state.entities.items():
        fields = {
            word: f"{word}_{end}"
            for word in entity.lifecycle
            for end in ("on", "at")
            if f"{word}_{end}" in entity.columns
        }
        fields = {
            word: field
            for word, field in fields.items()
            if entity.columns[field].optional and entity.columns[field].stored
        }
        first = next(iter(entity.lifecycle), "")
        never = [word for word in fields if first not in find_reached(entity.lifecycle, word)]
        for row in state.uow.rows(name) if fields else ():
            stands = state.read(row, entity.state_field)
            for word, field in fields.items():
                value = state.read(row, field)
                spoilt = state.touched.get((name, row.id), frozenset())
                if stands == word and value is None and not spoilt & {"", field}:
                    yield Incoherent(name, row.id, f"{name} is {word} without {field}", "")
                if stands == first and word in never and value is not None:
                    yield Incoherent(name, row.id, f"{name} is {stands} with {field}", str(value))


def find_reached(lifecycle: Mapping[str, Sequence[str]], word: str) -> set[str]:
    """Find the states that a row can be in that has been in this one."""
    out, waiting = {word}, [word]
    while waiting:
        for other in lifecycle.get(waiting.pop(), ()):
            if other not in out:
                out.add(other)
                waiting.append(other)
    return out


def find_later_made(state: State) -> Iterator[Incoherent]:
    """Find rows that refer to one that began after them."""
    begins = {name: find_begin(entity) for name, entity in state.entities.items()}
    for name, entity in state.entities.items():
        refs = [c for c in entity.refs if not c.optional and begins[c.type.entity]]
        for row in state.uow.rows(name) if refs and begins[name] else ():
            began = state.read(row, begins[name])
            for column in refs:
                other = state.uow.row(column.type.entity, row.values[state.compiled.tables[name].position[column.name]])
                first = None if other is None else state.read(other, begins[column.type.entity])
                if began is not None and first is not None and _is_before(began, first):
                    kind = f"{name}.{column.name} began later ({begins[name]}, {begins[column.type.entity]})"
                    yield Incoherent(name, row.id, kind, f"{began}, and {other.id if other else ''} {first}")


def find_broken_invariants(state: State) -> Iterator[Incoherent]:
    """Find rows that break an invariant, but for those that a mess layer touched."""
    for watch in state.compiled.watches:
        for key in find_broken_rows(watch, state.uow):
            if (watch.each, key) not in state.touched:
                yield Incoherent(watch.each, key, f"invariant {watch.name}", watch.says)


CHECKS: tuple[Callable[[State], Iterator[Incoherent]], ...] = (
    find_broken_invariants, find_future, find_disorder, find_unsaid, find_later_made,
)  # fmt: skip


def find_incoherent(compiled: CompiledWorld, grown: GrownState) -> list[Incoherent]:
    """Find every row of a state that cannot be."""
    with closing(compiled.connect(grown.data)) as conn:
        uow = compiled.unit_of_work(conn)
        uow.now = compiled.blueprint.schema.now
        uow.today = uow.now[:10]
        state = State(compiled, grown, uow)
        return [found for check in CHECKS for found in check(state)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domains", default="all", help="of the catalogue, with commas between; all")
    parser.add_argument("--seeds", default="7")
    asked = parser.parse_args()
    rows = incoherent = 0
    for name in catalogue.names() if asked.domains == "all" else asked.domains.split(","):
        compiled = compile_blueprint(catalogue.text(name))
        for seed in map(int, asked.seeds.split(",")):
            grown = grow_state(compiled, seed)
            found = find_incoherent(compiled, grown)
            bad = len({(one.entity, one.id) for one in found})
            rows, incoherent = rows + sum(grown.rows.values()), incoherent + bad
            print(f"{name} (seed {seed}): {bad} of {sum(grown.rows.values()):,} rows incoherent", flush=True)
            for kind, count in Counter(one.kind for one in found).most_common():
                shown = [f"{one.id} {one.what}".strip() for one in found if one.kind == kind][:MAX_SHOWN]
                print(f"  {count} {kind}: {'; '.join(shown)}")
    print(f"{incoherent} of {rows:,} rows incoherent")
    return 1 if incoherent else 0


if __name__ == "__main__":
    sys.exit(main())
