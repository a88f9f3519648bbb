"""Words as the planner compares them: stems of what people say, tools promise and fields are called.

`stems("Orders to be called off")` holds `order` and, because English says it in many ways, the plain verb `cancel`. The list of
such ways is common office English. It knows no domain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import log

from worldwright.english.stems import stem
from worldwright.english.words import STOPWORDS, wordset

_WORD = re.compile(r"[A-Za-z]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
STOP = STOPWORDS | wordset("please id ids")
"""Words that say nothing."""
_SAME: Mapping[str, str] = {
    "cancel": "cancel; call off; called off; calls off; withdraw; scrap; revoke; void; no longer need",
    "approve": "approve; sign$; signs$; signed$; grant; sign off; signed off; authorise; authorize; go ahead; wave through",
    "reject": "reject; decline; refuse; turn down; turned down; turn away; turned away; say no; send back; dismiss; deny",
    "pay": "pay; settle; disburse; remit; pay out",
    "refund": "refund; reimburse; give back; money back; goes back; pay back",
    "reschedule": "reschedule; move; shift; postpone; bring forward; other date; new date; push back; change",
    "close": "close; end; finish; complete; conclude; wrap up; wind up; finalise",
    "block": "block; suspend; freeze; stop; bar; lock; on hold; put a stop",
    "release": "release; unblock; lift; reinstate; reactivate; resume; free up; unlock",
    "assign": "assign; allocate; give to; hand to; take over; pass on; route; forward; send to; in front of",
    "record": "record; log; file; note; register; enter; put on file; write down; document; post; book in; capture; into the books",
    "create": "create; raise; set up; issue; add; draw up; put in; get under way",
    "receive": "receive; arrive; arrived; came in; come in; take in; delivered; delivery",
    "check": "check; verify; match; compare; agrees; inspect; review; examine; look into; hold up; screening; assess",
    "write": "write; message; reply; answer; respond; write back; notify; inform; mail; email; notice",
    "replace": "replace; exchange; swap; substitute; instead; in place of",
    "extend": "extend; prolong; renew; longer; later; extension",
    "update": "update; change; correct; amend; adjust; edit; fix; put right; alter; revise",
    "book": "book$; books$; booked$; reserve; reserved",
    "hold": "hold; keep; put aside; retain; set aside",
    "remove": "remove; delete; take off; drop; strike; take out; retire",
    "escalate": "escalate; escalation; hand up; raise to",
    "upgrade": "upgrade; higher category; better",
    "schedule": "schedule; plan; arrange; fix a time; appointment; slot",
    "price": "price; cost; total; amount; sum; come to; charge; value",
    "start": "start; begin; from; arrival; commence; since; first",
    "end": "end; until; departure; to; till; through; last; expire; expires; valid; good until",
    "due": "due; deadline; payable; falls due; needed by",
    "reference": "reference; number; slip; receipt; note number; under",
    "person": "person; people; employee; staff; somebody; colleague; member",
    "supplier": "supplier; vendor; seller",
    "customer": "customer; client; buyer; guest; tenant; patient; account holder",
    "order": "order; purchase; buy",
    "invoice": "invoice; bill",
    "return": "return; rma; come back; bring back",
    "waiting": "waiting; waitlist; waiting list; queue",
    "stay": "stay; night; booking",
    "headcount": "headcount; adults; persons; party of; heads; guests; participants; attendees",
    "faulty": "faulty; fault$; broken; defective; failed; does not work; stopped working; died$; out of order",
    "lost": "lost; missing; astray; disappeared",
    "wrong": "wrong; incorrect; mistake; error; mistaken",
    "duplicate": "duplicate; copy$; twice; second record; entered again",
    "confirm": "confirm; binding; definite; firm$; for certain",
    "resign": "resign; quit; hand in notice",
    "sick": "sick; ill$; illness; unwell",
    "bereaved": "bereavement; death; passed away; funeral",
    "goodwill": "goodwill; gesture; courtesy; apology",
    "late": "late; overdue; past due; delayed",
    "grant": "grant; allow; let; permit; give",
    "pick": "pick; choose; select",
    "merge": "merge; duplicate; second record; same person twice",
    "terminate": "terminate; end the contract; let go; leave us",
    "transfer": "transfer; move; relocate; shift to",
    "submit": "submit; hand in; send in; send off; put forward",
    "deposit": "deposit; down payment; up front; in advance",
    "balance": "balance; open; outstanding; owed; left",
}


@lru_cache(maxsize=8192)
def stem_words(text: str) -> tuple[str, ...]:
    """The stems of a text in order, without the words that say nothing."""
    found = _WORD.findall(_CAMEL.sub(" ", text.replace("_", " ")))
    return tuple(stem(w) for w in found if w.lower() not in STOP)


def _make_pattern(way: str) -> str:
    """Make a pattern of a way to say something, with the endings of English unless it ends in `$`: `book` is not `booking`."""
    return re.escape(way[:-1]) if way.endswith("$") else re.escape(way) + r"\w{0,3}"


def _ways() -> list[tuple[re.Pattern[str], str]]:
    out = []
    for plainly, ways in _SAME.items():
        each = "|".join(_make_pattern(way.strip()) for way in ways.split(";"))
        out.append((re.compile(rf"\b(?:{each})\b", re.IGNORECASE), "=" + plainly))
    return out


_WAYS = _ways()


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The stems of a text, and for every common way to say something the plain verb or noun (marked `=`)."""
    spaced = _CAMEL.sub(" ", text.replace("_", " "))
    return frozenset(stem_words(text)) | frozenset(plainly for way, plainly in _WAYS if way.search(spaced))


def stem_actions(text: str) -> frozenset[str]:
    """Stem a text, with plain verbs for what is done, but without the plain nouns that only tell values apart."""
    return stems(text) - _VALUES


_VALUES = wordset(
    "=price =start =end =due =reference =headcount =balance =deposit =late =stay =waiting =customer =person =supplier"
)


def score_likeness(one: str, other: str) -> float:
    """Score how much two names have in common, from 0 to 1: `due` and `due_on`, `price` and `total`."""
    a, b = set(stem_words(one)), set(stem_words(other))
    if not a or not b:
        return 0.0
    direct = len(a & b) / len(a | b)
    meant = 0.45 if {s for s in stems(one) if s[0] == "="} & {s for s in stems(other) if s[0] == "="} else 0.0
    return max(direct, meant)


class Rarity:
    """How much a stem tells, by how few of the texts have it."""

    def __init__(self, texts: Iterable[str]) -> None:
        seen: dict[str, int] = {}
        self._texts = 0
        for text in texts:
            self._texts += 1
            for s in stems(text):
                seen[s] = seen.get(s, 0) + 1
        self._seen = seen

    def weigh(self, found: str) -> float:
        return log((1 + self._texts) / (1 + self._seen.get(found, 0))) + 0.2 if found in self._seen else 0.0

    def weigh_shared(self, one: frozenset[str], other: frozenset[str]) -> float:
        """Sum the weight of what both have. A plain verb that stands for many ways counts a little less than the word itself."""
        return sum(self.weigh(s) * (0.7 if s[0] == "=" else 1.0) for s in sorted(one & other))
