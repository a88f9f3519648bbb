"""The types of the Blueprint language."""

from __future__ import annotations

from dataclasses import dataclass, replace

from worldwright.core.fixed import MONEY_PLACES


@dataclass(frozen=True, slots=True)
class Type:
    """What a field, an input or an expression holds. Whether it may be none is said elsewhere."""

    kind: str
    """int decimal money foreign number bool text date time enum ref row list none ratio"""
    places: int = 0
    """Decimal places of int, decimal, money, foreign and number."""
    entity: str = ""
    """The entity of a ref, or the element of a list of references."""
    values: tuple[str, ...] = ()
    """The words of an enum."""
    fields: tuple[tuple[str, Type], ...] = ()
    """The parts of one element of a list input."""

    def __str__(self) -> str:
        match self.kind:
            case "ref":
                return self.entity
            case "enum":
                return "one of " + ", ".join(self.values)
            case "decimal":
                return f"decimal({self.places})"
            case "money" | "foreign" if self.places != MONEY_PLACES:
                return f"money with {self.places} places"
            case "foreign":
                return "money in another currency"
            case _:
                return self.kind

    @property
    def numeric(self) -> bool:
        return self.kind in NUMERIC

    @property
    def monetary(self) -> bool:
        return self.kind in MONETARY

    def with_places(self, places: int) -> Type:
        """Return the same kind of number with other places; a decimal without places is an int."""
        kind = self.kind
        if kind in ("int", "decimal"):
            kind = "decimal" if places else "int"
        return replace(self, kind=kind, places=places)


NUMERIC = frozenset({"int", "decimal", "money", "foreign", "number"})
MONETARY = frozenset({"money", "foreign"})

INT = Type("int")
BOOL = Type("bool")
TEXT = Type("text")
DATE = Type("date")
TIME = Type("time")
NONE = Type("none")
MONEY = Type("money", MONEY_PLACES)
FOREIGN = Type("foreign", MONEY_PLACES)

TEXT_KINDS = ("person", "company", "email", "phone", "street", "city", "postcode", "country", "product", "sentence")
"""Text with realistic values; in every other respect text."""

SAMPLE_KINDS = (
    *TEXT_KINDS,
    # people and companies
    "given_name", "family_name", "honorific", "gender", "username", "job", "role", "department", "brand", "specialty",
    # places
    "address", "address_unit", "region", "region_name", "country_name", "country_code", "country_code_3", "dial_code", "phone_e164",
    "latitude", "longitude", "language", "language_name", "locale", "timezone",
    # money
    "currency", "currency_name", "currency_symbol", "payment_method", "iban", "bic", "card_number", "account_number", "tax_number",
    # texts and words
    "title", "paragraph", "note", "reason", "question", "label", "category", "tag", "status", "type", "priority", "mode",
    "channel", "frequency", "colour", "hex_colour", "size", "unit", "carrier", "diagnosis", "medication", "error_message",
    # numbers and codes
    "document_number", "reference", "sku", "barcode", "isbn", "serial_number", "tracking_number", "licence_number", "vehicle_plate",
    "mnemonic", "number", "time_of_day", "duration", "yes_no",
    # machines
    "url", "website", "image_url", "domain", "slug", "ip_address", "ipv6_address", "mac_address", "user_agent", "http_method",
    "file_name", "file_path", "file_extension", "mime_type", "uuid", "hash", "md5", "commit", "token", "api_key", "version",
    "cron", "identifier", "event_name",
)  # fmt: skip
"""Kinds of text that `text_of` draws."""


def ref(entity: str) -> Type:
    return Type("ref", entity=entity)


def decimal(places: int) -> Type:
    return Type("decimal", places) if places else INT
