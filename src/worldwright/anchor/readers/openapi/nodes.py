"""Values together with where they stand, and the small questions that untidy documents make one ask of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from worldwright.anchor.evidence import Note, Skipped, Source

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and where it stands."""

    value: Any
    file: str
    at: str = ""
    """A JSON pointer."""
    name: str = ""
    """What it is called, where a reference or a list of components gives it a name."""

    @property
    def source(self) -> Source:
        return Source(self.file, self.at)

    @property
    def key(self) -> str:
        """The same for two spots in the same place."""
        return f"{self.file}#{self.at}"

    @property
    def facts(self) -> Mapping[str, Any]:
        """Its value where that is a mapping; otherwise nothing."""
        return as_mapping(self.value)

    def down(self, *keys: str | int) -> Node:
        """The value under these keys; None where there is nothing."""
        value, at = self.value, self.at
        for key in keys:
            value = child(value, key)
            at = f"{at}/{escaped(str(key))}"
        return Node(value, self.file, at)

    def each(self) -> Iterator[tuple[str, Node]]:
        """What is directly inside, with its key or its index as text."""
        if isinstance(self.value, dict):
            for key, value in self.value.items():
                yield key, Node(value, self.file, f"{self.at}/{escaped(key)}")
        elif isinstance(self.value, list):
            for index, value in enumerate(self.value):
                yield str(index), Node(value, self.file, f"{self.at}/{index}")


def as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NOTHING


def texts(value: Any) -> list[str]:
    """The texts in a list; one text is a list of its own."""
    if isinstance(value, str):
        return [value]
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def child(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list):
        index = key if isinstance(key, int) else int(key) if key.isascii() and key.isdigit() and len(key) < 9 else -1
        return value[index] if 0 <= index < len(value) else None
    return None


def escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def unescaped(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")


# Notes and left-out parts, gathered while documents are read.


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
