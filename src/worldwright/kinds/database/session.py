"""One running copy of a world."""

from __future__ import annotations

import marshal
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from worldwright.blueprint.expr.evaluate import Frame, Run
from worldwright.core import days
from worldwright.core.errors import LostTransaction
from worldwright.core.names import suggest, to_words
from worldwright.kinds.database.agenda import Event
from worldwright.kinds.database.compiled_world import Tool
from worldwright.kinds.database.episode_state import EpisodeState
from worldwright.kinds.database.planned_calls import write_event
from worldwright.kinds.database.reactions import PlannedCall
from worldwright.kinds.database.remembered import arguments_key
from worldwright.kinds.database.unit_of_work import Change, Enforcement, Refusal, Row
from worldwright.world.records import Call, OthersCall, Result, ToolError

Created = tuple[tuple[str, str], ...]
"""(entity, id) of new rows, in the order they came."""
TakeBack = Callable[[Tool, Frame, Callable[[], Any]], Result]
"""Makes a write call and takes it back."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What a write call would do, found out by making it and taking it back."""

    result: Result
    changes: tuple[Change, ...] = ()
    """From the opening state to where the call would lead."""
    broken: tuple[str, ...] = ()
    """Handbook rules that the call itself would break."""
    seen: Any = None
    """What the prober saw there."""


class Session(EpisodeState):
    """One running copy of a world: calls are made in it, and time passes. Not for two threads at once."""

    __slots__ = ()

    # calling

    def call(self, tool: str, arguments: Any) -> Result:
        """Call a tool. What it refuses is a result, never an exception."""
        return self._call(tool, arguments, None)

    def probe(self, tool: str, arguments: Any, look: Callable[[Created], Any] | None = None) -> Probe:
        """Make a write call and take it back. `look` sees the state in between, and is told which rows the call made."""
        found: list[Probe] = []
        said = set(self._said)

        def take_back(tool: Tool, frame: Frame, work: Callable[[], Any]) -> Result:
            counters = dict(self._uow.counters)
            result = self._write(tool, work, counters)
            uow = self._uow
            changes = self._list_changes({**uow.touched, **self._touched})
            created = tuple(at for at, before in uow.touched.items() if before is None)
            broken = tuple(dict.fromkeys(uow.broken))
            found.append(Probe(result, changes, broken, None if look is None else look(created)))
            self._undo(counters)
            return result

        result = self._call(tool, arguments, take_back)
        self._calls -= 1
        self._said = said
        return found[0] if found else Probe(result)

    def _call(self, tool: str, arguments: Any, take_back: TakeBack | None) -> Result:
        if self._lost:
            raise LostTransaction("this session lost its transaction; reset it")
        self._calls += 1
        found = self._opening.compiled.tools.get(str(tool))
        if found is None:
            name = str(tool)[:60]
            message = f"There is no tool `{name}`."
            return Result(
                False,
                None,
                ToolError("UNKNOWN_TOOL", message, None, {"hint": suggest(name, self._opening.compiled.tools)}),
            )
        uow = self._uow
        uow.begin()
        at = None if found.mutates or uow.opening is None else self._make_cache_key(found.name, arguments)
        if at is not None:
            told = self._opening.remembered.told.get(at)
            if told is not None and told.tables.isdisjoint(uow.written):
                self._let_pass(found.lasts)
                return Result(True, marshal.loads(told.data))
        try:
            if uow.actor is None:
                key, entity = self._actor, self._opening.compiled.blueprint.schema.actor
                uow.actor = None if key is None else uow.row(entity, key)
            else:
                uow.keep(uow.actor)
            if found.roles and self._role not in found.roles:
                raise self._make_forbidden(found)
            frame = found.reader.read(uow, arguments)
            if not found.mutates:
                data = found.perform(uow, frame)
                if at is not None and not uow.broken and uow.consulted.isdisjoint(uow.written):
                    self._opening.remembered.tell(at, data, frozenset(uow.consulted))
                self._note_broken(found)
                self._let_pass(found.lasts)
                return Result(True, data)
            if found.waits is not None and take_back is None:
                return self.wait(found, frame)
            result = (take_back or self.transact)(found, frame, lambda: found.perform(uow, frame))
            self._said.update(found.reader.list_texts(arguments))
            return result
        except Refusal as e:
            uow.broken = []
            return Result(False, None, e.error)
        except OverflowError:
            uow.broken = []
            return Result(False, None, ToolError("OUT_OF_RANGE", "A number in this would be too large."))
        except sqlite3.Error as e:
            self._lost = True
            raise LostTransaction(f"{tool}: the database failed: {e}") from e

    def _make_cache_key(self, tool: str, arguments: Any) -> tuple[str, str, str, str, bytes] | None:
        """Make the key under which what a tool gave is remembered: what it depends on beside the rows."""
        key = arguments_key(arguments)
        return None if key is None else (tool, self._role, self._actor or "", self._uow.now, key)

    def _make_forbidden(self, tool: Tool) -> Refusal:
        allowed = sorted(tool.roles)
        said = (
            f"Only {' or '.join(to_words(r) for r in allowed)} may do this; you are {to_words(self._role) or 'nobody'}."
        )
        return Refusal("FORBIDDEN", said, None, {"role": self._role, "allowed": allowed})

    def transact(self, tool: Tool, frame: Frame, work: Callable[[], Any]) -> Result:
        """Run a write in a transaction: all or nothing, and the ids it took given back where it fails. What others do about it is
        planned, and time passes."""
        uow = self._uow
        result = self._write(tool, work, dict(uow.counters))
        self._conn.execute("COMMIT")
        self._note_broken(tool)
        if uow.wrote:
            if self._deeds is not None:
                self._deeds.add(uow.touched, uow.standing)
            self._keep_touched()
            self._plan_reactions(tool, frame, result.data)
            self._let_pass(tool.lasts)
        return result

    # time

    def wait(self, tool: Tool, frame: Frame) -> Result:
        """Let time pass until the moment that the call gives."""
        assert tool.waits is not None
        until = days.parse_moment(str(tool.waits(self._uow, frame) or ""))
        moment = self._moment if until is None else until.replace(tzinfo=None)
        last = self._opening.last
        if not self._moment <= moment <= last:
            said = f"One can wait for a moment from {self._uow.now} to {days.moment(last)}."
            raise Refusal("INVALID_ARGUMENT", said)
        held = None if tool.wakes is None else partial(self._holds, tool.wakes, frame)
        if held is None or not held():
            self._let_pass(moment - self._moment, held)
        return Result(True, tool.perform(self.unit_of_work(), self._see_again(frame)))

    def _holds(self, test: Run, frame: Frame) -> bool:
        """Whether something holds by now."""
        return bool(test(self.unit_of_work(), self._see_again(frame)))

    def _see_again(self, frame: Frame) -> Frame:
        """The same arguments, with rows as they are by now."""
        return {name: self._uow.row(v.entity, v.id) if isinstance(v, Row) else v for name, v in frame.items()}

    def _let_pass(self, time: timedelta, ended: Callable[[], bool] | None = None) -> None:
        """Let time pass, and what is due meanwhile happen; up to where it is ended by that."""
        if not time:
            return
        until = self._moment + time
        while (due := self._others.take_next(until)) is not None:
            moment, planned = due
            self._set_clock(max(moment, self._moment))
            event = planned if isinstance(planned, Event) else self._write_event(planned)
            if event is not None:
                self._others.note(event, self._let_happen(event, event is not planned))
                if ended is not None and ended():
                    return
        self._set_clock(until)

    def _plan_reactions(self, tool: Tool, frame: Frame, given: Any) -> None:
        """Plan what others will do about a call."""
        for reaction in self._opening.compiled.reactions.get(tool.name, ()):
            self._others.plan(reaction.plan(self._uow, frame, given, self._moment))

    def _write_event(self, planned: PlannedCall) -> Event | None:
        """Write down the call that is due, from the state as it is now."""
        uow = self.unit_of_work()
        try:
            return write_event(planned, self._opening.compiled, uow, self._opening.actors, uow.now)
        except OverflowError:
            return None

    def _set_clock(self, moment: datetime) -> None:
        self._moment = moment
        self._uow.now = now = days.moment(moment)
        self._uow.today = now[:10]

    def _let_happen(self, event: Event, is_reaction: bool) -> bool:
        """Make a call as somebody else, who keeps the handbook; False where the state forbids it. What answers a call is answered
        like one of the agent, and its ids are those that come next; so are those of an event whose own somebody else has taken,
        by making more than was planned."""
        uow = self._uow
        counters, enforcement, broken = uow.counters, uow.enforcement, uow.broken
        uow.enforcement, uow.broken = Enforcement.ALL, []
        try:
            try:
                given = self._write_for(event, {**counters, **event.ids})
            except sqlite3.IntegrityError:
                self._undo(counters)
                given = self._write_for(event, dict(counters))
            counters = {name: max(number, uow.counters[name]) for name, number in counters.items()}
            if is_reaction:
                self._plan_reactions(*given)
            return True
        except (Refusal, OverflowError):
            return False
        finally:
            uow.counters, uow.enforcement, uow.broken = counters, enforcement, broken
            uow.actor = None
            uow.begin()

    def _write_for(self, event: Event, ids: dict[str, int]) -> tuple[Tool, Frame, Any]:
        """Make the call of an event with ids from here on; the tool, its arguments and what it gave."""
        uow, tool = self._uow, self._opening.compiled.tools[event.tool]
        uow.begin()
        uow.counters = ids
        uow.actor = uow.row(self._opening.compiled.blueprint.schema.actor, event.actor) if event.actor else None
        frame = tool.reader.read(uow, event.arguments)
        given = self._write(tool, lambda: tool.perform(uow, frame), ids).data
        self._conn.execute("COMMIT")
        self._keep_touched()
        return tool, frame, given

    def pass_time_to_end(self) -> None:
        """Let everything of the agenda happen."""
        self.pass_time_until(self._opening.last)

    def pass_time_until(self, moment: datetime) -> None:
        """Let everything happen that is due by a moment."""
        self._let_pass(moment - self._moment)

    def list_happened(self) -> Sequence[tuple[Event, bool]]:
        """The events that were due so far, and whether they happened."""
        return self._others.list_happened()

    def list_others(self, since: int = 0) -> tuple[OthersCall, ...]:
        """List the calls that others made, after the first so many."""
        found = self._others.list_happened()[since:]
        return tuple(OthersCall(e.at, e.actor, Call(e.tool, e.arguments), happened) for e, happened in found)

    def fork(self, role: str | None = None) -> Session:
        """An independent copy at this moment; with a role, somebody else goes on in it."""
        try:
            connection = self._opening.compiled.connect(self._conn.serialize())
        except sqlite3.Error as e:
            raise self._make_lost(e) from e
        who = (self._role, self._actor or "") if role is None else (role, "")
        twin = Session(self._opening, connection, *who)
        twin._uow.now, twin._uow.today = self._uow.now, self._uow.today
        twin._moment = self._moment
        twin._uow.counters = dict(self._uow.counters)
        twin._touched = dict(self._touched)
        twin._uow.written, twin._uow.standing = set(self._uow.written), dict(self._uow.standing)
        twin._fresh = dict(self._fresh)
        twin._broken = list(self._broken)
        twin._said = set(self._said)
        twin._others = self._others.copy()
        twin._deeds = None if self._deeds is None else self._deeds.copy()
        twin._deeds_seen = self._deeds_seen.copy()
        twin._calls = self._calls
        twin._lost = self._lost
        return twin
