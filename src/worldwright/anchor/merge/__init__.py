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
    spoken = [r.evidence for r in sorted(reads, key=lambda r: SAYING.index(r.kind))]
    contract = [r.evidence for r in reads if r.kind in ("openapi", "mcp")]
    every = [r.evidence for r in reads]

    def gathered(name: str, *, renamed: bool = False) -> tuple[Any, ...]:
        found = [(i, x) for i, e in enumerate(every) for x in getattr(e, name)]
        return tuple(replace(x, resource=names.get((i, x.resource), x.resource)) if renamed else x for i, x in found)

    evidence = Evidence(
        title=next((e.title for e in (*contract, *spoken) if e.title), ""),
        says=next((e.says for e in spoken if e.says), ""),
        resources=resources,
        operations=operations,
        claims=gathered("claims"),
        remarks=gathered("remarks"),
        states=gathered("states", renamed=True),
        rows=gathered("rows", renamed=True),
        notes=gathered("notes"),
        skipped=(*gathered("skipped"), *left),
        sheets=gathered("sheets"),
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
    mine, theirs = ({p.name: p for p in o.parameters} for o in (first, second))
    fill = ["says", "tags", "scopes"]
    fill += ["method", "path"] if first.path or not second.path or mine.keys() == theirs.keys() else []
    gaps: dict[str, Any] = {name: getattr(first, name) or getattr(second, name) for name in fill}
    if first.answer is None and first.output_schema is None:
        gaps |= {"answer": second.answer, "output_schema": second.output_schema, "status": second.status}
    sources = tuple(s for s in (first.source, second.source) if s is not None)
    why = "described twice: the first counts, the second fills gaps"
    out = [Decision(f"operation {first.name}", str(first.source), why, str(second.source), sources)]
    for name in mine:
        if name in theirs and mine[name].required != theirs[name].required:
            kept, other = ("required", "optional") if mine[name].required else ("optional", "required")
            out.append(Decision(f"parameter {first.name}.{name}", kept, "the first description counts", other, sources))
    return replace(first, **gaps, errors={**second.errors, **first.errors}), out
