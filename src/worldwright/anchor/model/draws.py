"""Values that look right and that the evidence allows: texts of a form, numbers within bounds."""

from __future__ import annotations

from worldwright.anchor.model.records import Attribute
from worldwright.anchor.patterns import matching
from worldwright.core.names import words

FLAVOURED = 48
"""Texts of a kind (names, addresses) fit where at least so many characters may stand."""
MOST = 12
FAR = 10**9


def bounds(a: Attribute) -> tuple[int, int]:
    """The least and the most that a number may be."""
    low = int(a.shape.minimum) if a.shape.minimum is not None and abs(a.shape.minimum) < FAR else 1
    high = int(a.shape.maximum) if a.shape.maximum is not None and abs(a.shape.maximum) < FAR else max(low, 0) + 99
    return min(low, high), high


def text_draw(a: Attribute) -> str:
    """How a text is drawn: an expression, or the kind of text where the language knows one."""
    if a.kind == "json":
        return "'{}'" if a.shape.kind == "object" else "'[]'"
    if a.kind == "list":
        return "'7'" if a.shape.items is not None and a.shape.items.kind == "integer" else "'standard'"
    known = samples(a)
    if known and (len(known) > 1 or not a.flavour):
        return f"pick({', '.join(known)})" if len(known) > 1 else known[0]
    longest = a.shape.longest
    if longest is not None and longest < FLAVOURED:
        return f"letters({max(1, min(longest, 8))})"
    return a.flavour or f'f"{words(a.name)} {{letters(5)}}"'


def samples(a: Attribute) -> list[str]:
    """Values that the evidence gives or demands, as texts of an expression."""
    if a.shape.pattern:
        found = matching(a.shape.pattern, a.name)
    else:
        several = (*a.shape.enum, *a.shape.examples)
        found = [str(e) for e in several if isinstance(e, (str, int)) and not isinstance(e, bool)]
    longest = min(60, a.shape.longest or 60)
    return [f"'{e}'" for e in dict.fromkeys(found) if _plain(e) and len(e) <= longest][:MOST]


def _plain(text: str) -> bool:
    return bool(text) and text.isprintable() and not set("'\\\\{}") & set(text)
