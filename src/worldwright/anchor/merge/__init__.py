"""Several inputs as one body of evidence: the same thing under two names is one, and what contradicts is settled and told.

`resources` decides which resources of different inputs are one, and what they are together.

Who is believed follows from what was read: a contract says how tools look, a schema what is kept, a document what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.evidence import Evidence, Operation, Skipped, Source
from worldwright.anchor.intake.dispatch import ReadInput
from worldwright.anchor.merge.resources import Decision, merge_resources
from worldwright.anchor.names import parts
from worldwright.english.nouns import singular

SAYING = ("documents", "openapi", "mcp", "code", "sql", "data")
"""Whose title and words are taken first."""


@dataclass(frozen=True, slots=True)
class Merged:
    """One body of evidence, and what was decided on the way."""

    evidence: Evidence
    decisions: tuple[Decision, ...]


def merge_reads(reads: Sequence[ReadInput]) -> Merged:
    """All that was read, as one."""
    if len(reads) == 1:
        return Merged(reads[0].evidence, ())
    resources, names, of_things = merge_resources(reads)
    operations, of_actions, left = merge_operations(reads)
    spoken = sorted(reads, key=lambda r: SAYING.index(r.kind))
    contract = [r for r in reads if r.kind in ("openapi", "mcp")]
    every = [r.evidence for r in reads]
    evidence = Evidence(
        title=next((r.evidence.title for r in (*contract, *spoken) if r.evidence.title), ""),
        says=next((r.evidence.says for r in spoken if r.evidence.says), ""),
        resources=resources,
        operations=operations,
        claims=tuple(claim for e in every for claim in e.claims),
        remarks=tuple(remark for e in every for remark in e.remarks),
        states=tuple(
            replace(s, resource=names.get((i, s.resource), s.resource)) for i, e in enumerate(every) for s in e.states
        ),
        rows=tuple(
            replace(r, resource=names.get((i, r.resource), r.resource)) for i, e in enumerate(every) for r in e.rows
        ),
        notes=tuple(note for e in every for note in e.notes),
        skipped=(*(s for e in every for s in e.skipped), *left),
        sheets=tuple(s for e in every for s in e.sheets),
    )
    return Merged(evidence, (*of_things, *of_actions))


# Operations that several inputs describe. Each is kept once, and what one description lacks comes from the other.


CONTRACTS = ("mcp", "openapi")
"""What offers tools by itself; routes in code and endpoints in documents count only where there is none of these."""
RANK = ("mcp", "openapi", "code", "documents", "sql", "data")
_PARAMETER = re.compile(r"\{[^}]*\}")


def merge_operations(
    reads: Sequence[ReadInput],
) -> tuple[tuple[Operation, ...], tuple[Decision, ...], tuple[Skipped, ...]]:
    """The operations, what was decided about those described twice, and those that were left out."""
    found = sorted((r for r in reads if r.evidence.operations), key=lambda r: RANK.index(r.kind))
    if not found:
        return (), (), ()
    kept: list[Operation] = []
    names: dict[tuple[str, ...], tuple[int, ReadInput]] = {}
    routes: dict[tuple[str, str], int] = {}
    decisions: list[Decision] = []
    left: list[Skipped] = []
    for read in found:
        offers = read.kind in CONTRACTS or found[0].kind not in CONTRACTS
        for operation in read.evidence.operations:
            at = routes.get(_route(operation)) if operation.path else None
            same, whose = names.get(_called(operation), (0, read))
            if at is None and whose is not read and not (operation.path and kept[same].path):
                at = same
            if at is not None:
                kept[at], decision = _one(kept[at], operation)
                decisions += decision
            elif offers:
                names.setdefault(_called(operation), (len(kept), read))
                if operation.path:
                    routes[_route(operation)] = len(kept)
                kept.append(operation)
            else:
                why = f"the contract ({found[0].label}) does not have it, and no tool is added to a contract"
                left.append(Skipped(f"operation {operation.name}", why, operation.source or Source(read.label)))
    return tuple(kept), tuple(decisions), tuple(left)


def _called(operation: Operation) -> tuple[str, ...]:
    words = parts(operation.name)
    return (*words[:-1], singular(words[-1])) if words else (operation.name,)


def _route(operation: Operation) -> tuple[str, str]:
    path = _PARAMETER.sub("{}", operation.path.split("?")[0]).rstrip("/").lower()
    return operation.method.upper(), path


def _one(first: Operation, second: Operation) -> tuple[Operation, list[Decision]]:
    """The first description, with what only the second has."""
    gaps: dict[str, Any] = {
        "says": first.says or second.says,
        "method": first.method or second.method,
        "path": first.path or second.path,
        "tags": first.tags or second.tags,
        "scopes": first.scopes or second.scopes,
    }
    if first.answer is None and first.output_schema is None:
        gaps |= {"answer": second.answer, "output_schema": second.output_schema, "status": second.status}
    gaps |= {"errors": {**second.errors, **first.errors}}
    if not first.path and second.path and {p.name for p in first.parameters} != {p.name for p in second.parameters}:
        gaps.pop("path")
        gaps.pop("method")
    sources = tuple(s for s in (first.source, second.source) if s is not None)
    out = [
        Decision(
            f"operation {first.name}", str(first.source), "described twice: the first counts, the second fills gaps",
            str(second.source), sources,
        )
    ]  # fmt: skip
    mine, theirs = ({p.name: p for p in a.parameters} for a in (first, second))
    for name in mine:
        if name in theirs and mine[name].required != theirs[name].required:
            kept, other = ("required", "optional") if mine[name].required else ("optional", "required")
            out.append(Decision(f"parameter {first.name}.{name}", kept, "the first description counts", other, sources))
    return replace(first, **gaps), out
