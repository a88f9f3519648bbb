"""Every claim of the evidence: statements that a world made of it has to honour, or to say why not.

kinds         what a sentence claims
about         what a claim is about
descriptions  claims in the descriptions of operations, parameters, fields and errors
structure     claims that a schema makes by its form
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from worldwright.anchor.claims.descriptions import description_claims, remark_claims
from worldwright.anchor.claims.structure import operation_claims, structure_claims
from worldwright.anchor.evidence import Claim, Evidence

__all__ = ["collect_claims"]

MOST_PLACES = 20
"""Other places of one claim that are listed."""


def collect_claims(*every: Evidence) -> tuple[Claim, ...]:
    """Return the claims of all evidence in order: of documents and code, of descriptions, of schemas, of remarks.

    Give what each reader found, before it is merged: where two inputs disagree, both have said something. One that stands in
    several places is one claim, with the first place as its source and the others listed; so is a description that a reader
    has stated by itself, as text of the same file."""
    stated = [("", c) for e in every for c in e.claims]
    told = {(c.source.file, _plain(c)) for _, c in stated}
    described = (
        ("" if (c.source.file, _plain(c)) in told else name, c) for e in every for name, c in description_claims(e)
    )
    formed = (("", c) for e in every for c in _once(c for resource in e.resources for c in structure_claims(resource)))
    offered = ((c.says, c) for e in every for operation in e.operations for c in operation_claims(operation))
    remarked = (pair for e in every for pair in remark_claims(e))
    return merge_claims(pair for group in (stated, described, formed, offered, remarked) for pair in group)


def _once(claims: Iterable[Claim]) -> Iterator[Claim]:
    """The claims without those that stand at the place of another and say the same of a thing that holds the same field."""
    seen: set[tuple[str, str, str]] = set()
    for claim in claims:
        key = (str(claim.source), claim.kind, claim.says.partition(" ")[2])
        if key not in seen:
            seen.add(key)
            yield claim


def merge_claims(found: Iterable[tuple[str, Claim]]) -> tuple[Claim, ...]:
    """Return each claim once. Two are one where they say the same of the same field."""
    out: dict[tuple[str, str], Claim] = {}
    for name, claim in found:
        key = (name, _plain(claim))
        old = out.get(key)
        if old is None:
            out[key] = claim
            continue
        places = tuple(s for s in (claim.source, *claim.also) if s != old.source and s not in old.also)
        if places and len(old.also) < MOST_PLACES:
            out[key] = replace(old, also=(*old.also, *places)[:MOST_PLACES])
    return tuple(out.values())


def _plain(claim: Claim) -> str:
    return " ".join(claim.says.casefold().split()).rstrip(".; ")
