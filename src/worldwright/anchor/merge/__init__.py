"""Several inputs as one body of evidence: the same thing under two names is one, and what contradicts is settled and told.

    resources    which resources of different inputs are one, and what they are together
    operations   operations that are described twice

Who is believed follows from what was read: a contract says how tools look, a schema what is kept, a document what is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.intake.dispatch import ReadInput
from worldwright.anchor.merge.operations import merge_operations
from worldwright.anchor.merge.resources import Decision, merge_resources

__all__ = ["Decision", "Merged", "merge_reads"]

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
        language=next((r.evidence.language for r in spoken if r.evidence.language), ""),
        resources=resources,
        operations=operations,
        rules=tuple(rule for e in every for rule in e.rules),
        states=tuple(
            replace(s, resource=names.get((i, s.resource), s.resource)) for i, e in enumerate(every) for s in e.states
        ),
        rows=tuple(
            replace(r, resource=names.get((i, r.resource), r.resource)) for i, e in enumerate(every) for r in e.rows
        ),
        notes=tuple(note for e in every for note in e.notes),
        skipped=(*(s for e in every for s in e.skipped), *left),
    )
    return Merged(evidence, (*of_things, *of_actions))
