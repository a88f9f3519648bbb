"""Who does what in a sentence: its verbs, and the roles that it names."""

from __future__ import annotations

from collections.abc import Iterable

from worldwright.anchor.model.records import Entity
from worldwright.anchor.model.ruled.operations import ALIKE, CHANGES, CREATES, DELETES, Act, named
from worldwright.anchor.model.ruled.records import Reading
from worldwright.anchor.model.ruled.words import (
    APPROVAL,
    ASIDE,
    CAPABLE,
    OPERATORS,
    REFUSED,
    ROLE_LIKE,
    SMALL,
    SUPERVISORS,
)
from worldwright.english.stems import stem, stemset

SUPERVISOR = "actor.role == 'supervisor'"
_VAGUE = stemset(
    "possible accept available valid grant process do make take occur happen honour honor consider eligible perform initiate carry "
    "prohibit forbid disallow need require"
)
"""Verbs that leave it to a noun to say what is done."""
_JOINS = frozenset({"or", "and", "nor", ",", "/"})


def verbs(r: Reading) -> dict[str, int]:
    """Return what is demanded or forbidden to be done: stems, each with its place."""
    s = r.s
    clause = next((c for c in s.clauses if c.start <= s.demand < c.end), None)
    if clause is None:
        return {}
    verb = s.verb_stem()
    out: dict[str, int] = {}
    if verb in CAPABLE | REFUSED and s.forbids and s.by_system():
        out = _stems(r, range(s.verb + 1, _object(r, clause.end)))
    elif verb:
        out = _joined(r, s.verb, clause.end)
    if not verb or verb in _VAGUE:
        out |= _stems(r, range(clause.start, s.demand))
        first = [m.start for m in r.mentions if clause.start <= m.start < s.demand]
        out |= {stem("create"): first[0]} if first else {}
    return out


def verbs_of(r: Reading, lead: str) -> dict[str, int]:
    """Return what is done in the clauses that a word leads: `before it is shipped`."""
    return {k: v for c in r.s.clauses if c.lead == lead for k, v in _stems(r, range(c.start, c.end)).items()}


def _object(r: Reading, end: int) -> int:
    """Return where the thing stands that a noun of action is about: `changes to orders`."""
    after = [m.start for m in r.mentions if m.start > r.s.verb]
    marks = [k for k in range(r.s.verb, end) if r.s.low(k) in ("that", "which", "if", "when")]
    return min((*after, *marks, end))


def _stems(r: Reading, at: Iterable[int]) -> dict[str, int]:
    words = r.s.words
    return {words[k].stem: k for k in at if words[k].low.isalpha() and words[k].low not in SMALL}


def _joined(r: Reading, first: int, end: int) -> dict[str, int]:
    """A verb and those that are joined to it: `cancelled, changed or returned`."""
    out, k = {r.s.words[first].stem: first}, first
    while k + 2 < end and r.s.low(k + 1) in _JOINS:
        k += 2
        while k < end and (r.s.low(k) in _JOINS or r.s.low(k) == "be"):
            k += 1
        if k >= end or r.s.low(k) in SMALL:
            break
        out[r.s.words[k].stem] = k
    return out


def acts_named(r: Reading, entity: Entity, said: dict[str, int]) -> tuple[list[Act], frozenset[int]]:
    """The operations on a thing that verbs mean, and the words that name them."""
    found = named(r.acts.get(entity.name, ()), said)
    own = {ALIKE.get(a.verb, a.verb) for a in found}
    kinds = {a.kind for a in found}
    used = {
        k
        for v, k in said.items()
        if ALIKE.get(v, v) in own
        or (v in CHANGES and kinds & {"update", "move"})
        or (v in CREATES and "create" in kinds)
        or (v in DELETES and "delete" in kinds)
    }
    return found, frozenset(used)


# roles


def supervisors(r: Reading) -> frozenset[int]:
    """The words that name somebody who decides, with what stands before them."""
    return _roles(r, SUPERVISORS)


def operators(r: Reading) -> frozenset[int]:
    """The words before what demands that name somebody who does the daily work."""
    return frozenset(k for k in _roles(r, OPERATORS) if k < r.s.demand)


def strangers(r: Reading) -> frozenset[int]:
    """The words that name somebody who does not act in a derived world."""
    return _roles(r, ROLE_LIKE)


def actors(r: Reading) -> frozenset[int]:
    """Words that only say who does it: before what demands, or after `by`."""
    found = _roles(r, ROLE_LIKE | OPERATORS)
    return frozenset(k for k in found if k + 1 == r.s.demand or "by" in (r.s.low(k - 1), r.s.low(k - 2)))


def _roles(r: Reading, known: frozenset[str]) -> frozenset[int]:
    found = {k for k, w in enumerate(r.s.words) if w.one in known}
    out = {k for k in found if r.s.words[k].one not in ("lead", "head") or not (k in r.named or k == r.s.verb)}
    before = {k - 1 for k in out if r.s.low(k - 1) in ASIDE}
    return frozenset(out | before | {k - 1 for k in before if r.s.low(k - 1) in ASIDE})


def decides(r: Reading) -> bool:
    """Tell whether what is done is the approval itself, or left to a noun to say."""
    verb = r.s.verb_stem()
    return not verb or verb in _VAGUE or verb in APPROVAL or verb == stem("have")


def approvals(r: Reading) -> frozenset[int]:
    """The words that speak of an approval; where one is only forbidden or allowed, the verb itself asks for none."""
    done = set() if r.s.demands == "must" else set(verbs(r).values())
    return frozenset(k for k in r.free if r.s.words[k].stem in APPROVAL and k not in done)
