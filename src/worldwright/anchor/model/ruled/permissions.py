"""Roles: `only managers may approve refunds`. Who decides is a supervisor, who does the daily work an operator."""

from __future__ import annotations

from worldwright.anchor.model.blueprint import STAFF
from worldwright.anchor.model.ruled.records import Draft, Reading
from worldwright.anchor.model.ruled.sentences import said
from worldwright.anchor.model.ruled.verbs import SUPERVISOR, acts_named, operators, strangers, supervisors, verbs


def role(r: Reading) -> Draft | str | None:
    """What only those who decide may do."""
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
