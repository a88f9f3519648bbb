"""From rules to policies: every template is tried on every rule, and the best of what comes of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from worldwright.anchor.evidence import Evidence, Rule
from worldwright.anchor.model.operations import Made
from worldwright.anchor.model.records import Resource
from worldwright.anchor.model.ruled.amounts import amount
from worldwright.anchor.model.ruled.operations import Act, acts_of
from worldwright.anchor.model.ruled.records import Draft, Reading, Ruled
from worldwright.anchor.model.ruled.sentences import MOST_WORDS, sentence
from worldwright.anchor.model.ruled.subjects import Names, mentions, names_of, residue
from worldwright.anchor.names import fresh

MOST = 8
"""Policies of one world."""
CODE = (".py",)
"""Endings of files whose rules are enforced by the code that states them."""

Template = Callable[[Reading], Draft | str | None]
TEMPLATES: tuple[Template, ...] = (amount,)
"""Each gives a policy, or the reason why the sentence is of its kind and still none, or nothing."""
NO_THING = "it names nothing that the operations know"
NO_FORM = "no figure, state, role or value in it that an operation could be held to"


def ruled(evidence: Evidence, resources: Sequence[Resource], made: Sequence[Made]) -> Ruled:
    """The rules of the evidence as policies, and what became of each."""
    names, acts = names_of(resources, evidence), acts_of(made)
    things = {r.name: r for r in resources}
    drafts: list[tuple[Rule, Draft]] = []
    reasons: dict[int, str] = {}
    for k, rule in enumerate(evidence.rules):
        found = _draft(rule, names, things, acts)
        if isinstance(found, Draft):
            drafts.append((rule, found))
        else:
            reasons[k] = found
    return _chosen(evidence.rules, drafts, reasons)


def _draft(
    rule: Rule, names: Names, things: Mapping[str, Resource], acts: Mapping[str, tuple[Act, ...]]
) -> Draft | str:
    s = sentence(rule)
    if not s.words:
        return NO_FORM
    if len(s.words) > MOST_WORDS:
        return "too long to be one rule"
    if s.offers():
        return "it says what the system offers"
    reading = Reading(s, mentions(s, names), things, acts)
    why = ""
    for template in TEMPLATES:
        found = template(reading)
        if isinstance(found, Draft):
            more = _more(reading, found)
            if not more:
                return found
            found = more
        why = why or found or ""
    return why or (NO_FORM if reading.mentions else NO_THING)


def _more(r: Reading, draft: Draft) -> str:
    """What a sentence says beyond what was understood of it; empty where that is nothing of weight."""
    narrow, other = residue(r.s, draft.covered | r.named)
    if narrow or len(other) > 1:
        return f"it says more than is understood: {', '.join((narrow + other)[:4])}"
    return ""


def _chosen(rules: Sequence[Rule], drafts: Sequence[tuple[Rule, Draft]], reasons: Mapping[int, str]) -> Ruled:
    """The drafts that are kept: those of things with the most operations first, none twice."""
    ...
