"""Values that look right and that the evidence allows: texts of a form, numbers within bounds."""

from __future__ import annotations

from worldwright.anchor.model.records import Attribute
from worldwright.anchor.schema.patterns import generate_matches

FLAVOURED = 48
LENGTHS = {
    "label": 24,
    "person": 30,
    "city": 24,
    "country": 24,
    "postcode": 12,
    "phone": 20,
    "company": 40,
    "street": 40,
    "email": 48,
}
"""Texts of a kind (names, addresses) fit where at least so many characters may stand."""
MAX_SAMPLES = 12
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
    if longest is not None and longest < LENGTHS.get(a.flavour, FLAVOURED):
        return f"letters({max(1, min(longest, 8))})"
    if a.flavour == "label":
        return f'f"{{pick({_listed(FIRST)})}} {{pick({_listed(SECOND)})}}"'
    return a.flavour or 'f"{letters(2)}-{digits(5)}"'


SAID: dict[str, tuple[str, ...]] = {
    "person": ("Ines Halvorsen", "Tomas Beck", "Amara Cole", "Yuki Tan", "Lena Fischer", "Omar Haddad"),
    "company": ("Northgate Trading", "Bluefin Labs", "Carraway Foods", "Orbit Freight", "Hadley and Sons", "Pine Street Media"),
    "product": ("Spring batch", "Harbour line", "Model K2", "Winter edition", "Trial pack", "Compact set"),
    "label": ("Copper field", "Winter garden", "Lower bridge", "Blue compass", "Second harbour", "Open valley"),
    "sentence": ("as agreed on the phone", "needed before the holidays", "replaces the old one", "urgent, see attachment",
                 "for the autumn campaign", "second attempt"),
    "city": ("Leeds", "Porto", "Aarhus", "Graz", "Utrecht", "Nantes"),
    "country": ("Portugal", "Denmark", "Austria", "Ireland", "Finland", "Belgium"),
    "street": ("12 Mill Lane", "4 Harbour Road", "88 Station Street", "31 Orchard Way", "7 Castle Hill", "205 Park Avenue"),
    "postcode": ("LS1 4AP", "4000-322", "8000", "1012 AB", "44000", "8010"),
    "email": ("orders@northgate.example", "desk@bluefin.example", "info@carraway.example", "team@orbit.example"),
    "phone": ("555-0134", "555-0178", "555-0192", "555-0117", "555-0155", "555-0161"),
}  # fmt: skip
"""By kind of text, what people say."""


FIRST = (
    "Amber",
    "Northern",
    "Harbour",
    "Silver",
    "Quiet",
    "Autumn",
    "Upper",
    "Golden",
    "Cedar",
    "Bright",
    "Eastern",
    "Granite",
)
SECOND = (
    "ridge",
    "meadow",
    "signal",
    "orchard",
    "bridge",
    "summit",
    "lantern",
    "current",
    "garden",
    "compass",
    "valley",
    "anchor",
)
"""Names for whatever has a name of its own."""


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(repr(w) for w in words)


def said_text(a: Attribute) -> str:
    """A text that somebody says, as an expression: of the form that is asked for, of its kind, or a code."""
    known = samples(a)
    if known:
        return f"pick({', '.join(known)})" if len(known) > 1 else known[0]
    longest = a.shape.longest or FLAVOURED
    fitting = [w for w in SAID.get(a.flavour, ()) if len(w) <= longest]
    if fitting:
        return f"pick({', '.join(repr(w) for w in fitting)})"
    return 'f"{letters(2)}-{digits(5)}"' if longest >= 8 else f"letters({max(1, longest)})"


def samples(a: Attribute) -> list[str]:
    """Values that the evidence gives or demands, as texts of an expression."""
    if a.shape.pattern:
        found = generate_matches(a.shape.pattern, a.name)
    else:
        several = (*a.shape.enum, *a.shape.examples)
        found = [str(e) for e in several if isinstance(e, (str, int)) and not isinstance(e, bool)]
    longest = min(60, a.shape.longest or 60)
    return [f"'{e}'" for e in dict.fromkeys(found) if _plain(e) and len(e) <= longest][:MAX_SAMPLES]


def _plain(text: str) -> bool:
    return bool(text) and text.isprintable() and not set("'\\\\{}") & set(text)
