"""What was read from the opening state, remembered by all sessions of a runtime.

Thousands of episodes start from the same rows, and most of what an agent reads, nobody has written to. While a session has written
to none of the tables that a query reads, what any session was told is true for it too.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

_QUOTED = re.compile(r'"([^"]+)"')
MAX_REMEMBERED_ROWS = 50_000
MAX_STATEMENTS = 8_192
MAX_RESULT_BYTES = 16 * 1024 * 1024
"""Rows of queries, statements, and bytes of what tools gave. Beyond these, all of the kind is forgotten and remembered anew."""


class CachedResult(NamedTuple):
    """What a tool that only reads has given, and the tables that it was made from."""

    data: bytes
    tables: frozenset[str]


class ReadCache:
    """Answers of queries, rows by id, and what tools gave. Nobody writes on what is in here."""

    __slots__ = ("_bytes", "_held", "_reads", "_tables", "answers", "rows", "told")

    def __init__(self, tables: Iterable[str]) -> None:
        self._tables = frozenset(tables)
        self._reads: dict[str, frozenset[str]] = {}
        self.answers: dict[tuple[str, tuple[Any, ...]], list[Any]] = {}
        self.rows: dict[tuple[str, str], list[Any] | None] = {}
        self.told: dict[tuple[str, str, str, str, bytes], CachedResult] = {}
        """By tool, role, actor, moment and arguments."""
        self._held = self._bytes = 0

    def list_tables(self, sql: str) -> frozenset[str]:
        """List the tables that a query may read: those whose names it quotes."""
        found = self._reads.get(sql)
        if found is None:
            if len(self._reads) >= MAX_STATEMENTS:
                self._reads.clear()
            found = self._reads[sql] = self._tables & set(_QUOTED.findall(sql))
        return found

    def answer(self, at: tuple[str, tuple[Any, ...]], found: list[Any]) -> None:
        self._room(len(found) + 1)
        self.answers[at] = found

    def row(self, at: tuple[str, str], values: list[Any] | None) -> None:
        self._room(1)
        self.rows[at] = values

    def tell(self, at: tuple[str, str, str, str, bytes], data: Any, tables: frozenset[str]) -> None:
        try:
            kept = marshal.dumps(data)
        except ValueError:
            return
        self._bytes += len(kept) + len(at[-1])
        if self._bytes > MAX_RESULT_BYTES:
            self.told.clear()
            self._bytes = len(kept) + len(at[-1])
        self.told[at] = CachedResult(kept, tables)

    def _room(self, more: int) -> None:
        self._held += more
        if self._held > MAX_REMEMBERED_ROWS:
            self.answers.clear()
            self.rows.clear()
            self._held = more


def arguments_key(arguments: Any) -> bytes | None:
    """Arguments as bytes that only the same arguments have, 1 and true told apart; None where they cannot be written so."""
    if type(arguments) is not dict:
        return None
    try:
        return marshal.dumps(sorted(arguments.items()), 2)
    except (ValueError, TypeError):
        return None
