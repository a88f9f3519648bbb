"""Names that look alike: another person or company whose name one has to read twice."""

from __future__ import annotations

import re

from worldwright.core.rng import Stream

_SPELT = (
    ("eyer", "eier"), ("eier", "aier"), ("ph", "f"), ("ie", "ei"), ("ei", "ie"), ("ck", "k"), ("sch", "sh"), ("sson", "sen"),
    ("son", "sen"), ("tt", "t"), ("ll", "l"), ("nn", "n"), ("mm", "m"), ("ss", "s"), ("th", "t"), ("oo", "o"), ("ou", "o"),
    ("ay", "ey"), ("y", "i"), ("z", "s"), ("t", "tt"), ("l", "ll"), ("n", "nn"), ("r", "rr"), ("s", "ss"), ("m", "mm"),
    ("c", "k"), ("a", "e"), ("o", "u"),
)  # fmt: skip
"""How one name is spelt and another that sounds like it."""
_WORDS = (
    ("Supplies", "Supply"), ("Supply", "Supplies"), ("Industries", "Industrial"), ("Services", "Service"), ("Service", "Services"),
    ("Systems", "System"), ("Partners", "Partner"), ("Brothers", "Bros"), ("Sons", "Son"), ("Group", "Groupe"),
)  # fmt: skip
"""Words of companies, and others that are taken for them."""


def make_look_alike(text: str, stream: Stream) -> str:
    """Another name that is easily taken for this one: `Anna Meyer` and `Anna Meier`, `Northfield Supplies` and `Northfield Supply`.

    It differs from the text in a letter or two, wherever the text has a word of three letters.
    """
    for word, other in _WORDS:
        if re.search(rf"\b{word}\b", text):
            return re.sub(rf"\b{word}\b", other, text, count=1)
    parts = re.findall(r"[^\W\d_]+|[\W\d_]+", text)
    long = [i for i, part in enumerate(parts) if len(part) > 2 and part.isalpha()]
    if not long:
        return f"{text} 2"
    spot = stream.pick(long[:2]) if len(long) > 2 else long[-1]
    parts[spot] = _respelt(parts[spot])
    return "".join(parts)


def _respelt(word: str) -> str:
    """The word with one sound spelt otherwise, behind its first letter."""
    head, tail = word[:1], word[1:]
    for one, other in _SPELT:
        if one in tail.casefold():
            at = tail.casefold().index(one)
            return head + tail[:at] + other + tail[at + len(one) :]
    return word + word[-1]
