"""What somebody has said so far, what they are wrong about until it is doubted, and saying it once more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.people.features import list_stems, list_words, split_sentences
from worldwright.people.signals import doubts, found_otherwise
from worldwright.people.understand import Heard
from worldwright.world.tasks import Fact

_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = frozenset(_MONTH_NAMES.split())
MIN_SHARED_STEMS = 2
"""Words that matter, which a summary has to share with what was said before it is taken for one of it."""
_TOKEN = re.compile(r"[^\W_]+")


def holds(message: str, text: str) -> bool:
    """Whether a message has a text in it, as whole words."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message, re.IGNORECASE) is not None


def was_said(text: str, said: Sequence[str]) -> bool:
    return any(holds(reply, text) for reply in said)


def find_next(texts: Sequence[str], said: Sequence[str]) -> str:
    """Find the first that was not said yet."""
    return next((text for text in texts if not was_said(text, said)), "")


def find_doubted(message: str, facts: Sequence[Fact], heard: Heard, said: Sequence[str]) -> tuple[str, ...]:
    """Find the facts of which somebody has reason to think that they are otherwise than was said: what is true stands in the
    message, or they doubt it, or ask a second time. Where a doubt names nothing, it is about the first that was told."""
    wrong = [fact for fact in facts if fact.thinks and not was_said(fact.says, said)]
    true = tuple(fact.name for fact in wrong if holds(message, fact.says) or _has_what_is_true(message, fact))
    if true:
        return true
    told = [fact for fact in wrong if was_said(fact.thinks, said)]
    doubted = [fact for fact in (wrong if doubts(message) else told) if fact.name in (*heard.asked, *heard.unclear)]
    if doubted and found_otherwise(message):
        return tuple(fact.name for fact in doubted)
    if told and not heard.asked and found_otherwise(message):
        return tuple(fact.name for fact in told[:1])
    return tuple(fact.name for fact in told if fact.name in heard.asked)


def _has_what_is_true(message: str, fact: Fact) -> bool:
    """Whether a message has words in it by which what is true differs from what is believed, and none of those of the belief."""
    true, believed, own = _list_tokens(fact.says), _list_tokens(fact.thinks), _list_tokens(message)
    telling = true - believed
    return bool(telling) and telling <= own and not own & (believed - true)


def _list_tokens(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _TOKEN.findall(text))


def find_repeated(message: str, facts: Sequence[Fact], said: Sequence[str]) -> list[Fact]:
    """Find the fact of which they are asked whether they were heard well: `so it is 2 March?` Nothing new is told by it."""
    texts = [text for fact in facts for text in (fact.says, fact.thinks) if text and holds(message, text)]
    if "?" not in message or not texts or not any(was_said(text, said) for text in texts):
        return []
    return [fact for fact in facts if holds(message, fact.says) or (fact.thinks and holds(message, fact.thinks))][:1]


def find_sentence(message: str, said: Sequence[str], changes: Sequence[str]) -> str:
    """Find the sentence that they have said of what a summary is about; a change of mind before what it takes back. Empty where
    they said nothing of it."""
    figures, stems = _list_figures(message), frozenset(list_stems(list_words(message)))
    newest = [change for change in changes if was_said(change, said)]
    if newest and (not figures or any(figures & _list_figures(change) for change in newest)):
        return newest[-1]
    best, most = "", 0
    for sentence in (one for text in said for one in split_sentences(text)):
        alike = len(stems & frozenset(list_stems(list_words(sentence))))
        shared = 3 * len(figures & _list_figures(sentence)) + alike
        if shared > most and (shared > alike or (not figures and alike >= MIN_SHARED_STEMS)):
            best, most = sentence, shared
    return best


def _list_figures(text: str) -> frozenset[str]:
    """List numbers and months."""
    return frozenset([*_FIGURE.findall(text), *(word for word in list_words(text) if word in _MONTHS)])
