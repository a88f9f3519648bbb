"""Texts by kind and by pattern: facts that are true, codes that check, values of a row that belong together."""

from __future__ import annotations

import mimetypes
import re
from ipaddress import ip_address
from typing import Any
from zoneinfo import available_timezones

import phonenumbers
import pycountry
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.blueprint.types import SAMPLE_KINDS, TEXT_KINDS
from worldwright.core.errors import BlueprintError
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compile.values import KINDS, LOCALES, SAMPLES, atlas, emails, facts, find_locale, sample
from worldwright.kinds.database.compile.values.row import DrawContext
from worldwright.kinds.database.compiled_world import CompiledWorld

STANDARDS: Any = pycountry
kinds = pytest.mark.parametrize("kind", sorted(SAMPLES))


def draw(kind: str, serial: int = 1, topic: str = "order", locale: str = "en_US", **so_far: str) -> str:
    stream = Stream("sample", kind, serial, topic, locale)
    return sample(kind, DrawContext(stream, find_locale(locale), so_far, kind, serial, topic, "USD"))


def test_the_language_and_the_tables_know_the_same_kinds() -> None:
    assert frozenset(SAMPLE_KINDS) == SAMPLES
    assert frozenset(TEXT_KINDS) == KINDS - {"text"}
    assert len(SAMPLE_KINDS) == len(SAMPLES), "none is named twice"


@kinds
def test_texts_are_clean_and_the_same_for_the_same_stream(kind: str) -> None:
    for locale in LOCALES:
        texts = [draw(kind, k, locale=locale) for k in range(40)]
        assert texts == [draw(kind, k, locale=locale) for k in range(40)]
        assert all(t and t.isprintable() and t == t.strip() for t in texts)
        assert len(set(texts)) > 1, "not one for all"


@given(st.sampled_from(sorted(SAMPLES)), st.integers(1, 80), st.integers(0, 500))
def test_no_text_is_longer_than_it_may_be(kind: str, longest: int, serial: int) -> None:
    row = DrawContext(Stream("length", kind, serial), find_locale("en_US"), {}, kind, serial, "order")
    assert 0 < len(sample(kind, row, longest)) <= longest


# facts


@pytest.mark.parametrize("country", facts.COUNTRIES, ids=lambda c: str(c.code))
def test_countries_are_as_the_standards_have_them(country: facts.Country) -> None:
    known = STANDARDS.countries.get(alpha_2=country.code)
    assert known.alpha_3 == country.code_3
    assert country.name in {known.name, getattr(known, "common_name", ""), getattr(known, "official_name", "")}
    assert country.dial == f"+{phonenumbers.country_code_for_region(country.code)}"
    assert country.timezone in available_timezones()
    assert country.currency in {c.code for c in facts.CURRENCIES}
    assert country.language in dict(facts.LANGUAGES)


def test_currencies_languages_and_states_are_as_the_standards_have_them() -> None:
    for currency in facts.CURRENCIES:
        assert STANDARDS.currencies.get(alpha_3=currency.code).name == currency.name
    for code, name in facts.LANGUAGES:
        assert STANDARDS.languages.get(alpha_2=code).name.startswith(name) or code == "el"
    for code, name in facts.US_STATES.items():
        assert STANDARDS.subdivisions.get(code=f"US-{code}").name == name
    assert {c.region for c in atlas.LOCALES["en_US"].cities} <= facts.US_STATES.keys()
    assert {locale.country for locale in atlas.LOCALES.values()} <= facts.BY_NAME.keys()


def test_files_have_the_media_types_of_their_endings() -> None:
    known = mimetypes.MimeTypes()
    standard = {ending: known.guess_type(f"x.{ending}")[0] for ending, _ in facts.FILES}
    assert sum(kind is not None for kind in standard.values()) > 10, "the standard library knows most of them"
    assert all(standard[ending] in (kind, None, f"text/{ending}") for ending, kind in facts.FILES)


# codes that check, and nobody is hit


def test_check_digits_are_right() -> None:
    for k in range(50):
        for kind in ("barcode", "isbn"):
            digits = [int(d) for d in draw(kind, k)]
            assert len(digits) == 13
            assert sum(d * (3 if i % 2 else 1) for i, d in enumerate(digits)) % 10 == 0
        iban = draw("iban", k)
        assert int("".join(str(int(ch, 36)) for ch in iban[4:] + iban[:4])) % 97 == 1


def test_addresses_of_machines_and_numbers_are_nobodys() -> None:
    free = re.compile(r"192\.0\.2\.|198\.51\.100\.|203\.0\.113\.")
    for k in range(50):
        assert free.match(draw("ip_address", k))
        assert draw("ipv6_address", k).startswith("2001:db8:")
        assert ip_address(draw("ipv6_address", k)).version == 6
        assert int(draw("mac_address", k)[:2], 16) & 2, "administered locally"
        number = phonenumbers.parse(draw("phone_e164", k))
        assert phonenumbers.is_possible_number(number)
        assert str(number.national_number)[3:8] == "55501"
        assert re.fullmatch(r"https://(www|shop|portal|docs|images)\.example\.(com|org|net)/\S+", draw("url", k))
        assert re.fullmatch(r"https://www\.[a-z-]+\.example", draw("website", k))


# values of one row


def test_names_addresses_and_files_of_a_row_belong_together() -> None:
    for k in range(1, 60):
        person = draw("person", k)
        assert person.startswith(draw("given_name", k, person=person))
        assert person.endswith(draw("family_name", k, person=person))
        given_name, family_name = draw("given_name", k), draw("family_name", k)
        email = draw("email", k, given_name=given_name, family_name=family_name)
        assert emails.fold(family_name, "en_US") in email
        assert draw("username", k, email=email) == email.partition("@")[0]
        name = draw("file_name", k)
        assert (name.rpartition(".")[2], draw("mime_type", k, file_name=name)) in facts.FILES
        assert draw("file_path", k, file_name=name).endswith(f"/{name}")
        code = draw("country_code", k)
        assert atlas.BY_CITY[draw("city", k, country_code=code)][0].country == facts.BY_CODE[code].name
        assert draw("currency", k, currency="SEK") == "SEK"
        assert draw("currency_symbol", k, currency="SEK") == "kr"


def test_rows_of_a_table_of_countries_go_through_them() -> None:
    for k in range(1, 30):
        own = facts.COUNTRIES[k - 1]
        assert draw("country_code", k, topic="country") == own.code
        assert draw("country_name", k, topic="countries") == own.name
        assert draw("currency", k, topic="currency_rate") == facts.CURRENCIES[k - 1].code


# in a Blueprint

WORLD = """
blueprint: desk
title: Desk
now: 2025-06-16T09:00:00Z
currency: EUR
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {worker: works}
entities:
  clerk:
    in: desk
    key: CLK-##
    rows: 30
    fields:
      first_name: text ~ text_of('given_name')
      last_name: text ~ text_of('family_name')
      email: email
      note: text? ~ text_of('title', 20) if chance(0.5) else none
      badge: text ~ text_like('EMP-[0-9]{4}-(A|B)')
      currency: text ~ text_of('currency')
      role: one of worker
operations:
  find_clerks: {in: desk, says: Search., by: anyone, search: clerk, filters: [], sort: [id]}
  hire:
    in: desk
    says: Hire somebody.
    by: anyone
    takes: {first_name: text, last_name: text}
    does: [{add: clerk, with: {first_name: first_name, last_name: last_name, role: worker}, as: c}]
    gives: c
history:
  spans: 30 days
  flows:
    hiring:
      per_week: 3
      steps: [{do: hire, by: worker, with: {first_name: text_of('given_name'), last_name: "text_like('[A-Z][a-z]{5}')"}}]
"""


def world(old: str = "", new: str = "") -> Checked:
    assert not old or old in WORLD
    return load_text(WORLD.replace(old, new), "desk.yaml")


def rows(seed: int) -> list[tuple[Any, ...]]:
    compiled = CompiledWorld(world())
    conn = compiled.connect(grow_state(compiled, seed).data)
    return conn.execute("SELECT first_name, last_name, email, note, badge, currency FROM clerk ORDER BY id").fetchall()


def test_a_blueprint_draws_texts_for_its_rows_and_its_past() -> None:
    found = rows(7)
    assert found == rows(7)
    assert found != rows(8)
    base, hired = found[:30], found[30:]
    assert len(hired) > 5
    for first, last, email, note, badge, _ in base:
        assert emails.fold(last, "en_US") in email, (first, last, email)
        assert re.fullmatch(r"EMP-\d{4}-[AB]", badge)
        assert note is None or len(note) <= 20
    assert [r[5] for r in base].count("EUR") > 15, "the currency of the books"
    assert all(re.fullmatch(r"[A-Z][a-z]{5}", r[1]) for r in hired)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("text_of('given_name')\n", "text_of('given')\n", "no kind of text is called `given`"),
        ("text_of('title', 20)", "text_of('title', 0)", "takes one text, and how long it may be"),
        ("text_of('title', 20)", "text_of(first_name)", "takes a text that is written out"),
        ("(A|B)')", "(A|B')", "is no pattern to draw from"),
        ("EMP-[0-9]{4}-(A|B)", "(EMP-[0-9]{90}){9}", "it asks for too much"),
        ("takes: {first_name: text", "takes: {text_of: text", "text_of"),
    ],
)
def test_what_cannot_be_drawn_is_said_where_it_stands(old: str, new: str, message: str) -> None:
    with pytest.raises(BlueprintError, match=re.escape(message)):
        world(old, new)
