"""Habits of a business that act behind operations which are there anyway: no operation is added for them.

    ends        what was cancelled or closed is not touched any more
    undone      what was suspended can be unsuspended, and nothing else
    keys        a request that comes twice under one key is carried out once
    spans       nothing ends before it begins
    unique      what the evidence keeps once is not made twice
    said        what the description of a value forbids is refused

Each is applied where names and types in the evidence speak for it, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.model.draws import draw_wide
from worldwright.anchor.model.enrich import match_resources
from worldwright.anchor.model.operations import BlueprintOperation, Statement, insert_guards
from worldwright.anchor.model.reasons import Reason
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.names import parts
from worldwright.core.names import to_words
from worldwright.english.words import wordmap, wordset

ENDING = wordset("cancel void close archive terminate reject decline withdraw expire finalize revoke")
AGAIN = wordset("reopen restore unarchive resume reactivate uncancel undo")
"""Verbs after which nothing else is done, and verbs that take one of them back."""
SPANS = wordmap(
    "start=end starts=ends started=ended begin=end from=to since=until checkin=checkout opened=closed arrival=departure"
)
"""First words of two dates of which one comes before the other."""


@dataclass(frozen=True, slots=True)
class ImpliedConstraints:
    """What is added to a Blueprint."""

    made: tuple[BlueprintOperation, ...]
    unique: Mapping[str, list[list[str]]]
    draws: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By entity and field, how a text is drawn that no two records share."""
    reasons: tuple[Reason, ...] = ()


def add_implied_constraints(
    entities: Sequence[Entity], made: Sequence[BlueprintOperation], evidence: Evidence
) -> ImpliedConstraints:
    """The operations with what they now see to, and why."""
    reasons: list[Reason] = []
    done = [_once(_undone(one, made), reasons) for one in _ended(made, reasons)]
    for entity in entities:
        for start, end in _spans(entity):
            done = [_in_order(one, start, end) if one.entity.name == entity.name else one for one in done]
            why = f"`{'.'.join(start.path)}` and `{'.'.join(end.path)}` are two ends of something"
            reasons.append(Reason(f"{end.name} of {entity.name} not before {start.name}", why, str(entity.source)))
    done = [_as_said(one, reasons) for one in done]
    unique = dict(_unique(entities, evidence, reasons))
    texts = ((e.name, a) for e in entities for a in e.attributes if a.kind == "text")
    wide = {(name, a.name): draw_wide(a) for name, a in texts if [a.name] in unique.get(name, ())}
    return ImpliedConstraints(tuple(done), unique, wide, tuple(reasons))


def _guarded(
    one: BlueprintOperation, require: str, code: str, says: str, after: Sequence[Statement] = (), **more: str
) -> BlueprintOperation:
    """An operation with one more thing that it requires, after what it looks up, and more that it does in the end."""
    guard = {"require": require, "else": code, "says": says, **more}
    return replace(one, spec={**one.spec, "does": [*insert_guards(one.spec["does"], (guard,)), *after]})


def _ended(made: Sequence[BlueprintOperation], reasons: list[Reason]) -> Iterator[BlueprintOperation]:
    ends: dict[str, dict[str, str]] = {}
    for one in made:
        verb = one.intent.verb[0] if len(one.intent.verb) == 1 else ""
        if one.intent.kind == "move" and verb in ENDING and one.fields:
            ends.setdefault(one.entity.name, {})[next(iter(one.fields))] = verb
            why = f"`{one.intent.operation.name}` {verb}s one; what follows on that would make no sense"
            source = str(one.intent.operation.source)
            reasons.append(Reason(f"{one.entity.name} stays as it is after {one.name}", why, source))
    for one in made:
        stamps = ends.get(one.entity.name, {}) if one.row and one.intent.kind in ("move", "update") else {}
        if stamps and one.intent.kind == "move" and one.intent.verb and one.intent.verb[0] in AGAIN:
            taken_back = {"set": {f"{one.row}.{stamp}": "none" for stamp in stamps}}
            yield replace(one, spec={**one.spec, "does": [*one.spec["does"], taken_back]})
            continue
        for stamp, ending in stamps.items():
            past = _past(ending)
            one = _guarded(one, f"{one.row}.{stamp} is none", f"ALREADY_{past.upper()}", f"It was {past} before.")
        yield replace(one, demands=tuple(f"{stamp} is none" for stamp in stamps))


def _past(verb: str) -> str:
    irregular = {"withdraw": "withdrawn", "cancel": "cancelled"}
    return irregular.get(verb) or (f"{verb}d" if verb.endswith("e") else f"{verb}ed")


def _undone(one: BlueprintOperation, made: Sequence[BlueprintOperation]) -> BlueprintOperation:
    """A move that takes another one back: it asks for what that left, and takes it away."""
    verb = one.intent.verb[0] if one.intent.verb and one.intent.kind == "move" else ""
    done = verb.removeprefix("un")
    of = (m.fields for m in made if m.entity.name == one.entity.name and m.intent.verb[:1] == (done,) and m.fields)
    fields = next(of, None) if done != verb else None
    if fields is None or not one.row:
        return one
    left, past = f"{next(iter(fields))} is not none", _past(done)
    clear = [{"set": {f"{one.row}.{next(iter(fields))}": "none"}}]
    guarded = _guarded(one, f"{one.row}.{left}", f"NOT_{past.upper()}", f"It is not {past}.", clear)
    return replace(guarded, demands=(*one.demands, left))


def _once(one: BlueprintOperation, reasons: list[Reason]) -> BlueprintOperation:
    """An operation that is carried out once for a key, where it takes one."""
    texts = ((t.name, t.attribute) for t in one.takes if t.attribute is not None and t.attribute.kind == "text")
    key = next((name for name, a in texts if {"idempotency", "idempotent"} & {*parts(a.last)}), "")
    if one.intent.kind != "create" or not key:
        return one
    same = f"first(r for r in {one.entity.name} if r.{key} == {key} and {key} is not none)"
    why, source = f"`{key}` is one of its parameters", str(one.intent.operation.source)
    reasons.append(Reason(f"{one.name} happens once for a key", why, source))
    return replace(one, spec={**one.spec, "once": same})


def _spans(entity: Entity) -> Iterator[tuple[Attribute, Attribute]]:
    """Two dates of a record of which one comes before the other, by their names."""
    dates = [a for a in entity.attributes if a.kind in ("date", "time")]
    for first, last in SPANS.items():
        for a in (a for a in dates if first in parts(a.last)):
            wanted = tuple(last if w == first else w for w in parts(a.last))
            alike = (b for b in dates if b.path[:-1] == a.path[:-1] and b.kind == a.kind)
            yield from ((a, b) for b in [b for b in alike if parts(b.last) == wanted][:1])


def _in_order(one: BlueprintOperation, start: Attribute, end: Attribute) -> BlueprintOperation:
    """An operation that refuses an end before its beginning: each as it is given, else as it is."""
    takes, changes = one.spec.get("takes", {}), one.intent.kind == "update"
    given = [a.name in takes for a in (start, end)]
    if one.intent.kind not in ("create", "update") or not any(given) or not (one.row if changes else all(given)):
        return one
    known = [(a.name, f"{one.row}.{a.name}" if changes else a.name) for a in (start, end)]
    first, last = (f"coalesce({name}, {k})" if changes and name in takes else k for name, k in known)
    says = f"{to_words(end.name).capitalize()} lies before {to_words(start.name)}."
    return _guarded(one, f"{first} is none or {last} is none or {last} >= {first}", "WRONG_ORDER", says)


def _as_said(one: BlueprintOperation, reasons: list[Reason]) -> BlueprintOperation:
    """An operation that refuses what the descriptions of its inputs forbid."""
    if one.intent.kind not in ("create", "update", "move"):
        return one
    row = one.row if one.intent.kind != "create" else ""
    given = {t.name: t.attribute for t in one.takes if t.attribute is not None}
    for name, a in given.items():
        source, text = str(a.source or one.intent.operation.source), a.said.text[:200]
        for require, code in _demands(a, name, given, row, one.entity):
            one = _guarded(one, require, code, f"{text}.", source=source)
            reasons.append(Reason(f"{one.name} refuses {name}: {code}", f"said: {text}", source))
    return one


def _demands(
    a: Attribute, name: str, given: Mapping[str, Attribute], row: str, entity: Entity
) -> Iterator[tuple[str, str]]:
    """What must be so of a value, and the error where it is not."""
    said = a.said
    if said.when and a.kind in ("date", "time"):
        now, sign = ("now" if a.kind == "time" else "today"), (">=" if said.when == "future" else "<=")
        yield f"{name} is none or {name} {sign} {now}", f"NOT_IN_THE_{said.when.upper()}"
    if said.fixed and row and a.kind in ("text", "int", "words", "date", "time", "money", "bool"):
        state = entity.state
        once = next((s for s in state.words.values() if s in parts(said.fixed_once)), "") if state is not None else ""
        free = f"{row}.{state.name} != '{once}' or " if once and state is not None else ""
        yield f"{free}{name} is none or {row}.{name} is none or {name} == {row}.{name}", "CANNOT_BE_CHANGED"
    other = next((n for n in given if parts(n) == parts(said.needed_if[0])), "")
    if other and not row and other != name and (condition := _say_needed(said.needed_if[1], other, given[other])):
        yield f"not ({condition}) or {name} is not none", "MISSING"


def _say_needed(wanted: str, other: str, a: Attribute) -> str:
    """The condition that another value is what it must be for a value to be needed; empty where it can never be."""
    if wanted in ("set", "not"):
        return f"{other} is {'not ' if wanted == 'set' else ''}none"
    if a.kind == "bool" and wanted.lower() in ("true", "false"):
        return f"{other} == {wanted.lower()}"
    return f"{other} == '{a.words[wanted]}'" if wanted in a.words else ""


def _unique(
    entities: Sequence[Entity], evidence: Evidence, reasons: list[Reason]
) -> Iterator[tuple[str, list[list[str]]]]:
    """By thing, the groups of fields that the evidence keeps once."""
    names = match_resources(entities, evidence)
    for entity in entities:
        fields = {parts(a.last): a for a in entity.attributes if len(a.path) == 1}
        groups: dict[tuple[str, ...], str] = {}
        for resource in (r for r in evidence.resources if names.get(r.name) == entity.name):
            single = [(f.name,) for f in resource.fields if f.unique and not f.key]
            for columns in (*resource.unique, *single, *((resource.key,) if len(resource.key) > 1 else ())):
                own = [a for c in columns if (a := fields.get(parts(c))) is not None and _many(a)]
                if own and len(own) == len(columns):
                    groups[tuple(a.name for a in own)] = str(resource.source)
        for a in fields.values():
            if a.said.unique and _many(a) and a.kind == "text":
                groups.setdefault((a.name,), str(a.source or entity.source))
        for group, source in groups.items():
            what = f"{', '.join(group)} of {entity.name} only once"
            reasons.append(Reason(what, "the evidence keeps it unique", source))
        if groups:
            yield entity.name, [list(g) for g in groups]


def _many(a: Attribute) -> bool:
    """Tell whether there are enough values for every record to have its own."""
    free = not (a.shape.enum or a.shape.examples or a.shape.pattern or a.optional)
    return a.kind == "ref" or (a.kind == "text" and free)
