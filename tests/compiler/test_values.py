"""Values of rows: realistic, correlated, unique where they must be, and nobody's real address or number."""

from __future__ import annotations

import re
from itertools import permutations
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.values import (
    KINDS,
    LEGACY_STYLES,
    LOCALES,
    atlas,
    draw,
    emails,
    goods,
    legacy,
    phrasebook,
    places,
    row,
    typo,
    vary,
)

ORDER = ("person", "company", "email", "street", "city", "postcode", "country", "phone", "product", "sentence", "text")
DOMAINS = re.compile(r"(?:[a-z-]+\.)?example(?:\.com|\.org|\.net)?\Z")
FICTION = re.compile(
    r"""
      \(\d{3}\)\ 555-01\d\d | \+1\ \d{3}\ 555\ 01\d\d
    | (?:0|\+44\ )(?: 20\ 7946\ 0\d{3} | 1[1-6][0-8]\ 496\ 0\d{3} | 1[2-6]1\ 496\ 0\d{3} | 191\ 498\ 0\d{3}
        | 29\ 2018\ 0\d{3} | 28\ 9649\ 6\d{3} | 1632\ 960\d{3} | 7700\ 900\d{3} )
    | (?:0|\+49\ )(?: 30\ 23125\d{3} | 40\ 66969\d{3} | 69\ 90009\d{3} | 221\ 4710\d{3} | 89\ 99998\d{3}
        | 171\ 39200\d\d | 176\ 040690\d\d )
    | (?:0|\+33\ )(?: 1\ 99\ 00 | 2\ 61\ 91 | 3\ 53\ 01 | 4\ 65\ 71 | 5\ 36\ 49 | 6\ 39\ 98 )\ \d\d\ \d\d
    | (?:\+34\ )?555\ \d{3}\ \d{3}
    """,
    re.VERBOSE,
)

locales = pytest.mark.parametrize("locale", LOCALES)


def make_row(
    locale: str, serial: int, topic: str = "vendor", kinds: tuple[str, ...] = ORDER, seed: str = "s"
) -> dict[str, str]:
    so_far: dict[str, str] = {}
    for kind in kinds:
        so_far[kind] = draw(kind, Stream(seed, locale, topic, serial, kind), locale, so_far, kind, serial, topic)
    return so_far


def test_the_door_is_complete() -> None:
    assert frozenset(ORDER) == KINDS
    assert LOCALES == ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES")


@locales
def test_same_stream_same_value(locale: str) -> None:
    assert [make_row(locale, serial) for serial in range(40)] == [make_row(locale, serial) for serial in range(40)]


@locales
def test_another_seed_gives_other_values(locale: str) -> None:
    one = [make_row(locale, serial, seed="a")["person"] for serial in range(100)]
    two = [make_row(locale, serial, seed="b")["person"] for serial in range(100)]
    assert sum(a == b for a, b in zip(one, two, strict=True)) < 10


def test_golden_values() -> None:
    """Values are part of a world's identity: they change only on purpose."""
    assert make_row("en_US", 3, kinds=("person", "company", "email", "city", "phone")) == {
        "person": "Mateo White",
        "company": "Gallagher & Patel Inc.",
        "email": "mateo.white@gallagher-patel.example",
        "city": "Phoenix",
        "phone": "(602) 555-0137",
    }


@locales
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_values_are_clean_text(locale: str, kind: str) -> None:
    topics = ["vendor", "invoice", "booking", "return", "complaint", "employee", "office item", "room", "gizmo", ""]
    fields = ["", "note", "reason", "subject", "description", "comment", "title", "name", "address", "reference"]
    for serial in range(300):
        topic, field = topics[serial % 10], fields[serial // 10 % 10]
        value = draw(kind, Stream(locale, kind, serial), locale, {}, field, serial, topic)
        assert value
        assert value.isprintable()
        assert value == value.strip()
        assert "  " not in value
        assert "{" not in value


@given(st.sampled_from(LOCALES), st.permutations(ORDER), st.integers(0, 10_000))
def test_any_order_of_fields_fits_together(locale: str, order: list[str], serial: int) -> None:
    values = make_row(locale, serial, kinds=tuple(order))
    where, city = atlas.BY_CITY[values["city"]]
    assert values["country"] == where.country
    assert any(places.fits_pattern(pattern, values["postcode"]) for pattern in city.postcodes)


@locales
def test_address_fits_however_it_is_ordered(locale: str) -> None:
    abroad = 0
    for order in permutations(("street", "city", "postcode", "country", "phone")):
        for serial in range(40):
            values = make_row(locale, serial, kinds=order, seed=order[0])
            where, city = atlas.BY_CITY[values["city"]]
            assert values["country"] == where.country
            assert any(places.fits_pattern(pattern, values["postcode"]) for pattern in city.postcodes)
            assert values["phone"].startswith("+") == (where.code != locale)
            abroad += where.code != locale
    assert abroad


@locales
def test_phones_are_kept_free_for_fiction(locale: str) -> None:
    for serial in range(400):
        assert FICTION.fullmatch(make_row(locale, serial, kinds=("country", "city", "phone"))["phone"])


def test_phone_hints() -> None:
    for i in range(50):
        assert draw("phone", Stream(i), "en_GB", {}, "mobile").startswith("07700 900")
        assert draw("phone", Stream(i), "en_GB", {"city": "Leeds"}, "office_phone").startswith("0113 496 0")


@locales
def test_email_fits_person_and_company(locale: str) -> None:
    for serial in range(300):
        values = make_row(locale, serial, kinds=("person", "company", "email"))
        local, _, domain = values["email"].partition("@")
        words = values["person"].split()
        assert any(emails.fold(word, locale) in local for word in words if len(word) > 2)
        assert domain == emails.make_domain(values["company"], locale)
        assert emails.fold(values["company"].split()[0], locale) in domain


def test_email_examples() -> None:
    assert emails.fold("Müller", "de_DE") == "mueller"
    assert emails.fold("López", "es_ES") == "lopez"
    assert emails.fold("O'Brien", "en_US") == "obrien"
    assert emails.make_domain("Brightline Foods Inc.", "en_US") == "brightline-foods.example"
    assert emails.make_domain("Weiß & Çelik GmbH & Co. KG", "de_DE") == "weiss-celik.example"
    made = draw("email", Stream(1), "es_ES", {"person": "Ana López Ruiz"}, serial=5)
    assert re.fullmatch(r"ana[._]lopez7?@.*", made)


@locales
def test_emails_are_ascii_reserved_and_unique(locale: str) -> None:
    for kinds in (("email",), ("person", "email"), ("company", "email"), ("person", "company", "email")):
        for topic in ("vendor", "employee"):
            made = [make_row(locale, serial, topic, kinds)["email"] for serial in range(1500)]
            assert len(set(made)) == len(made)
            for email in made:
                local, at, domain = email.partition("@")
                assert email.isascii()
                assert at
                assert re.fullmatch(r"[a-z]+[a-z._-]*\d*", local)
                assert DOMAINS.match(domain)


@given(
    st.sampled_from(LOCALES),
    st.lists(st.tuples(st.integers(0, 2000), st.text(max_size=12), st.text(max_size=12)), unique_by=lambda row: row[0]),
)
def test_emails_are_unique_whatever_the_row_holds(locale: str, rows: list[tuple[int, str, str]]) -> None:
    made = [
        draw("email", Stream(serial), locale, {"person": who, "company": firm}, serial=serial, topic="t")
        for serial, who, firm in rows
    ]
    assert len(set(made)) == len(made)
    assert all(email.isascii() and DOMAINS.match(email.partition("@")[2]) for email in made)


@locales
def test_equal_names_get_different_emails(locale: str) -> None:
    person = make_row(locale, 7, kinds=("person",))["person"]
    made = [draw("email", Stream(i), locale, {"person": person}, serial=i, topic="vendor") for i in range(500)]
    assert len(set(made)) == len(made)


@locales
@pytest.mark.parametrize("kind", ["person", "company", "product"])
@pytest.mark.parametrize("topic", ["vendor", "room", "office item", "work order"])
def test_names_differ_over_an_entity(locale: str, kind: str, topic: str) -> None:
    made = [
        draw(kind, Stream("x", serial), locale, {}, "name", serial, topic) for serial in range(row.MAX_DISTINCT_ROWS)
    ]
    assert len(set(made[1:])) == len(made) - 1
    freely = [draw(kind, Stream("x", i), locale, {}, "name", 0, topic) for i in range(200)]
    assert len(set(freely)) > 170


def test_company_takes_the_legal_form_of_its_country() -> None:
    made = [draw("company", Stream(i), "en_US", {"country": "Germany"}, serial=i) for i in range(100)]
    assert sum(name.endswith(("GmbH", "KG", "AG", "UG", "OHG", "e.K.")) for name in made) > 80


@pytest.mark.parametrize(
    ("topic", "range_"),
    [
        ("office item", goods.OFFICE),
        ("room", goods.ROOMS),
        ("spare_parts", goods.INDUSTRIAL),
        ("lab supply", goods.LAB),
        ("menu dish", goods.FOOD),
        ("it_asset", goods.IT),
        ("work order", goods.SERVICES),
        ("order line", goods.GENERAL),
    ],
)
def test_products_fit_the_topic(topic: str, range_: goods.Range) -> None:
    nouns = tuple(noun for group in range_.groups for noun in group.nouns)
    for i in range(50):
        name = draw("product", Stream(i), "en_US", {}, "name", i, topic)
        assert any(f" {noun}, " in name for noun in nouns), name


@pytest.mark.parametrize("range_", [*goods.RANGES, goods.GENERAL])
def test_ranges_are_wide_enough_for_an_entity(range_: goods.Range) -> None:
    shelf = goods._shelf(range_.keywords[0] if range_.keywords else "", "")
    assert shelf.styles == range_.styles
    assert len(shelf.nouns) >= 3 * shelf.blocks
    assert len(set(shelf.nouns)) == len(shelf.nouns)
    assert len(set(shelf.styles)) == len(shelf.styles)


def test_texts_fit_field_and_topic() -> None:
    us = atlas.LOCALES["en_US"]

    def some(kind: str, field: str, topic: str) -> set[str]:
        return {draw(kind, Stream(field, i), "en_US", {}, field, i, topic) for i in range(80)}

    assert "Wrong size" in some("text", "reason", "return")
    assert "Wrong size." in some("sentence", "return_reason", "return")
    assert "Late arrival" in some("text", "subject", "booking")
    assert all(value.endswith(".") for value in some("sentence", "note", "invoice"))
    assert all(value.count(". ") == 1 for value in some("text", "description", "complaint"))
    assert "Controller" in some("text", "job_title", "employee")
    assert some("text", "first_name", "") | some("person", "first_name", "") <= set(us.women + us.men)
    assert some("person", "last_name", "") <= set(us.families)
    assert any(value.endswith("LLC") for value in some("text", "company_name", ""))
    assert "Project Heron" in some("text", "name", "project")
    assert "Finance" in some("text", "name", "department")
    assert some("text", "website", "") == {"www.example.com"}
    assert some("text", "name", "warehouse") >= {"North Warehouse", "Lake Warehouse"}
    assert len(some("text", "note", "delivery")) > 50
    assert draw("text", Stream(1), "en_US", {"city": "Denver"}, "region") == "CO"
    assert draw("text", Stream(1), "en_US", {"company": "Halden Steel LLC"}, "website") == "www.halden-steel.example"
    assert re.fullmatch(r".+ \d+, \d{5} \S.*", draw("text", Stream(1), "de_DE", {}, "address"))


@pytest.mark.parametrize("theme", [*phrasebook.THEMES, phrasebook.GENERIC])
def test_the_phrasebook_is_sound(theme: phrasebook.Theme) -> None:
    assert len(theme.sentences) >= 12
    assert min(len(theme.reasons), len(theme.subjects)) >= 7
    for template in (*theme.sentences, *theme.reasons, *theme.subjects):
        assert {name for _, name, _, _ in Formatter().parse(template) if name is not None} <= phrasebook.SLOTS.keys()
        assert not template.endswith(".")


@locales
def test_locale_lists_are_sound(locale: str) -> None:
    data = atlas.LOCALES[locale]
    wide = locale == "en_US"
    assert len(data.women + data.men) >= (120 if wide else 60)
    assert len(data.families) >= (150 if wide else 60)
    assert len(data.cities) >= (30 if wide else 15)
    for names in (
        data.women + data.men,
        data.families,
        data.families + data.roots,
        data.root_trades,
        data.family_trades,
    ):
        assert len({emails.fold(name, locale) for name in names}) == len(names)
    assert {emails.fold(name, locale) for name in data.families + data.roots}.isdisjoint(
        emails.fold(trade, locale) for trade in data.root_trades + data.family_trades
    )
    assert not any(" " in name for name in data.women + data.men + data.families + data.roots)
    assert max(len(data.women), len(data.men), len(data.families)) < row._STEP


def test_cities_and_postcodes_are_told_apart() -> None:
    assert len(atlas.BY_CITY) == sum(len(locale.cities) for locale in atlas.LOCALES.values())
    for locale in atlas.LOCALES.values():
        for city in locale.cities:
            for pattern in city.postcodes:
                made = places.fill(pattern, Stream(pattern))
                assert [
                    other.name for other in locale.cities if any(places.fits_pattern(p, made) for p in other.postcodes)
                ] == [city.name]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown kind 'name'; known: person, company"):
        draw("name", Stream(1), "en_US", {})
    with pytest.raises(ValueError, match="unknown locale 'it_IT'; known: en_US"):
        draw("person", Stream(1), "it_IT", {})


@given(st.text() | st.text(alphabet="@.aAß中ª1 "), st.integers())
def test_typo_differs_wherever_there_is_a_letter(text: str, seed: int) -> None:
    slipped = typo(text, Stream(seed))
    assert slipped == typo(text, Stream(seed))
    assert (slipped != text) == any(char.isalpha() for char in text)
    assert abs(len(slipped) - len(text)) <= 2


@given(st.text() | st.text(alphabet="@.aAß中ª1 -&"), st.integers())
def test_vary_always_differs(text: str, seed: int) -> None:
    varied = vary(text, Stream(seed))
    assert varied == vary(text, Stream(seed))
    assert varied != text
    assert varied.strip()


@given(st.sampled_from(LOCALES), st.sampled_from(sorted(KINDS)), st.integers(0, 500))
def test_mess_on_drawn_values(locale: str, kind: str, serial: int) -> None:
    value = draw(kind, Stream(locale, kind, serial), locale, {}, "", serial, "vendor")
    for messed in (typo(value, Stream(serial)), vary(value, Stream(serial))):
        assert messed.isprintable()
        assert "  " not in messed
        if kind == "email":
            assert DOMAINS.match(messed.partition("@")[2].lower())


def test_vary_examples() -> None:
    def ways(text: str) -> set[str]:
        return {vary(text, Stream(text, i)) for i in range(200)}

    assert ways("Acme GmbH") >= {"Acme", "Acme Gmbh", "ACME GmbH", "Acme, GmbH"}
    assert ways("Dr. Anna Weber") >= {"Anna Weber", "A. Weber", "Weber, Anna"}
    assert ways("12 Oak Street") >= {"12 Oak St.", "12 OAK STREET"}
    assert ways("(303) 555-0142") >= {"303-555-0142", "3035550142"}
    assert ways("Müller & Weiß KG") >= {"Mueller & Weiss KG", "Müller and Weiß KG"}
    assert ways("ana.lopez@example.com") >= {"Ana.Lopez@example.com", "ANA.LOPEZ@EXAMPLE.COM"}
    assert ways("") == {"n/a"}


@pytest.mark.parametrize(
    ("value", "style", "old"),
    [
        ("2025-06-16", "DD.MM.YY", "16.06.25"),
        ("2025-06-16T09:05:00Z", "DD.MM.YY", "16.06.25"),
        ("2025-06-16", "MM/DD/YYYY", "06/16/2025"),
        ("2025-06-16T09:05:00Z", "MM/DD/YYYY", "06/16/2025"),
        ("Acme GmbH", "UPPER", "ACME GMBH"),
        ("DE 12 34 56", "no_spaces", "DE123456"),
        ("4711", "prefix:OLD-", "OLD-4711"),
    ],
)
def test_legacy_examples(value: str, style: str, old: str) -> None:
    assert legacy(value, style) == old
    assert style.startswith(LEGACY_STYLES)


@pytest.mark.parametrize("style", ["YYYY", "upper", "prefix", "prefix:", ""])
def test_unknown_legacy_styles_name_the_known_ones(style: str) -> None:
    with pytest.raises(ValueError, match=r"known: DD\.MM\.YY, MM/DD/YYYY, UPPER, no_spaces, prefix:TEXT"):
        legacy("x", style)


@pytest.mark.parametrize("value", ["", "Acme", "16.06.2025", "2025-13-01", "2025-06-16x"])
def test_date_styles_want_dates(value: str) -> None:
    with pytest.raises(ValueError, match="is not an ISO date or time"):
        legacy(value, "DD.MM.YY")
