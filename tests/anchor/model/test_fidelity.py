"""Answers held against what a contract declares: what is wrong is found, and what is found is mended."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.anchor.model.test_derive import SHOP

from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.model.derive import derive
from worldwright.anchor.readers.openapi import read
from worldwright.assay.fidelity import measure_fidelity, replace_false_parts, walk_contract
from worldwright.blueprint.load import load_text
from worldwright.compiler.build import build
from worldwright.engine.contract import Contract
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.open import world_of


@pytest.fixture(scope="module")
def shop() -> tuple[Runtime, Contract]:
    (found,) = derive(SHOP)
    runtime = world_of(build(load_text(found.blueprint, "shop.yaml"), 7, with_tasks=False).pack).runtime
    assert isinstance(runtime, Runtime)
    return runtime, found.contract


def damaged(contract: Contract, name: str, change: dict[str, Any]) -> Contract:
    tool = contract.tools[name]
    return Contract({**contract.tools, name: replace(tool, gives={**tool.gives, **change})})


def test_a_derived_world_is_true_to_its_contract(shop: tuple[Runtime, Contract]) -> None:
    runtime, contract = shop
    found = measure_fidelity(contract, walk_contract(runtime, contract))
    assert found.wrong == {}
    assert found.share == 1.0
    assert found.answers > 100
    assert found.called >= 7
    assert ("orders.cancel", "409") in found.declared


def test_what_is_false_is_seen_and_mended(shop: tuple[Runtime, Contract]) -> None:
    runtime, contract = shop
    fields = contract.tools["get-order"].gives["fields"]
    wrong = damaged(
        contract, "get-order", {"fields": {**fields, "total": {"from": ["status"], "codec": {"as": "text"}}}}
    )
    answers = walk_contract(runtime, wrong)
    before = measure_fidelity(wrong, answers)
    assert "get-order" in before.wrong
    assert before.share < 1.0
    better = replace_false_parts(wrong, answers)
    assert measure_fidelity(better, answers).share == 1.0
    assert better.tools["get-order"].gives["fields"]["status"] == fields["status"]
    assert "is" in better.tools["get-order"].gives["fields"]["total"]


def test_a_part_that_is_missing_is_mended_too(shop: tuple[Runtime, Contract]) -> None:
    runtime, contract = shop
    wrong = damaged(contract, "createOrder", {"fields": {"id": {"is": "no number"}}})
    answers = walk_contract(runtime, wrong)
    assert measure_fidelity(wrong, answers).wrong
    assert measure_fidelity(replace_false_parts(wrong, answers), answers).share == 1.0


def test_what_is_right_stays_as_it_is(shop: tuple[Runtime, Contract]) -> None:
    runtime, contract = shop
    assert replace_false_parts(contract, walk_contract(runtime, contract, 1)) == contract


def closed(**parts: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": {n: {"type": t} for n, t in parts.items()}}


@pytest.mark.parametrize("inner", [False, True])
def test_an_answer_that_is_one_of_several_forms_is_told_apart(inner: bool) -> None:
    """By JSON Schema a value that fits two forms of `oneOf` fits none; all of these have nothing that is required."""
    forms = [closed(nickname="string", account="string"), closed(nickname="string", pickup="boolean"), {"type": "null"}]
    either: dict[str, Any] = {"oneOf": forms}
    answer = {"type": "object", "required": ["settings"], "properties": {"settings": either}} if inner else either
    depot = {
        "type": "object",
        "required": ["id"],
        "properties": {"id": {"type": "integer"}, "town": {"type": "string"}},
    }
    number = {"name": "depot_id", "in": "path", "required": True, "schema": {"type": "integer"}}

    def get(name: str, schema: dict[str, Any], *parameters: dict[str, Any]) -> dict[str, Any]:
        ok = {"description": "", "content": {"application/json": {"schema": schema}}}
        return {
            "get": {
                "operationId": name,
                "parameters": [*parameters],
                "responses": {"200": ok, "404": {"description": ""}},
            }
        }

    paths = {
        "/depots": get("listDepots", {"type": "array", "items": depot}),
        "/depots/{depot_id}": get("getDepot", depot, number),
        "/depots/{depot_id}/settings": get("getDepotSettings", answer, number),
    }
    api = json.dumps({"openapi": "3.1.0", "info": {"title": "Depots", "version": "1"}, "paths": paths}).encode()
    (found,) = derive(read([Upload("api.json", api)]))
    fields = found.contract.tools["getDepotSettings"].gives["fields"]
    given = (fields["settings"] if inner else {"fields": fields}).get("fields", {}).get("account") or fields[
        "settings"
    ]["is"]
    assert "omit" not in given, "it is what tells the form"
    runtime = world_of(build(load_text(found.blueprint, "depots.yaml"), 7, with_tasks=False).pack).runtime
    assert isinstance(runtime, Runtime)
    walked = walk_contract(runtime, found.contract)
    assert "getDepotSettings" in {call.tool.name for call in walked}
    assert measure_fidelity(found.contract, walked).wrong == {}
