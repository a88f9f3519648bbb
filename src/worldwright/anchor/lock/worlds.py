"""Two ways from evidence to worlds: derived from its operations and things, or laid over a business of the catalogue.

Evidence without either, such as a page of rules, has no world yet: its claims are kept for whoever writes one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from keyword import iskeyword

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
    notes = tuple(note for one in made for note in one.notes)
    return Worlds(name, title, domains, measure_coverage(evidence, made), tuple(_reasons(made)), notes=notes)


def _reasons(made: Sequence[Derived]) -> list[dict[str, str]]:
    return [{"world": one.name, "what": r.what, "why": r.why, "source": r.source} for one in made for r in one.reasons]


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
    return {"operations": _operations(evidence, made), "things": _things(evidence, made)}


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
