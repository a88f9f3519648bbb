"""What is to be done: a record moved on, made, changed or removed; one that is named, or the right one among several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from worldwright.anchor.model.blueprint import state_transitions
from worldwright.anchor.model.goals import phrases as say
from worldwright.anchor.model.goals.phrases import MEASURES, MOMENTS, SAID, WORTH, Goal, Named, filled
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


def _set(
    one: BlueprintOperation, where: str, values: Mapping[str, str], asks: Sequence[str], **more: object
) -> Goal | None:
    """A call that gives a record some values; None where it demands what the record does not have."""
    rest = say.carried(one, values)
    if rest is None:
        return None
    wants = " and ".join(f"x.{name} == {value}" for name, value in values.items())
    return _done_to(one, _and(where, rest[1]), wants, {one.row: "x", **values, **rest[0]}, asks, **more)


def moves(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    """Something happens to one record: named, or found as the right one among those that belong to something."""
    named = say.named_record(one)
    needed = [n for n in one.needed if n not in named]
    told = [a for a in _told(one) if a.name in needed]
    before_and_after = _states(one)
    if not one.row or before_and_after is None or len(needed) != len(told) or any(a.kind not in SAID for a in told):
        return
    wants = _and(before_and_after[1], *(f"x.{a.name} == v_{a.name}" for a in told))
    phrase, noun = say.imperative(one) + (f" with {_listed(told, one.entity)}" if told else ""), say.what(one.entity)
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
    more = {"states": {f"v_{a.name}": say.draw(a) for a in told}} if told else {"each": every}
    where = say.possible(one, before_and_after[0])
    goal = _done_to(one, where, wants, inputs, asks, then=[filled(phrase, "{x}")], **more)
    yield f"{one.name}_it", goal
    yield from _right_ones(one.entity, resources, goal, phrase, one.name)


def _told(one: BlueprintOperation) -> list[Attribute]:
    """The values that an operation takes."""
    takes = one.spec.get("takes", {})
    return [t.attribute for t in one.takes if t.attribute is not None and t.name in takes]


def _listed(told: Sequence[Attribute], entity: Entity) -> str:
    return ", ".join(f"{say.value_name(a, entity.attributes)} {{v_{a.name}{say.spec(a)}}}" for a in told)


def _states(one: BlueprintOperation) -> tuple[str, str] | None:
    """Return what a record must be before, and what it is after."""
    state = one.entity.state
    reached = target(one.intent.verb, state.words.values()) if state is not None else ""
    if reached and state is not None:
        sources = [s for s, to in state_transitions(one.entity).items() if reached in to]
        return (f"{state.name} in {say.several(sources)}", f"x.{state.name} == '{reached}'") if sources else None
    stamp = next(iter(one.fields), "")
    return (f"{stamp} is none", f"x.{stamp} is not none") if stamp else None


def _right_ones(entity: Entity, resources: Resources, done: Goal, phrase: str, name: str) -> Iterator[Named]:
    """The largest, smallest or oldest of those that belong to something: it has to be found before anything is done."""
    noun, where = say.what(entity), done["given"]["x"].partition(" where ")[2]
    own = " and ".join(f"r.{part}" for part in where.split(" and "))
    many = plural(noun)
    for field, owner, called in say.owners(entity, resources):
        ours, look = f"of the {many} that {{p}} has with us, please", f"look at the {many} of {{p}} and"
        if called:
            theirs = f"the {many} whose {called} is {{p}}"
            ours, look = f"of {theirs}, please", f"look at {theirs} and"
        for measure in (*say.measures(entity, MEASURES)[:1], *say.measures(entity, MOMENTS)[:1]):
            most, beyond = ("oldest", "<=") if measure.kind in MOMENTS else ("largest", ">=")
            rows = f"r for r in {entity.name} if r.{field} == p and {own} and r.{measure.name} is not none"
            rival = f"{rows} and r.{measure.name} {beyond} x.{measure.name} and r != x"
            by = say.value_name(measure, entity.attributes)
            happened = say.participle(measure, entity.attributes) if measure.kind in MOMENTS else ""
            one = filled(phrase, f"the {most} one")
            asks = [f"{ours} {one}, going by {by}", f"{look} {one}, measured by {by}"]
            if happened:
                first = (f"the one that was {happened} first", f"the {noun} that was {happened} first")
                asks = [f"{start} {filled(phrase, it)}" for start, it in zip((ours, look), first, strict=True)]
            given = {
                "p": f"{owner} where count({rows}) >= 2",
                "x": f"{entity.name} where {field} == p and {where} and {measure.name} is not none and not exists({rival})",
            }
            goal = {"given": given, "wants": done["wants"], "how": done["how"], "asks": asks}
            goal |= {"then": [f"{look} {one}, going by {by}"]} | {k: done[k] for k in ("states",) if k in done}
            yield f"{name}_the_{most}_of_{owner}", goal


def new_records(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    """A record that is not there yet, with what it belongs to and what is said of it."""
    entity, takes = one.entity, one.spec.get("takes", {})
    given: dict[str, str] = {}
    arguments: dict[str, str] = {}
    for name, kind in takes.items():
        other = str(kind).rstrip("?")
        if other in resources and (name in one.needed or not given) and other != entity.name:
            arguments[name] = f"p{len(given) + 1}"
            given[arguments[name]] = other
    known = [a for a in _told(one) if a.kind in SAID]
    needed = [a for a in known if a.name in one.needed]
    more = sorted((a for a in known if a not in needed and say.plain(a)), key=lambda a: WORTH.index(a.kind))
    said = [*needed, *more[: max(0, MAX_SAID - len(needed))]]
    arguments |= {a.name: f"v_{a.name}" for a in said}
    if not arguments or any(n not in arguments for n in one.needed):
        return
    where = " and ".join(f"{{{v}}}" for v in given)
    whole = (
        article(say.what(entity)) + (f" for {where}" if where else "") + (f": {_listed(said, entity)}" if said else "")
    )
    tests = " and ".join(f"r.{name} == {value}" for name, value in arguments.items())
    yield f"new_{entity.name}", {
        **({"given": given} if given else {}),
        **({"states": {f"v_{a.name}": say.draw(a) for a in said}} if said else {}),
        "wants": f"exists(r for r in {entity.name} if {tests})",
        "how": [{"do": one.name, "with": arguments}],
        "asks": [f"please set up {whole}", f"we need {whole}"],
        "then": [f"set up {whole}"],
    }  # fmt: skip


def changes(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    """A value of a record that becomes another: of one that is named, and of the right one of several."""
    if not one.row:
        return
    yield from _brought_to(one, resources)
    entity = one.entity
    known = [t.attribute for t in one.takes if t.attribute is not None and len(t.at) <= 3]
    open_to = [a for a in known if a.kind in SAID and not a.said.fixed]
    worth = sorted((a for a in open_to if say.plain(a)), key=lambda a: WORTH.index(a.kind)) or open_to
    if not worth:
        return
    first, value, by = worth[0], f"{{v{say.spec(worth[0])}}}", say.value_name(worth[0], entity.attributes)
    asks = (f"the {by} of {{x}} has to be {value} from now on", f"please correct {{x}}: the {by} is {value}")
    then, states = [f"change the {by} of {{x}} to {value}"], {"v": say.draw(first)}
    goal = _set(one, say.possible(one, "id is not none"), {first.name: "v"}, asks, then=then, states=states)
    if goal is None:
        return
    yield f"change_{entity.name}_{first.name}", goal
    other = next((a for a in worth[1:] if entity.attribute(a.path) is not None), None)
    if other is not None:
        copied = say.value_name(other, entity.attributes)
        asks = (
            f"please give {{x}} the same {copied} as {{y}}, and make its {by} {value}",
            f"{{x}} should have the {copied} that {{y}} has; the {by} becomes {value}",
        )
        both = _set(one, "id is not none", {first.name: "v", other.name: f"y.{other.name}"}, asks, states=states)
        assert both is not None, "it demands less than the goal before"
        both["given"]["y"] = f"{entity.name} where id != x.id and {other.name} is not none"
        yield f"change_two_of_{entity.name}", both
    yield from _extreme(one, worth[-1])
    yield from _to_words(one, next((a for a in worth if a.kind == "words"), None))
    yield from _right_ones(entity, resources, goal, f"change the {by} of {{}} to {value}", f"change_{entity.name}")


def _brought_to(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    """A record brought to another state by the operation that changes it."""
    entity = one.entity
    state = next((t.attribute for t in one.takes if t.attribute is not None and t.attribute.kind == "state"), None)
    lifecycle = state_transitions(entity) if state is not None else {}
    reached = [s for s in lifecycle if any(s in to for to in lifecycle.values())]
    for k, goal_state in enumerate(reached[:MAX_STATES]):
        assert state is not None
        sources, word = [s for s, to in lifecycle.items() if goal_state in to], to_words(goal_state)
        goal = _set(
            one, say.possible(one, f"{state.name} in {say.several(sources)}"), {state.name: f"'{goal_state}'"},
            (f"please set {{x}} to {word}", f"{{x}} is {word} now, please put that on record"),
            then=[f"set {{x}} to {word}"], each=[f"set every {say.what(entity)} {{which}} to {word}"],
        )  # fmt: skip
        if goal is not None:
            yield f"{entity.name}_to_{goal_state}", goal
        if goal is not None and k == 0:
            yield from _right_ones(entity, resources, goal, f"set {{}} to {word}", f"{entity.name}_to_{goal_state}")


def _to_words(one: BlueprintOperation, a: Attribute | None) -> Iterator[Named]:
    """A word of a list for one record, and for every one of which something is true."""
    for word in list(a.words.values())[:MAX_WORDS] if a is not None else ():
        assert a is not None
        value, said = say.value_name(a, one.entity.attributes), to_words(word)
        asks = (f"please make the {value} of {{x}} {said}", f"{{x}} needs the {value} {said}")
        each = [f"make the {value} of every {say.what(one.entity)} {{which}} {said}"]
        goal = _set(one, f"({a.name} is none or {a.name} != '{word}')", {a.name: f"'{word}'"}, asks, each=each)
        if goal is not None:
            yield f"{one.entity.name}_{a.name}_{word}", goal


def _extreme(one: BlueprintOperation, a: Attribute) -> Iterator[Named]:
    """A change of the record that is first of all by some measure: the whole list has to be looked at."""
    entity = one.entity
    measure = next((m for m in say.measures(entity, (*MEASURES, *MOMENTS)) if m.name != a.name), None)
    if measure is None:
        return
    most, beyond = ("earliest", "<=") if measure.kind in MOMENTS else ("highest", ">=")
    rival = f"r for r in {entity.name} if r.{measure.name} {beyond} x.{measure.name} and r != x"
    value, noun = f"{{v{say.spec(a)}}}", say.what(entity)
    by, changed = (say.value_name(b, entity.attributes) for b in (measure, a))
    asks = (
        f"look for the {noun} with the {most} {by} and make its {changed} {value}",
        f"the {noun} that has the {most} {by} of all needs another {changed}: {value}",
    )
    where = f"{measure.name} is not none and not exists({rival})"
    goal = _set(one, where, {a.name: "v"}, asks, states={"v": say.draw(a)})
    if goal is not None:
        yield f"change_the_{most}_{entity.name}", goal


def removals(one: BlueprintOperation, resources: Resources) -> Iterator[Named]:
    """A record that is named goes."""
    named = say.named_record(one)
    if one.row and all(n in named for n in one.needed):
        wants = f"not exists(r for r in {one.entity.name} if r.id == x.id)"
        asks = ("please remove {x}, it is no longer needed", "{x} was entered by mistake and has to go")
        yield f"remove_{one.entity.name}", _done_to(one, say.possible(one), wants, named, asks, then=["remove {x}"])
