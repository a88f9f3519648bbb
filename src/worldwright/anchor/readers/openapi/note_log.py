"""Notes and left-out parts, gathered while documents are read."""

from __future__ import annotations

from collections import Counter

from worldwright.anchor.evidence import Note, Skipped, Source

MAX_NOTES_OF_A_KIND = 25
"""Notes that say the same of different places; after them, one note says how many more there are."""


class NoteLog:
    """Gathers notes in the order in which they come up; what is said twice counts once."""

    def __init__(self) -> None:
        self._notes: list[Note] = []
        self._skipped: list[Skipped] = []
        self._seen: set[Note | Skipped] = set()
        self._of_kind: Counter[tuple[str, str]] = Counter()

    def add(self, level: str, kind: str, says: str, source: Source) -> None:
        """`kind` names what is wrong in a few words; notes of one kind are kept short together."""
        note = Note(level, says, source)
        if note in self._seen:
            return
        self._seen.add(note)
        self._of_kind[level, kind] += 1
        if self._of_kind[level, kind] <= MAX_NOTES_OF_A_KIND:
            self._notes.append(note)

    def skip(self, what: str, why: str, source: Source) -> None:
        skipped = Skipped(what, why, source)
        if skipped not in self._seen:
            self._seen.add(skipped)
            self._skipped.append(skipped)

    def notes(self, whole: Source) -> tuple[Note, ...]:
        more = (
            Note(level, f"{kind}: {count - MAX_NOTES_OF_A_KIND:,} more places like those noted", whole)
            for (level, kind), count in self._of_kind.items()
            if count > MAX_NOTES_OF_A_KIND
        )
        return (*self._notes, *more)

    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(self._skipped)
