"""What people would ask of a derived business: moves, new records, changes, the right one of several, and questions.

Each goal says what is wanted of the records, never which call to make. Single changes of single records are the least of it: most
goals need something found out first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.anchor.model.draws import said_text
from worldwright.anchor.model.entities import arrows
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.operations import Made
from worldwright.anchor.model.records import Attribute, Resource
from worldwright.anchor.names import fresh
from worldwright.core.names import article, plural, words

DRAWS: Mapping[str, str] = {
    "int": "int ~ between({low}, {high})",
    "decimal": "decimal(2) ~ between({low}, {high})",
    "money": "money ~ between(20, 900)",
    "date": "date ~ between(today + 3, today + 40)",
    "text": 'text ~ f"{name} {{letters(4)}}"',
}
SAID = frozenset({"int", "decimal", "money", "date", "text", "words"})
MEASURES = frozenset({"money", "decimal", "int", "date", "time"})
MOST_SAID = 3
"""Values of a new record that are said."""

Goal = dict[str, Any]


def goals(resources: Sequence[Resource], made: Sequence[Made]) -> dict[str, Goal]:
    """Goals for everything that can be asked for, by name."""
    things = {r.name: r for r in resources}
    out: dict[str, Goal] = {}
    for one in made:
        for name, goal in _of_operation(one, things):
            out[fresh(_short(name), out)] = goal
    for resource in resources:
        for name, goal in _questions(resource, things, made):
            out[fresh(_short(name), out)] = goal
    return out


def _short(name: str) -> str:
    return name[:52].rstrip("_")


def _of_operation(one: Made, things: Mapping[str, Resource]) -> Iterator[tuple[str, Goal]]:
    match one.deed.kind:
        case "move":
            yield from _moves(one, things)
        case "create":
            yield from _creates(one, things)
        case "update":
            yield from _updates(one)


def _what(resource: Resource) -> str:
    return " ".join(resource.noun)


# something happens to one record


def _moves(one: Made, things: Mapping[str, Resource]) -> Iterator[tuple[str, Goal]]:
    resource, spec = one.resource, one.spec
    row = next((t.name for t in one.takes if t.entity == resource.name and t.attribute is None), "")
    needed = [n for n, kind in spec.get("takes", {}).items() if n != row and not str(kind).endswith("?")]
    verb, what = words("_".join(one.deed.verb)) or "handle", _what(resource)
    if not row or needed:
        return
    state = resource.state
    goal_state = target(one.deed.verb, state.words.values()) if state is not None else ""
    if goal_state and state is not None:
        sources = [s for s, to in arrows(resource).items() if goal_state in to]
        where, wants = f"{state.name} in {_tuple(sources)}", f"x.{state.name} == '{goal_state}'"
    else:
        stamp = next(iter(one.fields), "")
        if not stamp:
            return
        where, wants = f"{stamp} is none", f"x.{stamp} is not none"
    asks = [f"please {verb} {{x}}", f"we need you to {verb} {{x}} today", f"{{x}} has waited long enough, {verb} it"]
    yield (
        f"{one.name}_it",
        {
            "given": {"x": f"{resource.name} where {where}"},
            "wants": wants,
            "how": [{"do": one.name, "with": {row: "x"}}],
            "asks": asks,
            "then": [f"{verb} {{x}}"],
            "each": [
                f"{verb} every {what} {{which}}",
                f"all {plural(what)} {{which}} are to be dealt with: {verb} each of them",
            ],
        },
    )
    yield from _the_right_one(one, row, verb, where, wants, things)


def _the_right_one(
    one: Made, row: str, verb: str, where: str, wants: str, things: Mapping[str, Resource]
) -> Iterator[tuple[str, Goal]]:
    """The largest or the oldest of those that belong to something: it has to be found before anything is done."""
    resource = one.resource
    owner = next((a for a in resource.attributes if a.kind == "ref" and a.refers_to in things), None)
    measure = next((a for a in resource.attributes if a.kind in ("money", "decimal", "int", "date", "time")), None)
    if owner is None or measure is None:
        return
    old = measure.kind in ("date", "time")
    most, beyond = ("oldest", "<=") if old else ("largest", ">=")
    rows = f"r for r in {resource.name} if r.{owner.name} == p and r.{where}"
    rival = f"{rows} and r.{measure.name} {beyond} x.{measure.name} and r != x"
    by, what = words(measure.name), _what(resource)
    yield (
        f"{one.name}_the_{most}",
        {
            "given": {
                "p": f"{owner.refers_to} where exists({rows})",
                "x": f"{resource.name} where {owner.name} == p and {where} and {measure.name} is not none and not exists({rival})",
            },
            "wants": wants,
            "how": [{"do": one.name, "with": {row: "x"}}],
            "asks": [
                f"of everything that {{p}} has with us, please {verb} the {most} {what} by {by}",
                f"please {verb} the {most} {what} of {{p}}, measured by {by}",
            ],
        },
    )


def _tuple(values: Sequence[str]) -> str:
    return f"({', '.join(repr(v) for v in values)}{',' if len(values) == 1 else ''})"


# new records and changes


def _creates(one: Made, things: Mapping[str, Resource]) -> Iterator[tuple[str, Goal]]:
    resource, takes = one.resource, one.spec.get("takes", {})
    given: dict[str, str] = {}
    arguments: dict[str, str] = {}
    tests: list[str] = []
    for name, kind in takes.items():
        entity = str(kind).rstrip("?")
        if entity in things and (not str(kind).endswith("?") or not given) and entity != resource.name:
            variable = f"p{len(given) + 1}"
            given[variable], arguments[name] = entity, variable
            tests.append(f"r.{name} == {variable}")
    states, phrases = {}, []
    for attribute in _worth_saying(one):
        states[f"v_{attribute.name}"] = _draw(attribute)
        arguments[attribute.name] = f"v_{attribute.name}"
        tests.append(f"r.{attribute.name} == v_{attribute.name}")
        phrases.append(f"{words(attribute.name)} {{v_{attribute.name}{_spec(attribute)}}}")
    missing = [n for n, kind in takes.items() if n not in arguments and not str(kind).endswith("?")]
    if missing or not tests or not phrases:
        return
    what, where = article(_what(resource)), " and ".join(f"{{{v}}}" for v in given)
    about = f" for {where}" if where else ""
    yield (
        f"new_{resource.name}",
        {
            **({"given": given} if given else {}),
            "states": states,
            "wants": f"exists(r for r in {resource.name} if {' and '.join(tests)})",
            "how": [{"do": one.name, "with": arguments}],
            "asks": [
                f"please set up {what}{about}: {', '.join(phrases)}",
                f"we need {what}{about}, {', '.join(phrases)}",
            ],
            "then": [f"set up {what}{about}: {', '.join(phrases)}"],
        },
    )


def _worth_saying(one: Made) -> list[Attribute]:
    takes = one.spec.get("takes", {})
    said = [t.attribute for t in one.takes if t.attribute is not None and t.attribute.kind in SAID and t.name in takes]
    needed = [a for a in said if not str(takes[a.name]).endswith("?")]
    more = [a for a in said if a not in needed]
    return [*needed, *more[: max(0, MOST_SAID - len(needed))]]


def _updates(one: Made) -> Iterator[tuple[str, Goal]]:
    resource = one.resource
    row = next((t.name for t in one.takes if t.entity == resource.name and t.attribute is None), "")
    attribute = next((t.attribute for t in one.takes if t.attribute is not None and t.attribute.kind in SAID), None)
    if not row or attribute is None:
        return
    yield (
        f"change_{resource.name}_{attribute.name}",
        {
            "given": {"x": resource.name},
            "states": {"v": _draw(attribute)},
            "wants": f"x.{attribute.name} == v",
            "how": [{"do": one.name, "with": {row: "x", attribute.name: "v"}}],
            "asks": [
                f"the {words(attribute.name)} of {{x}} has to be {{v{_spec(attribute)}}} from now on",
                f"please correct {{x}}: the {words(attribute.name)} is {{v{_spec(attribute)}}}",
            ],
            "then": [f"change the {words(attribute.name)} of {{x}} to {{v{_spec(attribute)}}}"],
        },
    )
    yield from _of_all(one, row, attribute)


def _of_all(one: Made, row: str, attribute: Attribute) -> Iterator[tuple[str, Goal]]:
    """A change of the record that is first of all by some measure: the whole list has to be looked at."""
    resource, what = one.resource, _what(one.resource)
    measure = next(
        (a for a in resource.attributes if a.kind in MEASURES and a is not attribute and len(a.path) <= 2), None
    )
    if measure is None:
        return
    old = measure.kind in ("date", "time")
    most, beyond = ("earliest", "<=") if old else ("highest", ">=")
    rival = f"r for r in {resource.name} if r.{measure.name} {beyond} x.{measure.name} and r != x"
    value, by = f"{{v{_spec(attribute)}}}", words(measure.name)
    yield (
        f"change_the_{most}_{resource.name}",
        {
            "given": {"x": f"{resource.name} where {measure.name} is not none and not exists({rival})"},
            "states": {"v": _draw(attribute)},
            "wants": f"x.{attribute.name} == v",
            "how": [{"do": one.name, "with": {row: "x", attribute.name: "v"}}],
            "asks": [
                f"look for the {what} with the {most} {by} and make its {words(attribute.name)} {value}",
                f"the {what} that has the {most} {by} of all needs another {words(attribute.name)}: {value}",
            ],
        },
    )


def _draw(a: Attribute) -> str:
    if a.kind == "words":
        return f"one of {', '.join(a.words.values())} ~ pick({', '.join(repr(w) for w in a.words.values())})"
    low = int(a.shape.minimum) if a.shape.minimum is not None and abs(a.shape.minimum) < 10**9 else 1
    high = int(a.shape.maximum) if a.shape.maximum is not None and abs(a.shape.maximum) < 10**9 else low + 98
    if a.kind == "text":
        return f"text ~ {said_text(a)}"
    return DRAWS[a.kind].format(low=low, high=max(low, high))


def _spec(a: Attribute) -> str:
    return {"money": ":money", "date": ":day"}.get(a.kind, "")


# questions


def _questions(resource: Resource, things: Mapping[str, Resource], made: Sequence[Made]) -> Iterator[tuple[str, Goal]]:
    """How many of something belong to something, and what they add up to."""
    listed = any(m.resource == resource and m.gives == "rows" for m in made)
    owner = next((a for a in resource.attributes if a.kind == "ref" and a.refers_to in things), None)
    measure = next((a for a in resource.attributes if a.kind in ("money", "decimal", "int")), None)
    if not listed or owner is None:
        return
    rows = f"r for r in {resource.name} if r.{owner.name} == p"
    tells = {"number": f"count({rows})"}
    total = ""
    if measure is not None:
        tells["sum_of_all"] = f"sum(coalesce(r.{measure.name}, 0) for r in {resource.name} if r.{owner.name} == p)"
        total = f", and what does their {words(measure.name)} add up to"
    what = plural(_what(resource))
    yield (
        f"how_many_{resource.name}",
        {
            "given": {"p": f"{owner.refers_to} where count(r for r in {resource.name} if r.{owner.name} == p) >= 2"},
            "wants": "true",
            "tells": tells,
            "asks": [
                f"how many {what} do we have for {{p}}{total}?",
                f"for a report: the number of {what} of {{p}}{total}?",
            ],
        },
    )
