"""The table of words: a vector each, whole numbers of one byte, how rare its stem is, and the weights of the decision.

`python -m studies.understanding fit` wrote it. The sums are whole numbers and the rest is plus, minus, times, divided by and square
roots, which every machine rounds alike.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import sqrt
from operator import add, mul

from pydantic import TypeAdapter

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """What a decision weighs, as it was fitted."""

    scale: float
    kind: float
    features: tuple[float, ...]
    nothing: float
    """How sure one has to be before it is about anything that is known."""
    forms: tuple[float, ...]
    unrelated: tuple[tuple[tuple[float, ...], float], ...]
    """Directions of what people say beside the matter."""
    kinds: Mapping[str, tuple[tuple[float, ...], float]]
    sure: float
    maybe: float


@dataclass(frozen=True, slots=True)
class Lexicon:
    size: int
    numbers: array[int]
    index: Mapping[str, int]
    rarity: Mapping[str, int]
    rarest: int
    weights: Weights

    def add_up(self, words: Sequence[str]) -> Vector:
        """The sum of the vectors of the words that are known, also without the `s` at their end."""
        total = [0] * self.size
        for word in words:
            at = self.index.get(word, self.index.get(word[:-1]) if word.endswith("s") else None)
            if at is not None:
                total = list(map(add, total, self.numbers[at * self.size : (at + 1) * self.size]))
        return tuple(total)

    def weigh(self, one: str) -> int:
        """How much a stem says: the rarer, the more."""
        return self.rarity.get(one, self.rarest)


def measure(vector: Sequence[float]) -> float:
    """The length of a vector, at least one."""
    return sqrt(max(1.0, float(sum(map(mul, vector, vector)))))


def compare(one: Vector, length: float, other: Vector, other_length: float) -> float:
    """The cosine of two vectors."""
    return float(sum(map(mul, one, other))) / (length * other_length)


@lru_cache(maxsize=1)
def read_lexicon() -> Lexicon:
    home = files("worldwright.people")
    rows = [line.split("\t") for line in home.joinpath("words.tsv").read_text("utf-8").splitlines()]
    index = {word: at for at, (word, _, _) in enumerate(rows)}
    rarity: dict[str, int] = {}
    for _, one, value in rows:
        rarity.setdefault(one, int(value))
    numbers = array("b", home.joinpath("vectors.bin").read_bytes())
    weights = TypeAdapter(Weights).validate_json(home.joinpath("weights.json").read_bytes())
    return Lexicon(len(numbers) // len(rows), numbers, index, rarity, max(rarity.values()), weights)
