"""Sentences about software, or about the document: they demand something, but nothing of the business."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.evidence import Quantity

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
    """Whether a sentence is no rule of the business. `of_business`: one of its roles acts in it, or it stands among rules."""
    if _ALWAYS.search(_ASIDE.sub(" ", text)) or _DOCUMENT.search(text) or any(q.unit == "seconds" for q in quantities):
        return True
    if of_business or any(q.unit in _BUSINESS_UNITS for q in quantities):
        return False
    return bool(_MOSTLY.search(text)) or any(_HEADINGS.search(name) for name in path)
