"""What came of adapting a Blueprint of the catalogue to a document. Records only."""

from __future__ import annotations

from dataclasses import dataclass

from worldwright.anchor.evidence import Source


@dataclass(frozen=True, slots=True)
class Match:
    """Something of the document that is something of the Blueprint."""

    kind: str
    """thing or rule"""
    what: str
    """As the document calls it."""
    node: str
    """In the Blueprint: `entities.vendor`."""
    why: str
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A node of the Blueprint that is no longer the catalogue's."""

    node: str
    says: str
    """What was changed, and from what."""
    source: Source | None = None
    """The span that it was changed for; None where somebody asked for it."""


@dataclass(frozen=True, slots=True)
class Unused:
    """Something of the document that the Blueprint does not have."""

    what: str
    why: str
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Adapted:
    """A Blueprint of the catalogue as a document would have it."""

    blueprint: str
    """Its text. It loads and checks."""
    base: str
    """The domain of the catalogue."""
    matched: tuple[Match, ...]
    adapted: tuple[Change, ...]
    borrowed: tuple[str, ...]
    """Every node that is only the catalogue's: `policies.bank_verified`. Each says so in its `source`."""
    unused: tuple[Unused, ...]
