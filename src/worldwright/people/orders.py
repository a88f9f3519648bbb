"""What keeps somebody from doing or telling what nobody asked them for: saying how things are, or asking how they are, is no order,
an order to switch a thing on is none to switch it off, and an offer of what is ours is no question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldwright.english.stems import cut_ending
from worldwright.people.features import is_asking, says_something

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
    r"|\blet(?:'s| us)\b|\b(?:has|have) to\b|(?<!there )\b(?:must|should)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    _LEAD
    + r"(?:let me(?! know\b)|(?:i|we)(?: will| am going to| are going to|['\u2019]ll|['\u2019]m going to))\b[^?]*$"
    r"|\b(?:ok|okay|fine|all right|alright)\b[^.?!]* if (?:i|we)\b",
    re.IGNORECASE,
)
"""What the desk does itself."""
_IS_SO = re.compile(_LEAD + r"(?:[\w'-]+ ){1,3}(?:is|are|was|were|looks|seems|stays)\b", re.IGNORECASE)
_POLITE = re.compile(
    r"\b(?:can|could|would|will|might|please|pls|kindly|mind|why not|why don['\u2019]t you|how about|what about)\b",
    re.IGNORECASE,
)
"""One of these stands in an order that is put as a question."""
_TAIL = re.compile(
    r"(?:,? (?:and|then|so)|[,;:])(?: then| please)*\W+(?:please )?"
    r"(?:let me know|tell me|tell us|confirm|report|say|write|see|check|note|look|read|share|give me|inform|reply|revert|text me"
    r"|message me)\b[^.?!]*"
    r"|[.!] (?:tell me|let me know)\b[^.?!]*",
    re.IGNORECASE,
)
"""What is to be told when it is done: `and let me know when it is up again`."""
_COURTEOUS = r"(?! you (?:can|could|would|will|don['\u2019]t|do not|please|like|may|have|get|are ready)\b)"
_LATER = re.compile(
    rf"\b(?:when{_COURTEOUS}|if{_COURTEOUS}(?! possible\b)|once(?! (?:more|again|and)\b)(?!\W*(?:$|,))|as soon as"
    r"|after(?! (?:that|this)\b)|from when|until|unless|later|tomorrow|tonight|whenever|either"
    r"|at \d{1,2}(?::\d\d)?|at (?:noon|midnight)|next (?:week|day)"
    r"|in (?:an?|\d+|\w+) (?:hours?|minutes?|days?))\b|\byou (?:may|can)\b(?![^.!]*\?)|\bfeel free\b|^\W*then\b",
    re.IGNORECASE,
)
"""What is not for now, or not for sure: it is asked back."""
_OFF_AND_ON = re.compile(r"\boff and (?:back |then )?on\b", re.IGNORECASE)
_DOING_WORDS = """
all again back check close confirm give go look make now off once open out pay plug press pull push put read reboot reset restart
see set sign start stop sure switch take tell try turn unplug whether works
"""
_DOING = frozenset(map(cut_ending, _DOING_WORDS.split()))
"""Stems of what is done, whatever it is done to."""
_STATE = re.compile(
    _LEAD + r"(?:is|are|was|were|does|has|did|which|what|how|have you|do you (?:know|have|see|get|use|notice|remember)"
    r"|(?:may|can|shall|should|could) (?:i|we)(?! (?:please |kindly |just )*(?:ask|request|trouble|bother)))\b|\bon or off\b"
    r"|\b(?:see|check|tell me|look|find out|verify|confirm|explain|know) (?:if|whether|that|how|what|which|when|where|why|who"
    r"|the (?:time|moment|day))\b",
    re.IGNORECASE,
)
_LACKS = re.compile(
    r"n['\u2019]t\b|\b(?:no|not|none|nothing|nobody|nowhere|without|yet|still|only|until|unless|before|grateful|wants?|wish|would"
    r"|lack(?:s|ing)?|waits?|waiting|unset|unclear|open|vacant|outstanding|stuck|depends?|so let|point me|i have to|after the"
    r"|room for|ask(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    _LEAD + r"(?:(?:do not|don['\u2019]t|never)\s(?!you\b)|(?:ignore|disregard|forget|print|dump|output)\b)",
    re.IGNORECASE,
)
_SPILL = re.compile(
    r"\b(?:everything|all)\b.{0,20}\byou(?:['\u2019]ve| have)? (?:know|have|got|told|remember)\b", re.IGNORECASE
)
_COURTESY = re.compile(
    r"\bhow(?:['\u2019]s| is| are| was| were| has| have)\b[^.?!]*"
    r"\b(?:you|things|day|week|weekend|morning|afternoon|evening|holiday)"
    r"(?: going| doing| been| so far| today| keeping| there)*\W*$"
    r"|^\W*(?:i )?hope\b",
    re.IGNORECASE,
)
_WROTE = re.compile(
    _LEAD + r"(?:i|we)(?: have|['\u2019]ve) (?:now |just |already |also )*(?:put|set|sent|made|\w+ed)\b[^?]*$",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    _LEAD
    + r"(?:do you want|would you (?:like|care)|are you interested|have you (?:heard|tried|seen|thought)|did you know"
    r"|(?:may|can) i (?:offer|interest)|how about)\b.*\bour\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"n['\u2019]t\b|\b(?:not|never|cannot|nobody|no one|nothing|forget|no need|hold (?:on|off)|keep)\b"
    r"|\bwait (?:with|until|till|for|before)\b|^\W*(?:no|stop|wait)\b"
    r"|\b(?:refrain|avoid|abstain)(?:s|ing)? (?:from|\w+ing)\b|\b(?:prevent|keep|stop)(?:s|ing)? (?:\w+ ){1,4}from\b"
    r"|\bas (?:it|they|he|she) (?:is|are)\b|\bstays? (?:on|off|in|out|as)\b"
    r"|\bleave (?:it|that|this|them|everything|(?:the|your) \w+(?: \w+)?) (?:on|off|alone|as|running|there|be|in|out)\b",
    re.IGNORECASE,
)
"""What is not to be done. It is not told from what is to be done in the same sentence: better asked again than done."""
_LOOK_WORDS = re.compile(
    _LEAD
    + r"(?:is|are|was|were|do|does|did|has|have)\b|\b(?:check|look|see|tell|read|describe|show|find|verify|know|say|report"
    r"|measure|test|run|try|watch|compare|view|list|open|pull up|retrieve|give|name|confirm|spell|prove"
    r"|make sure|ensure|examine|inspect|glance|count|note|status|state|figure|need|recogni[sz]e|any|what"
    r"|which|how|who|where|whether|on or off)(?:s|ing|ed)?\b",
    re.IGNORECASE,
)
"""One of these stands in what asks for a look at something."""
_LOOKS = re.compile(
    r"\W*(?:check|look|read|see|tell|describe|measure|test|count|find|verify|try|run|report|watch|show|compare|note|spell|say)\b",
    re.IGNORECASE,
)
_TURN = r"\b(?:turn|switch|flip|put|power|toggle|set|move)(?:s|ed|ing|ped|ping)?\b(?:\W+[\w'-]+){0,5}?\W+"
_ON = re.compile(_TURN + r"on\b|\b(?:enabl|activat)\w+|\b(?:re)?connect(?:s|ed|ing)?\b", re.IGNORECASE)
_OFF = re.compile(_TURN + r"off\b|\b(?:disabl|deactivat)\w+|\bdisconnect(?:s|ed|ing)?\b", re.IGNORECASE)
_ENDS = re.compile(r"(?<=[.?!])\s+")
_DIGITS = re.compile(r"[A-Za-z]*\d+[A-Za-z]*")


@dataclass(frozen=True, slots=True)
class ActTraits:
    """What may be told of something that is done, from what it is called and how it is asked for."""

    looks: bool
    """Whether it is a look at how things are."""
    only_looks: bool
    """Whether all who ask for it speak of looking."""
    on: bool
    off: bool
    both: bool
    """Whether it is switched off and on again."""
    figures: frozenset[str]
    """Words with digits in what it is called."""


@lru_cache(maxsize=2_000)
def read_traits(called: tuple[str, ...], asked: tuple[str, ...]) -> ActTraits:
    texts = (*called, *asked)
    named = called if any(_ON.search(text) or _OFF.search(text) for text in called) else texts
    return ActTraits(
        any(_LOOKS.match(text) for text in called),
        all(_LOOK_WORDS.search(text) for text in texts),
        any(_ON.search(text) for text in named),
        any(_OFF.search(text) for text in named),
        any(_OFF_AND_ON.search(text) for text in called),
        list_figures(called),
    )


def list_figures(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(word.casefold() for text in texts for word in _DIGITS.findall(text))


def may_be_a_question(text: str) -> bool:
    """Whether a sentence can ask for something: one that says how things are does, where it says that something is missing."""
    if _FORBIDS.search(text) or _SPILL.search(text) or _OFFERS.search(text) or _COURTESY.search(text):
        return False
    if not _SUBJECT.match(text) or _LACKS.search(text) or _ORDER.search(text):
        return True
    return is_asking(text) and not _WROTE.match(text)


def find_head(text: str) -> str:
    """An order without what is to be told of it; where there is no more than that, all of it."""
    head = _TAIL.sub("", text)
    return head + "?" * text.endswith("?") if says_something(head) else text


def find_tail(text: str) -> str:
    """What is to be told of an order when it is done; nothing where there is no more than the order."""
    found = _TAIL.search(text)
    return found[0].lstrip(" ,;:.!") if found and find_head(text) != text else ""


def turns_on(text: str) -> bool:
    """Whether something is switched on."""
    return _ON.search(text) is not None


def turns_off(text: str) -> bool:
    return _OFF.search(text) is not None


def is_for_now(text: str) -> bool:
    """Whether an order is for now, and for sure."""
    return _LATER.search(_TAIL.sub("", text)) is None


def is_forbidden(text: str) -> bool:
    """Whether somebody says what is not to be done."""
    return _NOT.search(text) is not None


def names_it(said: Sequence[str], known: frozenset[str]) -> bool:
    """Whether what an order is about is named in words that are known of it: `restart your computer` is not about a router."""
    things = known - _DOING
    return not things or not things.isdisjoint(said) or known.issuperset(said)


def may_be_an_order(text: str, traits: ActTraits) -> bool:
    """Whether a sentence can be an order to do this. Where it points back to another, both are given: the last decides."""
    last = _ENDS.split(text.strip())[-1]
    if _ELSEWHERE.match(last) or _NOT.search(text) or last.endswith(":"):
        return False
    if traits.only_looks and not _LOOK_WORDS.search(text):
        return False
    if _OWN.search(last):
        return False
    if (_SUBJECT.match(last) or _IS_SO.match(last)) and not is_asking(last) and not _ORDER.search(last):
        return False
    head = find_head(last)
    if not traits.looks and (_STATE.search(head) or (head.endswith("?") and not _POLITE.search(head))):
        return False
    on, off = _ON.search(text) is not None, _OFF.search(text) is not None
    if on != off and ((traits.on != traits.off and on != traits.on) or traits.both):
        return False
    figures = list_figures([text])
    return not (figures and traits.figures) or bool(figures & traits.figures)
