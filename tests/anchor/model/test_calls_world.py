"""An RPC-style service as a world: unknown ids are refused, what is said is kept, references hold, descriptions are obeyed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.anchor.model.services import DAY, TEXT, TRUTH, WHOLE, built, checked, code, episode

from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.readers.openapi import read
from worldwright.assay.measures import measure_world
from worldwright.engine.env import Env
from worldwright.engine.world import World

HOLDER: dict[str, Any] = {
    "accountHolderCode": TEXT,
    "name": {"type": "string", "description": "At most 40 characters."},
    "status": {"type": "string", "enum": ["active", "suspended", "closed"]},
    "tier": {"type": "integer", "description": "The risk tier, 0-4."},
    "opened_on": {**DAY, "description": "Future dates are not permitted."},
    "kind": {"type": "string", "description": "One of person, business or charity. Defaults to person."},
    "registration": {"type": "string", "description": "Required if kind is business."},
    "country": {"type": "string", "description": "Cannot be changed."},
    "linked": {"type": "array", "items": TEXT, "description": "IDs of the accounts that are paid out together."},
}
ACCOUNT: dict[str, Any] = {
    "accountCode": TEXT,
    "holder": {"type": "string", "description": "The ID of the account holder that it belongs to."},
    "currency": TEXT,
    "created_at": {"type": "string", "format": "date-time"},
    "balance": {"type": "number"},
    "open": TRUTH,
}


def post(path: str, needed: dict[str, Any], said: dict[str, Any], gives: Any = None) -> tuple[str, Any]:
    body = {"type": "object", "required": list(needed), "properties": {**needed, **said}}
    answer = {"description": "done"} | ({"content": {"application/json": {"schema": gives}}} if gives else {})
    return path, {
        "post": {
            "operationId": path.strip("/"),
            "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
            "responses": {"200": answer, "404": {"description": "unknown"}, "422": {"description": "refused"}},
        }
    }


ONE, HELD = ({"type": "object", "properties": p} for p in (HOLDER, ACCOUNT))
LISTED = {"type": "object", "properties": {"accountHolders": {"type": "array", "items": ONE}, "total": WHOLE}}
ACCOUNTS = {"type": "object", "properties": {"accounts": {"type": "array", "items": HELD}}}
OWN = {"accountHolderCode": TEXT}
GIVEN = {k: HOLDER[k] for k in ("tier", "opened_on", "kind", "registration", "country", "linked")}
PATHS = dict(
    [
        post("/createAccountHolder", {"name": HOLDER["name"]}, GIVEN, ONE),
        post("/getAccountHolder", OWN, {}, ONE),
        post("/listAccountHolders", {}, {"status": HOLDER["status"], "limit": WHOLE, "offset": WHOLE}, LISTED),
        post("/updateAccountHolder", OWN, {k: HOLDER[k] for k in ("name", "tier", "country")}, ONE),
        post("/closeAccountHolder", OWN, {}, ONE),
        post("/createAccount", {"holder": ACCOUNT["holder"]}, {"currency": TEXT}, HELD),
        post("/listAccounts", {}, {"holder": ACCOUNT["holder"], "limit": WHOLE, "offset": WHOLE}, ACCOUNTS),
        post("/closeAccount", {"accountCode": TEXT}, {}),
    ]
)
DOCUMENT = {"openapi": "3.0.3", "info": {"title": "Holders", "version": "1"}, "paths": PATHS}


@pytest.fixture(scope="module")
def holders() -> Derived:
    (found,) = derive(read([Upload("holders.json", json.dumps(DOCUMENT).encode())]))
    return found


@pytest.fixture(scope="module")
def world(holders: Derived) -> World:
    return built(holders)


@pytest.fixture
def env(world: World) -> Env:
    return episode(world)


def holder(env: Env, **said: Any) -> str:
    made = env.call_tool("createAccountHolder", {"name": "Ada", **said})
    assert made.ok, made.error
    return str(made.data["accountHolderCode"])


def test_two_things_and_no_table_for_a_call(holders: Derived) -> None:
    assert {e.name for e in holders.part.entities} == {"account_holder", "account"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("getAccountHolder", {"accountHolderCode": "nobody"}),
        ("updateAccountHolder", {"accountHolderCode": "nobody", "name": "Bo"}),
        ("closeAccountHolder", {"accountHolderCode": "nobody"}),
        ("closeAccount", {"accountCode": "nothing"}),
        ("createAccount", {"holder": "nobody"}),
    ],
)
def test_what_is_not_there_is_refused(env: Env, tool: str, arguments: dict[str, Any]) -> None:
    assert code(env.call_tool(tool, arguments)) == "NOT_FOUND"


def test_what_is_said_is_kept_and_shown(env: Env) -> None:
    one = holder(env, tier=3, kind="business", registration="HRB 7")
    seen = env.call_tool("getAccountHolder", {"accountHolderCode": one}).data
    assert (seen["name"], seen["tier"], seen["kind"], seen["registration"]) == ("Ada", 3, "business", "HRB 7")
    assert env.call_tool("updateAccountHolder", {"accountHolderCode": one, "name": "Bo"}).data["name"] == "Bo"
    assert env.call_tool("closeAccountHolder", {"accountHolderCode": one}).data["status"] == "closed"


def test_a_filter_by_what_it_belongs_to(env: Env) -> None:
    one = holder(env)
    made = env.call_tool("createAccount", {"holder": one, "currency": "EUR"}).data
    listed = env.call_tool("listAccounts", {"holder": one}).data["accounts"]
    assert [a["accountCode"] for a in listed] == [made["accountCode"]]
    assert all(a["holder"] == one for a in listed)


def test_a_list_of_ids_is_a_list_of_references(env: Env) -> None:
    made = env.call_tool("createAccount", {"holder": holder(env)}).data["accountCode"]
    one = holder(env, linked=[made])
    assert env.call_tool("getAccountHolder", {"accountHolderCode": one}).data["linked"] == [made]
    assert code(env.call_tool("createAccountHolder", {"name": "Bo", "linked": [made, "nothing"]})) == "NOT_FOUND"
    listed = [h["linked"] for h in env.call_tool("listAccountHolders", {"limit": 100}).data["accountHolders"]]
    assert any(listed)
    closed = [env.call_tool("closeAccount", {"accountCode": a}) for linked in listed for a in linked]
    assert all(code(one) in ("", "ALREADY_CLOSED") for one in closed)


def test_every_reference_leads_somewhere(env: Env) -> None:
    accounts = env.call_tool("listAccounts", {"limit": 100}).data["accounts"]
    owners = {a["holder"] for a in accounts if "holder" in a}
    assert owners
    assert all(env.call_tool("getAccountHolder", {"accountHolderCode": o}).ok for o in owners)


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ({"tier": 4}, ""),
        ({"tier": 5}, "INVALID_ARGUMENT"),
        ({"kind": "robot"}, "INVALID_ARGUMENT"),
        ({"name": "x" * 41}, "INVALID_ARGUMENT"),
        ({"opened_on": "2025-06-16"}, ""),
        ({"opened_on": "2025-06-17"}, "NOT_IN_THE_PAST"),
        ({"kind": "business"}, "MISSING"),
        ({"kind": "business", "registration": "HRB 7"}, ""),
    ],
)
def test_what_a_description_forbids_is_refused(env: Env, said: dict[str, Any], refused: str) -> None:
    assert code(env.call_tool("createAccountHolder", {"name": "Ada", **said})) == refused


def test_what_cannot_be_changed_stays(env: Env) -> None:
    one = holder(env, country="Chad")
    assert (
        code(env.call_tool("updateAccountHolder", {"accountHolderCode": one, "country": "Mali"})) == "CANNOT_BE_CHANGED"
    )
    assert env.call_tool("updateAccountHolder", {"accountHolderCode": one, "country": "Chad", "tier": 1}).ok


def test_a_default_is_what_it_is_where_nobody_says(env: Env) -> None:
    one = holder(env)
    assert env.call_tool("getAccountHolder", {"accountHolderCode": one}).data["kind"] == "person"


def test_constraints_name_the_description_they_come_from(holders: Derived) -> None:
    create = checked(holders).blueprint.operations["create_account_holder"]
    tier = create.takes["tier"]
    assert not isinstance(tier, str)
    assert tier.source.endswith("properties/tier")
    assert all(s.source.startswith("holders.json#/") for s in create.does if s.require)


def test_nothing_of_it_is_hollow(holders: Derived) -> None:
    found = measure_world(checked(holders), holders.contract)
    assert (found.writes_with_effect, found.reads_of_state) == (found.writes, found.reads) == (5, 3)
    assert (found.parameters_used, found.references_bound) == (found.parameters, found.references)
    assert found.rules == 0
