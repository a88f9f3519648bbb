"""Personal data taken out of evidence: everywhere, the same way in every place, and so that records still belong together."""

from __future__ import annotations

import datetime as dt
import ipaddress
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.anchor.anonymise import Report, anonymise_reads, checksums
from worldwright.anchor.anonymise.invent import Inventor
from worldwright.anchor.evidence import (
    Claim,
    Evidence,
    Field,
    Note,
    Operation,
    Parameter,
    Resource,
    Rows,
    Shape,
    Source,
    States,
)
from worldwright.anchor.intake.dispatch import ReadInput
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.data import read
from worldwright.core.errors import UsageError

CUSTOMERS = """customer_no;name;email;phone;birth_date;street;city;iban;card_number;ssn;ip;version;note
C-1;Anna Schmidt;anna.schmidt@shop.de;+49 30 1234567;1980-02-29;Hauptstr. 5;Berlin;DE89370400440532013000;4111 1111 1111 1111;\
123-45-6789;192.168.0.7;1.2.3.4;Called Bert Vogel, born 1971-12-01, at 0151/12345678 or bert@vogel.de
C-2;Bert Vogel;bert@vogel.de;+49 30 7654321;1971-12-01;12 Main Street;Ulm;GB29NWBK60161331926819;5500-0000-0000-0004;\
987-65-4321;10.0.0.1;1.2.3.5;Ms Schmidt is angry, her card is 4012 8888 8888 1881
C-3;Dr. Ludwig van Beethoven;ludwig@x.de;030 / 998877;1960-05-05;Am Ring 3;Ulm;;4012888888881881;111-22-3333;::1;1.2.3.6;unknown
"""
ORDERS = """order_no,customer_email,contact,total,status,placed_on
A-1,anna.schmidt@shop.de,"Schmidt, Anna",12.50,open,1971-12-01
A-2,bert@vogel.de,BERT VOGEL,1.50,open,2024-01-01
A-3,ludwig@x.de,unknown,1.50,paid,2024-01-02
"""


def anonymise(evidence: Evidence, key: str) -> tuple[Evidence, Report]:
    (read,), report = anonymise_reads([ReadInput("data", "shop", evidence)], key)
    return read.evidence, report


def shop() -> Evidence:
    return read([Upload("customers.csv", CUSTOMERS.encode()), Upload("orders.csv", ORDERS.encode())])


def records(evidence: Evidence, resource: str) -> list[dict[str, Any]]:
    (found,) = [r for r in evidence.rows if r.resource == resource]
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def kinds(report: Report) -> dict[tuple[str, str], tuple[str, str]]:
    return {(f.resource, f.column): (f.kind, f.certainty) for f in report.found}


def stands(value: str, evidence: Evidence) -> bool:
    """Whether a value is anywhere in the evidence, as a word of its own."""
    return re.search(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", repr(evidence)) is not None


def table(resource: str, **columns: list[Any]) -> Evidence:
    fields = tuple(Field(n, Shape("string")) for n in columns)
    rows = tuple(zip(*columns.values(), strict=True))
    return Evidence(
        resources=(Resource(resource, fields, origin="data"),), rows=(Rows(resource, tuple(columns), rows, len(rows)),)
    )


def test_every_kind_is_found_and_told() -> None:
    _, report = anonymise(shop(), "k")
    customers = {
        "name": "name", "email": "mail", "phone": "phone", "birth_date": "birth", "street": "address", "iban": "iban",
        "card_number": "card", "ssn": "id", "ip": "ip",
    }  # fmt: skip
    assert kinds(report) == {
        **{("customers", column): (kind, "certain") for column, kind in customers.items()},
        ("customers", "note"): ("text", "likely"),
        ("orders", "customer_email"): ("mail", "certain"),
        ("orders", "contact"): ("name", "likely"),
    }
    counted = {(f.resource, f.column): f.values for f in report.found}
    assert (counted["customers", "iban"], counted["orders", "contact"], counted["customers", "note"]) == (2, 2, 4)


def test_nothing_personal_is_left_and_the_rest_stays() -> None:
    before, (after, _) = shop(), anonymise(shop(), "k")
    first = records(before, "customers")
    personal = ("name", "email", "phone", "birth_date", "street", "iban", "card_number", "ssn", "ip")
    for row in first:
        for column in personal:
            if row[column] is not None and (column != "birth_date" or row[column] != "1971-12-01"):
                assert not stands(row[column], after), row[column]
    for word in ("Schmidt", "Vogel", "Bert", "Beethoven", "0151/12345678", "VOGEL"):
        assert not stands(word, after), word
    for old, new in zip(first, records(after, "customers"), strict=True):
        assert {k: old[k] for k in ("customer_no", "city", "version")} == {
            k: new[k] for k in ("customer_no", "city", "version")
        }
    for old, new in zip(records(before, "orders"), records(after, "orders"), strict=True):
        assert {k: old[k] for k in ("order_no", "total", "status", "placed_on")} == {
            k: new[k] for k in ("order_no", "total", "status", "placed_on")
        }
    assert [t.name for t in after.resources] == ["customers", "orders"]
    assert [[f.name for f in t.fields] for t in after.resources] == [
        [f.name for f in t.fields] for t in before.resources
    ]


def test_one_value_is_one_replacement_wherever_it_stands() -> None:
    after, _ = anonymise(shop(), "k")
    customers, orders = records(after, "customers"), records(after, "orders")
    assert [o["customer_email"] for o in orders] == [c["email"] for c in customers]
    given_name, family_name = customers[0]["name"].split()
    assert orders[0]["contact"] == f"{family_name}, {given_name}"
    assert orders[1]["contact"] == customers[1]["name"].upper()
    note = customers[0]["note"]
    assert customers[1]["name"] in note
    assert customers[1]["birth_date"] in note
    assert customers[1]["email"] in note
    assert f"Ms {family_name} is angry" in customers[1]["note"]
    assert customers[0]["email"].startswith(f"{given_name}.{family_name}".lower())
    assert customers[2]["name"].startswith("Dr. ")
    assert " van " in customers[2]["name"]
    assert customers[2]["note"] == orders[2]["contact"] == "unknown"


def test_forms_and_checks_are_kept() -> None:
    after, _ = anonymise(shop(), "k")
    before = records(shop(), "customers")
    for old, new in zip(before, records(after, "customers"), strict=True):
        assert new["email"].endswith(".example")
        assert re.sub(r"\d", "0", new["phone"]) == re.sub(r"\d", "0", old["phone"])
        assert checksums.luhn(new["card_number"])
        assert re.sub(r"\d", "0", new["card_number"]) == re.sub(r"\d", "0", old["card_number"])
        assert old["iban"] is None or (checksums.iban(new["iban"]) and new["iban"][:2] == old["iban"][:2])
        assert re.fullmatch(r"\d{3}-\d\d-\d{4}", new["ssn"])
        assert ipaddress.ip_address(new["ip"]).version == ipaddress.ip_address(old["ip"]).version
        moved = dt.date.fromisoformat(old["birth_date"]) - dt.date.fromisoformat(new["birth_date"])
        assert 30 <= moved.days < 400
    assert [c["phone"][:3] for c in records(after, "customers")][:2] == ["+49", "+49"]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("id", "046 454 286"),
        ("id", "811228-9874"),
        ("card", "378282246310005"),
    ],
)
def test_check_digits(kind: str, value: str) -> None:
    made = Inventor("k").replacement(kind, value)
    assert made != value
    assert re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", made)) == re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", value))
    assert checksums.luhn(made) == checksums.luhn(value)


@pytest.mark.parametrize(
    ("old", "form"),
    [
        ("31.12.1980", r"\d\d\.\d\d\.19\d\d"),
        ("12/31/1980", r"\d\d/\d\d/19\d\d"),
        ("1980-12-31T00:00:00Z", r"19\d\d-\d\d-\d\dT00:00:00Z"),
    ],
)
def test_dates_of_birth_keep_their_form(old: str, form: str) -> None:
    after, _ = anonymise(table("patients", dob=[old, old]), "k")
    (one, two) = (row[0] for row in after.rows[0].rows)
    assert one == two != old
    assert re.fullmatch(form, one)


NOT_PERSONAL: list[tuple[str, str, list[Any]]] = [
    ("products", "name", ["Blue Pen", "Red Ink", "Paper Clip"]),
    ("customers", "name", ["Acme Inc", "Shop GmbH", "Blue Bank Ltd"]),
    ("customers", "email_verified", ["yes", "no", "yes"]),
    ("users", "last_login", ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "2024-01-02T00:00:00Z"]),
    ("customers", "address_id", ["1", "2", "3"]),
    ("orders", "number", ["4111111111111112", "4111111111111113", "4111111111111119"]),
    ("apps", "version", ["1.2.3.4", "1.2.3.5", "2.0.0.0"]),
    ("orders", "created_at", ["2024-01-01", "2024-01-02", "2024-01-03"]),
    ("orders", "status", ["Open", "Paid", "Sent"]),
    ("cities", "name", ["New York", "San Jose", "Los Angeles"]),
    ("orders", "phone_count", [1, 2, 3]),
    ("orders", "note", ["Weg is 3 days away", "Take the road, then 2 left", "Way too late: 5 days"]),
]


@pytest.mark.parametrize(("resource", "column", "values"), NOT_PERSONAL)
def test_what_is_not_personal_stays(resource: str, column: str, values: list[Any]) -> None:
    evidence = table(resource, **{column: values})
    after, report = anonymise(evidence, "k")
    assert after == evidence
    assert report == Report()


PERSONAL: list[tuple[str, str, list[Any], str]] = [
    ("products", "col7", ["a@b.example", "c@d.example"], "mail"),
    ("users", "first_name", ["Ann", "Bo"], "given"),
    ("users", "lastName", ["O'Neil", "Smith-Jones"], "family"),
    ("users", "Vorname", ["Jürgen", "Zoë"], "given"),
    ("orders", "sales_rep", ["Anna Li", "Max Mann"], "name"),
    ("orders", "created_by", ["Anna Li", "Max Mann"], "name"),
    ("things", "label", ["Anna Li", "Max Mann", "Peter Fox"], "name"),
    ("customers", "mobile", [4915112345678, 4915187654321], "phone"),
    ("orders", "x", ["+49 151 1234567", "+49 151 7654321"], "phone"),
    ("orders", "x", ["4111111111111111", "5500000000000004"], "card"),
    ("orders", "x", ["DE89370400440532013000", "GB29NWBK60161331926819"], "iban"),
    ("orders", "x", ["12 Main Street", "7 Long Road"], "address"),
    ("people", "tax_id", ["12 345 678 901", "98 765 432 109"], "id"),
    ("people", "user_name", ["ann77", "bobby"], "user"),
    ("people", "name", ["田中太郎", "佐藤花子"], "name"),
    ("guests", "name", ["ana maria lopez", "tom ray"], "name"),
]


@pytest.mark.parametrize(("resource", "column", "values", "kind"), PERSONAL)
def test_what_is_personal_goes(resource: str, column: str, values: list[Any], kind: str) -> None:
    after, report = anonymise(table(resource, **{column: values}), "k")
    assert [(f.resource, f.column, f.kind, f.values) for f in report.found] == [(resource, column, kind, len(values))]
    made = [row[0] for row in after.rows[0].rows]
    assert not set(made) & set(values)
    assert len(set(made)) == len(values)
    assert [type(m) for m in made] == [type(v) for v in values]


def test_values_within_values() -> None:
    rows = (
        ({"name": "Anna Li", "mails": ["a@b.example"], "city": "Rome"}, "x"),
        ({"name": "Max Mann", "mails": []}, "ask Anna Li"),
    )
    evidence = Evidence(rows=(Rows("orders", ("buyer", "note"), rows, 2),))
    after, report = anonymise(evidence, "k")
    assert set(kinds(report)) == {("orders", "buyer.name"), ("orders", "buyer.mails[]")}
    (first, _), (second, note) = after.rows[0].rows
    assert first["city"] == "Rome"
    assert second["mails"] == []
    assert note == f"ask {first['name']}"
    assert not stands("a@b.example", after)


def test_keys_that_are_addresses_go_too() -> None:
    found = read(
        [
            Upload(
                "teams.json",
                b'[{"id": 1, "roles": {"a@b.example": "lead"}}, {"id": 2, "roles": {"a@b.example": "dev"}}]',
            )
        ]
    )
    after, report = anonymise(found, "k")
    assert kinds(report) == {("teams", "roles{}"): ("mail", "certain")}
    assert not stands("a@b.example", after)
    (made,) = after.rows[0].rows[0][1]
    assert list(after.resources[0].fields[1].shape.fields) == [made]
    assert after.rows[0].rows[0][1] == {made: "lead"}


def test_examples_that_are_in_no_row_go_too() -> None:
    text = "id,email\n" + "".join(f"{i},user{i}@shop.de\n" for i in range(90))
    whole = read([Upload("customers.csv", text.encode())])
    examples = whole.resources[0].fields[1].shape.examples
    found = replace(whole, rows=(replace(whole.rows[0], rows=whole.rows[0].rows[10:]),))
    assert not set(examples) <= {row[1] for row in found.rows[0].rows}
    after, _ = anonymise(found, "k")
    assert not any(stands(e, after) for e in examples)


def test_what_a_contract_alone_shows_goes_too() -> None:
    customer = Shape("object", fields={"name": Field("name", Shape("string", examples=("Anna Schmidt",)))})
    body = {"email": {"type": "string", "example": "anna@shop.de"}, "kind": {"type": "string", "enum": ["Anna"]}}
    operation = Operation(
        "addCustomer",
        "Call +49 89 1234567 where it fails.",
        answer=customer,
        input_schema={"type": "object", "properties": {"customer": {"type": "object", "properties": body}}},
        output_schema={"properties": {"name": {"examples": ["Anna Schmidt"]}}},
    )
    after, report = anonymise(Evidence("Shop", operations=(operation,)), "k")
    for value in ("Anna Schmidt", "anna@shop.de", "+49 89 1234567"):
        assert not stands(value, after)
    assert kinds(report)["addCustomer", "customer.email"] == ("mail", "certain")
    inside = after.operations[0].input_schema["properties"]["customer"]["properties"]
    assert inside["kind"] == {"type": "string", "enum": ["Anna"]}
    assert after.operations[0].answer is not None
    (made,) = after.operations[0].answer.fields["name"].shape.examples
    assert after.operations[0].output_schema == {"properties": {"name": {"examples": [made]}}}


def test_words_that_mean_anything_are_left_alone_elsewhere() -> None:
    evidence = table(
        "users",
        login=["order", "ann77"],
        pin_ssn=["1234", "9876"],
        note=["the order of ann77", "room 1234"],
        room=["1234", "7"],
    )
    after, _ = anonymise(evidence, "k")
    (login, _, note, room), (other, _, second, _) = after.rows[0].rows
    assert login != "order"
    assert note.startswith("the order of ")
    assert note.endswith(other)
    assert (second, room) == ("room 1234", "1234")


def test_it_goes_from_every_part_of_the_evidence() -> None:
    name, mail = "Anna Schmidt", "anna@shop.de"
    shape = Shape("string", enum=(name,), examples=(mail,), default=name, says=f"such as {mail}")
    nested = Shape("object", fields={"who": Field("who", shape, says=name)}, items=shape)
    schema = {
        "type": "object",
        "properties": {"who": {"type": "string", "default": mail, "enum": [name], "description": f"{name}!"}},
    }
    source = Source("customers.csv")
    fields = (Field("name", Shape("string")), Field("x", nested))
    operation = Operation(
        "ask",
        f"Asks {name}.",
        name,
        parameters=(Parameter("p", "argument", nested, says=mail),),
        body=nested,
        answer=nested,
        errors={"404": f"{name} is away"},
        input_schema=schema,
        output_schema={"examples": [{"who": mail}]},
    )
    evidence = Evidence(
        f"Report for {name}",
        f"by {mail}",
        resources=(Resource("customers", fields, says=f"({mail})", checks=(f"owner <> '{mail}'",)),),
        operations=(operation,),
        claims=(Claim(f"Only {name} may approve.", "permission", source, name),),
        states=(States("customers", "name", (name, "Bert Vogel")),),
        rows=(Rows("customers", ("name", "email"), ((name, mail), ("Bert Vogel", "bert@shop.de")), 2),),
        notes=(Note("warning", f"{mail} is twice", source),),
    )
    after, _ = anonymise(evidence, "k")
    assert not stands(name, after)
    assert not stands(mail, after)
    assert after.operations[0].input_schema["properties"]["who"]["type"] == "string"
    new_name, _ = after.rows[0].rows[0]
    assert after.resources[0].fields[1].shape.fields["who"].shape.enum == (new_name,)
    assert after.states[0].states[0] == new_name
    assert after.operations[0].says == f"Asks {new_name}."
    assert after.notes[0].source == source
    assert replace(after, rows=evidence.rows) != evidence


def test_a_reference_carries_what_is_known_to_the_other_side() -> None:
    evidence = Evidence(
        resources=(
            Resource("accounts", (Field("ssn", Shape("string"), key=True),), key=("ssn",)),
            Resource("claims", (Field("holder", Shape("string"), refers_to="accounts"),)),
        ),
        rows=(
            Rows("accounts", ("ssn",), (("123-45-6789",), ("987-65-4321",)), 2),
            Rows("claims", ("holder",), (("987-65-4321",), ("123-45-6789",), ("555-11-2222",)), 3),
        ),
    )
    after, report = anonymise(evidence, "k")
    keys, holders = ([row[0] for row in r.rows] for r in after.rows)
    assert holders[:2] == keys[::-1]
    assert kinds(report)["claims", "holder"][0] == "id"
    assert holders[2] != "555-11-2222"


def test_a_replacement_is_never_somebody_else() -> None:
    inventor = Inventor("k")
    taken = inventor.replacement("given", "Anna")
    after, _ = anonymise(table("users", first_name=["Anna", taken]), "k")
    assert not {row[0] for row in after.rows[0].rows} & {"Anna", taken}


@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_long_texts_take_no_long_time() -> None:
    texts = ["a" * 99_999, "1" * 99_999, "+49 " * 20_000, "A1." * 30_000, "Mr. " * 20_000, "DE12 3456 " * 9_999]
    anonymise(table("users", note=texts, name=["Anna Li"] * len(texts)), "k")


def test_a_key_is_needed() -> None:
    with pytest.raises(UsageError, match="key"):
        anonymise(Evidence(), "")
    assert anonymise(Evidence(), "k") == (Evidence(), Report())


WORD = st.text("abcdefghijklmnopqrstuvwxyzäéø", min_size=3, max_size=8)
NAME = WORD.map(str.capitalize)
FULL = st.tuples(NAME, NAME).map(" ".join)
MAIL = st.tuples(WORD, WORD).map(lambda t: f"{t[0]}@{t[1]}.com")
PHONE = st.integers(10**8, 10**9 - 1).map(lambda n: f"+49 {str(n)[:3]} {str(n)[3:]}")
PEOPLE = st.lists(
    st.tuples(FULL, MAIL, PHONE),
    min_size=1,
    max_size=8,
    unique_by=(lambda p: p[0].casefold(), lambda p: p[1], lambda p: p[2]),
)


def world(people: list[tuple[str, str, str]]) -> Evidence:
    """Customers, orders that refer to them by their address, and notes that speak of them."""
    name, mail, phone = people[0]
    text = Shape("string")
    customer = (Field("name", replace(text, examples=(name,))), Field("email", text, key=True), Field("phone", text))
    order = (Field("id", Shape("integer")), Field("buyer", text, refers_to="customers"), Field("note", text))
    orders = tuple((i, m, f"<{n}> ({p}); {m}, {n.upper()}!") for i, (n, m, p) in enumerate(people))
    return Evidence(
        resources=(Resource("customers", customer, key=("email",)), Resource("orders", order)),
        operations=(Operation("call", f"Calls {name} at {phone}, or writes to {mail}."),),
        rows=(
            Rows("customers", ("name", "email", "phone"), tuple(people), len(people)),
            Rows("orders", ("id", "buyer", "note"), orders, len(people)),
        ),
    )


@settings(max_examples=examples(100), deadline=None)
@given(PEOPLE, st.sampled_from(["k", "another key"]))
def test_no_value_survives_and_records_still_belong_together(people: list[tuple[str, str, str]], key: str) -> None:
    evidence = world(people)
    after, report = anonymise(evidence, key)
    assert anonymise(evidence, key) == (after, report)
    customers, orders = after.rows
    for person in people:
        for value in person:
            assert not stands(value, after), value
        assert not stands(person[0].upper(), after)
    assert [o[1] for o in orders.rows] == [c[1] for c in customers.rows]
    for column in range(3):
        assert len({c[column].casefold() for c in customers.rows}) == len(people)
    for (_, _, note), (name, mail, phone) in zip(orders.rows, customers.rows, strict=True):
        assert note == f"<{name}> ({phone}); {mail}, {name.upper()}!"
    assert after.operations[0].says == "Calls {} at {}, or writes to {}.".format(
        *(customers.rows[0][i] for i in (0, 2, 1))
    )


@settings(max_examples=examples(40), deadline=None)
@given(PEOPLE)
def test_a_replacement_follows_from_the_key_and_the_value(people: list[tuple[str, str, str]]) -> None:
    alone = {p: anonymise(world([p]), "k")[0].rows[0].rows[0] for p in people}
    together = dict(zip(people, anonymise(world(people), "k")[0].rows[0].rows, strict=True))
    other = dict(zip(people, anonymise(world(people), "l")[0].rows[0].rows, strict=True))
    for person in people:
        assert alone[person][1] == together[person][1]
        assert alone[person][1:] != other[person][1:]


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(
        st.lists(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
            min_size=3,
            max_size=3,
        ),
        max_size=6,
    )
)
def test_any_rows_are_survived(rows: list[list[Any]]) -> None:
    evidence = Evidence(rows=(Rows("users", ("name", "email", "note"), tuple(map(tuple, rows)), len(rows)),))
    after, _ = anonymise(evidence, "k")
    assert [[type(v) for v in r] for r in after.rows[0].rows] == [[type(v) for v in r] for r in rows]
    assert anonymise(evidence, "k")[0] == after
