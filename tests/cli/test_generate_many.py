"""`generate --variants`: what is shown and reported, what is refused, and what is handed out besides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldwright.pack.open import open_pack
from worldwright.store.store import Store

from .conftest import LIBRARY, Run

BOATS = LIBRARY.parent / "boat_hire.yaml"
FEW = ("generate", "--blueprint", str(BOATS), "--variants", "3", "--no-tasks", "--workers", "1")


@pytest.fixture
def done(run: Run) -> Any:
    found = run(*FEW, "--json")
    assert found.code == 0, found.err
    return found.data


def test_the_document_says_what_there_is(run: Run, done: Any) -> None:
    assert done["references"] == ["boat_hire:latest"]
    assert done["counts"]["variants"] == done["asked"] == done["built"] == len(done["worlds"]) == 3
    assert done["failed"] == []
    assert done["near_duplicates"]["pairs"] == 3
    figures = done["figures"]
    assert figures["core_seconds"] > 0
    assert figures["stored_bytes_per_world"] < figures["unpacked_bytes_per_world"]
    lines = [json.loads(line) for line in Path(done["worlds_file"]).read_text().splitlines()]
    assert lines == done["worlds"]
    for world in done["worlds"]:
        assert Store().variants("boat_hire", "latest")[world["variant"]] == world["digest"]
    assert run("verify", f"boat_hire:latest/{done['worlds'][2]['variant']}").code == 0
    assert run("rebuild", f"boat_hire:latest/{done['worlds'][2]['variant']}").code == 0


def test_words_say_the_same_and_what_comes_next(run: Run) -> None:
    found = run(*FEW)
    assert found.code == 0
    assert "3 variants of 1 family: 2 policy-distinct, 1 with other rows only" in found.out
    assert "3 now, 0 were there, 0 failed" in found.out
    assert "no near-duplicates in 3 pairs of 3 worlds that were compared" in found.out
    assert "worldwright rollout --gym boat_hire:latest" in found.out
    again = run(*FEW)
    assert again.code == 0
    assert "finished before: every world of this run is there" in again.out
    assert "0 now, 3 were there" in again.out


def test_a_dry_run_builds_nothing(run: Run, home: Path) -> None:
    found = run(*FEW, "--dry-run")
    assert found.code == 0
    assert "3 variants of 1 family" in found.out
    assert not home.exists()
    plan = run(*FEW, "--dry-run", "--json").data
    assert plan["families"] == {"boat_hire": {"variants": 3, "jobs": 2, "layers": []}}
    assert plan["counts"]["variants"] == 3


@pytest.mark.slow
def test_worlds_of_many_have_few_tasks_unless_told_otherwise(run: Run) -> None:
    args = ("generate", "--blueprint", str(BOATS), "--variants", "1", "--workers", "1", "--json")
    done = run(*args).data
    assert 5 < done["worlds"][0]["tasks"] <= 12
    fewer = run(*args, "--tasks-per-world", "3", "--battery", "full", "--tag", "few").data
    assert 0 < fewer["worlds"][0]["tasks"] <= 3
    sheets = [json.loads(Store().open(f"boat_hire:{tag}").files["datasheet.json"]) for tag in ("latest", "few")]
    assert [sheet["battery"]["name"] for sheet in sheets] == ["bulk", "full"]
    assert fewer["order"] != done["order"]
    assert run("inspect", "boat_hire:few").code == 0


def test_folders_beside_the_store(run: Run, tmp_path: Path) -> None:
    done = run(*FEW, "--out", str(tmp_path / "out"), "--json").data
    folders = {open_pack(folder).manifest.digest for folder in (tmp_path / "out").iterdir()}
    assert folders == {world["digest"] for world in done["worlds"]}


def test_several_families(run: Run) -> None:
    args = ("--blueprint", str(BOATS), "--blueprint", str(LIBRARY), "--no-tasks", "--workers", "1", "--json")
    done = run("generate", *args).data
    assert done["references"] == ["boat_hire:latest", "town_library:latest"]
    assert done["counts"]["families"] == done["counts"]["variants"] == 2


def test_a_layer_is_laid_over_one_world_and_over_many(run: Run) -> None:
    one = ("generate", "--blueprint", str(BOATS), "--no-tasks", "--inject", "rate limits", "--json")
    alone = run(*one).data
    many = run(*one, "--variants", "2", "--axes", "policy", "--workers", "1").data
    assert many["layers"] == {"boat_hire": ["rate_limits"]}
    assert alone["parent"] != ""
    assert run("inspect", alone["reference"], "--json").code == 0
    assert many["counts"]["policy_distinct"] == 2


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--variants", "3"), 2, "--domain NAME or --blueprint FILE, or --all"),
        (("--all", "--domain", "hotel_booking"), 2, "leave --domain and --blueprint out"),
        (("--domain", "hotel_bookin", "--variants", "2"), 3, "did you mean `hotel_booking`?"),
        (("--domain", "catalogue/hotel_bookin", "--variants", "2"), 3, "did you mean `hotel_booking`?"),
        (("--blueprint", str(BOATS), "--variants", "0"), 2, "0"),
        (("--blueprint", str(BOATS), "--variants", "2", "--axes", "polcy"), 2, "did you mean `policy`?"),
        (("--blueprint", str(BOATS), "--variants", "2", "--knob", "wirtes=2"), 2, "did you mean `writes`?"),
        (("--blueprint", str(BOATS), "--variants", "2", "--variant", "a=b"), 2, "--variant is about one world"),
        (("--blueprint", str(BOATS), "--variants", "2", "--inject", "rate limit"), 2, "did you mean `rate_limits`?"),
        (("--blueprint", str(BOATS), "--variants", "2", "--axes", "complexity", "--complexity", "low"), 2, "leave one"),
        (
            ("--blueprint", str(BOATS), "--variants", "2", "--no-tasks", "--tasks-per-world", "3"),
            2,
            "--no-tasks leaves",
        ),
        (("--blueprint", str(BOATS), "--blueprint", str(BOATS)), 2, "two Blueprints are called `boat_hire`"),
        (("--blueprint", str(BOATS), "--workers", "2"), 2, "--workers is about many worlds"),
        (("--blueprint", str(BOATS), "--dry-run"), 2, "--dry-run is about many worlds"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(
    run: Run, home: Path, args: tuple[str, ...], code: int, message: str
) -> None:
    found = run("generate", *args)
    assert found.code == code
    assert message in found.err
    assert found.out == ""
    assert not home.exists()
