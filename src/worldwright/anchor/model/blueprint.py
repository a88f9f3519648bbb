"""The whole model as the text of a Blueprint: things with fields, draws that look right, keys and lifecycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from worldwright.anchor.model.agreement import make_rows_agree
from worldwright.anchor.model.dates import said_date
from worldwright.anchor.model.draws import PROSE, field_draw
from worldwright.anchor.model.lifecycles import lifecycle, target
from worldwright.anchor.model.numbers import draw_flag, draw_number
from worldwright.anchor.model.operations import PLAIN, SYSTEM, BlueprintOperation, shorten
from worldwright.anchor.model.records import Attribute, Child, Entity
from worldwright.anchor.names import fresh, parts
from worldwright.blueprint.given import write_rows
from worldwright.core.canonical import sha256
from worldwright.core.ids import KeyFormat
from worldwright.core.names import to_words
from worldwright.english.nouns import plural
from worldwright.formats.strict_yaml import dump_yaml

NOW = "2025-06-16T09:00:00Z"
STAFF = "staff_member"
ROWS = 45
"""Fewer than fit on the largest page: a list that cannot be paged shows them all."""
CHILD_ROWS = 90
"""Rows that stand inside of records of one kind."""
TAKEN = ("STF", "ACT")
"""Prefixes of ids that every derived world has."""
TELLING = frozenset(
    {"document_number", "sku", "code", "serial_number", "tracking_number", "barcode", "email", "username", "isbn"}
)
"""Kinds of texts by which people tell one record from all others."""
FIRST_NUMBER = 101
"""Where ids are numbers, those of the first thing begin with this, those of the next with the next one."""
Ways = Mapping[str, set[str]]
"""By thing, the names that its fields and the ways back to it have already."""


def build_document(
    name: str, title: str, entities: Sequence[Entity], made: Sequence[BlueprintOperation]
) -> dict[str, Any]:
    """The Blueprint as data."""
    formats, ordered = key_formats(entities), sort_by_references(entities)
    specs: dict[str, Any] = {
        STAFF: {
            "in": SYSTEM, "says": "Somebody who works with it.", "key": "STF-##", "rows": 9, "called": "{name}",
            "fields": {"name": "person", "role": "one of operator 70%, supervisor 30%"},
        }
    }  # fmt: skip
    more: dict[str, dict[str, str]] = {r.name: {} for r in entities}
    for m in made:
        more[m.entity.name] |= m.fields
    names = {r.name for r in entities} | {c.name for r in entities for c in r.children}
    ways = {
        r.name: {*names, *(a.name for a in r.attributes), *(c.way for c in r.children), *r.parents, *more[r.name]}
        for r in entities
    }
    for entity in ordered:
        spec = _entity_spec(entity, formats[entity.name], ways, made)
        specs[entity.name] = {**spec, "fields": {**spec["fields"], **more[entity.name]}}
    used = {*TAKEN, *(key.partition("-")[0] for key in formats.values())}
    for entity, child in ((r, c) for r in ordered for c in r.children):
        whole = "".join(ch for ch in child.name if ch.isalpha()).upper()
        prefix = next(o for k in range(1, 1000) if (o := f"L{whole[:4]}{k}") not in used)
        used.add(prefix)
        specs[child.name] = _child_spec(child, entity, f"{prefix}-#####", ways)
    make_rows_agree(entities, specs)
    for trace in {m.entity.name for m in made if m.logs}:
        specs[trace]["sort"] = "log"
    return {
        "blueprint": name, "title": title, "now": NOW, "systems": {SYSTEM: title},
        "actor": {"entity": STAFF, "role": "role"},
        "roles": {"operator": "does the daily work", "supervisor": "decides where rules leave a choice"},
        "entities": specs, "operations": {m.name: dict(m.spec) for m in made},
    }  # fmt: skip


def render_yaml(data: dict[str, Any]) -> str:
    """The text of a Blueprint; the rows that came with the evidence stand last, in a section of their own."""
    given = {name: spec["seeds"] for name, spec in data["entities"].items() if spec.get("seeds")}
    specs = {name: {k: v for k, v in spec.items() if k != "seeds"} for name, spec in data["entities"].items()}
    for name, rows in given.items():
        if specs[name].get("rows", 0) <= len(rows):
            del specs[name]["rows"]
    last = {"given": {name: write_rows(rows) for name, rows in given.items()}} if given else {}
    return dump_yaml({**_strip_unprintable({**data, "entities": specs}), **last})


def _strip_unprintable(value: Any) -> Any:
    """Data without characters that nobody sees: evidence may hold any, a Blueprint holds none."""
    if isinstance(value, str) and not value.isprintable():
        return " ".join("".join(ch if ch.isprintable() else " " for ch in value).split())
    if isinstance(value, dict):
        return {_strip_unprintable(k): _strip_unprintable(v) for k, v in value.items()}
    return [_strip_unprintable(v) for v in value] if isinstance(value, (list, tuple)) else value


def key_formats(entities: Iterable[Entity]) -> dict[str, str]:
    """A key format for every thing, no two alike."""
    taken = set(TAKEN)
    out: dict[str, str] = {}
    for number, r in enumerate(entities, start=FIRST_NUMBER):
        letters = "".join(w[0] for w in r.name.split("_") if w and w[0].isalpha()).upper()
        whole = "".join(ch for ch in r.name if ch.isalpha()).upper()
        options = [whole[:3], letters[:4], whole[:4], whole[:5], *(f"{whole[:4]}{k}" for k in range(2, 100))]
        prefix = next(o for o in options if len(o) >= 2 and o not in taken)
        taken |= {prefix} if r.key_form not in ("integer", "uuid") else set()
        digits = sha256(r.name.encode())
        uuid = f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-8{digits[15:18]}-############"
        led = f"{r.key_form[:-1]}{number}####" if r.key_form.endswith("#") else ""
        own = {"integer": f"{number}####", "uuid": uuid}.get(r.key_form, led)
        out[r.name] = own if KeyFormat.parse(own) else f"{prefix}-#####"
    return out


def _child_spec(child: Child, entity: Entity, key: str, ways: Ways) -> dict[str, Any]:
    """Rows that stand inside of a record."""
    fields: dict[str, Any] = {child.owner: f"{entity.name} as {child.way} ~ favourite(p for p in {entity.name})"}
    fields |= {a.name: _field(a, entity, ways) for a in child.attributes}
    says = f"One {' '.join(child.noun)} of a {' '.join(entity.noun)}."
    return {"in": SYSTEM, "says": says, "key": key, "rows": CHILD_ROWS, "fields": fields}


def _entity_spec(entity: Entity, key: str, ways: Ways, made: Sequence[BlueprintOperation]) -> dict[str, Any]:
    """One thing as an entity. What it hangs under is always there where every operation says it that makes one."""
    makers = [m for m in made if m.entity.name == entity.name and m.intent.kind == "create"]
    filled = [set(s["with"]) for m in makers for s in m.spec["does"] if s.get("add") == entity.name]
    always = set.intersection(*filled) if filled else set(entity.parents)
    fields: dict[str, Any] = {}
    for parent in entity.parents:
        if not any(a.refers_to == parent for a in entity.attributes):
            mark = "" if parent in always else "?"
            way = _way(entity.name, parent, "", ways[parent])
            fields[parent] = f"{parent}{mark} as {way} ~ favourite(p for p in {parent})"
    fields |= {a.name: _field(a, entity, ways) for a in entity.attributes}
    return {
        "in": SYSTEM,
        "says": entity.says or f"One {' '.join(entity.noun)}.",
        "key": key,
        "rows": 1 if is_singleton(entity) else ROWS,
        "fields": fields or {"note": "text ~ f'note {letters(6)}'"},
        **({"lifecycle": state_transitions(entity)} if entity.state is not None else {}),
        "called": _called(entity),
        **({"source": str(entity.source)} if entity.source is not None else {}),
    }


def is_singleton(entity: Entity) -> bool:
    """Tell whether there is only one of it: read or changed without saying which, never listed or made; or all hangs under it."""
    kinds = {d.kind for d in entity.intents}
    named = any(d.by for d in entity.intents) or entity.parents or kinds & {"list", "create"}
    return entity.single or (bool(kinds & {"get", "update", "delete"}) and not named)


def state_transitions(entity: Entity) -> dict[str, list[str]]:
    assert entity.state is not None
    states = list(entity.state.words.values())
    moves = [target(d.verb, states) for d in entity.intents if d.kind == "move"]
    return lifecycle(states, [m for m in moves if m], entity.moves)


def _way(own: str, other: str, attribute: str, taken: set[str]) -> str:
    """A new name for the way back from a record to those that refer to it."""
    longer = f"{plural(own)[:32]}_by_{(attribute or other)[:20]}".replace("__", "_")
    name = fresh(longer if plural(own) in taken else plural(own), taken)
    taken.add(name)
    return name


def _field(a: Attribute, entity: Entity, ways: Ways) -> dict[str, str]:
    kind, drawn = _type_and_draw(a, entity, ways)
    out = {"type": kind, **({"draw": drawn} if drawn else {})}
    if a.kind in ("text", "json", "list"):
        out["sort"] = "text" if a.flavour in PROSE else "content"
    return out | ({"says": shorten(a.says, 240)} if a.says else {})


def _type_and_draw(a: Attribute, entity: Entity, ways: Ways) -> tuple[str, str]:
    """Type and draw of an attribute. Of dates only those of birth are final: the others follow each other."""
    mark, some = ("?", " if chance(0.85) else none") if a.optional else ("", "")
    if a.kind == "state":
        return "state", ""
    if a.kind == "ref":
        way = _way(entity.name, a.refers_to, a.name, ways[a.refers_to])
        return f"{a.refers_to}{mark} as {way}", f"favourite(x for x in {a.refers_to}){some}"
    if a.kind == "words":
        draw = f"pick({', '.join(map(repr, a.words.values()))})" if len(a.words) > 1 or mark else ""
        return f"one of {', '.join(a.words.values())}{mark}", draw
    plain = draw_flag if a.kind == "bool" else said_date if a.kind in ("date", "time") else draw_number
    kind, drawn = (PLAIN[a.kind], plain(a)) if a.kind in PLAIN else field_draw(a)
    return f"{kind}{mark}", f"{drawn}{some}" if drawn else ""


def _called(entity: Entity) -> list[str]:
    """Return how people speak of one: by a name it has, by what it belongs to and when."""
    what = " ".join(entity.noun)
    if not entity.shows_id:
        return [f"{what} {{id}}"]
    out: list[str] = []
    texts = [a for a in entity.attributes if a.kind == "text"]
    names = [a for a in texts if set(parts(a.last)) & {"name", "title", "label"}]
    halves = [next((f"{{{a.name}}}" for a in names if word in parts(a.last)), "") for word in ("first", "last")]
    if all(halves):
        out.append(" ".join(halves))
    elif names:
        out.append(("" if names[0].flavour in ("person", "company") else f"the {what} ") + f"{{{names[0].name}}}")
    known = [a for a in entity.attributes if not a.optional]
    dates = [f"of {{{a.name}:day}}" for a in known if a.kind in ("date", "time")]
    amounts = [f"over {{{a.name}:money}}" for a in known if a.kind == "money"]
    if dates or amounts:
        out.append(" ".join([f"the {what}", *dates[:1], *amounts[:1]]))
    codes = [a for a in texts if a.flavour in TELLING]
    out += [f"the {what} with the {to_words(a.name)} {{{a.name}}}" for a in codes[:2]]
    return [*out, f"{what} {{id}}"]


def sort_by_references(entities: Sequence[Entity]) -> list[Entity]:
    """Things before those that refer to them, as far as that goes."""
    out: list[Entity] = []
    left = list(entities)
    while left:
        done = {r.name for r in out}
        ready = [r for r in left if _needs(r) <= {*done, r.name}] or left[:1]
        out += ready
        left = [r for r in left if r not in ready]
    return out


def _needs(entity: Entity) -> set[str]:
    return {*entity.parents, *(a.refers_to for a in entity.attributes if a.refers_to and not a.optional)}
