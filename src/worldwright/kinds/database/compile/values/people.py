"""Names of people."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from worldwright.kinds.database.compile.values.atlas import LOCALES
from worldwright.kinds.database.compile.values.row import DrawContext, count_blocks, head, hints, owns, tail

TITLES = (
    "Dr.",
    "Prof.",
    "Mr",
    "Mr.",
    "Mrs",
    "Mrs.",
    "Ms",
    "Ms.",
    "M.",
    "Mme",
    "Herr",
    "Frau",
    "Sr.",
    "Sra.",
    "Dipl.-Ing.",
)
_INITIALS = "ABCDEFGHJKLMNPRSTW"
_GIVEN = ("first", "given", "forename")
_FAMILY = ("last", "surname", "family")


class Name(NamedTuple):
    """A person's name taken apart; a part that is not there is empty."""

    given: str
    family: str


def person(row: DrawContext) -> str:
    locale, stream = row.locale, row.stream
    given_names = locale.women if stream.chance(0.5) else locale.men
    blocks = count_blocks(len(given_names))
    chosen = head(row, len(locale.families), blocks)
    given = given_names[tail(row, chosen, len(given_names), blocks)]
    family = locale.families[chosen]
    words = hints(row.field)
    if any(word in words for word in _GIVEN):
        return given
    if any(word in words for word in _FAMILY):
        return family
    return _make_full_name(row, given, family)


def find_name(row: DrawContext) -> str:
    """The name of the row's person, whole or of its parts; empty where it has none."""
    parts = (row.so_far.get("given_name", ""), row.so_far.get("family_name", ""))
    return row.so_far.get("person", "") or (" ".join(parts) if all(parts) else "")


def given_name(row: DrawContext) -> str:
    """A first name; that of the row's person, where it has one."""
    whole = row.so_far.get("person", "")
    return take_apart(whole, row.locale.code).given if whole else person(row._replace(field="first"))


def family_name(row: DrawContext) -> str:
    """A last name; that of the row's person, where it has one."""
    whole = row.so_far.get("person", "")
    return (take_apart(whole, row.locale.code).family if whole else "") or person(row._replace(field="last"))


def _make_full_name(row: DrawContext, given: str, family: str) -> str:
    stream = row.stream
    match row.locale.code:
        case "es_ES":
            return f"{given} {family} {stream.favourite(row.locale.families)}"
        case "en_US" if stream.chance(0.1):
            return f"{given} {stream.pick(_INITIALS)}. {family}"
        case "de_DE" if stream.chance(0.04):
            return f"Dr. {given} {family}"
    return f"{given} {family}"


def take_apart(text: str, code: str) -> Name:
    """Given and family name of a person's name; titles, initials and a second surname are left out."""
    words = [word for word in text.split() if word not in TITLES and not (len(word) == 2 and word[1] == ".")]
    if not words:
        return Name("", "")
    if len(words) == 1:
        return Name(words[0], "")
    return Name(words[0], words[1] if code == "es_ES" else " ".join(words[1:]))


def is_rows_own(row: DrawContext, name: Name) -> bool:
    """Return whether no other row of the entity can have this given name with this family name."""
    found = _index_given_names(row.locale.code).get(name.given)
    chosen = _family_index(row.locale.code).get(name.family)
    if found is None or chosen is None:
        return False
    follower, tails = found
    return owns(row, chosen, follower, tails, count_blocks(tails))


def is_given(word: str) -> bool:
    """Return whether a word is a given name of any locale."""
    return any(word in _index_given_names(code) for code in LOCALES)


@cache
def _index_given_names(code: str) -> dict[str, tuple[int, int]]:
    """Map each given name to its place in its list, and the length of that list."""
    locale = LOCALES[code]
    return {name: (i, len(names)) for names in (locale.women, locale.men) for i, name in enumerate(names)}


@cache
def _family_index(code: str) -> dict[str, int]:
    return {name: i for i, name in enumerate(LOCALES[code].families)}
