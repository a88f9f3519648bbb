"""Email addresses. They fit the row's person and company, and no two rows of an entity share one.

All domains are reserved (RFC 2606): `example.com`, `example.org`, `example.net`, or a name under `.example`.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import normalize
from zlib import crc32

from worldwright.kinds.database.compile.values import companies, people
from worldwright.kinds.database.compile.values.locale import words
from worldwright.kinds.database.compile.values.row import DrawContext, hints

_PUBLIC = ("example.com", "example.org", "example.net", "mail.example", "post.example", "inbox.example")
_HOUSE = "example.com"
_STAFF = words("""
employee staff clerk agent user manager buyer approver worker technician nurse teacher colleague officer operator
analyst engineer librarian dispatcher planner accountant
""")
_MAILBOXES = ("info", "office", "contact", "sales", "orders", "accounts", "service", "hello")
_SPECIAL = str.maketrans({"ß": "ss", "ı": "i", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def email(row: DrawContext) -> str:
    company = row.so_far.get("company", "")
    who = people.find_name(row)
    if company and not who and companies.is_rows_own(row, company):
        return f"{row.stream.pick(_MAILBOXES)}@{make_domain(company, row.locale.code)}"
    name = people.take_apart(who or people.person(row._replace(field="")), row.locale.code)
    at = (
        make_domain(company, row.locale.code)
        if company
        else (_HOUSE if _is_staff(row.topic) else row.stream.favourite(_PUBLIC))
    )
    local, is_full = _make_local_part(row, name, at if company else "")
    if not (is_full and people.is_rows_own(row, name)):
        local += str(row.serial + 2)  # no name holds a digit, so a numbered address is never another row's plain one
    return f"{local}@{at}"


def make_domain(company: str, code: str) -> str:
    """Make a domain of a company: `Brightline Foods Inc.` has `brightline-foods.example`."""
    name, _ = companies.split_suffix(company)
    slug = "-".join(filter(None, (fold(word, code) for word in name.split())))
    return f"{slug[:60].strip('-') or 'company'}.example"


def fold(text: str, code: str) -> str:
    """Fold to lower-case ASCII letters and inner hyphens: `Müller` is `mueller` in German, `López` is `lopez`."""
    text = text.lower()
    if not text.isascii():
        if code == "de_DE":
            text = text.translate(_UMLAUTS)
        text = normalize("NFKD", text.translate(_SPECIAL)).lower()
    if text.isalpha() and text.isascii():
        return text
    return "".join(char for char in text if "a" <= char <= "z" or char == "-").strip("-")


def _make_local_part(row: DrawContext, name: people.Name, company_domain: str) -> tuple[str, bool]:
    """Make what stands before the @, and say whether it tells the whole name. A company writes all its addresses one way."""
    given, family = fold(name.given, row.locale.code), fold(name.family, row.locale.code)
    if not (given and family):
        return given or family or "contact", False
    if not company_domain:
        return f"{given}{'_' if row.stream.chance(0.15) else '.'}{family}", True
    way = crc32(company_domain.encode()) % 10
    if way < 7:
        return f"{given}.{family}", True
    if way < 9:
        return f"{given[0]}{family}", False
    return f"{family}.{given}", True


@lru_cache(maxsize=1024)
def _is_staff(topic: str) -> bool:
    return any(word in _STAFF for word in hints(topic))
