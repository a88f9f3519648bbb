"""Questions whose answer has to be worked out: how many, how much, which one, since when, how much more than another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.model.goals.phrases import (
    MEASURES,
    MOMENTS,
    Goal,
    Named,
    measured,
    measures,
    owners,
    participle,
    plain,
    value_name,
    what,
)
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Child, Entity
from worldwright.english.nouns import article, plural

GROUPS = frozenset({"country", "city"})
"""Kinds of texts that many records share."""
TOLD = frozenset({"words", "date", "money", "state", "text"})
"""Kinds of values that are worth telling beside the record."""


def questions(
    entity: Entity, resources: Mapping[str, Entity], made: Sequence[BlueprintOperation], breadth: int = 1
) -> Iterator[Named]:
    """Yield what can be asked about a kind of record that can be listed. `breadth` is how many values of a kind are asked about."""
    if not any(m.entity.name == entity.name and m.gives == "rows" for m in made):
        return
    for child in entity.children[:2]:
        yield f"{child.way}_of_{entity.name}", _inside(entity, child)
    owned = list(owners(entity, resources))
    amounts = list(measures(entity, MEASURES))
    amount = amounts[0] if amounts else None
    for field, owner in owned[:2]:
        yield f"how_many_{entity.name}_of_{owner}", _of_owner(entity, field, owner, amount)
        yield from _largest(entity, field, owner, amounts[:1])
        yield f"more_{entity.name}_than", _compared(entity, field, owner)
    for a in [a for a in entity.attributes if a.kind in ("words", "state") and plain(a) and len(a.words) > 1][
        : 1 + breadth
    ]:
        yield f"{entity.name}_by_{a.name}", _by_word(entity, a, amount)
    for a in [a for a in entity.attributes if a.kind == "text" and a.flavour in GROUPS and plain(a)][:breadth]:
        yield f"{entity.name}_by_{a.name}", _by_text(entity, a, amount)
    for a in [a for a in entity.attributes if a.kind == "bool" and plain(a)][:breadth]:
        yield f"{entity.name}_{a.name}", _by_flag(entity, a, amount)
    for moment in list(measures(entity, MOMENTS))[:breadth]:
        yield f"{entity.name}_since_{moment.name}", _since(entity, moment, amount)
        yield f"{entity.name}_between_{moment.name}", _between(entity, moment)
        yield from _first(entity, [moment], ("latest", ">="))
        yield from _first(entity, [moment], ("earliest", "<="))
    yield from _first(entity, amounts[: 1 + breadth], ("highest", ">="))
    yield from _first(entity, amounts[:breadth], ("lowest", "<="))


def _counted(entity: str, condition: str, amount: Attribute | None) -> tuple[dict[str, str], str]:
    """Return how many there are, and what an amount of them adds up to; and how the second is asked."""
    tells = {"number": f"count(r for r in {entity} if {condition})"}
    if amount is None:
        return tells, ""
    tells["sum_of_all"] = f"sum(coalesce(r.{amount.name}, 0) for r in {entity} if {condition})"
    return tells, f", and what does their {value_name(amount)} add up to"


def _question(tells: Mapping[str, str], *asks: str, **about: Mapping[str, str]) -> Goal:
    """A goal that is reached by answering; `about` says what is given or stated."""
    return {**about, "wants": "true", "tells": tells, "asks": list(asks)}


def _of_owner(entity: Entity, field: str, owner: str, amount: Attribute | None) -> Goal:
    condition = f"r.{field} == p"
    tells, total = _counted(entity.name, condition, amount)
    noun = plural(what(entity))
    return _question(
        tells,
        f"how many {noun} do we have for {{p}}{total}?",
        f"for a report: what is the number of {noun} of {{p}}{total}?",
        given={"p": f"{owner} where count(r for r in {entity.name} if {condition}) >= 2"},
    )


def _inside(entity: Entity, child: Child) -> Goal:
    """Return what stands inside of one record: how many, and what they add up to."""
    condition = f"r.{child.owner} == p"
    amount = next((a for a in child.attributes if a.kind in MEASURES and plain(a) and measured(a)), None)
    tells, total = _counted(child.name, condition, amount)
    noun = plural(" ".join(child.noun))
    return _question(
        tells,
        f"how many {noun} does {{p}} have{total}?",
        f"please look at {{p}}: how many {noun} are in it{total}?",
        given={"p": f"{entity.name} where count(r for r in {child.name} if {condition}) >= 2"},
    )


def _compared(entity: Entity, field: str, owner: str) -> Goal:
    first, second = (f"count(r for r in {entity.name} if r.{field} == {v})" for v in ("p", "q"))
    noun = plural(what(entity))
    return _question(
        {"difference": f"{first} - {second}"},
        f"how many more {noun} does {{p}} have than {{q}}?",
        f"compare {{p}} and {{q}} for me: by how many {noun} is the first one ahead?",
        given={
            "p": f"{owner} where {first} >= 3",
            "q": f"{owner} where id != p.id and {second} >= 1 and {second} < {first}",
        },
    )


def _largest(entity: Entity, field: str, owner: str, amounts: Sequence[Attribute]) -> Iterator[Named]:
    for a in amounts:
        rows = f"r for r in {entity.name} if r.{field} == p and r.{a.name} is not none"
        rival = f"{rows} and r.{a.name} >= x.{a.name} and r != x"
        noun, by = what(entity), value_name(a)
        shown = [
            f"which {noun} of {{p}} has the highest {by}, and how much is it?",
            f"find the {noun} of {{p}} with the highest {by}: which one is it, and what is the figure?",
        ]
        hidden = [
            f"what is the highest {by} of any {noun} of {{p}}?",
            f"among the {plural(noun)} of {{p}}: what is the highest {by}?",
        ]
        rest = f"{entity.name} where {field} == p and {a.name} is not none and not exists({rival})"
        tells = {**({"which": "x"} if entity.shows_id else {}), "highest": f"x.{a.name}"}
        given = {"p": f"{owner} where count({rows}) >= 2", "x": rest}
        yield (
            f"highest_{entity.name}_of_{owner}",
            _question(tells, *(shown if entity.shows_id else hidden), given=given),
        )


def _by_word(entity: Entity, a: Attribute, amount: Attribute | None) -> Goal:
    listed = list(a.words.values())
    condition = f"r.{a.name} == v"
    tells, total = _counted(entity.name, condition, amount)
    noun = plural(what(entity))
    return _question(
        tells,
        f"how many {noun} are there with {value_name(a)} {{v}}{total}?",
        f"please count the {noun} whose {value_name(a)} is {{v}}"
        + (f"{total.replace('what does', 'tell me what')}" if total else ""),
        states={"v": f"one of {', '.join(listed)} ~ pick({', '.join(repr(w) for w in listed)})"},
    )


def _since(entity: Entity, moment: Attribute, amount: Attribute | None) -> Goal:
    day = f"day(r.{moment.name})" if moment.kind == "time" else f"r.{moment.name}"
    condition = f"r.{moment.name} is not none and {day} >= d"
    tells, total = _counted(entity.name, condition, amount)
    noun, happened = plural(what(entity)), participle(moment)
    which = (
        f"that were {happened} on {{d:day}} or later"
        if happened
        else f"whose {value_name(moment)} is {{d:day}} or later"
    )
    return _question(
        tells,
        f"how many {noun} do we have {which}{total}?",
        f"looking only at {noun} {which}: how many are there{total}?",
        states={"d": "date ~ today - between(20, 200)"},
    )


def _between(entity: Entity, moment: Attribute) -> Goal:
    day = f"day(r.{moment.name})" if moment.kind == "time" else f"r.{moment.name}"
    noun, happened = plural(what(entity)), participle(moment)
    span = "from {d:day} to {e:day}, both days included"
    which = f"were {happened} {span}" if happened else f"have {article(value_name(moment))} {span}"
    condition = f"r.{moment.name} is not none and {day} >= d and {day} <= e"
    return _question(
        _counted(entity.name, condition, None)[0],
        f"how many {noun} {which}?",
        f"please count the {noun} that {which}",
        states={"d": "date ~ today - between(120, 220)", "e": "date ~ today - between(20, 100)"},
    )


def _by_text(entity: Entity, a: Attribute, amount: Attribute | None) -> Goal:
    condition = f"r.{a.name} == v"
    tells, total = _counted(entity.name, condition, amount)
    noun = plural(what(entity))
    return _question(
        tells,
        f"how many {noun} are there whose {value_name(a)} is {{v}}{total}?",
        f"for the regional report: the number of {noun} with {value_name(a)} {{v}}" + (f"{total}?" if total else "?"),
        states={"v": f"text ~ any(r for r in {entity.name} if r.{a.name} is not none).{a.name}"},
    )


def _by_flag(entity: Entity, a: Attribute, amount: Attribute | None) -> Goal:
    condition = f"coalesce(r.{a.name}, false) == true"
    tells, total = _counted(entity.name, condition, amount)
    noun, flag = plural(what(entity)), value_name(a)
    return _question(
        tells,
        f"how many {noun} are marked as {flag}{total}?",
        f"looking only at {noun} where {flag} is set: how many are there{total}?",
    )


def _first(entity: Entity, by: Sequence[Attribute], how: tuple[str, str]) -> Iterator[Named]:
    """The record that is first of all by some value, and something else that is known of it."""
    most, beyond = how
    noun, every = what(entity), plural(what(entity))
    for a in by:
        other = next(
            (b for b in entity.attributes if b is not a and b.kind in TOLD and plain(b) and not b.optional), None
        )
        rival = f"r for r in {entity.name} if r.{a.name} is not none and r.{a.name} {beyond} x.{a.name} and r != x"
        more = {f"its_{other.name}"[:40]: f"x.{other.name}"} if other is not None else {}
        also, value = (f", and what is its {value_name(other)}" if other is not None else ""), value_name(a)
        told = {"which": "x", **more} if entity.shows_id else {most: f"x.{a.name}", **more}
        happened, order = participle(a), {"latest": "last", "earliest": "first"}.get(most, "")
        asks = [
            f"which {noun} was {happened} {order} of all{also}?"
            if happened
            else f"which {noun} has the {most} {value} of all{also}?",
            f"I am looking for the {noun} that was {happened} {order}: which one is it{also}?"
            if happened
            else f"I am looking for the {noun} with the {most} {value}: which one is it{also}?",
        ]
        hidden = [
            f"what is the {most} {value} of any {noun}{also}?",
            f"look at all {every}: what is the {most} {value}{also}?",
        ]
        given = {"x": f"{entity.name} where {a.name} is not none and not exists({rival})"}
        yield f"{most}_{entity.name}_by_{a.name}", _question(told, *(asks if entity.shows_id else hidden), given=given)


# Questions about records that cannot be listed: whoever asks names them, and each has to be looked up.


MAX_LOOKUPS = 3
"""Values of a kind that are asked about."""
SHARED = frozenset({"words", "state", "bool"})


def lookups(entity: Entity, made: Sequence[BlueprintOperation], shown: Mapping[str, frozenset[str]]) -> Iterator[Named]:
    """Yield what can be asked of two or three records that are named; nothing where they can be listed."""
    own = [m for m in made if m.entity.name == entity.name and not m.logs]
    opening = find_opening(entity, made, shown)
    if not opening or any(m.gives == "rows" for m in own):
        return
    seen = shown[opening]
    entity = replace(entity, attributes=tuple(a for a in entity.attributes if a.name in seen))
    for a in list(measures(entity, MEASURES))[:MAX_LOOKUPS]:
        yield f"{entity.name}_more_{a.name}", _more(entity, a)
        yield f"{entity.name}_sum_of_{a.name}", _sum(entity, a)
        yield f"{entity.name}_most_{a.name}", _most(entity, a)
    for a in list(measures(entity, MOMENTS))[:MAX_LOOKUPS]:
        yield f"{entity.name}_apart_{a.name}", _apart(entity, a)
    for a in [a for a in entity.attributes if a.kind in SHARED and plain(a)][:MAX_LOOKUPS]:
        yield f"{entity.name}_both_{a.name}", _make_lookup(entity, a)
    for a in [a for a in entity.attributes if a.kind == "text" and plain(a) and not a.optional][:MAX_LOOKUPS]:
        yield f"{entity.name}_told_{a.name}", _make_lookup(entity, a)


def find_opening(entity: Entity, made: Sequence[BlueprintOperation], shown: Mapping[str, frozenset[str]]) -> str:
    """The operation that shows most of one record; empty where there is none."""
    gets = [m.name for m in made if m.entity.name == entity.name and not m.logs and m.intent.kind == "get" and m.row]
    return max(gets, key=lambda name: len(shown[name]), default="")


def _make_comparison(
    entity: Entity, a: Attribute, others: Sequence[str], tells: dict[str, str], asks: list[str]
) -> Goal:
    """A question about a first record `p` and others, each with what is to be so of it beside having the value."""
    there = f"{entity.name} where {a.name} is not none"
    given = {name: f"{there} and {more}" for name, more in zip(("q", "r"), others, strict=False)}
    return {"given": {"p": there, **given}, "wants": "true", "tells": tells, "asks": asks}


def _more(entity: Entity, a: Attribute) -> Goal:
    noun, by = what(entity), value_name(a)
    asks = [
        f"how much higher is the {by} of {{p}} than that of {{q}}?",
        f"two {noun} records to compare, {{p}} and {{q}}: by how much does the {by} of the first exceed the other?",
    ]
    return _make_comparison(entity, a, (f"{a.name} < p.{a.name}",), {"difference": f"p.{a.name} - q.{a.name}"}, asks)


def _sum(entity: Entity, a: Attribute) -> Goal:
    by = value_name(a)
    asks = [
        f"what does the {by} of {{p}}, {{q}} and {{r}} add up to?",
        f"please add up the {by} of these three for me: {{p}}, {{q}}, {{r}}",
    ]
    total = f"p.{a.name} + q.{a.name} + r.{a.name}"
    return _make_comparison(entity, a, ("id > p.id", "id > q.id"), {"sum_of_all": total}, asks)


def _most(entity: Entity, a: Attribute) -> Goal:
    by = value_name(a)
    asks = [
        f"of {{p}}, {{q}} and {{r}}: what is the highest {by}?",
        f"I have three of them here, {{p}}, {{q}} and {{r}}. What is the highest {by} among them?",
    ]
    other = f"{a.name} != p.{a.name}"
    highest = {"highest": f"max(max(p.{a.name}, q.{a.name}), r.{a.name})"}
    return _make_comparison(entity, a, (other, f"{other} and {a.name} != q.{a.name}"), highest, asks)


def _apart(entity: Entity, a: Attribute) -> Goal:
    by, happened = value_name(a), participle(a)
    first, second = (f"day({v}.{a.name})" if a.kind == "time" else f"{v}.{a.name}" for v in ("p", "q"))
    asks = [
        f"how many days lie between the {by} of {{p}} and that of {{q}}?",
        f"please work out for {{p}} and {{q}} how many days the {by} of the second lies after that of the first",
    ]
    if happened:
        asks = [
            f"how many days after {{p}} was {{q}} {happened}?",
            f"{{p}} was {happened} before {{q}}: how many days lie between the two?",
        ]
    return _make_comparison(entity, a, (f"{a.name} > p.{a.name}",), {"days": f"{second} - {first}"}, asks)


def _make_lookup(entity: Entity, a: Attribute) -> Goal:
    by = value_name(a)
    asks = [
        f"what is the {by} of {{p}}, and what is it for {{q}}?",
        f"please look up the {by} of {{p}} first and of {{q}} second",
    ]
    told = {"of_the_one": f"p.{a.name}", "of_the_other": f"q.{a.name}"}
    return _make_comparison(entity, a, (f"{a.name} != p.{a.name}",), told, asks)
