"""MinHash with banding: texts that share most of their shingles, found without comparing each with each.

A signature is 128 minima, one for each of 128 hash functions; two texts agree in a minimum as often as their shingles overlap
(Jaccard). Signatures are cut into 64 bands of 2, and texts that agree in a whole band are candidates. Of pairs that share half of
their shingles, one in 10^8 is missed; of those that share 0.3, two in a thousand. Hashes are seeded: same text, same signature.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from worldwright.core.rng import Stream
from worldwright.gate.contamination.words import Gram

PERMUTATIONS, ROWS = 128, 2
_PRIME = (1 << 61) - 1
_STREAM = Stream("minhash")
_FUNCTIONS = tuple((1 + _STREAM.below(_PRIME - 1), _STREAM.below(_PRIME)) for _ in range(PERMUTATIONS))

Signature = tuple[int, ...]


def compute_signature(shingles: Iterable[Gram]) -> Signature:
    """Compute the signature of a set of shingles that is not empty."""
    hashes = [
        int.from_bytes(blake2b("\x1f".join(s).encode(), digest_size=8).digest(), "big") % _PRIME for s in set(shingles)
    ]
    return tuple(min((a * h + b) % _PRIME for h in hashes) for a, b in _FUNCTIONS)


class Bands:
    """Signatures by their bands."""

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
