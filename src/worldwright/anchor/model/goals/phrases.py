"""How things, values and verbs of a derived world are said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.blueprint import is_singleton
from worldwright.anchor.model.dates import said_date
from worldwright.anchor.model.draws import draw_wide
from worldwright.anchor.model.history import draw_input
from worldwright.anchor.model.intents import PARTICLES, kind_of_verb
from worldwright.anchor.model.operations import PLAIN, BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.names import parts
from worldwright.core.names import to_words
from worldwright.english.words import wordset

Goal = dict[str, Any]
Named = tuple[str, Goal]

MEASURES = ("money", "decimal", "int")
MOMENTS = ("date", "time")
SAID = frozenset({"int", "decimal", "money", "date", "text", "words", "bool"})
"""Kinds of values that people say."""
TECHNICAL = wordset(
    "id ids uid uuid gid guid sid key hash token secret url uri href link etag checksum cursor locale timezone tz ip "
    "slug version revision format field metadata meta callback webhook schema latitude longitude lat lng lon offset "
    "index position sequence hex html json xml base64 icon color colour image avatar password signature encoding mime"
)
"""Words of values that belong to the system rather than to the business."""
CLOCKS = wordset("date time timestamp at on day number no code year month type status ts until since expires epoch")
"""Words of numbers that are no amounts."""
WORTH = ("words", "money", "date", "int", "decimal", "text", "bool")
"""Kinds of values in the order in which a change of them is worth asking for."""


def what(entity: Entity) -> str:
    """Return what one record is called."""
    return " ".join(entity.noun)


def value_name(a: Attribute, among: Iterable[Attribute] = ()) -> str:
    """Return what a value is called: its own words, and as many of those around it as tell it from the others of a record."""
    others = [b for b in among if b.name != a.name and len(b.path) <= len(a.path)]
    steps = range(1, max(len(a.path), 1) + 1)
    return next((_words(a, n) for n in steps if all(_words(b, n) != _words(a, n) for b in others)), to_words(a.name))


def _words(a: Attribute, steps: int) -> str:
    """The words of the last steps to a value."""
    own = [w for w in parts(a.last) if w not in ("field",)] or list(parts(a.name))
    if len(own) > 1 and own[-1] in ("id", "ids") and not a.refers_to:
        own = own[:-1]
    if own in (["id"], ["name"], ["value"], ["type"], ["code"], ["date"], ["status"]):
        steps = max(steps, 2)
    around = [w for step in a.path[-steps:-1] for w in parts(step)]
    return " ".join([*around, *own]) if all(w.isascii() for w in own) else to_words(a.name)


def participle(a: Attribute, among: Iterable[Attribute] = ()) -> str:
    """`created` for `created_at`; empty where a moment has a noun for a name, or not that name alone."""
    own = parts(a.last) if value_name(a, among) == value_name(a) else []
    return own[-2] if len(own) == 2 and own[1] in ("at", "on", "date", "time") and own[0].endswith("ed") else ""


def plain(a: Attribute) -> bool:
    """Tell whether a value is one that people of the business speak of."""
    return not set(parts(a.last)) & TECHNICAL and len(a.path) <= 2


def imperative(one: BlueprintOperation) -> str:
    """Return what somebody is told to do, with `{}` where the record goes."""
    verb = one.intent.verb
    rest = [w for w in verb[1:] if w not in one.entity.noun]
    if verb and kind_of_verb(verb[0]):
        return " ".join([verb[0], *rest, "{}"] if set(rest) <= PARTICLES else [verb[0], *rest, "for {}"])
    return f"request {' '.join(verb)} for {{}}" if verb else "handle {}"


def filled(phrase: str, record: str) -> str:
    return phrase.replace("{}", record)


def possible(one: BlueprintOperation, where: str = "") -> str:
    """Return what a record must be like for an operation to be possible, with something more."""
    demands = (demand for demand in one.demands if demand not in where)
    return " and ".join([*([where] if where else []), *demands, *(f"{name} is not none" for name in one.owners)])


def named_record(one: BlueprintOperation) -> dict[str, str]:
    """The inputs that say which record `x` an operation is about: itself, and what it belongs to."""
    return {one.row: "x", **{owner: f"x.{owner}" for owner in one.owners}}


def carried(one: BlueprintOperation, said: Collection[str] = ()) -> tuple[dict[str, str], str] | None:
    """Inputs that an operation demands and nobody speaks of, with the record's own values, and that it has them.

    None where one of them is not the record's."""
    needed = [n for n in one.needed if n != one.row and n not in said]
    seen = {a.name for a in one.entity.attributes}
    own = {t.name: t.attribute.name for t in one.takes if t.attribute is not None and t.attribute.name in seen}
    own |= {owner: owner for owner in one.owners}
    if any(n not in own for n in needed):
        return None
    return {n: f"x.{own[n]}" for n in needed}, " and ".join(f"{own[n]} is not none" for n in needed)


def draw(a: Attribute) -> str:
    """Return how a value that somebody says is drawn."""
    kind = f"one of {', '.join(a.words.values())}" if a.kind == "words" else PLAIN.get(a.kind, "text")
    drawn = "chance(0.5)" if a.kind == "bool" else draw_input(a, said_date)
    return f"{kind} ~ {draw_wide(a) if a.kind == 'text' and a.said.unique else drawn}"


def spec(a: Attribute) -> str:
    """Return how a value is written in a sentence."""
    return {"money": ":money", "date": ":day"}.get(a.kind, "")


def owners(entity: Entity, resources: Mapping[str, Entity]) -> list[tuple[str, str, str]]:
    """What records of a kind belong to, two at most: the field, the thing there, and what the field is called where the thing alone
    does not say which field is meant. Of the thing there has to be more than one."""
    known = {a.refers_to for a in entity.attributes}
    found = [(a.name, a.refers_to) for a in entity.attributes if a.kind == "ref" and a.refers_to != entity.name]
    found += [(parent, parent) for parent in entity.parents if parent not in known]
    found = [(name, thing) for name, thing in found if thing in resources and not is_singleton(resources[thing])]
    often = Counter(thing for _, thing in found)
    return [(name, thing, _reference_name(name, entity) if often[thing] > 1 else "") for name, thing in found[:2]]


def _reference_name(field: str, entity: Entity) -> str:
    """What a field is called that leads to a record, without the word for its id."""
    a = next((a for a in entity.attributes if a.name == field), None)
    return to_words(field) if a is None else value_name(a, entity.attributes).removesuffix(" id")


def measures(entity: Entity, kinds: Sequence[str]) -> list[Attribute]:
    """Values by which records can be put in order, the plainest first."""
    known = [a for a in entity.attributes if a.kind in kinds and plain(a) and measured(a)]
    return sorted(known, key=lambda a: (kinds.index(a.kind), len(a.path)))


def measured(a: Attribute) -> bool:
    """Tell whether a number says how much of something there is: not one that is a moment or a name."""
    return not born(a) if a.kind in MOMENTS else not set(parts(a.last)) & CLOCKS


def several(values: Sequence[str]) -> str:
    """Words as a list of the language."""
    return f"({', '.join(map(repr, values))}{',' if len(values) == 1 else ''})"
