"""Rows of a drafted world that agree: dates in order, names and currencies of what is referred to, counts and ids."""

from __future__ import annotations

from typing import Any

from tests.anchor.model.services import DAY, MOMENT, NUMBER, TEXT, WHOLE, Op, checked, derived, evidence, tables

from worldwright.anchor.model.derive import Derived
from worldwright.assay.values import check_values, read_rows
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compiled_world import CompiledWorld

ID = {"type": "integer"}
SCHEMAS: dict[str, dict[str, Any]] = {
    "Customer": {"id": ID, "name": TEXT, "birth_date": DAY, "created_at": MOMENT},
    "Order": {
        "id": ID, "customer_id": WHOLE, "customer_name": TEXT, "currency": TEXT, "comments_count": WHOLE,
        "created_at": MOMENT, "updated_at": MOMENT, "closed_at": MOMENT, "start_date": DAY, "end_date": DAY, "due_date": DAY,
        "lines": {"type": "array", "items": {"type": "object", "properties": {
            "sku": TEXT, "product_id": TEXT, "currency": TEXT, "amount": NUMBER}}},
    },
    "Comment": {"id": ID, "order_id": WHOLE, "text": TEXT, "created_at": MOMENT},
    "Product": {"id": TEXT, "name": TEXT, "country": TEXT, "city": TEXT},
}  # fmt: skip
OPERATIONS = [
    *(Op(f"list{n}s", "GET", f"/{n.lower()}s", gives=f"[{n}]") for n in SCHEMAS),
    Op("createCustomer", "POST", "/customers", ("name", "birth_date"), ("name",), "Customer"),
    Op(
        "createOrder",
        "POST",
        "/orders",
        ("customer_id", "currency", "start_date", "end_date"),
        ("customer_id",),
        "Order",
    ),
    Op("createComment", "POST", "/comments", ("order_id", "text"), ("order_id",), "Comment"),
    Op("createProduct", "POST", "/products", ("name",), ("name",), "Product"),
]


def rows_of(one: Derived, seed: int = 7) -> dict[str, list[dict[str, Any]]]:
    compiled = CompiledWorld(checked(one))
    return read_rows(compiled, grow_state(compiled, seed).data)


def shop() -> dict[str, list[dict[str, Any]]]:
    return rows_of(derived(evidence("Shop", SCHEMAS, OPERATIONS)))


def in_order(rows: list[dict[str, Any]], first: str, second: str, few: int = 5) -> None:
    both = [(r[first][:10], r[second][:10]) for r in rows if r[first] and r[second]]
    assert len(both) >= few
    assert all(a <= b for a, b in both)


def test_dates_of_a_record_follow_each_other() -> None:
    orders = shop()["order"]
    for first, second in (
        ("created_at", "updated_at"), ("updated_at", "closed_at"), ("created_at", "closed_at"), ("start_date", "end_date"),
        ("created_at", "due_date"),
    ):  # fmt: skip
        in_order(orders, first, second)
    for done in ("created_at", "updated_at", "closed_at"):
        assert all(r[done] <= "2025-06-16T09:00:00Z" for r in orders if r[done])


def test_nothing_is_said_before_what_it_is_about_was_there_and_customers_are_adults() -> None:
    rows = shop()
    made = {r["id"]: r["created_at"] for r in rows["order"]}
    both = [(made[c["order_id"]], c["created_at"]) for c in rows["comment"] if c["created_at"]]
    assert len(both) > 20
    assert all(a <= b for a, b in both if a)
    assert all(r["birth_date"] < "2007-06-16" for r in rows["customer"] if r["birth_date"])


def test_what_a_record_repeats_of_another_is_what_the_other_says() -> None:
    rows = shop()
    names = {r["id"]: r["name"] for r in rows["customer"]}
    assert all(r["customer_name"] == names[r["customer_id"]] for r in rows["order"])
    counted = {o["id"]: sum(c["order_id"] == o["id"] for c in rows["comment"]) for o in rows["order"]}
    assert any(counted.values())
    assert all(r["comments_count"] == counted[r["id"]] for r in rows["order"])
    currencies = {r["id"]: r["currency"] for r in rows["order"]}
    lines = rows["order_line"]
    assert all(line["currency"] == currencies[line["order"]] for line in lines if currencies[line["order"]])
    products = {r["id"] for r in rows["product_record"]}
    assert all(line["product_id"] in products for line in lines if line["product_id"])


def test_an_independent_check_finds_nothing_to_say() -> None:
    one = derived(evidence("Shop", SCHEMAS, OPERATIONS))
    compiled = CompiledWorld(checked(one))
    report = check_values(compiled.blueprint.schema, read_rows(compiled, grow_state(compiled, 7).data))
    assert report.texts > 5
    assert report.date_pairs >= 4
    assert report.findings == ()


def test_a_state_says_when_something_is_over_and_no_date_contradicts_it() -> None:
    sql = """
    CREATE TABLE ticket (id INT PRIMARY KEY, title VARCHAR(80), status ENUM('open','closed') NOT NULL,
                         created_at DATETIME, closed_at DATETIME);
    """
    rows = rows_of(derived(tables(sql)))["ticket"]
    assert not [r for r in rows if r["closed_at"] and r["status"] == "open"]


def test_given_records_that_contradict_themselves_are_put_in_order() -> None:
    sql = """
    CREATE TABLE visit (id INT PRIMARY KEY, city VARCHAR(40), created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL,
                        start_date DATE, end_date DATE);
    INSERT INTO visit (id, city, created_at, updated_at, start_date, end_date) VALUES
      (1, 'Leeds', '2025-05-02 10:00:00', '2025-05-01 10:00:00', '2025-05-05', '2025-05-03'),
      (2, 'York', '2025-05-03 10:00:00', '2025-05-04 10:00:00', '2025-05-05', '2025-05-08');
    """
    first, second = rows_of(derived(tables(sql)))["visit"][:2]
    assert (second["updated_at"], second["end_date"]) == ("2025-05-04T10:00:00Z", "2025-05-08"), "as they were given"
    assert first["updated_at"] >= first["created_at"]
    assert first["end_date"] is None


def test_keys_that_have_to_differ_are_drawn_from_enough() -> None:
    sql = """
    CREATE TABLE tariff (id INT PRIMARY KEY, code CHAR(3) NOT NULL UNIQUE, status VARCHAR(20) NOT NULL UNIQUE,
                         name VARCHAR(60) NOT NULL UNIQUE);
    """
    rows = rows_of(derived(tables(sql)))["tariff"]
    for field in ("code", "status", "name"):
        assert len({r[field] for r in rows}) == len(rows)
