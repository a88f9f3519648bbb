"""Resources: the things that actions are about, each with what is known of one, from all actions together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.model.attributes import MAX_CHILD_LISTS as MOST_CHILDREN
from worldwright.anchor.model.attributes import References, child_of, codec_of, kind_of, state_like, word_table
from worldwright.anchor.model.described import read_description
from worldwright.anchor.model.items import CONTROLS, SCALARS, find_item, id_form, item_noun, iter_leaves, record_inputs
from worldwright.anchor.model.meanings import meaning_of as flavour_of
from worldwright.anchor.model.records import Attribute, Child, Entity, Noun, OperationIntent, Path
from worldwright.anchor.names import fresh, identifier, noun, parts
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

MAX_ATTRIBUTES = 48
"""Attributes of one thing. What is beyond is answered with a fixed value."""
IDS = frozenset({"id", "ids", "uuid", "gid", "key", "uid", "sid", "guid"})
TYPES = wordset(
    "text person company email phone street city postcode country product sentence int bool decimal money date time "
    "state activity staff_member"
)
"""Names that a thing cannot have: types of the language, and what every derived world has."""
GENERIC = frozenset({"entity", "object", "record", "resource", "row", "internal", "unique", "global"})
"""What any thing may be called in the name of its id."""
RANGES = wordset(
    "before after since until min max from to gt gte lt lte start end between pattern any not contains like regex query"
)
"""Words of parameters that bound a value rather than being one."""
RESERVED = wordset("id sort limit offset ctx ww self row x y p q r v d e o p1 p2 p3 p4")
"""Names that an attribute cannot have: searches, goals and generated files use them."""
ORDER = ("key", "ref", "state", "words", "money", "date", "bool", "int", "decimal", "time", "text", "list", "json")


@dataclass(slots=True)
class _Found:
    """What was gathered of one thing so far."""

    intents: list[OperationIntent] = field(default_factory=list)
    seen: dict[Path, Field] = field(default_factory=dict)
    """In answers."""
    said: dict[Path, Field] = field(default_factory=dict)
    """In bodies and arguments that make or change one."""
    needed: set[Path] | None = None
    """Required to make one, by every action that does."""
    schemas: Counter[str] = field(default_factory=Counter)


def gather_entities(intents: Sequence[OperationIntent]) -> tuple[Entity, ...]:
    """Every thing that something is done to, in the order in which they are met."""
    found: dict[Noun, _Found] = {}
    for intent in sorted(intents, key=lambda i: (bool(i.part), i.kind == "move")):
        of = found.setdefault(intent.noun, _Found())
        if intent.part:
            known = (path[0] for path in (*of.seen, *of.said) if parts(path[0]) == parts(intent.part[0]))
            intent = replace(intent, part=(next(known, intent.part[0]),))
        of.intents.append(intent)
        _gather(of, intent)
    names: dict[Noun, str] = {}
    for what in found:
        name = identifier(what, "thing")
        names[what] = fresh(f"{name}_record" if name in TYPES else name, names.values())
    references = References(names, intents)
    return _same_forms([_resource(what, of, names, references) for what, of in found.items()])


def _same_forms(found: Sequence[Entity]) -> tuple[Entity, ...]:
    """Ids written in the strictest form that anything asks of them: what is a number somewhere is one everywhere."""
    demanded = [(r.name, r.key_form) for r in found]
    for r in found:
        demanded += [(r.name, id_form(p.shape)) for d in r.intents for p in d.operation.parameters if p.name == d.by]
        demanded += [(a.refers_to, id_form(a.shape)) for a in r.attributes]
    forms = dict(pair for pair in reversed(demanded) if pair[1] != "text")
    return tuple(replace(r, key_form=forms.get(r.name, "text")) for r in found)


def _gather(of: _Found, intent: OperationIntent) -> None:
    item = find_item(intent.operation.answer, item_noun(intent), intent.kind == "list")
    strange = item is not None and intent.kind == "move" and not any((n,) in of.seen for n in item.shape.fields)
    if item is not None and not (strange and of.seen):
        if item.shape.name and not intent.part:
            of.schemas[item.shape.name] += 1
        for path, part in iter_leaves(item.shape):
            of.seen.setdefault((*intent.part, *path), part)
    inputs = list(record_inputs(intent))
    if intent.kind in ("create", "update", "move"):
        for one in inputs:
            of.said.setdefault(one.path, one.field)
    if intent.kind == "create":
        needed = {one.path for one in inputs if one.field.required} | {(parameter,) for _, parameter in intent.under}
        of.needed = needed if of.needed is None else of.needed & needed
    for p in intent.operation.parameters if intent.kind == "list" else ():
        words, inside = parts(p.name), any(path[0] == p.name for path in of.seen)
        tells = words and words[0] not in CONTROLS and not RANGES & set(words)
        if p.place in ("query", "argument") and p.shape.kind in SCALARS and tells and not inside:
            of.seen[(p.name,)] = Field(p.name, p.shape, says=p.says, source=p.source)


def _resource(what: Noun, of: _Found, names: Mapping[Noun, str], references: References) -> Entity:
    key_path, key_form = _key(what, of)
    owners = dict.fromkeys(references.thing(owner) for d in of.intents for owner, _ in d.under)
    parents = tuple(name for name in owners if name and name != names[what])
    taken: dict[str, None] = dict.fromkeys(parents)
    both = {p: _with_source(f, of.said.get(p)) for p, f in {**of.said, **of.seen}.items()}
    told = {p: read_description(f.says or f.shape.says, f.shape) for p, f in both.items()}
    both = {p: replace(f, shape=told[p][0]) for p, f in both.items()}
    state = next((p for p, f in both.items() if state_like(p, kind_of(p, f.shape))), None)
    made: list[Attribute] = []
    children: list[Child] = []
    for path, part in both.items():
        if path == key_path:
            continue
        used = {c.name for c in children}
        child = child_of(path, part, what, names, taken, used, of.said.get(path))
        child = child or _list_of_ids(path, part, what, of, references, {*taken, *used})
        if child is not None and len(children) < MOST_CHILDREN:
            taken[child.way] = None
            children.append(child)
            continue
        attribute = _attribute(path, part, of, what, references, path == state, taken)
        taken[attribute.name] = None
        made.append(replace(attribute, said=told[path][1], shown=path in of.seen))
    worth = sorted(made, key=lambda a: (a.path not in (of.needed or ()), not a.given, ORDER.index(a.kind)))
    kept = {a.name for a in worth[:MAX_ATTRIBUTES]}
    return Entity(
        names[what], what, tuple(a for a in made if a.name in kept), tuple(of.intents), key_form, key_path, parents,
        schema=of.schemas.most_common(1)[0][0] if of.schemas else "",
        source=of.intents[0].operation.source, children=tuple(children),
    )  # fmt: skip


def _list_of_ids(
    path: Path, part: Field, what: Noun, of: _Found, references: References, taken: Collection[str]
) -> Child | None:
    """A list of ids as a table that refers to what they are ids of; None where they are of nothing that is there."""
    items, words = part.shape.items, parts(path[-1])
    if part.shape.kind != "array" or items is None or items.kind not in ("string", "integer") or not words:
        return None
    one, own = "_".join((*words[:-1], singular(words[-1]))), references.names[what]
    target = references.find((*path[:-1], one), replace(part, name=one, shape=items), own)
    if not target:
        return None
    owner = own if own != target else f"{own}_of_it"
    given = path in of.said
    attribute = Attribute(target, (), items, "ref", codec_of("text", items, {}), False, refers_to=target, given=given)
    name = fresh(identifier((*what, *noun(one)), "part"), {*references.names.values(), *taken})
    way = fresh(identifier([w for step in path for w in parts(step)], "parts"), {*taken, *RESERVED})
    return Child(name, path, noun(one), (attribute,), way, owner, given, part.source)


def _with_source(seen: Field, said: Field | None) -> Field:
    """A value as it is shown, with what is said of it where it is given: the more telling of two descriptions, and its place."""
    if said is None:
        return seen
    return replace(seen, says=max(seen.says, said.says, key=len), source=said.source or seen.source)


def _attribute(
    path: Path, part: Field, of: _Found, what: Noun, names: References, state: bool, taken: Iterable[str]
) -> Attribute:
    shape, last = replace(part.shape, enum=tuple(v for v in part.shape.enum if v is not None)), parts(path[-1])
    kind = "state" if state else kind_of(path, shape)
    kind = "int" if kind in ("decimal", "money") and last and last[-1] in IDS else kind
    own = names.names[what]
    target = names.find(path, part, own) if kind in ("text", "int") else ""
    target = "" if target == own and last[:-1] in (what, what[-1:]) else target
    words = word_table(shape) if kind in ("words", "state") else {}
    flavour = "" if target or kind != "text" else flavour_of(path, shape, what, part.says)
    name = fresh(identifier([w for step in path for w in parts(step)], "field"), {*taken, *RESERVED})
    return Attribute(
        name, path, shape, "ref" if target else kind, codec_of(kind, shape, words), path not in (of.needed or ()), flavour,
        words, target, path in of.said, part.says or shape.says, part.source,
    )  # fmt: skip


def _key(what: Noun, of: _Found) -> tuple[Path, str]:
    """Return where the id stands in a record, and how it is written."""
    by = {d.by for d in of.intents if d.by}
    names = {p: parts(p[0]) for p in of.seen if len(p) == 1}
    plain = [p for p, words in names.items() if words in (("id",), ("uuid",), ("gid",))]
    called = [(p, words[:-1]) for p, words in names.items() if len(words) > 1 and words[-1] in IDS]
    plain += [p for p, whose in called if whose in (what, what[-1:]) or set(whose) <= GENERIC]
    plain += [p for p in names if p[0] in by]
    if plain:
        return plain[0], id_form(of.seen[plain[0]].shape)
    taken = (p.shape for d in of.intents for p in d.operation.parameters if p.name == d.by)
    return (), id_form(next(taken, Shape("any")))
