"""Prose: which texts hold sentences, by what they are called."""

from __future__ import annotations

from worldwright.app.screens.labels import split_name
from worldwright.english.words import wordset

PROSE = wordset(
    """
    body text message details description comment comments remark remarks note notes reply reason grounds resolution findings
    summary wording statement instructions question answer explanation complaint caption content says because
    """
)


def is_prose(name: str) -> bool:
    """Whether a text of this name holds sentences."""
    words = split_name(name)
    return bool(words) and words[-1].lower() in PROSE
