"""How much two worlds are alike, measured on what was built: their rows, their rules, and what is right in them.

Everything is read from the files of a pack as plain data: rows without ids, the lines of the handbook, and of every request the
answer and the end states that its key accepts.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from typing import Any

from worldwright.core.canonical import digest
from worldwright.core.errors import PackError
from worldwright.engine.tasks import TaskBook
from worldwright.kinds.database.state import connect
from worldwright.kinds.database.tables import quote_name
from worldwright.world.manifest import STATE
from worldwright.world.tasks import Key

MIN_NEAR_DUPLICATE = 0.9
"""Rows, rules and right outcomes all at least this much alike: one of the two worlds teaches nothing new."""
HANDBOOK = "policy.md"

Request = tuple[str, str, str]
"""What is asked, of which role, of whom."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is compared of a world."""

    rows: Mapping[bytes, int]
    """How many rows there are of each content, ids aside."""
    rules: frozenset[str]
    """The lines of the handbook."""
    gold: Mapping[Request, str]
    """By request, what is right: a digest of the answer and of the accepted end states."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Shares of what two worlds have in common, 0 to 1."""

    state: float
    """Rows with the same content, of all rows of both."""
    rules: float
    """Lines of both handbooks, of all lines."""
    shared: int
    """Requests that both are asked in the same words."""
    differing: int
    """Of those, how many have another right outcome."""
    asked: int
    """Requests of both together."""

    @property
    def gold(self) -> float:
        """Requests that both have, with the same right outcome, of all requests."""
        return (self.shared - self.differing) / self.asked if self.asked else 1.0

    @property
    def near(self) -> bool:
        """Whether one is a near-duplicate of the other: the same rows under the same rules, and what both are asked ends alike.
        Asking for other things there, or in another voice, does not make another world of it."""
        same = self.shared - self.differing >= MIN_NEAR_DUPLICATE * self.shared
        return self.state >= MIN_NEAR_DUPLICATE and self.rules >= MIN_NEAR_DUPLICATE and same

    def data(self) -> dict[str, Any]:
        return {
            "state": round(self.state, 4), "rules": round(self.rules, 4), "gold": round(self.gold, 4),
            "requests": self.asked, "shared": self.shared, "differing": self.differing, "near": self.near,
        }  # fmt: skip


def fingerprint_pack(files: Mapping[str, bytes]) -> Fingerprint:
    """Fingerprint a pack, from its files."""
    if STATE not in files or HANDBOOK not in files:
        raise PackError(f"not a whole pack: {STATE} or {HANDBOOK} is missing")
    return Fingerprint(
        _rows(files[STATE]),
        frozenset([line for line in files[HANDBOOK].decode().splitlines() if line.startswith("- ")]),
        _read_gold(files),
    )


def _rows(state: bytes) -> Counter[bytes]:
    """Rows by content. An id, of the row itself or of another, is a name for something and no content."""
    try:
        with closing(connect(state)) as conn:
            found = conn.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            tables = {name: _table(conn, name) for (name,) in found}
    except (sqlite3.Error, UnicodeDecodeError) as e:
        raise PackError(f"{STATE} cannot be read: {e}") from None
    ids = {row[0] for rows in tables.values() for row in rows}
    out: Counter[bytes] = Counter()
    for name, rows in tables.items():
        for row in rows:
            content = json.dumps([name, *("" if v in ids else v for v in row[1:])], default=repr)
            out[blake2b(content.encode(), digest_size=12).digest()] += 1
    return out


def _table(conn: sqlite3.Connection, name: str) -> list[tuple[Any, ...]]:
    """The rows of a table, the id first."""
    columns = [row[1] for row in conn.execute(f"PRAGMA table_info({quote_name(name)})").fetchall()]
    if "id" not in columns:
        return []
    rest = "".join(f", {quote_name(column)}" for column in columns if column != "id")
    return conn.execute(f"SELECT id{rest} FROM {quote_name(name)}").fetchall()


def _read_gold(files: Mapping[str, bytes]) -> dict[Request, str]:
    """Read what is right in a pack; empty where it was sent out without its keys: what is right in it is known elsewhere."""
    book = TaskBook(files)
    return {(t.instruction, t.role, t.actor): _hash_gold(book.key(t.id)) for t in book.tasks()} if book.graded else {}


def _hash_gold(key: Key) -> str:
    return digest({"answer": key.answer, "accepts": key.expects.get("accepts")})


def measure_likeness(one: Fingerprint, other: Fingerprint) -> Likeness:
    """Measure how much two worlds are alike."""
    shared = one.gold.keys() & other.gold.keys()
    differing = sum(one.gold[request] != other.gold[request] for request in shared)
    return Likeness(
        _jaccard(one.rows, other.rows),
        len(one.rules & other.rules) / len(one.rules | other.rules) if one.rules or other.rules else 1.0,
        len(shared),
        differing,
        len(one.gold.keys() | other.gold.keys()),
    )


def _jaccard(one: Mapping[bytes, int], other: Mapping[bytes, int]) -> float:
    both = sum(min(n, other[row]) for row, n in one.items() if row in other)
    every = sum(one.values()) + sum(other.values()) - both
    return both / every if every else 1.0


def compare_pairs(worlds: Mapping[str, Fingerprint]) -> Sequence[tuple[str, str, Likeness]]:
    """Compare every pair, the most alike first."""
    pairs = [(a, b, measure_likeness(worlds[a], worlds[b])) for a, b in combinations(worlds, 2)]
    return sorted(pairs, key=lambda pair: (-(pair[2].state + pair[2].rules + pair[2].gold), pair[0], pair[1]))
