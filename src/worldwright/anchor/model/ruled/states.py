"""States: `a closed ticket may not be changed`, `only approved orders can be shipped`, `must be paid before it is sent`.

Where a sentence leaves open how far it reaches, the reading is taken that forbids less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldwright.anchor.model.entity_specs import state_transitions
from worldwright.anchor.model.lifecycles import BEGINNINGS
from worldwright.anchor.model.records import Entity
from worldwright.anchor.model.ruled.operations import named
from worldwright.anchor.model.ruled.records import Draft, Reading
from worldwright.anchor.model.ruled.sentences import said
from worldwright.anchor.model.ruled.verbs import acts_named, verbs, verbs_of
from worldwright.anchor.model.ruled.words import CAPABLE, REFUSED
from worldwright.anchor.names import parts
from worldwright.english.stems import stem, stems, stemset
from worldwright.english.words import wordset

_ANY_TIME = stemset("cancelled failed void voided expired error abandoned withdrawn deleted removed archived suspended")
"""States that a thing may come to from anywhere."""
_DECIDED = stemset("rejected declined denied refused")
"""States that it comes to where it does not go on."""
_EARLY = frozenset({*BEGINNINGS, "partially", "partly", "not", "awaiting", "scheduled", "waiting"})
_LOCKED = stemset("locked immutable final frozen readonly uneditable")
_OPEN = wordset("editable changeable modifiable")
_REACHED = frozenset({"once", "after"})
_NOT_YET = frozenset({"until", "till", "before"})
_LINKS = wordset("that which is are in with the a an status state have has been being of not or")
_NO = wordset("not cannot can't never no")
UNKNOWN = "the order of the states is not known"


@dataclass(frozen=True, slots=True)
class Named:
    """A state that a sentence names."""

    state: str
    start: int
    end: int
    as_noun: bool
    """Whether what leads to it is named (`approval`), and not the state itself."""
    negated: bool


def state(r: Reading) -> Draft | str | None:
    """What may be done in which states."""
    why: str | None = None
    for entity in r.subjects:
        if entity.state is None or len(entity.state.words) < 2:
            continue
        found = _of(r, entity)
        if isinstance(found, Draft):
            return found
        why = why or found
    return why


def _of(r: Reading, entity: Entity) -> Draft | str | None:
    first = _state_first(r)
    done = verbs_of(r, "before") if first else verbs(r)
    states = [n for n in _states(r, entity) if (not r.s.lead_at(n.start) if first else n.start not in done.values())]
    if not states or any(f.written for f in r.s.figures):
        return None
    allowed = _must_be(entity, states) if first else _allowed(r, entity, states)
    if allowed is None or isinstance(allowed, str):
        return allowed
    forbidden = [s for s in state_transitions(entity) if s not in allowed]
    if not allowed or not forbidden:
        return "it would forbid everything or nothing"
    bound, used = _bound(r, entity, done)
    if not bound:
        return "no operation does what it speaks of"
    return _draft(r, entity, allowed, forbidden, bound, states, used)


def _state_first(r: Reading) -> bool:
    """`must be approved before it is paid`: what is done stands in the clause that follows."""
    return r.s.demands == "must" and bool(verbs_of(r, "before"))


# which states


def _states(r: Reading, entity: Entity) -> Iterator[Named]:
    """The states of a thing that a sentence names, the longest name first."""
    assert entity.state is not None
    table = sorted(((parts(v), v) for v in entity.state.words.values()), key=lambda pair: -len(pair[0]))
    taken: set[int] = set()
    for words, name in table:
        for k in range(len(r.s.words) - len(words) + 1 if words else 0):
            place = range(k, k + len(words))
            if taken & set(place) or set(place) & r.named:
                continue
            same = all(_same(r.s.low(at), w) for at, w in zip(place, words, strict=True))
            noun = len(words) == 1 and r.s.words[k].stem == stem(words[0]) and r.s.lead_at(k) != ""
            if same or noun:
                taken |= set(place)
                yield Named(name, k, k + len(words), not same, r.s.low(k - 1) == "not")


def _same(written: str, word: str) -> bool:
    return written == word or (written.endswith("ed") and word.endswith("ed") and stem(written) == stem(word))


def _achieved(name: str) -> bool:
    """Whether a state is something that was done to a thing and stays so: `paid`, `approved`; not `pending` or `open`."""
    last = (parts(name) or ("",))[-1]
    return (last.endswith("ed") or last in ("paid", "sent")) and stem(last) not in _ANY_TIME | _DECIDED


def _later(entity: Entity, name: str, wide: bool) -> list[str] | None:
    """A state and those that come after it; None where the order is not known. `wide`: those too in which it did not go on."""
    assert entity.state is not None
    written, order = list(entity.state.words.values()), list(state_transitions(entity))
    if order != written and written == sorted(written):
        return None
    aside = _ANY_TIME if wide else _ANY_TIME | _DECIDED
    after = [s for s in order[order.index(name) + 1 :] if not stems(parts(s)) & aside and not _early(s)]
    return [name, *after]


def _early(name: str) -> bool:
    """Whether a state says that something has not come so far, wherever it is listed: `unpaid`, `payment_pending`."""
    words = parts(name)
    return bool(set(words) & _EARLY) or any(w.startswith("un") and len(w) > 4 for w in words)


def _must_be(entity: Entity, states: Sequence[Named]) -> list[str] | str | None:
    names = list(dict.fromkeys(n.state for n in states))
    if len(names) != 1 or any(n.negated or n.as_noun for n in states):
        return None
    return _later(entity, names[0], wide=False) or UNKNOWN


def _allowed(r: Reading, entity: Entity, states: Sequence[Named]) -> list[str] | str | None:
    """The states in which it may be done, or why they cannot be told."""
    leads = {r.s.lead_at(n.start) for n in states}
    if len(leads) > 1 or len({n.negated for n in states}) > 1:
        return "it speaks of several things at once"
    lead, every = leads.pop(), list(state_transitions(entity))
    names = list(dict.fromkeys(n.state for n in states))
    if not lead and (any(n.as_noun for n in states) or not all(_belongs(r, entity, n) for n in states)):
        return None
    meant = _meant(r, entity, names, lead, states[0].negated)
    if meant is None:
        return UNKNOWN
    if states[0].negated:
        meant = [x for x in every if x not in meant]
    if _needs(r, lead):
        return meant
    return [x for x in every if x not in meant] if _denies(r, lead) else None


def _meant(r: Reading, entity: Entity, names: Sequence[str], lead: str, negated: bool) -> list[str] | None:
    """The states that a sentence means with those that it names."""
    reached, needs = lead in _REACHED | _NOT_YET, _needs(r, lead)
    if len(names) == 1 and (reached or ((needs or negated) and _achieved(names[0]))):
        return _later(entity, names[0], wide=not needs)
    return list(names) if len(names) == 1 or not reached else None


def _needs(r: Reading, lead: str) -> bool:
    """Whether a thing has to be in these states."""
    if lead in _NOT_YET:
        return r.s.demands in ("must_not", "only_if") and any(w.low in _NO for w in r.s.words[: r.s.demand + 3])
    return r.s.demands in (("must_not", "only_if") if lead == "unless" else ("only_if",))


def _denies(r: Reading, lead: str) -> bool:
    """Whether a thing must not be in these states."""
    if lead in _NOT_YET:
        return r.s.demands in ("may", "only_if") or _edits(r)
    return (r.s.forbids or _locks(r)) and lead != "unless"


def _locks(r: Reading) -> bool:
    return any(r.s.words[k].stem in _LOCKED and not r.s.lead_at(k) for k in r.free)


def _edits(r: Reading) -> bool:
    return any(r.s.low(k) in _OPEN and not r.s.lead_at(k) for k in r.free) and not r.s.forbids


def _belongs(r: Reading, entity: Entity, n: Named) -> bool:
    """Whether a state says which of the things are meant: `closed tickets`, `tickets that are closed`, `in status closed`."""
    s = r.s
    for m in r.mentions:
        if m.entity.name != entity.name or m.start < 0:
            continue
        between = range(n.end, m.start)
        if m.start >= n.end and all(s.low(k) in ("or", "and", ",", "/") or _is_state(r, entity, k) for k in between):
            return True
        between = range(m.end, n.start)
        if m.end < n.start and all(s.low(k) in _LINKS or _is_state(r, entity, k) for k in between):
            return not m.end <= s.demand < n.start
    return any(s.low(k) in ("status", "state") for k in range(max(0, n.start - 3), n.start))


def _is_state(r: Reading, entity: Entity, k: int) -> bool:
    assert entity.state is not None
    return any(_same(r.s.low(k), w) for v in entity.state.words.values() for w in parts(v))


# where


def _bound(r: Reading, entity: Entity, done: dict[str, int]) -> tuple[list[tuple[str, str]], frozenset[int]]:
    """The operations that the sentence speaks of, each with the record that it looks at."""
    acts, used = acts_named(r, entity, done)
    rows = [(a.name, a.row) for a in acts if a.row]
    if rows:
        return rows, used
    for other in r.mentions:
        if other.entity.name != entity.name:
            made = [a for a in named(r.acts.get(other.entity.name, ()), done) if a.kind == "create"]
            found = [(a.name, given) for a in made if (given := a.input_for(entity.name))]
            if found:
                return found, frozenset(done.values()) | frozenset(range(other.start, other.end))
    if _locks(r) or _edits(r):
        marks = frozenset(k for k in r.free if r.s.words[k].stem in _LOCKED or r.s.low(k) in _OPEN)
        return [(a.name, a.row) for a in r.acts.get(entity.name, ()) if a.kind == "update" and a.row], marks
    return [], frozenset()


def _draft(
    r: Reading, entity: Entity, allowed: Sequence[str], forbidden: Sequence[str], bound: Sequence[tuple[str, str]],
    states: Sequence[Named], used: frozenset[int],
) -> Draft:  # fmt: skip
    assert entity.state is not None
    column = f"x.{entity.state.name}"
    few = allowed if len(allowed) <= len(forbidden) else forbidden
    spec = {
        "about": {"x": entity.name},
        "rule": f"{column} {'in' if few is allowed else 'not in'} ({', '.join(repr(s) for s in few)},)",
        "cases": [{"allowed": {column: allowed[0]}}, {"forbidden": {column: forbidden[0]}}],
    }
    marks = frozenset(k for k in r.free if r.s.words[k].stem in CAPABLE | REFUSED)
    covered = used | marks | frozenset(k for n in states for k in range(n.start, n.end))
    where = tuple(sorted(op for op, _ in bound))
    return Draft(
        entity, f"{entity.name}_{states[0].state}", spec, said(r.s, ()), tuple((op, {"x": row}) for op, row in bound),
        ("state", entity.name, *where), frozenset(forbidden), tool=True, covered=covered,
    )  # fmt: skip
