"""Realistic values for the rows of a world: correlated, by locale, and the same for the same stream.

    draw("email", Stream("seed", "vendor", 17, "email"), "es_ES", {"person": "Ana López Ruiz"}, "email", 17, "vendor")

- Values of a row fit together: `so_far` holds what is drawn already, by kind. An email fits the person and the company;
  street, postcode, phone, country and a company's legal form fit the city, in whichever order they are drawn.
- Person, company and product differ over the first 320 rows of an entity (the freely drawn row 0 aside), emails over
  all rows.
- Nobody is hit: domains are reserved ones, phone numbers those kept free for fiction where a country has such.
- Names, addresses, phone numbers and companies follow the locale. Countries, products and running text are English, as
  Blueprints and handbooks are.

`sample` draws the other kinds of text that `text_of` knows: codes, currencies, names of files, words of a business.
`typo`, `vary`, `make_look_alike` and `legacy` are what the mess layers write instead of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.values import companies, emails, goods, people, places, texts
from worldwright.kinds.database.compile.values.atlas import LOCALES as _LOCALES
from worldwright.kinds.database.compile.values.codes import CODES
from worldwright.kinds.database.compile.values.corruptions import LEGACY_STYLES, legacy, make_look_alike, typo, vary
from worldwright.kinds.database.compile.values.locale import Locale
from worldwright.kinds.database.compile.values.nations import NATIONS
from worldwright.kinds.database.compile.values.online import ONLINE
from worldwright.kinds.database.compile.values.row import DrawContext
from worldwright.kinds.database.compile.values.vocabulary import VOCABULARY

__all__ = [
    "KINDS",
    "LEGACY_STYLES",
    "LOCALES",
    "SAMPLES",
    "draw",
    "find_locale",
    "legacy",
    "make_look_alike",
    "sample",
    "typo",
    "vary",
]

_DRAWERS: dict[str, Callable[[DrawContext], str]] = {
    "person": people.person,
    "company": companies.company,
    "email": emails.email,
    "phone": places.phone,
    "street": places.street,
    "city": places.city,
    "postcode": places.postcode,
    "country": places.country,
    "product": goods.product,
    "sentence": texts.draw_sentence,
    "text": texts.text,
}

KINDS: frozenset[str] = frozenset(_DRAWERS)
"""The semantic text types of a Blueprint."""

_SAMPLERS: dict[str, Callable[[DrawContext], str]] = {
    **_DRAWERS,
    "address": texts.address,
    "address_unit": places.address_unit,
    "family_name": people.family_name,
    "given_name": people.given_name,
    "note": texts.note,
    "paragraph": texts.draw_description,
    "reason": texts.reason,
    "region": places.region,
    "region_name": places.region_name,
    "title": texts.subject,
    **CODES,
    **NATIONS,
    **ONLINE,
    **VOCABULARY,
}
del _SAMPLERS["text"]

SAMPLES: frozenset[str] = frozenset(_SAMPLERS)
"""The kinds of text that `text_of` draws."""

MAX_SAMPLE_ATTEMPTS = 24
"""Times that a text is drawn until one is short enough, the second half of them whatever the row has already. After that the last
one is cut."""

LOCALES: tuple[str, ...] = tuple(_LOCALES)
"""The locales that a Blueprint may name."""


def draw(
    kind: str,
    stream: Stream,
    locale: str,
    so_far: Mapping[str, str],
    field: str = "",
    serial: int = 0,
    topic: str = "",
) -> str:
    """A value of this kind for one row.

    `so_far` maps kinds to values of the same row, `serial` is the row's index; `field` and `topic` are the names of the
    field and the entity, and steer what texts and products are about. ValueError for an unknown kind or locale.
    """
    drawer, where = _DRAWERS.get(kind), _LOCALES.get(locale)
    if drawer is None:
        raise ValueError(f"unknown kind {kind!r}; known: {', '.join(_DRAWERS)}")
    if where is None:
        raise ValueError(f"unknown locale {locale!r}; known: {', '.join(LOCALES)}")
    return drawer(DrawContext(stream, where, so_far, field, serial, topic))


def sample(kind: str, row: DrawContext, longest: int | None = None) -> str:
    """A text of a kind that `text_of` knows, with at most so many characters."""
    drawer = _SAMPLERS[kind]
    text = drawer(row)
    for k in range(MAX_SAMPLE_ATTEMPTS):
        if longest is None or len(text) <= longest:
            return text
        text = drawer(row if k < MAX_SAMPLE_ATTEMPTS // 2 else row._replace(so_far={}))
    cut = text[:longest].rpartition(" ")[0] if " " in text[:longest] else text[:longest]
    return cut.rstrip(" ,;:-") or text[:longest]


def find_locale(code: str) -> Locale:
    """The tables of a locale that a Blueprint names."""
    return _LOCALES[code]
