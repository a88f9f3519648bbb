"""Finds domains by words: in what a business is called and does, in its rules, and in what people ask of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from worldwright import catalogue
from worldwright.core.names import to_words
from worldwright.english.stems import stem

WEIGHTS: Mapping[str, int] = {
    "title": 12, "blueprint": 12, "category": 8, "summary": 8, "entities": 5, "operations": 6, "policies": 4, "roles": 4,
    "systems": 3, "goals": 1, "personas": 0, "history": 0, "mess": 0, "use": 2, "terms": 1, "always": 2,
}  # fmt: skip
"""By section of a Blueprint, what a word in it counts."""
MAX_LINES = 4
"""Places that are shown of one domain."""
_WORD = re.compile(r"[a-z0-9]+")
_SAYS = re.compile(r"\bsays: ?(?P<text>.*)\Z")
HEADS = frozenset({"title", "category", "summary"})
"""Sections that are a text themselves."""
_KEY = re.compile(r" *(?:- )?(?P<key>[A-Za-z_][\w ]*):(?: |\Z)")


@dataclass(frozen=True, slots=True)
class Match:
    """Where words were found."""

    section: str
    name: str
    """The entity, operation or policy it is in; empty above these."""
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    domain: str
    score: int
    places: tuple[Match, ...]


def search(query: str) -> tuple[Hit, ...]:
    """Domains in which the words of a query stand in one sentence, the best first; else those that have them at all.

    Forms of a word count as one: refund, refunded."""
    wanted = tuple(dict.fromkeys(stem(w) for w in _WORD.findall(query.lower())))
    for together in (True, False):
        found = [
            h for name in catalogue.names() if wanted and (h := _search_domain(name, wanted, together)) is not None
        ]
        if found:
            return tuple(sorted(found, key=lambda h: (-h.score, h.domain)))
    return ()


def _search_domain(domain: str, wanted: tuple[str, ...], together: bool) -> Hit | None:
    best: dict[str, int] = dict.fromkeys(wanted, 0)
    scored: dict[tuple[str, str], tuple[tuple[int, bool], Match]] = {}
    for place, stems in _lines(domain):
        own = [w for w in wanted if w in stems]
        if together and len(own) < len(wanted):
            continue
        weight = WEIGHTS.get(place.section, 1)
        for w in own:
            best[w] += weight or 1
        key = (place.section, place.name)
        better = (weight * len(own), bool(place.text))
        if own and weight and (key not in scored or scored[key][0] < better):
            scored[key] = better, place
    if not all(best.values()):
        return None
    shown = sorted(scored.values(), key=lambda one: one[0], reverse=True)[:MAX_LINES]
    return Hit(domain, sum(best.values()), tuple(place for _, place in shown))


@lru_cache(maxsize=64)
def _lines(domain: str) -> tuple[tuple[Match, frozenset[str]], ...]:
    return tuple(_read_lines(catalogue.text(domain)))


def _read_lines(text: str) -> Iterator[tuple[Match, frozenset[str]]]:
    """Yield what a Blueprint says, each with the section and the node it stands in: names, and what is written for people."""
    section = name = ""
    speaking = -1
    """The depth of the key whose text goes on over further lines."""
    said: list[str] = []
    for line in (*text.splitlines(), "end:"):
        bare = line.strip()
        depth = len(line) - len(line.lstrip())
        if said and (depth <= speaking or not bare):
            yield _place(section, name, " ".join(said))
            said, speaking = [], -1
        if not bare or bare.startswith("#"):
            continue
        if speaking >= 0 or said:
            said.append(bare)
            continue
        key = _KEY.match(line)
        if key is not None and depth in (0, 2):
            section, name = (key["key"], "") if depth == 0 else (section, key["key"])
            yield _place(section, name, "")
        spoken = _SAYS.search(line) if section != "goals" else None
        if spoken is not None or (depth == 0 and section in HEADS):
            text_there = spoken["text"] if spoken is not None else bare.partition(":")[2]
            said, speaking = [t for t in (text_there.strip(" >-|}\"'"),) if t], depth
        elif section == "goals" and bare.startswith("- ") and "do:" not in bare:
            yield _place(section, name, bare[2:].strip("\"' >-"))


def _place(section: str, name: str, text: str) -> tuple[Match, frozenset[str]]:
    plain = to_words(name)
    stems = frozenset(stem(w) for w in _WORD.findall(f"{plain} {text}".lower()))
    return Match(section, plain, text), stems
