"""Which businesses of the catalogue a prompt or a document speaks of.

Each Blueprint is a bag of words by meaning: those of its title and entities count most, those of its texts least. A word that few
Blueprints have says more than one that all have. The score is the share of what was said, so weighed, that a Blueprint knows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldwright import catalogue
from worldwright.anchor.base.words import meanings, telling
from worldwright.anchor.evidence import Evidence, Operation
from worldwright.blueprint.expand import expand_patterns
from worldwright.blueprint.patterns import MARK
from worldwright.blueprint.source import load_yaml

NEAR = 0.37
"""From this score on a Blueprint is a base to build on.

Prompts and documents of a business reach 0.38 (a hotel's API of hundreds of words) to 0.9; what the catalogue does not have stays
below 0.36 (a help desk beside retail returns). A neighbour may pass: reservations of a restaurant have 0.42 with the hotel.
"""
CLEAR, AHEAD = 0.18, 1.6
"""A lower score is enough where it stands out, so many times as high as the next: a long document has words of its own."""
SEVERAL = 4
"""Words that both have at least, for that. One word alone is never enough: there is training in a plant and at a chess board."""
MAX_WORDS = 25
"""Words of the evidence that are looked at: the weightiest."""
BECAUSE = 12
FEW = 2.0
"""Added to the weight of all that was said: one or two words are no proof, however well they fit."""

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A business of the catalogue, and how well it fits."""

    name: str
    score: float
    """0 to 1, comparable between uploads: below `NEAR` nothing in the catalogue is near."""
    because: tuple[str, ...]
    """The words that both have, the most telling first."""


def rank_domains(evidence: Evidence, prompt: str = "") -> tuple[Candidate, ...]:
    """Every business of the catalogue, the one that fits best first."""
    known = {name: profile(name) for name in catalogue.names()}
    said = _weightiest(spoken(evidence, prompt), known)
    found = [_candidate(name, said, words) for name, words in known.items()]
    return tuple(sorted(found, key=lambda c: (-c.score, c.name)))


def is_near(ranked: Sequence[Candidate]) -> bool:
    """Whether the first is a base to build on: it has most of what was said, or far more of it than any of another category."""
    best = ranked[0]
    next_best = next((c.score for c in ranked if _category(c) != _category(best)), 0.0)
    stands_out = best.score >= max(CLEAR, AHEAD * next_best) and len(best.because) >= SEVERAL
    return stands_out or (best.score >= NEAR and len(best.because) > 1)


def _category(candidate: Candidate) -> str:
    return catalogue.read_entry(candidate.name).category.partition(" / ")[0]


def _candidate(name: str, said: Weights, words: Weights) -> Candidate:
    shared = {w: said[w] * words[w] for w in said if w in words}
    whole = sum(said.values())
    because = sorted(shared, key=lambda w: (-shared[w], w))[:BECAUSE]
    return Candidate(name, round(sum(shared.values()) / (whole + FEW), 4), tuple(because))


def _weightiest(said: Weights, known: Mapping[str, Weights]) -> dict[str, float]:
    """Return what was said, with rare words weighing more, cut to the words that weigh most."""
    weighed = {w: v * rarity(w, known) for w, v in said.items()}
    kept = sorted(weighed, key=lambda w: (-weighed[w], w))[:MAX_WORDS]
    return {w: weighed[w] for w in kept}


def rarity(word: str, known: Mapping[str, Weights]) -> float:
    """High for a word that one Blueprint has or none, low for one that all have."""
    held = sum(words.get(word, 0.0) for words in known.values())
    return math.log(1 + (len(known) + 1) / (max(held, 1.0) + 0.5))


# what was said


def spoken(evidence: Evidence, prompt: str = "") -> dict[str, float]:
    """The words of a prompt and of evidence, each with its weight: more where it stands in a name, more where it is said often."""
    out: dict[str, float] = {}
    for weight, text in _texts(evidence, prompt):
        for word in telling(meanings(text)):
            out[word] = out.get(word, 0.0) + weight
    return {w: math.log1p(v) for w, v in out.items()}


def _texts(evidence: Evidence, prompt: str) -> Iterator[tuple[float, str]]:
    yield 6.0, prompt
    yield 4.0, evidence.title
    yield 2.0, evidence.says
    for resource in evidence.resources:
        yield 3.0, resource.name
        yield 0.5, resource.says
        yield from ((0.4, field.name) for field in resource.fields)
    for operation in evidence.operations:
        yield from _of_action(operation)
    for rule in evidence.rules:
        yield 0.5, rule.says
    yield from ((1.0, heading) for heading in dict.fromkeys(r.heading for r in evidence.rules))
    for states in evidence.states:
        yield 1.0, states.resource
        yield from ((0.3, s) for s in states.states)
    yield from ((0.4, column) for rows in evidence.rows for column in rows.columns)


def _of_action(operation: Operation) -> Iterator[tuple[float, str]]:
    yield 1.0, operation.name
    yield 0.3, operation.title or operation.says[:200]
    yield from ((0.2, p.name) for p in operation.parameters)


# what a Blueprint knows


@lru_cache(maxsize=64)
def profile(name: str) -> Weights:
    """The words of a Blueprint of the catalogue, each with how much it stands for the business: 0 to 1."""
    data = expand_patterns(load_yaml(catalogue.text(name), f"{name}.yaml")).data
    out: dict[str, float] = {}
    for weight, text in _of_blueprint(data):
        for word in telling(meanings(text)):
            out[word] = max(out.get(word, 0.0), weight)
    return out


def _of_blueprint(data: Mapping[str, Any]) -> Iterator[tuple[float, str]]:
    for key in ("blueprint", "title", "category", "summary"):
        yield 1.0, str(data.get(key, ""))
    for name, spec in _nodes(data, "entities"):
        own = 0.5 if str(spec.get("source", "")).startswith(MARK) else 1.0  # a mechanism, not the business
        yield 0.9 * own, f"{name} {spec.get('noun', '')}"
        yield 0.4 * own, str(spec.get("says", ""))
        yield from ((0.4, str(field)) for field in spec.get("fields", ()))
        yield from ((0.3, str(state)) for state in spec.get("lifecycle", ()))
        yield from ((0.3, _enum(field)) for field in spec.get("fields", {}).values())
    for name, spec in _nodes(data, "operations"):
        own = 0.5 if str(spec.get("source", "")).startswith(MARK) else 1.0
        yield 0.8 * own, name
        yield 0.4 * own, str(spec.get("says", ""))
    for name, spec in _nodes(data, "policies"):
        yield 0.6, name
        yield 0.4, str(spec.get("says", ""))
    for name, says in data.get("roles", {}).items():
        yield 0.7, name
        yield 0.5, str(says)
    for _, spec in _nodes(data, "goals"):
        yield from ((0.2, str(ask)) for ask in spec.get("asks", ()))


def _enum(field: Any) -> str:
    text = str(field.get("type", "") if isinstance(field, Mapping) else field)
    return text.split("~")[0].removeprefix("one of ") if text.startswith("one of ") else ""


def _nodes(data: Mapping[str, Any], section: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    found = data.get(section) or {}
    return [(str(k), v) for k, v in found.items() if isinstance(v, Mapping)]
