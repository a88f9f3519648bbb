"""What an English sentence claims: by the words that oblige, forbid, allow, limit, compute or move something.

The finder is made to miss little. A sentence that only looks like a claim costs an author a glance; one that was missed is lost.
"""

from __future__ import annotations

import re

from worldwright.english.money import COMMON_CURRENCY_CODES
from worldwright.english.nouns import singular
from worldwright.english.words import NUMBERS, wordset

_LABEL = re.compile(r"[A-Z][\w /&()-]{1,40}:\s+(?=\S)")
"""What an item starts with: `Balance: `."""


def _form(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_NUMBER = rf"(?:\d[\d.,]*|(?:{'|'.join(NUMBERS)}|once|twice|hundred|half)\b)"
_MONEY = rf"(?:[$€£¥₹]|\b(?:{'|'.join(sorted(COMMON_CURRENCY_CODES))}|RM|Rs\.?)\b)"
_UNIT = (
    r"(?:%|per ?cent|(?:(?:business|working|calendar|consecutive|full)[ -])?(?:days?|hours?|hrs?|weeks?|months?|years?|"
    r"minutes?|mins?|seconds?|secs?|quarters?)|char(?:acter)?s?|letters?|digits?|words?|items?|pieces?|entries|records?|"
    r"times?|attempts?|people|persons?|users?|members?|guests?|kg|g|km|miles?|meters?|mb|gb|kb|bytes?|a\.?m\.?|p\.?m\.?|"
    r"o'clock|per (?:\w+ ){0,2}\w+|an? (?:day|week|month|year|hour)|[x×]\b)"
)
_FIGURE = rf"(?:{_MONEY}\s?)?{_NUMBER}(?:\s?(?:k|m|million|thousand)\b)?(?:\s?{_MONEY})?"

_BOUND = _form(
    rf"(?:\bat (?:least|most)|\bup to|\b(?:no|not|never) (?:more|less|fewer|later|earlier|longer|shorter|older|greater|"
    rf"higher|lower|larger|smaller|sooner) than|\b(?:more|less|fewer|later|earlier|longer|shorter|older|younger|greater|"
    rf"higher|lower|larger|smaller) than(?: or equal to)?|\bexceed\w*|\bmax(?:imum|\.)?(?: of| is|:| number of)?|"
    rf"\bmin(?:imum|\.)?(?: of| is|:)?|\bwithin|\bbetween|\blimit(?:ed|s)?(?: of| to| is|:)|\bcap(?:ped)?(?: of| at|:)|"
    rf"\bequal to|[<>≤≥]=?)\W[^.;]{{0,30}}?{_FIGURE}|\b(?:over|under|above|below|after|before|until|for|every|each|from|"
    rf"in|by|exactly|first|last|next|all)\s(?:the |an? )?{_FIGURE}(?:[\s-]{_UNIT}|(?<=[$€£¥₹\d]) ?{_MONEY})|\b(?:over|"
    rf"under|above|below|first|costs?|fee of|rate of)\s{_MONEY}\s?\d|"
    rf"(?<!one )(?!one or more){_FIGURE}[\s-]?{_UNIT}? or (?:more|less|fewer|older|above|over|longer|higher|greater|"
    rf"later|below|under|lower)\b|{_FIGURE}[\s-]{_UNIT}\s(?:per|an?|each|maximum|minimum|max|min|limit|cap|window|before|"
    rf"after|prior|in advance|notice)\b|{_FIGURE}\s?(?:%|per ?cent) (?:of|discount|fee|deposit|surcharge|tax)|"
    rf"\bpositive (?:integer|number|amount)|\bmust be (?:positive|negative|non-?zero)\b|\b(?:non-?negative|"
    rf"greater than zero|not be negative)\b|\b(?:this )?date is (?:in|ex)clusive\b|"
    rf"\bno (?:more|later|less|fewer|earlier) than\b|\b(?:not|never|"
    rf"cannot|n['’]t)(?: be)? exceed\w*|\b(?:limit(?:ed)?|cap(?:ped)?|maximum|minimum|threshold|at most|"
    rf"at least)\b[^.;]{{0,60}}?\d|\bcan(?:no|['’])t be (?:more|less|greater|higher|lower|before|after) (?:than )?"
)
_RANGE = _form(
    rf"(?<![\w.-]){_MONEY}?\s?\d{{1,9}}(?:\.\d+)?\s?(?:-|–|to|\.\.)\s?{_MONEY}?\s?\d{{1,9}}(?:\.\d+)?(?![\w-])(?!\.\d)"
)
"""`0-4`, `1 to 5`: a bound where somebody describes a value."""
_UNIQUE = _form(
    r"\bunique(?:ly)?\b(?! (?:id\b|ids\b|identif|reference|key\b|code|number|name\b|string|token|value|handle|"
    r"transaction))|\bmust be unique\b|\bduplicate[sd]?\b|\bno two\b|\balready (?:exists?|taken|in use|used|"
    r"registered)\b|\b(?:at most|only|exactly) one\b(?! of)|\bone \w+ per \w+"
)
_DEFAULT = _form(
    r"\bdefaults? (?:to|is|value|:)|\bby default\b|\bdefault\b[^.;]{0,40}?[:=\d]|\bdefaults?\b(?=\W{0,3}\Z)"
)
_COMPUTES = _form(
    r"\b(?:calculat|comput|deriv|aggregat)(?:ed|es|e)\b|\bauto-?(?:calculat|generat)\w+|\bautomatic \w+ calculation|"
    r"\bcalculation (?:of|based on)\b|\b(?:the )?(?:sum|total|average|product|difference) of\b|\bequals?\b|\bmultipl(?:y|"
    r"ied|ies)\b|\bdivided by\b|\bpro-?rat\w+|\baccru(?:e|es|ed)\b|\b(?:is|are|was) based on\b|\Abased on\b|\bvar(?:y|"
    r"ies) (?:by|with)\b|\bincluding all\b[^.;]{0,40}\b(?:less|minus|and)\b|\bminus\b|\bformula\b|"
    r"[\w)] [-+*/×÷] [\w(][^.;]{0,40} ?= ?\w|\w ?= ?[\w.() ]{1,40} [-+*/×÷] "
)
_ONLY = _form(
    r"(?<!not )\bonly (?:be )?(?:if|when|after|once|where|by|for|with|upon|during|in|on|from|until|available|allowed|"
    r"permitted|possible|valid|accepted|editable|granted|issued|accessible|processed|approved|eligible|refundable|"
    r"returned|used|applies|applicable|required|visible|supports?|supported)\b|\b(?:may|can|shall|must|should|"
    r"will)(?: be)?(?: \w+)? only\b|(?:\A|[:,;(] ?)only\b|\bunless\b|\bexcept(?: (?:when|if|for|where|that|in))\b|"
    r"\bexclusively\b|\bprovided (?:that|the)\b|\bas long as\b|\bsubject to\b|\brestricted to\b|\bon condition\b|"
    r"\b(?:not|no \w+|never)\b[^.;]{1,80}\b(?:until|before|without)\b|\beditable until\b|\bprerequisite\b|"
    r"\bonly(?=[,.;]|\Z)"
)
_NOT = _form(
    r"\b(?:must|shall|should|may|will|can)(?: also| then| therefore|, in general,)? (?:not|never|"
    r"no longer)(?: be)? (?!only)\w+|\b(?:cannot|can't|can’t|mustn't|shouldn't|won't)\b|(?:\A|"
    r"[:,;] )(?:no [\w'’ -]{1,60}?|nobody|no one|none of [\w'’ -]{1,50}?) (?:may|can|shall|must|should|will|is|are)\b|"
    r"\b(?:prohibit(?:s|ed)?|forbid(?:s|den)?|disallow(?:s|ed)?|not (?:allowed|permitted|supported|accepted|possible|"
    r"editable|available|valid|refundable|eligible|to be)|ineligible|non-(?:refundable|transferable|editable)|prevents?|"
    r"read-?only|immutable|disabled|locked|never|nobody|nothing (?:is|may|can|shall|must|will|leaves|goes))\b"
)
_IS_NOT = _form(
    r"\b(?:does|do|is|are)(?: also| then)? (?:not|no longer)(?: be)? (?!only)\w+|\b(?:isn't|aren't|don't|doesn't)\b"
)
_REQUIRED = _form(
    r"\b(?:is|are|be|become|becomes)(?: also| always| still| then)? (?:required|mandatory|compulsory|obligatory)\b|"
    r"\bmandatory\b|\b(?:must|shall|should|needs? to|ha(?:s|ve) to)(?: also| always)? (?:have|contain|include|provide|"
    r"specify|be (?:provided|specified|entered|supplied|given|included|set|present|attached|filled|submitted with))\b|"
    r"\brequires? (?:an?|the|at|prior|written|approval|two|both|\w+ (?:fields?|values?|only))\b|\brequired (?:if|when|"
    r"for|unless|to|in|field)\b|\Arequired\b(?! to)"
)
_STATE = _form(
    r"\b(?:status|state|stage)e?s?\b[^.;]{0,60}\b(?:is|are|becomes?|changes?|changed|set|updated|moves?|transitions?|"
    r"remains?|stays?|one of|includes?)\b|\b(?:moves?|moved|transition(?:s|ed)?|changes?|changed|goes|reverts?|"
    r"advances?) (?:[\w'’]+ ){0,4}?(?:from|to|into) (?:the )?[\"'`“‘*]?\w+|\b(?:set|updated|changed) to [\"'`“‘*]|"
    r"\b(?:marked as|set to [\"'`“‘]|become(?:s)? (?:locked|active|inactive|final|void|visible|available|eligible|"
    r"invalid|overdue|read-?only|editable)|left as \w+|expires?)\b|\b(?:in|has|have) (?:the |"
    r"an? )?[\"'`“‘]\w+[\"'`”’] (?:status|state)\b|\b\w+ ?(?:→|->|=>) ?\w+"
)
_ERROR = _form(
    r"\b(?:is|are|be|gets?|will be) (?:automatically )?(?:rejected|refused|declined|denied|blocked|"
    r"returned with an error|ignored)\b|\b(?:reject|refuse|decline|deny|block)s? (?:the|an?|any|all|every|it|them)\b|"
    r"\b(?:returns?|raises?|throws?|responds? with|results? in|receives?|gives?|shows?|displays?) (?:the |"
    r"an? )?(?:\w+ ){0,3}?(?:errors?|exceptions?|[45]\d\d|warning)\b|\berrors? (?:if|when|occurs?|message|is|will)\b|"
    r"\bwill fail\b|\bfails? (?:if|when|with)\b|\binvalid (?:if|when|\w+ (?:value|id|parameter))\b|\b(?:soft )?warning\b"
)
_ROLE_MAY = _form(
    r"\b(?P<who>[\w-]+)(?:s|\(s\))? (?:with [\w '\"‘’-]{2,40} )?(?:may|can|could|are|is|will)(?: also| then|"
    r" only)? (?:be able to|able to|allowed to|permitted to|entitled to|authori[sz]ed to|responsible for|"
    r"(?P<verb>[a-z]+))"
)
_ONLY_ROLE = _form(
    r"\bonly (?:the |an? |authori[sz]ed |registered |designated )?(?:[\w-]+ ){0,2}?(?P<who>[\w-]+)(?: (?:with|of|in|"
    r"from) [^,.;]{2,50}?)? (?:may|can|must|shall|should|are|is|will|has|have)\b|\b(?:only|exclusively) (?:by|to|"
    r"for) (?:the |an? )?(?:[\w-]+ ){0,2}?(?P<by>[\w-]+)"
)
_STORY = _form(r"as an? .{2,80}?,? i (?:want|need|would|can|should|must|wish|am able)\b")
_MUST = _form(
    r"\b(?:must|shall|ought to|has to|have to|had to|needs? to|is to|are to|obliged|obligated|responsible for|"
    r"makes? sure|make sure|enforced?|enforces|guarantees?|compl(?:y|ies) with|is expected to|are expected to)\b|"
    r"\bshould\b(?! there\b)|\brequires?\b|\brequired\b|\bneeds? (?:an?|the|at|approval|prior|written)\b|(?:\A|[,;:] ?|"
    r"\bthen )ensur(?:es?|ing)\b|\balways\b"
)
_WHEN = _form(
    r"\A[\W\d]*(?:in (?:certain|some|most|other) [\w ]{2,30}, )?(?:if|when|whenever|once|after|before|upon|in case|"
    r"in the (?:event|case)|as soon as|following|for (?:each|every|any|all)|on (?:approval|rejection|submission|receipt|"
    r"failure|success|cancellation|expiry)|until|where|while|beyond|during|otherwise)\b[^.]{3,}|\b(?:if|when|whenever|"
    r"in case|as soon as|depending on|in which case|otherwise|until|triggers?|triggered|takes place (?:once|after|when)|"
    r"prior to|once (?:the|an?|it|they|all|\w+ed|\w+ (?:is|are|has|have)))\b"
)
_MAY = _form(
    r"\b(?:may|can|could)\b(?! (?:\d|vary|differ|help|lead|cause|mean|depend|include|contain|result|occur|happen|arise|"
    r"exist|seem|appear|also include|be (?:different|seen|viewed|found|useful|considered|difficult|hard|helpful|"
    r"described)|have been|want|wish|attempt|defer|take (?:time|a while|several))\b)|\bmight not be necessary\b|\b(?:is|"
    r"are) (?:allowed|permitted|entitled|authori[sz]ed|eligible|optional|supported|editable|configurable|possible|"
    r"not (?:required|mandatory|necessary|needed))\b|\ballow(?:s|ed|ing)?\b|\bpermitted\b|\bpermits? (?:the|an?|any|"
    r"users?|to)\b|\b(?:be|is|are) able to\b|\bdiscretion\b|\boptional(?:ly)?\b|\bneed not\b|\bdo(?:es)? not (?:need|"
    r"have) to\b|\bpermissible\b|\beligible\b|\bsupported per\b|\badmin configurable\b"
)
_TAG = _form(r"[(\[{]\s?(required|mandatory|must|shall|recommended|should|optional|may|could)\s?[)\]}]")
_OPTIONAL = frozenset({"optional", "may", "could"})
_MONTH = re.compile(r"(?<=\S )May\b(?= \d|,|\.|\Z)|\AMay(?=,? \d)")
_WILL = _form(
    r"\b(?P<who>[\w-]+) will\b(?! (?:allow us|help|depend|vary|need to know|see|find|learn|not be covered)\b)|"
    r"\bautomat(?:ic|ically|ed)\b|\bauto-\w+"
)
_WILL_BE = re.compile(r"\bwill (?:be|automatically|receive|get|have)\b")
_DEEDS = (
    "appl(?:y|ies) approve assign book cancel check close confirm create decide determine enter escalate inspect issue "
    "notif(?:y|ies) order pay provide receive record refund register reject request return review scrutini[sz]e select send "
    "sign submit update upload verif(?:y|ies)"
).replace(" ", "|")
_ACTS = _form(rf"\b(?P<who>[\w-]+)(?: \([^()]{{1,60}}\))? (?:then |also |first |only )?(?:{_DEEDS})s?\b")
_DONE = _form(
    r"\b(?:is|are) (?:then |also |first |automatically )?(?:sent|notified|informed|e?-?mailed|created|generated|recorded|"
    r"charged|credited|debited|deducted|added|removed|assigned|escalated|archived|issued|granted|paid|refunded|consumed|"
    r"excluded|billed)\b"
)
_EACH = _form(
    r"(?:\A|[,;:] )(?:each|every|all|any)\b[\w ,/'’-]{2,60}?\b(?:is|are|has|have|gets?|goes|requires?|receives?|belongs?|"
    r"carr(?:y|ies)|logs?|\w+ed|counts?|pays?|costs?|ends?|expires?|stays?)\b"
)
_VALUES = _form(
    r"\b(?:one of|either|(?:allowed|valid|possible|permissible|accepted|supported|permitted|"
    r"available) (?:\w+ )?(?:values?|options?|types?|statuses)|values? (?:are|is|can be|may be|include)|options? (?:are|"
    r"include))\b[^.]{0,20}?[\w\"'`][^.]*(?:,| or |\||/)|\b(?:can|may|"
    r"must) be (?:either )?[\"'`“‘]?\w+[\"'`”’]?(?:, [\"'`“‘]?\w+[\"'`”’]?)* or [\"'`“‘]?\w+|"
    r"[`'\"“‘]\w[\w -]*[`'\"”’](?:, ?[`'\"“‘]?\w[\w -]*[`'\"”’]?)*,? or [`'\"“‘]\w|"
    r"[`'\"“‘]\w[\w -]{0,30}[`'\"”’](?:, ?[`'\"“‘]\w[\w -]{0,30}[`'\"”’]){2,}"
)
_LISTED = re.compile(
    r"(?P<label>(?!Fields?\b|Columns?\b|Returns?\b|Keys?\b|Examples?\b|Includes?\b|"
    r"Note\b)[A-Z][\w /&-]{2,40}?)(?: values?| options?)?\s?[:：]\s?(?P<words>[A-Za-z][\w -]{0,24}(?:\s?[,/|"
    r"]\s?[A-Za-z][\w -]{0,24}){1,12})\.?\Z"
)
"""`Ticket status: Open, On Hold, Closed`"""
_BRACKETED = re.compile(
    r"[A-Z][\w /&-]{2,40} \((?!e\.g|default|max|min|optional|required)[a-zA-Z-]+(?: [a-zA-Z-]+)?"
    r"(?:, (?!default|max|min)[a-zA-Z-]+(?: [a-zA-Z-]+)?){1,8}\)\.?\Z"
)
"""`Urgency (routine, urgent, emergency)`"""
_FUNCTIONS = (
    "accept access add allow apply approve archive assign attach block book calculate cancel capture change charge "
    "check choose close collect configure confirm create customise customize decline define delete deny detect "
    "display download edit enable enforce ensure enter escalate export fetch filter find flag generate get grant "
    "handle import issue keep let limit link list lock log manage mark match merge monitor move notify open pause pay "
    "place prevent process provide read receive reconcile record refund register reject remind remove reopen report "
    "renew request require reserve reset resolve restrict resume retry return review route schedule search see select "
    "send set share show split store submit support suspend toggle track transfer trigger unlock update upload "
    "validate verify view withdraw"
).replace(" ", "|")
_IMPERATIVE = _form(
    rf"(?:(?:automatically|optionally) )?(?:auto-?\w+|auth\w+|(?:{_FUNCTIONS})s?)(?:(?:, ?|/)[a-z]+)*(?:,? (?:and|"
    rf"or) [a-z]+)? (?!and\b|or\b)(?=\S)"
)
"""An item that names a function: `Add, edit or delete agents`."""
_SYSTEM_DOES = _form(
    rf"\b(?:system|application|platform|portal|app|service|software|tool|engine|module) (?:automatically |then |"
    rf"also )?(?:{_FUNCTIONS})s\b"
)
_NO_CLAIM = _form(
    r"\A(?:it|this [\w-]{3,20}(?: [\w-]{3,20})?|the following (?:section|table|figure|diagram)s?) (?:explains?|"
    r"describes?|defines?|sets out|outlines?|covers?|says|specifies|shows?|lists?|summari[sz]es?|provides an overview)\b|"
    r"\A(?:for example|e\.g\.|examples?:|note that this (?:document|section))|\bfollowing (?:\w+ ){0,2}(?:requirements?|"
    r"rules?|conditions|criteria|sections?|list|table|functionalit\w+|functions|components?|constraints|aspects|actors|"
    r"steps|features)\b[^.]{0,40}:\Z"
)
_SYSTEMS = wordset(
    "system application platform portal app solution service software product tool website site engine module it this that"
)
_PEOPLE = wordset(
    "admin administrator agent agency analyst applicant approver architect assistant associate attendee auditor "
    "authority author bank beneficiary bidder biller board borrower broker buyer candidate caregiver "
    "carrier cashier chairperson chef citizen claimant cleaner clerk client coach committee company consultant "
    "consumer contractor controller coordinator council counsellor courier creditor crew customer "
    "dealer debtor department developer director dispatcher distributor doctor donor driver editor "
    "employee employer engineer everybody everyone examiner executive finance guarantor guardian guest head holder host hr "
    "individual inspector instructor insurer investor issuer judge landlord lawyer lead leader learner lecturer lender "
    "librarian maintainer manager member merchant ministry moderator nurse officer official operator "
    "organiser organizer organisation organization owner parent participant partner party passenger patient payee "
    "payer people person personnel pharmacist physician pilot planner player policyholder president procurement "
    "professional professor provider publisher purchaser receptionist recipient recruiter referee regulator "
    "renter reporter representative requester requestor researcher resident reviewer rider secretary seller "
    "sender shipper shopper signatory somebody speaker specialist staff stakeholder steward student subcontractor "
    "subscriber superuser supervisor supplier supporter team teacher technician teller tenant tester "
    "trader trainee trainer translator traveler traveller treasurer trustee tutor underwriter user "
    "vendor verifier viewer visitor volunteer worker writer collector appraiser adjuster accountant attorney "
    "intern colleague peer superior patron pupil caretaker concierge stylist mechanic surveyor"
)
_ENDINGS = ("holder", "keeper", "maker", "owner", "worker", "manager", "ologist", "ician", "officer", "admin")

_FREE = _form(
    r"\b(?:is|are) not (?:required|mandatory|necessary|needed)\b|\bneed not\b|\bdo(?:es)? not (?:need|have) to\b"
)
_FIRST = _form(r"\A[\W\d]*(?:if|when|whenever|once|as soon as|in case|upon)\b[^.]{3,200}?, ")

_ORDER: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("unique", _UNIQUE),
    ("bound", _BOUND),
    ("default", _DEFAULT),
    ("only_if", _ONLY),
    ("may", _FREE),
    ("when", _FIRST),
    ("error", _ERROR),
    ("computes", _COMPUTES),
    ("values", _VALUES),
    ("required", _REQUIRED),
    ("state", _STATE),
    ("must_not", _NOT),
    ("must", _MUST),
    ("when", _WHEN),
    ("must_not", _IS_NOT),
    ("may", _MAY),
)
"""The first that fits names the kind."""
_FAINT = frozenset({"when", "may", "state", "values", "computes", "default", "unique", "error"})
"""Kinds that a sentence in passing may look like as well: they do not count where a document introduces itself."""


def is_role(word: str) -> bool:
    """Tell whether a word names somebody."""
    low = singular(word)
    return low in _PEOPLE or (len(low) > 7 and low.endswith(_ENDINGS))


def kind_of(text: str, faint: bool = True) -> str:
    """Return what a sentence claims, or nothing. With `faint` off only words count that oblige, forbid or limit."""
    tag = _TAG.search(text)
    text = _TAG.sub("", _MONTH.sub("   ", text)).strip()
    if len(text.split()) < 2 or text.endswith("?") or _NO_CLAIM.search(text):
        return ""
    by_tag = ("may" if tag[1].lower() in _OPTIONAL else "must") if tag else ""
    return _kind(text, faint) or by_tag


def _kind(text: str, faint: bool) -> str:
    if _STORY.match(text) or _by_role(text):
        return "permission"
    listed = listed_words(text)
    if listed:
        return listed
    for kind, form in _ORDER:
        if (faint or kind not in _FAINT) and form.search(text):
            return kind
    if not faint:
        return ""
    will, acts = _WILL.search(text), _ACTS.search(text)
    who = (will["who"] or "it") if will else ""
    if will and (is_role(who) or who.lower() in _SYSTEMS or _WILL_BE.search(text)):
        return "does"
    if _DONE.search(text) or (acts and is_role(acts["who"])) or _SYSTEM_DOES.search(text):
        return "does"
    return "must" if _EACH.search(text) else ""


def _by_role(text: str) -> bool:
    """Tell whether a sentence says who may do something."""
    only = _ONLY_ROLE.search(text)
    if only and is_role(only["who"] or only["by"] or ""):
        return True
    found = _ROLE_MAY.search(text)
    if not found or not is_role(found["who"]) or _NOT.search(text) or _BOUND.search(text):
        return False
    return found["verb"] is None or bool(re.search(r"\b(?:may|can|could)\b", found[0]))


def listed_words(text: str) -> str:
    """`state` or `values` where a label lists the words that something can be: `Priority: Low, Medium, High`."""
    found = _LISTED.fullmatch(text)
    if not found and _BRACKETED.match(text):
        return "state" if re.match(r".{0,30}\b(?:status|state|stage)\b", text, re.IGNORECASE) else "values"
    if not found or all(len(w.split()) > 3 for w in re.split(r"[,/|]", found["words"])):
        return ""
    return "state" if re.search(r"status|state|stage", found["label"], re.IGNORECASE) else "values"


_DEFINES = _form(
    r"\A(?:(?:the|an?|this|optional|its) )*(?:(?:date|day|time|timestamp|date-?time|formatted date-?time|moment|"
    r"point in time|hour)s?(?: and time)?(?: \w+)? (?:when|at which|that|the|of|from|until|since|by)|optional|specif(?:y|"
    r"ies)|indicat(?:es?|or|ing)|defines?|determines?|denotes?|flag|boolean|whether|true|identifier|ids?|names?|"
    r"description|details|if (?:true|set|this|the provided|there (?:is|are)))\b|\Aotherwise\b.{0,12}\Z"
)


_BRIEF = _form(r"\b(?:must|cannot|never|only)\b")


def kind_of_description(text: str) -> str:
    """Return what a sentence of a description claims. One that only defines a field claims something where it obliges or limits."""
    if len(text.split()) < 4 and not any(form.search(text) for form in (_BRIEF, _BOUND, _DEFAULT)):
        return ""
    return kind_of(_TAG.sub("", text), not _DEFINES.search(text))


def is_function(text: str) -> bool:
    """Tell whether an item names something that the system does or lets somebody do, after its label where it has one."""
    own = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
    return bool(_IMPERATIVE.match(own)) and len(own.split()) >= 2


def is_right(text: str) -> bool:
    """Tell whether an item says after the name of a role what that one does: `Manager: approves requests`."""
    label = _LABEL.match(text)
    return label is not None and is_function(text) and is_role(label[0].split(":")[0].split()[-1])


def states_range(text: str) -> bool:
    """Tell whether a description names the range of a value, `0-4`."""
    return bool(_RANGE.search(text))
