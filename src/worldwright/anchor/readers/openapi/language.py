"""The language of prose, told from its letters and its most common words."""

from __future__ import annotations

import re
from collections import Counter

LONGEST = 20_000
"""Characters that are looked at."""
FEWEST = 4
"""Common words that have to be found."""

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
"""In the order in which they decide: Japanese is written with Chinese characters too."""

_WORDS = {
    "en": "the of and to is for this that with be are you your will an can which from not",
    "de": "der die das und ist nicht ein eine für mit von werden wird auf den dem zu oder bei sie",
    "fr": "le les des et est une pour dans par sur avec qui au aux vous votre pas ce cette ou",
    "es": "el los las y es una para por con que del se su al como más este esta puede lista",
    "pt": "o os um uma e é para por com que do da dos das não se ao como mais pode",
    "it": "il lo gli e è un una per con che di del della dei non si al come più questo",
    "nl": "de het een en van is voor met niet op te dat zijn wordt aan door of bij uit deze",
    "pl": "i w na z do jest nie się że dla oraz lub przez jako po od za który być może",
    "sv": "och att det som en ett är för av på med inte till den de kan om från eller ska",
}
_BY_WORD = {
    language: frozenset(words.split()) - {"list"}
    for language, words in _WORDS.items()
}  # fmt: skip


def language_of(text: str) -> str:
    """A two-letter code; empty where there is too little prose to tell."""
    text = text[:LONGEST]
    letters = sum(ch.isalpha() for ch in text)
    for language, letter in _SCRIPTS:
        found = len(letter.findall(text))
        if found >= 2 and found * 10 > letters:
            return language
    words = Counter(re.findall(r"[^\W\d_]+", text.lower()))
    scores = {language: sum(words[w] for w in common) for language, common in _BY_WORD.items()}
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] >= FEWEST else ""
