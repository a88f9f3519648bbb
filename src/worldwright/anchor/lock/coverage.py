"""How much of the evidence was used, and why the rest was not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldwright.anchor.evidence import Evidence, Shape
from worldwright.anchor.lock.records import Share
from worldwright.anchor.model.derive import Derived
from worldwright.anchor.model.enrich import match_resources

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
