"""Names people type: the nearest right one, plurals, words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint such as ``did you mean `vendor`?``, or the known names where nothing is near."""
    names = sorted(set(known))
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    if not names:
        return ""
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"known: {shown}"


def plural(word: str) -> str:
    """English plural of a lower_case name: `category` to `categories`."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"


def words(name: str) -> str:
    """`purchase_order` as a person says it: `purchase order`."""
    return name.replace("_", " ")


def article(phrase: str) -> str:
    """`an invoice`, `a vendor`."""
    return ("an " if phrase[:1].lower() in "aeiou" else "a ") + phrase


def indefinite(name: str) -> str:
    """`purchase_order` to `a purchase order`."""
    return article(words(name))
