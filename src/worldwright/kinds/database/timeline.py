"""What others have done in an episode, and what they are going to do: the agenda of the world, and reactions to calls."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import attrgetter

from worldwright.kinds.database.agenda import Event
from worldwright.kinds.database.reactions import MAX_WAITING, PlannedCall


class Timeline:
    """A place in the agenda, the calls that reactions have planned, and what became of all that was due."""

    __slots__ = ("_agenda", "_happened", "_place", "_waiting")

    def __init__(self, agenda: Sequence[tuple[datetime, Event]]) -> None:
        self._agenda = agenda
        self._place = 0
        self._waiting: list[PlannedCall] = []
        self._happened: list[tuple[Event, bool]] = []

    def copy(self) -> Timeline:
        twin = Timeline(self._agenda)
        twin._place = self._place
        twin._waiting, twin._happened = list(self._waiting), list(self._happened)
        return twin

    def plan(self, calls: Iterable[PlannedCall]) -> None:
        """Keep calls until they are due; at the same moment they come in the order in which they were planned."""
        for call in calls:
            if len(self._waiting) < MAX_WAITING:
                insort(self._waiting, call, key=attrgetter("moment"))

    def take_next(self, until: datetime) -> tuple[datetime, Event | PlannedCall] | None:
        """Take what is due next, up to a moment. At the same moment the agenda comes first."""
        agenda = self._agenda[self._place] if self._place < len(self._agenda) else None
        waiting = self._waiting[0] if self._waiting else None
        if agenda is not None and agenda[0] <= until and (waiting is None or agenda[0] <= waiting.moment):
            self._place += 1
            return agenda
        if waiting is None or waiting.moment > until:
            return None
        return waiting.moment, self._waiting.pop(0)

    def note(self, event: Event, happened: bool) -> None:
        """Note what became of a call that was due."""
        self._happened.append((event, happened))

    def list_happened(self) -> Sequence[tuple[Event, bool]]:
        """List the calls of others that were due so far, and whether the state let them happen."""
        return self._happened
