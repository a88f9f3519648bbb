"""Something happens to one record: named, or found as the right one among those that belong to something."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.anchor.model.entity_specs import state_transitions
from worldwright.anchor.model.goals.phrases import (
    MEASURES,
    MOMENTS,
    SAID,
    Goal,
    Named,
    draw,
    filled,
    imperative,
    measures,
    named_record,
    optional,
    owners,
    participle,
    possible,
    several,
    spec,
    value_name,
    what,
)
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Entity
from worldwright.english.nouns import plural


def moves(one: BlueprintOperation, resources: Mapping[str, Entity]) -> Iterator[Named]:
    row = one.row
    takes = one.spec.get("takes", {})
    told = [
        t.attribute for t in one.takes if t.attribute is not None and t.name in takes and not optional(takes[t.name])
    ]
    needed = [n for n, kind in takes.items() if n != row and n not in one.owners and not optional(kind)]
    before_and_after = _states(one)
    if not row or before_and_after is None or len(needed) != len(told) or any(a.kind not in SAID for a in told):
        return
    where, wants = possible(one, before_and_after[0]), before_and_after[1]
    wants = " and ".join([wants, *(f"x.{a.name} == v_{a.name}" for a in told)])
    states = {f"v_{a.name}": draw(a) for a in told}
    with_what = ", ".join(f"{value_name(a)} {{v_{a.name}{spec(a)}}}" for a in told)
    how = [{"do": one.name, "with": {**named_record(one), **{a.name: f"v_{a.name}" for a in told}}}]
    phrase = imperative(one) + (f" with {with_what}" if told else "")
    more = {"states": states} if states else {}
    yield f"{one.name}_it", {**_named(one, where, wants, how, phrase, bool(told)), **more}
    for name, goal in right_ones(one.entity, resources, where, wants, how, phrase, one.name):
        yield name, {**goal, **more}


def _states(one: BlueprintOperation) -> tuple[str, str] | None:
    """Return what a record must be before, and what it is after."""
    state = one.entity.state
    reached = target(one.intent.verb, state.words.values()) if state is not None else ""
    if reached and state is not None:
        sources = [s for s, to in state_transitions(one.entity).items() if reached in to]
        return (f"{state.name} in {several(sources)}", f"x.{state.name} == '{reached}'") if sources else None
    stamp = next(iter(one.fields), "")
    return (f"{stamp} is none", f"x.{stamp} is not none") if stamp else None


def _named(one: BlueprintOperation, where: str, wants: str, how: list[Goal], phrase: str, told: bool) -> Goal:
    noun = what(one.entity)
    every = [
        f"{filled(phrase, f'every {noun} {{which}}')}",
        f"all {plural(noun)} {{which}} are to be dealt with: {filled(phrase, 'each of them')}",
    ]
    return {
        "given": {"x": f"{one.entity.name} where {where}"},
        "wants": wants,
        "how": how,
        "asks": [
            f"please {filled(phrase, '{x}')}",
            f"we need you to {filled(phrase, '{x}')} today",
            f"{{x}} has waited long enough: {filled(phrase, 'it')}",
        ],
        "then": [filled(phrase, "{x}")],
        **({} if told else {"each": every}),
    }


def right_ones(
    entity: Entity,
    resources: Mapping[str, Entity],
    where: str,
    wants: str,
    how: list[Goal],
    phrase: str,
    name: str,
) -> Iterator[Named]:
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
            first, ours = (
                f"the {noun} that was {happened} first",
                f"of the {plural(noun)} that {{p}} has with us, please",
            )
            goal: Goal = {
                "given": {
                    "p": f"{owner} where count({rows}) >= 2",
                    "x": f"{entity.name} where {field} == p and {where} and {measure.name} is not none and not exists({rival})",
                },
                "wants": wants,
                "how": how,
                "asks": [
                    f"{ours} {filled(phrase, f'the one that was {happened} first')}",
                    f"look at the {plural(noun)} of {{p}} and {filled(phrase, first)}",
                ]
                if happened
                else [
                    f"{ours} {filled(phrase, f'the {most} one')}, going by {by}",
                    f"look at the {plural(noun)} of {{p}} and {filled(phrase, f'the {most} one')}, measured by {by}",
                ],
                "then": [f"look at the {plural(noun)} of {{p}} and {filled(phrase, f'the {most} one')}, going by {by}"],
            }
            yield f"{name}_the_{most}_of_{owner}", goal


# The same for two records: where one call does what is asked and nothing has to be looked up, two make a task.


def twice(name: str, goal: Goal) -> Iterator[Named]:
    """A goal about one record, or about a new one, asked for two of them; nothing for any other goal."""
    given = goal.get("given", {})
    if len(goal.get("how", ())) != 1 or goal.get("tells"):
        return
    if set(given) == {"x"}:
        entity, _, condition = given["x"].partition(" where ")
        if not condition or not _variables(condition, {"x"}):
            yield f"two_{name}", _of_two(goal, entity, condition)
    elif not given and goal.get("states"):
        yield f"two_{name}", _two_new(goal)


def _of_two(goal: Goal, entity: str, condition: str) -> Goal:
    second = f"({condition}) and id > x.id" if condition else "id > x.id"
    other = {"x": "y"}
    return {
        **{k: goal[k] for k in ("states", "by") if k in goal},
        "given": {"x": goal["given"]["x"], "y": f"{entity} where {second}"},
        "wants": f"({goal['wants']}) and ({_renamed(goal['wants'], other)})",
        "how": [goal["how"][0], _called(goal["how"][0], other)],
        "asks": [f"{ask.rstrip('.?')}. The same goes for {{y}}" for ask in goal["asks"] if "{x}" in ask],
    }


def _two_new(goal: Goal) -> Goal:
    other = {name: f"w_{name.removeprefix('v_')}" for name in goal["states"]}
    asks = []
    for ask in goal["asks"]:
        start, _, details = ask.partition(": ")
        again = details
        for name, later in other.items():
            again = again.replace(f"{{{name}}}", f"{{{later}}}").replace(f"{{{name}:", f"{{{later}:")
        asks.append(f"{start}: {details}. And a second one: {again}")
    return {
        **{k: goal[k] for k in ("by",) if k in goal},
        "states": {**goal["states"], **{other[k]: v for k, v in goal["states"].items()}},
        "wants": f"({goal['wants']}) and ({_renamed(goal['wants'], other)})",
        "how": [goal["how"][0], _called(goal["how"][0], other)],
        "asks": asks,
    }


def _called(call: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {**call, "with": {k: _renamed(str(v), names) for k, v in call["with"].items()}}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """An expression with its variables renamed: never a field, a text or the kind of rows that a loop goes over."""
    written = text.encode()
    for at, name in sorted(_variables(text, names), reverse=True):
        written = written[:at] + names[name].encode() + written[at + len(name.encode()) :]
    return written.decode()


def _variables(text: str, names: Mapping[str, str] | set[str]) -> list[tuple[int, str]]:
    nodes = list(ast.walk(ast.parse(text, mode="eval")))
    rows = {id(node.iter) for node in nodes if isinstance(node, ast.comprehension)}
    return [(n.col_offset, n.id) for n in nodes if isinstance(n, ast.Name) and n.id in names and id(n) not in rows]
