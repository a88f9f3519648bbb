"""States: what the word for a state, or for another choice, says of how things stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from worldwright.app.screens.labels import split_name
from worldwright.english.words import wordset

Tone = Literal["open", "moving", "done", "bad", "plain"]

BAD = wordset(
    """
    rejected declined denied refused cancelled canceled withdrawn dropped blocked suspended failed lost void voided expired
    lapsed overdue broken off terminated revoked missed late erased destroyed revoke block decline reject deny refuse cancel
    disrupted fail delayed held stopped unpaid conflict bounced complained returned damaged stolen red absent poor critical
    forbidden frozen relocated retired removed cut show dirty denounced disputed represented parked
    """
)
"""Words of states in which something went wrong, was called off, or waits because of that."""
DONE = wordset(
    """
    done closed completed complete settled finished final paid approved accepted active released resolved answered delivered
    granted passed passes pass received signed met won kept served worked confirmed issued filed posted matched conferred
    graduated met verified arrived cleared clear spread green good sound strong sent guaranteed fitted live published archived
    mended standing used taken transferred refunded exchanged identified valid reconciled certified shipped
    """
)
"""Words of states in which something came to a good end, or is as it should be."""
OPEN = wordset(
    """
    new open draft drafted reported requested received entered waiting unread unanswered inquiry applicant proposed planned
    pending asked registered unmatched unrouted fresh tentative scheduled reserved booked ordered placed authorised raised
    submitted queued
    """
)
"""Words of states in which somebody has to do something."""


AT_REST = wordset(
    """
    active available free vacant clean valid open_for in_force in_stock in_store kept live current running
    """
)
"""First states in which all is well, and nobody has to do anything."""


def find_tone(word: str, lifecycle: Mapping[str, tuple[str, ...]] | None = None) -> Tone:
    """Tell how things stand from a word, and from where it is in a lifecycle."""
    words = [w.lower() for w in split_name(word)]
    last = words[-1] if words else ""
    if last in BAD or (words and words[0] in ("not", "no", "part", "partly") and last in BAD):
        return "bad"
    if words and words[0] in ("part", "partly", "half"):
        return "moving"
    if lifecycle is None or word not in lifecycle:
        return "done" if last in DONE else "open" if last in OPEN else "plain"
    if word == next(iter(lifecycle)):
        return "done" if word in AT_REST else "open"
    if last in DONE:
        return "done"
    return "moving" if lifecycle[word] else "done"
