"""What is to be done: a record moved on, made, changed or removed; one that is named, or the right one among several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from worldwright.anchor.model.entity_specs import state_transitions
from worldwright.anchor.model.goals.phrases import (
    MEASURES,
    MOMENTS,
    SAID,
    WORTH,
    Goal,
    Named,
    carried,
    draw,
    filled,
    imperative,
    measures,
    named_record,
    optional,
    owners,
    participle,
    plain,
    possible,
    several,
    spec,
    value_name,
    what,
)
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.core.names import to_words
from worldwright.english.nouns import article, plural

Resources = Mapping[str, Entity]
MAX_SAID = 3
"""Values of a new record that are said, beside those that must be."""
MAX_WORDS = 2
"""Words of a list that are asked for one by one."""
MAX_STATES = 4
"""States that records are asked to be brought to."""


def _and(*conditions: str) -> str:
    return " and ".join(c for c in conditions if c)


def _done_to(
    one: BlueprintOperation, where: str, wants: str, inputs: Mapping[str, str], asks: Sequence[str], **more: object
) -> Goal:
    """One call of an operation on a record `x`."""
    given = {"x": f"{one.entity.name} where {where}" if where else one.entity.name}
    return {"given": given, "wants": wants, "how": [{"do": one.name, "with": dict(inputs)}], "asks": list(asks), **more}


# moves


def moves(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    """Something happens to one record: named, or found as the right one among those that belong to something."""
    takes = one.spec.get("takes", {})
    told = [
        t.attribute for t in one.takes if t.attribute is not None and t.name in takes and not optional(takes[t.name])
    ]
    named = named_record(one)
    needed = [n for n, kind in takes.items() if n not in named and not optional(kind)]
    before_and_after = _states(one)
    if not one.row or before_and_after is None or len(needed) != len(told) or any(a.kind not in SAID for a in told):
        return
    where = possible(one, before_and_after[0])
    wants = _and(before_and_after[1], *(f"x.{a.name} == v_{a.name}" for a in told))
    with_what = ", ".join(f"{value_name(a)} {{v_{a.name}{spec(a)}}}" for a in told)
    phrase, noun = imperative(one) + (f" with {with_what}" if told else ""), what(one.entity)
    every = [
        filled(phrase, f"every {noun} {{which}}"),
        f"all {plural(noun)} {{which}} are to be dealt with: {filled(phrase, 'each of them')}",
    ]
    asks = (
        f"please {filled(phrase, '{x}')}",
        f"we need you to {filled(phrase, '{x}')} today",
        f"{{x}} has waited long enough: {filled(phrase, 'it')}",
    )
    inputs = {**named, **{a.name: f"v_{a.name}" for a in told}}
    more = {"states": {f"v_{a.name}": draw(a) for a in told}} if told else {"each": every}
    goal = _done_to(one, where, wants, inputs, asks, then=[filled(phrase, "{x}")], **more)
    yield f"{one.name}_it", goal
    stated = {"states": goal["states"]} if told else {}
    for name, right in right_ones(one.entity, resources, where, goal, phrase, one.name):
        yield name, {**right, **stated}


def _states(one: BlueprintOperation) -> tuple[str, str] | None:
    """Return what a record must be before, and what it is after."""
    state = one.entity.state
    reached = target(one.intent.verb, state.words.values()) if state is not None else ""
    if reached and state is not None:
        sources = [s for s, to in state_transitions(one.entity).items() if reached in to]
        return (f"{state.name} in {several(sources)}", f"x.{state.name} == '{reached}'") if sources else None
    stamp = next(iter(one.fields), "")
    return (f"{stamp} is none", f"x.{stamp} is not none") if stamp else None


def right_ones(entity: Entity, resources: Resources, where: str, done: Goal, phrase: str, name: str) -> Iterator[Named]:
    """The largest, smallest or oldest of those that belong to something: it has to be found before anything is done."""
    noun = what(entity)
    own = " and ".join(f"r.{part}" for part in where.split(" and "))
    for field, owner in list(owners(entity, resources))[:2]:
        for measure in [*list(measures(entity, MEASURES))[:1], *list(measures(entity, MOMENTS))[:1]]:
            moment = measure.kind in MOMENTS
            most, beyond = ("oldest", "<=") if moment else ("largest", ">=")
            rows = f"r for r in {entity.name} if r.{field} == p and {own} and r.{measure.name} is not none"
            rival = f"{rows} and r.{measure.name} {beyond} x.{measure.name} and r != x"
            by, happened = value_name(measure), participle(measure) if moment else ""
            ours, look = (
                f"of the {plural(noun)} that {{p}} has with us, please",
                f"look at the {plural(noun)} of {{p}} and",
            )
            one = filled(phrase, f"the {most} one")
            asks = [f"{ours} {one}, going by {by}", f"{look} {one}, measured by {by}"]
            if happened:
                first = filled(phrase, f"the one that was {happened} first")
                asks = [f"{ours} {first}", f"{look} {filled(phrase, f'the {noun} that was {happened} first')}"]
            given = {
                "p": f"{owner} where count({rows}) >= 2",
                "x": f"{entity.name} where {field} == p and {where} and {measure.name} is not none and not exists({rival})",
            }
            goal: Goal = {k: done[k] for k in ("wants", "how")}
            yield (
                f"{name}_the_{most}_of_{owner}",
                {"given": given, **goal, "asks": asks, "then": [f"{look} {one}, going by {by}"]},
            )


# new records


def new_records(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    entity, takes = one.entity, one.spec.get("takes", {})
    given: dict[str, str] = {}
    arguments: dict[str, str] = {}
    tests: list[str] = []
    for name, kind in takes.items():
        other = str(kind).rstrip("?") if isinstance(kind, str) else ""
        if other in resources and (not optional(kind) or not given) and other != entity.name:
            variable = f"p{len(given) + 1}"
            given[variable], arguments[name] = other, variable
            tests.append(f"r.{name} == {variable}")
    said = _worth_saying(one)
    states = {f"v_{a.name}": draw(a) for a in said}
    arguments |= {a.name: f"v_{a.name}" for a in said}
    tests += [f"r.{a.name} == v_{a.name}" for a in said]
    phrases = [f"{value_name(a)} {{v_{a.name}{spec(a)}}}" for a in said]
    if not tests or any(n not in arguments and not optional(kind) for n, kind in takes.items()):
        return
    noun, where = article(what(entity)), " and ".join(f"{{{v}}}" for v in given)
    all_of_it = noun + (f" for {where}" if where else "") + (f": {', '.join(phrases)}" if phrases else "")
    goal: Goal = {
        **({"given": given} if given else {}),
        **({"states": states} if states else {}),
        "wants": f"exists(r for r in {entity.name} if {' and '.join(tests)})",
        "how": [{"do": one.name, "with": arguments}],
        "asks": [f"please set up {all_of_it}", f"we need {all_of_it}"],
        "then": [f"set up {all_of_it}"],
    }
    yield f"new_{entity.name}", goal


def _worth_saying(one: BlueprintOperation) -> list[Attribute]:
    takes = one.spec.get("takes", {})
    said = [t.attribute for t in one.takes if t.attribute is not None and t.attribute.kind in SAID and t.name in takes]
    needed = [a for a in said if not optional(takes[a.name])]
    more = sorted((a for a in said if a not in needed and plain(a)), key=lambda a: WORTH.index(a.kind))
    return [*needed, *more[: max(0, MAX_SAID - len(needed))]]


# changes


def changes(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    if not one.row:
        return
    yield from _brought_to(one, resources)
    known = [t.attribute for t in one.takes if t.attribute is not None and len(t.at) <= 3]
    open_to = [a for a in known if a.kind in SAID and not a.said.fixed]
    worth = sorted((a for a in open_to if plain(a)), key=lambda a: WORTH.index(a.kind)) or open_to
    rest = carried(one, (worth[0].name,)) if worth else None
    if rest is None:
        return
    entity, first = one.entity, worth[0]
    value, by, where = f"{{v{spec(first)}}}", value_name(first), _and(possible(one, "id is not none"), rest[1])
    inputs, stated = {one.row: "x", first.name: "v", **rest[0]}, {"states": {"v": draw(first)}}
    asks = (f"the {by} of {{x}} has to be {value} from now on", f"please correct {{x}}: the {by} is {value}")
    then = [f"change the {by} of {{x}} to {value}"]
    goal = _done_to(one, where, f"x.{first.name} == v", inputs, asks, then=then, **stated)
    yield f"change_{entity.name}_{first.name}", goal
    other = next((a for a in worth[1:] if entity.attribute(a.path) is not None), None)
    if other is not None:
        yield f"change_two_of_{entity.name}", _two(one, goal, first, other)
    yield from _extreme(one, worth[-1])
    yield from _to_words(one, [a for a in worth if a.kind == "words"][:1])
    phrase = f"change the {by} of {{}} to {value}"
    for name, right in right_ones(entity, resources, where, goal, phrase, f"change_{entity.name}"):
        yield name, {**right, **stated}


def _brought_to(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    """A record brought to another state by the operation that changes it."""
    entity = one.entity
    state = next((t.attribute for t in one.takes if t.attribute is not None and t.attribute.kind == "state"), None)
    rest = carried(one, (state.name,)) if state is not None else None
    if state is None or rest is None:
        return
    lifecycle = state_transitions(entity)
    reached = [s for s in lifecycle if any(s in to for to in lifecycle.values())]
    for k, goal_state in enumerate(reached[:MAX_STATES]):
        sources = [s for s, to in lifecycle.items() if goal_state in to]
        where = _and(possible(one, f"{state.name} in ({', '.join(repr(s) for s in sources)},)"), rest[1])
        word = to_words(goal_state)
        goal = _done_to(
            one, where, f"x.{state.name} == '{goal_state}'", {one.row: "x", state.name: f"'{goal_state}'", **rest[0]},
            (f"please set {{x}} to {word}", f"{{x}} is {word} now, please put that on record"),
            then=[f"set {{x}} to {word}"], each=[f"set every {what(entity)} {{which}} to {word}"],
        )  # fmt: skip
        yield f"{entity.name}_to_{goal_state}", goal
        if k == 0:
            yield from right_ones(
                entity, resources, where, goal, f"set {{}} to {word}", f"{entity.name}_to_{goal_state}"
            )


def _to_words(one: BlueprintOperation, those: Sequence[Attribute]) -> Iterator[Named]:
    """A word of a list for one record, and for every one of which something is true."""
    for a in those:
        rest = carried(one, (a.name,))
        for word in list(a.words.values())[:MAX_WORDS] if rest is not None else ():
            assert rest is not None
            value, said = value_name(a), to_words(word)
            asks = (f"please make the {value} of {{x}} {said}", f"{{x}} needs the {value} {said}")
            where = _and(f"({a.name} is none or {a.name} != '{word}')", rest[1])
            each = [f"make the {value} of every {what(one.entity)} {{which}} {said}"]
            inputs = {one.row: "x", a.name: f"'{word}'", **rest[0]}
            yield (
                f"{one.entity.name}_{a.name}_{word}",
                _done_to(one, where, f"x.{a.name} == '{word}'", inputs, asks, each=each),
            )


def _two(one: BlueprintOperation, goal: Goal, first: Attribute, second: Attribute) -> Goal:
    """Two values at once, one of them carried over from another record."""
    one_value, other = f"{{v{spec(first)}}}", value_name(second)
    more, there = carried(one, (first.name, second.name)) or ({}, "")
    inputs = {one.row: "x", first.name: "v", second.name: f"y.{second.name}", **more}
    asks = (
        f"please give {{x}} the same {other} as {{y}}, and make its {value_name(first)} {one_value}",
        f"{{x}} should have the {other} that {{y}} has; the {value_name(first)} becomes {one_value}",
    )
    wants = f"x.{first.name} == v and x.{second.name} == y.{second.name}"
    made = _done_to(one, _and("id is not none", there), wants, inputs, asks, states=goal["states"])
    made["given"]["y"] = f"{one.entity.name} where id != x.id and {second.name} is not none"
    return made


def _extreme(one: BlueprintOperation, a: Attribute) -> Iterator[Named]:
    """A change of the record that is first of all by some measure: the whole list has to be looked at."""
    entity = one.entity
    measure = next((m for m in measures(entity, (*MEASURES, *MOMENTS)) if m.name != a.name), None)
    rest = carried(one, (a.name,))
    if measure is None or rest is None:
        return
    most, beyond = ("earliest", "<=") if measure.kind in MOMENTS else ("highest", ">=")
    rival = f"r for r in {entity.name} if r.{measure.name} {beyond} x.{measure.name} and r != x"
    value, by, noun = f"{{v{spec(a)}}}", value_name(measure), what(entity)
    asks = (
        f"look for the {noun} with the {most} {by} and make its {value_name(a)} {value}",
        f"the {noun} that has the {most} {by} of all needs another {value_name(a)}: {value}",
    )
    where = _and(f"{measure.name} is not none and not exists({rival})", rest[1])
    inputs = {one.row: "x", a.name: "v", **rest[0]}
    yield (
        f"change_the_{most}_{entity.name}",
        _done_to(one, where, f"x.{a.name} == v", inputs, asks, states={"v": draw(a)}),
    )


def removals(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    """A record that is named goes."""
    named = named_record(one)
    if one.row and all(n in named or optional(k) for n, k in one.spec.get("takes", {}).items()):
        wants = f"not exists(r for r in {one.entity.name} if r.id == x.id)"
        asks = ("please remove {x}, it is no longer needed", "{x} was entered by mistake and has to go")
        yield f"remove_{one.entity.name}", _done_to(one, possible(one), wants, named, asks, then=["remove {x}"])
