"""States: `a closed ticket may not be changed`, `only approved orders can be shipped`, `must be paid before it is sent`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldwright.anchor.model.entities import arrows
from worldwright.anchor.model.records import Resource
from worldwright.anchor.model.ruled.figures import said
from worldwright.anchor.model.ruled.operations import named
from worldwright.anchor.model.ruled.records import Draft, Reading
from worldwright.anchor.model.ruled.subjects import Mention
from worldwright.anchor.model.ruled.verbs import acts_named, verbs, verbs_of
from worldwright.anchor.model.ruled.words import CAPABLE, stem, stems
from worldwright.anchor.names import parts

_BAD_ENDS = stems(
    ("cancelled", "rejected", "declined", "failed", "void", "voided", "expired", "error", "abandoned", "withdrawn", "deleted", "removed", "denied")
)  # fmt: skip
"""States that something comes to where it does not go on."""
_LOCKED = stems(("locked", "immutable", "final", "frozen", "readonly", "editable"))
_REACHED = frozenset({"once", "after", "following"})
_NOT_YET = frozenset({"until", "till", "before"})


@dataclass(frozen=True, slots=True)
class Named:
    """A state that a sentence names."""

    state: str
    start: int
    end: int
    as_noun: bool
    """Whether what leads to it is named (`approval`), and not the state itself."""


def state(r: Reading) -> Draft | str | None:
    """What may be done in which states."""
    why: str | None = None
    for mention in _different(r.mentions):
        if mention.resource.state is None:
            continue
        found = _of(r, mention.resource)
        if isinstance(found, Draft):
            return found
        why = why or found
    return why


def _different(mentions: Sequence[Mention]) -> list[Mention]:
    return list({m.resource.name: m for m in reversed(mentions)}.values())[::-1]


def _of(r: Reading, resource: Resource) -> Draft | str | None:
    states = list(_states(r, resource))
    if not states:
        return None
    allowed = _allowed(r, resource, states)
    if allowed is None or isinstance(allowed, str):
        return allowed
    every = list(arrows(resource))
    if not allowed or set(allowed) >= set(every):
        return "it would forbid everything or nothing"
    bound, used = _bound(r, resource)
    if not bound:
        return "no operation does what it speaks of"
    return _draft(r, resource, allowed, [s for s in every if s not in allowed], bound, states, used)


# which states


def _states(r: Reading, resource: Resource) -> Iterator[Named]:
    """The states of a thing that a sentence names, the longest name first."""
    assert resource.state is not None
    table = sorted(((parts(v), v) for v in resource.state.words.values()), key=lambda pair: -len(pair[0]))
    taken: set[int] = set()
    for words, name in table:
        for k in range(len(r.s.words) - len(words) + 1):
            place = range(k, k + len(words))
            if not words or taken & set(place) or set(place) & r.named:
                continue
            same = all(_same(r.s.low(at), w) for at, w in zip(place, words, strict=True))
            noun = len(words) == 1 and r.s.words[k].stem == stem(words[0]) and r.s.lead_at(k) != ""
            if same or noun:
                taken |= set(place)
                yield Named(name, k, k + len(words), not same)


def _same(written: str, word: str) -> bool:
    return written == word or (written.endswith("ed") and word.endswith("ed") and stem(written) == stem(word))


def _later(resource: Resource, name: str) -> list[str] | None:
    """A state and those that come after it where things go well; None where the order is not known."""
    assert resource.state is not None
    written, order = list(resource.state.words.values()), list(arrows(resource))
    if order != written and written == sorted(written):
        return None
    after = [s for s in order[order.index(name) :] if s == name or stem(parts(s)[-1] if parts(s) else s) not in _BAD_ENDS]
    return after


def _allowed(r: Reading, resource: Resource, states: Sequence[Named]) -> list[str] | str | None:
    """The states in which it may be done, or why they cannot be told."""
    s, every = r.s, list(arrows(resource))
    leads = {s.lead_at(n.start) for n in states}
    if len(leads) > 1 or any(f.written for f in s.figures):
        return "it speaks of several things at once"
    lead = leads.pop()
    names = list(dict.fromkeys(n.state for n in states))
    if not lead:
        return _of_main(r, resource, states, names, every)
    if len(names) > 1 and lead in _REACHED | _NOT_YET:
        return "it speaks of several states"
    beyond = _later(resource, names[0]) if lead in _REACHED | _NOT_YET else names
    if beyond is None:
        return "the order of the states is not known"
    demands = s.rule.demands
    if lead in _NOT_YET:
        return beyond if demands in ("must_not", "only_if") and _negative(r) else [x for x in every if x not in beyond]
    if lead == "unless":
        return names
    if demands == "must_not" or _locks(r):
        return [x for x in every if x not in beyond]
    return beyond if demands == "only_if" else "it only says what happens then"


def _negative(r: Reading) -> bool:
    """Whether something is not done, whatever else the sentence demands."""
    return any(w.low in ("not", "cannot", "can't", "never", "no") for w in r.s.words[max(0, r.s.demand - 1) : r.s.demand + 3])


def _locks(r: Reading) -> bool:
    return any(r.s.words[k].stem in _LOCKED and not r.s.lead_at(k) for k in r.free) and not _edits(r)


def _edits(r: Reading) -> bool:
    return any(r.s.low(k) in ("editable", "changeable", "modifiable") for k in r.free) and not r.s.forbids


def _of_main(r: Reading, resource: Resource, states: Sequence[Named], names: list[str], every: list[str]) -> list[str] | str | None:
    """States in the main clause: before the thing's name, or what it must be before something else."""
    s, demands = r.s, r.s.rule.demands
    if any(n.as_noun for n in states):
        return None
    subject = all(_belongs(r, resource, n) for n in states)
    if subject and demands == "must_not":
        return [x for x in every if x not in names]
    if subject and demands == "only_if":
        return names
    after = all(n.start > s.demand for n in states)
    if demands in ("must", "only_if") and after and len(names) == 1 and verbs_of(r, "before"):
        return _later(resource, names[0]) or "the order of the states is not known"
    return None


def _belongs(r: Reading, resource: Resource, n: Named) -> bool:
    """Whether a state says which of the things are meant: `closed tickets`, `tickets that are closed`, `in status closed`."""
    own = [m for m in r.mentions if m.resource.name == resource.name and m.start >= 0]
    before = any(m.start >= n.end and all(r.s.low(k) in ("or", "and", ",", "/") or _is_state(r, resource, k) for k in range(n.end, m.start)) for m in own)
    behind = any(
        m.end <= n.start and n.start - m.end <= 6
        and any(r.s.low(k) in ("that", "which", "status", "state", "in", "with") for k in range(m.end, n.start))
        and not m.end <= r.s.demand < n.start
        for m in own
    )  # fmt: skip
    return before or behind or any(r.s.low(k) in ("status", "state") for k in range(max(0, n.start - 3), n.start))


def _is_state(r: Reading, resource: Resource, k: int) -> bool:
    assert resource.state is not None
    return any(_same(r.s.low(k), w) for v in resource.state.words.values() for w in parts(v))


# where


def _bound(r: Reading, resource: Resource) -> tuple[list[tuple[str, str]], frozenset[int]]:
    """The operations that the sentence speaks of, each with the record that it looks at."""
    said_in = verbs_of(r, "before") if _main_state_first(r) else verbs(r)
    acts, used = acts_named(r, resource, said_in)
    rows = [(a.name, a.row) for a in acts if a.row]
    if rows:
        return rows, used
    for other in _different(r.mentions):
        if other.resource.name != resource.name:
            found = [
                (a.name, given)
                for a in named(r.acts.get(other.resource.name, ()), said_in)
                if a.kind == "create" and (given := a.input_for(resource.name))
            ]
            if found:
                return found, frozenset(said_in.values()) | frozenset(range(other.start, other.end))
    if _locks(r) or _edits(r):
        changing = [a for a in r.acts.get(resource.name, ()) if a.kind == "update" and a.row]
        return [(a.name, a.row) for a in changing], frozenset(k for k in r.free if r.s.words[k].stem in _LOCKED)
    return [], frozenset()


def _main_state_first(r: Reading) -> bool:
    """`must be approved before it is paid`: the verb is in the clause that follows."""
    return r.s.rule.demands in ("must", "only_if") and bool(verbs_of(r, "before")) and not _negative(r)


def _draft(
    r: Reading, resource: Resource, allowed: Sequence[str], forbidden: Sequence[str], bound: Sequence[tuple[str, str]],
    states: Sequence[Named], used: frozenset[int],
) -> Draft:  # fmt: skip
    assert resource.state is not None
    column = f"x.{resource.state.name}"
    few = allowed if len(allowed) <= len(forbidden) else forbidden
    listed = f"({', '.join(repr(s) for s in few)},)"
    spec = {
        "about": {"x": resource.name},
        "rule": f"{column} {'in' if few is allowed else 'not in'} {listed}",
        "cases": [{"allowed": {column: allowed[0]}}, {"forbidden": {column: forbidden[0]}}],
    }
    marks = frozenset(k for k in r.free if r.s.low(k) in ("status", "state") or r.s.words[k].stem in CAPABLE)
    covered = used | marks | frozenset(k for n in states for k in range(n.start, n.end))
    name = f"{resource.name}_{states[0].state}"
    where = tuple(sorted(op for op, _ in bound))
    return Draft(
        resource, name, spec, said(r.s, ()), tuple((op, {"x": row}) for op, row in bound),
        ("state", resource.name, *sorted(forbidden), *where), tool=True, covered=covered,
    )  # fmt: skip
