"""Addresses and phone numbers: every part fits what the row has already."""

from __future__ import annotations

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.values.atlas import BY_CITY, BY_COUNTRY, LOCALES
from worldwright.kinds.database.compile.values.facts import BY_CODE, US_STATES
from worldwright.kinds.database.compile.values.locale import City, Locale
from worldwright.kinds.database.compile.values.row import DrawContext, hints

_ABROAD = 0.12
_LETTERS = "ABDEFGHJLNPQRSTUWXYZ"  # those of the second half of a British postcode
_MOBILE = ("mobile", "cell", "handy")
_LANDLINE = ("office", "fax", "landline", "desk", "switchboard")


def locate(row: DrawContext) -> tuple[Locale, City | None]:
    """Return where the row is, as far as its values tell: by city, else by postcode and country, else at home."""
    so_far = row.so_far
    known = BY_CITY.get(so_far.get("city", ""))
    if known:
        return known
    said = BY_CODE.get(so_far.get("country_code", ""))
    locale = BY_COUNTRY.get(so_far.get("country", "") or (said.name if said else ""), row.locale)
    postcode = so_far.get("postcode")
    if postcode:
        for town in locale.cities:
            if any(fits_pattern(pattern, postcode) for pattern in town.postcodes):
                return locale, town
    return locale, None


def country(row: DrawContext) -> str:
    locale, town = locate(row)
    settled = town or any(kind in row.so_far for kind in ("street", "postcode", "phone", "country", "country_code"))
    if not settled and row.stream.chance(_ABROAD):
        return row.stream.pick([other.country for other in LOCALES.values() if other is not locale])
    return locale.country


def city(row: DrawContext) -> str:
    locale, town = locate(row)
    if town is None or "city" in row.so_far:  # a second city of a row is another one, in the same country
        town = row.stream.favourite(locale.cities)
    return town.name


def region(row: DrawContext) -> str:
    return _locate_or_draw(row)[1].region


def region_name(row: DrawContext) -> str:
    """A region written out, where the atlas only has a code for it."""
    code = row.so_far.get("region") or region(row)
    return US_STATES.get(code, code)


def postcode(row: DrawContext) -> str:
    return fill(row.stream.pick(_locate_or_draw(row)[1].postcodes), row.stream)


def street(row: DrawContext) -> str:
    locale, stream = locate(row)[0], row.stream
    number = stream.skewed(1, locale.last_house)
    name, kind = stream.pick(locale.street_names), stream.pick(locale.street_types)
    line = locale.street_form.format(n=number, name=name, type=kind)
    if locale.units and stream.chance(0.15):
        return f"{line}, {fill(stream.pick(locale.units), stream)}"
    return line


def address_unit(row: DrawContext) -> str:
    """The second line of an address: a floor, a flat."""
    return fill(row.stream.pick(locate(row)[0].units or ("Unit %#",)), row.stream)


def phone(row: DrawContext) -> str:
    locale, town = _locate_or_draw(row)
    patterns = town.phones
    if locale.mobiles and _wants_mobile(row):
        patterns = locale.mobiles
    number = fill(row.stream.pick(patterns), row.stream)
    return number if locale is row.locale else _format_from_abroad(number, locale)


def _wants_mobile(row: DrawContext) -> bool:
    words = hints(row.field)
    if any(word in words for word in _MOBILE):
        return True
    if "company" in row.so_far or any(word in words for word in _LANDLINE):
        return False
    return row.stream.chance(0.4)


def _format_from_abroad(number: str, locale: Locale) -> str:
    bare = number.replace("(", "").replace(")", "").replace("-", " ")
    return f"{locale.dial} {bare.removeprefix('0')}"


def _locate_or_draw(row: DrawContext) -> tuple[Locale, City]:
    locale, town = locate(row)
    return locale, town or row.stream.favourite(locale.cities)


def fill(pattern: str, stream: Stream) -> str:
    """The pattern with its `#`, `%` and `@` drawn."""
    bits = stream.bits()
    out = []
    for sign in pattern:
        if sign == "#":
            bits, digit = divmod(bits, 10)
            sign = str(digit)
        elif sign == "%":
            bits, digit = divmod(bits, 9)
            sign = str(digit + 1)
        elif sign == "@":
            bits, letter = divmod(bits, len(_LETTERS))
            sign = _LETTERS[letter]
        out.append(sign)
    return "".join(out)


def fits_pattern(pattern: str, text: str) -> bool:
    """Return whether `fill` could have made the text from the pattern."""
    if len(pattern) != len(text):
        return False
    for sign, char in zip(pattern, text, strict=True):
        if sign == "#":
            good = char in "0123456789"
        elif sign == "%":
            good = char in "123456789"
        elif sign == "@":
            good = char in _LETTERS
        else:
            good = sign == char
        if not good:
            return False
    return True
