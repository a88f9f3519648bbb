"""Texts that mean the same in other words: embeddings by a model that the caller brings, compared by their cosine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from operator import mul

Vector = Sequence[float]
Embed = Callable[[Sequence[str]], Sequence[Vector]]
"""A vector for each text."""
BATCH = 64


class Nearest:
    """The texts of a gym as vectors of length one."""

    def __init__(self, embed: Embed, texts: Sequence[str]) -> None:
        self._embed = embed
        self._held = [v for start in range(0, len(texts), BATCH) for v in self._vectors(texts[start : start + BATCH])]

    def find_close(self, texts: Sequence[str], least: float) -> Iterator[tuple[int, int, float]]:
        """Yield (which of these, which of ours, cosine) for every pair that is close enough."""
        for at, vector in enumerate(self._vectors(texts)):
            for key, own in enumerate(self._held):
                cosine = sum(map(mul, vector, own))
                if cosine >= least:
                    yield at, key, min(1.0, cosine)

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        return [_unit([float(x) for x in vector]) for vector in self._embed(texts)]


def _unit(vector: list[float]) -> list[float]:
    length = math.sqrt(sum(map(mul, vector, vector)))
    return [x / length for x in vector] if length else vector
