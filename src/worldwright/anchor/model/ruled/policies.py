"""From rules to policies: every template is tried on every rule, and the best of what comes of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from worldwright.anchor.evidence import Evidence, Resource, Rule
from worldwright.anchor.model.blueprint import STAFF
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.ruled.amounts import TYPES, amount
from worldwright.anchor.model.ruled.operations import Act, acts_of
from worldwright.anchor.model.ruled.records import Draft, Reading, Ruled
from worldwright.anchor.model.ruled.sentences import MOST_WORDS, said, sentence
from worldwright.anchor.model.ruled.subjects import Names, mentions, names_of, residue
from worldwright.anchor.model.ruled.times import time
from worldwright.anchor.model.ruled.verbs import (
    SUPERVISOR,
    actors,
    acts_named,
    operators,
    strangers,
    supervisors,
    verbs,
)
from worldwright.anchor.model.ruled.words import CAPABLE, REFUSED
from worldwright.anchor.names import fresh, noun, parts
from worldwright.anchor.readers.sql.parse import dialects, expression
from worldwright.core.names import to_words
from worldwright.english.nouns import article
from worldwright.english.stems import stems

DEEPEST = 20
_SIGNS: Mapping[type[exp.Expr], str] = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}
_OF_TIMES = {">": "after", ">=": "not before", "<": "before", "<=": "not after"}
_OF_NUMBERS = {">": "more than", ">=": "not less than", "<": "less than", "<=": "not more than"}
_EXAMPLES: Mapping[str, tuple[Any, Any]] = {
    "date": ("2025-06-02", "2025-06-03"),
    "time": ("2025-06-02T09:00:00Z", "2025-06-03T09:00:00Z"),
    "int": (1, 2),
    "decimal": (1, 2),
    "money": (1, 2),
}
"""A lower and a higher value."""


def checked(resource: Resource, entity: Entity, acts: tuple[Act, ...]) -> Iterator[tuple[Rule, Draft | str]]:
    """The conditions on a thing that hold between two of its columns, each with the policy made of it or why there is none."""
    for check in resource.checks:
        sides = list(_compared(check))
        if len(sides) != 1:
            continue
        rule = Rule(check, "must", about=(resource.name,), source=resource.source)
        left, sign, right = sides[0]
        first, second = _attribute(entity, left), _attribute(entity, right)
        if (
            first is None
            or second is None
            or first.kind != second.kind
            or first.kind not in _EXAMPLES
            or first is second
        ):
            yield rule, f"`{entity.name}` has no two values of this kind"
        else:
            yield rule, _draft_check(entity, first, sign, second, acts)


def _compared(check: str) -> Iterator[tuple[str, str, str]]:
    """Two columns and the sign between them, for every such part of a condition."""
    first = "tsql" if "[" in check else "mysql" if "`" in check else "postgres"
    for dialect in dialects(first, check):
        tree = expression(check, dialect)
        found = list(_parts(tree, 0)) if tree is not None else []
        if found:
            yield from found
            return


def _parts(node: exp.Expr, depth: int) -> Iterator[tuple[str, str, str]]:
    if depth > DEEPEST:
        return
    if isinstance(node, exp.Paren):
        yield from _parts(node.this, depth + 1)
    elif isinstance(node, exp.And):
        yield from _parts(node.this, depth + 1)
        yield from _parts(node.expression, depth + 1)
    elif isinstance(node, exp.Or):
        sides = [side for side in (node.this, node.expression) if not _is_null(side)]
        if len(sides) == 1:
            yield from _parts(sides[0], depth + 1)
    elif type(node) in _SIGNS and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column):
        yield node.this.name, _SIGNS[type(node)], node.expression.name


def _is_null(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Or):
        return _is_null(node.this) and _is_null(node.expression)
    return isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)


def _attribute(entity: Entity, column: str) -> Attribute | None:
    return next((a for a in entity.attributes if len(a.path) == 1 and parts(a.path[0]) == parts(column)), None)


def _draft_check(entity: Entity, first: Attribute, sign: str, second: Attribute, acts: tuple[Act, ...]) -> Draft | str:
    setting = [a for a in acts if a.takes(first) or a.takes(second)]
    bound = tuple(
        (a.name, {"x": a.value(first), "y": a.value(second)})
        for a in setting
        if a.kind in ("create", "update") and a.value(first) and a.value(second)
    )
    if not bound:
        return "no operation sets both values"
    low, high = _EXAMPLES[first.kind]
    good, bad = ((high, low), (low, high)) if sign[0] == ">" else ((low, high), (high, low))
    spec = {
        "about": {"x": TYPES[first.kind], "y": TYPES[first.kind]},
        "rule": f"x is none or y is none or x {sign} y",
        "cases": [{"allowed": {"x": good[0], "y": good[1]}}, {"forbidden": {"x": bad[0], "y": bad[1]}}],
    }
    timed = _OF_TIMES if first.kind in ("date", "time") else _OF_NUMBERS
    must = (
        f"must not be {timed[sign].removeprefix('not ')}"
        if timed[sign].startswith("not ")
        else f"must be {timed[sign]}"
    )
    says = f"The {to_words(first.name)} of {article(' '.join(entity.noun))} {must} its {to_words(second.name)}."
    about = ("check", entity.name, *sorted((first.name, second.name)))
    return Draft(entity, f"{entity.name}_{first.name}_{second.name}", spec, says, bound, about, tool=True)


# Roles: `only managers may approve refunds`. Who decides is a supervisor, who does the daily work an operator.


def role(r: Reading) -> Draft | str | None:
    """Return what only those who decide may do."""
    s, deciders, workers = r.s, supervisors(r), operators(r)
    if s.figures or not r.mentions or not (deciders or workers):
        return None
    reserved = bool(deciders) and not workers and (_only(r) or _by(r, min(deciders)))
    denied = bool(workers) and not deciders and s.forbids
    if not reserved and not denied:
        return None
    if any(c.lead for c in s.clauses) or strangers(r):
        return "it holds for some cases only, or for somebody who does not act here"
    for entity in r.subjects:
        acts, used = acts_named(r, entity, verbs(r))
        if not acts:
            continue
        if any(a.kind == "create" for a in acts):
            return "nobody else could make one at all"
        bound = tuple((a.name, {"x": "actor"}) for a in acts)
        spec = {
            "about": {"x": STAFF},
            "rule": SUPERVISOR.replace("actor.", "x."),
            "cases": [{"allowed": {"x.role": "supervisor"}}, {"forbidden": {"x.role": "operator"}}],
        }
        verb = "_".join(acts[0].made.intent.verb[:1]) or acts[0].kind
        where = tuple(sorted(a.name for a in acts))
        return Draft(
            entity, f"{entity.name}_{verb}_role", spec, said(s, ()), bound, ("role", *where), covered=used | deciders | workers
        )  # fmt: skip
    return "no operation does what it speaks of"


def _only(r: Reading) -> bool:
    """`Only managers may ...`, `... may only be done by a manager`"""
    return r.s.demands == "only_if" and any(w.low in ("only", "exclusively") for w in r.s.words)


def _by(r: Reading, first: int) -> bool:
    """`must be approved by a manager`"""
    near = [r.s.low(k) for k in range(max(0, first - 3), first)]
    return r.s.demands in ("must", "only_if") and "by" in near and first > r.s.demand


MOST = 8
"""Policies of one world."""
LONGEST = 56
"""Characters of a policy's name, before a number makes it its own."""
NO_THING = "it names nothing that the operations know"
NO_FORM = "no amount, time or role in it that an operation could be held to"

Template = Callable[[Reading], Draft | str | None]
TEMPLATES: tuple[Template, ...] = (amount, time, role)
"""Each gives a policy, or the reason why the sentence is of its kind and still none, or nothing."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A rule with the policy made of it."""

    rule: Rule
    draft: Draft
    tool: bool


def derive_policies(evidence: Evidence, entities: Sequence[Entity], made: Sequence[BlueprintOperation]) -> Ruled:
    """The rules of the evidence as policies, and what became of each."""
    names, acts = names_of(entities, evidence), acts_of(made)
    resources = {r.name: r for r in entities}
    found: list[_Found] = []
    unused: list[tuple[Rule, str]] = []
    for rule, draft in (*_of_sentences(evidence, names, resources, acts), *_of_checks(evidence, names, entities, acts)):
        if isinstance(draft, str):
            unused.append((rule, draft))
        else:
            found.append(_Found(rule, draft, draft.tool or _enforced(rule)))
    return _kept(found, unused)


def _of_sentences(
    evidence: Evidence, names: Names, resources: Mapping[str, Entity], acts: Mapping[str, tuple[Act, ...]]
) -> Iterator[tuple[Rule, Draft | str]]:
    for rule in evidence.rules:
        yield rule, _draft(rule, names, resources, acts)


def _of_checks(
    evidence: Evidence, names: Names, entities: Sequence[Entity], acts: Mapping[str, tuple[Act, ...]]
) -> Iterator[tuple[Rule, Draft | str]]:
    schemas = {r.schema: r for r in reversed(entities) if r.schema}
    for resource in evidence.resources:
        entity = schemas.get(resource.name) or names.table.get(noun(resource.name))
        if entity is not None and resource.checks:
            yield from checked(resource, entity, acts.get(entity.name, ()))


def _draft(
    rule: Rule, names: Names, resources: Mapping[str, Entity], acts: Mapping[str, tuple[Act, ...]]
) -> Draft | str:
    s = sentence(rule)
    if len(s.words) > MOST_WORDS:
        return "too long to be one rule"
    if s.offers():
        return "it says what the system offers"
    reading = Reading(s, mentions(s, names), resources, acts)
    why = ""
    for template in TEMPLATES if reading.mentions else (amount,):
        found = template(reading)
        if isinstance(found, Draft):
            more = _more(reading, found)
            if not more:
                return found
            found = more
        why = why or found or ""
    return why or (NO_FORM if reading.mentions else NO_THING)


def _more(r: Reading, draft: Draft) -> str:
    """Return what a sentence says beyond what was understood of it; empty where that is nothing of weight."""
    meant = [m for m in r.mentions if m.entity.name == draft.entity.name or m.end == r.s.demand]
    own = {k for m in meant for k in range(m.start, m.end)}
    if r.s.verb_stem() in CAPABLE | REFUSED | stems(draft.entity.noun):
        own.add(r.s.verb)
    rest = residue(r.s, draft.covered | own | actors(r))
    return f"it says more than is understood: {', '.join(rest[:4])}" if rest else ""


def _enforced(rule: Rule) -> bool:
    """Tell whether the software sees to it: it is told to, or the rule is the software's own."""
    return sentence(rule).by_system() or (rule.source is not None and rule.source.file.endswith(".py"))


# which of them


def _kept(found: Sequence[_Found], unused: list[tuple[Rule, str]]) -> Ruled:
    """The best of them, none twice, and not all of them left to the tools."""
    different: list[_Found] = []
    for one in found:
        same = next((d for d in different if d.draft.about == one.draft.about), None)
        if same is None:
            different.append(one)
        else:
            unused.append((one.rule, f"another rule speaks of the same: {same.rule.says[:80]}"))
    ranked = _ranked(different)
    unused += [(one.rule, f"the world has {MOST} rules of things that more is done to") for one in ranked[MOST:]]
    policies: dict[str, Any] = {}
    obeys: dict[str, list[dict[str, Any]]] = {}
    used: list[tuple[Rule, str]] = []
    tools = 0
    for one in ranked[:MOST]:
        name = fresh(_name(one.draft.name), policies)
        by_tool = one.tool and 2 * tools <= len(policies)
        tools += by_tool
        policies[name] = _policy(one, "tool" if by_tool else "agent")
        for operation, values in one.draft.bound:
            obeys.setdefault(operation, []).append({"obey": {name: dict(values)}})
        used.append((one.rule, name))
    return Ruled(policies, obeys, tuple(used), tuple(unused))


def _ranked(found: Sequence[_Found]) -> list[_Found]:
    """Return those of things with the most operations first, and of each thing one of every kind before a second one."""
    kinds: dict[tuple[str, str], int] = {}
    ranks: list[tuple[int, int, int]] = []
    for k, one in enumerate(found):
        kind = (one.draft.entity.name, one.draft.about[0])
        kinds[kind] = kinds.get(kind, 0) + 1
        ranks.append((-len(one.draft.entity.intents), kinds[kind], k))
    return [found[k] for _, _, k in sorted(ranks)]


def _name(written: str) -> str:
    plain = written.replace("__", "_")
    return (f"rule_{plain}" if plain.startswith("sqlite_") else plain)[:LONGEST].rstrip("_")


def _policy(one: _Found, enforced: str) -> dict[str, Any]:
    spec = one.draft.spec
    return {
        "about": spec["about"],
        "rule": spec["rule"],
        **({"parameters": spec["parameters"]} if "parameters" in spec else {}),
        "says": one.draft.says,
        "enforced": enforced,
        "source": str(one.rule.source or "evidence"),
        "cases": spec["cases"],
    }
