"""The language that a text is written in, told from its script or by a vote of its small words."""

from __future__ import annotations

import re
from collections import Counter

from worldwright.english.words import wordset

MAX_CHARS = 200_000
"""Characters that are looked at."""
MIN_SHARE = 25
"""Of so many words of a text, at least one has to be a small word of its language."""
_WORD = re.compile(r"[^\W\d_]+")
_SMALL: dict[str, frozenset[str]] = {
    "en": wordset(
        "a the and of to in is are be for with that this must shall should on by from or an as it will not can than has have any "
        "each you your which"
    ),
    "de": wordset(
        "der die das und ist nicht ein eine den dem mit von für auf werden wird muss dass zu im oder bei sind sie"
    ),
    "fr": wordset(
        "le la les des et est une dans pour que qui sur par pas doit être du au aux avec sont ou ne un vous votre ce"
    ),
    "es": wordset("el la los las y es una en para que por con del debe se al son no un o su como más este esta puede"),
    "pt": wordset("o a os as e é uma em para que por com do da não deve ser no na dos são um ou ao mais pode"),
    "it": wordset(
        "il la lo i gli e è una in per che con del della non deve essere di nel sono un o alla dei le si come più"
    ),
    "nl": wordset(
        "de het een en is niet van voor met op dat moet te worden zijn door wordt of aan bij in kan uit deze"
    ),
    "pl": wordset("i w na z do jest nie się że dla oraz lub przez jako po od za który być może"),
    "sv": wordset("och att det som en ett är för av på med inte till den de kan om från eller ska"),
}
_SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "zh": re.compile(r"[\u3400-\u9fff]"),
}
"""In the order in which they decide: Japanese is written with Chinese characters too."""
NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "pt": "Portuguese", "it": "Italian", "nl": "Dutch",
    "pl": "Polish", "sv": "Swedish", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Russian", "el": "Greek",
    "ar": "Arabic", "he": "Hebrew", "th": "Thai", "hi": "Hindi",
}  # fmt: skip


def language_of(text: str) -> str:
    """Tell the language of a text as two letters; empty where there is too little prose to tell."""
    text = text[:MAX_CHARS]
    words = [w.lower() for w in _WORD.findall(text)]
    letters = sum(map(len, words))
    if not letters:
        return ""
    for code, script in _SCRIPTS.items():
        if len(script.findall(text)) / letters > (0.08 if code == "ja" else 0.3):
            return code
    votes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for word, times in Counter(words).items():
        for code, small in _SMALL.items():
            if word in small:
                votes[code] += times
                kinds[code] += 1
    best = min(votes, key=lambda code: (-votes[code], code), default="")
    return best if kinds[best] >= 2 and votes[best] >= max(2, len(words) // MIN_SHARE) else ""


def language_of_sentence(text: str, document: str) -> str:
    """Tell the language of one sentence in a document of another: Latin letters in Chinese or Japanese are English."""
    if document in _SCRIPTS and not any(script.search(text) for script in _SCRIPTS.values()):
        return "en"
    return document or "en"
