"""What has to be there: `a reason must be given`, `each claim must have a receipt`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.ruled.amounts import TYPES, beyond, compared, impractical, limit
from worldwright.anchor.model.ruled.operations import Act, moving
from worldwright.anchor.model.ruled.records import Draft, Reading
from worldwright.anchor.model.ruled.sentences import Parameter, said
from worldwright.anchor.model.ruled.subjects import FILLING, content, named_in
from worldwright.anchor.model.ruled.verbs import acts_named, verbs, verbs_of
from worldwright.anchor.model.ruled.words import SMALL
from worldwright.english.stems import stemset

_HAVING = stemset(
    "have include contain provide specify state give given attach attached accompany accompanied associate associated link linked "
    "assign assigned need require mandatory enter entered record recorded carry name named supply supplied fill filled set present "
    "document documented"
)
_PLACES = ("x", "y", "z")
_KINDS = frozenset({"text", "int", "decimal", "money", "date", "time", "words", "ref"})
_EXAMPLES: Mapping[str, Any] = {
    "text": "given",
    "int": 1,
    "decimal": 1,
    "money": 1,
    "date": "2025-06-02",
    "time": "2025-06-02T09:00:00Z",
    "ref": "one",
}


def presence(r: Reading) -> Draft | str | None:
    """A value that has to be there before something goes on."""
    s = r.s
    without = next((k for k in r.free if s.low(k) == "without"), -1)
    having = frozenset(k for k in range(len(s.words)) if s.words[k].stem in _HAVING)
    asked = s.demands == "must" and (s.verb in having or s.demand in having)
    if s.verb < 0 or not (asked or (s.forbids and without > s.verb)):
        return None
    if s.figures and not any(condition(r, entity) for entity in r.subjects):
        return None
    why: str | None = None
    for entity in r.subjects:
        found = _values(r, entity, without)
        if isinstance(found, str):
            why = why or found
            continue
        return _of(r, entity, *found, having)
    return why


def _values(r: Reading, entity: Entity, after: int) -> tuple[list[Attribute], bool, frozenset[int]] | str:
    """The values that are asked for, whether any of them is enough, and the words that name them."""
    fitting = [a for a in entity.attributes if a.kind in _KINDS and not named_in(a.path[-1]) <= FILLING]
    asked: dict[str, Attribute] = {}
    used: set[int] = set()
    for a in sorted(fitting, key=lambda a: -len(content(a))):
        at = [k for k in _places(r) if k > after and r.s.words[k].stem in content(a) and k not in used]
        if {r.s.words[k].stem for k in at} == content(a):
            asked[a.name] = a
            used |= set(at)
    if not asked:
        return f"no value of `{entity.name}` is named"
    missing = [a for a in asked.values() if a.optional]
    if not missing:
        return f"every `{entity.name}` has it"
    either = len(asked) > 1 and any(r.s.low(k) == "or" for k in range(min(used), max(used)))
    if either and len(missing) < len(asked):
        return f"every `{entity.name}` has it"
    return missing, either, frozenset(used)


def _places(r: Reading) -> list[int]:
    """Words that may name a value: not those of the thing itself, nor small ones; a value may be called as another thing is."""
    taken = {k for f in r.s.figures for k in range(f.start, f.end)}
    taken |= {k for m in r.mentions[:1] for k in range(m.start, m.end)}
    told = (k for k in range(len(r.s.words)) if k not in taken and not r.s.lead_at(k))
    return [k for k in told if r.s.low(k) not in SMALL and r.s.words[k].stem not in _HAVING]


def _of(
    r: Reading, entity: Entity, asked: Sequence[Attribute], either: bool, used: frozenset[int], having: frozenset[int]
) -> Draft | str:  # fmt: skip
    acts, verbs_used = _acts(r, entity)
    only = condition(r, entity)
    covered = used | having | verbs_used | (only.covered if only is not None else frozenset())
    if acts and all(act.row and not any(act.takes(a) for a in asked) for act in acts):
        return _on_rows(r, entity, asked, either, acts, only, covered)
    made = acts or [a for a in r.acts.get(entity.name, ()) if a.kind == "create"]
    made = [act for act in made if any(act.takes(a) for a in asked) and all(act.value(a) for a in asked)]
    if only is not None or not made or len(asked) > len(_PLACES) or any(a.kind not in TYPES for a in asked):
        return "no operation does what it speaks of"
    return _on_values(r, entity, asked, either, made, covered)


def _acts(r: Reading, entity: Entity) -> tuple[list[Act], frozenset[int]]:
    """Where it is looked at: where the sentence says, else wherever something goes on."""
    for said_in in [verbs(r)] if r.s.forbids else [verbs_of(r, lead) for lead in ("before", "when", "if")]:
        found, used = acts_named(r, entity, said_in)
        if found:
            return found, used
    return [] if r.s.forbids else moving(r.acts.get(entity.name, ())), frozenset()


def _on_rows(
    r: Reading, entity: Entity, asked: Sequence[Attribute], either: bool, acts: Sequence[Act], only: Condition | None,
    covered: frozenset[int],
) -> Draft:  # fmt: skip
    """The record has it already."""
    tests = (" or " if either else " and ").join(f"x.{a.name} is not none" for a in asked)
    inside = only.inside if only is not None else {}
    full = {f"x.{a.name}": _example(a) for a in asked}
    spec: dict[str, Any] = {
        "about": {"x": entity.name},
        "rule": f"{only.expression} or ({tests})" if only is not None else tests,
        "cases": [{"allowed": {**full, **inside}}, {"forbidden": {**dict.fromkeys(full, "none"), **inside}}],
    }
    if only is not None:
        spec["parameters"] = {"limit": only.parameter.variants}
    parameters = (only.parameter,) if only is not None else ()
    bound = tuple((a.name, {"x": a.row}) for a in acts)
    return _draft(entity, asked, spec, said(r.s, parameters), bound, covered)


def _on_values(
    r: Reading, entity: Entity, asked: Sequence[Attribute], either: bool, acts: Sequence[Act], covered: frozenset[int]
) -> Draft:  # fmt: skip
    """It is said, or the record has it already."""
    named = dict(zip(_PLACES, asked, strict=False))
    spec = {
        "about": {x: TYPES[a.kind] for x, a in named.items()},
        "rule": (" or " if either else " and ").join(f"{x} is not none" for x in named),
        "cases": [{"allowed": {x: _example(a) for x, a in named.items()}}, {"forbidden": dict.fromkeys(named, "none")}],
    }
    bound = tuple((act.name, {x: act.value(a) for x, a in named.items()}) for act in acts)
    return _draft(entity, asked, spec, said(r.s, ()), bound, covered)


def _draft(
    entity: Entity, asked: Sequence[Attribute], spec: Mapping[str, Any], says: str,
    bound: tuple[tuple[str, Mapping[str, str]], ...], covered: frozenset[int],
) -> Draft:  # fmt: skip
    about = ("presence", entity.name, *(a.name for a in asked))
    return Draft(entity, f"{entity.name}_{asked[0].name}_given", spec, says, bound, about, tool=True, covered=covered)


def _example(a: Attribute) -> Any:
    return next(iter(a.words.values()), "") if a.kind == "words" else _EXAMPLES[a.kind]


# What narrows a rule to some records: `orders over 10,000 EUR need two quotes`.


@dataclass(frozen=True, slots=True)
class Condition:
    """Which records of a thing are not meant."""

    expression: str
    parameter: Parameter
    inside: Mapping[str, Any]
    """Values of a record that is meant."""
    covered: frozenset[int]


def condition(r: Reading, entity: Entity) -> Condition | None:
    """The amount beyond which a rule applies to a thing; None where it always does."""
    c = compared(r)
    if c is None or isinstance(c, str) or not c.condition or c.entity.name != entity.name or impractical(c):
        return None
    value = f"x.{c.attribute.name}"
    return Condition(f"{value} is none or {value} {c.within} limit", limit(r, c), {value: beyond(c)[1]}, c.covered)
