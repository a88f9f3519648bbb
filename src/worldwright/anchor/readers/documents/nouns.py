"""Nouns that a document keeps doing business with: what is submitted, approved, cancelled, paid. English only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldwright.anchor.evidence import Resource, Source
from worldwright.anchor.readers.documents.outline import Part, Spoken, foreign
from worldwright.anchor.readers.documents.words import DETERMINERS, STOP, Word, best_form, is_role, key_of
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

LEAST = 3
MOST = 40
_VERBS = wordset(
    "create submit approve reject decline cancel assign pay close issue register book request review verify "
    "validate update delete edit modify process ship deliver return refund redeem activate deactivate suspend "
    "archive schedule reschedule confirm accept raise file escalate resolve renew terminate transfer allocate "
    "publish sign invoice charge track manage view add remove complete reopen release reserve place open generate "
    "initiate execute resubmit withdraw amend provision search list sort filter"
)


def _forms(verb: str) -> Iterator[str]:
    """A verb in the forms that an object may follow or a subject may go before."""
    stem = verb[:-1] if verb.endswith("e") else verb
    doubled = stem + stem[-1] if verb in ("submit", "cancel", "ship", "transfer", "sign up", "resubmit") else stem
    yield verb
    yield (
        verb[:-1] + "ies"
        if verb.endswith("y") and verb[-2] not in "aeiou"
        else verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")
    )
    yield doubled + "ing"
    yield stem + "ing"


def _done(verb: str) -> Iterator[str]:
    if verb == "pay":
        yield "paid"
    elif verb.endswith("e"):
        yield verb + "d"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        yield verb[:-1] + "ied"
    else:
        yield verb + "ed"
        yield verb + verb[-1] + "ed"


ACTIVE = frozenset(form for verb in _VERBS for form in _forms(verb))
DONE = frozenset(form for verb in _VERBS for form in _done(verb))
_VAGUE = wordset(
    "process system information data detail number name date time type list way part step use status state value "
    "field option feature function functionality page screen button form update change access action activity "
    "result level rule requirement case example set amount id code key link history decision error log email "
    "notification message sms setting configuration permission role user password login credential feedback "
    "search filter report dashboard view summary format template workflow integration support interface module "
    "component operation functionalities management submission version copy content document documentation text "
    "line item thing object entity record file attachment comment note reason purpose period day week month year "
    "hour minute limit range total sum percentage rate section table tab step stage phase point place location "
    "address quality performance efficiency accuracy transparency experience service platform application "
    "software website app tool solution product feature project team need ability capability possibility option "
    "choice chance issue problem question answer response solution proof evidence fact basis standard criterion "
    "condition instance kind metric trend statistic indicator parameter back-off address resource-id queue end "
    "start beginning rest share attempt retry confirmation verification validation approval money cash fund "
    "identity timeout credit debit consent opinion timing queries query review check audit execution completion "
    "initiation creation registration deletion modification addition reuse"
) - frozenset(
    {
        "application", "product", "project", "document", "issue", "resource", "entity", "submission",
        "registration", "service",
    }
)  # fmt: skip
"""Nouns that say too little to be kept as a thing of their own."""
_JOINS = frozenset(",/&") | {"and", "or"}


_MANAGED = re.compile(r"(.{2,40}?) (?:management|handling|life ?cycle)\Z", re.IGNORECASE)
_BROAD = wordset(
    "case content document change risk system access identity performance quality session time project product life"
)
_NOUNS_TOO = wordset(
    "request order return refund transfer charge invoice file book issue release process schedule review list "
    "view place open sort filter search track update sign"
)
"""Verbs that are nouns as well."""
_BEFORE_VERBS = wordset("to must shall should may can could will would and or not also then cannot please")
_KEEPING = frozenset(
    form
    for verb in ("create", "update", "delete", "register", "add", "edit", "remove", "modify", "manage")
    for form in _forms(verb)
)
_KEPT = frozenset(
    form
    for verb in ("create", "update", "delete", "register", "add", "edit", "remove", "modify", "manage")
    for form in _done(verb)
)
"""What is done to records: even somebody it is done to is a thing that is kept."""


@dataclass(slots=True)
class _Seen:
    """A phrase that is being counted."""

    forms: Counter[str] = field(default_factory=Counter)
    at: str = ""


def nouns(parts: Sequence[Part], prose: Sequence[Spoken], known: Sequence[str], file: str) -> tuple[Resource, ...]:
    """The nouns that are the object of business verbs at least three times, or have a section of their own; they have no fields."""
    seen: dict[tuple[str, ...], _Seen] = {}
    written: Counter[str] = Counter()
    for one in prose:
        if foreign(one.part.path):
            continue
        words = one.words
        written.update(w.text for w in words)
        for phrase in dict.fromkeys((*_objects(words), *_subjects(words))):
            key = tuple(singular(w) for w in phrase)
            entry = seen.setdefault(key, _Seen(at=one.at))
            entry.forms[" ".join(phrase)] += 1
    for name, at in _managed(parts):
        if sum(n for word, n in written.items() if singular(word) == singular(name.split()[-1])) >= LEAST:
            entry = seen.setdefault(key_of(name), _Seen(at=at))
            entry.forms[name] += LEAST
    counts = {key: sum(entry.forms.values()) for key, entry in seen.items()}
    kept = _kept(counts)
    taken = {key_of(name) for name in known}
    out = [
        Resource(best_form(_form(seen[key]), written), (), origin="document", source=Source(file, seen[key].at))
        for key in seen
        if key in kept and key not in taken
    ]
    return tuple(out[:MOST])


def _managed(parts: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Yield what headings such as `Voucher Management` are about."""
    for part in parts:
        found = _MANAGED.match(part.heading) if part.block.kind == "heading" and not foreign(part.path) else None
        words = found[1].split() if found else []
        if (
            1 <= len(words) <= 2
            and all(w[0].isalpha() for w in words)
            and singular(words[-1]) not in _VAGUE | _BROAD
            and not words[-1].isupper()
        ):
            yield " ".join(words), part.block.at


def _form(entry: _Seen) -> str:
    """The phrase as it is written most."""
    return min(entry.forms.items(), key=lambda f: (-f[1], f[0]))[0]


def _kept(counts: dict[tuple[str, ...], int]) -> set[tuple[str, ...]]:
    """Phrases that are seen often enough. Of a noun alone and with one word before it, only one is kept: they mean the same."""
    heads: dict[str, list[tuple[str, ...]]] = {}
    for key in counts:
        heads.setdefault(key[-1], []).append(key)
    out: set[tuple[str, ...]] = set()
    for head, keys in heads.items():
        often = [k for k in keys if len(k) > 1 and counts[k] >= LEAST]
        alone = sum(counts[k] for k in keys if k not in often)
        if len(often) >= 2 or (often and (alone < LEAST or counts[often[0]] >= counts.get((head,), 0))):
            out |= set(often)
        elif alone + sum(counts[k] for k in often) >= LEAST and (head,) in counts:
            out.add((head,))
        elif often:
            out |= set(often)
    return out


def _objects(words: Sequence[Word]) -> Iterator[tuple[str, ...]]:
    """Yield what follows a verb: `submit the claim and the receipts`, `create/update/delete events`."""
    position = 0
    while position < len(words):
        if words[position].low not in ACTIVE or not _is_verb(words, position):
            position += 1
            continue
        after = position + 1
        while after < len(words) and (words[after].low in ACTIVE or words[after].low in _JOINS):
            after += 1
        keeps = any(w.low in _KEEPING for w in words[position:after])
        end = after
        for _ in range(3):
            phrase, end = _phrase(words, end)
            if phrase and singular(phrase[-1]) in _VAGUE and end < len(words) and words[end].low == "of":
                phrase, end = _phrase(words, end + 1)
            if _is_thing(phrase, keeps):
                yield phrase
            if not phrase or end + 1 >= len(words) or words[end].low not in _JOINS or words[end + 1].low in ACTIVE:
                break
            end += 1
        position = max(after, position + 1)


def _is_verb(words: Sequence[Word], position: int) -> bool:
    """Tell whether a word that may be a noun too is a verb here."""
    word = words[position]
    if word.low not in _NOUNS_TOO and word.low.removesuffix("s") not in _NOUNS_TOO:
        return True
    before = words[position - 1] if position else None
    after = words[position + 1] if position + 1 < len(words) else None
    if word.low.endswith("s"):
        return after is not None and after.low in DETERMINERS
    return before is None or not before.text[0].isalnum() or before.low in _BEFORE_VERBS


def _is_thing(phrase: Sequence[str], keeps: bool) -> bool:
    """Tell whether a phrase may name a thing: nothing vague, no abbreviation, and somebody only where records of them are kept."""
    if not phrase:
        return False
    last = singular(phrase[-1])
    return (
        last not in _VAGUE
        and not phrase[-1].isupper()
        and not last.endswith(("ed", "ing"))
        and (keeps or not is_role(last))
    )


def _subjects(words: Sequence[Word]) -> Iterator[tuple[str, ...]]:
    """Yield what something is done to: `claims must be submitted`."""
    for position, word in enumerate(words):
        if word.low in DONE and position >= 2 and words[position - 1].low in ("be", "is", "are", "been", "being"):
            before = position - 1
            while (
                before > 0
                and words[before - 1].low in STOP
                and words[before - 1].low not in ("and", "or", "of", "to", "for", "by")
            ):
                before -= 1
            start = before
            while start > 0 and before - start < 3 and _nominal(words[start - 1]):
                start -= 1
            phrase = _trimmed([w.text for w in words[start:before]])
            if _is_thing(phrase, word.low in _KEPT):
                yield phrase


def _phrase(words: Sequence[Word], start: int) -> tuple[tuple[str, ...], int]:
    """The noun phrase that starts here, without what stands before the noun, and where it ends."""
    position = start
    while position < len(words) and (words[position].low in DETERMINERS or words[position].low.endswith("ly")):
        position += 1
    out: list[str] = []
    while position < len(words) and len(out) < 4 and _nominal(words[position]):
        if out and words[position].low in DONE:
            break
        out.append(words[position].text)
        position += 1
    return _trimmed(out), position


def _nominal(word: Word) -> bool:
    return (
        word.text[0].isalpha()
        and len(word.low) > 2
        and word.low not in STOP
        and word.low not in DETERMINERS
        and not word.low.endswith("ly")
    )


def _trimmed(phrase: Sequence[str]) -> tuple[str, ...]:
    """At most the noun and one word before it; no participle, no possessive."""
    kept = list(phrase[-2:])
    while len(kept) > 1 and (
        kept[0].lower().endswith(("ed", "'s", "’s"))
        or kept[0].lower() in ACTIVE
        or (kept[0][0].isupper() != kept[1][0].isupper() and kept[0].isupper())
    ):
        kept = kept[1:]
    if kept and (
        kept[-1].lower() in ACTIVE
        and not kept[-1].lower().endswith("s")
        and len(kept) == 1
        and kept[-1].lower() not in _NOUNS_TOO
    ):
        return ()
    return tuple(kept)
