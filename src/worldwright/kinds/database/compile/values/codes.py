"""Texts of a strict form: numbers of documents and parcels, addresses of machines, digests, check digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldwright.core.regex import sample_match
from worldwright.kinds.database.compile.values.row import DrawContext

PATTERNS: Mapping[str, str] = {
    "account_number": "[1-9][0-9]{9}",
    "api_key": "key_[a-z0-9]{24}",
    "bic": "[A-Z]{4}(DE|FR|GB|ES|NL)[A-Z0-9]{2}",
    "card_number": "[*]{4} [*]{4} [*]{4} [0-9]{4}",
    "commit": "[0-9a-f]{40}",
    "cron": "(0|15|30|45) ([1-9]|1[0-9]|2[0-3]) [*] [*] ([*]|1|1-5|5)",
    "duration": "PT([1-9]|1[0-2])H(15|30|45)M|P([1-9]|1[0-4])D|PT(5|10|15|20|30|45)M",
    "hash": "[0-9a-f]{64}",
    "ip_address": "(192[.]0[.]2|198[.]51[.]100|203[.]0[.]113)[.](1[0-9]{2}|[1-9][0-9]?)",
    "ipv6_address": "2001:db8(:[1-9a-f][0-9a-f]{3}){4}::[1-9a-f]",
    "latitude": "(3[0-9]|4[0-6])[.][0-9]{4}",
    "licence_number": "[A-Z][0-9]{7}",
    "longitude": "-(7[5-9]|8[0-9]|9[0-9]|11[0-9])[.][0-9]{4}",
    "mac_address": "02(:[0-9a-f]{2}){5}",
    "md5": "[0-9a-f]{32}",
    "number": "[1-9][0-9]{0,2}",
    "phone_e164": "[+]1(212|312|415|512|617)55501[0-9]{2}",
    "reference": "[A-Z]{2}-[1-9][0-9]{4}",
    "serial_number": "[A-Z]{2}[0-9]{2}[A-Z][0-9]{6}",
    "sku": "[A-Z]{3}-[1-9][0-9]{3}-(BLK|WHT|RED|BLU|GRN|STD)",
    "tax_number": "[1-9][0-9]-[0-9]{7}",
    "time_of_day": "(0[89]|1[0-7]):(00|15|30|45)",
    "token": "[A-Za-z0-9]{32}",
    "tracking_number": "1Z[0-9A-Z]{6}[0-9]{10}",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "vehicle_plate": "[A-Z]{3} [0-9]{4}",
    "version": "[0-9][.]([0-9]|1[0-9])[.][0-9]",
    "yes_no": "true|false",
}
"""By kind, a regular expression for the whole text. IP addresses are those kept free for documentation (RFC 5737, RFC 3849), phone
numbers those kept free for fiction, MAC addresses those that are administered locally."""


def document_number(row: DrawContext) -> str:
    """The number of a paper, as offices give them out: `INV-2025-00412` for an invoice."""
    named = "".join(ch for ch in (row.topic or row.field).rpartition("_")[2] if "a" <= ch <= "z")
    return f"{named[:3].upper() or 'DOC'}-{sample_match('202[45]-[0-9]{5}', row.stream)}"


def barcode(row: DrawContext) -> str:
    """An EAN-13 of the numbers that shops give themselves (beginning with 2), its check digit right."""
    digits = "2" + sample_match("[0-9]{11}", row.stream)
    return digits + _ean_check(digits)


def isbn(row: DrawContext) -> str:
    """An ISBN-13, its check digit right."""
    digits = "978" + sample_match("[0-9]{9}", row.stream)
    return digits + _ean_check(digits)


def _ean_check(digits: str) -> str:
    return str(-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(digits)) % 10)


def iban(row: DrawContext) -> str:
    """A German IBAN of a bank that does not exist, its check digits right."""
    own = "99" + sample_match("[0-9]{16}", row.stream)
    check = 98 - int(f"{own}131400") % 97
    return f"DE{check:02d}{own}"


def _from_pattern(pattern: str) -> Callable[[DrawContext], str]:
    return lambda row: sample_match(pattern, row.stream)


CODES: Mapping[str, Callable[[DrawContext], str]] = {
    **{kind: _from_pattern(pattern) for kind, pattern in PATTERNS.items()},
    "barcode": barcode,
    "document_number": document_number,
    "iban": iban,
    "isbn": isbn,
}
