"""Operations of a Blueprint as names say them, and how well the name of an action fits one: its verb and its noun."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from worldwright.anchor.base.words import meanings, meant
from worldwright.anchor.model.intents import SMALL_WORDS, OperationIntent
from worldwright.anchor.names import parts
from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.english.stems import stem

SAME, ALIKE, IMPLIED, OF_A_KIND = 1.0, 0.9, 0.9, 0.8
"""What the same verb counts, one like it, one that an input's word says, and a verb that only makes the same thing."""
_GROUPS = """
    create add new insert register raise open enter place record log make file issue post submit book draft generate
    write request; update edit change set modify patch adjust correct; cancel delete remove void withdraw; pay
    transfer settle remit; send route forward submit pass; answer reply respond; receive accept book; match
    reconcile compare; refund give; relocate walk move; grade inspect check examine
"""
"""Verbs that are used for one another."""
_LIKE: tuple[frozenset[str], ...] = tuple(
    frozenset(meant(stem(w)) for w in group.split()) for group in _GROUPS.split(";")
)
CREATES = _LIKE[0]


@dataclass(frozen=True, slots=True)
class CatalogueOperation:
    """An operation, and what it does to what."""

    operation: c.Operation
    kind: str
    """list, get, create or change"""
    verb: str
    nouns: tuple[str, ...]
    entity: str
    """What it gives."""
    subject: str
    """What it is done to: the entity of its first reference."""
    about: str
    """The entity that its own name names."""


@dataclass(frozen=True, slots=True)
class OperationMatch:
    """How well an action fits an operation by name."""

    offer: CatalogueOperation
    score: float
    fixed: Mapping[str, str] = field(default_factory=dict)
    """Inputs that the verb of the action says: approving is `verdict: approved`."""
    why: str = ""


def describe_operations(checked: Checked) -> tuple[CatalogueOperation, ...]:
    """Every operation of a business, as its name says it."""
    return tuple(_offer(operation, checked) for operation in checked.operations.values())


def _offer(operation: c.Operation, checked: Checked) -> CatalogueOperation:
    verb, *nouns = meanings(operation.name) or (stem(operation.name),)
    sure = _entities(tuple(nouns), checked)
    about = max(sorted(sure), key=lambda name: sure[name], default="")
    subject = next((i.type.entity for i in operation.inputs if i.type.kind == "ref"), "")
    if operation.read is not None:
        kind, entity = "list" if isinstance(operation.read, c.Search) else "get", operation.read.entity
    else:
        entity = operation.gives.type.entity if isinstance(operation.gives, n.Node) else ""
        makes = entity and any(isinstance(s, c.Add) and s.entity == entity for s in _statements(operation.body))
        kind = "create" if makes else "change"
    return CatalogueOperation(operation, kind, verb, tuple(nouns), entity, subject, about)


def _statements(body: Sequence[c.Statement]) -> Iterator[c.Statement]:
    for statement in body:
        yield statement
        for inner in ("do", "otherwise"):
            yield from _statements(getattr(statement, inner, ()))


# by name


def guess_verb(intent: OperationIntent) -> OperationIntent:
    """The deed, with the first word as its verb where none was known: `inspect return`."""
    if intent.kind != "other" or intent.verb or len(intent.noun) < 2:
        return intent
    return replace(intent, verb=intent.noun[:1], noun=intent.noun[1:])


def rank_matches(
    intent: OperationIntent, known: Sequence[CatalogueOperation], checked: Checked
) -> list[OperationMatch]:
    """The operations whose name says what the action's does, the best first."""
    what = _entities(_nouns(intent), checked)
    found = [fit for offer in known if (fit := _fit(intent, offer, what)) is not None]
    return sorted(found, key=lambda f: (-f.score, f.offer.operation.name))


def known_noun(intent: OperationIntent, known: Sequence[CatalogueOperation], checked: Checked) -> bool:
    """Tell whether the business has anything of that name."""
    said = _nouns(intent)
    return bool(_entities(said, checked)) or said in [offer.nouns for offer in known if said]


def _entities(said: tuple[str, ...], checked: Checked) -> dict[str, float]:
    """Entities that a noun may mean, with how surely."""
    core = _core(checked)
    called = {name: (meanings(name), meanings(spec.noun)) for name, spec in checked.blueprint.entities.items()}
    sure = {name: max(_measure_likeness(said, one, core) for one in several) for name, several in called.items()}
    return {name: likeness for name, likeness in sure.items() if likeness}


def _core(checked: Checked) -> frozenset[str]:
    """The words that a business is known by."""
    own = checked.blueprint
    texts = (own.blueprint, own.title, own.category, own.summary, *own.entities, *own.operations, *own.roles)
    return frozenset(w for text in texts for w in meanings(text))


def _nouns(intent: OperationIntent) -> tuple[str, ...]:
    return meanings(" ".join(intent.noun))


def _measure_likeness(said: tuple[str, ...], called: tuple[str, ...], core: frozenset[str]) -> float:
    """Equal names, or the same last word where the others are left out, or are what the whole business is about."""
    if said == called or not said or not called:
        return 1.0 if said and said == called else 0.0
    more = said[:-1] if len(called) == 1 else () if len(said) == 1 else ("?",)
    return 0.85 if said[-1] == called[-1] and set(more) <= core else 0.0


def _fit(intent: OperationIntent, offer: CatalogueOperation, what: Mapping[str, float]) -> OperationMatch | None:
    reads = ("list", "get")
    if (intent.kind in reads or offer.kind in reads) and intent.kind != offer.kind:
        return None
    same = 1.0 if offer.nouns and _nouns(intent) == offer.nouns else 0.0
    if offer.kind in reads:
        sure = max(what.get(offer.entity, 0.0), same)
        return OperationMatch(offer, sure, why=f"both {intent.kind} {' '.join(intent.noun)}") if sure else None
    made = what.get(offer.entity, 0.0) if offer.kind == "create" else 0.0
    sure = max(made, what.get(offer.subject, 0.0), what.get(offer.about, 0.0), same)
    verb, fixed, why = _verb(intent, offer, what) if sure else (0.0, {}, "")
    return OperationMatch(offer, round(sure * verb + 0.05 * same, 3), fixed, why) if verb else None


def _verb(
    intent: OperationIntent, offer: CatalogueOperation, what: Mapping[str, float]
) -> tuple[float, dict[str, str], str]:
    said = next((meant(stem(w)) for w in (*intent.verb, intent.kind) if w not in SMALL_WORDS), "")
    name = meanings(intent.operation.name)
    if offer.verb in (said, *name[:1]) or (not offer.nouns and offer.verb in name):
        return SAME, {}, f"the same verb as `{offer.operation.name}`"
    implied = _implied(said, offer.operation)
    if implied:
        value = ", ".join(f"{k}: {v}" for k, v in implied.items())
        return IMPLIED, implied, f"its verb is `{value}` of `{offer.operation.name}`"
    makes = offer.kind == "create" and what.get(offer.entity, 0.0) > 0
    if said in CREATES and offer.verb in CREATES:
        return (ALIKE, {}, f"both make one: `{offer.operation.name}`") if makes else (0.0, {}, "")
    if any(said in group and offer.verb in group for group in _LIKE[1:]):
        return ALIKE, {}, f"its verb is used for that of `{offer.operation.name}`"
    if intent.kind == "create" and makes and what[offer.entity] == SAME:
        return OF_A_KIND, {}, f"both make one: `{offer.operation.name}`"
    return 0.0, {}, ""


def _implied(verb: str, operation: c.Operation) -> dict[str, str]:
    """The word of an input that a verb says: `block` of `one of activate, block, decline`."""
    for i in operation.inputs:
        if i.type.kind == "enum" and not i.optional and i.default is None:
            values = [v for v in i.type.values if meanings(v)[:1] == (verb,) and len(parts(v)) == 1]
            if len(values) == 1:
                return {i.name: values[0]}
    return {}
