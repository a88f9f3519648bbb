"""Things as entities of a Blueprint: fields with types, draws that look right, keys, lifecycles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.lifecycles import lifecycle, target
from worldwright.anchor.model.records import Attribute, Child, Entity
from worldwright.anchor.names import fresh, parts
from worldwright.anchor.schema.patterns import generate_matches
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
FIRST_NUMBER = 101
"""Where ids are numbers, those of the first thing begin with this, those of the next with the next one."""
DRAWN: Mapping[str, str] = {
    "int": "int ~ skewed({low}, {high})",
    "decimal": "decimal(2) ~ between({low}, {high})",
    "money": "money ~ lognormal(120, 0.9)",
    "bool": "bool ~ chance(0.3)",
    "date": "date ~ between(today - 240, today - 1)",
    "time": "time ~ at(today - between(1, 240), between(8, 17))",
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
    free = {"sort": "text" if a.flavour == "sentence" else "content"} if a.kind in ("text", "json", "list") else {}
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
    if a.kind == "date" and born(a):
        return f"date{mark} ~ between(today - 24000, today - 7500)" + (" if chance(0.85) else none" if mark else "")
    base = DRAWN.get(a.kind)
    if base is not None:
        low, high = bounds(a)
        kind, draw = base.format(low=low, high=high).split(" ~ ")
        return f"{kind}{mark} ~ {draw}" + (" if chance(0.85) else none" if mark else "")
    drawn, some = text_draw(a), " if chance(0.85) else none" if mark else ""
    return f"{drawn}{mark}" if drawn == a.flavour else f"text{mark} ~ {drawn}{some}"


def _called(entity: Entity) -> list[str]:
    """Return how people speak of one: by a name it has, by what it belongs to and when."""
    what = " ".join(entity.noun)
    out: list[str] = []
    if not entity.shows_id:
        return [f"{what} {{id}}"]
    names = [a for a in entity.attributes if a.kind == "text" and set(parts(a.path[-1])) & {"name", "title", "label"}]
    halves = [next((a for a in names if word in parts(a.path[-1])), None) for word in ("first", "last")]
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
    codes = [a for a in entity.attributes if a.kind == "text" and not a.flavour and not samples(a)]
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


# Values that look right and that the evidence allows: texts of a form, numbers within bounds.


FLAVOURED = 48
LENGTHS = {
    "label": 24,
    "person": 30,
    "city": 24,
    "country": 24,
    "postcode": 12,
    "phone": 20,
    "company": 40,
    "street": 40,
    "email": 48,
}
"""Texts of a kind (names, addresses) fit where at least so many characters may stand."""
MAX_SAMPLES = 12
FAR = 10**9


def bounds(a: Attribute) -> tuple[int, int]:
    """The least and the most that a number may be."""
    low = int(a.shape.minimum) if a.shape.minimum is not None and abs(a.shape.minimum) < FAR else 1
    high = int(a.shape.maximum) if a.shape.maximum is not None and abs(a.shape.maximum) < FAR else max(low, 0) + 99
    return min(low, high), high


def text_draw(a: Attribute) -> str:
    """Return how a text is drawn: an expression, or the kind of text where the language knows one."""
    if a.kind == "json":
        return "'{}'" if a.shape.kind == "object" else "'[]'"
    if a.kind == "list":
        return "'7'" if a.shape.items is not None and a.shape.items.kind == "integer" else "'standard'"
    known = samples(a)
    if known and (len(known) > 1 or not a.flavour):
        return f"pick({', '.join(known)})" if len(known) > 1 else known[0]
    longest = a.shape.longest
    if longest is not None and longest < LENGTHS.get(a.flavour, FLAVOURED):
        return f"letters({max(1, min(longest, 8))})"
    if a.flavour == "label":
        return f'f"{{pick({_listed(FIRST)})}} {{pick({_listed(SECOND)})}}"'
    return a.flavour or 'f"{letters(2)}-{digits(5)}"'


SAID: dict[str, tuple[str, ...]] = {
    "person": ("Ines Halvorsen", "Tomas Beck", "Amara Cole", "Yuki Tan", "Lena Fischer", "Omar Haddad"),
    "company": ("Northgate Trading", "Bluefin Labs", "Carraway Foods", "Orbit Freight", "Hadley and Sons", "Pine Street Media"),
    "product": ("Spring batch", "Harbour line", "Model K2", "Winter edition", "Trial pack", "Compact set"),
    "label": ("Copper field", "Winter garden", "Lower bridge", "Blue compass", "Second harbour", "Open valley"),
    "sentence": ("as agreed on the phone", "needed before the holidays", "replaces the old one", "urgent, see attachment",
                 "for the autumn campaign", "second attempt"),
    "city": ("Leeds", "Porto", "Aarhus", "Graz", "Utrecht", "Nantes"),
    "country": ("Portugal", "Denmark", "Austria", "Ireland", "Finland", "Belgium"),
    "street": ("12 Mill Lane", "4 Harbour Road", "88 Station Street", "31 Orchard Way", "7 Castle Hill", "205 Park Avenue"),
    "postcode": ("LS1 4AP", "4000-322", "8000", "1012 AB", "44000", "8010"),
    "email": ("orders@northgate.example", "desk@bluefin.example", "info@carraway.example", "team@orbit.example"),
    "phone": ("555-0134", "555-0178", "555-0192", "555-0117", "555-0155", "555-0161"),
}  # fmt: skip
"""By kind of text, what people say."""


FIRST = (
    "Amber", "Northern", "Harbour", "Silver", "Quiet", "Autumn", "Upper", "Golden", "Cedar", "Bright", "Eastern",
    "Granite",
)  # fmt: skip
SECOND = (
    "ridge", "meadow", "signal", "orchard", "bridge", "summit", "lantern", "current", "garden", "compass", "valley",
    "anchor",
)  # fmt: skip
"""Names for whatever has a name of its own."""


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(repr(w) for w in words)


SAID_BEFORE: dict[str, tuple[str, ...]] = {
    "person": ("Greta Lind", "Paulo Reis", "Nadia Karim", "Ben Okoye", "Clara Moss", "Ivan Petrov"),
    "company": ("Stonebridge Goods", "Kestrel Works", "Marlow Supplies", "Tidewater Partners", "Ashby Tools", "Fenwick Paper"),
    "product": ("Standard set", "Summer line", "Model B7", "Starter pack", "Large format", "Second series"),
    "label": tuple(f"{first} {second}" for first, second in zip(FIRST, SECOND[3:] + SECOND[:3], strict=True)),
    "sentence": ("asked for at the counter", "came in by mail", "agreed with the team", "see the last meeting",
                 "kept for the records", "on behalf of a colleague"),
}  # fmt: skip
"""The same for what was said before: nobody asks for what is there already."""


def said_text(a: Attribute, before: bool = False) -> str:
    """A text that somebody says, as an expression: of the form that is asked for, of its kind, or a code; with `before`, one that
    was said in the past."""
    known = samples(a)
    if known:
        return f"pick({', '.join(known)})" if len(known) > 1 else known[0]
    longest = a.shape.longest or FLAVOURED
    said = {**SAID, **SAID_BEFORE} if before else SAID
    fitting = [w for w in said.get(a.flavour, ()) if len(w) <= longest]
    if fitting and a.said.unique:
        first, at, rest = fitting[0].partition("@")
        return f'f"{first}{{digits(4)}}{at}{rest}"' if longest >= len(fitting[0]) + 4 else f"letters({min(8, longest)})"
    if fitting:
        return f"pick({', '.join(repr(w) for w in fitting)})"
    return 'f"{letters(2)}-{digits(5)}"' if longest >= 8 else f"letters({max(1, longest)})"


def samples(a: Attribute) -> list[str]:
    """Values that the evidence gives or demands, as texts of an expression."""
    if a.shape.pattern:
        found = generate_matches(a.shape.pattern, a.name)
    else:
        several = (*a.shape.enum, *a.shape.examples)
        found = [str(e) for e in several if isinstance(e, (str, int)) and not isinstance(e, bool)]
    longest = min(60, a.shape.longest or 60)
    return [f"'{e}'" for e in dict.fromkeys(found) if _is_plain_text(e) and len(e) <= longest][:MAX_SAMPLES]


def _is_plain_text(text: str) -> bool:
    return bool(text) and text.isprintable() and not set("'\\\\{}") & set(text)
