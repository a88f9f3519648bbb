"""The names that a world knows: of people, companies and streets, looked up by their first word."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from worldwright.blueprint.schema import Schema

NAMED_FLAVOURS = ("person", "company", "street")
MIN_NAME_WORDS = 2
"""A name of one word may be any word."""
_WORD = re.compile(r"\w+(?:['-]\w+)*")


@dataclass(frozen=True, slots=True)
class NameIndex:
    """By their first word, the names of a state, each as its words."""

    names: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    personal: frozenset[str] = frozenset()
    """Every word of a person's name."""

    def find(self, words: list[str]) -> list[tuple[str, ...]]:
        """Find the names that stand among the words of a text, first to last."""
        return [
            name
            for at, word in enumerate(words)
            for name in self.names.get(word, ())
            if tuple(words[at : at + len(name)]) == name
        ]


def split_words(text: str) -> list[str]:
    """Split a text into its words, as names are compared."""
    return _WORD.findall(text.casefold())


def index_names(conn: sqlite3.Connection, schema: Schema) -> NameIndex:
    """Index the names of a state."""
    found: set[tuple[str, ...]] = set()
    personal: set[str] = set()
    for entity in schema.entities.values():
        for column in entity.stored:
            if column.flavour in NAMED_FLAVOURS and column.type.kind == "text":
                sql = f'SELECT DISTINCT "{column.name}" FROM "{entity.name}" WHERE "{column.name}" IS NOT NULL'
                names = [tuple(split_words(str(row[0]))) for row in conn.execute(sql)]
                found.update(name for name in names if len(name) >= MIN_NAME_WORDS)
                if column.flavour == "person":
                    personal.update(word for name in names for word in name if len(word) > 1)
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for name in sorted(found):
        by_first.setdefault(name[0], []).append(name)
    return NameIndex({first: tuple(names) for first, names in by_first.items()}, frozenset(personal))
