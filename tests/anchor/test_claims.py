"""Claims: every statement that a world would have to honour is found once, with its place, its kind and what it is about."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.anchor.anchors import given as upload
from tests.anchor.anchors import lock_of
from tests.anchor.claims_documents import BENEFITS, REFERENCE
from tests.effort import examples

from worldwright.anchor.claims import collect_claims
from worldwright.anchor.claims.kinds import kind_of
from worldwright.anchor.evidence import CLAIM_KINDS, Claim, Evidence, Operation, Parameter, Shape, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers import documents, mcp, openapi, sql


def of(text: str, name: str = "plan.md") -> tuple[Claim, ...]:
    return collect_claims(documents.read([Upload(name, text.encode())]))


def kinds(found: tuple[Claim, ...], *, at: str = "", start: str = "") -> list[tuple[str, str]]:
    return [(c.kind, c.says) for c in found if (not at or c.source.at == at) and c.says.startswith(start)]


def fenced(language: str, code: str) -> str:
    return f"# Plan\n\n```{language}\n{code}\n```\n"


# requirements with code in them


def test_every_numbered_rule_is_a_claim_with_its_line() -> None:
    found = {c.source.at: c.kind for c in of(BENEFITS) if c.heading == "Business rules"}
    assert found == {
        "11-11": "bound", "12-12": "error", "13-13": "bound", "14-14": "must_not", "15-15": "only_if", "16-16": "bound",
        "17-17": "computes", "18-18": "permission", "19-19": "required", "20-20": "bound", "21-21": "when", "22-22": "unique",
        "23-23": "bound", "24-24": "bound", "25-25": "default",
    }  # fmt: skip
    assert [c.says for c in of(BENEFITS) if c.source.at == "14-14"] == ["No claim may be paid twice."]
    assert [c.about for c in of(BENEFITS) if c.source.at == "24-24"] == ["software"]


def test_each_row_of_a_decision_table_is_a_claim() -> None:
    assert [(c.says, str(c.source)) for c in of(BENEFITS) if c.heading == "Copay by tier"] == [
        ("Tier: 1; Copay: 5 USD; Prior authorization: no", "plan.md#31-31"),
        ("Tier: 2; Copay: 25 USD; Prior authorization: no", "plan.md#32-32"),
        ("Tier: 3; Copay: 60 USD; Prior authorization: yes", "plan.md#33-33"),
    ]


def test_ddl_in_a_document_gives_tables_and_a_claim_for_each_constraint() -> None:
    found = {(c.kind, c.says): c.source.at for c in of(BENEFITS) if c.heading in ("member", "claim")}
    assert found == {
        ("unique", "member: card_number unique"): "40-40",
        ("bound", "member.deductible_left is at least 0"): "42-42",
        ("default", "member.deductible_left is 0 by default"): "42-42",
        ("required", "member: card_number required"): "38-43",
        ("must", "claim: submitted_on >= fill_date"): "44-52",
        ("refers", "claim.member_id refers to member"): "46-46",
        ("bound", "claim.days_supply is at least 1 and at most 90"): "49-49",
        ("state", "claim.status is one of received, paid, rejected, reversed"): "50-50",
        ("required", "claim: member_id, fill_date, submitted_on, status required"): "44-52",
    }
    evidence = documents.read([Upload("plan.md", BENEFITS.encode())])
    assert {r.name: len(r.fields) for r in evidence.resources} == {"member": 4, "claim": 6, "Drug": 6, "Override": 4}


def test_typescript_and_json_schema_give_things_and_claims() -> None:
    found = kinds(of(BENEFITS), start="Drug") + kinds(of(BENEFITS), start="Override")
    assert found == [
        ("bound", "Drug.unitCost: must not be negative"),
        ("values", "Drug.schedule is one of none, II, III"),
        ("required", "Drug: ndc, name, brand, schedule, unitCost required"),
        ("state", "Override.hours: An override expires after this many hours."),
        ("bound", "Override.reason is at least 10 long"),
        ("values", "Override.level is one of desk, clinical"),
        ("bound", "Override.hours is at least 1 and at most 72"),
        ("required", "Override: claim_id, reason required"),
    ]


def test_a_diagram_of_states_and_pseudo_code_are_claims() -> None:
    found = of(BENEFITS)
    assert kinds(found, at="91-91") == [("state", "received --> paid : adjudicate")]
    [(kind, says)] = kinds(found, at="99-102")
    assert kind == "when"
    assert says.startswith("if member.coverage_ends < claim.fill_date: reject(claim,")
    assert kinds(found, at="103-103") == [("computes", "copay = min(tier.copay, ingredient_cost + dispensing_fee)")]


def test_what_is_out_of_scope_is_a_claim_about_the_process() -> None:
    [(about, why)] = [(c.about, c.why) for c in of(BENEFITS) if c.source.at == "108-108"]
    assert (about, why) == ("process", "stands under `Out of scope`")


def test_a_document_with_a_schema_in_it_is_a_world_of_its_own() -> None:
    anchor = lock_of(upload("prd", {"plan.md": BENEFITS}))
    (domain,) = anchor.domains
    assert domain.name == "pharmacy_benefit_desk"
    assert domain.contract is not None
    assert {"list_claims", "get_member", "create_override"} <= set(domain.contract.tools)


@pytest.mark.parametrize(
    ("language", "code", "claims"),
    [
        ("ts", "type T = { a: 'x' | 'y'; b?: number }", [("values", "T.a is one of x, y"), ("required", "T: a required")]),
        ("", "enum S { OPEN = 'open', SHUT = 'shut' }\ninterface D {\n  s: S\n}",
         [("values", "D.s is one of open, shut"), ("required", "D: s required")]),
        ("mermaid", "flowchart LR\n A[Draft] --> B[Sent]", [("state", "Draft --> Sent")]),
        ("mermaid", "erDiagram\n ORDER ||--o{ LINE : has", [("refers", "ORDER ||--o{ LINE : has")]),
        ("python", "if total > limit:\n    raise TooMuch()\nprint(total)", [("when", "if total > limit: raise TooMuch()")]),
        ("bash", "if [ -f x ]; then rm x; fi", []),
        ("json", '{"amount": 5}', []),
    ],
)  # fmt: skip
def test_code_of_each_sort(language: str, code: str, claims: list[tuple[str, str]]) -> None:
    assert kinds(of(fenced(language, code))) == claims


# an API reference in Markdown


def test_endpoints_of_a_reference_are_operations() -> None:
    evidence = documents.read([Upload("api.md", REFERENCE.encode())])
    assert [(o.name, o.method, o.path) for o in evidence.operations] == [
        ("list_bookings", "GET", "/bookings"),
        ("create_booking", "POST", "/bookings"),
        ("get_booking", "GET", "/bookings/{id}"),
        ("change_booking", "PATCH", "/bookings/{id}"),
        ("cancel_booking", "POST", "/bookings/{id}/cancel"),
    ]
    made = {o.name: o for o in evidence.operations}
    create = made["create_booking"]
    assert [(p.name, p.place, p.required, p.shape.kind) for p in create.parameters] == [
        ("dock", "body", True, "string"),
        ("arrives_on", "body", True, "string"),
        ("pallets", "body", True, "integer"),
    ]
    assert create.input_schema["required"] == ["dock", "arrives_on", "pallets"]
    assert (create.status, create.errors["409"]) == ("201", "The dock is full on that day.")
    assert create.answer is not None
    assert list(create.answer.fields) == ["id", "dock", "arrives_on", "pallets", "status"]
    assert str(create.parameters[1].source) == "api.md#34-34"
    assert made["list_bookings"].parameters[1].shape.enum == ("open", "done", "cancelled")
    assert [p.name for p in made["change_booking"].parameters] == ["id", "pallets", "arrives_on"]
    assert not evidence.resources


def test_a_reference_becomes_a_world_with_its_tools() -> None:
    anchor = lock_of(upload("prd", {"api.md": REFERENCE}))
    (domain,) = anchor.domains
    assert domain.contract is not None
    assert set(domain.contract.tools) == {
        "list_bookings",
        "create_booking",
        "get_booking",
        "change_booking",
        "cancel_booking",
    }


def test_what_a_reference_states_is_claimed_at_its_line() -> None:
    assert {c.source.at: (c.kind, c.says) for c in of(REFERENCE, "api.md")} == {
        "3-3": ("must", "All requests need the header X-Depot-Key."),
        "13-13": ("only_if", "only bookings of this dock"),
        "15-15": ("bound", "at most 100"),
        "25-25": ("required", "create_booking needs dock, arrives_on, pallets"),
        "27-27": ("bound", "A dock takes at most 40 pallets a day."),
        "34-34": ("must_not", "Dates in the past are not permitted."),
        "35-35": ("bound", "1-40"),
        "45-45": ("error", "The dock is full on that day."),
        "46-46": ("error", "The date lies in the past."),
        "63-63": ("error", "Returns 409 if the booking is done."),
        "69-69": ("when", "A booking can be cancelled until the day before it arrives."),
    }


def test_endpoints_in_a_table() -> None:
    table = "# API\n\n| Method | Path | Purpose |\n|--|--|--|\n| GET | /docks | List docks |\n| POST | /docks | Add a dock |\n"
    found = documents.read([Upload("api.md", table.encode())]).operations
    assert [(o.name, o.path, str(o.source)) for o in found] == [
        ("list_docks", "/docks", "api.md#5-5"),
        ("add_dock", "/docks", "api.md#6-6"),
    ]


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("Urgency (routine, urgent, emergency)", "values"),
        ("Maximum number of channels (default 100, max 200)", "bound"),
        ("Ticket status: Open, On Hold, Closed", "state"),
        ("Manager: approves requests", "permission"),
        ("Add, edit or delete agents", "does"),
        ("Something nice", ""),
    ],
)
def test_items_of_a_list(says: str, kind: str) -> None:
    assert [k for k, _ in kinds(of(f"# Desk\n\n- {says}\n"))] == ([kind] if kind else [])


# contracts and schemas


PAYMENTS: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Pay", "version": "1"},
    "paths": {
        "/refunds": {
            "post": {
                "operationId": "refund",
                "description": "Pays money back. A payment can only be refunded if it is settled.",
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refund"}}}},
                "responses": {
                    "200": {"description": "ok"},
                    "404": {"description": "Payment not found"},
                    "409": {"description": "The payment is already refunded in full."},
                    "422": {"description": "Unprocessable Entity"},
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Refund": {
                "type": "object",
                "properties": {
                    "amount": {"type": "integer", "description": "In cents. Must not exceed what is left."},
                    "rating": {"type": "integer", "description": "How bad it was, 0-4"},
                    "day": {"type": "string", "description": "Future dates are not permitted"},
                    "sort": {"type": "string", "enum": ["cash", "card"], "description": "`cash` is paid at the desk, `card` later"},
                    "note": {"type": "string", "description": "The note"},
                },
            }
        }
    },
}  # fmt: skip


def test_descriptions_and_errors_of_an_api_hold_claims() -> None:
    found = collect_claims(openapi.read([Upload("pay.json", json.dumps(PAYMENTS).encode())]))
    assert [(c.kind, c.says, c.heading) for c in found] == [
        ("only_if", "A payment can only be refunded if it is settled.", "refund"),
        ("bound", "Must not exceed what is left.", "refund amount"),
        ("bound", "How bad it was, 0-4", "refund rating"),
        ("must_not", "Future dates are not permitted", "refund day"),
        ("values", "`cash` is paid at the desk, `card` later", "refund sort"),
        ("error", "The payment is already refunded in full.", "refund 409"),
    ]
    assert str(found[1].source) == "pay.json#/components/schemas/Refund/properties/amount"


def test_messages_of_errors_and_what_only_the_form_says_are_claims_too() -> None:
    issue = {"properties": {"issue": {"enum": ["SPENT"]}, "description": {"enum": ["The voucher was used already."]}}}
    again = {"properties": {"message": {"type": "string", "const": "A closed till pays nothing back."}}}
    plain = {"properties": {"message": {"type": "string", "description": "what went wrong"}}}
    body = {
        "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"details": {"items": {"anyOf": [issue]}}}}]
    }
    api = json.loads(json.dumps(PAYMENTS))
    answers = api["paths"]["/refunds"]["post"]["responses"]
    answers["409"] = {"description": "Conflict", "content": {"application/json": {"schema": again}}}
    answers["422"] = {"description": "Unprocessable Entity", "content": {"application/json": {"schema": body}}}
    answers["429"] = {"description": "Too many", "content": {"application/json": {"schema": again}}}
    api["components"]["schemas"]["Problem"] = plain
    refund = api["components"]["schemas"]["Refund"]["properties"]
    refund["sort"]["description"] = "How it is paid"
    refund["copies"] = {"type": "integer", "minimum": 1, "maximum": 9, "default": 2}
    found = collect_claims(openapi.read([Upload("pay.json", json.dumps(api).encode())]))
    base = "/paths/~1refunds/post/responses/"
    assert [(c.says, c.source.at) for c in found if c.kind == "error"] == [
        ("A closed till pays nothing back.", f"{base}409/content/application~1json/schema"),
        (
            "The voucher was used already.",
            f"{base}422/content/application~1json/schema/allOf/1/properties/details/items/anyOf/0",
        ),
    ]
    assert [c.says for c in found if c.heading == "Refund"] == [
        "Refund.sort is one of cash, card",
        "Refund.copies is at least 1 and at most 9",
        "Refund.copies is 2 by default",
    ]


def test_descriptions_of_mcp_tools_hold_claims() -> None:
    schema = {"type": "object", "properties": {"hours": {"type": "integer", "description": "At most 72"}}}
    tools = {
        "tools": [{"name": "hold", "description": "Holds a seat. Only one hold per guest.", "inputSchema": schema}]
    }
    found = collect_claims(mcp.read([Upload("tools.json", json.dumps(tools).encode())]))
    assert [(c.kind, c.says, str(c.source)) for c in found] == [
        ("unique", "Only one hold per guest.", "tools.json#/tools/0"),
        ("bound", "At most 72", "tools.json#/tools/0/inputSchema/properties/hours"),
    ]


def test_constraints_of_sql_are_claims_and_what_the_draft_is_made_of_is_not() -> None:
    text = (
        "CREATE TABLE seat (id INT PRIMARY KEY, row_no INT NOT NULL, hall INT NOT NULL REFERENCES hall(id),\n"
        "  price NUMERIC(8,2) CHECK (price BETWEEN 5 AND 90), UNIQUE (hall, row_no), CHECK (row_no <> hall));\n"
        "CREATE TABLE hall (id INT PRIMARY KEY);\n"
    )
    found = collect_claims(sql.read([Upload("s.sql", text.encode())]))
    assert [(c.kind, c.says, c.source.at) for c in found] == [
        ("must", "seat: row_no <> hall", "1-2"),
        ("unique", "seat: hall, row_no unique", "1-2"),
        ("bound", "seat.price is at least 5 and at most 90", "2-2"),
    ]


def test_the_same_words_of_two_fields_are_two_claims_and_in_two_places_one() -> None:
    def taking(name: str, field: str) -> Operation:
        one = Parameter(
            field, "argument", Shape("string"), says="Must be unique.", source=Source("t.json", f"/{name}/{field}")
        )
        return Operation(name, parameters=(one,), source=Source("t.json", f"/{name}"))

    found = collect_claims(Evidence(operations=(taking("a", "email"), taking("b", "email"), taking("c", "name"))))
    assert [(c.source.at, [s.at for s in c.also]) for c in found] == [("/a/email", ["/b/email"]), ("/c/name", [])]


@settings(max_examples=examples(60), deadline=None)
@given(st.text(alphabet="amust notonlyif0123456789.,-()`|/%$ =<>->", max_size=120))
def test_any_sentence_has_a_kind_or_none_and_the_same_one_twice(text: str) -> None:
    assert kind_of(text) in {"", *CLAIM_KINDS}
    assert kind_of(text) == kind_of(text)
    assert of(f"# A\n\n```\n{text}\n```\n") == of(f"# A\n\n```\n{text}\n```\n")
