"""What keeps somebody from doing what nobody asked them to: saying how things are, or asking how they are, is no order, and an
order to switch a thing on is none to switch it off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldwright.people.features import is_asking

ACTION = "action"
"""What something that is done is to whoever asks for it."""
_LEAD = (
    r"^\W*(?:(?:and|so|ok|okay|well|now|next|then|first|alright|all right|great|thanks|thank you|please|also)\b\W*)*"
)
_ELSEWHERE = re.compile(_LEAD + r"(?:where|when|who|whom|whose|why)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    _LEAD + r"(?:i|we|it|this|that|the|your|my|there|here|you|he|she|they|our|his|her|their|these|those)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\bi(?: would|['\u2019]d) like\b|\bi (?:need|want)\b|\b(?:you|they) (?:should|need|have to|must|can|could|may|will|want)\b"
    r"|\bneeds? (?:you )?to\b|\b(?:want|like|ask) you\b"
    r"|\blet(?:'s| us)\b|\b(?:has|have) to\b|\b(?:must|should)\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    _LEAD + r"(?:is|are|was|were|does|has|did|which|what|how|have you|(?:may|can|shall|should|could) (?:i|we))\b"
    r"|\b(?:see|check|tell me|look|find out|verify|confirm) (?:if|whether|that|how|what|which)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"n['\u2019]t\b|\b(?:not|never|cannot|nobody|no one|nothing|forget|no need|hold (?:on|off)|keep)\b"
    r"|\bwait (?:with|until|till|for|before)\b|^\W*(?:no|stop|wait)\b"
    r"|\bleave (?:it|that|this|them|everything|(?:the|your) \w+(?: \w+)?) (?:on|off|alone|as|running|there|be|in|out)\b",
    re.IGNORECASE,
)
"""What is not to be done. It is not told from what is to be done in the same sentence: better asked again than done."""
_LOOKS = re.compile(
    r"\W*(?:check|look|read|see|tell|describe|measure|test|count|find|verify|try|run|report|watch|show|compare|note|spell|say)\b",
    re.IGNORECASE,
)
_TURN = r"\b(?:turn|switch|flip|put|power|toggle)(?:s|ed|ing|ped|ping)?\b(?:\W+[\w'-]+){0,5}?\W+"
_ON = re.compile(_TURN + r"on\b|\b(?:enabl|activat)\w+|\b(?:re)?connect(?:s|ed|ing)?\b", re.IGNORECASE)
_OFF = re.compile(_TURN + r"off\b|\b(?:disabl|deactivat)\w+|\bdisconnect(?:s|ed|ing)?\b", re.IGNORECASE)
_ENDS = re.compile(r"(?<=[.?!])\s+")
_DIGITS = re.compile(r"[A-Za-z]*\d+[A-Za-z]*")


@dataclass(frozen=True, slots=True)
class ActTraits:
    """What may be told of something that is done, from what it is called and how it is asked for."""

    looks: bool
    """Whether it is a look at how things are."""
    on: bool
    off: bool
    figures: frozenset[str]
    """Words with digits in what it is called."""


@lru_cache(maxsize=2_000)
def read_traits(called: tuple[str, ...], asked: tuple[str, ...]) -> ActTraits:
    texts = (*called, *asked)
    return ActTraits(
        any(_LOOKS.match(text) for text in called),
        any(_ON.search(text) for text in texts),
        any(_OFF.search(text) for text in texts),
        list_figures(called),
    )


def list_figures(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(word.casefold() for text in texts for word in _DIGITS.findall(text))


def may_be_an_order(text: str, traits: ActTraits) -> bool:
    """Whether a sentence can be an order to do this. Where it points back to another, both are given: the last decides."""
    last = _ENDS.split(text.strip())[-1]
    if _ELSEWHERE.match(last) or _NOT.search(text) or last.endswith(":"):
        return False
    if _SUBJECT.match(last) and not is_asking(last) and not _ORDER.search(last):
        return False
    if not traits.looks and _STATE.search(last):
        return False
    on, off = _ON.search(text) is not None, _OFF.search(text) is not None
    if on != off and traits.on != traits.off and on != traits.on:
        return False
    figures = list_figures([text])
    return not (figures and traits.figures) or bool(figures & traits.figures)
