"""New records, changes and removals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from worldwright.anchor.model.entity_specs import state_transitions
from worldwright.anchor.model.goals.moves import right_ones
from worldwright.anchor.model.goals.phrases import (
    MEASURES,
    MOMENTS,
    SAID,
    WORTH,
    Goal,
    Named,
    carried,
    draw,
    measures,
    named_record,
    optional,
    plain,
    possible,
    spec,
    value_name,
    what,
)
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.core.names import to_words
from worldwright.english.nouns import article

MAX_SAID = 3
"""Values of a new record that are said, beside those that must be."""
MAX_WORDS = 2
"""Words of a list that are asked for one by one."""
MAX_STATES = 4
"""States that records are asked to be brought to."""


def new_records(one: BlueprintOperation, resources: Mapping[str, Entity]) -> Iterator[Named]:
    entity, takes = one.entity, one.spec.get("takes", {})
    given: dict[str, str] = {}
    arguments: dict[str, str] = {}
    tests: list[str] = []
    for name, kind in takes.items():
        target = str(kind).rstrip("?") if isinstance(kind, str) else ""
        if target in resources and (not optional(kind) or not given) and target != entity.name:
            variable = f"p{len(given) + 1}"
            given[variable], arguments[name] = target, variable
            tests.append(f"r.{name} == {variable}")
    states, phrases = {}, []
    for attribute in _worth_saying(one):
        states[f"v_{attribute.name}"] = draw(attribute)
        arguments[attribute.name] = f"v_{attribute.name}"
        tests.append(f"r.{attribute.name} == v_{attribute.name}")
        phrases.append(f"{value_name(attribute)} {{v_{attribute.name}{spec(attribute)}}}")
    missing = [n for n, kind in takes.items() if n not in arguments and not optional(kind)]
    if missing or not tests:
        return
    noun, where = article(what(entity)), " and ".join(f"{{{v}}}" for v in given)
    about, details = (f" for {where}" if where else ""), (f": {', '.join(phrases)}" if phrases else "")
    goal: Goal = {
        **({"given": given} if given else {}),
        **({"states": states} if states else {}),
        "wants": f"exists(r for r in {entity.name} if {' and '.join(tests)})",
        "how": [{"do": one.name, "with": arguments}],
        "asks": [f"please set up {noun}{about}{details}", f"we need {noun}{about}{details}"],
        "then": [f"set up {noun}{about}{details}"],
    }
    yield f"new_{entity.name}", goal


def _worth_saying(one: BlueprintOperation) -> list[Attribute]:
    takes = one.spec.get("takes", {})
    said = [t.attribute for t in one.takes if t.attribute is not None and t.attribute.kind in SAID and t.name in takes]
    needed = [a for a in said if not optional(takes[a.name])]
    more = sorted((a for a in said if a not in needed and plain(a)), key=lambda a: WORTH.index(a.kind))
    return [*needed, *more[: max(0, MAX_SAID - len(needed))]]


def changes(one: BlueprintOperation, resources: Mapping[str, Entity]) -> Iterator[Named]:
    row, entity = one.row, one.entity
    if not row:
        return
    yield from _brought_to(one, row, resources)
    open_to = [
        t.attribute
        for t in one.takes
        if t.attribute is not None and t.attribute.kind in SAID and len(t.at) <= 3 and not t.attribute.said.fixed
    ]
    worth = sorted((a for a in open_to if plain(a)), key=lambda a: WORTH.index(a.kind)) or open_to
    if not worth:
        return
    first = worth[0]
    rest = carried(one, (first.name,))
    if rest is None:
        return
    yield f"change_{entity.name}_{first.name}", _named(one, row, first)
    other = next((a for a in worth[1:] if entity.attribute(a.path) is not None), None)
    if other is not None:
        yield f"change_two_of_{entity.name}", _two(one, row, first, other)
    yield from _extreme(one, row, worth[-1])
    yield from _to_words(one, row, [a for a in worth if a.kind == "words"][:1])
    value = f"{{v{spec(first)}}}"
    wants, how = f"x.{first.name} == v", [{"do": one.name, "with": {row: "x", first.name: "v", **rest[0]}}]
    phrase = f"change the {value_name(first)} of {{}} to {value}"
    where = _and(possible(one, "id is not none"), rest[1])
    for name, goal in right_ones(entity, resources, where, wants, how, phrase, f"change_{entity.name}"):
        yield name, {**goal, "states": {"v": draw(first)}}


def _brought_to(one: BlueprintOperation, row: str, resources: Mapping[str, Entity]) -> Iterator[Named]:
    """A record brought to another state by the operation that changes it."""
    entity = one.entity
    state = next((t.attribute for t in one.takes if t.attribute is not None and t.attribute.kind == "state"), None)
    if state is None:
        return
    rest = carried(one, (state.name,))
    if rest is None:
        return
    lifecycle = state_transitions(entity)
    reached = [s for s in lifecycle if any(s in to for to in lifecycle.values())]
    for k, goal_state in enumerate(reached[:MAX_STATES]):
        sources = [s for s, to in lifecycle.items() if goal_state in to]
        where = _and(possible(one, f"{state.name} in ({', '.join(repr(s) for s in sources)},)"), rest[1])
        wants = f"x.{state.name} == '{goal_state}'"
        how = [{"do": one.name, "with": {row: "x", state.name: f"'{goal_state}'", **rest[0]}}]
        phrase, noun = f"set {{}} to {to_words(goal_state)}", what(entity)
        named: Goal = {
            "given": {"x": f"{entity.name} where {where}"},
            "wants": wants,
            "how": how,
            "asks": [
                f"please set {{x}} to {to_words(goal_state)}",
                f"{{x}} is {to_words(goal_state)} now, please put that on record",
            ],
            "then": [f"set {{x}} to {to_words(goal_state)}"],
            "each": [f"set every {noun} {{which}} to {to_words(goal_state)}"],
        }
        yield f"{entity.name}_to_{goal_state}", named
        if k == 0:
            yield from right_ones(entity, resources, where, wants, how, phrase, f"{entity.name}_to_{goal_state}")


def _to_words(one: BlueprintOperation, row: str, those: Sequence[Attribute]) -> Iterator[Named]:
    """A word of a list for one record, and for every one of which something is true."""
    for a in those:
        rest = carried(one, (a.name,))
        for word in list(a.words.values())[:MAX_WORDS] if rest is not None else ():
            assert rest is not None
            other = _and(f"({a.name} is none or {a.name} != '{word}')", rest[1])
            noun, value = what(one.entity), value_name(a)
            goal: Goal = {
                "given": {"x": f"{one.entity.name} where {other}"},
                "wants": f"x.{a.name} == '{word}'",
                "how": [{"do": one.name, "with": {row: "x", a.name: f"'{word}'", **rest[0]}}],
                "asks": [
                    f"please make the {value} of {{x}} {to_words(word)}",
                    f"{{x}} needs the {value} {to_words(word)}",
                ],
                "each": [f"make the {value} of every {noun} {{which}} {to_words(word)}"],
            }
            yield f"{one.entity.name}_{a.name}_{word}", goal


def _and(first: str, second: str) -> str:
    return f"{first} and {second}" if second else first


def _named(one: BlueprintOperation, row: str, a: Attribute) -> Goal:
    value, (more, there) = f"{{v{spec(a)}}}", carried(one, (a.name,)) or ({}, "")
    return {
        "given": {"x": f"{one.entity.name} where {_and(possible(one, 'id is not none'), there)}"},
        "states": {"v": draw(a)},
        "wants": f"x.{a.name} == v",
        "how": [{"do": one.name, "with": {row: "x", a.name: "v", **more}}],
        "asks": [
            f"the {value_name(a)} of {{x}} has to be {value} from now on",
            f"please correct {{x}}: the {value_name(a)} is {value}",
        ],
        "then": [f"change the {value_name(a)} of {{x}} to {value}"],
    }


def _two(one: BlueprintOperation, row: str, first: Attribute, second: Attribute) -> Goal:
    """Two values at once, one of them carried over from another record."""
    one_value, other = f"{{v{spec(first)}}}", value_name(second)
    more, there = carried(one, (first.name, second.name)) or ({}, "")
    return {
        "given": {
            "x": f"{one.entity.name} where {_and('id is not none', there)}",
            "y": f"{one.entity.name} where id != x.id and {second.name} is not none",
        },
        "states": {"v": draw(first)},
        "wants": f"x.{first.name} == v and x.{second.name} == y.{second.name}",
        "how": [{"do": one.name, "with": {row: "x", first.name: "v", second.name: f"y.{second.name}", **more}}],
        "asks": [
            f"please give {{x}} the same {other} as {{y}}, and make its {value_name(first)} {one_value}",
            f"{{x}} should have the {other} that {{y}} has; the {value_name(first)} becomes {one_value}",
        ],
    }


def _extreme(one: BlueprintOperation, row: str, a: Attribute) -> Iterator[Named]:
    """A change of the record that is first of all by some measure: the whole list has to be looked at."""
    entity = one.entity
    measure = next((m for m in measures(entity, (*MEASURES, *MOMENTS)) if m.name != a.name), None)
    rest = carried(one, (a.name,))
    if measure is None or rest is None:
        return
    most, beyond = ("earliest", "<=") if measure.kind in MOMENTS else ("highest", ">=")
    rival = f"r for r in {entity.name} if r.{measure.name} {beyond} x.{measure.name} and r != x"
    value, by, (more, there) = f"{{v{spec(a)}}}", value_name(measure), rest
    goal: Goal = {
        "given": {"x": f"{entity.name} where {_and(f'{measure.name} is not none and not exists({rival})', there)}"},
        "states": {"v": draw(a)},
        "wants": f"x.{a.name} == v",
        "how": [{"do": one.name, "with": {row: "x", a.name: "v", **more}}],
        "asks": [
            f"look for the {what(entity)} with the {most} {by} and make its {value_name(a)} {value}",
            f"the {what(entity)} that has the {most} {by} of all needs another {value_name(a)}: {value}",
        ],
    }
    yield f"change_the_{most}_{entity.name}", goal


def removals(one: BlueprintOperation, resources: Mapping[str, Entity]) -> Iterator[Named]:
    """A record that is named goes."""
    row, entity = one.row, one.entity
    named = named_record(one)
    if not row or any(n not in named and not optional(k) for n, k in one.spec.get("takes", {}).items()):
        return
    wants, how = f"not exists(r for r in {entity.name} if r.id == x.id)", [{"do": one.name, "with": named}]
    where = possible(one)
    yield (
        f"remove_{entity.name}",
        {
            "given": {"x": f"{entity.name} where {where}" if where else entity.name},
            "wants": wants,
            "how": how,
            "asks": ["please remove {x}, it is no longer needed", "{x} was entered by mistake and has to go"],
            "then": ["remove {x}"],
        },
    )
