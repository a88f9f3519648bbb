"""Three ways from evidence to worlds: derived from operations and things, adapted from the catalogue, or laid over it.

What was given decides. Operations, schemas and data make worlds of their own. A prompt or a document alone takes the business of
the catalogue that is nearest; a document that describes enough things of its own, and is near to none, is derived like a schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from keyword import iskeyword

from worldwright import catalogue
from worldwright.anchor.base.adapt import Adapted, adapt_blueprint
from worldwright.anchor.base.nearest import Candidate, is_near, rank_domains
from worldwright.anchor.base.overlay import narrow_goals, overlay_operations
from worldwright.anchor.evidence import Evidence, Note, Shape, Source
from worldwright.anchor.lock.records import Domain, Share
from worldwright.anchor.merge.resources import Decision
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.model.enrich import match_resources
from worldwright.anchor.names import identifier, parts
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.core.canonical import pretty_json
from worldwright.core.errors import UsageError
from worldwright.core.names import to_words
from worldwright.engine.contract import Contract, contract_data

MIN_TOOLS = 5
"""Tools below which a document alone is too thin for a world of its own."""
MIN_OWN_RULES = 3
"""Rules of its own with which a document is taken as it is, though something in the catalogue is near."""
SURE_SCORE = 0.6
"""A score from which on the catalogue knows the business better than a document tells it."""
MAX_HARD_LISTED = 8
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")


@dataclass(frozen=True, slots=True)
class Worlds:
    """What was made of the evidence, and why."""

    name: str
    title: str
    domains: tuple[Domain, ...]
    coverage: Mapping[str, Share]
    reasons: tuple[Mapping[str, str], ...]
    decisions: tuple[Decision, ...] = ()
    notes: tuple[Note, ...] = ()


def derive_worlds(evidence: Evidence, name: str, title: str, focus: Sequence[str]) -> Worlds:
    """Worlds of what the evidence itself says."""
    return _of(derive(replace(evidence, title=title), name, focus), evidence, name, title, focus)


def _of(made: Sequence[Derived], evidence: Evidence, name: str, title: str, focus: Sequence[str]) -> Worlds:
    if not made:
        asked = f"nothing is called {', '.join(focus)}; leave out --focus to see what there is"
        counts = f"{len(evidence.operations)} operations, {len(evidence.resources)} things"
        raise UsageError(asked if focus else f"there is nothing to build a world from: {counts}")
    domains = tuple(_domain(one.name, one.title, one.blueprint, one.contract, one.business) for one in made)
    notes = tuple(note for one in made for note in one.notes)
    return Worlds(name, title, domains, measure_coverage(evidence, made), tuple(_reasons(made)), notes=notes)


def _reasons(made: Sequence[Derived]) -> list[dict[str, str]]:
    return [{"world": one.name, "what": r.what, "why": r.why, "source": r.source} for one in made for r in one.reasons]


def worlds_from_documents(evidence: Evidence, prompt: str, name: str, title: str, focus: Sequence[str]) -> Worlds:
    """A world of what is only described: the catalogue's nearest, or the document's own where that is enough."""
    ranked = rank_domains(evidence, prompt)
    best = ranked[0]
    own = derive(replace(evidence, title=title), name, focus) if evidence.resources else ()
    near = is_near(ranked)
    if (
        own
        and (_stands_alone(own[0], MIN_OWN_RULES) or (not near and _stands_alone(own[0], 0)))
        and best.score < SURE_SCORE
    ):
        found = _of(own, evidence, name, title, focus)
        why = (
            f"{best.name} is the nearest in the catalogue ({best.score:.2f}), and the document describes enough itself"
        )
        return replace(found, decisions=(Decision("base", "the document alone", why, best.name),))
    return _on_base(
        adapt_blueprint(best.name, evidence, name or best.name, title), best, near, name or best.name, title
    )


def _stands_alone(world: Derived, rules: int) -> bool:
    """Tell whether what a document describes is a world, with so many rules of its own at least."""
    return len(world.contract.tools) >= MIN_TOOLS and len(world.ruled) >= rules


def _on_base(found: Adapted, best: Candidate, near: bool, name: str, title: str) -> Worlds:
    title = title or catalogue.read_entry(best.name).title
    domain = _domain(name, title, found.blueprint, None, {})
    shared = f"{best.score:.2f}: {', '.join(best.because[:8])}"
    why = f"the nearest in the catalogue ({shared})" if near else f"nothing is near; this comes closest ({shared})"
    reasons = [
        *({"world": name, "what": m.node, "why": f"{m.what}: {m.why}", "source": str(m.source or "")} for m in found.matched),
        *(
            {"world": name, "what": c.node, "why": f"adapted: {c.says}", "source": str(c.source or "asked for")}
            for c in found.adapted
        ),
        *({"world": name, "what": n, "why": "borrowed", "source": f"catalogue:{found.base}"} for n in found.borrowed),
    ]  # fmt: skip
    unused = tuple((u.what, u.why, str(u.source or "")) for u in found.unused)
    covered = {"parts": Share(len(found.matched) + len(unused), len(found.matched), unused)}
    far = Note("warning", f"nothing in the catalogue is near: {best.name} comes closest", Source("catalogue"))
    notes = () if near else (far,)
    return Worlds(name, title, (domain,), covered, tuple(reasons), (Decision("base", best.name, why),), notes)


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
    held = "" if contract is None else pretty_json(contract_data(contract))
    return Domain(name, title, text, contract, held, _counts(checked, contract, business), _hard(checked))


def _counts(checked: Checked, contract: Contract | None, business: Mapping[str, int]) -> dict[str, int]:
    blueprint = checked.blueprint
    return {
        "entities": len(blueprint.entities),
        "operations": len(blueprint.operations),
        "policies": len(blueprint.policies),
        "goals": len(blueprint.goals),
        "tools": len(blueprint.operations) if contract is None else len(contract.tools),
        **business,
    }


def _hard(checked: Checked) -> tuple[str, ...]:
    """Return what makes a world hard, in a few words: its rules, then the mess in its past."""
    blueprint = checked.blueprint
    return (*map(to_words, blueprint.policies), *(to_words(m.spec.label) for m in checked.mess))[:MAX_HARD_LISTED]


def name_anchor(asked: str, title: str) -> str:
    """The name of an anchor; empty where nothing says one."""
    if _NAME.match(asked) and not iskeyword(asked):
        return asked
    if asked and not any(w.isascii() and w[0].isalpha() for w in parts(asked)):
        raise UsageError(f"{asked[:60]!r} is no name for a domain; lower case letters, digits and _")
    return identifier(parts(asked or title), "service") if asked or title else ""


# How much of the evidence was used, and why the rest was not.


Unused = tuple[str, str, str]


def measure_coverage(evidence: Evidence, made: Sequence[Derived]) -> dict[str, Share]:
    """By sort of evidence, what was used."""
    return {"operations": _operations(evidence, made), "things": _things(evidence, made), "rules": _rules(made)}


def _operations(evidence: Evidence, made: Sequence[Derived]) -> Share:
    used = {m.intent.operation.name for one in made for m in one.made if not m.logs}
    traced = {m.intent.operation.name for one in made for m in one.made if m.logs}
    names = list(dict.fromkeys(a.name for a in evidence.operations))
    unused: list[Unused] = []
    for operation in evidence.operations:
        if operation.name in traced:
            unused.append(
                (operation.name, "what it changes is not known: it only leaves a trace", str(operation.source))
            )
        elif operation.name not in used:
            unused.append((operation.name, "it is in no world that was asked for", str(operation.source)))
    return Share(len(names), sum(n in used for n in names), tuple(unused))


def _things(evidence: Evidence, made: Sequence[Derived]) -> Share:
    used = set(match_resources([r for one in made for r in one.part.entities], evidence))
    for one in made:
        for m in one.made:
            operation = m.intent.operation
            for shape in (operation.answer, operation.body, *(p.shape for p in operation.parameters)):
                used |= _named(shape)
    unused = tuple(
        (t.name, "no operation is about it" if evidence.operations else "it only joins others", str(t.source))
        for t in evidence.resources
        if t.name not in used
    )
    return Share(len(evidence.resources), len(evidence.resources) - len(unused), unused)


def _named(shape: Shape | None) -> set[str]:
    """The names of the schemas that a shape is made of."""
    out: set[str] = set()
    todo: list[Shape | None] = [shape]
    while todo:
        found = todo.pop()
        if found is None:
            continue
        if found.name:
            out.add(found.name)
        todo += [found.items, *(f.shape for f in found.fields.values())]
    return out


def _rules(made: Sequence[Derived]) -> Share:
    """A sentence is used where it is a rule in at least one world."""
    reasons: dict[tuple[str, str], str] = {}
    for says, where, why in _judged(made):
        if (says, where) not in reasons or not why:
            reasons[says, where] = why
    unused = tuple((says, why, where) for (says, where), why in reasons.items() if why)
    return Share(len(reasons), len(reasons) - len(unused), unused)


def _judged(made: Sequence[Derived]) -> Iterator[Unused]:
    for one in made:
        for rule, _ in one.ruled:
            yield rule.says, str(rule.source), ""
        for rule, why in one.unruled:
            yield rule.says, str(rule.source), why
