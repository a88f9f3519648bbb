"""How far the words of a request give its tools away: a bag-of-n-grams guesser, trained on two domains, tried on the third.

For every (request, tool) pair the guesser sees how many words, pairs and triples of words the request shares with the tool's name
and description, weighed by how rare they are, and learns from the other domains how much that says. It then names, for each
request of the held-out domain, as many tools as the witness really used. Run: python -m benchmarks.ngrams [--seed N]
"""

from __future__ import annotations

import argparse
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.store.open import world_of

_WORD = re.compile(r"[a-z]{2,}")
STEPS, RATE = 300, 0.5


@dataclass(frozen=True, slots=True)
class Request:
    """A request, the tools on offer with their features, and which of them the witness used to change something."""

    features: tuple[tuple[float, ...], ...]
    used: tuple[bool, ...]


def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = [w.rstrip("s") for w in _WORD.findall(text.lower().replace("_", " "))]
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def requests(name: str, seed: int) -> list[Request]:
    world = world_of(build(catalogue.load(name), seed).pack)
    tools = [t for t in world.tools if t.mutates]
    texts = [f"{t.name} {t.description}" for t in tools]
    spread = [Counter(g for text in texts for g in grams(text, n)) for n in (1, 2, 3)]
    out = []
    for task in world.tasks:
        used = {c.tool for c in world.key(task.id).calls}
        offered = [(t, text) for t, text in zip(tools, texts, strict=True) if not t.roles or task.role in t.roles]
        asked = [grams(task.instruction, n) for n in (1, 2, 3)]
        features = tuple(
            tuple(
                sum(math.log(1 + len(tools) / spread[k][g]) for g in grams(text, k + 1) if g in asked[k])
                for k in range(3)
            )
            for _, text in offered
        )
        if any(t.name in used for t, _ in offered):
            out.append(Request(features, tuple(t.name in used for t, _ in offered)))
    return out


def learned(examples: Sequence[Request]) -> tuple[float, float, float, float]:
    """Logistic regression by plain gradient descent: three weights and a bias."""
    pairs = [(f, u) for r in examples for f, u in zip(r.features, r.used, strict=True)]
    weights = [0.0, 0.0, 0.0, 0.0]
    for _ in range(STEPS):
        slope = [0.0, 0.0, 0.0, 0.0]
        for f, used in pairs:
            z = weights[3] + sum(w * x for w, x in zip(weights, f, strict=False))
            error = 1 / (1 + math.exp(-max(-30.0, min(30.0, z)))) - used
            for k in range(3):
                slope[k] += error * f[k]
            slope[3] += error
        weights = [w - RATE * s / len(pairs) for w, s in zip(weights, slope, strict=True)]
    return weights[0], weights[1], weights[2], weights[3]


def measured(examples: Sequence[Request], weights: Sequence[float]) -> tuple[float, float, float]:
    """(share of tool sets guessed exactly, share of tools guessed, share that picking at random would get)."""
    exact = hits = wanted = chance = 0.0
    for r in examples:
        scores = [sum(w * x for w, x in zip(weights, f, strict=False)) for f in r.features]
        k = sum(r.used)
        best = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:k]
        right = sum(r.used[i] for i in best)
        exact += right == k
        hits += right
        wanted += k
        chance += k * k / len(scores)
    return exact / len(examples), hits / wanted, chance / wanted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    seed = parser.parse_args().seed
    found = {name: requests(name, seed) for name in catalogue.names()}
    print(f"{'held out':26} {'requests':>8} {'set exact':>10} {'tools':>7} {'by chance':>10}")
    for name, examples in found.items():
        weights = learned([r for other, rs in found.items() if other != name for r in rs])
        exact, tools, chance = measured(examples, weights)
        print(f"{name:26} {len(examples):8d} {exact:10.0%} {tools:7.0%} {chance:10.0%}")


if __name__ == "__main__":
    main()
