"""An anchor: what was given, what was made of it, and why; the same for the same inputs on any machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from worldwright.anchor.evidence import Claim, Evidence, Note, Skipped, Source
from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.merge import Decision
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
class Worlds:
    """What was made of the evidence, and why."""

    name: str
    title: str
    domains: tuple[Domain, ...]
    coverage: Mapping[str, Share]
    reasons: tuple[Mapping[str, str], ...]
    decisions: tuple[Decision, ...] = ()
    notes: tuple[Note, ...] = ()


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
    made: Worlds,
    given: Sequence[Input],
    parsers: Mapping[str, Any],
    evidence: Evidence,
    options: Mapping[str, Any],
    files: Mapping[str, str],
) -> dict[str, Any]:
    """The lock as data, with its own digest."""
    body: dict[str, Any] = {
        "format": FORMAT,
        "anchor": made.name,
        "title": made.title,
        "inputs": [_input(one, bool(options.get("anonymised"))) for one in given],
        "parsers": parsers,
        "options": options,
        "worlds": [_world(d) for d in made.domains],
        "reasons": list(made.reasons),
        "decisions": _listed(made.decisions),
        "claims": [{key: value for key, value in _plain(claim).items() if value} for claim in evidence.claims],
        "coverage": {
            kind: {
                "total": s.total,
                "used": s.used,
                "unused": _listed([Skipped(what, why, Source(where)) for what, why, where in s.unused]),
            }
            for kind, s in made.coverage.items()
        },
        "notes": _listed(evidence.notes),
        "files": {path: sha256(text.encode()) for path, text in sorted(files.items())},
        "skipped": _listed(evidence.skipped),
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


def _plain(record: Any) -> dict[str, Any]:
    """A record as data, with the places that it names as texts."""
    out = asdict(record)
    for name in ("source", "sources", "also"):
        held = getattr(record, name, None)
        if held is not None:
            out[name] = str(held) if isinstance(held, Source) else [str(s) for s in held]
    return out


def _listed(records: Sequence[Any]) -> list[dict[str, Any]]:
    more = len(records) - MAX_LISTED
    return [*map(_plain, records[:MAX_LISTED]), *([{"more": more}] if more > 0 else [])]


def read_claims(lock: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of a lock."""
    texts = ("says", "kind", "heading", "about", "why")
    return tuple(
        Claim(
            **{k: c.get(k, "") for k in texts}, source=_source(c["source"]), also=tuple(map(_source, c.get("also", ())))
        )
        for c in lock.get("claims", ())
    )


def _source(text: str) -> Source:
    file, _, at = text.partition("#")
    return Source(file, at)
