"""Nouns: their singular, their plural and their article.

The plural of a name stands in generated Blueprints and packs, so it follows four rules that never change. Reading is more careful
than writing: `singular` knows the nouns that the rules get wrong. `inflect` does both, but it takes seconds to import, brings
three more packages, and changes with its releases what generated files say.
"""

from __future__ import annotations

import re
from functools import lru_cache

from worldwright.core.names import to_words
from worldwright.english.words import wordmap, wordset

_IRREGULAR = wordmap(
    """
    people=person men=man women=woman children=child feet=foot mice=mouse criteria=criterion indices=index matrices=matrix
    vertices=vertex analyses=analysis axes=axis bases=base lives=life shelves=shelf knives=knife leaves=leave quizzes=quiz
    buses=bus gases=gas statuses=status bonuses=bonus aliases=alias biases=bias canvases=canvas atlases=atlas lenses=lens
    viruses=virus campuses=campus menus=menu heroes=hero potatoes=potato echoes=echo movies=movie cookies=cookie
    caches=cache cliches=cliche
    """
)
_NO_PLURAL = wordset(
    """
    series species news goods customs premises sms gas bus lens bonus canvas alias bias atlas always less across whereas perhaps
    overseas chaos kudos cosmos analytics logistics statistics mathematics economics electronics physics politics ethics
    diagnostics athletics aerobics genetics robotics christmas texas
    """
)
"""Words that end like plurals and are none, or that have no other singular."""


@lru_cache(maxsize=20_000)
def singular(word: str) -> str:
    """The singular of a word in lower case, without a possessive 's: `categories` to `category`, `boxes` to `box`."""
    low = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _NO_PLURAL or len(low) < 4 or not low.endswith("s") or low.endswith(("ss", "us", "is", "aas", "oas")):
        return low
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    if low.endswith(("xes", "zes", "ches", "shes", "sses")):
        return low[:-2]
    return low[:-1]


def plural(word: str) -> str:
    """The plural of a lower_case name: `category` to `categories`, `piece of evidence` to `pieces of evidence`."""
    head, of, rest = word.partition(" of ")
    if of:
        return f"{plural(head)}{of}{rest}"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"


def count_noun(number: int, noun: str) -> str:
    """A number with its noun: `1 world`, `1,200 worlds`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


_AS_YOU = re.compile(
    r"u(?:ni(?!n|m)|[st](?:[aeiou]|ili)|r[ae]n|biq)|(?:uk|url|uri|uuid|usb|utc|ui|upc)\b|eu|ewe|one?(?:\b|-|ce)",
    re.IGNORECASE,
)
"""Beginnings with a vowel that sound like `you` or `won`: a user, a unit, a European, a one-off."""
_SILENT = re.compile(r"(?:hour|heir|hono|honest)", re.IGNORECASE)


def article(phrase: str) -> str:
    """A phrase with its indefinite article: `an invoice`, `a vendor`, `a user`, `an hour`."""
    vowel = phrase[:1].lower() in tuple("aeiou") and not _AS_YOU.match(phrase)
    return ("an " if vowel or _SILENT.match(phrase) else "a ") + phrase


def indefinite(name: str) -> str:
    """A name as words with their indefinite article: `purchase_order` to `a purchase order`."""
    return article(to_words(name))
