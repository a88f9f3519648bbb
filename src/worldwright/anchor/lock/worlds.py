"""Two ways from evidence to worlds: derived from its operations and things, or laid over a business of the catalogue.

Evidence without either, such as a page of rules, has no world yet: its claims are kept for whoever writes one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from keyword import iskeyword

from worldwright.anchor.base.overlay import narrow_goals, overlay_operations
from worldwright.anchor.binding.draft import schema_names
from worldwright.anchor.evidence import Evidence, Note, Source
from worldwright.anchor.lock.records import Domain, Share, Worlds
from worldwright.anchor.merge import Decision
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.model.enrich import match_resources
from worldwright.anchor.names import identifier, parts
from worldwright.blueprint.load import load_text
from worldwright.core.canonical import pretty_json
from worldwright.core.errors import UsageError
from worldwright.core.names import to_words
from worldwright.engine.contract import Contract, contract_data

MAX_HARD_LISTED = 8
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")


def derive_worlds(evidence: Evidence, name: str, title: str, focus: Sequence[str]) -> Worlds:
    """Worlds of what the evidence itself says; none where it names nothing that is kept or done."""
    known = bool(evidence.operations or evidence.resources)
    made = derive(replace(evidence, title=title), name, focus) if known else ()
    if focus and not made:
        raise UsageError(f"nothing is called {', '.join(focus)}; leave out --focus to see what there is")
    if not made:
        says = f"there is nothing to build yet, no operation and no thing with fields: worldwright author {name}"
        return Worlds(
            name, title, (), measure_coverage(evidence, ()), (), notes=(Note("warning", says, Source("the inputs")),)
        )
    domains = tuple(_domain(one.name, one.title, one.blueprint, one.contract, one.business) for one in made)
    reasons = [
        {"world": one.name, "what": r.what, "why": r.why, "source": r.source} for one in made for r in one.reasons
    ]
    notes = tuple(note for one in made for note in one.notes)
    return Worlds(name, title, domains, measure_coverage(evidence, made), tuple(reasons), notes=notes)


def worlds_over_catalogue(evidence: Evidence, onto: str, name: str, title: str) -> Worlds:
    """The operations of the evidence over a business of the catalogue."""
    found = overlay_operations(evidence, onto)
    if not found.contract.tools:
        why = "; ".join(f"{a}: {w}" for a, w in found.unmatched[:3])
        raise UsageError(f"none of the {len(evidence.operations)} operations is one of {onto}: {why}")
    text = narrow_goals(onto, found, name, title)
    domain = _domain(name, title, text, found.contract, {})
    sources = {a.name: str(a.source or "") for a in evidence.operations}
    reasons = [
        {"world": name, "what": a, "why": f"{o}: {w}", "source": sources.get(a, "")} for a, o, w in found.matched
    ]
    reasons += [
        {"world": name, "what": o, "why": "no tool reaches it", "source": f"catalogue:{onto}"} for o in found.closed
    ]
    unused = tuple((a, w, sources.get(a, "")) for a, w in found.unmatched)
    covered = {"operations": Share(len(evidence.operations), len(found.matched), unused)}
    return Worlds(name, title, (domain,), covered, tuple(reasons), (Decision("base", onto, "asked for"),))


def _domain(name: str, title: str, text: str, contract: Contract | None, business: Mapping[str, int]) -> Domain:
    checked = load_text(text, f"{name}.yaml")
    blueprint = checked.blueprint
    counts = {
        "entities": len(blueprint.entities),
        "operations": len(blueprint.operations),
        "policies": len(blueprint.policies),
        "goals": len(blueprint.goals),
        "tools": len(blueprint.operations) if contract is None else len(contract.tools),
        **business,
    }
    hard = (*map(to_words, blueprint.policies), *(to_words(m.spec.label) for m in checked.mess))[:MAX_HARD_LISTED]
    held = "" if contract is None else pretty_json(contract_data(contract))
    return Domain(name, title, text, contract, held, counts, hard)


def name_anchor(asked: str, title: str) -> str:
    """The name of an anchor; empty where nothing says one."""
    if _NAME.match(asked) and not iskeyword(asked):
        return asked
    if asked and not any(w.isascii() and w[0].isalpha() for w in parts(asked)):
        raise UsageError(f"{asked[:60]!r} is no name for a domain; lower case letters, digits and _")
    return identifier(parts(asked or title), "service") if asked or title else ""


# How much of the evidence was used, and why the rest was not.


def measure_coverage(evidence: Evidence, made: Sequence[Derived]) -> dict[str, Share]:
    """By sort of evidence, what was used."""
    every = [m for one in made for m in one.made]
    used = {m.intent.operation.name for m in every if not m.logs}
    traced = {m.intent.operation.name for m in every if m.logs}
    names = list(dict.fromkeys(o.name for o in evidence.operations))
    trace, nowhere = "what it changes is not known: it only leaves a trace", "it is in no world that was asked for"
    unused = tuple(
        (o.name, trace if o.name in traced else nowhere, str(o.source))
        for o in evidence.operations
        if o.name in traced or o.name not in used
    )
    known = set(match_resources([r for one in made for r in one.part.entities], evidence))
    known |= {name for m in every for name in schema_names(m.intent.operation)}
    why = "no operation is about it" if evidence.operations else "it only joins others"
    things = tuple((t.name, why, str(t.source)) for t in evidence.resources if t.name not in known)
    return {
        "operations": Share(len(names), sum(n in used for n in names), unused),
        "things": Share(len(evidence.resources), len(evidence.resources) - len(things), things),
    }
