"""What a claim is about: the business, the software, how it looks, or how it is made and called. A first guess, with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from worldwright.anchor.claims.kinds import is_role


def _form(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{text})\b", re.IGNORECASE)


_SOFTWARE = _form(
    r"https?|\d+ ?(?:ms|s|secs?|seconds?|milliseconds?)|tls|ssl|ssh|sftp|json|xml|yaml|csv injection|graphql|grpc|soap|"
    r"sdks?|sql|nosql|postgres\w*|mysql|mongodb|redis|elasticsearch|docker\w*|kubernetes|aws|azure|gcp|jwt|"
    r"oauth ?2?(?:\.0)?|saml|ldap|openid|single sign-on|sso|mfa|two-factor|csrf|xss|html5?|css|javascript|typescript|"
    r"react(?:\.js)?|react-hook-form|zod|angular|django|fastapi|node\.js|web ?sockets?|web browsers?|browsers?|chrome|"
    r"firefox|safari|ios|front-?ends?|back-?ends?|micro-?services?|latency|throughput|uptime|downtime|scal(?:es?|ab\w+)|"
    r"concurrent (?:users|requests|sessions)|load balanc\w+|failover|cach(?:e|es|ed|ing)|encrypt\w*|decrypt\w*|hash(?:ed|"
    r"ing)|cryptograph\w*|digital certificates?|x\.509|firewalls?|ci/cd|deployed|deployments?|containeri[sz]ed|"
    r"source code|coding standards|w3c|operating systems?|codebase|unit tests?|test coverage|code review|open[- ]source|"
    r"payloads?|throttl\w+|rate[- ]limit\w*|back-?off|transport layer|response times?|load time|pub/?sub|message queues?|"
    r"runtime|cpu|bandwidth|gigabytes?|data structures?|data types?|primary key|time[- ]?sync\w*|sub-?components?|"
    r"rest(?:ful)? apis?|web ?hooks?|high[- ]performance|high availability|fault[- ]toleran\w+|version control|"
    r"stack traces?|penetration test\w*|sql injection|idempoten\w+|api (?:keys?|tokens?|calls?|versions?|requests?|"
    r"gateways?)|(?:access|bearer|refresh|auth\w*|session) tokens?|authori[sz]ation header|'authorization' header|"
    r"headers?|urls?|uris?|base64|utf-8|iso[- ]?8601|rfc ?\d+|unix time\w*|query (?:string|parameters?)|request bod(?:y|"
    r"ies)|response bod(?:y|ies)|status codes?|content-type|mime types?|paginat\w+|cursors?|page (?:number|size|token)|"
    r"results? (?:to be shown )?per page|number of results|offset|credentials|too many requests|deprecated|nullable|"
    r"camelcase|snake_case|apis?|endpoints?|schemas?|database schema|regex|markdown|plain text|google maps|"
    r"role-based access control|rbac|open source|concurrency|transactions? isolation|data (?:governance|lineage)"
)
"""Words of software, whoever acts in the sentence."""
_MAYBE_SOFTWARE = _form(
    r"databases?|data stores?|servers?|protocols?|frameworks?|librar(?:y|ies)|components?|interfaces?|modules?|"
    r"architecture|infrastructure|technolog(?:y|ies)|software|hardware|implementations?|metrics?|logs?|logged|logger|"
    r"logging|tokens?|quer(?:y|ies)|automated tests?|tech|log ?files?|data models?|access control|inputs? validat\w+|"
    r"passwords?|authenticat\w+|login|log in|backups?|interoperab\w+|integrat(?:e|es|ed|ion|ions)|audit ?(?:trail|log)s?|"
    r"storage|real[- ]?time|milliseconds?|seconds?"
)
"""Words of software, unless somebody acts in the sentence or it names an amount or a time."""
_LAYOUT = _form(
    r"buttons?|drop-?downs?|tooltips?|icons?|colou?r(?:s|ed)?|fonts?|layouts?|ui|ux|user interfaces?|screens?|pages?|"
    r"wcag|responsive|mobile-friendly|screen readers?|pixels?|page loads?|dialogs?|modals?|pop-?ups?|check ?boxes|tabs?|"
    r"menus?|banners?|themes?|logos?|dashboards?|widgets?|visual(?:ly)?|wireframes?|carousels?|navigation|side ?bars?|"
    r"clicks?|clicking|hover\w*|scroll\w*|animations?|look and feel|display(?:s|ed)?|intuitive|learning curve|"
    r"easy to use|user-friendly|rich text"
)
_PROCESS = _form(
    r"this (?:document|section|chapter|specification|prd|brs|srs|appendix|diagram|figure|template|guide|tool|endpoint|"
    r"method|api|operation)|the (?:document|section|chapter|appendix|template)|see (?:section|table|figure|appendix|"
    r"also)|refer to (?:section|table|figure|appendix|the)|sprints?|development team|developers?|should be noted|"
    r"implementation time|mvp|roll-?out|milestones?|deliverables?|user manuals?|training|trained|campaigns?|marketing|"
    r"brochures?|stakeholder meetings?|release notes?|project (?:plan|manager|team)|vendors? of the software|"
    r"use this (?:tool|when|to)|ask the user|before running|after running|the next page|deep link|call this (?:tool|"
    r"first)|using this tool|before calling|documentation|changelog|future (?:version|release)s?|to be decided|tbd"
)
_HEADINGS = {
    about: _form(words)
    for about, words in {
        "process": r"(?:revision|version|document|change) (?:history|control|information|log|versions?)|changelog|references|"
        r"bibliography|contributors|authors?|acknowledge?ments?|licen[cs]e|sign[- ]?offs?|conventions used|(?:source|"
        r"related) documents|further reading|document overview|open (?:questions?|issues?|points?)|"
        r"out[- ]of[- ]scope|not in scope|exclusions|non[- ]goals?|future (?:work|enhancements?|scope|"
        r"considerations?|improvements?|releases?)|road ?map|timeline|milestones?|phases?|risks?|"
        r"nice[- ]to[- ]haves?|won't have|project plan|next steps|to ?do|backlog|success metrics|kpis?|deliverables|"
        r"objectives?|goals?|vision|benefits|motivation|problem statement|expected effects|current (?:situation|"
        r"state|process)|as[- ]is|pain points|test(?:ing)? (?:strategy|plan)|outreach|add-?ons",
        "software": r"non[- ]?functional(?: requirements?)?|performance|scalability|tech(?:nical|nology)? (?:requirements?|stack|"
        r"specifications?|constraints?|considerations?|architecture)|architecture|infrastructure|deployment|devops|"
        r"hosting|front-?end|back-?end|api (?:management )?gateway|gateway interface|databases?|technolog(?:y|ies)|"
        r"compatibility|maintainability|reliability|interoperability requirements?|security(?: layer)?|"
        r"messaging interface|mediator interface|storage|design and implementation|quality of service|"
        r"standards compliance|external interfaces?|quality attributes|system requirements?|authentication|"
        r"rate limits?|cross[- ]?cutting requirements?",
        "layout": r"usability|accessibility|user interface|ui/?ux|ui|ux|user experience|design (?:guidelines|principles)|"
        r"look and feel|wireframes?",
    }.items()
}
"""Headings under which claims are about something else than the business."""
_INTRODUCES = _form(
    r"overview|summary|introduction|abstract|about|background|scope|purpose|vision|stakeholders?|motivation|objectives?|"
    r"goals?|description|definitions?|glossary|terminology"
)
_BUSINESS = re.compile(
    r"\b\d[\d,.]*[ -]?(?:business |working |calendar )?(?:days?|weeks?|months?|years?)\b|[$€£]\s?\d|\d\s?(?:€|%)|"
    r"\b(?:USD|EUR|GBP|RM|CHF)\b"
)
_ACTS = re.compile(
    r"\b([\w-]+?)(?:s|\(s\))? (?:must|shall|should|may|can|cannot|will|submits?|approves?|reviews?|pays?|receives?)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_OF_RULES = _form(r"business (?:rules?|logic)|polic(?:y|ies)|eligibility")


@lru_cache(maxsize=4_096)
def heading_about(path: tuple[str, ...]) -> tuple[str, str]:
    """Return what claims under these headings are about, and why; nothing where the headings do not tell."""
    for name in reversed(path):
        for about, form in _HEADINGS.items():
            if form.search(name):
                return about, f"stands under `{name[:60]}`"
    return "", ""


def introduces(path: Sequence[str]) -> bool:
    """Tell whether the nearest heading is one under which a document speaks of itself, and not of what is to be so."""
    return bool(path) and bool(_INTRODUCES.search(path[-1]))


def about_of(text: str, path: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return what a claim under these headings is about, and why."""
    own, why = heading_about(path)
    if own == "process":
        return own, why
    somebody = any(is_role(m[1]) for m in _ACTS.finditer(text))
    plain = _ASIDE.sub(" ", text)
    for about, form in (("process", _PROCESS), ("software", _SOFTWARE), ("layout", _LAYOUT)):
        found = form.search(plain)
        if found and not (about == "layout" and somebody and _BUSINESS.search(text)):
            return about, f"speaks of `{found[0]}`"
    if somebody:
        return "business", "somebody acts in it"
    if _BUSINESS.search(text) or any(_OF_RULES.search(name) for name in path):
        return "business", "an amount, a time or a rule of the business"
    found = _MAYBE_SOFTWARE.search(plain)
    if found:
        return "software", f"speaks of `{found[0]}`"
    return (own, why) if own else ("business", "no word of software, layout or process in it")
