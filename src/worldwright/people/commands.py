"""Orders that are carried out at once: told to them, for now, in words that are all known. Whatever else may have been one is asked
back: what somebody does cannot be taken back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldwright.english.stems import cut_ending
from worldwright.people.features import (
    has_a_pronoun,
    is_slip,
    leave_out_aims,
    leave_out_purpose,
    list_stems,
    list_words,
    says_something,
    split_sentences,
)
from worldwright.people.orders import find_head, find_tail, is_for_now, is_forbidden, list_figures, turns_off, turns_on
from worldwright.world.tasks import Fact

_ADVERBS = (
    r"(?:(?:please|kindly|now|just|quickly|simply|also|then|first|next|again|once more|briefly|manually|carefully"
    r"|maybe|perhaps|possibly|all|both|for me|for us|at this point|try to|go ahead and|be able to|help me(?: and)?"
    r"|do me a favou?r and|be so kind as to|remember to|make sure (?:to|that you))\b[\s,]*)*"
)
_THEM = r"(?:you|them|him|her)"
_LEAD = re.compile(
    r"\W*(?:(?:and|so|ok|okay|well|now|next|then|first|alright|all right|right|great|perfect|sure|good|thanks|thank you|please|also"
    r"|hello|hi|hey|yes|good (?:morning|afternoon|evening|day)|in that case|at this point|as a (?:first|next) step"
    r"|to (?:begin|start) with|for that|meanwhile|finally|lastly|step \d+|one more thing)\b\W*)*",
    re.IGNORECASE,
)
_ASKS = (
    r"(?:would|do) (?:you|they) mind\b",
    r"(?:would|could) (?:you|they) (?:please )?be (?:able|so kind(?: as)?|willing) to\b",
    r"(?:can|could|would|will|might) (?:you|they|he|she|we)\b",
    r"how about\b",
    r"(?:(?:would|is) it|would it be) (?:be )?possible (?:for (?:you|them) )?to\b",
    r"are you able to\b",
    r"(?:may|can|could|might) i (?:please |kindly )?(?:ask|request|trouble) (?:you|them)(?:, please,)? to\b",
)
_TELLS = (
    rf"(?:i|we)(?: would|'d)?(?: really| just| also)? (?:need|want|like|ask|love|prefer)(?: for)? {_THEM}(?: now| please)? to\b",
    r"i(?: must| have to| would|'d)(?: kindly)? ask (?:you|them) to\b",
    r"(?:i|we)(?:'d| would) (?:appreciate|be grateful) (?:it )?if (?:you|they) (?:could|would)\b",
    r"(?:you|they)(?: will| would|'ll)?(?: now| please)? (?:need|have|ought) to\b",
    r"(?:you|they) (?:should|must)\b",
    r"(?:it|that) would be (?:very )?(?:great|good|nice|helpful|lovely|best|wonderful|kind) if (?:you|they) (?:could|would)\b",
    r"(?:the|my) (?:next|first) step is to\b",
    r"all (?:that )?you (?:have|need) to do is(?: to)?\b",
    r"(?:let's|let us)\b",
    r"if you(?: could| would|'d| can)(?: be so kind as to)?\b",
    r"(?=please|kindly)",
    r"",
)
_FRAMES = tuple(
    (re.compile(rf"{frame}\s*{_ADVERBS}", re.IGNORECASE), asks)
    for asks, frames in ((True, _ASKS), (False, _TELLS))
    for frame in frames
)
"""How one tells somebody to do something, and whether that is put as a question; at last without any words for it."""
_CAUSE = re.compile(
    r"(?:(?:make|help)\s+(?=them|him|her)|(?:have|let|get|ask|tell)\s+)"
    r"(?P<whom>(?:them|him|her|(?:the|your|our) [\w'-]+(?: [\w'-]+)?))\s+(?:to\s+)?" + _ADVERBS,
    re.IGNORECASE,
)
"""Having somebody else do it: `have them pay`."""
_VERB = re.compile(r"[a-z]+(?:-[a-z]+)?", re.IGNORECASE)
_PARTICLE = re.compile(r"\s+(in|up|out|down|over|away|through)\b", re.IGNORECASE)
_AND = re.compile(
    r"\s*(?:,(?:\s*(?:and|then)\b)?|\band\b|;)\s*(?:then|also|please|next|after that)?\s*",
    re.IGNORECASE,
)
_CODE = re.compile(r"[{}<>_=\\\[\]|]")
_OR = re.compile(r"\b(?:or|either|instead|rather)\b", re.IGNORECASE)
_AS_IT_IS = re.compile(r"\bas (?:it|they|he|she|that) (?:is|are)\b|\bas is\b", re.IGNORECASE)
_ON_AT_LAST = re.compile(r"\bon\b(?=\W*$|\W+(?:please|now|again|and|then|for)\b)", re.IGNORECASE)
_OFF_AT_LAST = re.compile(r"\boff\b(?=\W*$|\W+(?:please|now|again|and|then|for)\b)", re.IGNORECASE)
_GOING = re.compile(
    r"(?:go|head|walk|log in|navigate)(?: over| back| on)? (?:to|into) (?:the|your|our) [\w' -]{1,40}?"
    r"(?:,? and(?: then)?|,? then|,)\s+",
    re.IGNORECASE,
)
"""Where somebody has to go first."""
_SHORT = re.compile(
    r"(?P<what>[\w' -]+?),? (?:(?:needs to|has to|should|must) be |back )?(?:switched |turned )?(?:on|off)"
    r"\W*(?:please|now|thanks)\W*$",
    re.IGNORECASE,
)
"""An order without a verb: `VPN off, please`."""
_WHERE = re.compile(
    r",? (?:on|in|from|at|of) (?:your|the|their|his|her)"
    r" (?:(?:phone|device|handset|mobile|end|side)(?:'s)?(?: settings)?|settings)\b",
    re.IGNORECASE,
)
"""Where something is done that can be done nowhere else."""
_SAME = {
    "switch": "turn", "flip": "turn", "deactiv": "turn", "disabl": "turn", "activ": "turn", "reactiv": "turn", "enabl": "turn",
    "reboot": "restart", "power": "restart",
}  # fmt: skip
"""Verbs that say the same; whether something is turned on or off is looked at apart."""
_STOPS_WORDS = """
abort avoid cancel cease delay decline deny forbid forget halt ignore interrupt leave omit pause postpone prevent quit refrain
refund refuse reject reverse skip stop undo waive withhold
"""
_STOPS = frozenset(map(cut_ending, _STOPS_WORDS.split()))
"""What undoes or forbids an act, where it is none of its own words."""
_LOOK_WORDS = """
check compare count describe find give look measure name note read report say see show spell tell test try verify watch
"""
_LOOKS = frozenset(map(cut_ending, _LOOK_WORDS.split()))
_NO_VERB_WORDS = """
a all am an and any are as at because but by can could did does every for from had has he her here his how i if in into is it
its may me might must my no not of on or our she should since so some that the their them there these they this those to was
we were what when where which while who whom whose why will with would yes you your
"""
_NO_VERBS = frozenset(_NO_VERB_WORDS.split())
"""What a sentence begins with that says how things are."""
_HARMLESS_WORDS = """
afternoon again alright back briefly carefully directly favour fine first go good great hello help hi immediately
kindly lovely madam maybe moment morning next now oh ok okay once perfect please possible properly quick quickly
right simply sir soon sorry straight sure thank thanks today try understood way well
"""
_HARMLESS = frozenset(map(cut_ending, _HARMLESS_WORDS.split()))
"""Stems that change nothing of what is ordered."""
_NO_NAME_WORDS = """
again all back check close confirm give go look make now off on once open out pay plug press pull push put read reboot
reset restart see set sign start stop sure switch take tell try turn unplug whether work
"""
_NO_NAMES = frozenset(map(cut_ending, _NO_NAME_WORDS.split()))
"""Stems of what is done, whatever it is done to."""


@dataclass(frozen=True, slots=True)
class Command:
    """An order as it is read: what to do, and every word that says more of it."""

    verb: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Deed:
    """What somebody may be told to do, in the words that are known of it."""

    verbs: frozenset[str]
    single: frozenset[str]
    """Verbs that are enough for all of it, where no second one follows."""
    words: frozenset[str]
    things: frozenset[str]
    figures: frozenset[str]
    turns: frozenset[frozenset[str]]
    """Whether something is turned on, off, or both ways, as it may be said; nothing where it may be left unsaid."""


def take_orders(message: str, deeds: Sequence[Fact]) -> tuple[tuple[str, ...], str]:
    """Take the orders out of a message that are surely meant, each for one of these deeds; and what is left of it."""
    found: list[str] = []
    left: list[str] = []
    before = ""
    for sentence in split_sentences(message):
        names, rest = _take_from(sentence, before, deeds)
        found += [name for name in names if name not in found]
        left += [rest] if rest and (names or _asks_besides(sentence)) else []
        before = sentence
    return (tuple(found), " ".join(left)) if found else ((), message)


def _asks_besides(sentence: str) -> bool:
    """Whether a sentence beside an order asks for something itself: a question, or an order to look."""
    command = read_command(sentence)
    return sentence.rstrip().endswith("?") or (command is not None and command.verb in _LOOKS)


def is_a_look(command: Command) -> bool:
    """Whether an order is one to look at something: `check the light`, `have a look at it`."""
    return command.verb in _LOOKS or not command.words.isdisjoint(["look"])


def _take_from(sentence: str, before: str, deeds: Sequence[Fact]) -> tuple[tuple[str, ...], str]:
    """Take the orders out of a sentence, if they are all that is ordered there."""
    head = find_head(leave_out_purpose(sentence))
    if is_forbidden(head) or not is_for_now(leave_out_aims(sentence)):
        return (), sentence
    asking = sentence.rstrip().endswith("?")
    whole = _find_deed(head, asking, before, deeds)
    if whole is not None:
        return (whole.name,), find_tail(sentence)
    parts = [part for part in _AND.split(head) if part.strip()]
    names: list[str] = []
    at = 0
    while at < len(parts):
        end, deed = next(_find_longest(parts, at, asking, before, deeds), (at, None))
        if deed is None:
            return (), sentence
        names.append(deed.name)
        at = end
    return tuple(names), find_tail(sentence)


def _find_longest(
    parts: Sequence[str], at: int, asking: bool, before: str, deeds: Sequence[Fact]
) -> Iterator[tuple[int, Fact]]:
    """Find the deed that as many of the next parts as possible are an order for."""
    for end in range(len(parts), at, -1):
        deed = _find_deed(" and ".join(parts[at:end]), asking and at == 0, before, deeds)
        if deed is not None:
            yield end, deed


def _find_deed(text: str, asking: bool, before: str, deeds: Sequence[Fact]) -> Fact | None:
    """Find the only deed that a text is surely an order for."""
    command = read_command(text, asking)
    if command is None or _OR.search(text) or _AS_IT_IS.search(text):
        return None
    more = frozenset(list_stems(list_words(before))) if has_a_pronoun(text) else frozenset()
    meant = [deed for deed in deeds if _is_meant(command, text, more, _know(deed.called, deed.asked))]
    return meant[0] if len(meant) == 1 else None


def _is_meant(command: Command, text: str, before: frozenset[str], deed: _Deed) -> bool:
    """Whether every word of an order is known of this deed. What a pronoun points back to counts where nothing is named."""
    words = _correct(command.words - _HARMLESS, deed.words)
    verbs = deed.verbs if _has_parts(text) else deed.single
    if _correct([command.verb], verbs).isdisjoint(verbs) or not words <= deed.words:
        return False
    if deed.things and words.isdisjoint(deed.things):
        said = before - _HARMLESS
        if said and (said.isdisjoint(deed.things) or not said <= deed.words | deed.verbs):
            return False
        if not said and not has_a_pronoun(text):
            return False
    return _list_turns(text) in deed.turns and list_figures([text]) <= deed.figures


def is_close(command: Command, deed: Fact) -> bool:
    """Whether an order has the verb of a deed, or is about a thing that it is about."""
    known = _know(deed.called, deed.asked)
    return command.verb in known.verbs or not command.words.isdisjoint(known.things)


def _correct(words: Iterable[str], known: frozenset[str]) -> frozenset[str]:
    """Correct slips of the finger in words, where there is one known word that they are close to."""
    out = []
    for word in words:
        close = [] if word in known else [one for one in known if is_slip(word, one)]
        out.append(close[0] if len(close) == 1 else word)
    return frozenset(out)


def stops_something(sentence: str, deeds: Sequence[Fact] = ()) -> bool:
    """Whether a sentence says to stop or to leave something, and that is none of these deeds itself."""
    command = read_command(sentence, sentence.rstrip().endswith("?"))
    if command is None or command.verb.split()[0] not in _STOPS:
        return False
    return not any(command.verb in _know(deed.called, deed.asked).verbs for deed in deeds)


def read_command(text: str, asking: bool = False) -> Command | None:
    """Read a text as an order: the verb that stands where one tells somebody what to do, and the other words. None where it is
    none."""
    if _CODE.search(text):
        return None
    start = _LEAD.match(text)
    said = _WHERE.sub("", text[start.end() if start else 0 :])
    short = _SHORT.match(said)
    if short is not None and not asking:
        return Command("turn", frozenset(list_content(short["what"])))
    polite = start is not None and re.search(r"please|kindly", start[0], re.IGNORECASE) is not None
    for frame, asks in _FRAMES:
        found = frame.match(said)
        if found is None or (asking and not asks and not polite):
            continue
        rest = _GOING.sub("", said[found.end() :], count=1)
        cause = _CAUSE.match(rest)
        whom = list_content(cause["whom"]) if cause else []
        rest = rest[cause.end() :] if cause else rest
        verb = _VERB.match(rest)
        if verb is None:
            return None
        words = list_words(verb[0])
        if not words or words[0] in _NO_VERBS:
            return None
        return Command(_name_verb(words, rest[verb.end() :]), frozenset([*whom, *list_content(rest[verb.end() :])]))
    return None


def _name_verb(words: Sequence[str], rest: str) -> str:
    """Name a verb with what belongs to it: to sign in is not to sign."""
    verb = cut_ending(words[0])
    particle = _PARTICLE.match(rest)
    return f"{verb} {particle[1].lower()}" if particle else _SAME.get(verb, verb)


def list_content(text: str) -> list[str]:
    """List the stems of the words that say what something is about; not whether it is on or off."""
    return [stem for stem in list_stems(list_words(text)) if stem not in ("on", "off", "it")]


def _list_turns(text: str) -> frozenset[str]:
    """List whether something is turned on, off, or both."""
    on = turns_on(text) or _ON_AT_LAST.search(text) is not None
    off = turns_off(text) or _OFF_AT_LAST.search(text) is not None
    return frozenset([*(["on"] if on else []), *(["off"] if off else [])])


@lru_cache(maxsize=2_000)
def _know(called: tuple[str, ...], asked: tuple[str, ...]) -> _Deed:
    """Read what a deed is called, and the orders among the examples of how one asks for it."""
    texts = [find_head(one) for text in (*called, *asked) for one in split_sentences(text) or [text]]
    read = [(text, command) for text in texts if (command := read_command(text, text.endswith("?"))) is not None]
    words = frozenset(word for text in called for word in list_content(text))
    words |= frozenset(word for _, command in read for word in (command.verb, *command.words))
    things = words - _NO_NAMES - _HARMLESS - frozenset(command.verb for _, command in read)
    return _Deed(
        frozenset(command.verb for _, command in read),
        frozenset(command.verb for text, command in read if not _has_parts(text)),
        words,
        things,
        list_figures((*called, *asked)),
        frozenset(_list_turns(text) for text in (*called, *(text for text, _ in read))),
    )


def _has_parts(text: str) -> bool:
    return sum(map(says_something, _AND.split(text))) > 1
