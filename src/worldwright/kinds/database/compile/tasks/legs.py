"""The legs of a walk: goals bound to rows near what the walk has come to, or to anything else, put into words and carried out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from worldwright.blueprint.expr import nodes as n
from worldwright.core.rng import Stream
from worldwright.kinds.database.arguments import value_to_json
from worldwright.kinds.database.compile.tasks.asking import WordedRequest, means_one, word_request
from worldwright.kinds.database.compile.tasks.describe import Describer, Reference, name_kind
from worldwright.kinds.database.compile.tasks.instances import (
    Attempt,
    BoundGoal,
    RowKey,
    WitnessRun,
    attempts,
    is_reached,
    perform,
)
from worldwright.kinds.database.compile.tasks.plans import NewRow, fill_new, make_call, open_new
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.world.records import Call

MAX_NEIGHBOURS = 12
"""Related rows looked at, for each row that the walk has touched."""
MAX_ROWS_ELSEWHERE = 200
"""Rows looked at for a given that nothing near by fits."""
MAX_TRIED = 12
"""Bindings of one goal that are tried, where it is about anything."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One goal of a walk, with its words."""

    bound: BoundGoal
    words: WordedRequest


class Tried:
    """What came of trying a goal on its own, on some of the rows that it can be about; each goal is tried once."""

    def __init__(self, sandbox: Sandbox, seed: int, able: Mapping[str, int] | None) -> None:
        self.able = able
        """The goals that made a task of their own which can be done, where that was tried first, and the calls that it took.
        Others are not worth a leg: a walk fails where nothing shows what one of its goals rests on."""
        self.used: set[RowKey] = set()
        """Rows that other walks are about."""
        self._sandbox = sandbox
        self._seed = seed
        self._found: dict[str, tuple[Attempt, ...]] = {}

    def list_attempts(self, name: str) -> tuple[Attempt, ...]:
        if name not in self._found:
            seed = Stream(self._seed, "elsewhere", name).bits() >> 1
            self._found[name] = tuple(islice(attempts(self._sandbox, name, seed, {}), MAX_TRIED))
        return self._found[name]


@dataclass(slots=True)
class Walk:
    """A request for several things in the making, on a session that stands where it has come to."""

    sandbox: Sandbox
    describer: Describer
    tried: Tried
    path: tuple[Any, ...]
    legs: list[Leg]
    so_far: WitnessRun = field(default_factory=lambda: WitnessRun([], [], []))
    leg_begins: int = 0
    """The number of the first call of the last leg."""

    @property
    def role(self) -> str:
        return self.legs[0].bound.role

    @property
    def actor(self) -> str:
        return self.legs[0].bound.actor

    @property
    def goals(self) -> tuple[str, ...]:
        return tuple(leg.bound.goal for leg in self.legs)

    def estimate_calls(self) -> int:
        """Estimate how many calls the walk takes so far: as many as its goals take each on its own, or else those that write and
        one for each thing that has to be found."""
        able = self.tried.able
        if able is not None:
            return sum(able[goal] for goal in self.goals)
        return len(self.so_far.calls) + sum(len(leg.words.references) for leg in self.legs)

    def list_following(self, only_able: bool = True, again: bool = False) -> list[str]:
        """List the goals that can follow: of the same role, about something, and with words for it; with `again`, those too that
        the walk has already."""
        able = self.tried.able if only_able else None
        return [
            name
            for name, compiled in self.sandbox.goals.items()
            if (again or name not in self.goals)
            and (able is None or name in able)
            and compiled.goal.then
            and compiled.goal.how
            and not compiled.weighs_rules
            and self.role in compiled.goal.roles
            and compiled.goal.given
        ]

    def follow(self, leg: Leg) -> bool:
        """Carry a leg out. Where that leads nowhere, or undoes what was reached, what stood before stands again."""
        kept, told, moved, written = len(self.so_far.calls), self._list_told(), self.list_moved(), self._list_written()
        fine = perform(self.sandbox, leg.bound, (*self.path, len(self.legs), leg.bound.goal), self.so_far)
        if (
            fine
            and len(self.so_far.calls) > kept
            and all(r.ok for r in self.so_far.results)
            and not self.sandbox.session.violations()
            and all(is_reached(self.sandbox, one.bound, self.so_far.made) for one in (*self.legs, leg))
            and self._list_told() == told
            and not self.is_moved_again(moved)
            and not self._is_told_of_others(leg, written)
        ):
            self.legs.append(leg)
            self.leg_begins = kept
            return True
        self.go_back(kept)
        return False

    def _list_told(self) -> list[Any]:
        """List what the legs so far tell. A further leg must leave that as it is: who reports as they go says the same as who
        reports in the end."""
        uow = self.sandbox.session.unit_of_work()
        out: list[Any] = []
        for leg in self.legs:
            compiled = self.sandbox.goals[leg.bound.goal]
            rows = {
                name: uow.row(entity, fill_new(key, self.so_far.made)) for name, (entity, key) in leg.bound.rows.items()
            }
            for run, kind in compiled.tells.values():
                out.append(value_to_json(run(uow, {**rows, **leg.bound.said}), kind))
        return out

    def _is_told_of_others(self, leg: Leg, before: Mapping[RowKey, Any]) -> bool:
        """Return whether a leg writes to rows of a kind that an earlier one wrote to, and the first or last of that kind is told:
        it might be the other's."""
        after = self._list_written()
        own = {at[0] for at, values in after.items() if before.get(at) != values}
        told = {
            node.rows.entity
            for one in (*self.legs, leg)
            for top in self.sandbox.goals[one.bound.goal].goal.tells.values()
            for node in n.walk(top)
            if isinstance(node, n.Aggregate) and node.kind in ("first", "last")
        }
        return bool({entity for entity, _ in before} & own & told)

    def _list_written(self) -> dict[RowKey, Any]:
        """List the rows that the walk has written to, as they are now."""
        return {(c.entity, c.id): c.after for c in self.sandbox.session.changes()}

    def list_moved(self) -> dict[RowKey, Any]:
        """List the rows that were there before and stand in another state now, with that state."""
        entities, tables = self.sandbox.schema.entities, self.sandbox.compiled.tables
        return {
            (entity, key): after[at]
            for entity, key, before, after in self.sandbox.session.changes()
            if before is not None and after is not None
            and entities[entity].state_field
            and before[at := tables[entity].position[entities[entity].state_field]] != after[at]
        }  # fmt: skip

    def is_moved_again(self, moved: Mapping[RowKey, Any]) -> bool:
        """Return whether one of these rows stands in yet another state: nobody has a thing decided twice in one letter."""
        now = self.list_moved()
        return any(now.get(at) != state for at, state in moved.items())

    def go_back(self, kept: int) -> None:
        """Go back to where so many calls were made: they are made again."""
        calls = self.so_far.calls[:kept]
        self.so_far.calls, self.so_far.results, self.so_far.made = [], [], []
        session = self.sandbox.start(self.role, self.actor)
        for call in calls:
            result, rows = make_call(session, Call(call.tool, fill_new(call.arguments, self.so_far.made)))
            self.so_far.calls.append(call)
            self.so_far.results.append(result)
            self.so_far.made.append(rows)

    # near by

    def bind_near(self, name: str, near: Sequence[RowKey], path: tuple[Any, ...]) -> Leg | None:
        """Bind a goal to rows near by, and put it into words; None where that cannot be done, or it is reached already."""
        sandbox, compiled = self.sandbox, self.sandbox.goals[name]
        uow = sandbox.uow(*path, name)
        rows = self._bind_givens(name, near, path)
        if rows is None:
            return None
        said: dict[str, Any] = {}
        for key, run in compiled.drawn.items():
            uow.stream = Stream(*path, name, "said", key)
            said[key] = run(uow, sandbox.frame(uow, rows, said))
        if any(v is None for v in said.values()):
            return None
        if compiled.actor is not None:
            person = compiled.actor(uow, sandbox.frame(uow, rows, said))
            if person is None or person.id != self.actor:
                return None
        made = self.so_far.made
        bound = BoundGoal(
            name, self.role, self.actor, {k: (e, open_new(key, made)) for k, (e, key) in rows.items()}, said
        )
        if is_reached(sandbox, bound, made):
            return None
        words = self._word(name, rows, said, Stream(*path, name, "then"), path[-1], self._map_names())
        return None if words is None else Leg(bound, words)

    def list_near_rows(self) -> list[RowKey]:
        """List rows that the walk has made or touched, then those related to what it was about."""
        sandbox = self.sandbox
        uow = sandbox.session.unit_of_work()
        touched: list[RowKey] = [(c.entity, c.id) for c in sandbox.session.changes() if c.after is not None]
        given = [at for leg in self.legs for at in leg.bound.rows.values() if not isinstance(at[1], NewRow)]
        out = dict.fromkeys((*touched, *given))
        for entity, key in list(out):
            row = uow.row(entity, key)
            if row is None:
                continue
            position = sandbox.compiled.tables[entity].position
            for column in sandbox.schema.entities[entity].refs:
                value = row.values[position[column.name]]
                if value is not None:
                    out[column.type.entity, value] = None
            for way in sandbox.schema.entities[entity].ways.values():
                for child in list(uow.children(way.entity, way.column, key))[:MAX_NEIGHBOURS]:
                    out[way.entity, child.id] = None
        return list(out)

    def _bind_givens(self, name: str, near: Sequence[RowKey], path: tuple[Any, ...]) -> dict[str, RowKey] | None:
        """Bind the givens of a goal: the first from near by, the others from anywhere."""
        sandbox, compiled = self.sandbox, self.sandbox.goals[name]
        uow = sandbox.uow(*path, name, "given")
        rows: dict[str, RowKey] = {}
        for k, (variable, kind) in enumerate(compiled.goal.given.items()):
            test = compiled.where.get(variable)
            frame = sandbox.frame(uow, rows, {})
            pool: Sequence[RowKey] = [at for at in near if at[0] == kind.entity]
            if k > 0 and not pool:
                others = Stream(*path, name, variable).shuffled(sandbox.opening(kind.entity))
                pool = [(kind.entity, row.id) for row in others[:MAX_ROWS_ELSEWHERE]]
            for at in pool:
                row = uow.row(*at)
                if row is None or at in rows.values() or at in sandbox.reserved or at in sandbox.copies:
                    continue
                if test is None or test(uow, {**frame, variable: row, "self": row}):
                    rows[variable] = at
                    break
            if variable not in rows:
                return None
        return rows

    def _map_names(self) -> dict[RowKey, str]:
        """Map rows that the last leg has made or spoken of to what they are called after it. What lies further back has its own
        name: nobody knows after three other things which is "the same"."""
        out: dict[RowKey, str] = {}
        for rows in self.so_far.made[self.leg_begins :]:
            for entity, keys in rows.items():
                if len(keys) == 1 and sum(entity in r for r in self.so_far.made) == 1:
                    out[entity, keys[0]] = f"the {name_kind(self.sandbox, entity)} that came of that"
        references = [reference for leg in self.legs for reference in leg.words.references]
        spoken = dict.fromkeys((reference.entity, reference.id) for reference in self.legs[-1].words.references)
        beside = {entity for reference in references for entity in self._list_named_entities(reference)}
        met = {*((r.entity, r.id) for r in references), *((c.entity, c.id) for c in self.sandbox.session.changes())}
        for entity, key in spoken:
            if sum(other == entity for other, _ in met) == 1 and entity not in beside:
                out[entity, key] = f"the same {name_kind(self.sandbox, entity)}"
        return out

    def _list_named_entities(self, reference: Reference) -> Iterator[str]:
        """Yield entities whose rows are named to say which is meant: after `the room that Ann Lee booked` there are two guests."""
        for path, _ in reference.facts:
            entity = reference.entity
            for step in path[:-1]:
                entity = self.sandbox.schema.entities[entity].columns[step].type.entity
                yield entity

    # anywhere

    def bind_elsewhere(self, name: str, stream: Stream, forbidden: bool = False) -> Iterator[Leg]:
        """Bind a goal to rows that the walk has nothing to do with: those on which it can be carried out, or where one rule
        forbids it."""
        compiled = self.sandbox.goals[name]
        met = self.tried.used | {at for leg in self.legs for at in leg.bound.rows.values()}
        found = [
            a.bound
            for a in self.tried.list_attempts(name)
            if (bool(a.forbidden_by) if forbidden else a.clean)
            and a.bound.role == self.role
            and not met & set(a.bound.rows.values())
            and (compiled.actor is None or a.bound.actor == self.actor)
        ]
        if found:
            self.go_back(len(self.so_far.calls))
        for bound in stream.shuffled(found):
            own = replace(bound, actor=self.actor)
            if is_reached(self.sandbox, own, self.so_far.made):
                continue
            words = self._word(name, own.rows, own.said, stream, len(self.legs), {})
            if words is not None:
                yield Leg(own, replace(words, apart=True))

    def _word(
        self,
        name: str,
        rows: Mapping[str, RowKey],
        said: Mapping[str, Any],
        stream: Stream,
        prefer: int,
        known: Mapping[RowKey, str],
    ) -> WordedRequest | None:
        """Put a further goal into words; None where a row cannot be named so that it alone is meant."""
        then = stream.pick(self.describer.list_ways(self.sandbox.goals[name].goal.then))
        words = word_request(self.sandbox, self.describer, then, rows, said, prefer, known)
        return words if words is not None and means_one(self.sandbox, name, then, rows, said) else None
