"""What all statements have said so far, in order."""

from __future__ import annotations

from worldwright.anchor.evidence import Note, Skipped, Source
from worldwright.anchor.readers.sql.records import Name, Table, Type

MAX_NOTES = 200
"""Warnings that are listed one by one."""


class Catalogue:
    """The tables and types that are known, by name, and what could not be used."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], Table] = {}
        self.types: dict[tuple[str, str], Type] = {}
        self.notes: list[Note] = []
        self.skipped: dict[tuple[str, str], tuple[Skipped, int]] = {}
        self.dropped: dict[tuple[str, str], Source] = {}
        self.schema = ""
        """The schema of names that are written without one."""
        self.database = ""
        """The first database that is named."""
        self._other_names: dict[tuple[str, str], tuple[str, str]] = {}

    def find(self, name: Name) -> Table | None:
        """A table by its name; by the name alone where its schema is not given or not known."""
        key = self.key_of(name)
        return self.tables.get(key) if key else None

    def key_of(self, name: Name, near: str = "") -> tuple[str, str] | None:
        key = self._other_names.get(name.key, name.key)
        if key in self.tables:
            return key
        own = name.own.casefold()
        alike = [key for key in self.tables if key[1] == own]
        close = [key for key in alike if key[0] == Name(near, own).key[0]] or [key for key in alike if key[0] == ""]
        return next(iter(close or alike), None)

    def put(self, table: Table, keep: bool, again: bool = False) -> None:
        """A table that was created or, `again`, changed; `keep` leaves one that is there already."""
        key = table.name.key
        there = self.tables.get(key)
        if there is not None and not again:
            if keep:
                return
            if [c.name for c in there.columns] != [c.name for c in table.columns]:
                self.warn(f"table {table.name} is created twice; what is created last stands", table.source)
            self.dropped.pop(key, None)
        self.tables[key] = table

    def rename(self, old: Name, table: Table) -> None:
        key = self.key_of(old)
        if key is not None:
            del self.tables[key]
            self._other_names[old.key] = table.name.key
        self.tables[table.name.key] = table

    def is_part(self, name: Name, of: Name) -> None:
        """What is said of a partition is said of the whole table."""
        self.tables.pop(name.key, None)
        self._other_names[name.key] = self._other_names.get(of.key, of.key)

    def is_view(self, name: Name) -> None:
        """What a dump first wrote as a table turns out to be a view."""
        self.tables.pop(name.key, None)

    def drop_table(self, name: Name, source: Source) -> None:
        """A table that is dropped and not created again stays, for scripts that take down what they built are common."""
        key = self.key_of(name)
        if key is not None:
            self.dropped[key] = source

    def warn(self, says: str, source: Source) -> None:
        self.note(Note("warning", says, source))

    def note(self, note: Note) -> None:
        if note.level == "error" or len(self.notes) < MAX_NOTES:
            self.notes.append(note)

    def skip(self, what: str, why: str, source: Source) -> None:
        """The first of its kind stands for the others."""
        first, count = self.skipped.get((what, why), (Skipped(what, why, source), 0))
        self.skipped[what, why] = (first, count + 1)
