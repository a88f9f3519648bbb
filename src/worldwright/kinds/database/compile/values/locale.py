"""What a locale is made of. The data itself is in one module per locale (`en_us.py`, `de_de.py`, ...)."""

from __future__ import annotations

from typing import NamedTuple


class City(NamedTuple):
    name: str
    region: str
    postcodes: tuple[str, ...]
    """Patterns: `#` is a digit, `%` a digit that is not zero, `@` a letter."""
    phones: tuple[str, ...]
    """Patterns of landline numbers as dialled inside the country."""


class Locale(NamedTuple):
    code: str
    country: str
    """In English, as all running text of a world is."""
    dial: str
    women: tuple[str, ...]
    men: tuple[str, ...]
    families: tuple[str, ...]
    cities: tuple[City, ...]
    street_names: tuple[str, ...]
    street_types: tuple[str, ...]
    street_form: str
    last_house: int
    units: tuple[str, ...]
    """What may follow a street: a floor, a flat. Patterns as for postcodes."""
    mobiles: tuple[str, ...]
    roots: tuple[str, ...]
    """Invented company names."""
    root_trades: tuple[str, ...]
    family_trades: tuple[str, ...]
    family_first: bool
    """Whether a company named after a family puts the family before the trade."""
    suffixes: tuple[str, ...]
    """Legal forms, the usual ones first."""


def words(text: str) -> tuple[str, ...]:
    """The words of a list written as running text."""
    return tuple(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """The entries of a list with one or more per line, split at `;`."""
    return tuple(entry.strip() for line in text.splitlines() for entry in line.split(";") if entry.strip())


def cities(text: str) -> tuple[City, ...]:
    """Cities, one per line: `name | region | postcode patterns | phone patterns`, patterns split at `,`."""
    out = []
    for line in text.strip().splitlines():
        name, region, postcodes, phones = (part.strip() for part in line.split("|"))
        out.append(City(name, region, _split(postcodes), _split(phones)))
    return tuple(out)


def _split(patterns: str) -> tuple[str, ...]:
    return tuple(pattern.strip() for pattern in patterns.split(","))
