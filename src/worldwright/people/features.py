"""What is seen in a message, and in what somebody may be asked for: sentences, words, stems, forms of asking."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worldwright.english.stems import cut_ending

MAX_WORDS = 80
"""Words of a sentence that are looked at."""
MAX_SENTENCES = 16
MAX_FIRST_SENTENCES = 4
"""Of a longer message so many at its beginning are looked at, and as many as are left at its end, where one asks."""
MAX_BACK_WORDS = 2
"""Words that matter beside a pronoun, where a sentence is about the one before it."""
_BACK = frozenset(["it", "that", "this", "them", "one", "those", "these"])
_SHORT = {
    "who's": "who is", "what's": "what is", "where's": "where is", "when's": "when is", "how's": "how is", "that's": "that is",
    "it's": "it is", "i'm": "i am", "i've": "i have", "i'll": "i will", "i'd": "i would", "you're": "you are", "you've": "you have",
    "you'd": "you would", "we're": "we are", "don't": "do not", "doesn't": "does not", "didn't": "did not", "isn't": "is not",
    "haven't": "have not", "can't": "can not", "pls": "please",
}  # fmt: skip
_PLEASE = re.compile(r"\b(?:pls|plz|plse)\b", re.IGNORECASE)
_APOSTROPHES = re.compile("[\u2018\u2019\u00b4\u0060\u02bc\u2032]")
_UNMARKED = re.compile(
    r"\b(?:(do|does|did|could|would|should|is|are|was|were|has|have|must|need)(?:nt|not)|(ca|wo)nt|(can)not)\b",
    re.IGNORECASE,
)
_HYPHENED = re.compile(r"(?<=\be)-(?=mail)|(?<=\bre)-(?=[a-z])|(?<=\bcheck)-(?=in\b|out\b)")
"""Hyphens that some write and others do not."""
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_ENDS = re.compile(r"(?<=[.?!;:])\s+")
_HOURS = re.compile(r"\b(?:(?:what|which|starting|start) time|time of day|hours?|o.clock)\b")
_BETWEEN = re.compile(r"[.?!;,]\s+|\s+(?:and|or|&|plus|as well as)\s+", re.IGNORECASE)
_PURPOSE = re.compile(
    r",?\s+(?:so that|so (?:we|i) can|so (?:the|your|it|its|all|traffic)(?! please)|in order (?:to|that)|because|while we)"
    r"\b[^.?!]*",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"^\W*(?:and |so |but |well,? |ok(?:ay)?,? )*(?:just so|so that|since|because|as|now that|if|once|while|after|before|as soon as"
    r"|although|though|in case|when(?! (?:is|are|was|were|do|does|did|will|would|shall|should|can|could|may|might|ha[sd]|have)\b))"
    r"\b[^,:.?!]*[,:]\s*"
    r"|^\W*(?:please )?(?:don't|do not|no need to) (?:worry|bother)\b[^,.;\u2013\u2014-]*[,;\u2013\u2014-]\s*(?:just |simply )?"
    r"|^[^,.?!]*, so (?=(?:please|kindly|can|could|would|let's|let us)\b)",
    re.IGNORECASE,
)
_QUESTION_WORDS = frozenset(["how", "what", "when", "where", "which", "who", "whom", "whose", "why"])
_LETTERS = re.compile(r"[A-Za-z]{2}")
_FUNCTION_WORDS = """
a all also am an and any are as at be been but by can could did do does for from get give had has have he her his how i
if in into is it just know let like many may me might much must my need no not of on one or our out please she should so
some t tell that the their them then there these they this those to up us want was we were what when where which who
whom whose why will with would yes you your about ll re s ve d got here than
"""
_FUNCTION = frozenset(_FUNCTION_WORDS.split())
_ASKING = re.compile(
    r"\b(?:tell|give|send|let me know|needs?|required?|missing|empty|blank|provide|specify|confirm|name|state|please|which|what|who"
    r"|whom|whose|when|where|how|why|may i|can i|could i|can you|could you|would you|do you|did you|have you|are you|is there|is it"
    r"|should i|shall i)\b"
)
_TELLING = re.compile(
    r"\b(?:thanks|thank you|noted|saved|done|updated|entered|have (?:noted|added|recorded|saved|entered|passed|put)|got it|all set"
    r"|on file now|registered|sorted|received|confirmed)\b"
)
_SELF = re.compile(r"\b(?:i|my|me)\b")
FORMS = 5
FEATURES = 5


def clean_message(text: str) -> str:
    """A message as it is read: apostrophes of any form as one, accents left out, short forms that lack their apostrophe in full."""
    text = _PLEASE.sub("please", text)
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", _APOSTROPHES.sub("'", text)) if not unicodedata.combining(c)
    )
    return _UNMARKED.sub(
        lambda found: f"{found[1] or found[3]} not" if found[1] or found[3] else f"{found[2]}n't", plain
    )


def list_words(text: str) -> list[str]:
    """The words in lower case, short forms in full, without what stands after an apostrophe."""
    low = _HYPHENED.sub("", text.lower().replace("\u2019", "'"))
    found = " ".join(_SHORT.get(word, word) for word in _WORD.findall(low)).split()
    return [word.split("'")[0] for word in found[:MAX_WORDS]]


def list_stems(words: Sequence[str]) -> list[str]:
    """The stems of the words that say what it is about."""
    return [cut_ending(word) for word in words if word not in _FUNCTION]


def split_sentences(text: str) -> list[str]:
    found = [part for part in _ENDS.split(text.strip()) if _LETTERS.search(part)]
    if len(found) <= MAX_SENTENCES:
        return found
    return [*found[:MAX_FIRST_SENTENCES], *found[MAX_FIRST_SENTENCES - MAX_SENTENCES :]]


def split_message(text: str) -> list[str]:
    """The message as a whole, and each of its sentences."""
    parts = split_sentences(text)
    if len(parts) < 2:
        return [text] if says_something(text) else []
    joined = [parts[0]]
    for part in parts[1:]:
        joined[-1:] = [f"{joined[-1]} {part}"] if _points_back(part) else [joined[-1], part]
    return [part for part in ([text, *joined] if len(joined) > 1 else [text]) if says_something(part)]


def leave_out_aims(text: str) -> str:
    """A sentence without what it is to lead to: `restart the phone so that ...`. What it depends on stays."""
    return _PURPOSE.sub("", text)


def leave_out_purpose(text: str) -> str:
    """A sentence without what it is good for: `restart the phone so that ...`, `since you are abroad, ...`."""
    left = _REASON.sub("", _PURPOSE.sub("", text))
    return left if says_something(left) else text


def _points_back(part: str) -> bool:
    """Whether a sentence is about what was named in the one before it: `can you turn it on?`"""
    words = list_words(part)
    if _BACK.isdisjoint(words) or not _QUESTION_WORDS.isdisjoint(words):
        return False
    return sum(word not in _FUNCTION for word in words) <= MAX_BACK_WORDS


def has_a_pronoun(text: str) -> bool:
    """Whether it speaks of something by a pronoun: `please switch it on`."""
    return not _BACK.isdisjoint(list_words(text))


def says_something(text: str) -> bool:
    """Whether a sentence names anything, or asks with a word of its own: `could you, please?` does neither."""
    return any(word in _QUESTION_WORDS or word not in _FUNCTION for word in list_words(text))


def split_parts(text: str) -> list[str]:
    """The parts of what asks for several things in one sentence; none where nothing does."""
    parts = [p for p in _BETWEEN.split(text) if says_something(p)] if is_asking(text) else []
    return parts[:MAX_SENTENCES] if len(parts) > 1 else []


def find_forms(text: str) -> tuple[float, ...]:
    """How something is said: as a question, in words of asking, in words of telling, of oneself, at what length."""
    low = text.lower()
    found = ("?" in text, _ASKING.search(low), _TELLING.search(low), _SELF.search(low))
    return (*(float(bool(one)) for one in found), min(len(low.split()), 20) / 20)


def is_asking(text: str) -> bool:
    """Whether something in it is a question or a request."""
    return "?" in text or _ASKING.search(text.lower()) is not None


def speaks_of_hours(text: str) -> bool:
    """Whether it is about the time of day."""
    return _HOURS.search(text.lower()) is not None


@dataclass(frozen=True, slots=True)
class Topic:
    """The stems of what somebody may be asked for."""

    called: tuple[tuple[str, ...], ...]
    examples: tuple[frozenset[str], ...]
    known: frozenset[str]


def read_topic(called: Sequence[str], asked: Sequence[str]) -> Topic:
    names = tuple(tuple(list_stems(list_words(text))) for text in called)
    examples = tuple(frozenset(list_stems(list_words(text))) for text in (*asked, *called))
    return Topic(names, tuple(filter(None, examples)), frozenset().union(*examples))


def compare_stems(said: Sequence[str], topic: Topic, weigh: Callable[[str], int]) -> tuple[float, ...]:
    """How far what is said has the name of a topic in it, all of it or not; how much of it is known from the topic; how like the
    most similar example it is; whether it says nothing at all."""
    own = frozenset(said)
    if not own:
        return 0.0, 0.0, 0.0, 0.0, 1.0
    named = 0.0
    for name in topic.called:
        whole = sum(map(weigh, name))
        if whole:
            named = max(named, sum(weigh(part) for part in name if _has(own, part)) / whole)
    mass = sum(map(weigh, own))
    known = sum(weigh(one) for one in own if one in topic.known or any(is_slip(one, k) for k in topic.known))
    alike = 0.0
    for example in topic.examples:
        shared = sum(map(weigh, example & own))
        if shared:
            alike = max(alike, shared / sum(map(weigh, example | own)))
    return named, float(named > 0.99), known / mass, alike, 0.0


def _has(own: frozenset[str], part: str) -> bool:
    return part in own or any(is_slip(part, one) for one in own)


def is_slip(one: str, other: str) -> bool:
    """Whether two stems are one but for a slip of the finger: a letter too many, too few, another, or two that changed places."""
    if one == other:
        return True
    if one[0] != other[0] or min(len(one), len(other)) < 5 or abs(len(one) - len(other)) > 1:
        return False
    at = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[at:], other[at:]
    return a[1:] == b[1:] or a == b[1:] or a[1:] == b or (a[:2] == b[1::-1] and a[2:] == b[2:])
