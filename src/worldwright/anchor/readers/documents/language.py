"""What language a text is written in: by its script, or by a vote of small words."""

from __future__ import annotations

import re
from collections import Counter

from worldwright.anchor.readers.documents.words import wordset

_LOOKED_AT = 200_000
_WORDS = re.compile(r"[^\W\d_]+")
_SMALL: dict[str, frozenset[str]] = {
    "en": wordset(
        "a the and of to in is are be for with that this must shall should on by from or an as it will not can than "
        "has have any each"
    ),
    "de": wordset(
        "der die das und ist nicht ein eine den dem mit von für auf werden wird muss dass zu im oder bei sind"
    ),
    "fr": wordset("le la les des et est une dans pour que qui sur par pas doit être du au avec sont ou ne un"),
    "es": wordset("el la los las y es una en para que por con del debe se al son no un o su como"),
    "pt": wordset("o a os as e é uma em para que por com do da não deve ser no na dos são um ou ao"),
    "it": wordset("il la i gli e è una in per che con del della non deve essere di nel sono un o alla dei le"),
    "nl": wordset("de het een en is niet van voor met op dat moet te worden zijn door wordt of aan bij in kan"),
}
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", "\u3040-\u30ff"),
    ("ko", "\uac00-\ud7af"),
    ("ru", "\u0400-\u04ff"),
    ("ar", "\u0600-\u06ff"),
    ("zh", "\u3400-\u9fff"),
)
_LETTERS = {code: re.compile(f"[{letters}]") for code, letters in _SCRIPTS}
NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "pt": "Portuguese", "it": "Italian", "nl": "Dutch",
    "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Russian", "ar": "Arabic",
}  # fmt: skip


def language_of(text: str) -> str:
    """Two letters, or nothing where it cannot be told."""
    text = text[:_LOOKED_AT]
    words = [w.lower() for w in _WORDS.findall(text)]
    letters = sum(len(w) for w in words)
    if not letters:
        return ""
    for code, form in _LETTERS.items():
        share = len(form.findall(text)) / letters
        if share > (0.08 if code == "ja" else 0.3):
            return code
    votes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for word, n in Counter(words).items():
        for code, small in _SMALL.items():
            if word in small:
                votes[code] += n
                kinds[code] += 1
    best = sorted(votes.items(), key=lambda entry: (-entry[1], entry[0]))
    return best[0][0] if best and kinds[best[0][0]] >= 2 and best[0][1] >= max(2, len(words) // 25) else ""


def of_sentence(text: str, document: str) -> str:
    """The language of one sentence in a document of another: Latin letters in Chinese or Japanese are English."""
    if document in _LETTERS and not any(form.search(text) for form in _LETTERS.values()):
        return "en"
    return document or "en"
