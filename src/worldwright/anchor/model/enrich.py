"""What other inputs know of the things that a contract is about: references, states, words of a list, values that occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Field, Resource, Shape, States
from worldwright.anchor.merge import called
from worldwright.anchor.model.attributes import MAX_WORDS, STATES, codec_of, word_table
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.names import noun, parts

MAX_EXAMPLES = 60
"""Values of a column that are drawn from."""


def enrich_entities(entities: Sequence[Entity], evidence: Evidence) -> tuple[Entity, ...]:
    """Every resource with what the evidence says of the thing that it is."""
    matched = match_resources(entities, evidence)
    out: list[Entity] = []
    for r in entities:
        known = [t for t in evidence.resources if matched.get(t.name) == r.name]
        states = [s for s in evidence.states if matched.get(s.resource) == r.name or called(s.resource) == r.noun]
        values = _values(evidence, matched, r.name)
        out.append(_with(r, known, states, values, matched))
    return tuple(out)


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
        *(r for r in entities if len(own) > 1 and r.noun == own[-1:] and names & _paths(r)),
    )
    return found[0] if found else None


def _paths(r: Entity) -> set[tuple[str, ...]]:
    return {tuple(w for step in a.path for w in parts(step)) for a in r.attributes}


def _values(evidence: Evidence, matched: Mapping[str, str], name: str) -> dict[tuple[str, ...], list[Any]]:
    """By column, the values that records have."""
    out: dict[tuple[str, ...], list[Any]] = {}
    for rows in evidence.rows:
        if matched.get(rows.resource) != name:
            continue
        for k, column in enumerate(rows.columns):
            found = out.setdefault(parts(column), [])
            found += [row[k] for row in rows.rows if row[k] not in (None, "")]
    return out


def _with(
    r: Entity,
    resources: Sequence[Resource],
    states: Sequence[States],
    values: Mapping[tuple[str, ...], Sequence[Any]],
    matched: Mapping[str, str],
) -> Entity:
    fields = {
        parts(f.name): replace(f, unique=f.unique or (f.name,) in t.unique)
        for t in reversed(resources)
        for f in t.fields
    }
    attributes = [_attribute(a, r, fields, values, matched) for a in r.attributes]
    if not any(a.kind == "state" for a in attributes):
        attributes = _stated(attributes, states)
    says = r.says or next((t.says for t in resources if t.says), "")
    known = replace(r, attributes=tuple(attributes), says=" ".join(says.split())[:240])
    return replace(known, moves=_moves(known, states))


def _moves(r: Entity, states: Sequence[States]) -> tuple[tuple[str, str], ...]:
    """The moves that the evidence tells of, in the words of the Blueprint."""
    if r.state is None:
        return ()
    known = {parts(outside): inside for outside, inside in r.state.words.items()}
    pairs = [(known.get(parts(a)), known.get(parts(b))) for one in states for a, b in one.moves]
    return tuple(dict.fromkeys((a, b) for a, b in pairs if a and b and a != b))


def _attribute(
    a: Attribute,
    r: Entity,
    fields: Mapping[tuple[str, ...], Field],
    values: Mapping[tuple[str, ...], Sequence[Any]],
    matched: Mapping[str, str],
) -> Attribute:
    words = tuple(w for step in a.path for w in parts(step))
    field = fields.get(words)
    seen = _fitting(values.get(words, ()), a.shape)
    if seen and not a.shape.enum and not (field is not None and field.unique):
        a = replace(a, shape=replace(a.shape, examples=seen))
    if field is None:
        return a
    a = replace(a, said=replace(a.said, unique=True)) if field.unique else a
    target = matched.get(field.refers_to, "")
    if target and a.kind in ("text", "int") and target != r.name:
        return replace(a, kind="ref", refers_to=target, flavour="")
    if a.kind == "text" and not a.shape.enum and 0 < len(field.shape.enum) <= MAX_WORDS and _texts(field.shape.enum):
        shape = replace(a.shape, enum=field.shape.enum)
        words_of = word_table(shape)
        kind = "state" if words[-1:] and words[-1] in STATES and r.state is None and len(a.path) == 1 else "words"
        return replace(a, kind=kind, shape=shape, words=words_of, codec=codec_of(kind, shape, words_of), flavour="")
    return replace(a, says=a.says or field.says)


def _texts(values: Sequence[Any]) -> bool:
    return all(isinstance(v, str) and v for v in values)


def _fitting(values: Sequence[Any], shape: Shape) -> tuple[Any, ...]:
    """Different values that the contract allows, in the order in which they come."""
    kinds: Mapping[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float)}
    allowed = kinds.get(shape.kind, ())
    most = shape.longest if shape.longest is not None else 60
    low = shape.minimum if shape.minimum is not None else float("-inf")
    high = shape.maximum if shape.maximum is not None else float("inf")
    if not allowed or shape.format or shape.pattern:
        return ()
    typed: list[Any] = [v for v in values if isinstance(v, allowed) and not isinstance(v, bool)]
    found = [v for v in typed if (len(v) <= most if isinstance(v, str) else low <= v <= high)]
    return tuple(dict.fromkeys(found))[:MAX_EXAMPLES]


def _stated(attributes: Sequence[Attribute], states: Sequence[States]) -> list[Attribute]:
    """With the states that a document gives to a text called status."""
    out = list(attributes)
    for one in states:
        wanted = parts(one.field) or ()
        for k, a in enumerate(out):
            last = parts(a.last)
            fits = last == wanted or (not wanted and last[-1:] and last[-1] in STATES)
            if (
                fits
                and a.kind == "text"
                and len(a.path) == 1
                and 2 <= len(one.states) <= MAX_WORDS
                and not a.shape.pattern
            ):
                shape = replace(a.shape, enum=tuple(one.states))
                table = word_table(shape)
                out[k] = replace(
                    a, kind="state", shape=shape, words=table, codec=codec_of("state", shape, table), flavour=""
                )
                return out
    return out
