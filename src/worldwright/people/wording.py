"""Other words for what a requester says, from somebody who may only word it: taken where they say the same, or else not at all.

Nothing is weighed here. The words that could matter have to be the same in the same order; what may be added, left out or changed
are words that say nothing: articles, pronouns, forms of `be`, courtesies.
"""

from __future__ import annotations

import re

MAX_LONGER = 120
"""Characters that a wording may be longer than what it words."""
_WORD = re.compile(r"[^\W_]+(?:[-'.,:/@_+&][^\W_]+)*|[^\w\s]")
_SILENT = frozenset(".,;:!\"'()-\u2013\u2014\u2018\u2019\u201c\u201d\u2026")
"""Signs that may come and go. A question mark is not one of them."""
_EMPTY = frozenset(
    [
        "a",
        "an",
        "the",
        "this",
        "that",
        "these",
        "those",
        "i",
        "me",
        "my",
        "mine",
        "we",
        "us",
        "our",
        "you",
        "your",
        "it",
        "its",
        "he",
        "him",
        "his",
        "she",
        "her",
        "they",
        "them",
        "their",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "am",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "will",
        "would",
        "could",
        "just",
        "well",
        "oh",
        "ah",
        "so",
        "then",
        "there",
        "here",
        "ok",
        "okay",
        "right",
        "sure",
        "certainly",
        "course",
        "please",
        "thank",
        "thanks",
        "hello",
        "hi",
        "dear",
        "good",
        "morning",
        "afternoon",
        "kindly",
        "let",
        "see",
        "look",
        "glad",
        "happy",
        "hope",
    ]
)
_SHORT = {
    "i'm": "i am", "it's": "it is", "that's": "that is", "i'd": "i would", "i've": "i have", "i'll": "i will", "you're": "you are",
    "we're": "we are", "don't": "do not", "doesn't": "does not", "didn't": "did not", "isn't": "is not", "can't": "can not",
    "cannot": "can not", "won't": "will not", "haven't": "have not", "hasn't": "has not", "wasn't": "was not", "let's": "let us",
}  # fmt: skip


def accept_wording(script: str, said: object) -> str | None:
    """Other words for a reply, as they are said; none where they say more, less or something else, or are no text to be said."""
    if not isinstance(said, str) or not said.isprintable():
        return None
    text = said.strip()
    if not text or len(text) > len(script) + MAX_LONGER:
        return None
    return text if list_telling_words(text) == list_telling_words(script) else None


def list_telling_words(text: str) -> list[str]:
    """The words of a text that could matter, in order; a question ends with `?`."""
    said = (word.casefold() for word in _WORD.findall(text.replace("\u2019", "'")))
    words = " ".join(_SHORT.get(word, word) for word in said).split()
    return [word for word in words if word not in _EMPTY and word not in _SILENT]


def ask_for_wording(script: str, voice: str) -> list[dict[str, str]]:
    """The messages that ask a model for a wording."""
    told = (
        "You give a person's lines their tone of voice. Say the line again as that person would. Keep every name, number, date "
        "and word that carries meaning, in the same order; you may add, leave out or change courtesies, articles and pronouns. "
        "Add no facts, questions, requests or explanations. Answer with the line alone, in one paragraph, without quotation marks."
    )
    return [
        {"role": "system", "content": told},
        {"role": "user", "content": f"Voice: {voice}\nLine: {script}"},
    ]
