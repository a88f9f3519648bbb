"""Texts as words: case, punctuation, layout and width of letters do not count. Scripts without spaces count by the character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from worldwright.kinds.database.compile.tasks.chains import IF_PART_FORBIDDEN
from worldwright.kinds.database.compile.tasks.single import IF_FORBIDDEN
from worldwright.kinds.database.compile.tasks.wording import CLOSINGS, CONNECTORS, CONNECTORS_APART, FORWARDS, GREETINGS

Gram = tuple[str, ...]
SHORT, LONG, SHINGLE = 8, 13, 3
"""Words of a short and of a long run, and of a shingle."""

_WORD = re.compile(r"\w+")
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_MIXED = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def words(text: str) -> list[str]:
    if text.isascii():
        return _WORD.findall(text.lower())
    return [word.casefold() for word in _MIXED.findall(unicodedata.normalize("NFKC", text))]


def spans(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as its words were taken from it, and where each of them stands."""
    plain = unicodedata.normalize("NFKC", text)
    pattern = _WORD if plain.isascii() else _MIXED
    return plain, [found.span() for found in pattern.finditer(plain)]


def list_grams(found: Sequence[str], n: int) -> Iterator[Gram]:
    """Yield every n words in a row."""
    return zip(*(found[i:] for i in range(n)), strict=False)


def is_telling(gram: Gram) -> bool:
    """Return whether a run says something: rows of numbers and of the same few words are everywhere."""
    return len({word for word in gram if any(map(str.isalpha, word))}) * 2 >= len(gram)


# stock phrases: greetings, thanks and the like, which every world shares and people everywhere write

OF_PROGRAMS = (
    "Leave out any that our rules do not allow, and list those for me.",
    "Where the rules say no, skip it and give me a list of those.",
    "Tell me how many",
    "it came to",
    "and the sum of their",
    "without the ones left out.",
    "I need a figure for a report: the number of",
    "for the monthly review, please count the",
)
"""As `kinds.database.compile.tasks.programs` writes them around what a task is about."""


@cache
def _stock() -> tuple[Gram, ...]:
    voices = [phrases for kind in (GREETINGS, CLOSINGS) for phrases in kind.values()]
    phrases = chain(CONNECTORS, CONNECTORS_APART, FORWARDS, IF_FORBIDDEN, IF_PART_FORBIDDEN, OF_PROGRAMS, *voices)
    return tuple(sorted({tuple(words(p)) for p in phrases} - {()}, key=lambda p: (-len(p), p)))


def find_stock_places(found: Sequence[str]) -> frozenset[int]:
    """Find which words belong to a stock phrase."""
    out: set[int] = set()
    starts: dict[str, list[int]] = {}
    for at, word in enumerate(found):
        starts.setdefault(word, []).append(at)
    for phrase in _stock():
        for at in starts.get(phrase[0], ()):
            if tuple(found[at : at + len(phrase)]) == phrase:
                out.update(range(at, at + len(phrase)))
    return frozenset(out)


@cache
def stock_shingles() -> frozenset[Gram]:
    return frozenset(gram for phrase in _stock() for gram in list_grams(phrase, SHINGLE))
