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


_AS_YOU = re.compile(
    r"u(?:ni(?!n|m)|[st](?:[aeiou]|ili)|r[ae]n|biq)|(?:uk|url|uri|uuid|usb|utc|ui|upc)\b|eu|ewe|one?(?:\b|-|ce)",
    re.IGNORECASE,
)
"""Beginnings with a vowel that sound like `you` or `won`: a user, a unit, a European, a one-off."""
_SILENT = re.compile(r"(?:hour|heir|hono|honest)", re.IGNORECASE)


def article(phrase: str) -> str:
    """`an invoice`, `a vendor`, `a user`, `an hour`."""
    vowel = phrase[:1].lower() in tuple("aeiou") and not _AS_YOU.match(phrase)
    return ("an " if vowel or _SILENT.match(phrase) else "a ") + phrase


def indefinite(name: str) -> str:
    """`purchase_order` to `a purchase order`."""
    return article(words(name))
