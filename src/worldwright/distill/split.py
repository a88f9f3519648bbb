"""What is trained on and what is held out.

Whole domains are held out, by a hash of their names: a domain is on the same side in every dataset. Domains that share a world, an
opening or a request are one family, whatever they are called, so that nothing of one side is on the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from worldwright.distill.records import TEST, TRAIN, EpisodeSummary, Recipe

ON_HELD_OUT_SIDE = "asked in the same words, or about the same things, on the held-out side"


@dataclass(frozen=True, slots=True)
class Split:
    """Which side an episode is on."""

    held_out: frozenset[str] = frozenset()
    """Domains."""
    by_words: bool = False
    asked_there: frozenset[bytes] = frozenset()
    """Requests that the held-out side has, where a domain is on both."""
    groups_there: frozenset[tuple[str, str]] = frozenset()
    """(world, group) of tasks that the held-out side has."""
    families: tuple[tuple[str, ...], ...] = field(default_factory=tuple)
    note: str = ""

    def side(self, seen: EpisodeSummary) -> str | None:
        """Return train or test; None for what would be on both."""
        if not self.by_words:
            return TEST if seen.domain in self.held_out else TRAIN
        if seen.held_out:
            return TEST
        there = seen.request in self.asked_there or (seen.world, seen.group) in self.groups_there
        return None if there else TRAIN


def split_episodes(episodes: Sequence[EpisodeSummary], recipe: Recipe) -> Split:
    families = group_domains(episodes)
    if recipe.split == "words":
        there = frozenset(s.request for s in episodes if s.held_out)
        groups = frozenset((s.world, s.group) for s in episodes if s.held_out and s.group)
        note = "Tasks asked in held-out words are held out. Domains, worlds and tools are the same on both sides."
        return Split(by_words=True, asked_there=there, groups_there=groups, families=families, note=note)
    if not recipe.held_out:
        return Split(families=families, note="Nothing is held out: it was not asked for.")
    if len(families) < 2:
        note = "Nothing is held out: there is one family of domains only, and one family cannot be on both sides."
        return Split(families=families, note=note)
    chosen = choose_held_out(families, recipe.held_out)
    return Split(frozenset(d for f in chosen for d in f), families=families, note="Whole domains are held out.")


def group_domains(episodes: Iterable[EpisodeSummary]) -> tuple[tuple[str, ...], ...]:
    """Domains that have a world, an opening or a request in common belong together."""
    found: dict[str, str] = {}
    first: dict[tuple[str, object], str] = {}

    def root(name: str) -> str:
        while found[name] != name:
            name = found[name]
        return name

    for s in episodes:
        found.setdefault(s.domain, s.domain)
        for mark in (("world", s.world), ("opening", s.opening), ("request", s.request)):
            one, other = sorted((root(s.domain), root(first.setdefault(mark, s.domain))))
            found[other] = one
    groups: dict[str, list[str]] = {}
    for name in sorted(found):
        groups.setdefault(root(name), []).append(name)
    return tuple(tuple(g) for g in groups.values())


def choose_held_out(families: Sequence[tuple[str, ...]], share: float) -> tuple[tuple[str, ...], ...]:
    """Choose those whose hash is below the share; at least one of several, and never all of them."""
    places: Mapping[tuple[str, ...], float] = {f: _hash_domain(f[0]) for f in families}
    ranked = sorted(families, key=lambda f: (places[f], f))
    number = sum(places[f] < share for f in ranked)
    return tuple(ranked[: min(max(number, 1), len(ranked) - 1)])


def _hash_domain(name: str) -> float:
    """Hash a domain to a number between 0 and 1."""
    return int.from_bytes(sha256(f"held out {name}".encode()).digest()[:7]) / 2**56
