"""Labels: names of tools, fields and words as software writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from worldwright.english.words import wordset

ACRONYMS: Mapping[str, str] = {
    word.lower(): word
    for word in wordset(
        """
        AP AR API BIC BOM CPU DNS EAN EDI ETA FX GB GL HR IBAN ID IP ISBN KYC MB MRN MRO NCR OK PDF PIN PO QA QC RAM RMA SEPA SIM
        SKU SLA SMS SSN TB URL USD UTC UUID VAT VIN VIP ZIP vCPU
        """
    )
}
"""Words that are not written like others, by their small letters."""
ALONE: Mapping[str, str] = {"it": "IT", "am": "AM", "pm": "PM"}
"""The same, where nothing else stands beside them."""
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


def split_name(name: str) -> list[str]:
    """Split a name into its words, however it is spelt: `needed_by`, `neededBy`, `needed-by`."""
    if name.isascii() and name.islower():
        return [word for word in re.split(r"[\s_.\-/]+", name) if word]
    return _PIECE.findall(name) or [name]


def to_phrase(name: str) -> str:
    """Write a name inside a sentence: `purchase_order` to `purchase order`, `po_id` to `PO ID`."""
    words = split_name(name)
    if len(words) == 1 and words[0].lower() in ALONE:
        return ALONE[words[0].lower()]
    return " ".join(map(_write_word, words))


def _write_word(word: str) -> str:
    low = word.lower()
    if low in ACRONYMS:
        return ACRONYMS[low]
    if low[:-1] in ACRONYMS and low.endswith("s"):
        return f"{ACRONYMS[low[:-1]]}s"
    return word if word.isupper() and len(word) > 1 else low


@lru_cache(maxsize=20_000)
def to_label(name: str) -> str:
    """Write a name as a label: `needed_by` to `Needed by`."""
    return capitalise(to_phrase(name))


@lru_cache(maxsize=20_000)
def to_choice(word: str) -> str:
    """Write a word of a list as people read it: `part_received` to `Part received`. Codes and phrases stay as they are."""
    return to_label(word) if re.fullmatch(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*", word) else word


def capitalise(text: str) -> str:
    """Begin a text with a capital, unless its first word has one inside (`vCPUs`)."""
    first = text.partition(" ")[0]
    return text if first != first.lower() else text[:1].upper() + text[1:]


def first_sentence(text: str) -> str:
    """The first sentence of a description."""
    found = re.match(r".*?[.!?](?=\s+[^\s]|$)", text.strip(), re.DOTALL)
    return found[0] if found else text.strip()
