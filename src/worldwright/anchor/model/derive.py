"""From actions to worlds: each part of them as the text of a Blueprint, and the contract over it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from worldwright.anchor.evidence import Evidence, Note, Operation
from worldwright.anchor.model.agreement import apply_totals, find_totals
from worldwright.anchor.model.attributes import codec_of
from worldwright.anchor.model.blueprint import build_document, render_yaml, sort_by_references
from worldwright.anchor.model.contract import build_contract, list_shown_fields
from worldwright.anchor.model.division import Part, divide, focus_on
from worldwright.anchor.model.enrich import enrich_entities
from worldwright.anchor.model.entities import gather_entities
from worldwright.anchor.model.goals import build_goals
from worldwright.anchor.model.goals.questions import find_opening
from worldwright.anchor.model.history import build_history
from worldwright.anchor.model.implied_constraints import add_implied_constraints
from worldwright.anchor.model.intents import classify_operations
from worldwright.anchor.model.operations import BlueprintOperation, build_operations
from worldwright.anchor.model.reasons import Reason, count_business, explain
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.seeds import learn_draws, seed_rows
from worldwright.anchor.model.synthesise import complete_entity, synthesise_operations
from worldwright.anchor.names import fresh, identifier, parts
from worldwright.anchor.schema.shapes import text_place
from worldwright.engine.contract import Contract
from worldwright.english.money import COMMON_CURRENCY_CODES, CURRENCY_SIGNS

_SIGN, _CODE = "US\\$|[$€£¥₹]|RM", "|".join(sorted(COMMON_CURRENCY_CODES))
_MONEY = re.compile(rf"(?:({_SIGN})|\b({_CODE}))\s?\d|\d\s?(?:([€£])|({_CODE})\b)")
ONE_EACH = 18
"""Rows of a thing of which there is one for each of another: fewer than those, so that each finds its own."""
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
    notes: tuple[Note, ...] = ()
    """What a person should know about what was left out."""


def derive(evidence: Evidence, name: str = "", focus: Sequence[str] = ()) -> tuple[Derived, ...]:
    """A world for every part of what the actions are about, the one with most to do in it first.

    `name` is one that a domain can have; empty for one made of the title. `focus` keeps what is called so, with what it hangs
    together with."""
    title = evidence.title or "Derived service"
    base = name or identifier(parts(title), "service")
    operations = evidence.operations or synthesise_operations(evidence.resources)
    gathered = enrich_entities(gather_entities(classify_operations(_keep_first_by_name(operations))), evidence)
    known, assumed = zip(*map(complete_entity, gathered), strict=True) if gathered else ((), ())
    names = {r.name: some for r, some in zip(known, assumed, strict=True)}
    found = [part for part in divide(focus_on(known, focus) if focus else known, title) if part.entities]
    taken: dict[str, None] = {}
    out: list[Derived] = []
    for part in found:
        own = base if len(found) == 1 else fresh(identifier((*base.split("_"), *part.name.split()), "service"), taken)
        taken[own] = None
        out.append(_derived(own, title if len(found) == 1 else f"{title}: {part.name}", part, evidence, names))
    return tuple(out)


def _keep_first_by_name(operations: Sequence[Operation]) -> list[Operation]:
    """Actions with names of their own: of two with the same, the first. An answer that is a text says nothing of a record."""
    found = list({a.name: a for a in reversed(operations)}.values())[::-1]
    return [replace(a, answer=None) if text_place(a.output_schema) is not None else a for a in found]


def _keep_unique(spec: dict[str, Any], groups: Sequence[Sequence[str]], specs: Mapping[str, Any], whole: bool) -> None:
    """Keep values apart, of as many rows as that leaves room for. Which records are paired is drawn evenly: favourites run out."""
    spec["unique"] = groups
    most = [ONE_EACH for g in groups if len(g) == 1]
    for group in (g for g in groups if len(g) > 1):
        columns = [spec["fields"][name] for name in group]
        targets = [re.split(r"\W", column["type"], maxsplit=1)[0] for column in columns]
        for column in (column for column, target in zip(columns, targets, strict=True) if target in specs):
            column["draw"] = column["draw"].replace("favourite(", "any(", 1)
        if all(target in specs for target in targets):
            most.append(prod(specs[target]["rows"] for target in targets) // 2)
    if not whole and most:
        spec["rows"] = max(len(spec.get("seeds", ())), min(spec["rows"], *most))


def _derived(name: str, title: str, part: Part, evidence: Evidence, known: Mapping[str, Sequence[str]]) -> Derived:
    inside = _within(part.entities)
    habit = add_implied_constraints(inside, build_operations(inside), evidence)
    made = habit.made
    data = build_document(name, title, inside, made)
    seeded = seed_rows(inside, evidence)
    learned = learn_draws(inside, seeded.rows)
    for (entity, field_name), drawn in {**habit.draws, **learned}.items():
        data["entities"][entity]["fields"][field_name]["draw"] = drawn
    for entity, rows in seeded.rows.items():
        spec = data["entities"][entity]
        spec |= {"seeds": rows, "rows": len(rows) if entity in seeded.whole else max(len(rows), spec["rows"])}
    for entity, groups in habit.unique.items():
        _keep_unique(data["entities"][entity], groups, data["entities"], entity in seeded.whole)
    summed = tuple(find_totals(inside, made, data["entities"]))
    follows = apply_totals(summed, data["entities"], {r.name: str(r.source) for r in inside})
    data["personas"] = PERSONAS
    tools = build_contract(inside, made)
    shown = {tool.operation: list_shown_fields(tool) for tool in tools.tools.values()}
    first = [opening for r in inside if (opening := find_opening(r, made, shown))]
    data["operations"] = {one: data["operations"][one] for one in dict.fromkeys((*first, *data["operations"]))}
    data["goals"] = build_goals(inside, made, shown)
    data |= {"currency": money} if (money := _currency(evidence)) else {}
    data |= {"history": past} if (past := build_history(made, data["entities"], learned, seeded.whole)) else {}
    why = (*explain(inside, made, known), *habit.reasons, *follows, *seeded.reasons)
    return Derived(
        name, title, Part(part.name, inside), made, render_yaml(data), tools, why,
        count_business(made, {t.lines for t in summed}), seeded.notes,
    )  # fmt: skip


def _currency(evidence: Evidence) -> str:
    """The currency that the claims speak of most."""
    said = (m for claim in evidence.claims for m in _MONEY.finditer(claim.says))
    found = Counter(CURRENCY_SIGNS.get((m[1] or m[3] or "").lower()) or m[2] or m[4] for m in said)
    return min((-n, code) for code, n in found.items())[1] if found else ""


def _within(group: Sequence[Entity]) -> tuple[Entity, ...]:
    """The things of one part, without references to those of another, each after what it cannot be without.

    In a circle something has to be first: references that lead to what comes later are optional."""
    names, done = {r.name for r in group}, set[str]()

    def cut(a: Attribute, settle: bool = False) -> Attribute:
        if a.refers_to and a.refers_to not in names:
            kind = "int" if a.shape.kind in ("integer", "number") else "text"
            return replace(a, kind=kind, refers_to="", codec=codec_of(kind, a.shape, {}))
        return replace(a, optional=True) if settle and a.refers_to and a.refers_to not in done else a

    inside = [
        replace(
            r,
            attributes=tuple(map(cut, r.attributes)),
            children=tuple(replace(c, attributes=tuple(map(cut, c.attributes))) for c in r.children),
            parents=tuple(p for p in r.parents if p in names),
        )
        for r in group
    ]
    out: list[Entity] = []
    for r in sort_by_references(inside):
        attributes = tuple(cut(a, settle=True) for a in r.attributes)
        out.append(replace(r, attributes=attributes, parents=tuple(p for p in r.parents if p in done)))
        done.add(r.name)
    return tuple(out)
