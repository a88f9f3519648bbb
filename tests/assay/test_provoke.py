"""Error statuses of a contract, brought about by calls that deserve them, and the rest by faults."""

from __future__ import annotations

import json

import pytest
from tests.anchor.anchors import DECLARED, depot, depot_built, depot_runtime, given, lock_of
from tests.shared_builds import build

from worldwright.assay.contracts import FIDELITY
from worldwright.assay.fidelity import Status, force_statuses, provoke_statuses, walk_contract
from worldwright.blueprint.load import load_text
from worldwright.engine.contract import Contract
from worldwright.engine.env import Env
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.open import world_of
from worldwright.world.records import Call


@pytest.fixture(scope="module")
def made() -> tuple[Runtime, Contract, list[Call]]:
    runtime, contract = depot_runtime()
    return runtime, contract, [s.call for s in walk_contract(runtime, contract) if s.result.ok]


@pytest.fixture(scope="module")
def reached(made: tuple[Runtime, Contract, list[Call]]) -> frozenset[Status]:
    return frozenset(provoke_statuses(*made))


def test_statuses_that_calls_deserve(reached: frozenset[Status]) -> None:
    """A missing argument, a value of another type, a record that is not there."""
    assert reached <= DECLARED
    assert reached >= {
        ("createPart", "400"), ("retirePart", "400"), ("bookDelivery", "400"),
        ("getPart", "404"), ("updatePart", "404"), ("retirePart", "404"), ("getDelivery", "404"),
    }  # fmt: skip
    assert not {status for _, status in reached} & {"401", "429", "503"}


def test_what_cannot_be_done_twice_is_done_twice(reached: frozenset[Status]) -> None:
    assert ("retirePart", "409") in reached


def test_done_twice_by_hand_it_is_a_conflict() -> None:
    runtime, contract = depot_runtime()
    env = Env(runtime, "", contract=contract)
    env.reset()
    part = {"partId": env.call_tool("listParts", {"status": "active", "limit": 1}).data["data"][0]["id"]}
    assert env.call_tool("retirePart", part).ok
    again = env.call_tool("retirePart", part)
    assert again.error is not None
    assert (again.error.details or {})["status"] == 409


def test_a_wrong_argument_is_no_conflict() -> None:
    runtime, contract = depot_runtime()
    env = Env(runtime, "", contract=contract)
    env.reset()
    part = env.call_tool("listParts", {"limit": 1}).data["data"][0]["id"]
    wrong = env.call_tool("updatePart", {"partId": part, "price": [[]]})
    assert wrong.error is not None
    assert wrong.error.code == "INVALID_ARGUMENT"
    assert (wrong.error.details or {}).get("status") != 409


def test_calls_that_never_went_through_are_tried_as_well(made: tuple[Runtime, Contract, list[Call]]) -> None:
    runtime, contract, _ = made
    assert ("createPart", "400") in provoke_statuses(runtime, contract, [])


def test_the_rest_comes_as_faults(made: tuple[Runtime, Contract, list[Call]], reached: frozenset[Status]) -> None:
    runtime, contract, _ = made
    rest = sorted(DECLARED - reached)
    assert force_statuses(runtime, contract, rest) == tuple(rest)
    assert force_statuses(runtime, contract, ()) == ()


def test_together_they_are_all_that_is_declared() -> None:
    found = json.loads(depot_built().pack.files[FIDELITY])["statuses"]
    declared, by_calls, by_fault = (
        frozenset((tool, status) for tool, status in found[k]) for k in ("declared", "reached", "by_fault")
    )
    assert declared == DECLARED
    assert {status for _, status in declared} == {"400", "401", "403", "404", "409", "429", "503"}
    assert by_calls | by_fault == declared
    assert not by_calls & by_fault


def test_the_report_counts_tools_and_answers() -> None:
    found = json.loads(depot_built().pack.files[FIDELITY])
    assert (found["tools"], found["called"], found["unchecked"], found["wrong"]) == (8, 8, 0, {})
    assert found["valid"] == found["answers"] > 100


def test_a_contract_without_statuses_declares_and_reaches_none() -> None:
    document = {"openapi": "3.0.0", "info": {"title": "Quiet"}, "paths": {"/parts": {"get": {"operationId": "list"}}}}
    (domain,) = lock_of(given("openapi", {"a.json": json.dumps(document)})).domains
    pack = build(load_text(domain.blueprint, "q.yaml"), 7, with_tasks=False, contract=domain.contract).pack
    found = json.loads(pack.files[FIDELITY])
    assert found["statuses"] == {"declared": [], "reached": [], "by_fault": []}
    assert found["unchecked"] > 0


def test_building_keeps_the_contract_as_it_was_where_every_answer_is_true() -> None:
    (domain,) = depot().domains
    assert domain.contract is not None
    kept = world_of(depot_built().pack).contract
    assert kept is not None
    assert {n: t.gives for n, t in kept.tools.items()} == {n: t.gives for n, t in domain.contract.tools.items()}
