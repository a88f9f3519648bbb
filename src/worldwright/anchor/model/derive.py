"""From actions to worlds: each part of them as the text of a Blueprint, and the contract over it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Note, Operation, Rule
from worldwright.anchor.model.attributes import codec_of
from worldwright.anchor.model.blueprint import build_document, render_yaml
from worldwright.anchor.model.contract import build_contract, list_shown_fields
from worldwright.anchor.model.enrich import enrich_entities
from worldwright.anchor.model.entities import gather_entities
from worldwright.anchor.model.entity_specs import sort_by_references
from worldwright.anchor.model.goals import build_goals
from worldwright.anchor.model.goals.questions import find_opening
from worldwright.anchor.model.history import build_history
from worldwright.anchor.model.implied_constraints import add_implied_constraints
from worldwright.anchor.model.intents import classify_operations
from worldwright.anchor.model.learned import learn_draws
from worldwright.anchor.model.operations import SENIOR, BlueprintOperation, build_operations, insert_guards
from worldwright.anchor.model.policies import assume_policies
from worldwright.anchor.model.reasons import Reason, count_business, explain
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.ruled.policies import derive_policies
from worldwright.anchor.model.seeds import seed_rows
from worldwright.anchor.model.synthesise import complete_entity, synthesise_operations
from worldwright.anchor.model.totals import apply_totals, find_totals
from worldwright.anchor.names import fresh, identifier, noun, parts
from worldwright.core.communities import partition
from worldwright.core.names import to_words
from worldwright.engine.contract import Contract

SYSTEM = "service"
ONE_EACH = 18
"""Rows of a thing of which there is one for each of another: fewer than those, so that each finds its own."""
ENOUGH = 3
"""Rules that the evidence states, from which on none is assumed."""
PERSONAS: dict[str, Any] = {
    "team_lead": {"says": "runs the team and writes in a hurry", "voice": "terse", "signs": "Mara"},
    "colleague": {
        "says": "a colleague who likes to talk",
        "voice": "chatty",
        "signs": "Cheers, Tom",
        "aside": ["I hope your week is going well", "The coffee machine is working again, by the way"],
    },
    "head_office": {
        "says": "somebody at head office, polite and exact",
        "voice": "formal",
        "signs": "Kind regards, Head Office",
        "aside": ["We are preparing the figures for the quarter", "As agreed in our last meeting, I am writing to you directly"],
    },
    "newcomer": {"says": "new in the job, short and simple sentences", "voice": "simple", "signs": "Lin"},
    "partner": {"says": "somebody from a partner company", "voice": "plain", "signs": "J. Ferreira"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Derived:
    """One world as it was derived."""

    name: str
    title: str
    part: Part
    made: tuple[BlueprintOperation, ...]
    blueprint: str
    contract: Contract
    reasons: tuple[Reason, ...] = ()
    """Why it is more than tables: what the evidence supports, and what is assumed."""
    business: Mapping[str, int] = field(default_factory=dict)
    """How many operations are more than reading and writing a record, by what that rests on."""
    ruled: tuple[tuple[Rule, str], ...] = ()
    """Sentences that became rules, each with the name of the rule."""
    unruled: tuple[tuple[Rule, str], ...] = ()
    """Sentences that did not, each with the reason."""
    notes: tuple[Note, ...] = ()
    """What a person should know about what was left out."""


def derive(evidence: Evidence, name: str = "", focus: Sequence[str] = ()) -> tuple[Derived, ...]:
    """A world for every part of what the actions are about, the one with most to do in it first.

    `name` is one that a domain can have; empty for one made of the title. `focus` keeps what is called so, with what it hangs
    together with."""
    title = evidence.title or "Derived service"
    base = name or identifier(parts(title), "service")
    operations = evidence.operations or synthesise_operations(evidence.resources)
    known = enrich_entities(gather_entities(classify_operations(keep_first_by_name(operations))), evidence)
    complete = {r.name: complete_entity(r) for r in known}
    known = tuple(complete[r.name][0] for r in known)
    found = divide(focus_on(known, focus) if focus else known)
    taken: dict[str, None] = {}
    out: list[Derived] = []
    for part in found:
        if not part.entities:
            continue
        own = base if len(found) == 1 else fresh(identifier((*base.split("_"), *part.name.split()), "service"), taken)
        taken[own] = None
        assumed = {r.name: complete[r.name][1] for r in part.entities}
        out.append(_derived(own, title if len(found) == 1 else f"{title}: {part.name}", part, evidence, assumed))
    return tuple(out)


def keep_first_by_name(operations: Sequence[Operation]) -> list[Operation]:
    """Actions with names of their own: of two with the same, the first."""
    return list({a.name: a for a in reversed(operations)}.values())[::-1]


def _derived(name: str, title: str, part: Part, evidence: Evidence, known: Mapping[str, Sequence[str]]) -> Derived:
    inside = _settled(sort_by_references(_within(part.entities)))
    habit = add_implied_constraints(inside, build_operations(inside, SYSTEM), evidence)
    made = habit.made
    data = build_document(name, title, SYSTEM, inside, made)
    for (entity, field_name), drawn in habit.draws.items():
        fields = data["entities"][entity]["fields"]
        fields[field_name] = {**fields.pop(field_name), "draw": drawn}
    seeded = seed_rows(inside, evidence)
    learned = learn_draws(inside, seeded.rows)
    for (entity, field_name), drawn in learned.items():
        data["entities"][entity]["fields"][field_name]["draw"] = drawn
    for entity, rows in seeded.rows.items():
        spec = data["entities"][entity]
        spec |= {"seeds": rows, "rows": len(rows) if entity in seeded.whole else max(len(rows), spec["rows"])}
    for entity, groups in habit.unique.items():
        spec = data["entities"][entity]
        spec["unique"] = groups
        if entity not in seeded.whole and any(len(g) == 1 for g in groups):
            spec["rows"] = max(len(spec.get("seeds", ())), min(spec["rows"], ONE_EACH))
    summed = tuple(find_totals(inside, made, data["entities"]))
    follows = apply_totals(summed, data["entities"], {r.name: str(r.source) for r in inside})
    stated = derive_policies(evidence, inside, made)
    assumed, assumed_of = assume_policies(inside, made)
    assumed = {k: v for k, v in assumed.items() if k not in stated.policies} if len(stated.policies) < ENOUGH else {}
    left = {o: [s for s in b if set(s["obey"]) <= set(assumed)] for o, b in assumed_of.items()}
    assumed_of = {operation: statements for operation, statements in left.items() if statements}
    for obeys in (stated.obeys, assumed_of):
        for operation, statements in obeys.items():
            spec = data["operations"][operation]
            spec["does"] = insert_guards(spec["does"], statements)
    data["policies"] = {**stated.policies, **assumed}
    data["personas"] = PERSONAS
    tools = build_contract(inside, made)
    shown = {tool.operation: list_shown_fields(tool) for tool in tools.tools.values()}
    first = [opening for r in inside if (opening := find_opening(r, made, shown))]
    data["operations"] = {one: data["operations"][one] for one in dict.fromkeys((*first, *data["operations"]))}
    data["goals"] = _by_who(build_goals(inside, made, shown), data["policies"], stated.obeys)
    data |= {"currency": money} if (money := _currency(evidence)) else {}
    data |= {"history": past} if (past := build_history(made, learned, seeded.whole)) else {}
    why = (*explain(inside, made, data["policies"], known), *habit.reasons, *follows, *seeded.reasons)
    return Derived(
        name, title, Part(part.name, inside), made, render_yaml(data), tools, why,
        count_business(made, stated.obeys, assumed_of, {t.lines for t in summed}), stated.used, stated.unused, seeded.notes,
    )  # fmt: skip


def _by_who(asked: dict[str, Any], policies: Mapping[str, Any], obeys: Mapping[str, Any]) -> dict[str, Any]:
    """Goals, and once more for supervisors where a rule leaves something to them alone."""
    senior = {name for name, policy in policies.items() if f"'{SENIOR}'" in str(policy.get("rule", ""))}
    guarded = {o for o, statements in obeys.items() if any(senior & set(s["obey"]) for s in statements)}
    out = dict(asked)
    for name, goal in asked.items():
        if any(step.get("do") in guarded for step in goal.get("how", ())):
            out[fresh(f"{name[:40]}_by_{SENIOR}", out)] = {**goal, "by": [SENIOR]}
    return out


def _currency(evidence: Evidence) -> str:
    """The currency that the rules speak of most."""
    found = Counter(q.currency for rule in evidence.rules for q in rule.quantities if len(q.currency) == 3)
    known = [(-n, code) for code, n in found.items() if code.isascii() and code.isupper()]
    return min(known)[1] if known else ""


def _within(group: Sequence[Entity]) -> tuple[Entity, ...]:
    """The things of one part, without references to those of another."""
    names = {r.name for r in group}
    return tuple(
        replace(
            r,
            attributes=tuple(_cut(a, names) for a in r.attributes),
            children=tuple(replace(c, attributes=tuple(_cut(a, names) for a in c.attributes)) for c in r.children),
            parents=tuple(p for p in r.parents if p in names),
        )
        for r in group
    )


def _settled(group: Sequence[Entity]) -> tuple[Entity, ...]:
    """The same with references optional that lead to things which come later: in a circle something has to be first."""
    done: set[str] = set()
    out: list[Entity] = []
    for r in group:
        out.append(
            replace(
                r,
                attributes=tuple(
                    replace(a, optional=True) if a.refers_to and a.refers_to not in done else a for a in r.attributes
                ),
                parents=tuple(p for p in r.parents if p in done),
            )
        )
        done.add(r.name)
    return tuple(out)


def _cut(a: Attribute, names: set[str]) -> Attribute:
    if not a.refers_to or a.refers_to in names:
        return a
    kind = "int" if a.shape.kind in ("integer", "number") else "text"
    return replace(a, kind=kind, refers_to="", codec=codec_of(kind, a.shape, {}))


# Parts: a large set of actions divided into worlds of a workable size, each about things that belong together.


MAX_PART_OPERATIONS = 40
"""Actions of one world."""
MIN_PART_OPERATIONS = 20
"""Actions that a part should have at least, where there are others to put it together with."""
PARENT, REFERENCE = 6, 2
"""How strongly a thing belongs to what it hangs under, and to what it refers to."""


@dataclass(frozen=True, slots=True)
class Part:
    """Things that make a world together, the most central first."""

    name: str
    entities: tuple[Entity, ...]

    @property
    def operations(self) -> int:
        return sum(len(r.intents) for r in self.entities)


def divide(entities: Sequence[Entity], largest: int = MAX_PART_OPERATIONS) -> tuple[Part, ...]:
    """The parts, the one with most to do in it first."""
    if sum(len(r.intents) for r in entities) <= largest:
        return (_part(entities),)
    by_name = {r.name: r for r in entities}
    links: dict[tuple[str, str], int] = {}
    for r in entities:
        for other, weight in (
            *((p, PARENT) for p in r.parents),
            *((a.refers_to, REFERENCE) for a in r.attributes if a.refers_to),
        ):
            if other in by_name and other != r.name:
                pair = (min(r.name, other), max(r.name, other))
                links[pair] = links.get(pair, 0) + weight
    groups = [list(group) for group in partition(tuple(by_name), links, max(2, largest // 3))]
    packed = _packed([[by_name[n] for n in group] for group in groups], largest)
    return tuple(sorted(map(_part, packed), key=lambda part: (-_business(part), part.name)))


def focus_on(entities: Sequence[Entity], focus: Sequence[str]) -> tuple[Entity, ...]:
    """The things that are asked for by a word of their name, a tag or the beginning of a path, and what they stand on."""
    wanted = {r.name for r in entities if any(_is_named(r, word) for word in focus)}
    by_name = {r.name: r for r in entities}
    for name in tuple(wanted):
        r = by_name[name]
        wanted |= {*r.parents, *(a.refers_to for a in r.attributes if a.refers_to and not a.optional)}
    return tuple(r for r in entities if r.name in wanted)


def _is_named(r: Entity, word: str) -> bool:
    if word.startswith("/"):
        return any(d.operation.path.startswith(word) for d in r.intents)
    own = {tuple(parts(word)), noun(word)}
    tags = {noun(tag) for d in r.intents for tag in d.operation.tags}
    return bool(own & {r.noun, r.noun[-1:], *tags}) or any(d.operation.name == word for d in r.intents)


def _packed(groups: list[list[Entity]], largest: int) -> list[list[Entity]]:
    """Groups that are too small for a world of their own put together, in order; those that are too large cut."""
    out: list[list[Entity]] = []
    for group in sorted(groups, key=_size, reverse=True):
        rest = group
        while _size(rest) > largest:
            head: list[Entity] = []
            while rest and (not head or _size(head) + _size(rest[:1]) <= largest):
                head.append(rest[0])
                rest = rest[1:]
            out.append(head)
        if not rest:
            continue
        small = next((g for g in out if _size(g) < MIN_PART_OPERATIONS and _size(g) + _size(rest) <= largest), None)
        if small is not None:
            small += rest
        else:
            out.append(list(rest))
    return out


def _size(group: Sequence[Entity]) -> int:
    return sum(len(r.intents) for r in group)


def _business(part: Part) -> int:
    """Return how much there is to do: writes count more than reads, moves most of all."""
    worth = {"move": 4, "create": 3, "update": 2, "delete": 1, "list": 2, "get": 1, "other": 0}
    return sum(worth[d.kind] for r in part.entities for d in r.intents)


def _part(entities: Sequence[Entity]) -> Part:
    centre = max(entities, key=lambda r: (len(r.intents), sum(r.name in o.parents for o in entities)), default=None)
    return Part(to_words(centre.name) if centre is not None else "", tuple(entities))
