"""Questions about records that cannot be listed: whoever asks names them, and each has to be looked up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.model.goals.phrases import (
    MEASURES,
    MOMENTS,
    Goal,
    Named,
    measures,
    participle,
    plain,
    value_name,
    what,
)
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity

MAX_LOOKUPS = 3
"""Values of a kind that are asked about."""
SHARED = frozenset({"words", "state", "bool"})


def lookups(entity: Entity, made: Sequence[BlueprintOperation], shown: Mapping[str, frozenset[str]]) -> Iterator[Named]:
    """What can be asked of two or three records that are named; nothing where they can be listed."""
    own = [m for m in made if m.entity == entity and not m.logs]
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
        yield f"{entity.name}_both_{a.name}", _told(entity, a)
    for a in [a for a in entity.attributes if a.kind == "text" and plain(a) and not a.optional][:MAX_LOOKUPS]:
        yield f"{entity.name}_told_{a.name}", _told(entity, a)


def find_opening(entity: Entity, made: Sequence[BlueprintOperation], shown: Mapping[str, frozenset[str]]) -> str:
    """The operation that shows most of one record; empty where there is none."""
    gets = [m.name for m in made if m.entity == entity and not m.logs and m.intent.kind == "get" and m.row]
    return max(gets, key=lambda name: len(shown[name]), default="")


def _asked(entity: Entity, a: Attribute, others: Sequence[str], tells: dict[str, str], asks: list[str]) -> Goal:
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
    return _asked(entity, a, (f"{a.name} < p.{a.name}",), {"difference": f"p.{a.name} - q.{a.name}"}, asks)


def _sum(entity: Entity, a: Attribute) -> Goal:
    by = value_name(a)
    asks = [
        f"what does the {by} of {{p}}, {{q}} and {{r}} add up to?",
        f"please add up the {by} of these three for me: {{p}}, {{q}}, {{r}}",
    ]
    total = f"p.{a.name} + q.{a.name} + r.{a.name}"
    return _asked(entity, a, ("id > p.id", "id > q.id"), {"sum_of_all": total}, asks)


def _most(entity: Entity, a: Attribute) -> Goal:
    by = value_name(a)
    asks = [
        f"of {{p}}, {{q}} and {{r}}: what is the highest {by}?",
        f"I have three of them here, {{p}}, {{q}} and {{r}}. What is the highest {by} among them?",
    ]
    other = f"{a.name} != p.{a.name}"
    highest = {"highest": f"max(max(p.{a.name}, q.{a.name}), r.{a.name})"}
    return _asked(entity, a, (other, f"{other} and {a.name} != q.{a.name}"), highest, asks)


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
    return _asked(entity, a, (f"{a.name} > p.{a.name}",), {"days": f"{second} - {first}"}, asks)


def _told(entity: Entity, a: Attribute) -> Goal:
    by = value_name(a)
    asks = [
        f"what is the {by} of {{p}}, and what is it for {{q}}?",
        f"please look up the {by} of {{p}} first and of {{q}} second",
    ]
    told = {"of_the_one": f"p.{a.name}", "of_the_other": f"q.{a.name}"}
    return _asked(entity, a, (f"{a.name} != p.{a.name}",), told, asks)
