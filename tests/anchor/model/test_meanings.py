"""What texts mean, by all that evidence says of them, and how they are drawn then."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.anchor.model.services import TEXT, Op, checked, derived, evidence

from worldwright.anchor.evidence import Shape
from worldwright.anchor.model.draws import draw_text, draw_wide, pattern_of
from worldwright.anchor.model.meanings import example_in, meaning_of, options_in
from worldwright.anchor.model.numbers import draw_flag, draw_number
from worldwright.anchor.model.records import Attribute
from worldwright.blueprint.load import load_text
from worldwright.core.regex import sample_match
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compiled_world import CompiledWorld


def attribute(name: str, kind: str = "text", says: str = "", owner: str = "order", **shape: Any) -> Attribute:
    path = tuple(name.split("."))
    form = Shape({"text": "string", "int": "integer", "bool": "boolean"}.get(kind, "number"), says=says, **shape)
    flavour = meaning_of(path, form, (owner,), says) if kind == "text" else ""
    return Attribute(name.replace(".", "_"), path, form, kind, {}, flavour=flavour, says=says)


BY_NAME = """
customer_email email; email_type type; currencyCode currency; baseCurrency currency; country country; CountryISOCode country_code
shipping_address.state region; status status; state status; billing.zip postcode; postalCode postcode; phoneNumber phone; fax phone
firstname given_name; last_name family_name; created_by person; website website; avatar_url image_url; callbackUrl url; _href url
ip_address ip_address; macAddress mac_address; userAgent user_agent; latitude latitude; lng longitude; timezone timezone
locale locale; language_code language; sku sku; tracking_number tracking_number; invoiceNumber document_number; iban iban
etag md5; idempotency_key uuid; access_token token; commit_sha commit; version version; file_name file_name; mimeType mime_type
file_path file_path; slug slug; subject title; description paragraph; internal_note note; cancellation_reason reason
payment_method payment_method; unit_of_measure unit; country_of_origin country_code; date_of_birth day; color colour
attribute_code identifier; event_type event_name; priority priority; job_title job; department department; is_default yes_no
grand_total amount; location_id identity; hotel_code code; tax_id tax_number; address_line_2 address_unit; street street
"""


@pytest.mark.parametrize(
    ("name", "kind"), [entry.split() for entry in BY_NAME.replace("\n", ";").split(";") if entry.strip()]
)
def test_a_name_is_read_from_its_end(name: str, kind: str) -> None:
    assert attribute(name).flavour == kind


@pytest.mark.parametrize(
    ("name", "says", "shape", "kind"),
    [
        ("code", "Three-letter ISO 4217 code", {}, "currency"),
        ("country", "The two-letter ISO 3166-1 code", {}, "country_code"),
        ("country", "", {"longest": 2}, "country_code"),
        ("country", "", {"examples": ("Germany",)}, "country"),
        ("number", "In E.164 format", {}, "phone_e164"),
        ("value", "The MIME type of the file", {}, "mime_type"),
        ("code", "First name.", {}, "given_name"),
        ("field_4", "URL of the product image", {}, "url"),
        ("address", "URL the events are sent to", {}, "url"),
        ("home", "", {"format": "uri"}, "url"),
        ("key", "", {"format": "uuid"}, "uuid"),
        ("reference", "", {"examples": ("f47ac10b-58cc-4372-a567-0e02b2c3d479",)}, "uuid"),
        ("deadline", "", {"examples": ("08:00",)}, "time_of_day"),
        ("customer", "ID of the customer who pays", {}, "identity"),
        ("doctor", "", {}, "person"),
        ("phone_number", "Includes the country code and the area code", {}, "phone"),
        ("billing_state", "", {"examples": ("AZ",)}, "region"),
    ],
)
def test_what_is_said_beside_a_name_counts(name: str, says: str, shape: dict[str, Any], kind: str) -> None:
    assert attribute(name, says=says, **shape).flavour == kind


@pytest.mark.parametrize(
    ("owner", "kind"),
    [
        ("customer", "person"),
        ("supplier", "company"),
        ("product", "product"),
        ("document", "file_name"),
        ("warehouse", "city"),
        ("ticket", "title"),
        ("webhook", "label"),
        ("country", "country_name"),
    ],
)
def test_a_name_is_that_of_whose_it_is(owner: str, kind: str) -> None:
    assert attribute("name", owner=owner).flavour == kind
    assert attribute(f"{owner}_name", owner="thing").flavour == kind
    assert attribute("name", owner="thing", says=f"The name of the {owner}.").flavour == kind


def test_a_name_of_something_else_is_not_that_of_its_owner() -> None:
    assert attribute("practice_group_name", owner="doctor").flavour == "label"
    assert meaning_of(("name",), Shape("string"), ("contact", "group")) == "label"


# examples and lists in descriptions


@pytest.mark.parametrize(
    "example",
    ["INV-2023-0012", "HR-EMP-00001", "se-28529731", "1Z999AA10123456784", "v1.2.3", "enterprise_27335", "a(b)*[c]"],
)
def test_an_example_stands_for_its_form(example: str) -> None:
    pattern = pattern_of(example)
    texts = {sample_match(pattern, Stream("row", k)) for k in range(20)}
    assert re.fullmatch(pattern, example) or "2023" in example
    assert {len(t) for t in texts} == {len(example)}
    assert len(texts) > 10 or not any(ch.isdigit() for ch in example)
    letters = re.match(r"[A-Za-z]*", example)
    assert letters is not None
    assert len(letters[0]) < 3 or all(t.startswith(letters[0]) for t in texts)


def test_descriptions_list_values_and_show_examples() -> None:
    assert options_in("Filter by status (Draft, Unpaid, Paid, etc.)") == ("Draft", "Unpaid", "Paid")
    assert options_in("Will be one of: success, error") == ("success", "error")
    assert options_in("Options: `PENDING`, `IN_PROGRESS` or `DONE`.") == ("PENDING", "IN_PROGRESS", "DONE")
    assert options_in("The name of the customer (the one who pays for it in the end)") == ()
    assert example_in("Employee (e.g. 'HR-EMP-00001')") == "HR-EMP-00001"
    assert (
        draw_text(attribute("status", says="Filter by status (Draft, Unpaid, Paid)"))
        == "pick('Draft', 'Unpaid', 'Paid')"
    )
    assert draw_text(attribute("employee", says="ID, e.g. 'HR-EMP-00001'")) == "text_like('HR-EMP-[0-9]{5}')"
    assert draw_text(attribute("city", examples=("Leeds",))) == "text_of('city')", (
        "one example is not copied to every row"
    )
    assert draw_text(attribute("city", examples=("Leeds", "York", "Hull", "Bath"))).startswith("pick('Leeds', 'York'")


# what the schema allows


@pytest.mark.parametrize(
    ("name", "shape", "drawn"),
    [
        ("currency", {"pattern": "^[A-Z]{3}$"}, "text_of('currency')"),
        ("currency", {"longest": 3}, "text_of('currency')"),
        ("batch", {"pattern": "^B[0-9]{4}$"}, "text_like('^B[0-9]{4}$')"),
        ("opens", {"pattern": r"^\d\d:\d\d$"}, "text_like('(0[89]|1[0-7]):(00|15|30|45)')"),
        ("start_date", {"pattern": r"^\d{4}-\d{2}-\d{2}$"}, 'f"{today - between(1, 240)}"'),
        ("subject", {"longest": 20}, "text_of('title', 20)"),
        ("email", {"longest": 3}, "text_like('[A-Z]{3}')"),
        ("flag", {"longest": 1}, "text_like('[YN]')"),
        ("secret", {"shortest": 40}, "text_like('[A-Z0-9]{40}')"),
    ],
)
def test_texts_are_as_long_and_of_the_form_that_is_demanded(name: str, shape: dict[str, Any], drawn: str) -> None:
    assert draw_text(attribute(name, **shape)) == drawn


NAMES = st.sampled_from(
    ["name", "code", "note", "url", "email", "status", "sku", "title", "city", "token", "thing", "created"]
)


@given(NAMES, st.integers(1, 60), st.integers(0, 70))
def test_no_drawn_text_breaks_the_lengths_of_its_schema(name: str, longest: int, shortest: int) -> None:
    least = min(shortest, longest)
    a = attribute(name, longest=longest, shortest=least)
    for value in grown({"thing": draw_text(a), "other": draw_wide(a)}):
        assert least <= len(value) <= longest


DESK = """
blueprint: desk
title: Desk
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {worker: works}
entities:
  clerk:
    in: desk
    key: CLK-##
    rows: 6
    fields:
FIELDS
      role: one of worker
operations:
  find_clerks: {in: desk, says: Search., by: anyone, search: clerk, filters: []}
"""


def grown(draws: dict[str, str]) -> list[str]:
    """Values of texts that are drawn so, in some rows of a world."""
    fields = "".join(f"      {name}: {{type: text, draw: {drawn!r}}}\n" for name, drawn in draws.items())
    compiled = CompiledWorld(load_text(DESK.replace("FIELDS", fields)))
    found = compiled.connect(grow_state(compiled, 3).data).execute(f"SELECT {', '.join(draws)} FROM clerk").fetchall()
    return [str(value) for row in found for value in row]


# numbers


@pytest.mark.parametrize(
    ("name", "kind", "says", "shape", "drawn"),
    [
        ("year", "int", "", {}, "between(2017, 2025)"),
        ("amount", "int", "Amount in cents", {}, "lognormal(8500, 0.9)"),
        ("size", "int", "Size in bytes", {}, "lognormal(180000, 1.3)"),
        ("latitude", "decimal", "", {}, "between(25.8, 47.6)"),
        ("annual_salary", "money", "", {}, "lognormal(54000, 0.35)"),
        ("unit_price", "money", "", {}, "lognormal(48, 0.9)"),
        ("quantity", "int", "", {"minimum": 1, "maximum": 5}, "skewed(1, 5)"),
        ("percentage", "int", "", {"minimum": 0, "maximum": 100}, "between(0, 100)"),
        ("mystery", "int", "", {"minimum": 3, "maximum": 9}, "skewed(3, 9)"),
        ("rating_id", "int", "", {}, "skewed(1, 100)"),
    ],
)
def test_numbers_are_as_such_numbers_are_within_their_bounds(
    name: str, kind: str, says: str, shape: dict[str, Any], drawn: str
) -> None:
    assert draw_number(attribute(name, kind, says, **shape)) == drawn


def test_flags_are_as_often_set_as_such_flags_are() -> None:
    assert [draw_flag(attribute(n, "bool")) for n in ("is_active", "deleted", "vip")] == [
        "chance(0.85)", "chance(0.1)", "chance(0.3)",
    ]  # fmt: skip


# in a world


def test_a_service_without_a_single_hint_but_names_gets_values_that_fit_them() -> None:
    fields = ("currency", "country_code", "image_url", "first_name", "email", "batch_code")
    schema = {"Invoice": {"id": {"type": "integer"}, **dict.fromkeys(fields, TEXT)}}
    operations = [
        Op("listInvoices", "GET", "/invoices", gives="[Invoice]"),
        Op("createInvoice", "POST", "/invoices", fields, gives="Invoice"),
    ]
    compiled = CompiledWorld(checked(derived(evidence("Billing", schema, operations))))
    conn = compiled.connect(grow_state(compiled, 7).data)
    forms = (
        r"[A-Z]{3}",
        r"[A-Z]{2}",
        r"https://images\.example\.com/\S+",
        r"[A-Z][a-z]+",
        r"\S+@\S+\.\w+",
        r"BAT-\d{3}",
    )
    for field, form in zip(fields, forms, strict=True):
        values = [v for (v,) in conn.execute(f"SELECT {field} FROM invoice WHERE {field} IS NOT NULL")]
        assert len(values) > 40, "base rows and those of the past"
        assert all(re.fullmatch(form, v) for v in values), (field, values[:5])


def test_a_reference_that_leads_nowhere_is_still_an_id() -> None:
    cut = Attribute("owner_id", ("owner_id",), Shape("string"), "text", {})
    assert draw_text(cut) == "text_like('OWN-000[0-4][1-9]')"
