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


def ref(entity: str) -> Type:
    return Type("ref", entity=entity)


def decimal(places: int) -> Type:
    return Type("decimal", places) if places else INT
