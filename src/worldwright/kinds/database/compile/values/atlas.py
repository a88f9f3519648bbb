"""All locales, and where a city or a country belongs."""

from __future__ import annotations

from worldwright.kinds.database.compile.values import de_de, en_gb, en_us, es_es, fr_fr
from worldwright.kinds.database.compile.values.locale import City, Locale

LOCALES: dict[str, Locale] = {module.LOCALE.code: module.LOCALE for module in (en_us, en_gb, de_de, fr_fr, es_es)}

BY_COUNTRY: dict[str, Locale] = {locale.country: locale for locale in LOCALES.values()}

BY_CITY: dict[str, tuple[Locale, City]] = {
    city.name: (locale, city) for locale in LOCALES.values() for city in locale.cities
}
"""No two cities of the atlas have the same name, also across countries."""
