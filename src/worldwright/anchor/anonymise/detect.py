"""Which columns hold personal data: told from their names and from what their values look like."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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

PAIRS: Mapping[tuple[str, str], str] = {
    **dict.fromkeys((("first", "name"), ("given", "name"), ("middle", "name"), ("fore", "name"), ("nick", "name")), "given"),
    **dict.fromkeys((("last", "name"), ("family", "name"), ("sur", "name"), ("maiden", "name"), ("birth", "name")), "family"),
    **dict.fromkeys((("full", "name"), ("display", "name"), ("contact", "name"), ("person", "name"), ("legal", "name")), "name"),
    **dict.fromkeys((("user", "name"), ("login", "name"), ("screen", "name")), "user"),
    **dict.fromkeys((("card", "number"), ("card", "no"), ("credit", "card"), ("debit", "card")), "card"),
    **dict.fromkeys(
        (("tax", "id"), ("national", "id"), ("personal", "id"), ("tax", "number"), ("social", "security"), ("passport", "number"),
         ("driver", "license"), ("driving", "licence"), ("insurance", "number"), ("identity", "number"), ("identity", "card"),
         ("personal", "number"), ("health", "number")),
        "id",
    ),
    ("e", "mail"): "mail", ("ip", "address"): "ip",
}  # fmt: skip
SINGLE: Mapping[str, str] = {
    **dict.fromkeys(("email", "mail", "emails"), "mail"),
    **dict.fromkeys(("phone", "phones", "telephone", "tel", "mobile", "cell", "cellphone", "fax", "handy", "telefon", "msisdn",
                     "whatsapp", "landline"), "phone"),
    **dict.fromkeys(("firstname", "forename", "vorname", "fname", "givenname", "prenom"), "given"),
    **dict.fromkeys(("lastname", "surname", "nachname", "lname", "familyname", "apellido", "apellidos"), "family"),
    **dict.fromkeys(("fullname", "cardholder", "displayname"), "name"),
    **dict.fromkeys(("birth", "dob", "birthday", "birthdate", "born", "geburtsdatum", "geburtstag", "dateofbirth"), "birth"),
    **dict.fromkeys(("street", "address", "addr", "address1", "address2", "strasse", "straße", "addressline"), "address"),
    **dict.fromkeys(("ssn", "passport", "nino", "cpf", "dni", "nif", "bsn", "pesel", "personnummer", "aadhaar"), "id"),
    **dict.fromkeys(("username", "login", "handle", "nickname"), "user"),
    "iban": "iban", "pan": "card", "creditcard": "card", "ip": "ip", "ipv4": "ip", "ipv6": "ip",
}  # fmt: skip
"""Words of a column's name, and what they speak of."""
VERSIONS = frozenset({"version", "ver", "build", "release", "mac"})
"""Numbers with points or colons in them that are no addresses of anybody."""
ABOUT = wordset("id type count verified status at date code opt opted sent valid is has key")
"""Last words that make a name speak about a value rather than hold it."""


def verdict(resource: str, column: str, values: Sequence[str], form: str = "") -> Verdict | None:
    """Return what a column holds. `form` is the format that its shape has already."""
    values = [v for v in values if v.strip()]
    values = values[:: 1 + len(values) // LOOKED_AT]
    if not values:
        return None
    name = parts(column)
    if form in ("uri", "uuid") or VERSIONS & set(name):
        return None
    hint = {"email": "mail", "phone": "phone"}.get(form) or _hint(name)
    for kind, looks in LOOKS.items():
        if kind != hint and kind not in ALONE:
            continue
        share = sum(looks(v) for v in values) / len(values)
        if kind == hint and share >= (0.01 if kind in EAGER else MAX_SHARE):
            return Verdict(kind, CERTAIN if share >= MAX_SHARE else LIKELY)
        if kind != hint and share >= ALONE[kind]:
            return Verdict(kind, CERTAIN if kind in ("mail", "iban") else LIKELY)
    return _as_name(name, noun(resource), values)


def _hint(name: Words) -> str:
    if not name:
        return ""
    for pair in pairwise(name):
        if pair in PAIRS:
            return PAIRS[pair]
    if name[-1] in ABOUT and not {"birth", "dob", "ssn", "born"} & set(name):
        return ""
    found = [SINGLE[w] for w in name if w in SINGLE]
    return found[0] if found else ""


def _as_name(name: Words, resource: Words, values: Sequence[str]) -> Verdict | None:
    """A column of names: by what it is called, by whom the table is about, or by names that many people have."""
    like = sum(is_name(v) for v in values) / len(values)
    two = sum(is_name(v) and len(v.replace(",", " ").split()) > 1 for v in values) / len(values)
    about = set(name) & words.PEOPLE or {"by"} & set(name[-1:])
    if name[-1:] == ("name",) and len(name) == 1:
        about = set(resource) & words.PEOPLE
    if name[-1:] == ("name",) and about and like >= MAX_SHARE:
        return Verdict("name", CERTAIN if two >= MAX_SHARE else LIKELY)
    if about and name[-1:] not in (("name",), ("id",)) and two >= MAX_SHARE:
        return Verdict("name", LIKELY)
    common = sum(is_name(v) and v.split()[0].casefold() in words.COMMON for v in values) / len(values)
    if two >= MAX_SHARE and common >= MAX_SHARE / 2:
        return Verdict("name", POSSIBLE)
    return None


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


def _is_written_phone(value: str) -> bool:
    return bool(PHONE.fullmatch(value.strip()))


def _is_card(value: str) -> bool:
    return (
        len(value) <= 40
        and 12 <= sum(ch.isdigit() for ch in value) <= 19
        and all(ch.isdigit() or ch in " -" for ch in value)
    )


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
NEEDS_WORDS = frozenset({"card", "ip"})
"""Kinds that a number alone, in a column of other things, is not taken for."""
ALONE: Mapping[str, float] = {"mail": MAX_SHARE, "iban": MAX_SHARE, "ip": NEARLY_ALL}
"""Kinds that are told from the values alone, and how many of them it takes."""
ALSO_ALONE: Sequence[tuple[str, Callable[[str], bool]]] = (
    ("phone", _is_written_phone),
    ("card", lambda v: _is_card(v) and v[0] in "3456" and checksums.luhn(v)),
    ("id", lambda v: bool(_SSN.match(v))),
    ("address", _is_address),
)


def by_values(values: Iterable[str]) -> Verdict | None:
    """Return what the values of a column look like, whatever it is called."""
    given = [v for v in values if v.strip()]
    given = given[:: 1 + len(given) // LOOKED_AT]
    for kind, looks in ALSO_ALONE:
        if given and sum(map(looks, given)) >= NEARLY_ALL * len(given):
            return Verdict(kind, LIKELY)
    return None


def plausible(kind: str, value: str) -> bool:
    """Tell whether a value of a column is of its kind, and not a word for nobody."""
    looks = _has_letters if kind == "name" else LOOKS[kind]
    return looks(value) and value.strip().casefold() not in words.NOBODY


def in_text(text: str) -> Iterable[tuple[str, str]]:
    """Yield what is personal within a longer text: kinds and values."""
    written = any(ch.isalpha() for ch in text)
    if not written and not any(ch.isdigit() for ch in text):
        return
    for kind, pattern in (("mail", MAIL), ("iban", IBAN), ("card", CARD), ("ip", IP), ("phone", PHONE)):
        for found in pattern.finditer(text) if kind != "mail" or "@" in text else ():
            value = found.group()
            if kind in NEEDS_WORDS and not written:
                continue
            if kind in ("mail", "phone") or (LOOKS[kind](value) and (kind != "card" or checksums.luhn(value))):
                yield kind, value
    for found in CALLED.finditer(text):
        tokens = found.group(1).split()
        yield ("name", " ".join(tokens)) if len(tokens) > 1 else ("family", tokens[0])
