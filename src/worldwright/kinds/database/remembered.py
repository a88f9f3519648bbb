"""What was read from the opening state, remembered by all sessions of a runtime.

Thousands of episodes start from the same rows, and most of what an agent reads, nobody has written to. While a session has written
to none of the tables that a query reads, what any session was told is true for it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_QUOTED = re.compile(r'"([^"]+)"')
MOST_ROWS = 50_000
"""Beyond this, everything is forgotten and remembered anew."""


class Remembered:
    """Answers of queries and rows by id. Nobody writes on what is in here."""

    __slots__ = ("_held", "_reads", "_tables", "answers", "rows")

    def __init__(self, tables: Iterable[str]) -> None:
        self._tables = frozenset(tables)
        self._reads: dict[str, frozenset[str]] = {}
        self.answers: dict[tuple[str, tuple[Any, ...]], list[Any]] = {}
        self.rows: dict[tuple[str, str], list[Any] | None] = {}
        self._held = 0

    def reads(self, sql: str) -> frozenset[str]:
        """The tables that a query may read: those whose names it quotes."""
        found = self._reads.get(sql)
        if found is None:
            found = self._reads[sql] = self._tables & set(_QUOTED.findall(sql))
        return found

    def answer(self, at: tuple[str, tuple[Any, ...]], found: list[Any]) -> None:
        self._room(len(found) + 1)
        self.answers[at] = found

    def row(self, at: tuple[str, str], values: list[Any] | None) -> None:
        self._room(1)
        self.rows[at] = values

    def _room(self, more: int) -> None:
        self._held += more
        if self._held > MOST_ROWS:
            self.answers.clear()
            self.rows.clear()
            self._held = more
