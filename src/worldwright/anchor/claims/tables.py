"""Tables whose rows are claims: requirements, permissions, decisions, settings and errors, told from their headers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.claims.about import heading_about
from worldwright.anchor.claims.kinds import is_role
from worldwright.anchor.claims.sentences import BREAK


def _form(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


CODE = r"(?:[A-Z]{1,8}(?:[-_.][A-Z]{1,6}){0,2}[-_. ]?\d{1,4}(?:[.\-]\d{1,3}){0,3}|/[A-Z]{1,4}\d{1,4}/)"
"""The id of a requirement: `FR-12`, `S.2.1`, `/F10/`."""
_ID_CELL = re.compile(rf"(?:[A-Za-z]{{1,8}}[-_.])?{CODE}\Z|\d{{1,3}}(?:\.\d{{1,3}}){{0,3}}\Z")
RULED = _form(
    r"\b(?:rules?|polic(?:y|ies)|constraints?|restrictions?|eligibility|validations?|prerequisites?|preconditions?|"
    r"limits?|logic|requirements?|acceptance criteria|criteria|conditions?|calculations?|permissions?|entitlements?|"
    r"exceptions?|invariants?|assumptions|sla|service levels?|approvals?|fees|pricing|penalt(?:y|ies)|refunds?|"
    r"cancellations?)\b"
)
"""Headings under which an item is a claim, whatever words it uses."""
_REQUIREMENT = _form(
    r"\b(?:requirements?|business rules?|rules?|polic(?:y|ies)|constraints?|acceptance criteria|criteria|statement|"
    r"validations?)\b"
)
_DESCRIPTION = _form(r"\b(?:description|details?|text|specification)\b")
_NUMBERING = _form(r"\bids?\b|\bno\b|#|type|name")
_CONDITION = _form(
    r"\b(?:conditions?|if|when|case|scenario|events?|triggers?|situation|criteri(?:on|a)|amount|range|tier|level|type|"
    r"category|class|priority|severity|age|days?|order value|value|threshold|status|reason|plan|zone|segment|grade|band|"
    r"input)\b"
)
_CONSEQUENCE = _form(
    r"\b(?:then|actions?|approv\w+|outcome|results?|decision|consequence|effect|multiplier|rates?|fees?|price|charges?|"
    r"limits?|cap|max\w*|min\w*|threshold|allowed|penalt\w+|discounts?|sla|response|resolution|deadline|due|entitle\w+|"
    r"points?|score|refunds?|percent\w*|%|days?|hours?|needs?|required|escalat\w+|authority|sign[- ]?off|behaviou?r|"
    r"output|copay|coverage)\b"
)
_SETTINGS = _form(r"\b(?:settings?|configuration|polic(?:y|ies)|limits?|rules?|constraints?|thresholds?)\b")
_FIGURED = _form(
    r"\d[\d.,]*\s?(?:%|days?|hours?|minutes?|weeks?|months?|years?|points?|x\b)|[$€£]\s?\d|\b(?:USD|EUR|GBP)\b"
)
_ROLES = _form(r"\b(?:roles?|actors?|personas?|users?|who)\b")
_RIGHTS = _form(
    r"\b(?:permissions?|responsibilit\w+|access|can|capabilit\w+|rights|may|allowed|actions?|duties|tasks|privileges)\b"
)
_ERRORS = _form(r"\b(?:errors?|exceptions?|failures?|status|code|http)\b(?: code)?\Z|\b(?:error|status) codes?\b")
_MEANING = _form(r"\b(?:meaning|cause|when|reason|message|description|handling|condition|response|returned)\b")
_METHOD = _form(r"(?:http )?(?:method|verb)\Z")


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def row_text(header: Sequence[str], row: Sequence[str]) -> str:
    """A row as one line: each cell with the head of its column."""
    cells = [_squeezed(c.replace(BREAK, "; ").replace("•", "")).strip("; ") for c in row]
    if not header:
        return " | ".join(c for c in cells if c)
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in zip(header, cells, strict=True) if cell)


def row_kind(path: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """What each row of a table claims; nothing where its rows are no claims."""
    if len(header) < 2 or not rows or any(_METHOD.match(h) for h in header):
        return ""
    first, rest = header[0], header[1:]
    if sum(is_role(h.split()[-1]) for h in rest if h) >= max(2, len(rest) - 1):
        return "permission"
    if _SETTINGS.search(first):
        return "default"
    if _ROLES.search(first) and any(_RIGHTS.search(h) for h in rest):
        return "permission"
    if heading_about(tuple(path))[0] == "process":
        return ""
    if _ERRORS.search(first) and any(_MEANING.search(h) for h in rest):
        return "error"
    decides = any(_CONDITION.search(h) for h in header) and any(_CONSEQUENCE.search(h) for h in header)
    apart = decides and len({h for h in header if _CONDITION.search(h) or _CONSEQUENCE.search(h)}) > 1
    ruled = bool(path) and bool(RULED.search(path[-1]))
    figured = sum(any(_FIGURED.search(c) for c in row[1:]) for row in rows) * 2 > len(rows)
    return "when" if apart or figured or any(_CONSEQUENCE.search(h) for h in rest) else "must" if ruled else ""


def requirement_column(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The column of a table that holds requirements; -1 where it is no such table."""
    named = [n for n, h in enumerate(header) if _REQUIREMENT.search(h) and not _NUMBERING.search(h)]
    sizes = {n: sum(len(r[n].split()) for r in rows) / max(1, len(rows)) for n in named}
    if named and max(sizes.values()) >= 4:
        return max(named, key=lambda n: (sizes[n], -n))
    coded = bool(rows) and sum(bool(_ID_CELL.match(_squeezed(r[0]))) for r in rows) * 2 > len(rows)
    if not coded or not any(_squeezed(r[0])[:1].isalpha() for r in rows):
        return -1
    return next((n for n, h in enumerate(header) if _DESCRIPTION.search(h)), -1)
