"""Things as entities of a Blueprint: fields with types, draws that look right, keys, lifecycles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.draws import bounds, samples, text_draw
from worldwright.anchor.model.lifecycles import lifecycle, target
from worldwright.anchor.model.records import Attribute, Child, Resource
from worldwright.anchor.names import fresh, parts
from worldwright.core.canonical import sha256
from worldwright.core.names import words
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


def keys(resources: Iterable[Resource]) -> dict[str, str]:
    """A key format for every thing, no two alike."""
    taken = set(TAKEN)
    out: dict[str, str] = {}
    for number, r in enumerate(resources, start=FIRST_NUMBER):
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


def child_keys(resources: Iterable[Resource], taken: Mapping[str, str]) -> dict[str, str]:
    """The same for rows that only stand inside of records."""
    used = {*TAKEN, *(key.partition("-")[0] for key in taken.values())}
    out: dict[str, str] = {}
    for child in (c for r in resources for c in r.children):
        whole = "".join(ch for ch in child.name if ch.isalpha()).upper()
        prefix = next(o for o in (f"L{whole[:4]}{k}" for k in range(1, 1000)) if o not in used)
        used.add(prefix)
        out[child.name] = f"{prefix}-#####"
    return out


def child_entity(child: Child, resource: Resource, system: str, key: str, ways: Ways) -> dict[str, Any]:
    """Rows that stand inside of a record."""
    fields: dict[str, Any] = {child.owner: f"{resource.name} as {child.way} ~ favourite(p for p in {resource.name})"}
    for a in child.attributes:
        fields[a.name] = _field(a, resource, ways)
    noun = " ".join(child.noun)
    return {
        "in": system,
        "says": f"One {noun} of a {' '.join(resource.noun)}.",
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


def entity(
    resource: Resource, system: str, keys: Mapping[str, str], ways: Ways, always: Collection[str]
) -> dict[str, Any]:
    """One thing as an entity. `always` are the fields that every operation fills which makes one."""
    fields: dict[str, Any] = {}
    for parent in resource.parents:
        if not any(a.refers_to == parent for a in resource.attributes):
            mark = "" if parent in always else "?"
            way = _way(resource.name, parent, "", ways[parent])
            fields[parent] = f"{parent}{mark} as {way} ~ favourite(p for p in {parent})"
    for a in resource.attributes:
        fields[a.name] = _field(a, resource, ways)
    out: dict[str, Any] = {
        "in": system,
        "says": resource.says or f"One {' '.join(resource.noun)}.",
        "key": keys[resource.name],
        "rows": SINGLE if single(resource) else ROWS,
        "fields": fields or {"note": "text ~ f'note {letters(6)}'"},
    }
    if resource.state is not None:
        out["lifecycle"] = arrows(resource)
    called = _called(resource)
    if called:
        out["called"] = called
    if resource.source is not None:
        out["source"] = str(resource.source)
    return out


def single(resource: Resource) -> bool:
    """Whether there is only one of it: read without saying which, never listed or made."""
    kinds = {d.kind for d in resource.deeds}
    return (
        "get" in kinds
        and not kinds & {"list", "create"}
        and not any(d.by for d in resource.deeds)
        and not resource.parents
    )


def arrows(resource: Resource) -> dict[str, list[str]]:
    assert resource.state is not None
    states = list(resource.state.words.values())
    moves = [target(d.verb, states) for d in resource.deeds if d.kind == "move"]
    return lifecycle(states, [m for m in moves if m], resource.moves)


def _way(own: str, other: str, attribute: str, taken: set[str]) -> str:
    plain = plural(own)
    name = fresh(
        plain if plain not in taken else f"{plain[:32]}_by_{(attribute or other)[:20]}".replace("__", "_"), taken
    )
    taken.add(name)
    return name


def _field(a: Attribute, resource: Resource, ways: Ways) -> Any:
    says = {"says": _short(a.says)} if a.says else {}
    drawn = _drawn(a, resource, ways)
    free = {"sort": "text" if a.flavour == "sentence" else "content"} if a.kind in ("text", "json", "list") else {}
    return {
        "type": drawn.partition(" ~ ")[0],
        **({"draw": drawn.partition(" ~ ")[2]} if " ~ " in drawn else {}),
        **free,
        **says,
    }


def _drawn(a: Attribute, resource: Resource, ways: Ways) -> str:
    """Type and draw of an attribute."""
    if a.kind == "state":
        return "state"
    mark = "?" if a.optional else ""
    if a.kind == "ref":
        chosen = f"favourite(x for x in {a.refers_to})"
        way = _way(resource.name, a.refers_to, a.name, ways[a.refers_to])
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


def _called(resource: Resource) -> list[str]:
    """How people speak of one: by a name it has, by what it belongs to and when."""
    what = " ".join(resource.noun)
    out: list[str] = []
    if not resource.shows_id:
        return [f"{what} {{id}}"]
    names = [a for a in resource.attributes if a.kind == "text" and set(parts(a.path[-1])) & {"name", "title", "label"}]
    halves = [next((a for a in names if word in parts(a.path[-1])), None) for word in ("first", "last")]
    if halves[0] is not None and halves[1] is not None:
        out.append(f"{{{halves[0].name}}} {{{halves[1].name}}}")
    elif names:
        own = names[0].flavour in ("person", "company")
        out.append(f"{{{names[0].name}}}" if own else f"the {what} {{{names[0].name}}}")
    dates = [a for a in resource.attributes if a.kind in ("date", "time") and not a.optional]
    amounts = [a for a in resource.attributes if a.kind == "money" and not a.optional]
    extra = [f"of {{{dates[0].name}:day}}" if dates else "", f"over {{{amounts[0].name}:money}}" if amounts else ""]
    if any(extra):
        out.append(" ".join([f"the {what}", *(e for e in extra if e)]))
    codes = [a for a in resource.attributes if a.kind == "text" and not a.flavour and not samples(a)]
    out += [f"the {what} with the {words(a.name)} {{{a.name}}}" for a in codes[:2]]
    out.append(f"{what} {{id}}")
    return out


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 240 else flat[:237].rsplit(" ", 1)[0] + "..."


def ordered(resources: Sequence[Resource]) -> list[Resource]:
    """Things before those that refer to them, as far as that goes."""
    out: list[Resource] = []
    left = list(resources)
    while left:
        done = {r.name for r in out}
        ready = [r for r in left if all(t in done or t == r.name for t in _needs(r))] or left[:1]
        out += ready
        left = [r for r in left if r not in ready]
    return out


def _needs(resource: Resource) -> set[str]:
    return {*resource.parents, *(a.refers_to for a in resource.attributes if a.refers_to and not a.optional)}
