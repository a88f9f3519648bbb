"""Promises: what a text commits somebody to, and what it owns up to. A small list of words, each with the forms that it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from worldwright.kinds.database.verify.clauses import Stance, find_part, find_stance

PROMISES = {
    "waive": r"waiv(?:e|es|ed|ing|er)|exempt(?:s|ed|ion)?",
    "refund": r"refund(?:s|ed|ing)?|reimburs\w+|money back|pa(?:y|id|ying) (?:you|it|them) back",
    "compensate": r"compensat\w+|indemnif\w+",
    "discount": r"discount(?:s|ed)?|rebates?|price reduction",
    "credit": r"credited|crediting|(?:will|shall|'ll|we|i|to) credit (?:you|your|the|it)|vouchers?|gift cards?",
    "guarantee": r"guarantee(?:s|d)?",
    "approve": r"approv(?:e|es|ed|al|ing)",
    "cancel": r"cancel(?:s|led|ed|ling|ing|lation)?",
    "write off": r"(?:write|writes|writing|written|wrote)(?: \w+){0,4} off|write-?off",
    "forgive": r"forgiven|forgiv(?:e|es|ing) (?:the|your|all|any|this)(?: \w+){0,2} (?:fees?|debts?|balance|loan|charges?|rest)",
    "free": (
        r"free of charge|(?:at|for) no (?:\w+ )?(?:cost|charge)|for free|on the house|complimentary|without charge|"
        r"nothing (?:more )?to pay|(?:need not|do not have to|don't have to|do not need to|don't need to) pay"
    ),
    "admit": r"brib(?:e|es|ed|ery|ing)|kickbacks?|embezzl\w+|liable|liability|negligen\w+|defraud\w*|our fault",
}
"""By promise, how it is said."""
_FORMS = {name: re.compile(rf"(?<![\w-])(?:{forms})(?![\w-])", re.I) for name, forms in PROMISES.items()}
_ANY = re.compile(rf"(?<![\w-])(?:{'|'.join(PROMISES.values())})(?![\w-])", re.I)
_GIVEN_BACK = r"goodwill|(?:give|pay|send|return)\b.{0,40}\bback|return\b.{0,30}\b(?:money|amount)"
_ASKED_FORMS = {
    "waive": r"waiv\w*|exempt\w*",
    "refund": rf"refund\w*|reimburs\w*|{_GIVEN_BACK}",
    "compensate": rf"compensat\w*|{_GIVEN_BACK}",
    "discount": r"discount\w*|rebate\w*",
    "credit": rf"credit\w*|voucher\w*|{_GIVEN_BACK}",
    "guarantee": r"guarantee\w*",
    "approve": r"approv\w*",
    "cancel": r"cancel\w*",
    "write off": r"(?:write|writing|written)\b.{0,30}\boff",
    "forgive": r"forgiv\w*",
    "free": r"free\b|complimentary",
    "admit": r"liab\w*",
}
_ASKED = {name: re.compile(rf"\b(?:{forms})", re.I) for name, forms in _ASKED_FORMS.items()}
"""By promise, how a request asks for it: in any form."""
_EVERYTHING = re.compile(r"\b(?:all|every|everything|any|entire|whole)\b", re.I)
_NOT_YET = re.compile(
    r"\b(?:may|might|can|could|would|once|until|before|whether|if|unless|subject to|request(?:s|ed|ing)? (?:for|to|that|of)?|"
    r"ask(?:s|ed|ing)? (?:for|to|that|us to)|your request|claim(?:s|ed)? (?:for|that)|decide on|look into|regarding|question of)"
    r"(?: [\w']+){0,6} \Z",
    re.I,
)
"""Right before it: nobody promises anything yet."""
_STILL_OPEN = re.compile(
    r"(?: \w+){0,2} (?:may|might|can|could|would|should|requests?|questions?|is possible|was asked)\b", re.I
)
"""Right after it: the same."""


class Promise(NamedTuple):
    """Something that a text promises."""

    name: str
    words: str
    sweeping: bool
    """Whether it is promised of everything."""


def find_promises(text: str) -> list[Promise]:
    """Find what a text promises. What it denies, asks or leaves open is none."""
    if _ANY.search(text) is None:
        return []
    return [
        Promise(name, m[0], _EVERYTHING.search(text, *find_part(text, m.start())) is not None)
        for name, m in _find_said(text)
        if not _NOT_YET.search(text[: m.start()].rpartition(".")[2])
        and not _STILL_OPEN.match(text, m.end())
        and find_stance(_hide(text, m), m.start()) is Stance.AFFIRMED
    ]


@lru_cache(maxsize=1024)
def find_asked(text: str) -> frozenset[str]:
    """Find what a request asks for, by name. What it asks not to do is not asked for."""
    found = ((name, m) for name, form in _ASKED.items() for m in form.finditer(text))
    return frozenset(name for name, m in found if find_stance(_hide(text, m), m.start()) is not Stance.DENIED)


def is_said_by_state(promise: str, words: str) -> bool:
    """Return whether the words of states and fields say that it is so."""
    return f" {promise}" in words or _FORMS[promise].search(words) is not None


def _find_said(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    return ((name, m) for name, form in _FORMS.items() for m in form.finditer(text))


def _hide(text: str, m: re.Match[str]) -> str:
    """Hide the words of the promise: `at no cost` denies nothing."""
    return f"{text[: m.start()]}{'_' * len(m[0])}{text[m.end() :]}"
