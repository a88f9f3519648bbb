"""`blueprint new` and `blueprint preview`: from nothing to a world of one's own, with something to look at on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.blueprint.load import load_file
from worldwright.catalogue import taxonomy
from worldwright.catalogue.standard import FAMILIES

from .conftest import Run


@pytest.fixture
def begun(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    found = run("blueprint", "new", "sea_freight", "--category", "freight forwarding")
    assert found.code == 0, found.err
    assert "worldwright blueprint preview sea_freight.yaml" in found.out
    return tmp_path / "sea_freight.yaml"


def test_what_is_begun_checks_and_belongs_somewhere(run: Run, begun: Path) -> None:
    assert run("blueprint", "check", str(begun)).code == 0
    blueprint = load_file(begun).blueprint
    assert (blueprint.blueprint, blueprint.title) == ("sea_freight", "Sea freight")
    assert blueprint.category == "Logistics / Freight forwarding"
    assert blueprint.category in taxonomy.list_parts()
    assert begun.stat().st_mode & 0o044, "others may read what was begun"


def test_a_preview_shows_rows_goals_tasks_and_what_is_lacking(run: Run, begun: Path) -> None:
    found = run("blueprint", "preview", str(begun), "--rows", "1")
    assert found.code == 0, found.err
    data = run("blueprint", "preview", str(begun), "--rows", "1", "--json").data
    for table, facts in data["tables"].items():
        assert f"{table}  {facts['rows']:,} rows" in found.out
        assert len(facts["samples"]) == 1
    assert {t["family"] for t in data["tasks"]} == set(FAMILIES)
    goals = {g["name"]: g for g in data["goals"]}
    assert goals["accept_it"]["possible"] > 0
    assert set(goals["accept_it"]["forbidden"]) == {"within_credit", "large_jobs"}
    assert "4 entities, 8 wanted" in found.out
    assert "4 entities, 8 wanted" in data["lacking"]
    assert [line for line in found.out.splitlines() if len(line) > 100] == []


def test_a_preview_can_do_without_tasks(run: Run, begun: Path) -> None:
    data = run("blueprint", "preview", str(begun), "--tasks", "0", "--rows", "0", "--json").data
    assert (data["tasks"], data["goals"]) == ([], [])
    assert all(facts["samples"] == [] for facts in data["tables"].values())
    book = run("blueprint", "preview", str(begun), "--handbook")
    assert "Valued clients are served whatever is open." in book.out


def test_a_goal_that_cannot_be_done_says_why(run: Run, begun: Path) -> None:
    text = begun.read_text().replace(
        "given: {j: job where status == 'accepted'}\n    wants: j.status == 'finished'",
        "given: {j: job}\n    wants: j.status == 'finished'",
    )
    begun.write_text(text)
    found = run("blueprint", "preview", str(begun), "--rows", "0")
    assert found.code == 0, found.err
    assert "fail: INVALID_STATE" in found.out


def test_a_preview_of_what_does_not_check_has_its_findings(run: Run, begun: Path) -> None:
    begun.write_text(begun.read_text().replace("rule: c.open_charges", "rule: c.open_chargs"))
    found = run("blueprint", "preview", str(begun))
    assert found.code != 0
    assert "open_charges" in found.err


def test_it_can_be_built(run: Run, begun: Path) -> None:
    made = run("generate", "--blueprint", str(begun), "--seed", "3", "--json")
    assert made.code == 0, made.err
    assert made.data["name"] == "sea_freight"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("Sea Freight", "--category", "Warehousing"), "is no name of a Blueprint"),
        (("hotel_booking", "--category", "Hotels"), "the catalogue has a hotel_booking already"),
        (("sea_freight", "--category", "Logistics"), "has parts, name one of them: Logistics / Freight forwarding;"),
        (("sea_freight", "--category", "Warehusing"), "the plan has no place 'Warehusing'"),
        (("sea_freight", "--category", "Warehousing", "--title", "a: b"), "is no title"),
    ],
)
def test_wrong_beginnings(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("blueprint", "new", *line)
    assert found.code == 2
    assert said in found.err
    assert list(tmp_path.glob("*.yaml")) == []


def test_a_file_that_is_there_stays(run: Run, begun: Path) -> None:
    begun.write_text("mine")
    found = run("blueprint", "new", "sea_freight", "--category", "Warehousing")
    assert found.code == 2
    assert begun.read_text() == "mine"
    other = run("blueprint", "new", "sea_freight", "--category", "Warehousing", "--out", "deep/other.yaml")
    assert other.code == 0
    assert "category: Logistics / Warehousing" in (begun.parent / "deep" / "other.yaml").read_text()
