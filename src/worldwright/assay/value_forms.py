"""Forms that the name or the description of a column promises, and tests of single values against them.

Written without a look at what draws values: a check that is made of what it checks finds nothing. Every test is lenient. It asks
whether a reader would take the value for what the name says, not whether it exists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Any

from worldwright.english.words import wordset

Test = Callable[[str], bool]

CURRENCIES = wordset("""
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR
IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR
MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE
SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR
ZMW ZWG
""")
CODE = re.compile(r"[A-Z]{1,5}[-_ ]?\d{3,}|\d{4,}[-_]?[A-Z]{1,4}")
"""A code as forms and labels have it: `KP-69079`."""
NOISE = re.compile(r"(?=[A-Z]*[BCDFGHJKLMNPQRSTVWXYZ]{3})[A-Z]{3,12}|[A-Z]{1,2}")
"""Capitals that spell nothing."""


def _is(pattern: str) -> Test:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def _is_moment(text: str) -> bool:
    """Tell whether a text is a day, a moment, a time of day, or seconds since 1970."""
    try:
        datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return bool(re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?|\d{9,13}|\d{1,2}[./]\d{1,2}[./]\d{2,4}", text))
    return True


def _is_address(text: str) -> bool:
    try:
        ip_address(text.partition("/")[0])
    except ValueError:
        return False
    return True


def _is_phone(text: str) -> bool:
    return bool(re.fullmatch(r"[+()\d .x/-]{5,24}", text)) and sum(ch.isdigit() for ch in text) >= 5


def _within(low: float, high: float) -> Test:
    def test(text: str) -> bool:
        try:
            return low <= float(text) <= high
        except ValueError:
            return False

    return test


def is_code_like(text: str) -> bool:
    """Tell whether a text is a code or spells nothing: nobody would say it to somebody else."""
    return bool(CODE.fullmatch(text) or NOISE.fullmatch(text))


def _has_words(text: str) -> bool:
    return any(ch.isalpha() for ch in text) and not is_code_like(text)


@dataclass(frozen=True, slots=True)
class Form:
    """What values of a column look like, by the end of its name or by something that its description says."""

    label: str
    name: str
    """A regular expression that the words of the name, joined by spaces, end with."""
    fits: Test
    says: str = ""
    """One that occurs in the description; empty where none does."""
    kinds: tuple[str, ...] = ("text",)


_FLAGS = frozenset({"true", "false", "yes", "no", "0", "1", "y", "n", "on", "off"})
_NUMBER = _is(r"[+-]?\d[\d,]*([.]\d+)?( ?[%\w]{1,4})?")
_NUMBERS = ("text", "int", "decimal", "money")
WORDS = "words"
FORMS: tuple[Form, ...] = (
    Form("a currency code", r"currency( code)?|currencycode", CURRENCIES.__contains__, r"ISO[- ]?4217"),
    Form("a country code", r"country (iso )?code|countrycode", _is(r"[A-Z]{2,3}"), r"ISO[- ]?3166"),
    Form("a country", r"country( name)?", _is(r"[A-Z]{2,3}|[A-Z][\w ,.'()-]{3,}")),
    Form("a language", r"(language|lang|locale)( code)?", _is(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?|[A-Z][a-z]{3,}( \(.+\))?")),
    Form("a time zone", r"time ?zone( name| id)?|tz", _is(r"[A-Z][A-Za-z]+/[A-Za-z_/+-]+|UTC([+-]\d.*)?|GMT.*"),
         r"\bIANA time ?zone|\btz database"),
    Form("a URL", r"(ur[il]|href|website|homepage|webpage)s?", _is(r"(https?|ftp|wss?|data|urn|[a-z]+):\S+|/\S*|www[.]\S+"),
         r"^(The |A )?(full |public |direct )?URL (of|to|that|for|from|where)\b"),
    Form("an email address", r"e ?mail( address)?", _is(r"[^@\s]+@[^@\s]+[.][A-Za-z]{2,}")),
    Form("a phone number", r"(phone|mobile|fax|telephone)( number| no)?", _is_phone, r"phone number[^.]*\bE[.]164\b"),
    Form("an IP address", r"ip( address| addr)?|ipv[46]|ip v [46]", _is_address),
    Form("a MAC address", r"mac( address)?", _is(r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}")),
    Form("a latitude", r"latitude|lat", _within(-90, 90), kinds=_NUMBERS),
    Form("a longitude", r"longitude|lng|lon", _within(-180, 180), kinds=_NUMBERS),
    Form("a person's name", r"((first|last|middle|given|family|full|sur|maiden) ?name|surname|firstname|lastname)",
         lambda t: _has_words(t) and not any(ch.isdigit() for ch in t)),
    Form("a city", r"city|town|city name", lambda t: _has_words(t) and not any(ch.isdigit() for ch in t)),
    Form("a street", r"street( name| address)?|address line( 1| one)?", lambda t: _has_words(t) and len(t) > 4),
    Form("a region",
         r"(administrative( \w+)*|region|province|county|territory|(address|billing|shipping|home) state|state (code|abbr|name))",
         _is(r"[A-Z]{2,3}|[A-Za-z].*[a-z].*")),
    Form("a state", r"state", lambda t: not CODE.fullmatch(t)),
    Form("a size", r"size", lambda t: not CODE.fullmatch(t)),
    Form("a postcode", r"(post ?code|postal ?code|zip ?code|zip)", _is(r"(?=.*\d)[A-Z0-9 -]{3,10}")),
    Form("a day or a moment", r"(date ?time|timestamp|date|dob|birthday)", _is_moment,
         r"\b(timestamp|date)\b[^.]{0,60}RFC ?3339|ISO[- ]?8601 (date|time)"),
    Form("a MIME type", r"(mime|content|media) ?type", _is(r"[a-z]+/[\w.+-]+"), r"MIME type"),
    Form("a version", r"version( number)?", lambda t: any(ch.isdigit() for ch in t) and not is_code_like(t)),
    Form("a UUID", r"uuid|guid", _is(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"), r"\bUUID\b"),
    Form("a file name", r"file ?name", lambda t: _has_words(t)),
    Form("a colour", r"(colou?r)( code| hex)?", _is(r"#?[0-9A-Fa-f]{3,8}|[a-zA-Z][a-z]+([ -][a-z]+)*|rgb.*")),
    Form("a share in per cent", r"percent(age)?|pct", _within(-100, 1000), kinds=_NUMBERS),
    Form("a number", r"(quantity|qty|price|amount|total|subtotal|count|weight|width|height|length|balance|cost|fee)", _NUMBER),
    Form("true or false", r"(?!is not)(is|has|can|allow|enable|use)( \w+)+", lambda t: t.lower() in _FLAGS or not is_code_like(t)),
    Form("a year", r"year", _within(1800, 2200), kinds=("text", "int")),
    Form("a month", r"month", lambda t: bool(re.fullmatch(r"0?[1-9]|1[0-2]|\d{4}-\d{2}(-\d{2})?|[A-Z][a-z]{2,8}", t)),
         kinds=("text", "int")),
    Form(WORDS, r"(name|title|label|subject|caption|headline|topic)", _has_words),
    Form("a text", r"(description|comments?|notes?|message|body|summary|reason|content|instructions|remarks?|bio)",
         lambda t: _has_words(t) or t.startswith(("{", "[", "<"))),
)  # fmt: skip
_COMPILED: Mapping[str, tuple[re.Pattern[str], re.Pattern[str] | None]] = {
    f.label: (re.compile(rf"(?:.*\b)?(?:{f.name})(?: \d)?"), re.compile(f.says, re.IGNORECASE) if f.says else None)
    for f in FORMS
}

CODED = re.compile(
    r"""\b(id|ids|uid|gid|sid|uuid|guid|key|keys|code|codes|number|numbers|no|nr|num|ref|reference|sku|skus|token|hash|serial|
    barcode|etag|cursor|marker|secret|password|signature|license|licence|vin|iban|bic|swift|tracking|upc|ean|isbn|mpn|gtin|asin|
    symbol|identifier|nonce|lot|batch|npi|checksum|digest|fingerprint|salt|md|sha|nric|ssn|ein|vat|tin|siret|siren|ape|account|
    username|login|abbreviation|initials|acronym|sequence|revision|rev|plate|pin|otp|gan|upin|dea|clia|mrn|loinc|snomed|icd|cpt|
    rxnorm|ndc|cvx|unspsc|hs|harmonized|tariff|prefix|suffix|gate|bin|shelf|slot|locator|pnr|barcodes|correlation|idempotency|ic)\b
    """,
    re.VERBOSE,
)
"""Words of names for which a code is the right value."""
_SAYS_CODE = re.compile(
    r"\b(g?ids?|identifiers?|unique (key|string)|code|number|token|hash|key|reference|sku|serial|abbreviation)\b",
    re.IGNORECASE,
)


def find_form(name: str, says: str, kind: str) -> Form | None:
    """The form that a column promises: the first by its description, else the first by its name."""
    words = name.replace("_", " ")
    known = [f for f in FORMS if kind in f.kinds]
    by_says = next((f for f in known if (p := _COMPILED[f.label][1]) is not None and p.search(says)), None)
    by_name = next((f for f in known if _COMPILED[f.label][0].fullmatch(words)), None)
    return by_says or (None if by_name and by_name.label == WORDS and _SAYS_CODE.search(says[:80]) else by_name)


def allows_codes(name: str, says: str) -> bool:
    """Tell whether a code is a fair value of a column, by its name or by the first words of its description."""
    return bool(CODED.search(name.replace("_", " ")) or _SAYS_CODE.search(says[:80]))


def as_text(value: Any) -> str:
    """A value as it would be written."""
    return f"{value:g}" if isinstance(value, float) else str(value)
