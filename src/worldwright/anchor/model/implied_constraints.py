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
from typing import Any

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.model.draws import draw_wide
from worldwright.anchor.model.enrich import match_resources
from worldwright.anchor.model.operations import BlueprintOperation, Statement, insert_guards
from worldwright.anchor.model.reasons import Reason
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.names import parts
from worldwright.core.names import to_words
from worldwright.english.words import wordset

ENDING = wordset("cancel void close archive terminate reject decline withdraw expire finalize revoke")
AGAIN = frozenset({"reopen", "restore", "unarchive", "resume", "reactivate", "uncancel", "undo"})
"""Verbs after which nothing else is done, and verbs that take one of them back."""
SPANS = (
    ("start", "end"),
    ("starts", "ends"),
    ("started", "ended"),
    ("begin", "end"),
    ("from", "to"),
    ("since", "until"),
    ("checkin", "checkout"),
    ("opened", "closed"),
    ("arrival", "departure"),
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
    wide = dict(_wide_draws(unique, {r.name: r for r in entities}))
    return ImpliedConstraints(tuple(done), unique, wide, tuple(reasons))


def _guarded(one: BlueprintOperation, statement: Statement) -> BlueprintOperation:
    """An operation with one more thing that it requires, after what it looks up."""
    return replace(one, spec={**one.spec, "does": insert_guards(one.spec["does"], (statement,))})


# ends


def _ended(made: Sequence[BlueprintOperation], reasons: list[Reason]) -> Iterator[BlueprintOperation]:
    ends: dict[str, dict[str, str]] = {}
    for one in made:
        verb = one.intent.verb[0] if len(one.intent.verb) == 1 else ""
        if one.intent.kind == "move" and verb in ENDING and one.fields:
            ends.setdefault(one.entity.name, {})[next(iter(one.fields))] = verb
            why = f"`{one.intent.operation.name}` {verb}s one; what follows on that would make no sense"
            reasons.append(
                Reason(f"{one.entity.name} stays as it is after {one.name}", why, str(one.intent.operation.source))
            )
    for one in made:
        verb = one.intent.verb[0] if one.intent.verb else ""
        stamps = ends.get(one.entity.name, {})
        row = one.row
        if stamps and row and verb in AGAIN and one.intent.kind == "move":
            taken_back = {"set": {f"{row}.{stamp}": "none" for stamp in stamps}}
            yield replace(one, spec={**one.spec, "does": [*one.spec["does"], taken_back]})
            continue
        if not stamps or not row or one.intent.kind not in ("move", "update"):
            yield one
            continue
        for stamp, ending in stamps.items():
            says = f"It was {_past(ending)} before."
            one = _guarded(
                one, {"require": f"{row}.{stamp} is none", "else": f"ALREADY_{_past(ending).upper()}", "says": says}
            )
        yield replace(one, unless=tuple(stamps))


def _past(verb: str) -> str:
    irregular = {"withdraw": "withdrawn", "cancel": "cancelled"}
    return irregular.get(verb) or (f"{verb}d" if verb.endswith("e") else f"{verb}ed")


# undone


def _undone(one: BlueprintOperation, made: Sequence[BlueprintOperation]) -> BlueprintOperation:
    """A move that takes another one back: it asks for what that left, and takes it away."""
    verb = one.intent.verb[0].removeprefix("un") if one.intent.verb and one.intent.verb[0].startswith("un") else ""
    first = next(
        (m for m in made if m.entity.name == one.entity.name and m.intent.verb[:1] == (verb,) and m.fields), None
    )
    if not verb or one.intent.kind != "move" or first is None or not one.row:
        return one
    stamp = f"{one.row}.{next(iter(first.fields))}"
    guard = {
        "require": f"{stamp} is not none",
        "else": f"NOT_{_past(verb).upper()}",
        "says": f"It is not {_past(verb)}.",
    }
    body = [*insert_guards(one.spec["does"], (guard,)), {"set": {stamp: "none"}}]
    return replace(one, spec={**one.spec, "does": body}, after=next(iter(first.fields)))


# keys


def _once(one: BlueprintOperation, reasons: list[Reason]) -> BlueprintOperation:
    key = next((t.name for t in one.takes if t.attribute is not None and _is_key(t.attribute)), "")
    if one.intent.kind != "create" or not key:
        return one
    same = f"first(r for r in {one.entity.name} if r.{key} == {key} and {key} is not none)"
    reasons.append(
        Reason(
            f"{one.name} happens once for a key", f"`{key}` is one of its parameters", str(one.intent.operation.source)
        )
    )
    return replace(one, spec={**one.spec, "once": same})


def _is_key(a: Attribute) -> bool:
    own = parts(a.last)
    return a.kind == "text" and ("idempotency" in own or "idempotent" in own)


# spans


def _spans(entity: Entity) -> Iterator[tuple[Attribute, Attribute]]:
    dates = [a for a in entity.attributes if a.kind in ("date", "time")]
    for first, last in SPANS:
        for a in dates:
            own = parts(a.last)
            if first not in own:
                continue
            wanted = tuple(last if w == first else w for w in own)
            end = next(
                (b for b in dates if parts(b.last) == wanted and b.path[:-1] == a.path[:-1] and b.kind == a.kind),
                None,
            )
            if end is not None:
                yield a, end


def _in_order(one: BlueprintOperation, start: Attribute, end: Attribute) -> BlueprintOperation:
    takes = one.spec.get("takes", {})
    if one.intent.kind not in ("create", "update") or not {start.name, end.name} & set(takes):
        return one
    row = one.row
    if one.intent.kind == "update" and not row:
        return one
    known = {a.name: _value(a, takes, row if one.intent.kind == "update" else "") for a in (start, end)}
    if None in known.values():
        return one
    first, last = known[start.name], known[end.name]
    says = f"{to_words(end.name).capitalize()} lies before {to_words(start.name)}."
    return _guarded(
        one, {"require": f"{first} is none or {last} is none or {last} >= {first}", "else": "WRONG_ORDER", "says": says}
    )


def _value(a: Attribute, takes: Mapping[str, Any], row: str) -> str | None:
    """Return what a value will be: as it is given, else as it is."""
    if a.name in takes:
        return f"coalesce({a.name}, {row}.{a.name})" if row else a.name
    return f"{row}.{a.name}" if row else None


# said


def _as_said(one: BlueprintOperation, reasons: list[Reason]) -> BlueprintOperation:
    """An operation that refuses what the descriptions of its inputs forbid."""
    if one.intent.kind not in ("create", "update", "move"):
        return one
    row = one.row if one.intent.kind != "create" else ""
    given = {t.name: t.attribute for t in one.takes if t.attribute is not None}
    for name, a in given.items():
        for require, code in _demands(a, name, given, row, one.entity):
            source = str(a.source or one.intent.operation.source)
            one = _guarded(one, {"require": require, "else": code, "says": f"{a.said.text[:200]}.", "source": source})
            reasons.append(Reason(f"{one.name} refuses {name}: {code}", f"said: {a.said.text[:200]}", source))
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
    if other and not row and other != name:
        word = given[other].words.get(said.needed_if[1], "")
        flag = (
            {"true": "== true", "false": "== false"}.get(said.needed_if[1].lower(), "")
            if given[other].kind == "bool"
            else ""
        )
        condition = {"set": f"{other} is not none", "not": f"{other} is none"}.get(said.needed_if[1], "")
        condition = condition or (f"{other} == '{word}'" if word else f"{other} {flag}" if flag else "")
        if condition:
            yield f"not ({condition}) or {name} is not none", "MISSING"


# unique


def _unique(
    entities: Sequence[Entity], evidence: Evidence, reasons: list[Reason]
) -> Iterator[tuple[str, list[list[str]]]]:
    names = match_resources(entities, evidence)
    for entity in entities:
        fields = {parts(a.last): a for a in entity.attributes if len(a.path) == 1}
        groups: dict[tuple[str, ...], str] = {}
        for resource in evidence.resources:
            if names.get(resource.name) != entity.name:
                continue
            single = tuple((f.name,) for f in resource.fields if f.unique and not f.key)
            composite = (resource.key,) if len(resource.key) > 1 else ()
            for columns in (*resource.unique, *single, *composite):
                own = [fields.get(parts(c)) for c in columns]
                if own and all(a is not None and _many(a) for a in own):
                    groups[tuple(a.name for a in own if a is not None)] = str(resource.source)
        for a in entity.attributes:
            if a.said.unique and _many(a) and a.kind == "text" and len(a.path) == 1:
                groups.setdefault((a.name,), str(a.source or entity.source))
        for group, source in groups.items():
            reasons.append(
                Reason(f"{', '.join(group)} of {entity.name} only once", "the evidence keeps it unique", source)
            )
        if groups:
            yield entity.name, [list(g) for g in groups]


def _many(a: Attribute) -> bool:
    """Tell whether there are enough values for every record to have its own."""
    if a.kind == "ref":
        return True
    return a.kind == "text" and not a.shape.enum and not a.shape.examples and not a.shape.pattern and not a.optional


def _wide_draws(
    unique: Mapping[str, list[list[str]]], entities: Mapping[str, Entity]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Draws from enough texts, for those by which alone a record differs from all others."""
    for entity, groups in unique.items():
        alone = {group[0] for group in groups if len(group) == 1}
        for a in entities[entity].attributes:
            if a.name in alone and a.kind == "text":
                yield (entity, a.name), draw_wide(a)
