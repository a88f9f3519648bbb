"""Columns that hold the state of a thing: told by their names, and by values that come again and again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from worldwright.anchor.names import parts
from worldwright.english.words import wordset

MAX_STATES = 20
"""Different values in the rows that may still be states."""
MAX_CHARS = 60
STATES = wordset(
    "status state stage phase lifecycle statut etat estado estatus stato fase zustand situacao stav 状態 状态"
)
PLACES = wordset("city town zip zipcode postcode postal plz country province street address")
"""Beside these, a state is a place."""
ENDINGS = wordset("code cd name type flag enum value text")


def names_state(name: str, beside: Iterable[str]) -> bool:
    """Tell whether a column is called like one that holds states, and the columns beside it do not make it a place."""
    words = list(parts(name))
    while len(words) > 1 and words[-1] in ENDINGS:
        words.pop()
    if not words or words[-1] not in STATES:
        return False
    return words[-1] != "state" or not any(PLACES & set(parts(other)) for other in beside)


def list_recurring(values: Sequence[Any], times: int) -> tuple[str, ...]:
    """The few texts that come again, in the order in which they first come; none where they come fewer than so many `times`."""
    texts = [value.strip() for value in values if isinstance(value, str) and value.strip()]
    known = tuple(dict.fromkeys(texts))
    few = 1 < len(known) <= MAX_STATES and len(texts) >= times * len(known) and len(texts) > len(known)
    return known if few and all(len(word) <= MAX_CHARS for word in known) else ()
