"""`worldwright catalog`: the plan as a tree, one domain, search, comparison, and the whole way through."""

from __future__ import annotations

import pytest

from worldwright import catalogue
from worldwright.catalogue import taxonomy
from worldwright.store.store import Store

from .conftest import Run


def test_the_tree_lists_every_domain_and_what_is_open(run: Run) -> None:
    found = run("catalog")
    assert found.code == 0
    data = run("catalog", "--json").data
    assert {d["name"] for d in data["domains"]} == set(catalogue.names())
    for category in data["categories"]:
        assert category["name"] in found.out
        for part in category["parts"]:
            assert (f"{part['name']}  open" in found.out) == (not part["domains"])
            assert all(f"{part['name']}  {domain}" in found.out for domain in part["domains"])
    assert f"{len(catalogue.names())} domains in {len(taxonomy.read_taxonomy())} categories" in found.out


def test_one_in_detail(run: Run) -> None:
    name = catalogue.names()[0]
    found = run("catalog", "show", name)
    assert found.code == 0
    assert found.out == run("catalog", name).out
    data = run("catalog", name, "--json").data
    for part in ("entities", "operations", "policies"):
        assert all(item["name"] in found.out for item in data[part])
    assert [line for line in found.out.splitlines() if len(line) > 100] == []
    share = data["depth"]["business_share"]
    assert f"({share:.0%}) have a business guard or" in found.out
    assert f"worldwright generate --domain {name}" in found.out


def test_unknown_domain(run: Run) -> None:
    for line in (("catalog", "hotel_boking"), ("catalog", "show", "hotel_boking")):
        found = run(*line)
        assert found.code == 3
        assert "did you mean `hotel_booking`?" in found.err
    found = run("catalog", "build", "hotel_boking")
    assert found.code == 2
    assert "did you mean `hotel_booking`?" in found.err


def test_search(run: Run) -> None:
    found = run("catalog", "search", "waiting", "list")
    assert found.code == 0
    assert "hotel_booking" in found.out
    assert {"domain", "score", "places"} <= run("catalog", "search", "refund", "--json").data["domains"][0].keys()
    nothing = run("catalog", "search", "zxqv")
    assert nothing.code == 1
    assert "no domain speaks of 'zxqv'" in nothing.out


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    names = ("enterprise_procurement", "retail_returns")
    monkeypatch.setattr(catalogue, "names", lambda: names)
    return names


def test_compare(run: Run, two: tuple[str, str]) -> None:
    found = run("catalog", "compare")
    (pair,) = run("catalog", "compare", "--json").data["pairs"]
    assert (pair["one"], pair["other"]) == two
    assert 0.5 < pair["distance"] < 1
    assert f"nearest of 2 domains: {two[0]} and {two[1]}, {pair['distance']:.2f} apart" in found.out


@pytest.mark.slow
def test_a_domain_goes_through_everything(run: Run) -> None:
    name = "document_control"
    found = run("catalog", "build", name, "--jobs", "1", "--json")
    assert found.code == 0, found.err
    (row,) = found.data["domains"]
    assert row["ok"]
    assert row["tests"] == row["tests_passed"] > 100
    assert row["tasks"] == sum(row["families"].values()) >= 30
    assert row["wrong"] == 0 < row["episodes"]
    assert Store().open(f"{name}:catalogue/default-7").manifest.digest == row["digest"]
    again = run("catalog", "build", name, "--jobs", "1", "--resume")
    assert again.code == 0
    assert "1 of 1 domains went through everything" in again.out
