"""Whether a text means what stands at a place in it: affirmed, left in the air (asked, supposed, said by others), or denied.

A denial counts where it stands in the same clause. A clause is a part of a sentence that can stand for itself; where the part
around the place cannot, the whole sentence counts. What denies from outside ("this is not true") counts wherever it stands. What
only describes the thing ("the instalment that has not been paid yet was due ...") denies nothing.
"""

from __future__ import annotations

import re
from enum import Enum

_NEUTRAL = re.compile(
    r"\b(?:(?:no|not) later than|no doubt|without (?:any )?doubt|no question|no (?:objections?|problem|worries)|not only|"
    r"without (?:any )?(?:further |undue )?(?:delay|question|exception)|(?:do not|don't) hesitate|if not|no need to \w+|"
    r"no later|why not|not at all|nothing but|(?:not|n't) (?:be|is|fall|come) (?:any )?later than|no longer than|no earlier than|"
    r"(?:nobody|no one) (?:has |had |ever )?(?:replied|answered|wrote|written|called|got back)(?: to you)?|"
    r"not? (?:reply|response|answer)(?: from us)?(?: until now| so far| yet)?)\b",
    re.I,
)
"""Words of denial that deny nothing."""
_AUXILIARY = r"(?:has|have|had|is|are|was|were|do|does|did|will|would|can|could|ca|wo)"
_FINITE = (
    r"(?:is|was|are|were|has|have|had|will|fell|falls|came|comes|amounts?|stands?|totals?|equals|makes|remains?|shows?)"
)
_DESCRIBED = re.compile(
    rf"(?<=\w )(?:(?:that|which|who|whom)(?: (?:you|we|they|he|she|it|has|have))? {_AUXILIARY}(?: not| never|n't)"
    rf"|(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!been )(?<!has )(?<!have )(?<!had )(?<!do )(?<!does )(?<!did )(?<!will )"
    rf"(?<!true )not(?: yet| fully| been)*(?= \w+(?:ed|id|en|wn)\b))"
    rf"(?: (?!{_FINITE}\b)[\w-]+){{0,6}}(?= {_FINITE}\b)",
    re.I,
)
"""A denial that belongs to the description of a thing of which something is said then: `... that has not been paid yet was ...`."""
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nowhere|cannot|without|neither|nor|\w+n't|"
    r"(?:do|does|did|is|are|was|were|has|have|had|wo|would|could|should|ca)nt|no one|instead of|rather than|far from|"
    r"anything but|except(?:ing|ed)?|excluding|apart from|other than|den(?:y|ies|ied)|disput(?:e|es|ed|ing)|refus(?:e|es|ed|ing)|"
    r"reject(?:s|ed|ing)?|contest(?:s|ed|ing)?|hardly|barely|untrue|incorrect|false|falsely|wrong|wrongly|mistaken)\b",
    re.I,
)
_BOUND = re.compile(
    r"\b(?:(?:more|less|fewer|greater|higher|lower|later|earlier) than|at least|at most|up to|almost|nearly|not quite|after|"
    r"any time after)(?: the| about| around)?(?: [$€£]| (?-i:[A-Z]{3}))? ?\Z",
    re.I,
)
"""Right before a figure: another one is meant."""
_SUPPOSED = re.compile(
    r"\b(?:if|unless|whether|suppos(?:e|ing)|assuming|in case|perhaps|maybe|possibly|allegedly|supposedly|might|"
    r"(?:you|they|he|she|somebody|someone) (?:\w+ )?(?:claim|say|said|alleg|think|thought|believ|assum|demand|want|wrote|ask)\w*|"
    r"according to (?:you|them|your)|would (?:be|have)|could (?:be|have))\b",
    re.I,
)
_OUTSIDE = re.compile(
    r"\b(?:this|that|it|which|these|those|following|follows|above|next sentence|all of (?:it|this|that))"
    r"(?: is| was| are| were|'s| would be| has been)?(?: \w+){0,2} "
    r"(?:(?:not|never) (?:\w+ )?(?:true|right|correct|so|the case|serious|meant|valid)|untrue|wrong|incorrect|false|an? lie|lies|"
    r"nonsense|made up|invented|an? joke|mistaken|fake)\b"
    r"|\b(?:isn't|wasn't|aren't|is not|was not|are not) (?:\w+ )?(?:true|correct|right|the case)\b"
    r"|\b(?:disregard|ignore|forget|do not believe|don't believe|take back|retract) "
    r"(?:this|that|it|what|the|my|our|all|everything)\b"
    r"|\b(?:opposite|the contrary|contrary to|none of (?:this|that|it|the|these|those)|kidding|joking)\b"
    r"|(?:^|[.!?;,] *)(?:not|no|wrong|never|false)(?=[.!;]|$)",
    re.I,
)
"""What denies from outside, wherever it stands."""
_ABBREVIATED = re.compile(
    r"\b(?:Inc|Ltd|Co|Corp|Bros|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|approx|ca|e\.g|i\.e|vs|etc|resp|incl|excl|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|[A-Z])\Z"
)
_STOP = re.compile(r"[.!?]+(?=\s|$)|\n+")
_JOINT = re.compile(
    r"[,:()]|\s[-–—]+\s|[–—]|\s(?=(?:but|because|although|though|however|while|so that|so)\s)"
    r"|\s(?=and (?:we|you|it|there|the|this|that|our|your|they|i|all|a|an|[\d$€£]))",
    re.I,
)
_PART = re.compile(rf"{_JOINT.pattern}|;|\s(?=(?:and|or|whereas|which)\s)", re.I)
_SUBJECT = re.compile(
    r"(?:(?:and|but|so|then|because|as|since|while|though|although|however|therefore|thus|here|currently|today|now|indeed|"
    r"instead|still|please note that|note that|please find that|for your information|in fact|in total|as of today|"
    r"according to our \w+|in our \w+|on our \w+)\W+)*"
    r"(?:(?:we|you|it|there|the|this|these|our|your|they|i|he|she|all|a|an|what|please|exactly)\b|[$€£\d]|(?-i:[A-Z]{3}\b)|"
    r"(?:in|on|at|by|for|from)\b(?=.*\b(?:we|you|it|there|the|our|your|they|i)\b))",
    re.I,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|been|has|have|had|will|shall|can|do|does|did|show|shows|showed|owe|owes|owed|stand|stands|"
    r"remain|remains|come|comes|came|amount|amounts|total|totals|find|found|see|sent|send|paid|pay|refund|refunded|transfer|"
    r"transferred|get|gets|got|expect|promise|confirm|agreed|equals|makes|leaves?|gave|give|hear|know|received?|booked|"
    r"credited?|settle|answer|reply|\w+'(?:s|re|ve|ll|d|m))\b",
    re.I,
)


class Stance(Enum):
    """How a text stands to what stands in it."""

    AFFIRMED = "affirmed"
    OPEN = "open"
    DENIED = "denied"


def find_stance(text: str, at: int) -> Stance:
    """Find how the text stands to what begins at this place."""
    start, end, asked = _sentence(text, at)
    seen = _blot_neutral(text)
    if _OUTSIDE.search(_NEUTRAL.sub(_blot, text)):
        return Stance.DENIED
    clause_start, clause_end = _clause(text, start, end, at)
    clause, before = seen[clause_start:clause_end], seen[clause_start:at]
    if _DENIAL.search(clause) or _BOUND.search(before):
        return Stance.DENIED
    return Stance.OPEN if asked or _SUPPOSED.search(before) else Stance.AFFIRMED


def _blot_neutral(text: str) -> str:
    """Blot out words that only look like a denial; places stay the same."""
    return _DESCRIBED.sub(_blot, _NEUTRAL.sub(_blot, text))


def _blot(m: re.Match[str]) -> str:
    return "_" * len(m[0])


def find_part(text: str, at: int) -> tuple[int, int]:
    """Find the part of a sentence around a place: from one joint to the next, whether or not it can stand for itself."""
    stops = [m for m in _STOP.finditer(text) if m[0] != "." or not _ABBREVIATED.search(text[: m.start()])]
    start = max([m.end() for m in stops if m.end() <= at], default=0)
    end = min([m.start() for m in stops if m.start() >= at], default=len(text))
    joints = [m for m in _PART.finditer(text, start, end) if not _is_inside_number(text, m.start())]
    return (
        max([m.end() for m in joints if m.end() <= at], default=start),
        min([m.start() for m in joints if m.start() >= at], default=end),
    )


def _sentence(text: str, at: int) -> tuple[int, int, bool]:
    """The sentence around a place, and whether it asks. One that cannot stand for itself belongs to the one before."""
    stops = [m for m in _STOP.finditer(text) if m[0] != "." or not _ABBREVIATED.search(text[: m.start()])]
    ends = [m for m in stops if m.start() >= at]
    end = ends[0].start() if ends else len(text)
    asked = bool(ends) and "?" in ends[0][0]
    starts = [0, *(m.end() for m in stops if m.end() <= at)]
    start = starts.pop()
    while starts and not _VERB.search(text[start:end]):
        start = starts.pop()
    return start, end, asked


def _clause(text: str, start: int, end: int, at: int) -> tuple[int, int]:
    """The clause around a place within its sentence, where it can stand for itself; otherwise the sentence."""
    halves = [start, *(start + m.end() for m in re.finditer(r";", text[start:end])), end]
    start, end = max(h for h in halves if h <= at), min(h for h in halves if h > at)
    joints = [m for m in _JOINT.finditer(text, start, end) if not _is_inside_number(text, m.start())]
    first = max([m.end() for m in joints if m.end() <= at], default=start)
    last = min([m.start() for m in joints if m.start() >= at], default=end)
    while last < end and not _independent(text[first:last]):
        last = min([m.start() for m in joints if m.start() > last], default=end)
    return (first, last) if _independent(text[first:last]) else (start, end)


def _is_inside_number(text: str, at: int) -> bool:
    return 0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit()


def _independent(part: str) -> bool:
    return _SUBJECT.match(part.strip()) is not None and _VERB.search(part) is not None
