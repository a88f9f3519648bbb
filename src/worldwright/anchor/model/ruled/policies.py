"""From rules to policies: every template is tried on every rule, and the best of what comes of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.evidence import Evidence, Rule
from worldwright.anchor.model.blueprint import STAFF
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Entity
from worldwright.anchor.model.ruled.amounts import amount
from worldwright.anchor.model.ruled.checks import checked
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
from worldwright.anchor.names import fresh, noun
from worldwright.english.stems import stems

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
