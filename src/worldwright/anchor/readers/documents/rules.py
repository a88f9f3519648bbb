"""Rules: the sentences of a document that say what must, may or must not be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.evidence import Quantity, Rule, Skipped, Source
from worldwright.anchor.readers.documents.demands import demand_of
from worldwright.anchor.readers.documents.names import Names
from worldwright.anchor.readers.documents.outline import Part, aside
from worldwright.anchor.readers.documents.quantities import quantities
from worldwright.anchor.readers.documents.software import WHY, about_software
from worldwright.anchor.readers.documents.statements import Statement, statements
from worldwright.anchor.readers.documents.words import is_role
from worldwright.english.languages import language_of_sentence

MOST_RULES = 3_000
_RULED = re.compile(
    r"\b(?:rules?|polic(?:y|ies)|constraints?|restrictions?|eligibility|validations?|prerequisites?|preconditions?|limits?)\b",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:is|are|has|have|gets?|becomes?|appl(?:y|ies)|expires?|triggers?|counts?|costs?|ends?|starts?|begins?|"
    r"closes?|opens?|locks?|remains?|stays?|lasts?|takes?|goes|"
    r"receives?|determines?|depends?|belongs?|equals?|exceeds?|generates?|sends?|notif(?:y|ies)|approves?|rejects?|"
    r"pays?|earns?|accrues?|resets?|blocks?|moves?|follows?)\b",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"(?:allow|enable|provide|support|ensure|prevent|send|notify|show|display|store|calculate|apply|enforce|"
    r"restrict|require|limit|generate|"
    r"record|handle|track|let|keep|block|mark|charge|create|update|delete|register|manage|assign|approve|reject|"
    r"cancel|accept|decline|verify|"
    r"validate|authenticate|check|list|search|filter|process|issue|schedule|confirm|refund|close|escalate|submit|"
    r"review)s?\b(?![:/-])",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:always|never|all|each|every|only|no|until|unless|after|before|automatically|any)\b", re.IGNORECASE
)
_STORY = re.compile(
    r"as an? .{2,80}?,? i (?:want|need|would|can|should|must|wish)\b|(?:for example|e\.g\.|examples?)\b", re.IGNORECASE
)
_INTRODUCES = re.compile(
    r"\bfollowing (?:\w+ )?(?:requirements?|rules?|conditions|criteria|sections?|list|table|functionalit\w+|"
    r"functions|components?|constraints|"
    r"properties|aspects|actors|steps|features)\b[^.]{0,40}:$",
    re.IGNORECASE,
)
_FAILS = re.compile(r"\b(?:errors?|exceptions?|failures?|troubleshooting)\b", re.IGNORECASE)
"""Headings of tables that say what may go wrong: `cannot be found` forbids nothing there."""
_FIGURE = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|a|an)\b",
    re.IGNORECASE,
)
_COUNTED = frozenset({"days", "business_days", "hours", "weeks", "months", "years", "percent", "money", "times"})


def rules(
    parts: Sequence[Part], names: Names, language: str, file: str
) -> tuple[tuple[Rule, ...], tuple[Skipped, ...]]:
    """Find the rules of a document, and the sentences that demand something but are none of the business.

    Only English is read: in a document of another language, the sentences of it that are written in English."""
    found: dict[str, Rule] = {}
    skipped: list[Skipped] = []
    for one in statements(parts):
        if len(found) >= MOST_RULES:
            break
        if one.text in found or language_of_sentence(one.text, language) != "en" or not _worth(one):
            continue
        said = demand_of(one.text)
        figures = quantities(one.text) if said or one.tagged or _FIGURE.search(one.text) else ()
        about = names.within(one.text) if said or one.tagged or figures else ()
        demands = _demand(one, said, figures, about)
        if not demands:
            continue
        source = Source(file, one.at)
        of_business = _by_somebody(one.text, about) or bool(_RULED.search(one.part.heading))
        why = aside(one.part.path) or (WHY if about_software(one.text, one.part.path, figures, of_business) else "")
        if why:
            skipped.append(Skipped(one.text, why, source))
        else:
            found[one.text] = Rule(
                one.text, demands, figures, about or names.within(one.text), one.part.heading, source
            )
    return tuple(found.values()), tuple(skipped)


def _worth(one: Statement) -> bool:
    """Whether a statement can be a rule at all, by a short look."""
    text = one.text
    return (
        len(text.split()) >= 3
        and not text.endswith("?")
        and not _STORY.match(text)
        and (bool(one.tagged) or not _INTRODUCES.search(text))
    )


def _demand(one: Statement, said: str, figures: Sequence[Quantity], about: Sequence[str]) -> str:
    """What a statement demands, by what its words say, its place and its figures; nothing where it is no rule."""
    text = one.text
    if said == "must_not" and one.part.block.kind == "table" and _FAILS.search(one.part.heading):
        return ""
    if said or one.tagged:
        return said or one.tagged
    bound = any(q.compares != "exactly" and q.unit in _COUNTED for q in figures)
    if one.firm and _IMPERATIVE.match(text) and len(text.split()) >= 4:
        return "must"
    if not _is_clause(text):
        return ""
    listed = one.part.block.kind == "item"
    ruled = any(_RULED.search(name) for name in one.part.path[0 if listed else 1 :][-2:]) and (
        listed or bool(_GENERAL.search(text))
    )
    return "must" if one.firm or ruled or (bound and about) else ""


def _is_clause(text: str) -> bool:
    """Whether a text has a verb that says something of a subject before it."""
    found = _FINITE.search(text)
    return found is not None and len(text[: found.start()].split()) >= 1 and len(text.split()) >= 4


def _by_somebody(text: str, about: Sequence[str]) -> bool:
    """Whether one of the roles in a sentence acts in it."""
    low = text.lower()
    return any(
        is_role(name.split()[-1])
        and re.search(
            rf"\b{re.escape(name.lower())}s?\b[^.;]{{0,30}}\b(?:must|shall|should|may|can|cannot|will)\b", low
        )
        for name in about
        if name.split()
    )
