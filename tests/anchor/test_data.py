"""Files of records: what each column is, how tables hang together, and what survives of files that are odd or damaged."""

from __future__ import annotations

import builtins
import importlib
import io
import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.anchor.evidence import Evidence, Field, Resource, Source, States
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.data import read
from worldwright.blueprint.given import MAX_GIVEN_ROWS
from worldwright.formats.encodings import decode_text

CUSTOMERS = """id,name,email,phone,vip,joined
1,Anna Schmidt,anna@shop.example,+49 30 123456,yes,2024-01-31
2,"Vogel, Bert",bert@shop.example,+49 30 998877,no,2024-02-28
3,Carl Meier,carl@shop.example,,no,2024-03-01
"""
ORDERS = """order_no,customer_id,status,total,currency,placed_at,zip
A-1,1,open,12.50,EUR,2024-01-05 10:00:00,01234
A-2,1,paid,3.00,EUR,2024-01-06 11:00:00,01234
A-3,2,open,9.99,USD,2024-01-07 12:30:00,99999
A-4,3,open,,USD,2024-01-07 12:30:00,99999
"""


def of(**files: str | bytes) -> Evidence:
    """What is read of files; a name such as `orders_csv` stands for `orders.csv`."""
    return read([
        Upload(name[::-1].replace("_", ".", 1)[::-1], d if isinstance(d, bytes) else d.encode()) for name, d in files.items()
    ])  # fmt: skip


def resource(evidence: Evidence, name: str) -> Resource:
    return next(t for t in evidence.resources if t.name == name)


def fields(evidence: Evidence, name: str) -> dict[str, Field]:
    return {f.name: f for f in resource(evidence, name).fields}


def kinds(text: str, ending: str = "csv") -> dict[str, tuple[str, str]]:
    found = of(**{f"t_{ending}": text})
    return {n: (f.shape.kind, f.shape.format) for n, f in fields(found, "t").items()}


def rows(evidence: Evidence, name: str) -> list[dict[str, Any]]:
    (found,) = [r for r in evidence.rows if r.resource == name]
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def said(evidence: Evidence, level: str) -> str:
    return "\n".join(n.says for n in evidence.notes if n.level == level)


def test_two_files_that_hang_together() -> None:
    found = of(customers_csv=CUSTOMERS, orders_csv=ORDERS)
    customers, orders = fields(found, "customers"), fields(found, "orders")
    assert [(t.name, t.key, t.origin) for t in found.resources] == [
        ("customers", ("id",), "data"),
        ("orders", ("order_no",), "data"),
    ]
    assert {n: (f.shape.kind, f.shape.format) for n, f in customers.items()} == {
        "id": ("integer", ""), "name": ("string", ""), "email": ("string", "email"), "phone": ("string", "phone"),
        "vip": ("boolean", ""), "joined": ("string", "date"),
    }  # fmt: skip
    assert (orders["total"].shape.kind, orders["total"].shape.format, orders["total"].shape.places) == (
        "number",
        "decimal",
        2,
    )
    assert [orders[n].shape.format for n in ("currency", "placed_at")] == ["currency", "date-time"]
    assert {n for n, f in customers.items() if f.required} == {"id", "name", "email", "vip", "joined"}
    assert {n for n, f in orders.items() if not f.required} == {"total"}
    assert {n for n, f in customers.items() if f.unique} == {"id", "email"}
    assert (orders["customer_id"].refers_to, orders["customer_id"].refers_by) == ("customers", "")
    assert [n for n, f in orders.items() if f.refers_to] == ["customer_id"]
    assert orders["status"].shape.enum == ("open", "paid")
    assert found.states == (States("orders", "status", ("open", "paid"), source=Source("orders.csv")),)
    assert orders["zip"].shape.kind == "string"
    assert "status" in said(found, "warning")
    assert "guess" in said(found, "warning")
    assert rows(found, "orders")[0] == {
        "order_no": "A-1", "customer_id": 1, "status": "open", "total": 12.5, "currency": "EUR",
        "placed_at": "2024-01-05T10:00:00", "zip": "01234",
    }  # fmt: skip
    assert rows(found, "customers")[1]["name"] == "Vogel, Bert"
    assert customers["email"].source == Source("customers.csv", "1-1")
    assert not said(found, "error")


FORMS: dict[str, str | bytes] = {
    "semicolons": CUSTOMERS.replace('"Vogel, Bert"', "Vogel. Bert")
    .replace(",", ";")
    .replace("Vogel. Bert", '"Vogel; Bert"'),
    "tabs": CUSTOMERS.replace('"Vogel, Bert"', "Vogel. Bert").replace(",", "\t"),
    "bars": CUSTOMERS.replace('"Vogel, Bert"', "Vogel. Bert").replace(",", "|"),
    "spaces after commas": CUSTOMERS.replace(",", ", ").replace('"Vogel, ', '"Vogel,'),
    "Windows": CUSTOMERS.replace("\n", "\r\n"),
    "old Mac": CUSTOMERS.replace("\n", "\r"),
    "a mark": "\ufeff" + CUSTOMERS,
    "UTF-16": CUSTOMERS.encode("utf-16"),
    "a separator line": "sep=;\n" + CUSTOMERS.replace('"Vogel, Bert"', "Vogel").replace(",", ";"),
    "lines above": "Customers of the shop\nas of today\n\n" + CUSTOMERS,
    "empty lines": CUSTOMERS.replace("\n", "\n\n"),
    "commas at the end": CUSTOMERS.replace("\n", ",\n").replace("joined,", "joined", 1),
    "a line break in a value": CUSTOMERS.replace("Vogel, Bert", "Vogel,\nBert"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_text_files(form: str) -> None:
    found = of(customers_csv=FORMS[form])
    got = fields(found, "customers")
    assert list(got) == ["id", "name", "email", "phone", "vip", "joined"], form
    assert (got["id"].key, got["email"].shape.format, got["joined"].shape.format) == (True, "email", "date")
    assert [r["id"] for r in rows(found, "customers")] == [1, 2, 3]
    assert found.rows[0].total == 3


def test_encodings_of_other_times() -> None:
    assert rows(of(t_csv="id,name\n1,Müller\n2,Größe\n".encode("cp1252")), "t")[1]["name"] == "Größe"
    for western in ("é", "café", "Señor Muñoz pagó 5 €", "ÄÖÜ", "Åse Øl æble"):
        assert decode_text(western.encode("cp1252")) == (western, "cp1252")
    for text, encoding in (
        ("受注を承認する", "cp932"),
        ("ユーザーは注文をキャンセルできる。", "euc-jp"),
        ("订单必须在七天内审批。", "gb18030"),
    ):
        assert decode_text(text.encode(encoding)) == (text, encoding)
    japanese = "番号,名前\n1,田中太郎\n2,佐藤花子\n".encode("cp932")
    assert rows(of(t_csv=japanese), "t") == [{"番号": 1, "名前": "田中太郎"}, {"番号": 2, "名前": "佐藤花子"}]


COLUMNS: list[tuple[str, list[str], str, str, Any]] = [
    ("n", ["1", "-2", "30"], "integer", "", 1),
    ("n", ["007", "010"], "string", "", "007"),
    ("n", ["12345678901234567890", "2"], "string", "", "12345678901234567890"),
    ("n", ["1.50", "22.05"], "number", "decimal", 1.5),
    ("n", ["1.5", "22"], "number", "decimal", 1.5),
    ("n", ["1,234.50", "2.00", "1,000,000.00"], "number", "decimal", 1234.5),
    ("n", ["1.234,50", "2,00"], "number", "decimal", 1234.5),
    ("n", ["1 234,50", "2,00"], "number", "decimal", 1234.5),
    ("n", ["1,234", "2,345"], "integer", "", 1234),
    ("n", ["$1,234.50", "$2.00"], "number", "decimal", 1234.5),
    ("n", ["12,50 €", "3,00 €"], "number", "decimal", 12.5),
    ("n", ["EUR 12.50", "EUR 3.00"], "number", "decimal", 12.5),
    ("n", ["1e5", "2.5e-3"], "number", "", 1e5),
    ("n", ["3", "N/A", "", "NULL"], "integer", "", 3),
    ("n", ["3", "-", "NA"], "integer", "", 3),
    ("country", ["NA", "DE"], "string", "", "NA"),
    ("b", ["TRUE", "False"], "boolean", "", True),
    ("b", ["y", "n", "n"], "boolean", "", True),
    ("b", ["n", "n"], "string", "", "n"),
    ("d", ["2024-01-31"], "string", "date", "2024-01-31"),
    ("d", ["31.01.2024", "01.02.2024"], "string", "date", "2024-01-31"),
    ("d", ["01/31/2024", "02/01/2024"], "string", "date", "2024-01-31"),
    ("d", ["31/01/2024", "01/02/2024"], "string", "date", "2024-01-31"),
    ("d", ["2024/01/31"], "string", "date", "2024-01-31"),
    ("d", ["31 Jan 2024"], "string", "date", "2024-01-31"),
    ("d", ["Jan 31, 2024"], "string", "date", "2024-01-31"),
    ("d", ["2024-02-31"], "string", "", "2024-02-31"),
    ("d", ["2024-01-31T09:05:00Z"], "string", "date-time", "2024-01-31T09:05:00Z"),
    ("d", ["2024-01-31 09:05:00.250+0200"], "string", "date-time", "2024-01-31T09:05:00.250+02:00"),
    ("d", ["31.01.2024 9:05"], "string", "date-time", "2024-01-31T09:05:00"),
    ("d", ["1/31/2024 9:05 PM"], "string", "date-time", "2024-01-31T21:05:00"),
    ("t", ["9:05", "23:59"], "string", "time", "09:05:00"),
    ("t", ["9:05", "25:59"], "string", "", "9:05"),
    ("u", ["123e4567-e89b-12d3-a456-426614174000"], "string", "uuid", "123e4567-e89b-12d3-a456-426614174000"),
    ("m", ["a.b+c@x.example"], "string", "email", "a.b+c@x.example"),
    ("m", ["a@b"], "string", "", "a@b"),
    ("p", ["+49 (30) 123-456"], "string", "phone", "+49 (30) 123-456"),
    ("mobile", ["015112345678"], "string", "phone", "015112345678"),
    ("mobile", ["15112345678"], "string", "phone", "15112345678"),
    ("zip", ["10115", "20095"], "string", "", "10115"),
    ("w", ["https://x.example/a?b=c"], "string", "uri", "https://x.example/a?b=c"),
    ("c", ["EUR", "USD"], "string", "currency", "EUR"),
    ("c", ["ABC", "USD"], "string", "", "ABC"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "kind", "form", "first"), COLUMNS)
def test_kinds_of_values(name: str, values: list[str], kind: str, form: str, first: Any) -> None:
    text = f"key\t{name}\n" + "".join(f"k{i}\t{v}\n" for i, v in enumerate(values))
    found = of(t_tsv=text)
    shape = fields(found, "t")[name].shape
    assert (shape.kind, shape.format) == (kind, form)
    assert rows(found, "t")[0][name] == first
    assert type(rows(found, "t")[0][name]) is type(first)


def test_a_date_that_can_be_read_two_ways_is_told() -> None:
    assert "month first" in said(of(t_csv="id,d\n1,01/02/2024\n2,03/04/2024\n"), "warning")
    assert "month first" not in said(of(t_csv="id,d\n1,01/02/2024\n2,03/24/2024\n"), "warning")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("id,name\n1,Pen\n2,Ink\n", ["id", "name"]),
        ("1,Pen\n2,Ink\n3,Paper\n", ["column_1", "column_2"]),
        ("name,colour\nPen,blue\nInk,blue\nPaper,white\n", ["name", "colour"]),
        ("Pen,blue\nInk,blue\nPen,white\n", ["column_1", "column_2"]),
        (",name,name\n0,a,b\n1,c,d\n", ["column_1", "name", "name_2"]),
        ("Order No., Total (EUR) \n7,1.5\n", ["Order No.", "Total (EUR)"]),
        ("id,name\n", ["id", "name"]),
        ("word\nalpha\nbeta\n", ["word"]),
    ],
)
def test_names_of_columns(text: str, names: list[str]) -> None:
    assert list(fields(of(t_csv=text), "t")) == names


def test_ragged_rows_are_told_and_kept() -> None:
    found = of(t_csv="id,a,b\n1,x,y\n2,x\n3,x,y,z\n4,x,y,\n")
    assert [list(r.values()) for r in rows(found, "t")] == [[1, "x", "y"], [2, "x", None], [3, "x", "y"], [4, "x", "y"]]
    assert "1 rows of `t` have fewer values" in said(found, "warning")
    assert "1 rows of `t` have values beyond" in said(found, "warning")


def test_a_quotation_that_is_never_closed_loses_nothing() -> None:
    text = "id,size\n" + "".join(f'{i},"{i} inch\n' if i == 3 else f"{i},{i} cm\n" for i in range(1, 5_001))
    found = of(t_csv=text)
    assert found.rows[0].total == 5_000
    assert "never closed" in said(found, "warning")


def test_keys() -> None:
    def key(name: str, text: str) -> tuple[str, ...]:
        return of(**{f"{name}_csv": text}).resources[0].key

    assert key("products", "sku,name\nA,Pen\nB,Ink\n") == ("sku",)
    assert key("products", "name,product_id,code\nPen,1,X\nInk,2,Y\n") == ("product_id",)
    assert key("products", "productId,id\n1,7\n2,8\n") == ("id",)
    assert key("products", "id,code\n1,A\n1,B\n") == ("code",)
    assert key("products", "id,code\n,A\n2,B\n") == ("code",)
    assert key("lines", "order_id,line,qty\n1,1,5\n1,2,5\n2,1,5\n2,2,5\n") == ("order_id", "line")
    assert key("readings", "value\n1.5\n2.5\n") == ()
    guessed = of(words_csv="word,meaning\nalpha,a\nbeta,a\n")
    assert guessed.resources[0].key == ("word",)
    assert "named like a key" in said(guessed, "warning")


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("customer_id", "123", ("customers", "")),
        ("customerId", "123", ("customers", "")),
        ("CUSTOMER_ID", "123", ("customers", "")),
        ("customer", "123", ("customers", "")),
        ("billing_customer_id", "123", ("customers", "")),
        ("cust_id", "123", ("", "")),
        ("product_id", "123", ("", "")),
        ("quantity", "123", ("", "")),
        ("customer_id", "189", ("", "")),
        ("customer_email", ["anna@shop.example", "bert@shop.example", "bert@shop.example"], ("customers", "email")),
    ],
)
def test_references_need_the_values_and_the_name(column: str, values: Any, expected: tuple[str, str]) -> None:
    text = f"order_no,{column}\n" + "".join(f"A-{i},{v}\n" for i, v in enumerate(values))
    got = fields(of(customers_csv=CUSTOMERS, orders_csv=text), "orders")[column]
    assert (got.refers_to, got.refers_by) == expected


def test_one_value_in_twenty_may_be_missing_and_half_of_them_is_told() -> None:
    def orders(wrong: int) -> Evidence:
        keys = [f"c{i}" for i in range(100)]
        text = "id,customer_id\n" + "".join(f"{i},{'x' + k if i < wrong else k}\n" for i, k in enumerate(keys))
        return of(customers_csv="id,name\n" + "".join(f"{k},n\n" for k in keys), orders_csv=text)

    assert fields(orders(5), "orders")["customer_id"].refers_to == "customers"
    assert fields(orders(6), "orders")["customer_id"].refers_to == ""
    assert "94%" in said(orders(6), "warning")


def test_a_record_can_refer_to_another_of_its_kind() -> None:
    got = fields(of(employees_csv="id,manager_id,grade\n1,,1\n2,1,1\n3,1,2\n"), "employees")
    assert (got["manager_id"].refers_to, got["grade"].refers_to) == ("employees", "")


def test_a_few_values_that_come_again_are_words_and_others_are_not() -> None:
    head = "id,level,city,comment,uniq\n"
    text = head + "".join(f"{i},{'low' if i % 3 else 'high'},Rome,comment number {i},{'x' * i}\n" for i in range(1, 31))
    got = fields(of(t_csv=text), "t")
    assert got["level"].shape.enum == ("high", "low") or got["level"].shape.enum == ("low", "high")
    assert [n for n, f in got.items() if f.shape.enum] == ["level"]


def test_the_state_of_an_address_is_no_state() -> None:
    text = "id,city,state\n" + "".join(f"{i},Rome,{'NY' if i % 2 else 'CA'}\n" for i in range(20))
    assert not of(t_csv=text).states
    assert of(t_csv=text.replace("city", "owner")).states[0].states == ("CA", "NY")


def test_a_file_is_kept_whole_up_to_a_bound_and_counted_beyond() -> None:
    found = of(t_csv="id,v\n" + "".join(f"{i},{i % 7}\n" for i in range(MAX_GIVEN_ROWS + 300)))
    ids = [r["id"] for r in rows(found, "t")]
    assert found.rows[0].total == MAX_GIVEN_ROWS + 300
    assert ids == list(range(MAX_GIVEN_ROWS))
    assert fields(found, "t")["id"].key


def test_what_is_said_of_all_rows_holds_for_all_rows() -> None:
    text = "id,code,note\n" + "".join(f"{i},{i},x\n" for i in range(29_999)) + "29999,5,\n"
    got = fields(of(t_csv=text), "t")
    assert (got["id"].unique, got["code"].unique) == (True, False)
    assert (got["id"].required, got["note"].required) == (True, False)


@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_a_large_file_takes_seconds() -> None:
    line = "{},{},user{}@shop.example,open,12.50,2024-01-05 10:00:00,some words that fill the line\n"
    text = "id,customer_id,email,status,total,placed_at,note\n" + "".join(
        line.format(i, i % 999, i) for i in range(60_000)
    )
    found = of(orders_csv=text)
    assert found.rows[0].total == 60_000


NESTED = {
    "data": [
        {
            "id": "i1",
            "lines": [{"sku": "x", "qty": 2}, {"sku": "y", "qty": 1}],
            "address": {"city": "Rome", "zip": "00100"},
        },
        {"id": "i2", "lines": [{"sku": "x", "qty": 7, "notes": [{"text": "late"}]}], "address": {"city": "Oslo"}},
    ],
    "count": 2,
}


def test_lists_in_records_are_tables_that_refer_back() -> None:
    found = of(invoices_json=json.dumps(NESTED))
    assert [t.name for t in found.resources] == ["invoices", "lines", "notes"]
    invoice, line = fields(found, "invoices"), fields(found, "lines")
    assert list(invoice) == ["id", "address"]
    assert {n: f.required for n, f in invoice["address"].shape.fields.items()} == {"city": True, "zip": False}
    assert (line["invoice_id"].refers_to, line["invoice_id"].shape.kind) == ("invoices", "string")
    assert [(r["invoice_id"], r["sku"], r["qty"]) for r in rows(found, "lines")] == [
        ("i1", "x", 2),
        ("i1", "y", 1),
        ("i2", "x", 7),
    ]
    assert found.resources[0].source == Source("invoices.json", "/data")
    assert fields(found, "notes")[next(iter(fields(found, "notes")))].refers_to == "lines"
    assert [s.what for s in found.skipped] == ["count"]


JSONS: dict[str, tuple[Any, list[str], list[str]]] = {
    "a list": ([{"id": 1, "a": 2}, {"id": 2, "b": None}], ["t"], ["id", "a", "b"]),
    "an object of lists": ({"pens": [{"id": 1}], "inks": [{"id": 2}]}, ["pens", "inks"], ["id"]),
    "wrapped twice": ({"response": {"items": [{"id": 1}]}}, ["t"], ["id"]),
    "by key": ({"A1": {"a": 1, "b": 2}, "A2": {"a": 2, "b": 3}}, ["t"], ["id", "a", "b"]),
    "one record": ({"id": 1, "a": "x"}, ["t"], ["id", "a"]),
    "of a database": ([{"_id": {"$oid": "5f"}, "at": {"$date": "2024-01-31T00:00:00Z"}}], ["t"], ["_id", "at"]),
}


@pytest.mark.parametrize("form", JSONS)
def test_forms_of_json(form: str) -> None:
    document, resources, names = JSONS[form]
    found = of(t_json=json.dumps(document))
    assert [t.name for t in found.resources] == resources
    assert list(fields(found, resources[0])) == names
    assert not said(found, "error")


def test_json_lines_with_a_bad_one() -> None:
    found = of(t_jsonl='{"id": 1, "at": "2024-01-31"}\n{"id": \n{"id": 3, "at": "2024-02-01"}\n')
    assert [r["id"] for r in rows(found, "t")] == [1, 3]
    assert fields(found, "t")["at"].shape.format == "date"
    (note,) = [n for n in found.notes if "not JSON" in n.says]
    assert (note.level, note.source.at) == ("warning", "2-2")


def test_values_of_json_stay_what_they_are() -> None:
    found = of(
        t_json='[{"id": "1", "n": 1.25, "z": "0123", "ok": true, "x": 1}, {"id": "2", "n": 2, "z": "9", "ok": false, "x": "a"}]'
    )
    got = fields(found, "t")
    assert {n: f.shape.kind for n, f in got.items()} == {
        "id": "string",
        "n": "number",
        "z": "string",
        "ok": "boolean",
        "x": "any",
    }
    assert rows(found, "t")[0] == {"id": "1", "n": 1.25, "z": "0123", "ok": True, "x": 1}


def database(script: str) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(script)
    data = connection.serialize()
    connection.close()
    return data


SHOP = """
CREATE TABLE customers (customer_no TEXT PRIMARY KEY, name TEXT NOT NULL, vip BOOLEAN, photo BLOB);
CREATE TABLE orders (id INTEGER PRIMARY KEY, buyer TEXT REFERENCES customers(customer_no), code TEXT UNIQUE, paid_at DATETIME,
                     UNIQUE (buyer, paid_at));
CREATE TABLE "odd ""name" ("a b" INTEGER, empty DATE);
CREATE VIEW rich AS SELECT * FROM customers;
CREATE TRIGGER noisy AFTER INSERT ON orders BEGIN DELETE FROM customers; END;
INSERT INTO customers VALUES ('C1', 'Anna', 1, x'00ff'), ('C2', 'Bert', 0, NULL);
INSERT INTO orders (buyer, code, paid_at) VALUES ('C1', 'a', '2024-01-05 10:00:00');
INSERT INTO customers VALUES ('C1', 'Anna', 1, x'00ff'), ('C2', 'Bert', 0, NULL);
INSERT INTO "odd ""name" VALUES (1, NULL);
"""


def test_a_database_says_much_itself() -> None:
    found = of(shop_db=database(SHOP))
    assert [t.name for t in found.resources] == ["customers", "orders", 'odd "name']
    customers, orders = fields(found, "customers"), fields(found, "orders")
    assert resource(found, "customers").key == ("customer_no",)
    assert (orders["buyer"].refers_to, orders["buyer"].refers_by) == ("customers", "customer_no")
    assert resource(found, "orders").unique == (("buyer", "paid_at"),)
    assert orders["code"].unique
    assert orders["paid_at"].shape.format == "date-time"
    assert (customers["vip"].shape.kind, customers["photo"].shape.format) == ("boolean", "byte")
    assert fields(found, 'odd "name')["empty"].shape.format == "date"
    assert rows(found, "customers")[0] == {"customer_no": "C1", "name": "Anna", "vip": True, "photo": None}
    assert {s.what for s in found.skipped} == {"rich", "noisy"}
    assert not said(found, "error")


def test_a_database_that_was_written_with_a_log_is_read() -> None:
    data = database(SHOP)
    assert len(of(shop_db=data[:18] + b"\2\2" + data[20:]).resources) == 3


def test_nothing_in_a_database_runs() -> None:
    data = database("""
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT GENERATED ALWAYS AS (upper(a)) VIRTUAL);
        CREATE VIRTUAL TABLE search USING fts5(words);
        INSERT INTO t (a) VALUES ('x');
    """)
    found = of(shop_db=data)
    assert list(fields(found, "t")) == ["id", "a"]
    assert {s.what for s in found.skipped} >= {"search", "search_content"}


@pytest.mark.parametrize("at", [100, 1_000, 4_200, 9_000])
def test_a_damaged_database_is_an_error(at: int) -> None:
    data = bytearray(database(SHOP))
    data[at : at + 3_000] = b"\xfa" * 3_000
    found = of(shop_db=bytes(data[: max(at, 6_000)]))
    assert "error" in {n.level for n in found.notes}


def parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=1_000)
    return out.getvalue()


def test_parquet() -> None:
    n = 5_000
    table = pa.table({
        "id": pa.array(range(n)), "amount": pa.array([1.25] * n),
        "at": pa.array([1_700_000_000_000_000_001] * n, pa.timestamp("ns")),
        "day": pa.array([19_000] * n, pa.date32()), "who": pa.array([{"name": "Anna", "raw": b"x"}] * n),
        "level": pa.array(["low", "high"] * (n // 2)), "raw": pa.array([b"x"] * n), "none": pa.array([None] * n, pa.string()),
        "tags": pa.array([["a", "b"]] * n),
    })  # fmt: skip
    found = of(sales_parquet=parquet(table))
    got = fields(found, "sales")
    assert {n: (f.shape.kind, f.shape.format) for n, f in got.items()} == {
        "id": ("integer", ""), "amount": ("number", "decimal"), "at": ("string", "date-time"), "day": ("string", "date"),
        "who": ("object", ""), "tags": ("array", ""), "level": ("string", ""), "raw": ("string", "byte"), "none": ("any", ""),
    }  # fmt: skip
    assert (found.rows[0].total, len(found.rows[0].rows)) == (5_000, 5_000)
    assert got["id"].key
    assert got["level"].shape.enum == ("low", "high")
    assert json.dumps(found.rows[0].rows, allow_nan=False)


def test_parquet_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", without)
    assert "pip install 'worldwright[data]'" in said(of(t_parquet=b"PAR1...."), "error")


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("t_csv", b"", "empty"),
        ("t_csv", b"\n\n \n", "empty"),
        ("t_xlsx", b"PK\x03\x04....", "save each sheet as CSV"),
        ("t_gz", b"\x1f\x8b....", "unpack"),
        ("t_json", b"{", "not JSON"),
        ("t_json", b"[1, 2, 3]", "no records"),
        ("t_json", b"3", "no records"),
        ("t_dat", b"\x00\x01\x02\x03", "no table"),
        (
            "t_md",
            b"# Title\n\nThis is a text of several words in a row.\nAnd so is this one, with a comma.\n",
            "no table",
        ),
        ("t_parquet", b"PAR1" + bytes(100), "Parquet"),
        ("t_db", b"SQLite format 3\0" + bytes(100), "database"),
        ("t_db", b"SQLite format 3\0" + b"\xff" * 5_000, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_so(name: str, data: bytes, expected: str) -> None:
    found = of(**{name: data})
    assert not found.resources
    assert expected in said(found, "error")


def test_two_files_of_one_name_are_two_things() -> None:
    found = read(
        [
            Upload("a/items.json", b'[{"id": 1, "parts": [{"n": 1}]}]'),
            Upload("b/items.json", b'[{"id": 7, "parts": [{"n": 1}]}]'),
        ]
    )
    assert [t.name for t in found.resources] == ["items", "parts", "items_2", "parts_2"]
    assert fields(found, "parts_2")["item_id"].refers_to == "items_2"


LONG: dict[str, str] = {
    "quotes": '"' * 200_000,
    "one word": "a" * 300_000,
    "wide above narrow": ",".join(f"c{i}" for i in range(3_000)) + "\n" + "1\n" * 10_000,
    "two widths": "a,b\n" + "1,2\n" * 200 + "x\n" * 100_000,
    "keys": json.dumps([{f"k{i}": 1} for i in range(4_000)]),
    "brackets": "[" * 50_000,
    "braces": json.dumps({"a": "x" * 10}) + "\n" + "{" * 100_000,
    "digits": "id,v\n" + "1," + "9" * 100_000 + "\n2," + "-" * 100_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=list(LONG))
@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_no_text_takes_forever(text: str) -> None:
    of(t_csv=text)


GOOD: dict[str, Callable[[], bytes]] = {
    "t.csv": lambda: ORDERS.encode(),
    "t.json": lambda: json.dumps(NESTED).encode(),
    "t.db": lambda: database(SHOP),
    "t.parquet": lambda: parquet(pa.table({"id": [1, 2, 3], "name": ["a", "b", None]})),
}
MADE: dict[str, bytes] = {name: make() for name, make in GOOD.items()}


@settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_bytes_are_survived_and_read_the_same_twice(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(MADE)))
    good = MADE[name]
    kind = data.draw(st.sampled_from(["bytes", "text", "cut", "hole", "swap", "change"]))
    if kind == "bytes":
        given_bytes = data.draw(st.sampled_from([b"", b"PAR1", b"SQLite format 3\0"])) + data.draw(
            st.binary(max_size=300)
        )
    elif kind == "text":
        given_bytes = data.draw(st.text(alphabet=st.sampled_from('ab1,;"\t\n\r{}[]:.-/ é\0'), max_size=200)).encode()
    else:
        a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(good))] * 2)))
        patch = data.draw(st.binary(max_size=8))
        given_bytes = {
            "cut": good[:a], "hole": good[:a] + good[b:], "swap": good[b:] + good[a:b] + good[:a],
            "change": good[:a] + patch + good[a + len(patch) :],
        }[kind]  # fmt: skip
    first = read([Upload(name, given_bytes)])
    assert first == read([Upload(name, given_bytes)])
    assert first.resources or first.notes
    json.dumps([r.rows for r in first.rows], allow_nan=False)
    for found in first.rows:
        assert {t.name: tuple(f.name for f in t.fields) for t in first.resources}[found.resource] == found.columns
        assert len(found.rows) <= min(found.total, MAX_GIVEN_ROWS)


def test_nothing_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError(f"opened {args}")

    monkeypatch.setattr(builtins, "open", refuse)
    monkeypatch.setattr(io, "open", refuse)
    assert len(of(customers_csv=CUSTOMERS, shop_db=MADE["t.db"], t_parquet=MADE["t.parquet"]).resources) == 5
