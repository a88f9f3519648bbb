"""What other inputs know of the things that a contract is about: references, states, words of a list, values that occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Field, Resource, States
from worldwright.anchor.merge import called
from worldwright.anchor.model.attributes import MAX_WORDS, STATES, codec_of, word_table
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.names import noun, parts

MAX_EXAMPLES = 60
"""Values of a column that are drawn from."""


def enrich_entities(entities: Sequence[Entity], evidence: Evidence) -> tuple[Entity, ...]:
    """Every resource with what the evidence says of the thing that it is."""
    matched = match_resources(entities, evidence)
    return tuple(_enrich(r, evidence, matched) for r in entities)


def match_resources(entities: Sequence[Entity], evidence: Evidence) -> dict[str, str]:
    """By the name of a thing in the evidence, the resource that it is."""
    return {t.name: r.name for t in evidence.resources if (r := _resource(t, entities)) is not None}


def _resource(resource: Resource, entities: Sequence[Entity]) -> Entity | None:
    """The one that a thing is: by the name of its schema, else by its words."""
    own = called(resource.name)
    names = {parts(f.name) for f in resource.fields}
    found = (
        *(r for r in entities if r.schema == resource.name),
        *(r for r in entities if r.noun == noun(resource.name)),
        *(r for r in entities if r.noun == own),
        *(r for r in entities if len(own) > 1 and r.noun == own[-1:] and names & {_words(a) for a in r.attributes}),
    )
    return found[0] if found else None


def _words(a: Attribute) -> tuple[str, ...]:
    return tuple(w for step in a.path for w in parts(step))


def _enrich(r: Entity, evidence: Evidence, matched: Mapping[str, str]) -> Entity:
    resources = [t for t in evidence.resources if matched.get(t.name) == r.name]
    states = [s for s in evidence.states if matched.get(s.resource) == r.name or called(s.resource) == r.noun]
    fields = {
        parts(f.name): replace(f, unique=f.unique or (f.name,) in t.unique)
        for t in reversed(resources)
        for f in t.fields
    }
    values: dict[tuple[str, ...], list[Any]] = {}
    for rows in (rows for rows in evidence.rows if matched.get(rows.resource) == r.name):
        for k, column in enumerate(rows.columns):
            values.setdefault(parts(column), []).extend(row[k] for row in rows.rows if row[k] not in (None, ""))
    attributes = [
        _with_field(
            _with_values(a, fields.get(_words(a)), values.get(_words(a), ())), r, fields.get(_words(a)), matched
        )
        for a in r.attributes
    ]
    if not any(a.kind == "state" for a in attributes):
        attributes = _stated(attributes, states)
    says = r.says or next((t.says for t in resources if t.says), "")
    known = replace(r, attributes=tuple(attributes), says=" ".join(says.split())[:240])
    return replace(known, moves=_moves(known, states))


def _moves(r: Entity, states: Sequence[States]) -> tuple[tuple[str, str], ...]:
    """The moves that the evidence tells of, in the words of the Blueprint."""
    known = {parts(outside): inside for outside, inside in r.state.words.items()} if r.state is not None else {}
    pairs = [(known.get(parts(a)), known.get(parts(b))) for one in states for a, b in one.moves]
    return tuple(dict.fromkeys((a, b) for a, b in pairs if a and b and a != b))


def _with_values(a: Attribute, field: Field | None, values: Sequence[Any]) -> Attribute:
    """An attribute with different values that occur and that the contract allows, in the order in which they come."""
    shape = a.shape
    kinds: Mapping[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float)}
    if shape.enum or shape.format or shape.pattern or (field is not None and field.unique):
        return a
    most = shape.longest if shape.longest is not None else 60
    low = shape.minimum if shape.minimum is not None else float("-inf")
    high = shape.maximum if shape.maximum is not None else float("inf")
    typed: list[Any] = [v for v in values if isinstance(v, kinds.get(shape.kind, ())) and not isinstance(v, bool)]
    seen = dict.fromkeys(v for v in typed if (len(v) <= most if isinstance(v, str) else low <= v <= high))
    return replace(a, shape=replace(shape, examples=tuple(seen)[:MAX_EXAMPLES])) if seen else a


def _with_field(a: Attribute, r: Entity, field: Field | None, matched: Mapping[str, str]) -> Attribute:
    """An attribute with what a column of the same name says: that it is unique, what it refers to, which words it has."""
    if field is None:
        return a
    a = replace(a, said=replace(a.said, unique=True)) if field.unique else a
    target = matched.get(field.refers_to, "")
    if target and a.kind in ("text", "int") and target != r.name:
        return replace(a, kind="ref", refers_to=target, flavour="")
    words = field.shape.enum
    if (
        a.kind == "text"
        and not a.shape.enum
        and 0 < len(words) <= MAX_WORDS
        and all(isinstance(v, str) and v for v in words)
    ):
        stated = parts(a.last)[-1:] and parts(a.last)[-1] in STATES and r.state is None and len(a.path) == 1
        return _with_words(a, "state" if stated else "words", words)
    return replace(a, says=a.says or field.says)


def _with_words(a: Attribute, kind: str, enum: tuple[Any, ...]) -> Attribute:
    shape = replace(a.shape, enum=enum)
    table = word_table(shape)
    return replace(a, kind=kind, shape=shape, words=table, codec=codec_of(kind, shape, table), flavour="")


def _stated(attributes: Sequence[Attribute], states: Sequence[States]) -> list[Attribute]:
    """With the states that a document gives to a text called status."""
    free = [a for a in attributes if a.kind == "text" and len(a.path) == 1 and not a.shape.pattern]
    for one in (one for one in states if 2 <= len(one.states) <= MAX_WORDS):
        wanted = parts(one.field)
        fits = (
            a
            for a in free
            if (parts(a.last) == wanted if wanted else parts(a.last)[-1:] and parts(a.last)[-1] in STATES)
        )
        if (chosen := next(fits, None)) is not None:
            return [_with_words(a, "state", tuple(one.states)) if a is chosen else a for a in attributes]
    return list(attributes)
