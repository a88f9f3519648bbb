"""A company gives a prompt, a PDF, an API reference and a repository: its rules become rules, and its endpoints tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import read_uploads
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.assay.world_grade import describe_grade
from worldwright.author import verbs
from worldwright.author.check import Checkup
from worldwright.author.open import open_bench
from worldwright.blueprint.checked import Checked
from worldwright.store.anchors import Anchors

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "purchasing"
GIVEN = {"prompt": "prompt.txt", "prd": "approval_policy.pdf", "docs": "api.md", "repo": "repo"}
ENDPOINTS = [
    "get_orders",
    "post_orders",
    "post_orders_by_order_id_approve",
    "post_orders_by_order_id_reject",
    "post_orders_by_order_id_submit",
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("purchasing")
    inputs = [Input(sort, str(EXAMPLE / file), tuple(read_uploads(EXAMPLE / file))) for sort, file in GIVEN.items()]
    store = Anchors(place / "home")
    store.put(build_anchor(inputs, AnchorOptions(name="purchasing")))
    return open_bench(store, "purchasing", place / "bench", begin=EXAMPLE / "authored")


@pytest.fixture(scope="module")
def found(bench: Path) -> Checkup:
    return verbs.check(bench, "a test")


def test_the_draft_has_every_endpoint_and_finds_the_four_rules(bench: Path) -> None:
    assert (
        sorted(tool["name"] for tool in json.loads((bench / "contract.draft.json").read_text())["tools"]) == ENDPOINTS
    )
    said = " ".join(row["says"] for row in verbs.list_claims(bench)).lower()
    for rule in (
        "yearly budget covers it",
        "lend the right to approve",
        "within the last 365 days",
        "nobody approves their own order",
    ):
        assert rule in said


def test_its_rules_are_rules_with_a_source_each(found: Checkup) -> None:
    assert found.lockable
    assert isinstance(found.checked, Checked)
    policies = found.checked.blueprint.policies
    assert {"budget_cap", "approval_limit", "longest_delegation", "fresh_vendor", "own_order"} <= set(policies)
    assert all(p.source.startswith(("approval_policy.pdf#p1.", "api.md#")) for p in policies.values())
    assert found.claims["open"] == found.claims["not_expressible"] == 0
    assert found.claims["bound"] == found.claims["business"] >= 26


def test_its_endpoints_are_tools_and_the_world_is_deep(found: Checkup) -> None:
    assert found.contract is not None
    assert set(ENDPOINTS) <= set(found.contract.tools)
    assert found.grade is not None
    assert found.grade.word == "deep"
    assert found.grade.counts["tasks"] >= 40
    assert found.grade.counts["policy"] >= 5
    rules, cased = found.grade.counts["bound_rules"], found.grade.counts["cased_rules"]
    assert describe_grade(found.grade.data())[-1].startswith(
        f"{cased} of {rules} rules held against cases that somebody else"
    )
    assert rules == cased == 9
    assert not [f for f in found.findings if f.code in ("rule_unmet", "goal_silent", "case_disagrees")]
