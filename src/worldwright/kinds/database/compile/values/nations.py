"""Countries, currencies, languages and time zones as codes: those of one row belong together, and to its city.

Rows of an entity that is itself a country, a currency or a language go through the table one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from worldwright.kinds.database.compile.values import places
from worldwright.kinds.database.compile.values.facts import (
    BY_CODE,
    BY_NAME,
    COUNTRIES,
    CURRENCIES,
    LANGUAGES,
    Country,
    Currency,
)
from worldwright.kinds.database.compile.values.row import DrawContext, hints

T = TypeVar("T")
_OTHER = frozenset({"to", "target", "quote", "foreign", "counter"})
"""Words of a field that holds another currency than the one before."""
_HOME_CURRENCY = 0.75
_HOME_LANGUAGE = 0.6


def _own_entry(row: DrawContext, table: Sequence[T], *nouns: str) -> T | None:
    """The entry that a row of such an entity stands for; None for rows of any other."""
    own = row.serial > 0 and bool(set(nouns) & set(hints(row.topic)))
    return table[(row.serial - 1) % len(table)] if own else None


def country(row: DrawContext) -> Country:
    """Return the country of a row: the one that its city or country says, else mostly that of the locale."""
    own = _own_entry(row, COUNTRIES, "country", "nation")
    if own is not None:
        return own
    known = BY_CODE.get(row.so_far.get("country_code", "")) or BY_NAME.get(row.so_far.get("country_name", ""))
    return known or BY_NAME[places.country(row)]


def currency(row: DrawContext) -> Currency:
    """Return the currency of a row: one for all its amounts, mostly that of the books."""
    own = _own_entry(row, CURRENCIES, "currency")
    if own is not None:
        return own
    known = row.so_far.get("currency", "")
    if known and _OTHER & set(hints(row.field)):
        return row.stream.favourite([c for c in CURRENCIES if c.code != known])
    home = known or row.currency or BY_NAME[row.locale.country].currency
    if known or row.stream.chance(_HOME_CURRENCY):
        return next((c for c in CURRENCIES if c.code == home), Currency(home, home, home))
    return row.stream.favourite(CURRENCIES)


def language(row: DrawContext) -> tuple[str, str]:
    own = _own_entry(row, LANGUAGES, "language", "lang", "culture")
    if own is not None:
        return own
    known = row.so_far.get("language", "")
    if not known and row.stream.chance(_HOME_LANGUAGE):
        known = BY_NAME[row.locale.country].language
    return next((one for one in LANGUAGES if one[0] == known), None) or row.stream.favourite(LANGUAGES)


def _locale(row: DrawContext) -> str:
    code = language(row)[0]
    where = next((c for c in COUNTRIES if c.language == code), COUNTRIES[0])
    return f"{code}_{where.code}"


def _timezone(row: DrawContext) -> str:
    settled = any(kind in row.so_far for kind in ("city", "country", "country_code", "country_name"))
    return (country(row) if settled else row.stream.favourite(COUNTRIES)).timezone


NATIONS: Mapping[str, Callable[[DrawContext], str]] = {
    "country_code": lambda row: country(row).code,
    "country_code_3": lambda row: country(row).code_3,
    "country_name": lambda row: country(row).name,
    "currency": lambda row: currency(row).code,
    "currency_name": lambda row: currency(row).name,
    "currency_symbol": lambda row: currency(row).symbol,
    "dial_code": lambda row: country(row).dial,
    "language": lambda row: language(row)[0],
    "language_name": lambda row: language(row)[1],
    "locale": _locale,
    "timezone": _timezone,
}
