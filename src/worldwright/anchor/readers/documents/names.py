"""The things, roles and states that a document names, found again in its sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from worldwright.anchor.readers.documents.words import key_of, words_of
from worldwright.english.nouns import singular

_LONGEST = 6
"""Words of a name."""
MOST = 12
"""Names of one sentence."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names by their words in the singular."""

    known: dict[tuple[str, ...], str]
    exact: dict[tuple[str, ...], str]
    """Those that count only where they are written with a capital, such as states."""
    wide: tuple[str, ...] = ()
    """Those in a script without spaces."""

    def within(self, text: str) -> tuple[str, ...]:
        """The names in a sentence, in order, the longest where several fit."""
        words = [w for w in words_of(text) if w.text[0].isalnum()]
        keys = [singular(w.text) for w in words]
        found: dict[str, None] = {}
        position = 0
        while position < len(words) and len(found) < MOST:
            for length in range(min(_LONGEST, len(words) - position), 0, -1):
                key = tuple(keys[position : position + length])
                name = self.known.get(key)
                if name is None and words[position].text[0].isupper():
                    name = self.exact.get(key)
                if name is not None:
                    found.setdefault(name)
                    position += length - 1
                    break
            position += 1
        for name in self.wide:
            if len(found) < MOST and name in text:
                found.setdefault(name)
        return tuple(found)


def names_of(known: Sequence[str], states: Sequence[str]) -> Names:
    """An index of names; the first one wins where two are the same but for case and number. A noun alone stands for the only name
    that ends in it: `agent` for `Support agent`."""
    plain: dict[tuple[str, ...], str] = {}
    exact: dict[tuple[str, ...], str] = {}
    wide: dict[str, None] = {}
    for table, names in ((plain, known), (exact, states)):
        for name in names:
            key = key_of(name)
            if name and ord(name[0]) > 0x2E80 and len(name) > 1:
                wide.setdefault(name)
            elif key and len(key) <= _LONGEST:
                table.setdefault(key, name)
    for key, n in Counter(k[-1:] for k in plain).items():
        if n == 1 and key not in plain:
            plain[key] = next(plain[k] for k in plain if k[-1:] == key)
    return Names(plain, exact, tuple(wide))
