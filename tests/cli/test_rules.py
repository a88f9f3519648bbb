"""`blueprint rules`: sentences beside what the code decides."""

from __future__ import annotations

from pathlib import Path

from worldwright.cli import exits

from .conftest import Run

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "town_library.yaml")


def test_a_reader_sees_sentence_bound_and_verdicts(run: Run) -> None:
    found = run("blueprint", "rules", EXAMPLE, "--policy", "no_debts")
    assert found.code == exits.OK, found.err
    assert "Members who owe more than EUR 10 borrow nothing until they have paid." in found.out
    assert "member.owed: 9.99 allowed; 10.00 allowed (at the bound); 10.01 forbidden" in found.out


def test_the_same_as_data(run: Run) -> None:
    data = run("blueprint", "rules", EXAMPLE, "--json").data
    owed = next(p for p in data["policies"] if p["policy"] == "no_debts")
    assert [c["verdict"] for c in owed["bounds"][0]["cases"]] == ["allowed", "allowed", "forbidden"]
    assert all(b["whole"] and b["decides"] for p in data["policies"] for b in p["bounds"])


def test_a_policy_that_is_not_there_is_said_with_the_nearest(run: Run) -> None:
    found = run("blueprint", "rules", EXAMPLE, "--policy", "no_debt")
    assert found.code == exits.USAGE
    assert "no_debts" in found.err
