"""Things and people of a document, and entities and roles of a Blueprint: which is which.

A thing is an entity where their names mean the same, or where they end in the same noun and have fields in common. A person is a
role where names or duties do. Nothing is matched twice, and where two are equally near, nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from worldwright.anchor.base.records import Match
from worldwright.anchor.base.words import meanings, telling
from worldwright.anchor.evidence import Person, Resource
from worldwright.anchor.names import parts

SAME, ENDS_SAME, LEAST = 1.0, 0.45, 0.6
"""What equal names count, what an equal last word does, and from what on a match holds."""
FIELDS = 0.4
"""What it counts at most that fields are the same."""
FEW_FIELDS = 3
SAME_ROLE = 3.0
DUTIES = 0.4
"""The share of a person's duties that a role has to have."""

Ranked = list[tuple[float, int, int, str]]
"""Score, number of the one, number of the other, why."""


def entities_of(resources: Sequence[Resource], entities: Mapping[str, Mapping[str, Any]]) -> dict[int, Match]:
    """By number of the thing, the entity that it is."""
    names = list(entities)
    ranked: Ranked = []
    for i, resource in enumerate(resources):
        for j, name in enumerate(names):
            score, why = _alike(resource, name, entities[name])
            if score >= LEAST:
                ranked.append((score, i, j, why))
    return {
        i: Match("thing", resources[i].name, f"entities.{names[j]}", why, resources[i].source)
        for i, j, why in _pairs(ranked)
    }


def roles_of(people: Sequence[Person], roles: Mapping[str, str], entities: Iterable[str]) -> dict[int, Match]:
    """By number of the person, the role that it is. Whoever is kept as an entity, such as a customer, acts in no role."""
    kept = {meanings(name) for name in entities}
    names = list(roles)
    ranked: Ranked = []
    for i, person in enumerate(people):
        for j, name in enumerate(names):
            score, why = _in_role(person, name, str(roles[name]))
            if score >= (SAME_ROLE if meanings(person.name) in kept else DUTIES):
                ranked.append((score, i, j, why))
    return {
        i: Match("person", people[i].name, f"roles.{names[j]}", why, people[i].source) for i, j, why in _pairs(ranked)
    }


def _pairs(ranked: Ranked) -> list[tuple[int, int, str]]:
    """The best pairs, each side once; one that has an equal is left out."""
    out: list[tuple[int, int, str]] = []
    firsts: set[int] = set()
    seconds: set[int] = set()
    for score, i, j, why in sorted(ranked, key=lambda r: (-r[0], r[1], r[2])):
        rivals = [r for r in ranked if r[0] == score and (r[1] == i) != (r[2] == j)]
        open_rivals = [r for r in rivals if r[1] not in firsts and r[2] not in seconds]
        if i in firsts or j in seconds:
            continue
        firsts.add(i)
        if not open_rivals:
            seconds.add(j)
            out.append((i, j, why))
    return sorted(out)


# things


def _alike(resource: Resource, name: str, spec: Mapping[str, Any]) -> tuple[float, str]:
    said = meanings(resource.name)
    called = [m for m in (meanings(name), meanings(str(spec.get("noun", "")))) if m]
    if not said or not called:
        return 0.0, ""
    shared, of = _common_fields(resource, spec)
    fields = f"{shared} of its {of} fields" if of else ""
    of_fields = FIELDS * shared / of if of >= FEW_FIELDS else 0.0
    if said in called:
        means = "has the same name" if parts(resource.name)[-1:] == parts(name)[-1:] else f"means the same as `{name}`"
        return SAME + of_fields, f"{means}; {fields}" if fields else means
    if any(said[-1] == m[-1] and (len(said) == 1 or len(m) == 1) for m in called):
        return ENDS_SAME + of_fields, f"ends in the same noun as `{name}`; {fields}"
    return (of_fields * 1.6 if of >= 2 * FEW_FIELDS and shared > of / 2 else 0.0), f"{fields} are those of `{name}`"


def _common_fields(resource: Resource, spec: Mapping[str, Any]) -> tuple[int, int]:
    """How many fields of a thing the entity has, and of how many; an id says nothing."""
    known = {meanings(str(f)) for f in spec.get("fields", ())}
    said = [m for f in resource.fields if (m := meanings(f.name)) and m[-1] not in ("id", "uuid", "key")]
    return sum(_field_in(m, known) for m in said), len(said)


def _field_in(said: tuple[str, ...], known: set[tuple[str, ...]]) -> bool:
    return said in known or any(said[-1:] == k[-1:] and (len(said) == 1 or len(k) == 1) for k in known)


# people


def _in_role(person: Person, name: str, duties: str) -> tuple[float, str]:
    said, called = meanings(person.name), meanings(name)
    if not said or not called:
        return 0.0, ""
    if said == called:
        return SAME_ROLE, "has the same name"
    if initials(person.name, name):
        return SAME_ROLE - 1, f"`{name}` is short for it"
    own = frozenset(meanings(person.says))
    both = sorted(own & {*meanings(duties), *called})
    ends = 0.3 if said[-1] == called[-1] and telling(said[-1:]) else 0.0
    share = _weight(both) / _weight(own) if len(both) >= 2 and telling(both) else 0.0
    why = f"both {', '.join(both)}" if both else ""
    return share + ends, "; ".join(w for w in (f"ends as `{name}` does" if ends else "", why) if w)


def _weight(found: Iterable[str]) -> float:
    return sum(1.0 if telling([w]) else 0.5 for w in found)


def initials(long: str, short: str) -> bool:
    """Whether one name is the other with some words cut to their letters: `ap_clerk` of Accounts payable clerk."""
    words, cut = parts(long), parts(short)
    if len(cut) < 2 or len(words) <= len(cut) or not 2 <= len(cut[0]) <= 4:
        return False
    head = words[: len(cut[0])]
    return "".join(w[0] for w in head) == cut[0] and words[len(head) :] == cut[1:]
