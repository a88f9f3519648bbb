"""Things as entities of a Blueprint: fields with types, draws that look right, keys, lifecycles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from worldwright.anchor.model.dates import said_date
from worldwright.anchor.model.draws import PROSE, field_draw
from worldwright.anchor.model.lifecycles import lifecycle, target
from worldwright.anchor.model.numbers import draw_flag, draw_number
from worldwright.anchor.model.records import Attribute, Child, Entity
from worldwright.anchor.names import fresh, parts
from worldwright.core.canonical import sha256
from worldwright.core.names import to_words
from worldwright.english.nouns import plural

ROWS = 45
"""Fewer than fit on the largest page: a list that cannot be paged shows them all."""
CHILD_ROWS = 90
"""Rows that stand inside of records of one kind."""
SINGLE = 1
"""Rows of a thing that there is only one of."""
TAKEN = ("STF", "ACT")
"""Prefixes of ids that every derived world has."""
TELLING = frozenset(
    {"document_number", "sku", "code", "serial_number", "tracking_number", "barcode", "email", "username", "isbn"}
)
"""Kinds of texts by which people tell one record from all others."""
FIRST_NUMBER = 101
"""Where ids are numbers, those of the first thing begin with this, those of the next with the next one."""
TYPES: Mapping[str, str] = {
    "int": "int",
    "decimal": "decimal(2)",
    "money": "money",
    "bool": "bool",
    "date": "date",
    "time": "time",
}


def key_formats(entities: Iterable[Entity]) -> dict[str, str]:
    """A key format for every thing, no two alike."""
    taken = set(TAKEN)
    out: dict[str, str] = {}
    for number, r in enumerate(entities, start=FIRST_NUMBER):
        if r.key_form == "integer":
            out[r.name] = f"{number}####"
            continue
        if r.key_form == "uuid":
            out[r.name] = f"{_uuid_start(r.name)}############"
            continue
        letters = "".join(w[0] for w in r.name.split("_") if w and w[0].isalpha()).upper()
        whole = "".join(ch for ch in r.name if ch.isalpha()).upper()
        options = [whole[:3], letters[:4], whole[:4], whole[:5], *(f"{whole[:4]}{k}" for k in range(2, 100))]
        prefix = next(o for o in options if len(o) >= 2 and o not in taken)
        taken.add(prefix)
        out[r.name] = f"{prefix}-#####"
    return out


def child_key_formats(entities: Iterable[Entity], taken: Mapping[str, str]) -> dict[str, str]:
    """The same for rows that only stand inside of records."""
    used = {*TAKEN, *(key.partition("-")[0] for key in taken.values())}
    out: dict[str, str] = {}
    for child in (c for r in entities for c in r.children):
        whole = "".join(ch for ch in child.name if ch.isalpha()).upper()
        prefix = next(o for o in (f"L{whole[:4]}{k}" for k in range(1, 1000)) if o not in used)
        used.add(prefix)
        out[child.name] = f"{prefix}-#####"
    return out


def child_spec(child: Child, entity: Entity, system: str, key: str, ways: Ways) -> dict[str, Any]:
    """Rows that stand inside of a record."""
    fields: dict[str, Any] = {child.owner: f"{entity.name} as {child.way} ~ favourite(p for p in {entity.name})"}
    for a in child.attributes:
        fields[a.name] = _field(a, entity, ways)
    noun = " ".join(child.noun)
    return {
        "in": system,
        "says": f"One {noun} of a {' '.join(entity.noun)}.",
        "key": key,
        "rows": CHILD_ROWS,
        "fields": fields,
    }


def _uuid_start(name: str) -> str:
    """The first four groups of every UUID of one thing."""
    digits = sha256(name.encode())
    return f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-8{digits[15:18]}-"


Ways = Mapping[str, set[str]]
"""By thing, the names that its fields and the ways back to it have already."""


def entity_spec(
    entity: Entity, system: str, keys: Mapping[str, str], ways: Ways, always: Collection[str]
) -> dict[str, Any]:
    """One thing as an entity. `always` are the fields that every operation fills which makes one."""
    fields: dict[str, Any] = {}
    for parent in entity.parents:
        if not any(a.refers_to == parent for a in entity.attributes):
            mark = "" if parent in always else "?"
            way = _way(entity.name, parent, "", ways[parent])
            fields[parent] = f"{parent}{mark} as {way} ~ favourite(p for p in {parent})"
    for a in entity.attributes:
        fields[a.name] = _field(a, entity, ways)
    out: dict[str, Any] = {
        "in": system,
        "says": entity.says or f"One {' '.join(entity.noun)}.",
        "key": keys[entity.name],
        "rows": SINGLE if is_singleton(entity) else ROWS,
        "fields": fields or {"note": "text ~ f'note {letters(6)}'"},
    }
    if entity.state is not None:
        out["lifecycle"] = state_transitions(entity)
    called = _called(entity)
    if called:
        out["called"] = called
    if entity.source is not None:
        out["source"] = str(entity.source)
    return out


def is_singleton(entity: Entity) -> bool:
    """Tell whether there is only one of it: read or changed without saying which, never listed or made; or all hangs under it."""
    kinds = {d.kind for d in entity.intents}
    return entity.single or (
        bool(kinds & {"get", "update", "delete"})
        and not kinds & {"list", "create"}
        and not any(d.by for d in entity.intents)
        and not entity.parents
    )


def state_transitions(entity: Entity) -> dict[str, list[str]]:
    assert entity.state is not None
    states = list(entity.state.words.values())
    moves = [target(d.verb, states) for d in entity.intents if d.kind == "move"]
    return lifecycle(states, [m for m in moves if m], entity.moves)


def _way(own: str, other: str, attribute: str, taken: set[str]) -> str:
    plain = plural(own)
    name = fresh(
        plain if plain not in taken else f"{plain[:32]}_by_{(attribute or other)[:20]}".replace("__", "_"), taken
    )
    taken.add(name)
    return name


def _field(a: Attribute, entity: Entity, ways: Ways) -> Any:
    says = {"says": _short(a.says)} if a.says else {}
    drawn = _write_field_spec(a, entity, ways)
    free = {"sort": "text" if a.flavour in PROSE else "content"} if a.kind in ("text", "json", "list") else {}
    return {
        "type": drawn.partition(" ~ ")[0],
        **({"draw": drawn.partition(" ~ ")[2]} if " ~ " in drawn else {}),
        **free,
        **says,
    }


def _write_field_spec(a: Attribute, entity: Entity, ways: Ways) -> str:
    """Type and draw of an attribute."""
    if a.kind == "state":
        return "state"
    mark = "?" if a.optional else ""
    if a.kind == "ref":
        chosen = f"favourite(x for x in {a.refers_to})"
        way = _way(entity.name, a.refers_to, a.name, ways[a.refers_to])
        return f"{a.refers_to}{mark} as {way} ~ {chosen}" + (" if chance(0.85) else none" if mark else "")
    if a.kind == "words":
        listed = ", ".join(a.words.values())
        draw = f"pick({', '.join(repr(w) for w in a.words.values())})"
        return f"one of {listed}{mark} ~ {draw}" if len(a.words) > 1 or mark else f"one of {listed}"
    some = " if chance(0.85) else none" if mark else ""
    if a.kind in TYPES:
        return f"{TYPES[a.kind]}{mark} ~ {_draw_plain(a)}{some}"
    kind, drawn = field_draw(a)
    return f"{kind}{mark} ~ {drawn}{some}" if drawn else f"{kind}{mark}"


def _draw_plain(a: Attribute) -> str:
    """A draw for what is no text. Of dates only those of birth are final: the others follow each other."""
    if a.kind == "bool":
        return draw_flag(a)
    if a.kind in ("date", "time"):
        return said_date(a)
    return draw_number(a)


def _called(entity: Entity) -> list[str]:
    """Return how people speak of one: by a name it has, by what it belongs to and when."""
    what = " ".join(entity.noun)
    out: list[str] = []
    if not entity.shows_id:
        return [f"{what} {{id}}"]
    names = [a for a in entity.attributes if a.kind == "text" and set(parts(a.last)) & {"name", "title", "label"}]
    halves = [next((a for a in names if word in parts(a.last)), None) for word in ("first", "last")]
    if halves[0] is not None and halves[1] is not None:
        out.append(f"{{{halves[0].name}}} {{{halves[1].name}}}")
    elif names:
        own = names[0].flavour in ("person", "company")
        out.append(f"{{{names[0].name}}}" if own else f"the {what} {{{names[0].name}}}")
    dates = [a for a in entity.attributes if a.kind in ("date", "time") and not a.optional]
    amounts = [a for a in entity.attributes if a.kind == "money" and not a.optional]
    extra = [f"of {{{dates[0].name}:day}}" if dates else "", f"over {{{amounts[0].name}:money}}" if amounts else ""]
    if any(extra):
        out.append(" ".join([f"the {what}", *(e for e in extra if e)]))
    codes = [a for a in entity.attributes if a.kind == "text" and a.flavour in TELLING]
    out += [f"the {what} with the {to_words(a.name)} {{{a.name}}}" for a in codes[:2]]
    out.append(f"{what} {{id}}")
    return out


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 240 else flat[:237].rsplit(" ", 1)[0] + "..."


def sort_by_references(entities: Sequence[Entity]) -> list[Entity]:
    """Things before those that refer to them, as far as that goes."""
    out: list[Entity] = []
    left = list(entities)
    while left:
        done = {r.name for r in out}
        ready = [r for r in left if all(t in done or t == r.name for t in _needs(r))] or left[:1]
        out += ready
        left = [r for r in left if r not in ready]
    return out


def _needs(entity: Entity) -> set[str]:
    return {*entity.parents, *(a.refers_to for a in entity.attributes if a.refers_to and not a.optional)}
