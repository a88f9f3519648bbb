"""The texts of a gym, ready to be met by millions of others.

Most benchmark texts share nothing with a gym, so the first question is asked in one go over all runs of a text. Only where the
answer is yes is anything looked at more closely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from worldwright.core.rng import Stream
from worldwright.gate.contamination.records import RUN, SHARE, SIMILAR, GymText, Thresholds
from worldwright.gate.contamination.words import (
    LONG,
    SHINGLE,
    SHORT,
    Gram,
    find_stock_places,
    is_telling,
    list_grams,
    spans,
    stock_shingles,
    words,
)

CONTEXT_WORDS = 4
"""Words that are shown on each side of a match."""
EXCERPT_WORDS = 60
"""Words of a match that are shown."""
PERMUTATIONS, ROWS = 128, 2
_PRIME = (1 << 61) - 1
_STREAM = Stream("minhash")
_FUNCTIONS = tuple((1 + _STREAM.below(_PRIME - 1), _STREAM.below(_PRIME)) for _ in range(PERMUTATIONS))

Signature = tuple[int, ...]


class Hit(NamedTuple):
    """A text of the gym and how a benchmark text matches it."""

    text: int
    measure: str
    score: float
    own: tuple[int, int]
    """The matching words, from and to; `theirs` the same in the other text."""
    theirs: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _IndexedText:
    words: tuple[str, ...]
    stock: frozenset[int]
    shingles: frozenset[Gram]


class Index:
    """Texts of a gym by their runs of words and their shingles."""

    def __init__(self, texts: Sequence[GymText], thresholds: Thresholds) -> None:
        self._limits = thresholds
        self._held = [_index_text(own.text) for own in texts]
        self._short: dict[Gram, list[tuple[int, int]]] = {}
        self._every: set[Gram] = set()
        self._shingles: set[Gram] = set()
        self._bands = Bands()
        for key, held in enumerate(self._held):
            self._add(key, held)

    def _add(self, key: int, held: _IndexedText) -> None:
        for at, gram in enumerate(list_grams(held.words, SHORT)):
            self._every.add(gram)
            if is_telling(gram) and _is_mostly_own(held.stock, at, SHORT):
                self._short.setdefault(gram, []).append((key, at))
        if len(held.shingles) >= SHORT:
            self._shingles.update(held.shingles)
            self._bands.add(key, compute_signature(held.shingles))

    def find_hits(self, found: Sequence[str]) -> Iterator[Hit]:
        """Yield what a benchmark text has in common with the gym, as its words."""
        if not self._every.isdisjoint(list_grams(found, SHORT)):
            yield from self._runs(found)
        yield from self._find_similar(found)

    def _runs(self, found: Sequence[str]) -> Iterator[Hit]:
        covered: dict[int, dict[int, int]] = {}
        for there, gram in enumerate(list_grams(found, SHORT)):
            for key, at in self._short.get(gram, ()):
                mine = covered.setdefault(key, {})
                for step in range(SHORT):
                    mine.setdefault(at + step, there + step)
        for key, mine in covered.items():
            held = self._held[key]
            start, there, length = _find_longest_run(held.words, found, mine)
            if length >= self._limits.run and self._is_telling(held, start, length):
                yield Hit(key, RUN, length, (start, start + length), (there, there + length))
            own = len(held.words) - len(held.stock)
            share = len(mine.keys() - held.stock) / own if own else 0.0
            if share >= self._limits.share and own >= SHORT:
                theirs = mine.values()
                yield Hit(key, SHARE, share, (min(mine), max(mine) + 1), (min(theirs), max(theirs) + 1))

    def _is_telling(self, held: _IndexedText, start: int, length: int) -> bool:
        """Return whether some part of a run, as long as the threshold, is more than stock phrases and numbers."""
        n = min(length, max(self._limits.run, SHORT), LONG)
        return any(
            _is_mostly_own(held.stock, at, n) and is_telling(held.words[at : at + n])
            for at in range(start, start + length - n + 1)
        )

    def _find_similar(self, found: Sequence[str]) -> Iterator[Hit]:
        shingles = set(list_grams(found, SHINGLE)) - stock_shingles()
        # Of a text that is similar enough to one of ours, at least that share of shingles is ours: no loss, and almost all go.
        if len(shingles) < SHORT or len(shingles & self._shingles) < self._limits.similar * len(shingles):
            return
        for key in self._bands.candidates(compute_signature(shingles)):
            mine = self._held[key].shingles
            overlap = len(mine & shingles) / len(mine | shingles)
            if overlap >= self._limits.similar:
                yield Hit(key, SIMILAR, overlap, (0, len(self._held[key].words)), (0, len(found)))


def _index_text(text: str) -> _IndexedText:
    found = tuple(words(text))
    return _IndexedText(found, find_stock_places(found), frozenset(list_grams(found, SHINGLE)) - stock_shingles())


def _is_mostly_own(stock: frozenset[int], at: int, n: int) -> bool:
    """Return whether at least three quarters of a run are not stock: thanks behind a common question are no copy."""
    return not stock or 4 * sum(i in stock for i in range(at, at + n)) <= n


def _find_longest_run(own: Sequence[str], theirs: Sequence[str], places: dict[int, int]) -> tuple[int, int, int]:
    """Find the longest run of words that stands in both, grown from the places that are known: where in each, and how long."""
    best, done = (0, 0, 0), set[tuple[int, int]]()
    for at, there in sorted(places.items()):
        if (at, there) in done:
            continue
        start, other = at, there
        while start and other and own[start - 1] == theirs[other - 1]:
            start, other = start - 1, other - 1
        length = at - start
        while (
            start + length < len(own) and other + length < len(theirs) and own[start + length] == theirs[other + length]
        ):
            done.add((start + length, other + length))
            length += 1
        best = max(best, (start, other, length), key=lambda run: run[2])
    return best


def excerpt(text: str, part: tuple[int, int]) -> str:
    """The words of a text from and to, with a few around them, as they stand in it."""
    plain, places = spans(text)
    if not places:
        return ""
    first, last = max(0, part[0] - CONTEXT_WORDS), min(len(places), part[1] + CONTEXT_WORDS)
    cut = min(last, first + EXCERPT_WORDS + 2 * CONTEXT_WORDS)
    before, after = "... " if first else "", " ..." if cut < len(places) else ""
    return before + " ".join(plain[places[first][0] : places[cut - 1][1]].split()) + after


def compute_signature(shingles: Iterable[Gram]) -> Signature:
    """Compute the signature of a set of shingles that is not empty."""
    hashes = [
        int.from_bytes(blake2b("\x1f".join(s).encode(), digest_size=8).digest(), "big") % _PRIME for s in set(shingles)
    ]
    return tuple(min((a * h + b) % _PRIME for h in hashes) for a, b in _FUNCTIONS)


class Bands:
    """Signatures by their bands (MinHash): texts that share most of their shingles, found without comparing each with each.

    A signature is 128 minima, one for each of 128 hash functions; two texts agree in a minimum as often as their shingles overlap
    (Jaccard). Signatures are cut into 64 bands of 2, and texts that agree in a whole band are candidates. Of pairs that share half
    of their shingles, one in 10^8 is missed; of those that share 0.3, two in a thousand. Hashes are seeded: same text, same
    signature.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[int, ...], list[int]] = {}

    def add(self, key: int, of: Signature) -> None:
        for band in _bands(of):
            self._held.setdefault(band, []).append(key)

    def candidates(self, of: Signature) -> list[int]:
        """The keys of all signatures that share a band, in order."""
        return sorted({key for band in _bands(of) for key in self._held.get(band, ())})


def _bands(of: Signature) -> Iterable[tuple[int, ...]]:
    return ((start, *of[start : start + ROWS]) for start in range(0, PERMUTATIONS, ROWS))
