from __future__ import annotations

import pytest

from worldwright import catalogue

from .conftest import Run


def test_every_domain_is_listed(run: Run) -> None:
    found = run("catalog")
    assert found.code == 0
    domains = {d["name"]: d for d in run("catalog", "--json").data["domains"]}
    assert set(domains) == set(catalogue.names())
    for name, domain in domains.items():
        assert name in found.out
        assert domain["problem"] == ""
        assert domain["category"] in found.out
        assert set(domain["counts"]) == {"entities", "operations", "policies"}


def test_one_in_detail(run: Run) -> None:
    name = catalogue.names()[0]
    found = run("catalog", name)
    assert found.code == 0
    data = run("catalog", name, "--json").data
    for part in ("entities", "operations", "policies"):
        assert all(item["name"] in found.out for item in data[part])
    assert [line for line in found.out.splitlines() if len(line) > 100] == []
    assert f"worldwright generate --domain {name}" in found.out


def test_counts_are_those_of_the_checked_blueprint(run: Run) -> None:
    for domain in run("catalog", "--json").data["domains"]:
        checked = catalogue.load(domain["name"])
        assert domain["counts"] == {
            "entities": len(checked.schema.entities),
            "operations": len(checked.operations),
            "policies": len(checked.policies),
        }


def test_unknown_domain(run: Run) -> None:
    found = run("catalog", "hotel_boking")
    assert found.code == 3
    assert "did you mean `hotel_booking`?" in found.err


def test_a_domain_that_does_not_load_is_listed_with_its_problem(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "names", lambda: ("broken",))
    monkeypatch.setattr(catalogue, "text", lambda name: "blueprint: [")
    catalogue.entry.cache_clear()
    found = run("catalog")
    catalogue.entry.cache_clear()
    assert found.code == 0
    assert "broken.yaml" in found.out
