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
    r"\byou (?:should|need|have to|must|can|could|may|might|will|want)\b|\bneeds? (?:you )?to\b|\b(?:want|like|ask) you\b"
    r"|\blet(?:'s| us)\b|\b(?:has|have) to\b|\b(?:must|should)\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    _LEAD
    + r"(?:is|are|was|were|does|has|did|which|what|how|have you|(?:may|can|shall|should|could) (?:i|we|they|he|she|it))\b"
    r"|\b(?:see|check|tell me|look|find out|verify|confirm) (?:if|whether|that|how|what|which)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"n['\u2019]t\b|\b(?:not|never|cannot|nobody|no one|nothing|forget|no need|hold (?:on|off)|wait|keep)\b|^\W*(?:no|stop)\b"
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
_DIGITS = re.compile(r"[A-Za-z]*\d+[A-Za-z]*")


@dataclass(frozen=True, slots=True)
class Deed:
    """What may be told of something that is done, from what it is called and how it is asked for."""

    looks: bool
    """Whether it is a look at how things are."""
    on: bool
    off: bool
    figures: frozenset[str]
    """Words with digits in what it is called."""


@lru_cache(maxsize=2_000)
def read_deed(called: tuple[str, ...], asked: tuple[str, ...]) -> Deed:
    texts = (*called, *asked)
    return Deed(
        all(_LOOKS.match(text) for text in called),
        any(_ON.search(text) for text in texts),
        any(_OFF.search(text) for text in texts),
        list_figures(called),
    )


def list_figures(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(word.casefold() for text in texts for word in _DIGITS.findall(text))


def may_be_an_order(text: str, deed: Deed) -> bool:
    """Whether a sentence can be an order to do this."""
    if _ELSEWHERE.match(text) or _NOT.search(text) or text.rstrip().endswith(":"):
        return False
    if _SUBJECT.match(text) and not is_asking(text) and not _ORDER.search(text):
        return False
    if not deed.looks and _STATE.search(text):
        return False
    on, off = _ON.search(text) is not None, _OFF.search(text) is not None
    if on != off and deed.on != deed.off and on != deed.on:
        return False
    figures = list_figures([text])
    return not (figures and deed.figures) or bool(figures & deed.figures)
