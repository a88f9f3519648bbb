"""What a sentence speaks of: the things that it names, and the attributes of them that its words mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.model.intents import classify_operations
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.ruled.sentences import Sentence
from worldwright.anchor.model.ruled.words import NARROWING, NEUTRAL, SMALL
from worldwright.anchor.names import noun, parts
from worldwright.english.nouns import singular
from worldwright.english.stems import stem, stems
from worldwright.english.words import wordset

FILLING = wordset("id at on date time is has the of datetime timestamp day number no")
"""Words of an attribute's name that say what kind of value it is, not which."""
VALUES = frozenset({"amount", "value", "money", "currency", "name", "text"})
"""Words that a value is called by inside of what it is the value of: `total.amount`."""
ADDED = frozenset({"request", "record", "entry", "form", "document"})
"""May follow the name of a thing and mean the same."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing, and where a sentence names it; no place where only its heading or its code does."""

    entity: Entity
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Names:
    """What sentences may call things."""

    table: Mapping[tuple[str, ...], Entity]
    longest: int
    """Words of the longest one."""


def names_of(entities: Sequence[Entity], evidence: Evidence) -> Names:
    """Each thing by its words, by its last word where no other thing of the evidence ends in it, and by the longer name that the
    documents use for it: `purchase order` for an `order`."""
    known = {_singular(r.noun): r for r in reversed(entities) if r.noun}
    heads: dict[str, dict[tuple[str, ...], None]] = {}
    for key in (*known, *(_singular(d.noun) for d in classify_operations(evidence.operations) if d.noun)):
        heads.setdefault(key[-1], {})[key] = None
    known |= {(key[-1],): r for key, r in known.items() if len(heads[key[-1]]) == 1}
    written: dict[str, dict[tuple[str, ...], None]] = {}
    for name in (*(t.name for t in evidence.resources), *(a for rule in evidence.rules for a in rule.about)):
        key = noun(name)
        if len(key) > 1:
            written.setdefault(key[-1], {})[_singular(key)] = None
    compounds = {
        key: known[(head,)]
        for head, keys in written.items()
        for key in keys
        if len(keys) == 1 and (head,) in known and key not in known
    }
    table = {**known, **compounds}
    return Names(table, max((len(k) for k in table), default=0))


def _singular(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(singular(w) for w in words)


def mentions(s: Sentence, names: Names) -> tuple[Mention, ...]:
    """The things of a sentence in order, the longest name first; else that of its heading or of the code that it stands in."""
    out: list[Mention] = []
    ones = [w.one for w in s.words]
    table, k = names.table, 0
    while k < len(ones):
        found = next((n for n in range(min(names.longest, len(ones) - k), 0, -1) if tuple(ones[k : k + n]) in table), 0)
        if found and k != s.verb and _stands_alone(s, k + found, table[tuple(ones[k : k + found])]):
            out.append(Mention(table[tuple(ones[k : k + found])], k, k + found))
        k += max(found, 1)
    return tuple(out) or tuple(Mention(r, -1, -1) for r in _beside(s, table))


def _stands_alone(s: Sentence, at: int, entity: Entity) -> bool:
    """Tell whether a name is followed by nothing that makes it part of another: `order form`, `payment portal`."""
    if at >= len(s.words):
        return True
    word = s.words[at]
    own = {stem(w) for a in entity.attributes for w in named_in(a.path[-1])}
    state = {stem(w) for v in (entity.state.words.values() if entity.state else ()) for w in named_in(v)}
    return (
        not word.low.isalpha()
        or word.low in SMALL
        or word.one in ADDED
        or word.stem in own | state
        or at == s.verb
        or word.low.endswith(("ed", "ing", "ly", "ation"))
        or any(f.start <= at < f.end for f in s.figures)
    )


def _beside(s: Sentence, table: Mapping[tuple[str, ...], Entity]) -> Iterator[Entity]:
    """Yield what the sentence is about where no noun of it says so: by its verb (`agents may not refund ...`), or by its place."""
    verb = (s.words[s.verb].one,) if s.verb >= 0 else ()
    for keys in ([verb], [noun(name) for name in s.rule.about], [noun(s.rule.heading)]):
        found = {table[key].name: table[key] for key in keys if key in table}
        if found:
            yield from found.values() if len(found) == 1 else ()
            return


def outright(attribute: Attribute) -> bool:
    """Whether a value is one of the thing itself, and not of something inside of it: `total.amount`, but not `customer.age`."""
    path = attribute.path
    return len(path) == 1 or (len(path) == 2 and named_in(path[-1]) <= FILLING | VALUES)


def content(attribute: Attribute) -> frozenset[str]:
    """The stems that an attribute's name is told by."""
    return _content(attribute.path)


@lru_cache(maxsize=20_000)
def _content(path: tuple[str, ...]) -> frozenset[str]:
    words = parts(path[-1])
    if len(path) > 1 and set(words) <= FILLING | VALUES:
        words = (*parts(path[-2]), *words)
        return stems(w for w in words if w not in FILLING | VALUES) or stems(words[-1:])
    return stems(w for w in words if w not in FILLING) or stems(words)


@lru_cache(maxsize=20_000)
def named_in(name: str) -> frozenset[str]:
    """The words of a name."""
    return frozenset(parts(name))


def explicit(
    attributes: Sequence[Attribute],
    s: Sentence,
    free: Collection[int],
    near: int = -1,
    known: frozenset[str] = frozenset(),
) -> tuple[Attribute, frozenset[int]] | None:
    """The attribute whose whole name stands in the sentence, among words that mean nothing else; of several the longest, then the
    nearest. Words that are `known` need not stand there."""
    best: tuple[tuple[int, int], Attribute, frozenset[int]] | None = None
    for a in attributes:
        wanted = content(a) - known
        at = [k for k in free if s.words[k].stem in wanted and s.words[k].low not in SMALL]
        if not wanted or {s.words[k].stem for k in at} != wanted:
            continue
        score = (len(wanted), -min((abs(k - near) for k in at), default=0) if near >= 0 else 0)
        if best is None or score > best[0]:
            best = (score, a, frozenset(at))
    return (best[1], best[2]) if best is not None else None


def residue(s: Sentence, covered: Collection[int]) -> list[str]:
    """Words of weight that a reading of the sentence did not use."""
    rest = (w for k, w in enumerate(s.words) if k not in covered and w.low[0].isalnum())
    return [
        w.low for w in rest if w.low not in SMALL | NEUTRAL and not (w.low.endswith("ly") and w.low not in NARROWING)
    ]
