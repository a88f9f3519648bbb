"""What other inputs know of the things that a contract is about: references, states, words of a list, values that occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Field, Resource, States
from worldwright.anchor.merge import called
from worldwright.anchor.model.attributes import MAX_WORDS, codec_of, state_like, word_table
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
    every = [(f, f.unique or (f.name,) in t.unique) for t in reversed(resources) for f in t.fields]
    fields = {parts(f.name): replace(f, unique=unique) for f, unique in every}
    values: dict[tuple[str, ...], list[Any]] = {}
    for rows in (rows for rows in evidence.rows if matched.get(rows.resource) == r.name):
        for k, column in enumerate(rows.columns):
            values.setdefault(parts(column), []).extend(row[k] for row in rows.rows if row[k] not in (None, ""))
    known = [(a, fields.get(_words(a)), values.get(_words(a), ())) for a in r.attributes]
    attributes = [_with_field(_with_values(a, column, some), r, column, matched) for a, column, some in known]
    if not any(a.kind == "state" for a in attributes):
        attributes = _stated(attributes, states)
    says = r.says or next((t.says for t in resources if t.says), "")
    r = replace(r, attributes=tuple(attributes), says=" ".join(says.split())[:240])
    return replace(r, moves=_moves(r, states))


def _moves(r: Entity, states: Sequence[States]) -> tuple[tuple[str, str], ...]:
    """The moves that the evidence tells of, in the words of the Blueprint."""
    known = {parts(outside): inside for outside, inside in r.state.words.items()} if r.state is not None else {}
    pairs = [(known.get(parts(a)), known.get(parts(b))) for one in states for a, b in one.moves]
    return tuple(dict.fromkeys((a, b) for a, b in pairs if a and b and a != b))


def _with_values(a: Attribute, field: Field | None, values: Sequence[Any]) -> Attribute:
    """A text with different values that occur and that the contract allows, in the order in which they come."""
    shape = a.shape
    if shape.kind != "string" or shape.enum or shape.format or shape.pattern or (field is not None and field.unique):
        return a
    most = shape.longest if shape.longest is not None else 60
    seen = dict.fromkeys(v for v in values if isinstance(v, str) and len(v) <= most)
    return replace(a, shape=replace(shape, examples=tuple(seen)[:MAX_EXAMPLES])) if seen else a


def _with_field(a: Attribute, r: Entity, field: Field | None, matched: Mapping[str, str]) -> Attribute:
    """An attribute with what a column of the same name says: that it is unique, what it refers to, which words it has."""
    if field is None:
        return a
    a = replace(a, said=replace(a.said, unique=True)) if field.unique else a
    target = matched.get(field.refers_to, "")
    if target and a.kind in ("text", "int") and target != r.name:
        return replace(a, kind="ref", refers_to=target, flavour="")
    words = [v for v in field.shape.enum if isinstance(v, str) and v]
    if a.kind == "text" and not a.shape.enum and 0 < len(words) <= MAX_WORDS:
        stated = state_like(a.path, "words") and r.state is None
        return _with_words(a, "state" if stated else "words", tuple(words))
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
        fits = (a for a in free if (parts(a.last) == wanted if wanted else state_like(a.path, "words")))
        if (chosen := next(fits, None)) is not None:
            return [_with_words(a, "state", tuple(one.states)) if a is chosen else a for a in attributes]
    return list(attributes)
