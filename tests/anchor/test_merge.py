"""Several inputs as one: what is the same is one thing, what contradicts is settled, and every choice is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.anchor.anchors import DEPOT, TOOLS, given

from worldwright.anchor.evidence import Claim, Evidence, Field, Operation, Resource, Rows, Shape, Source, States
from worldwright.anchor.intake.dispatch import Input, ReadInput, read_inputs
from worldwright.anchor.merge import Decision, Merged, merge_reads


def together(*inputs: Input) -> Merged:
    return merge_reads(read_inputs(inputs))


def fields(found: Merged, resource: str) -> dict[str, Field]:
    (one,) = [t for t in found.evidence.resources if t.name == resource]
    assert len({f.name for f in one.fields}) == len(one.fields)
    return {f.name: f for f in one.fields}


def about(found: Merged, what: str) -> Decision:
    (decision,) = [d for d in found.decisions if d.about == what]
    return decision


def sql(*statements: str, name: str = "schema.sql") -> Input:
    return given("sql", {name: "\n".join(statements)}, "the schema")


def api(paths: dict[str, Any], **schemas: Any) -> Input:
    document = {"openapi": "3.0.0", "info": {"title": "T"}, "paths": paths, "components": {"schemas": schemas}}
    return given("openapi", {"api.json": json.dumps(document)}, "the API")


def operation(name: str, answers: str = "") -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{answers}"}
    shown = {"description": "ok"} | ({"content": {"application/json": {"schema": schema}}} if answers else {})
    return {"operationId": name, "responses": {"200": shown}}


def record(*names: str, **types: str) -> dict[str, Any]:
    return {"type": "object", "properties": {n: {"type": types.get(n, "string")} for n in (*names, *types)}}


def tools(*found: tuple[str, dict[str, str], str], **outputs: Any) -> Input:
    listed = [
        {
            "name": name,
            "inputSchema": {
                "type": "object",
                "properties": {n: {"type": t} for n, t in inputs.items()},
                "required": required.split(),
            },
            **({"outputSchema": outputs[name]} if name in outputs else {}),
        }
        for name, inputs, required in found
    ]
    return given("mcp", {"tools.json": json.dumps({"tools": listed})}, "the server")


VENDOR = ("id", "legal_name", "tax_number", "payment_terms", "bank_account", "country")
COLUMNS = ", ".join(f"{name} TEXT" for name in VENDOR[1:])


def test_one_input_stays_as_it_is() -> None:
    reads = read_inputs([given("openapi", {"depot.yaml": DEPOT})])
    assert merge_reads(reads) == Merged(reads[0].evidence, ())


# things


def test_a_vendor_and_a_supplier_with_the_same_fields_are_one_thing_and_it_is_said() -> None:
    found = together(
        api({"/vendors": {"get": operation("listVendors", "Vendor")}}, Vendor=record(*VENDOR)),
        sql(
            f"CREATE TABLE suppliers (id INT PRIMARY KEY, {COLUMNS}, iban TEXT);",
            "CREATE TABLE invoices (id INT PRIMARY KEY, supplier_id INT REFERENCES suppliers(id), due_on DATE);",
        ),
    )
    assert [t.name for t in found.evidence.resources] == ["Vendor", "invoices"]
    assert list(fields(found, "Vendor")) == [*VENDOR, "iban"]
    assert fields(found, "invoices")["supplier_id"].refers_to == "Vendor"
    told = about(found, "thing Vendor")
    assert (told.chose, told.over) == ("Vendor", "suppliers")
    assert told.why == "one thing: 6 of 6 fields are the same"
    assert [str(s) for s in told.sources] == ["api.json#/components/schemas/Vendor", "schema.sql#1-1"]


def test_things_that_share_only_what_everything_has_stay_apart() -> None:
    plain = ("id", "name", "status", "type", "description", "created_at", "updated_at", "notes")
    found = together(
        api({"/vendors": {"get": operation("listVendors", "Vendor")}}, Vendor=record(*plain, "iban")),
        sql(f"CREATE TABLE trucks (id INT PRIMARY KEY, {', '.join(f'{n} TEXT' for n in plain[1:])}, plate TEXT);"),
    )
    assert [t.name for t in found.evidence.resources] == ["Vendor", "trucks"]
    assert found.decisions == ()


def test_things_of_one_input_are_never_one() -> None:
    found = together(
        sql(f"CREATE TABLE vendors (id INT PRIMARY KEY, {COLUMNS});\nCREATE TABLE suppliers (id INT, {COLUMNS});"),
        given("prd", {"p.md": "# Vendors\n\nA vendor must have a bank account.\n"}),
    )
    assert [t.name for t in found.evidence.resources][:2] == ["vendors", "suppliers"]
    assert not [d for d in found.decisions if "one thing" in d.why]


@pytest.mark.parametrize("table", ["purchase_orders", "PurchaseOrder", "PURCHASE_ORDER_TBL", "dim_purchase_order"])
def test_plurals_cases_and_forms_of_a_name_are_one_thing(table: str) -> None:
    schema = record("id", "reference", total="number")
    found = together(
        api({"/purchase-orders": {"get": operation("listOrders", "PurchaseOrderDto")}}, PurchaseOrderDto=schema),
        sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, reference TEXT UNIQUE, cost_centre TEXT);"),
    )
    (resource,) = found.evidence.resources
    assert resource.name == "PurchaseOrderDto"
    assert list(fields(found, "PurchaseOrderDto")) == ["id", "reference", "total", "cost_centre"]
    told = about(found, "thing PurchaseOrderDto")
    assert (told.over, told.why) == (table, "one thing: the names are the same words")


def test_a_prefix_that_all_tables_have_is_no_part_of_their_names() -> None:
    tables = [f"CREATE TABLE ps_{n} (id INT PRIMARY KEY, {n}_code TEXT);" for n in ("part", "bin", "dock", "truck")]
    found = together(
        api({"/parts": {"get": operation("listParts", "Part")}}, Part=record("id", "colour")), sql(*tables)
    )
    assert [t.name for t in found.evidence.resources] == ["Part", "ps_bin", "ps_dock", "ps_truck"]


def test_what_only_one_input_knows_of_a_field_is_kept() -> None:
    found = together(
        api({"/parts": {"get": operation("listParts", "Part")}}, Part=record("id", "code", "bin_id", weight="number")),
        sql(
            "CREATE TABLE bins (id INT PRIMARY KEY);",
            "CREATE TABLE parts (id INT PRIMARY KEY, code VARCHAR(8) NOT NULL UNIQUE, bin_id INT REFERENCES bins(id));",
        ),
    )
    part = fields(found, "Part")
    assert part["id"].key
    assert (part["code"].unique, part["code"].shape.longest) == (True, 8)
    assert part["bin_id"].refers_to == "bins"


def test_another_type_is_decided_by_who_says_how_tools_write_it_and_told() -> None:
    found = together(
        sql("CREATE TABLE parts (id INT PRIMARY KEY, code INT, colour TEXT);"),
        api({"/parts": {"get": operation("listParts", "Part")}}, Part=record("id", "code", "colour")),
    )
    assert fields(found, "Part")["code"].shape.kind == "string"
    told = about(found, "field Part.code")
    assert (told.chose, told.over) == ("string", "integer")
    assert "says how tools write it" in told.why
    assert not [d for d in found.decisions if d.about == "field Part.colour"]


def test_another_unit_is_one_field_and_told() -> None:
    found = together(
        sql("CREATE TABLE orders (id INT PRIMARY KEY, total_cents INT, note TEXT);"),
        given("data", {"orders.csv": "id,total,note\n1,2.50,a\n2,3.50,b\n3,1.25,c\n"}),
    )
    assert list(fields(found, "orders")) == ["id", "total_cents", "note"]
    told = about(found, "field orders.total_cents")
    assert (told.chose, told.over) == ("total_cents", "total")
    assert told.why.startswith("measured in different units")


def test_other_words_of_a_state_are_decided_and_told() -> None:
    found = together(
        sql("CREATE TABLE orders (id INT PRIMARY KEY, state TEXT CHECK (state IN ('open', 'paid')));"),
        given(
            "data", {"orders.csv": "id,state\n" + "".join(f"{k},{'shut' if k % 2 else 'open'}\n" for k in range(30))}
        ),
    )
    assert fields(found, "orders")["state"].shape.enum == ("open", "paid")
    told = about(found, "field orders.state")
    assert (told.chose, told.over) == ("open, paid", "open, shut")


def test_two_fields_of_one_thing_are_never_one() -> None:
    columns = "id INT PRIMARY KEY, discount NUMERIC(8,2), discount_percent INT, wait_min INT, wait_hours INT"
    found = together(sql(f"CREATE TABLE orders ({columns});"), given("prd", {"p.md": "# P\n\nOrders must be paid.\n"}))
    assert list(fields(found, "orders")) == ["id", "discount", "discount_percent", "wait_min", "wait_hours"]


def test_states_and_rows_follow_the_name_of_their_thing() -> None:
    shared = tuple(Field(n, Shape("string")) for n in VENDOR)
    states = States("suppliers", "", ("new", "known"))
    rows = Rows("suppliers", VENDOR, (("1", "A", "B", "C", "D", "E"),), 1)
    other = Evidence(resources=(Resource("suppliers", shared),), states=(states,), rows=(rows,))
    found = merge_reads(
        [ReadInput("data", "b", other), ReadInput("openapi", "a", Evidence(resources=(Resource("Vendor", shared),)))]
    )
    assert [t.name for t in found.evidence.resources] == ["Vendor"]
    assert [s.resource for s in found.evidence.states] == ["Vendor"]
    assert [r.resource for r in found.evidence.rows] == ["Vendor"]


# operations


def test_an_operation_of_mcp_and_openapi_is_kept_once_with_the_answer_of_openapi() -> None:
    found = together(
        tools(
            ("create_part", {"name": "string", "price": "number", "stock": "integer"}, "name price stock"),
            ("count_parts", {}, ""),
        ),
        given("openapi", {"depot.yaml": DEPOT}),
    )
    names = [a.name for a in found.evidence.operations]
    assert names == ["create_part", "count_parts", *(t for t in TOOLS if t != "createPart")]
    made = found.evidence.operations[0]
    assert made.input_schema["required"] == ["name", "price", "stock"]
    assert made.output_schema is not None
    assert made.output_schema["required"] == ["id", "name", "status"]
    assert (made.method, made.path, made.status) == ("POST", "/parts", "201")
    assert sorted(made.errors) == ["400", "403", "503"]
    told = about(found, "operation create_part")
    assert (told.chose, told.over) == ("tools.json#/tools/0", "depot.yaml#/paths/~1parts/post")
    needed = about(found, "parameter create_part.stock")
    assert (needed.chose, needed.over) == ("required", "optional")


def test_the_answer_that_the_server_declares_itself_counts() -> None:
    found = together(
        tools(("get_part", {"partId": "string"}, "partId"), get_part=record("serial")),
        given("openapi", {"depot.yaml": DEPOT}),
    )
    (part,) = [a for a in found.evidence.operations if a.name == "get_part"]
    assert part.output_schema is not None
    assert list(part.output_schema["properties"]) == ["serial"]


def test_the_same_route_is_the_same_operation_under_another_name() -> None:
    first = Operation("fetchPart", method="GET", path="/parts/{partId}")
    second = Operation("read_part", method="get", path="/parts/{id}/", says="One part.", errors={"404": "gone"})
    found = merge_reads(
        [
            ReadInput("openapi", "a", Evidence(operations=(first,))),
            ReadInput("code", "b", Evidence(operations=(second,))),
        ]
    ).evidence
    assert [(a.name, a.says, a.errors) for a in found.operations] == [("fetchPart", "One part.", {"404": "gone"})]


CODE = '''\
from fastapi import FastAPI

app = FastAPI()


@app.get("/parts/{part_id}")
def read_part(part_id: str) -> dict[str, str]:
    """Reads a part."""


@app.post("/parts/{part_id}/weigh")
def weigh_part(part_id: str) -> dict[str, str]:
    """Weighs a part."""
'''


def test_routes_that_the_contract_does_not_have_are_no_tools() -> None:
    found = together(given("openapi", {"depot.yaml": DEPOT}), given("repo", {"app/main.py": CODE}))
    assert [a.name for a in found.evidence.operations] == list(TOOLS)
    assert about(found, "operation getPart").over.startswith("app/main.py#")
    (left,) = [s for s in found.evidence.skipped if s.what.startswith("operation")]
    assert left.what == "operation weigh_part"
    assert "no tool is added to a contract" in left.why
    assert str(left.source).startswith("app/main.py#")


def test_routes_are_tools_where_there_is_no_contract() -> None:
    found = together(given("repo", {"app/main.py": CODE}), given("prd", {"p.md": "# P\n\nParts must be weighed.\n"}))
    assert [a.name for a in found.evidence.operations] == ["read_part", "weigh_part"]


def test_two_operations_of_one_contract_are_never_one() -> None:
    one = operation("getOrder") | {
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
    }
    found = together(
        api({"/orders": {"get": operation("getOrders")}, "/orders/{id}": {"get": one}}),
        given("prd", {"p.md": "# Orders\n\nOrders over 500 EUR must be approved by a manager.\n"}),
    )
    assert [a.name for a in found.evidence.operations] == ["getOrders", "getOrder"]


def test_everything_else_is_kept_of_everybody() -> None:
    one = Evidence(title="One", says="", claims=(Claim("a must b", "must", Source("a")),))
    two = Evidence(title="Two", says="Words of two", claims=(Claim("c may d", "may", Source("b")),))
    found = merge_reads([ReadInput("documents", "x", one), ReadInput("openapi", "y", two)]).evidence
    assert [c.says for c in found.claims] == ["a must b", "c may d"]
    assert (found.title, found.says) == ("Two", "Words of two")
