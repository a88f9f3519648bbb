"""Which columns hold personal data: told from their names and from what their values look like."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from worldwright.anchor.anonymise import checksums, words
from worldwright.anchor.names import noun, parts
from worldwright.english.words import wordset

MAIL = re.compile(r"[\w.%+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}")
IBAN = re.compile(r"(?<![^\W_])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![^\W_])")
CARD = re.compile(r"(?<![\w-])[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\w-])", re.ASCII)
PHONE = re.compile(
    r"(?<![\w+])(?:\+|00)\d{1,3}[ ()./-]{0,2}\d(?:[ ()./-]{0,2}\d){5,13}(?!\w)"
    r"|(?<!\w)\(\d{2,5}\) ?\d(?:[ ./-]?\d){4,9}(?!\w)"
    r"|(?<![\w-])\d{3}[-. ]\d{3}[-. ]\d{4}(?![\w-])"
    r"|(?<![\w+/.-])0\d{2,5} ?[ /-] ?\d(?:[ -]?\d){4,9}(?![\w-])",
    re.ASCII,
)
IP = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{1,4}(?![\w:])",
    re.ASCII,
)
CALLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herrn?|Frau|Monsieur|Madame|Señora?)\b\.? ((?:[A-ZÀ-Þ][\w'’-]+ ?){1,3})"
)
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}\Z", re.ASCII)
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ].{0,20})?\Z", re.ASCII)
_NAME = re.compile(r"[^\W\d_]+(?:[ ,.'’-]+[^\W\d_]+)*[.'’]?\Z")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af 　]{2,12}\Z")
MAX_SHARE = 0.5
"""Of the values that have to look the part where the name says so too."""
NEARLY_ALL = 0.8
MAX_STREET_WORDS = 5
"""Words of the name of a street."""
LOOKED_AT = 500
"""Values of a column from which it is judged, at the least."""

CERTAIN, LIKELY, POSSIBLE = "certain", "likely", "possible"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a column holds, and how sure that is."""

    kind: str
    certainty: str


Words = tuple[str, ...]
_SPEAKING: Mapping[str, str] = {
    "given": "first name, given name, middle name, fore name, nick name, firstname, forename, vorname, fname, givenname, prenom",
    "family": "last name, family name, sur name, maiden name, birth name, lastname, surname, nachname, lname, familyname, "
    "apellido, apellidos",
    "name": "full name, display name, contact name, person name, legal name, fullname, cardholder, displayname",
    "user": "user name, login name, screen name, username, login, handle, nickname",
    "card": "card number, card no, credit card, debit card, pan, creditcard",
    "id": "tax id, national id, personal id, tax number, social security, passport number, driver license, driving licence, "
    "insurance number, identity number, identity card, personal number, health number, ssn, passport, nino, cpf, dni, nif, bsn, "
    "pesel, personnummer, aadhaar",
    "mail": "e mail, email, mail, emails",
    "phone": "phone, phones, telephone, tel, mobile, cell, cellphone, fax, handy, telefon, msisdn, whatsapp, landline",
    "birth": "birth, dob, birthday, birthdate, born, geburtsdatum, geburtstag, dateofbirth",
    "address": "street, address, addr, address1, address2, strasse, straße, addressline",
    "ip": "ip address, ip, ipv4, ipv6",
    "iban": "iban",
}
HINTS = {tuple(said.split()): kind for kind, text in _SPEAKING.items() for said in text.split(", ")}
"""One or two words of a column's name, and what they speak of."""
VERSIONS = frozenset({"version", "ver", "build", "release", "mac"})
"""Numbers with points or colons in them that are no addresses of anybody."""
ABOUT = wordset("id type count verified status at date code opt opted sent valid is has key")
"""Last words that make a name speak about a value rather than hold it."""


def verdict(resource: str, column: str, values: Sequence[str], form: str = "") -> Verdict | None:
    """Return what a column holds. `form` is the format that its shape has already."""
    values, name = _sample(values), parts(column)
    if not values or form in ("uri", "uuid") or VERSIONS & set(name):
        return None
    hint = {"email": "mail", "phone": "phone"}.get(form) or _hint(name)
    for kind, looks in LOOKS.items():
        if kind != hint and kind not in ALONE:
            continue
        share = sum(map(looks, values)) / len(values)
        if kind == hint and share >= (0.01 if kind in EAGER else MAX_SHARE):
            return Verdict(kind, CERTAIN if share >= MAX_SHARE else LIKELY)
        if kind != hint and share >= ALONE[kind]:
            return Verdict(kind, CERTAIN if kind in EAGER else LIKELY)
    return _as_name(name, noun(resource), values)


def _sample(values: Iterable[str]) -> list[str]:
    given = [v for v in values if v.strip()]
    return given[:: 1 + len(given) // LOOKED_AT]


def _hint(name: Words) -> str:
    found = [HINTS[pair] for pair in pairwise(name) if pair in HINTS]
    if found or (name[-1:] and name[-1] in ABOUT and not {"birth", "dob", "ssn", "born"} & set(name)):
        return found[0] if found else ""
    return next((HINTS[w,] for w in name if (w,) in HINTS), "")


def _as_name(name: Words, resource: Words, values: Sequence[str]) -> Verdict | None:
    """A column of names: by what it is called, by whom the table is about, or by names that many people have."""
    names = [v for v in values if is_name(v)]
    several = sum(len(v.replace(",", " ").split()) > 1 for v in names) >= MAX_SHARE * len(values)
    about = set(resource if name == ("name",) else name) & words.PEOPLE or name[-1:] == ("by",)
    if name[-1:] == ("name",) and about and len(names) >= MAX_SHARE * len(values):
        return Verdict("name", CERTAIN if several else LIKELY)
    if about and name[-1:] not in (("name",), ("id",)) and several:
        return Verdict("name", LIKELY)
    common = sum(v.split()[0].casefold() in words.COMMON for v in names)
    return Verdict("name", POSSIBLE) if several and common >= MAX_SHARE / 2 * len(values) else None


def is_name(value: str) -> bool:
    """Tell whether a text could be the name of a person."""
    value = value.strip()
    if not 2 <= len(value) <= 60:
        return False
    if _SIGNS.match(value):
        return True
    tokens = value.replace(",", " ").replace(".", " ").split()
    if not _NAME.match(value) or not 1 <= len(tokens) <= 6:
        return False
    if any(t.casefold() in words.COMPANIES for t in tokens):
        return False
    return all(t[0].isupper() or t.casefold() in words.PARTICLES for t in tokens) or (
        len(tokens) > 1 and value.islower()
    )


def _is_phone(value: str) -> bool:
    if len(value) > 40:
        return False
    digits = sum(ch.isdigit() for ch in value)
    return 5 <= digits <= 19 and sum(ch.isalpha() for ch in value) <= 4 and not _DATE.match(value)


def _is_card(value: str) -> bool:
    plain = value.replace(" ", "").replace("-", "")
    return len(value) <= 40 and 12 <= len(plain) <= 19 and plain.isdigit()


def _is_ip(value: str) -> bool:
    try:
        ipaddress.ip_address(value.strip())
    except ValueError:
        return False
    return True


def _is_id(value: str) -> bool:
    return len(value) <= 30 and 4 <= sum(ch.isdigit() for ch in value) <= 20


def _is_address(value: str) -> bool:
    """A number and then a street, or a street and right after it a number."""
    if len(value) > 120 or "@" in value or ";" in value:
        return False
    tokens = [t.strip(".,").casefold() for t in value.split()]
    streets = [i for i, t in enumerate(tokens) if t in words.STREETS or t.endswith(words.STREET_ENDINGS)]
    if tokens and tokens[0][:1].isdigit():
        return any(0 < i <= MAX_STREET_WORDS for i in streets)
    return any(i + 1 < len(tokens) and tokens[i + 1][:1].isdigit() for i in streets)


def _has_letters(value: str) -> bool:
    return len(value) <= 200 and any(ch.isalpha() for ch in value)


LOOKS: Mapping[str, Callable[[str], bool]] = {
    "mail": lambda v: bool(MAIL.fullmatch(v.strip())),
    "iban": checksums.iban,
    "ip": _is_ip,
    "birth": lambda v: bool(_DATE.match(v)),
    "card": _is_card,
    "id": _is_id,
    "phone": _is_phone,
    "address": _has_letters,
    "given": _has_letters,
    "family": _has_letters,
    "name": lambda v: is_name(v),
    "user": lambda v: _has_letters(v) and " " not in v and not _DATE.match(v),
}
"""By kind, whether a value looks the part, where the name of the column says so."""
EAGER = frozenset({"mail", "iban"})
"""Kinds that one right value among many others gives away."""
ALONE: Mapping[str, float] = {"mail": MAX_SHARE, "iban": MAX_SHARE, "ip": NEARLY_ALL}
"""Kinds that are told from the values alone, and how many of them it takes."""
ALSO_ALONE: Sequence[tuple[str, Callable[[str], bool]]] = (
    ("phone", lambda v: bool(PHONE.fullmatch(v.strip()))),
    ("card", lambda v: _is_card(v) and v[0] in "3456" and checksums.luhn(v)),
    ("id", lambda v: bool(_SSN.match(v))),
    ("address", _is_address),
)


def by_values(values: Iterable[str]) -> Verdict | None:
    """Return what the values of a column look like, whatever it is called."""
    given = _sample(values)
    for kind, looks in ALSO_ALONE:
        if given and sum(map(looks, given)) >= NEARLY_ALL * len(given):
            return Verdict(kind, LIKELY)
    return None


def plausible(kind: str, value: str) -> bool:
    """Tell whether a value of a column is of its kind, and not a word for nobody."""
    looks = _has_letters if kind == "name" else LOOKS[kind]
    return looks(value) and value.strip().casefold() not in words.NOBODY


def in_text(text: str) -> Iterator[tuple[str, str]]:
    """Yield what is personal within a longer text: kinds and values."""
    written = any(ch.isalpha() for ch in text)
    for kind, pattern in (("mail", MAIL), ("iban", IBAN), ("card", CARD), ("ip", IP), ("phone", PHONE)):
        if (kind == "mail" and "@" not in text) or (kind in ("card", "ip") and not written):
            continue  # a number alone, in a column of other things, is no card and no address
        for found in pattern.finditer(text):
            value = found.group()
            if kind in ("mail", "phone") or (LOOKS[kind](value) and (kind != "card" or checksums.luhn(value))):
                yield kind, value
    for found in CALLED.finditer(text):
        tokens = found.group(1).split()
        yield ("name", " ".join(tokens)) if len(tokens) > 1 else ("family", tokens[0])
