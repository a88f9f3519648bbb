"""Product names that fit what the entity is about."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from worldwright.kinds.database.compile.values.goods import GENERAL, RANGES, Range
from worldwright.kinds.database.compile.values.row import DrawContext, blocks_for, head, hints, tail


class Shelf(NamedTuple):
    """A range laid out for drawing."""

    styles: tuple[str, ...]
    nouns: tuple[str, ...]
    details: tuple[tuple[str, ...], ...]
    """For each noun the details that go with it."""
    blocks: int


def product(row: DrawContext) -> str:
    shelf = _shelf(row.topic, row.field)
    chosen = head(row, len(shelf.nouns), shelf.blocks)
    details = shelf.details[chosen]
    detail, style = divmod(tail(row, chosen, len(shelf.styles) * len(details), shelf.blocks), len(shelf.styles))
    return f"{shelf.styles[style]} {shelf.nouns[chosen]}, {details[detail]}"


@lru_cache(maxsize=1024)
def _shelf(topic: str, field: str) -> Shelf:
    wanted = _range_for(topic, field)
    nouns = tuple(noun for group in wanted.groups for noun in group.nouns)
    details = tuple(group.details for group in wanted.groups for _ in group.nouns)
    fewest = len(wanted.styles) * min(map(len, details))
    return Shelf(wanted.styles, nouns, details, blocks_for(fewest))


def _range_for(topic: str, field: str) -> Range:
    """By the entity's name first, then the field's."""
    for words in (hints(topic), hints(field)):
        for candidate in RANGES:
            if any(word in candidate.keywords for word in words):
                return candidate
    return GENERAL
