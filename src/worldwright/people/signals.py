"""What a message does beside asking for something: says that all is done, thanks, doubts, or answers a question back."""

from __future__ import annotations

import re

from worldwright.people.features import has_a_pronoun, is_asking, list_words, says_something, split_sentences

_MORE = re.compile(
    r"\b(?:any|some|no)thing (?:else|more|further|other|left|to add|besides)\b"
    r"|\bwhat (?:else|more|other things)\b|\bany (?:more|other|further) (?:wish\w*|thing\w*|request\w*|task\w*|work|question\w*)"
    r"|\b(?:anything|nothing)\b[^.?!]{0,30}\b(?:else|more|further|other|to add|besides)\b"
    r"|\b(?:is|was|are|were) there (?:any(?:thing)? )?(?:more|else|something else)\b|\bmore (?:to do|for me)\b"
    r"|\b(?:is|was|would) (?:that|this|it) (?:be )?(?:all|everything|it)\b|\banything (?:I|we) (?:missed|forgot)\b",
    re.IGNORECASE,
)
_SEEN = r"(?!(?:look|check|ask|tri|need|not|notic|open|receiv|suppos|report|schedul|want)\w*ed\b)"
_DONE = re.compile(
    r"\b(?:done|finished|completed?|taken care of|through with|all set|went through|has gone through|in place|sorted|settled)\b"
    r"|\b(?:(?:have|has|is|are|was|were)|(?:I|we|it|that)['\u2019](?:ve|s)) (?:now |just |been |already |also )*"
    rf"{_SEEN}(?:\w{{3,}}ed|put|sent|set|made|written|paid|given|taken)\b"
    rf"|\b(?:I|we) {_SEEN}(?:\w{{3,}}ed|put|sent|set up|made|wrote|paid) (?:it|them|this|that|the)\b"
    r"|^\W*(?:\w{3,}ed|sent|made|wrote|paid) (?:it|them|this|that|the)\b",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:(?:many |ok(?:ay)?,? |great,? |perfect,? |good,? )*(?:thank(?:s| you)|cheers)\b"
    r"|(?:ok(?:ay)?|great|perfect|fine|bye|goodbye)\W*$"
    r"|(?:so |ok(?:ay)?,? )?that(?:'s| is| was| will be) (?:all|everything|it)[^?]*$)",
    re.IGNORECASE,
)
_FOR_THANKS = re.compile(
    r"^\W*(?:(?:many |ok(?:ay)?,? |great,? |perfect,? |good,? )*(?:thank(?:s| you)|cheers)\b)"
    r"(?:,? (?:very much|so much|again|a lot|a million|in advance))*(?: for [^.,!?;:]*)?\W*",
    re.IGNORECASE,
)
_YES = re.compile(r"\W*(?:yes|yep|yeah|right|exactly|correct|indeed|that one|this one|please)\b", re.IGNORECASE)
_BARE_WORDS = """
a absolutely ahead all am and asking both certainly correct course do each exactly first for former go have i in indeed is it know
latter like mean meant much need now of ok okay one order please point precisely right second so sure thank thanks that the them
thing things this to two very want well what would yea yeah yep yes you
"""
_BARE = frozenset(_BARE_WORDS.split())
"""Words of an answer that chooses, and says nothing else."""
_BOTH = re.compile(r"\b(?:both|each of them|the two)\b", re.IGNORECASE)
_WHICH = (
    (re.compile(r"\b(?:first|former)\b", re.IGNORECASE), 0),
    (re.compile(r"\b(?:second|latter)\b", re.IGNORECASE), 1),
)
_DOUBTS = (
    r"are you (?:\w+ )?(?:sure|certain)|double[- ]?check|check (?:again|that|it|this)|look again|no such|cannot find"
    r"|(?:can|could) ?(?:not|n't) find|(?:does|do|did|is|are|was) ?n[o']t (?:match|fit|agree|exist|there)"
)
_DOUBT = re.compile(rf"\b(?:{_DOUBTS})\b", re.IGNORECASE)
_OTHERWISE = re.compile(
    rf"\b(?:{_DOUBTS}|there(?: is|['\u2019]s| are) (?:no|none|only)|sure|certain"
    r"|mistake\w*|mixed up|wrong|incorrect|mismatch\w*|nothing (?:under|for|on|by|with)"
    r"|(?:records?|systems?|files?|books?) (?:say|show|has|have)s?|(?<!could )(?<!can )(?<!may )I (?:only )?(?:see|find|have)"
    r"|instead of|rather than"
    r"|according to)\b",
    re.IGNORECASE,
)

_SORRY = re.compile(r"\b(?:sorry|apologi[sz]e|apologies|sad) (?:to hear|about|for|that)\b|\bdone for\b", re.IGNORECASE)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|welcome|dear)\b[^?]{0,60}$"
    r"|(?:just )?(?:one|a) (?:moment|second|minute)\b[^?]*$|(?:bear with me|hold the line|hang on)\b[^?]*$"
    r"|(?:let me|i(?:'ll| will| am going to|'m going to)|we(?:'ll| will)) (?!know\b)[^?]*$"
    r"|(?:i am|i'm|we are|so) (?:so |very |really )*(?:sorry|sad)\b[^?]*$"
    r"|(?:i|we) (?:understand|see|appreciate|apologi[sz]e)\b[^?]*$"
    r"|(?:no problem|no worries|of course|understood|noted|got it|i see|sure)\b[^?]{0,40}$)",
    re.IGNORECASE,
)
_OF_A_MACHINE = re.compile(
    r"\W*(?:please )?(?:ignore|disregard|forget|print|dump|output|system|assistant)\b", re.IGNORECASE
)
"""How one speaks to a program and not to somebody."""
_CONFIRMS = re.compile(
    r"\b(?:(?:is|was) (?:that|this|it) (?:right|correct|so|what)|(?:right|correct|yes)\s*\?"
    r"|(?:is|was|does|do|are)(?:n't| not) (?:it|they)\s*\?"
    r"|(?:did|do) i (?:get|understand|have) (?:that|this|it|you)(?: right| correctly)?|have i (?:understood|got)"
    r"|(?:just )?(?:to confirm|to be sure|to make sure|to double-check))",
    re.IGNORECASE,
)
_NO_TEXT = """
a actually ah at both do dont either i it just leave mean meant need neither never no none nope not of oh one ok okay please
rather sorry than thank thanks that the them then these this those to two want was you yet
"""
_NO_WORDS = frozenset(_NO_TEXT.split())
_NO = re.compile(r"\b(?:no|nope|neither|none|not|never)\b", re.IGNORECASE)


def asks_for_more(message: str) -> bool:
    """Whether it asks if there is anything else."""
    return _MORE.search(message) is not None


def reports(message: str) -> bool:
    """Whether it says that something is done, and asks for nothing."""
    return _DONE.search(message) is not None and not is_asking(message) and _SORRY.search(message) is None


def is_small_talk(message: str) -> bool:
    """Whether every sentence of it greets, comforts or asks to wait, or says how things are."""
    found = split_sentences(message)
    if any(_OF_A_MACHINE.match(one) for one in found):
        return False
    return bool(found) and all(_SMALL_TALK.match(one) or thanks(one) or not is_asking(one) for one in found)


def asks_to_confirm(message: str) -> bool:
    """Whether it asks if something was heard well."""
    return "?" in message and _CONFIRMS.search(message) is not None


def declines(message: str) -> bool:
    """Whether an answer to a question back is a no, and no more than that."""
    return _NO.search(message) is not None and set(list_words(message)) <= _NO_WORDS


def thanks(message: str) -> bool:
    """Whether it is a word of thanks, or of leave."""
    return _THANKS.match(message) is not None


def leave_out_reports(message: str) -> str:
    """What is left of a message without what reports, thanks, or asks for more: what may be a question for something. A report
    stays where the sentence after it speaks of the same."""
    sentences = split_sentences(message)
    spoken_of = [has_a_pronoun(one) for one in (*sentences[1:], "")]
    kept = [
        _leave_out_thanks(one)
        for one, again in zip(sentences, spoken_of, strict=False)
        if again or not (reports(one) or asks_for_more(one))
    ]
    return message if kept == sentences else " ".join(filter(None, kept))


def _leave_out_thanks(sentence: str) -> str:
    """A sentence without thanks at its beginning; nothing where it is no more than these."""
    rest = _FOR_THANKS.sub("", sentence)
    return sentence if rest == sentence and not thanks(sentence) else (rest if says_something(rest) else "")


def reports_something(message: str) -> bool:
    """Whether one of its sentences says that something is done."""
    return any(map(reports, split_sentences(message)))


def choose_meant(message: str, count: int) -> tuple[int, ...]:
    """Which of one or two things that were asked back for are meant: yes, both, the second; none where it says more than that."""
    if not set(list_words(message)) <= _BARE:
        return ()
    if count == 1:
        return (0,) if _YES.match(message) else ()
    if _BOTH.search(message):
        return 0, 1
    return next(((at,) for pattern, at in _WHICH if pattern.search(message)), ())


def doubts(message: str) -> bool:
    """Whether somebody cannot make fit what they were told."""
    return _DOUBT.search(message) is not None


def found_otherwise(message: str) -> bool:
    """Whether somebody may have found a thing to be otherwise than they were told."""
    return _OTHERWISE.search(message) is not None
