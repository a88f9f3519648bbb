"""What was decided where inputs could be understood in more than one way. Records only."""

from __future__ import annotations

from dataclasses import dataclass

from worldwright.anchor.evidence import Source


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice, and why it was made."""

    about: str
    """`thing vendor`, `field order.total`, `operation create_order`"""
    chose: str
    why: str
    over: str = ""
    """What was not chosen; empty where nothing stood against it."""
    sources: tuple[Source, ...] = ()
    """Of what was chosen, then of the rest."""
