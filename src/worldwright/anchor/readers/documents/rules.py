"""Rules: the sentences of a document that say what must, may or must not be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.evidence import Quantity, Rule, Skipped, Source
from worldwright.anchor.readers.documents.outline import Part, aside
from worldwright.anchor.readers.documents.quantities import quantities
from worldwright.anchor.readers.documents.statements import Statement, demand_of, statements
from worldwright.anchor.readers.documents.words import Names, is_role
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
    """Tell whether a statement can be a rule at all, by a short look."""
    text = one.text
    return (
        len(text.split()) >= 3
        and not text.endswith("?")
        and not _STORY.match(text)
        and (bool(one.tagged) or not _INTRODUCES.search(text))
    )


def _demand(one: Statement, said: str, figures: Sequence[Quantity], about: Sequence[str]) -> str:
    """Return what a statement demands, by what its words say, its place and its figures; nothing where it is no rule."""
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
    """Tell whether a text has a verb that says something of a subject before it."""
    found = _FINITE.search(text)
    return found is not None and len(text[: found.start()].split()) >= 1 and len(text.split()) >= 4


def _by_somebody(text: str, about: Sequence[str]) -> bool:
    """Tell whether one of the roles in a sentence acts in it."""
    low = text.lower()
    return any(
        is_role(name.split()[-1])
        and re.search(
            rf"\b{re.escape(name.lower())}s?\b[^.;]{{0,30}}\b(?:must|shall|should|may|can|cannot|will)\b", low
        )
        for name in about
        if name.split()
    )


# Sentences about software, or about the document: they demand something, but nothing of the business.


WHY = "not a rule of the business"

_ALWAYS = re.compile(
    r"\b(?:https?|tls|ssl|ssh|sftp|json|xml|yaml|graphql|grpc|soap|sdks?|sql|nosql|postgres\w*|mysql|mongodb|redis|"
    r"elasticsearch|docker\w*|kubernetes|"
    r"aws|azure|gcp|jwt|oauth ?2?|saml|ldap|openid|single sign-on|sso|csrf|xss|html5?|css|javascript|typescript|"
    r"react|angular|django|node\.js|"
    r"web browsers?|browsers?|chrome|firefox|safari|ios|wcag|responsive|mobile-friendly|"
    r"front-?ends?|back-?ends?|micro-?services?|"
    r"latency|throughput|uptime|downtime|scalab\w+|concurrent (?:users|requests|sessions)|load balanc\w+|failover|"
    r"cach(?:e|es|ed|ing)|encrypt\w*|"
    r"decrypt\w*|hash(?:ed|ing)|cryptograph\w*|digital certificates?|x\.509|firewalls?|ci/cd|deployed|deployments?|"
    r"containeri[sz]ed|source code|coding standards|w3c|operating systems?|"
    r"codebase|unit tests?|test coverage|code review|open[- ]source|payloads?|throttl\w+|rate[- ]limit\w*|"
    r"back-?off|transport layer|screen readers?|"
    r"page loads?|response times?|load time|pixels?|pub/?sub|message queues?|runtime|cpu|bandwidth|gigabytes?|"
    r"data structures?|data types?|"
    r"primary key|time[- ]?sync\w*|sub-?blocks?|sub-?components?|drop-?downs?|tooltips?|user interfaces?|"
    r"rest(?:ful)? apis?|web ?hooks?|"
    r"high[- ]performance|high availability|fault[- ]toleran\w+|version control|error codes?|stack traces?|penetration test\w*)\b",
    re.IGNORECASE,
)
_MOSTLY = re.compile(
    r"\b(?:apis?|databases?|data stores?|servers?|endpoints?|schemas?|protocols?|ui|ux|buttons?|screens?|pages?|"
    r"frameworks?|librar(?:y|ies)|components?|"
    r"interfaces?|modules?|architecture|infrastructure|technolog(?:y|ies)|software|hardware|implementations?|"
    r"metrics?|logs?|logged|logger|logging|"
    r"repositor(?:y|ies)|tokens?|queries|query|automated tests?|tech|log ?files?|data models?|"
    r"access control mechanisms?|inputs? validat\w+)\b",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"^(?:it|this [\w-]{3,20}(?: [\w-]{3,20})?) (?:explains|describes|defines|sets out|outlines|covers|says|"
    r"regulates|specifies)\b|\b(?:this|the) (?:document|section|chapter|specification|prd|brs|srs|appendix|"
    r"diagram|figure|template|guide)\b|"
    r"\b(?:see|refer to) (?:section|table|"
    r"figure|appendix)\b|\bsprints?\b|\bdevelopment team\b|\bdevelopers?\b|\bit should be noted\b|"
    r"\bshould be noted that\b|\bimplementation time\b|\bmvp\b",
    re.IGNORECASE,
)
_HEADINGS = re.compile(
    r"\bnon[- ]?functional|\bperformance\b|\bscalability\b|\btech(?:nical|nology)? (?:requirements?|stack|"
    r"specifications?|constraints?|considerations?|architecture)\b|"
    r"\barchitecture\b|\binfrastructure\b|\bdeployment\b|\bdevops\b|\bhosting\b|\bfront-?end\b|\bback-?end\b|"
    r"\bapi (?:management )?gateway\b|\bgateway interface\b|"
    r"\bdatabases?\b|\btechnolog(?:y|ies)\b|\busability\b|\baccessibility\b|\bcompatibility\b|\bmaintainability\b|"
    r"\breliability\b|\binteroperability requirements?\b|"
    r"\bsecurity layer\b|\buser interface\b|\bui/?ux\b|\bdesign (?:guidelines|principles)\b|"
    r"\btest(?:ing)? (?:strategy|plan)\b|\bmessaging interface\b|\bmediator interface\b|"
    r"\bstorage\b|\bdesign and implementation\b|\bquality of service\b|\bstandards compliance\b|"
    r"\bexternal interfaces?\b|\bquality attributes\b|\bsystem requirements?\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_BUSINESS_UNITS = frozenset({"days", "business_days", "weeks", "months", "years", "money", "quarters"})


def about_software(text: str, path: Sequence[str], quantities: Sequence[Quantity], of_business: bool) -> bool:
    """Tell whether a sentence is no rule of the business. `of_business`: one of its roles acts in it, or it stands among rules."""
    if _ALWAYS.search(_ASIDE.sub(" ", text)) or _DOCUMENT.search(text) or any(q.unit == "seconds" for q in quantities):
        return True
    if of_business or any(q.unit in _BUSINESS_UNITS for q in quantities):
        return False
    return bool(_MOSTLY.search(text)) or any(_HEADINGS.search(name) for name in path)
