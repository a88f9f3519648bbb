"""Records that came with the evidence are the first rows of the world: values, references and the order of days are kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.anchor.model.services import (
    DAY,
    NUMBER,
    TEXT,
    WHOLE,
    Op,
    built,
    checked,
    derived,
    document,
    episode,
    tables,
    words,
)
from tests.effort import examples

from worldwright.anchor.evidence import Evidence, Field, Resource, Rows, Shape
from worldwright.anchor.intake.dispatch import Input, read_inputs
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.merge import merge_reads
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.model.seeds import seed_rows
from worldwright.anchor.readers.data import read as read_data
from worldwright.blueprint.given import read_rows
from worldwright.blueprint.load import load_text
from worldwright.engine.env import Env

TODAY = date(2025, 6, 16)
SCHEMA = """
CREATE TABLE customers (id integer PRIMARY KEY, name varchar(80) NOT NULL, birth_date date, joined_on date, vip boolean);
CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers (id), total numeric(10,2) NOT NULL,
    status varchar(20) NOT NULL CHECK (status IN ('open', 'paid', 'cancelled')), placed_at timestamp NOT NULL, note text);
"""
ROWS = """
INSERT INTO customers VALUES (7, 'Ada Brandt', '1960-02-03', '2020-05-01', true), (9, 'Bo Lind', '1981-12-31', '2020-05-11', false),
    (12, 'Cy Moor', NULL, NULL, NULL);
INSERT INTO orders VALUES (100, 9, 12.50, 'paid', '2020-06-01 10:15:30', 'call first'),
    (101, '7', 99.99, 'open', '2020-06-10 08:00:00', NULL), (102, 9, 5, 'cancelled', '2020-05-20 23:59:59', '');
"""


@pytest.fixture(scope="module")
def shop() -> Derived:
    return derived(tables(SCHEMA + ROWS))


@pytest.fixture(scope="module")
def env(shop: Derived) -> Env:
    return episode(built(shop))


def seeded(one: Derived, entity: str) -> list[dict[str, Any]]:
    return read_rows(checked(one).blueprint.given.get(entity, ""))


def test_rows_of_a_dump_are_the_first_rows(shop: Derived, env: Env) -> None:
    found = [env.call_tool("get_customer", {"customer_id": 1010001 + k}).data for k in range(3)]
    assert [c["name"] for c in found] == ["Ada Brandt", "Bo Lind", "Cy Moor"]
    assert [c["vip"] for c in found[:2]] == [True, False]
    orders = [env.call_tool("get_order", {"order_id": 1020001 + k}).data for k in range(3)]
    assert [o["status"] for o in orders] == ["paid", "open", "cancelled"]
    assert orders[0]["note"] == "call first"
    assert [row["total"] for row in seeded(shop, "order")] == [12.5, 99.99, 5]


def test_no_edge_of_a_rule_is_put_over_what_was_given(env: Env) -> None:
    orders = [env.call_tool("get_order", {"order_id": 1020001 + k}).data for k in range(3)]
    assert [o["total"] for o in orders] == [12.5, 99.99, 5]


def test_references_are_kept(env: Env) -> None:
    """The dump says 9, then '7', then 9."""
    orders = [env.call_tool("get_order", {"order_id": 1020001 + k}).data for k in range(3)]
    assert [o["customer_id"] for o in orders] == [1010002, 1010001, 1010002]


def test_days_are_moved_together_to_end_now(shop: Derived) -> None:
    placed = [date.fromisoformat(row["placed_at"][:10]) for row in seeded(shop, "order")]
    assert max(placed) == date(2025, 6, 14)
    assert [(max(placed) - day).days for day in placed] == [9, 0, 21]
    assert [row["placed_at"][10:] for row in seeded(shop, "order")] == ["T10:15:30Z", "T08:00:00Z", "T23:59:59Z"]
    joined = [row.get("joined_on") for row in seeded(shop, "customer")]
    assert joined == ["2025-05-05", "2025-05-15", None]


def test_birthdays_stay_where_they_are(shop: Derived) -> None:
    assert [row.get("birth_date") for row in seeded(shop, "customer")] == ["1960-02-03", "1981-12-31", None]


def test_it_says_what_was_done(shop: Derived) -> None:
    said = {r.what: r for r in shop.reasons}
    assert said["3 rows of order"].why == "all records that came with it; dates moved by 1,830 days, to end now"
    assert said["3 rows of order"].source.startswith("schema.sql#")


def test_a_table_that_came_whole_is_whole(shop: Derived) -> None:
    assert [checked(shop).schema.entities[name].rows for name in ("customer", "order")] == [3, 3]


def test_days_that_are_recent_stay() -> None:
    recent = "INSERT INTO customers VALUES (1, 'Ada', '1960-02-03', '2025-06-01', true), (2, 'Bo', NULL, '2025-04-01', true);"
    assert [row["joined_on"] for row in seeded(derived(tables(SCHEMA + recent)), "customer")] == [
        "2025-06-01",
        "2025-04-01",
    ]


NULLABLE = SCHEMA.replace("status varchar(20) NOT NULL", "status varchar(20)")
ONE = "INSERT INTO customers VALUES (7, 'Ada', NULL, NULL, NULL);"


def with_status(written: str) -> Derived:
    return derived(
        tables(
            f"{NULLABLE}{ONE}INSERT INTO orders VALUES (1, 7, 3, {written}, '2025-06-01', NULL), (2, 7, 4, 'paid', NULL, NULL);"
        )
    )


def test_a_state_that_is_not_known_is_drawn() -> None:
    assert [row.get("status") for row in seeded(with_status("'lost'"), "order")] == [None, "paid"]
    built(with_status("'lost'"))


@pytest.mark.parametrize("written", ["NULL", "''"])
def test_a_state_that_is_empty_is_drawn(written: str) -> None:
    built(with_status(written))


def test_a_row_may_refer_to_one_of_its_own_kind() -> None:
    one = derived(
        tables(
            "CREATE TABLE employees (id integer PRIMARY KEY, name text NOT NULL, manager_id integer REFERENCES employees (id));"
            "INSERT INTO employees VALUES (10, 'Ada', NULL), (20, 'Bo', 10), (30, 'Cy', 10);"
        )
    )
    assert [row.get("manager_id") for row in seeded(one, "employee")] == [None, 1, 1]


def test_a_row_may_refer_to_a_later_one_and_tables_to_each_other() -> None:
    one = derived(
        tables(
            "CREATE TABLE teams (id integer PRIMARY KEY, name text NOT NULL, lead_id integer REFERENCES employees (id));"
            "CREATE TABLE employees (id integer PRIMARY KEY, name text NOT NULL, manager_id integer REFERENCES employees (id),"
            " team_id integer REFERENCES teams (id));"
            "INSERT INTO teams VALUES (5, 'Red', 30), (6, 'Blue', 10);"
            "INSERT INTO employees VALUES (10, 'Ada', 30, 6), (20, 'Bo', 10, 5), (30, 'Cy', NULL, 5);"
        )
    )
    env = episode(built(one))
    staff = [env.call_tool("get_employee", {"employee_id": k}).data for k in _ids(one, "employee", 3)]
    assert [e["manager_id"] for e in staff] == [staff[2]["id"], staff[0]["id"], None]
    teams = [env.call_tool("get_team", {"team_id": k}).data for k in _ids(one, "team", 2)]
    assert [t["lead_id"] for t in teams] == [staff[2]["id"], staff[0]["id"]]
    assert [e["team_id"] for e in staff] == [teams[1]["id"], teams[0]["id"], teams[0]["id"]]


def _ids(one: Derived, entity: str, count: int) -> list[int]:
    key = checked(one).schema.entities[entity].key
    return [int(key.make(k)) for k in range(1, count + 1)]


# many records


@pytest.fixture(scope="module")
def large() -> Evidence:
    """Customers and their orders: three in four are open, and half cost 10."""
    customers = ", ".join(f"({k}, 'Customer {k}', NULL, '2025-01-01', {k % 4 == 0})" for k in range(1, 501))
    orders = ", ".join(
        f"({k}, {k % 500 + 1}, {10 if k % 2 else 20 + k % 100}, '{'paid' if k % 4 == 0 else 'open'}', '2025-05-01 09:00:00', NULL)"
        for k in range(1, 2_001)
    )
    return tables(f"{SCHEMA}INSERT INTO customers VALUES {customers};INSERT INTO orders VALUES {orders};")


def test_every_record_is_in_the_world(large: Evidence) -> None:
    one = derived(large)
    world = built(one)
    assert [checked(one).schema.entities[name].rows for name in ("customer", "order")] == [500, 2_000]
    env = episode(world)
    key = checked(one).schema.entities
    last = env.call_tool("get_order", {"order_id": int(key["order"].key.make(2_000))}).data
    assert (last["total"], last["status"], last["customer_id"]) == (20, "paid", int(key["customer"].key.make(1)))
    assert not one.notes


def test_beyond_a_bound_small_tables_stay_whole_and_references_are_kept(large: Evidence) -> None:
    found = seed_rows(derived(large).part.entities, large, most=1_000)
    assert {name: len(rows) for name, rows in found.rows.items()} == {"customer": 500, "order": 500}
    assert found.whole == {"customer"}
    assert [note.says for note in found.notes] == [
        "500 of the 2,000 records of order are kept: a world holds 1,000 in all"
    ]
    assert all(row["customer_id"] is not None for row in found.rows["order"])


def test_no_record_is_kept_without_the_one_that_it_has_to_refer_to(large: Evidence) -> None:
    found = seed_rows(derived(large).part.entities, large, most=300)
    assert {name: len(rows) for name, rows in found.rows.items()} == {"customer": 150, "order": 150}
    assert {row["customer_id"] for row in found.rows["order"]} <= set(range(1, 151))


def test_rows_that_are_made_beside_them_are_drawn_alike(large: Evidence) -> None:
    """The records are said to be a sample, so that more are made."""
    some = replace(large, resources=tuple(replace(t, origin="schema") for t in large.resources))
    one = derived(replace(some, rows=tuple(replace(r, rows=r.rows[:40], total=40) for r in large.rows)))
    spec = checked(one).blueprint.entities["order"].fields["total"]
    assert not isinstance(spec, str)
    assert spec.draw is not None
    picked = [float(v) for v in spec.draw.removeprefix("pick(").removesuffix(")").split(",")]
    assert (picked.count(10), len(picked)) == (10, 20)
    assert min(picked) == 10
    assert max(picked) <= 60


def test_what_rows_repeat_of_others_is_not_drawn_as_it_was_spread() -> None:
    sql = (
        "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL);"
        "CREATE TABLE orders (id INT PRIMARY KEY, customer_id INT NOT NULL REFERENCES customers(id), "
        "customer_name VARCHAR(40), channel VARCHAR(40));"
        "INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo');"
    )
    rows = ", ".join(
        f"({k}, {k % 2 + 1}, '{'Bo' if k % 2 else 'Ada'}', '{'by phone' if k % 3 else 'in person'}')"
        for k in range(1, 31)
    )
    given = tables(f"{sql}INSERT INTO orders VALUES {rows};")
    some = replace(given, resources=tuple(replace(t, origin="schema") for t in given.resources))
    fields = checked(derived(some)).blueprint.entities["order"].fields
    draws = {name: spec.draw or "" for name, spec in fields.items() if not isinstance(spec, str)}
    assert draws["customer_name"] == "customer_id.name"
    assert draws["channel"].count("'by phone'") > draws["channel"].count("'in person'") > 0


# a contract over exported records

SCHEMAS: dict[str, dict[str, Any]] = {
    "Supplier": {"id": WHOLE, "name": TEXT, "country": TEXT},
    "Invoice": {
        "id": WHOLE, "supplier_id": WHOLE, "amount": NUMBER, "due_date": DAY, "status": words("draft", "sent", "paid"),
        "memo": TEXT,
    },
}  # fmt: skip
OPERATIONS = (
    Op("listSuppliers", "GET", "/suppliers", gives="[Supplier]"),
    Op("getSupplier", "GET", "/suppliers/{supplierId}", gives="Supplier"),
    Op("listInvoices", "GET", "/invoices", gives="[Invoice]", query=("status", "supplier_id")),
    Op("getInvoice", "GET", "/invoices/{invoiceId}", gives="Invoice"),
    Op(
        "createInvoice",
        "POST",
        "/invoices",
        ("supplier_id", "amount", "due_date", "memo"),
        ("supplier_id", "amount"),
        "Invoice",
    ),
)
SUPPLIERS = "id,name,country\n07,Kern AG,DE\nS-2,Blue Ltd,GB\n31,Onda SL,ES\n"
INVOICES = """id,supplier_id,amount,due_date,status,memo
1,31,10.50,2024-01-31,paid,first
2,S-2,20,2024-02-29,sent,
3,99,30,2024-02-01,draft,none of ours
"""


def test_csv_rows_are_rows_of_the_contract() -> None:
    api = Input("openapi", "api.json", (Upload("api.json", document("Ledger", SCHEMAS, OPERATIONS)),))
    files = (Upload("suppliers.csv", SUPPLIERS.encode()), Upload("invoices.csv", INVOICES.encode()))
    one = derived(merge_reads(read_inputs([api, Input("data", "exports", files)])).evidence)
    env = episode(built(one))
    invoices = [env.call_tool("getInvoice", {"invoiceId": 1020001 + k}).data for k in range(3)]
    assert [(i["amount"], i["status"]) for i in invoices] == [(10.5, "paid"), (20, "sent"), (30, "draft")]
    assert [i["due_date"] for i in invoices] == ["2025-05-16", "2025-06-14", "2025-05-17"]
    names = [env.call_tool("getSupplier", {"supplierId": i["supplier_id"]}).data["name"] for i in invoices]
    assert names[:2] == ["Onda SL", "Blue Ltd"]
    assert names[2], "a key of nobody is drawn like any other"


# whatever stands there

values = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(), st.text(max_size=8),
    st.sampled_from(["NaN", "inf", "2024-02-30", "2024-02-29", "0000-00-00", "9999-12-31", "1e400",
                     "7", "", "paid", "none", "null", "\x00", "a\nb", "08"]),
)  # fmt: skip
COLUMNS = ("id", "owner_id", "amount", "born_on", "seen_at", "status", "flag", "number", "name")
KINDS = {
    "id": Shape("integer"), "owner_id": Shape("integer"), "amount": Shape("number"), "born_on": Shape("string", format="date"),
    "seen_at": Shape("string", format="date-time"), "status": Shape("string", enum=("open", "paid")), "flag": Shape("boolean"),
    "number": Shape("integer"), "name": Shape("string"),
}  # fmt: skip


def odd(rows: list[tuple[Any, ...]], required: bool) -> Evidence:
    resources = (
        Resource(
            "owners",
            (Field("id", Shape("integer"), True, True), Field("name", Shape("string"))),
            ("id",),
            origin="table",
        ),
        Resource(
            "tickets",
            tuple(
                Field(n, KINDS[n], required, n == "id", refers_to="owners" if n == "owner_id" else "") for n in COLUMNS
            ),
            ("id",),
            origin="table",
        ),
    )
    return Evidence("Odd", resources=resources, rows=(Rows("tickets", COLUMNS, tuple(rows), len(rows)),))


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@given(st.lists(st.tuples(*[values] * len(COLUMNS)), max_size=4), st.booleans())
def test_whatever_stands_in_a_record_the_blueprint_checks(rows: list[tuple[Any, ...]], required: bool) -> None:
    for one in derive(odd(rows, required)):
        load_text(one.blueprint, "odd.yaml")


def test_keys_are_the_same_as_numbers_and_as_texts() -> None:
    plain = (None, None, None, "open", True, 3, "x")
    found = odd([(1, "7", *plain), (2, 8, *plain), (3, 7, *plain), (4, "08", *plain)], False)
    owners = Rows("owners", ("id", "name"), ((7, "Ada"), ("8", "Bo")), 2)
    (one,) = derive(replace(found, rows=(owners, *found.rows)))
    assert [row.get("owner_id") for row in seeded(one, "ticket")] == [1, 2, 1, None]


def test_a_number_that_is_none_is_left_out() -> None:
    (one,) = derive(odd([(1, None, "NaN", None, None, "open", True, 3, "x")], False))
    assert "amount" not in seeded(one, "ticket")[0]


def test_objects_in_records_are_kept() -> None:
    text = '[{"id": 1, "address": {"city": "Bonn", "geo": {"zone": 4}}}, {"id": 2, "address": {"city": "Kiel"}}]'
    (found,) = derive(read_data([Upload("shops.json", text.encode())]), "shops")
    shop = load_text(found.blueprint).schema.entities["shop"]
    assert {"address_city", "address_geo_zone"} <= set(shop.columns)
    assert shop.seeds[0]["address_city"] == "Bonn"
    taken = found.contract.tools["create_shop"].input_schema["properties"]["address"]
    assert taken["properties"]["geo"] == {"type": "object", "properties": {"zone": {"type": "integer"}}}


def test_given_records_are_kept_whole() -> None:
    rows = ",".join(f"({k}, 'Street {k}', {k % 7})" for k in range(1, 901))
    sql = f"CREATE TABLE stop (id INT PRIMARY KEY, name VARCHAR(40), zone INT); INSERT INTO stop (id, name, zone) VALUES {rows};"
    one = derived(tables(sql))
    world = checked(one)
    assert world.schema.entities["stop"].rows == 900
    assert world.schema.entities["stop"].seeds[899]["name"] == "Street 900"
    assert any("all records that came with it" in r.why for r in one.reasons)
