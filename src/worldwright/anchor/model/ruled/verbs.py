"""Who does what in a sentence: its verbs, and the roles that it names."""

from __future__ import annotations

from collections.abc import Iterable

from worldwright.anchor.model.records import Resource
from worldwright.anchor.model.ruled.operations import ALIKE, CHANGES, CREATES, DELETES, Act, named
from worldwright.anchor.model.ruled.records import Reading
from worldwright.anchor.model.ruled.words import APPROVAL, ASIDE, CAPABLE, OPERATORS, ROLE_LIKE, SMALL, SUPERVISORS, stems

SUPERVISOR = "actor.role == 'supervisor'"
_VAGUE = stems(
    (
        "possible", "accept", "available", "valid", "grant", "process", "do", "make", "take", "occur", "happen", "honour", "honor",
        "consider", "eligible", "refundable", "perform", "initiate", "carry", "prohibit", "forbid", "disallow", "need", "require",
    )
)  # fmt: skip
"""Verbs that leave it to a noun to say what is done."""
_JOINS = frozenset({"or", "and", "nor", ",", "/"})


def verbs(r: Reading) -> dict[str, int]:
    """What is demanded or forbidden to be done: stems, each with its place."""
    s = r.s
    clause = next((c for c in s.clauses if c.start <= s.demand < c.end), None)
    if clause is None:
        return {}
    verb = s.words[s.verb].stem if s.verb >= 0 else ""
    out: dict[str, int] = {}
    if verb in CAPABLE and s.forbids:
        out = _stems(r, range(s.verb + 1, clause.end))
    elif verb:
        out = _joined(r, s.verb, clause.end)
    if not verb or verb in _VAGUE:
        out |= _stems(r, range(clause.start, s.demand))
    return out


def verbs_of(r: Reading, lead: str) -> dict[str, int]:
    """What is done in the clauses that a word leads: `before it is shipped`."""
    return {
        k: v for c in r.s.clauses if c.lead == lead for k, v in _stems(r, range(c.start, c.end), of_things=True).items()
    }


def _stems(r: Reading, at: Iterable[int], of_things: bool = True) -> dict[str, int]:
    words = r.s.words
    return {
        words[k].stem: k for k in at if words[k].low.isalpha() and words[k].low not in SMALL and (of_things or k not in r.named)
    }


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


def acts_named(r: Reading, resource: Resource, said: dict[str, int]) -> tuple[list[Act], frozenset[int]]:
    """The operations on a thing that verbs mean, and the words that name them."""
    found = named(r.acts.get(resource.name, ()), said)
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


def supervisors(r: Reading) -> frozenset[int]:
    """The words that name somebody who decides, with what stands before them."""
    return _roles(r, SUPERVISORS)


def operators(r: Reading, before: int) -> frozenset[int]:
    """The words before a place that name somebody who does the daily work."""
    return frozenset(k for k in _roles(r, OPERATORS) if k < before)


def strangers(r: Reading) -> frozenset[int]:
    """The words that name somebody who does not act in a derived world."""
    return frozenset(k for k in _roles(r, ROLE_LIKE) if k not in r.named)


def _roles(r: Reading, known: frozenset[str]) -> frozenset[int]:
    out: set[int] = set()
    for k, word in enumerate(r.s.words):
        if word.one in known and (k not in r.named or known is SUPERVISORS) and word.low not in ("lead", "leads", "head"):
            out.add(k)
        elif word.low in ("lead", "leads", "head", "heads") and known is SUPERVISORS and k not in r.named and k != r.s.verb:
            out.add(k)
    before = {k - 1 for k in out if r.s.low(k - 1) in ASIDE}
    return frozenset(out | before | {k - 1 for k in before if r.s.low(k - 1) in ASIDE})


def approvals(r: Reading) -> frozenset[int]:
    """The words that speak of an approval."""
    return frozenset(k for k in r.free if r.s.words[k].stem in APPROVAL)
