"""An anchor: what was given, what was made of it, and why; the same for the same inputs on any machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from worldwright.anchor.evidence import Claim, Evidence, Source
from worldwright.anchor.intake.dispatch import Input, ReadInput, parser_versions
from worldwright.anchor.merge.resources import Decision
from worldwright.core.canonical import digest, sha256
from worldwright.engine.contract import Contract

FORMAT = 1
MAX_LISTED = 500
"""Entries of one list in a lock; what is beyond is counted."""


@dataclass(frozen=True, slots=True)
class Domain:
    """One world of an anchor."""

    name: str
    title: str
    blueprint: str
    """Its text."""
    contract: Contract | None
    contract_text: str
    """As it is kept; empty where the tools are the Blueprint's own."""
    counts: Mapping[str, int]
    """entities, operations, policies, goals, tools"""
    hard: tuple[str, ...] = ()
    """What makes it hard, in words: its rules and the mess in its history."""
    claims: Mapping[str, int] = field(default_factory=dict)
    """How many statements of the evidence concern it, and what became of them."""


@dataclass(frozen=True, slots=True)
class Share:
    """How much of one sort of evidence was used."""

    total: int
    used: int
    unused: tuple[tuple[str, str, str], ...] = ()
    """(what, why, where) of the rest."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Everything that is kept of an upload."""

    name: str
    title: str
    domains: tuple[Domain, ...]
    lock: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    """What is kept for an author, by path: the evidence as text, its operations and its claims."""


def lock_data(
    name: str,
    title: str,
    given: Sequence[Input],
    reads: Sequence[ReadInput],
    evidence: Evidence,
    options: Mapping[str, Any],
    domains: Sequence[Domain],
    decisions: Sequence[Decision],
    coverage: Mapping[str, Share],
    reasons: Sequence[Mapping[str, str]],
    files: Mapping[str, str],
) -> dict[str, Any]:
    """The lock as data, with its own digest."""
    body: dict[str, Any] = {
        "format": FORMAT,
        "anchor": name,
        "title": title,
        "inputs": [_input(one, bool(options.get("anonymised"))) for one in given],
        "parsers": parser_versions(reads),
        "options": dict(options),
        "worlds": [_world(d) for d in domains],
        "reasons": [dict(r) for r in reasons],
        "decisions": _listed([_decision(d) for d in decisions]),
        "claims": [_claim(c) for c in evidence.claims],
        "coverage": {kind: _share(share) for kind, share in coverage.items()},
        "notes": _listed([{"level": n.level, "says": n.says, "source": str(n.source)} for n in evidence.notes]),
        "files": {path: sha256(text.encode()) for path, text in sorted(files.items())},
        "skipped": _listed([{"what": s.what, "why": s.why, "source": str(s.source)} for s in evidence.skipped]),
    }
    return {**body, "digest": digest(body)}


def _input(one: Input, hidden: bool) -> dict[str, Any]:
    """Return what was given. A prompt stands there in full, unless personal data is not to be stored."""
    if one.kind == "prompt" and not hidden:
        return {"kind": "prompt", "says": one.label}
    files = [{"name": u.name, "bytes": len(u.data), "sha256": u.digest} for u in one.uploads]
    return {"kind": one.kind, "files": files}


def _world(domain: Domain) -> dict[str, Any]:
    return {
        "name": domain.name,
        "title": domain.title,
        "blueprint": sha256(domain.blueprint.encode()),
        "contract": sha256(domain.contract_text.encode()) if domain.contract_text else "",
        **domain.counts,
        "hard": list(domain.hard),
        "claims": dict(domain.claims),
    }


def _decision(decision: Decision) -> dict[str, Any]:
    data = asdict(decision)
    return {**data, "sources": [str(s) for s in decision.sources]}


def _claim(claim: Claim) -> dict[str, Any]:
    """A claim as it is kept: without what is empty."""
    data = {**asdict(claim), "source": str(claim.source), "also": [str(s) for s in claim.also]}
    return {key: value for key, value in data.items() if value}


def read_claims(lock: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of a lock."""
    return tuple(
        Claim(c["says"], c["kind"], _source(c["source"]), c.get("heading", ""), c.get("about", ""), c.get("why", ""),
              tuple(map(_source, c.get("also", ()))))
        for c in lock.get("claims", ())
    )  # fmt: skip


def _source(text: str) -> Source:
    file, _, at = text.partition("#")
    return Source(file, at)


def _share(share: Share) -> dict[str, Any]:
    unused = [{"what": what, "why": why, "source": where} for what, why, where in share.unused]
    return {"total": share.total, "used": share.used, "unused": _listed(unused)}


def _listed(entries: Sequence[Mapping[str, Any]]) -> list[Any]:
    more = len(entries) - MAX_LISTED
    return [*entries[:MAX_LISTED], *([{"more": more}] if more > 0 else [])]
