"""A bare surface laid over a business of the catalogue: the tools of the evidence outside, the operations of the business inside.

Every action keeps its name, its parameters and what is required of them. It is matched to one operation by verb and noun, and has
to give every input that the operation needs. What matches nothing is left out, and no tool is added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright import catalogue
from worldwright.anchor.base.answers import Answerer, Forms, result_of
from worldwright.anchor.base.input_matching import InputMapping, list_inputs, map_inputs
from worldwright.anchor.base.operation_matching import (
    CatalogueOperation,
    OperationMatch,
    describe_operations,
    guess_verb,
    known_noun,
    rank_matches,
)
from worldwright.anchor.evidence import Evidence
from worldwright.anchor.model.contract import list_declared_statuses, list_error_statuses, list_samples
from worldwright.anchor.model.intents import OperationIntent, classify_operations
from worldwright.anchor.names import identifier, parts
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expand import expand_patterns
from worldwright.blueprint.source import load_yaml
from worldwright.engine.contract import Contract, ContractTool
from worldwright.formats.strict_yaml import UNSEEN, dump_yaml

MAX_CANDIDATES = 6
"""Operations that are tried for one action."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """A contract over a business of the catalogue."""

    contract: Contract
    matched: tuple[tuple[str, str, str], ...]
    """Action, operation, and why."""
    unmatched: tuple[tuple[str, str], ...]
    """Action, and why it was left out."""
    closed: tuple[str, ...] = ()
    """Operations of the business that no tool reaches."""
    reachable: tuple[str, ...] = ()
    """Goals of the business that can be reached without those."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """An action with its operation."""

    intent: OperationIntent
    fit: OperationMatch
    places: InputMapping


def overlay_operations(evidence: Evidence, domain: str) -> Overlay:
    """The actions of the evidence as tools over the operations of a domain."""
    checked = catalogue.load(domain)
    known = describe_operations(checked)
    operations = list({a.name: a for a in reversed(evidence.operations)}.values())[::-1]
    intents = [guess_verb(intent) for intent in classify_operations(operations)]
    found = [(intent.operation.name, _choice(intent, known, checked)) for intent in intents]
    chosen = [one for _, one in found if isinstance(one, _Chosen)]
    answerer = Answerer(checked, _forms(chosen))
    contract = Contract({one.intent.operation.name: _tool(one, checked, answerer, known) for one in chosen})
    used = dict.fromkeys(tool.operation for tool in contract.tools.values())
    return Overlay(
        contract,
        tuple((one.intent.operation.name, one.fit.offer.operation.name, _why(one)) for one in chosen),
        tuple((name, why) for name, why in found if isinstance(why, str)),
        tuple(name for name in checked.operations if name not in used),
        tuple(find_reachable_goals(checked, used)),
    )


# choosing


def _choice(intent: OperationIntent, known: Sequence[CatalogueOperation], checked: Checked) -> _Chosen | str:
    """The operation that an action is, or why it is none."""
    values = list_inputs(intent.operation)
    fits = rank_matches(intent, known, checked)[:MAX_CANDIDATES]
    asked = [(fit, fit.offer.operation.inputs, fit.offer.subject) for fit in fits]
    tried = [_Chosen(intent, fit, map_inputs(i, values, checked, of, fit.fixed)) for fit, i, of in asked]
    good = [one for one in tried if not one.places.missing and not one.places.wrong]
    if good:
        return max(good, key=lambda one: one.fit.score + 0.2 * one.places.share)
    if tried:
        name, places = tried[0].fit.offer.operation.name, tried[0].places
        if places.missing:
            return f"`{name}` needs {_listed(places.missing)}, which it does not give"
        return f"`{name}` has no place for {_listed(places.wrong)}, which it requires"
    what, business = " ".join(intent.noun), checked.blueprint.blueprint
    if not known_noun(intent, known, checked):
        return f"{business} has nothing called `{what}`"
    return f"no operation of {business} does `{' '.join(intent.verb) or intent.kind}` to {what}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


def _why(one: _Chosen) -> str:
    """Why an action is an operation, and where its parameters went."""
    turned = [f"{'.'.join(take.at)} is {name}" for name, take in one.places.takes.items() if take.at != (name,)]
    idle = f"no place for {_listed(one.places.idle)}" if one.places.idle else ""
    return "; ".join(w for w in (one.fit.why, ", ".join(turned), idle) if w)


# the contract


def _forms(chosen: Sequence[_Chosen]) -> Forms:
    """Return how the contract writes the ids of each entity: as most of its parameters take them."""
    seen: dict[str, Counter[str]] = {}
    for one in chosen:
        entities = {i.name: i.type.entity for i in one.fit.offer.operation.inputs if i.type.kind == "ref"}
        for name, take in one.places.takes.items():
            if name in entities:
                seen.setdefault(entities[name], Counter())[str(take.codec["form"])] += 1
    return {entity: min(found, key=lambda f: (-found[f], f)) for entity, found in seen.items()}


def _tool(one: _Chosen, checked: Checked, answerer: Answerer, known: Sequence[CatalogueOperation]) -> ContractTool:
    offered, operation = one.intent.operation, one.fit.offer.operation
    own = answerer.answer(offered, one.intent.noun, result_of(checked, operation))
    better, shows, by = own, "", ""
    for name, key in _find_readers_of(one.fit.offer, known) if offered.output_schema is not None else ():
        other = answerer.answer(offered, one.intent.noun, result_of(checked, checked.operations[name]))
        if other.told > better.told:
            better, shows, by = other, name, key
    fixed: dict[str, Any] = dict(one.fit.fixed)
    page = operation.input("limit")
    if page is not None and "limit" not in one.places.takes:
        fixed["limit"] = page.high
    return ContractTool(
        name=offered.name, says=offered.says, operation=operation.name, input_schema=offered.input_schema,
        output_schema=offered.output_schema, takes=one.places.takes, gives=better.template, errors=list_error_statuses(offered),
        shows=shows, shows_by=by, fixed=fixed, samples=list_samples(offered),
        declares=list_declared_statuses(offered),
    )  # fmt: skip


def _find_readers_of(offer: CatalogueOperation, known: Sequence[CatalogueOperation]) -> Iterator[tuple[str, str]]:
    """Operations that give the whole of the row that a change gives, for the same callers; and the input that takes its id."""
    if offer.kind not in ("create", "change") or not offer.entity:
        return
    roles = set(offer.operation.roles)
    for other in known:
        open_to = set(other.operation.roles)
        if other.kind == "get" and other.entity == offer.entity and (not open_to or (roles and roles <= open_to)):
            yield other.operation.name, other.operation.inputs[0].name


# what is left of the business


def find_reachable_goals(checked: Checked, used: Mapping[str, object]) -> Iterator[str]:
    """Goals that can be reached by these operations: every step of their way, and for a question a look at what it is about."""
    seen = {o.read.entity for name, o in checked.operations.items() if name in used and o.read is not None}
    for name, goal in checked.goals.items():
        about = {kind.entity for kind in goal.given.values() if kind.kind == "ref"}
        if all(step.operation in used for step in goal.how) if goal.how else about and about <= seen:
            yield name


def narrow_goals(domain: str, laid: Overlay, name: str = "", title: str = "") -> str:
    """The text of the domain's Blueprint with the goals that the tools reach: what no tool does is asked of nobody."""
    data = dict(expand_patterns(load_yaml(catalogue.text(domain), f"{domain}.yaml")).data)
    data["goals"] = {k: v for k, v in data["goals"].items() if k in laid.reachable}
    data |= {"blueprint": identifier(parts(name), domain)} if name else {}
    data |= {"title": " ".join(UNSEEN.sub(" ", title).split())[:120]} if title else {}
    return dump_yaml(data)
