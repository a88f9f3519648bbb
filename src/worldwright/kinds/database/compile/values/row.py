"""The row that a value is drawn for, and how names are spread over the rows of an entity.

A name has two parts, a head (a family, a noun) and a tail (a given name, a style). The stream chooses the head, the
row's index says which heads it may choose and which tail then follows, as in a Latin square. So no two of the first
`SPAN` rows of an entity share both parts, and yet another seed gives other names. DrawContext 0 draws freely, because a caller
that knows no index leaves it at 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.values.locale import Locale

MAX_DISTINCT_ROWS = 320
"""So many rows of an entity get different names, the freely drawn row 0 aside."""

_STEP = 7919  # a prime above every number of tails, so that walking by it visits each tail


class DrawContext(NamedTuple):
    stream: Stream
    locale: Locale
    so_far: Mapping[str, str]
    """The values of this row that are drawn already, by kind."""
    field: str
    serial: int
    topic: str
    currency: str = ""
    """Of the books; empty where nobody says."""


def count_blocks(tails: int) -> int:
    """Count in how many classes the heads have to be parted so that `MAX_DISTINCT_ROWS` rows differ."""
    return -(-MAX_DISTINCT_ROWS // tails)


def head(row: DrawContext, heads: int, blocks: int) -> int:
    if row.serial == 0:
        return row.stream.below(heads)
    first = row.serial % blocks
    return first + blocks * row.stream.below((heads - first + blocks - 1) // blocks)


def tail(row: DrawContext, chosen: int, tails: int, blocks: int) -> int:
    """The tail that goes with the head `chosen` in this row."""
    if row.serial == 0:
        return row.stream.below(tails)
    return _walk(row, chosen, tails, blocks)


def owns(row: DrawContext, chosen: int, follower: int, tails: int, blocks: int) -> bool:
    """Return whether this pair can be no other row's: then what is made of it needs no number to be unique."""
    return (
        0 <= row.serial < blocks * tails
        and chosen % blocks == row.serial % blocks
        and follower == _walk(row, chosen, tails, blocks)
    )


def _walk(row: DrawContext, chosen: int, tails: int, blocks: int) -> int:
    return (row.serial // blocks * _STEP + chosen * 7 + _hash_topic(row.topic)) % tails


@lru_cache(maxsize=1024)
def _hash_topic(topic: str) -> int:
    """Hash an entity to where it starts, so that row 17 of two entities has nothing in common."""
    return crc32(topic.encode())


@lru_cache(maxsize=4096)
def hints(*names: str) -> tuple[str, ...]:
    """The words of field and entity names, each also without a plural s: what keywords are looked up with."""
    out: list[str] = []
    for name in names:
        for word in name.replace("_", " ").replace("-", " ").lower().split():
            out.append(word)
            if len(word) > 4 and word.endswith("ies"):
                out.append(word[:-3] + "y")
            elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
                out.append(word[:-1])
    return tuple(out)
