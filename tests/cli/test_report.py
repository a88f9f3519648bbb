"""`worldwright report` as a shell runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.rollout.made_runs import episode, run_of, write_run

from worldwright.cli import exits


@pytest.fixture
def one(tmp_path: Path) -> str:
    statuses = {"a": ["pass", "fail"], "b": ["pass", "pass"], "c": ["fail", "error"]}
    more = run_of({"d": ["fail", "fail"]}, family="policy", role="manager", features={"calls": 12})
    return str(write_run(tmp_path / "one", [*run_of(statuses), *more]))


@pytest.fixture
def two(tmp_path: Path) -> str:
    return str(
        write_run(
            tmp_path / "two", run_of({"a": ["pass", "pass"], "b": ["pass", "pass"]}, agent="other", sees_key=True)
        )
    )


def test_one_run_on_the_screen(run: Run, one: str) -> None:
    done = run("report", one)
    assert done.code == exits.OK
    for part in ("PASS RATE  43%", "3 of 7 episodes of 4 tasks passed; 1 have no verdict", "FAMILIES", "DIFFICULTY", "booked",
                 "the endpoint is away", "--html report.html"):  # fmt: skip
        assert part in done.out
    assert max(map(len, done.out.splitlines()[:-1])) <= 100


def test_one_grouping(run: Run, one: str) -> None:
    done = run("report", one, "--by", "calls", "--by", "role")
    assert "CALLS" in done.out
    assert "ROLE" in done.out
    assert "FAMILIES" not in done.out
    wrong = run("report", one, "--by", "cals")
    assert (wrong.code, wrong.out) == (exits.USAGE, "")
    assert "did you mean `calls`?" in wrong.err


def test_runs_side_by_side(run: Run, one: str, two: str) -> None:
    done = run("report", two, one)
    assert done.code == exits.OK
    assert "against other" in done.out
    assert "-25.0 points" in done.out
    assert "other is given the key of every task" in " ".join(done.out.split())
    assert "FAMILY" in done.out


def test_as_json(run: Run, one: str, two: str) -> None:
    data = run("report", one, "--json", "--by", "role").data
    assert data["runs"][0]["rate"]["passed"] == 3
    assert data["runs"][0]["rate"]["errors"] == 1
    assert data["runs"][0]["by"]["role"]["groups"]["manager"]["value"] == 0
    assert [p["k"] for p in data["runs"][0]["pass_at_k"]] == [1, 2]
    assert data["differences"] == []
    [gap] = run("report", one, two, "--json").data["differences"]
    assert (gap["run"], gap["against"], gap["tasks"], gap["value"]) == ("other", "tester", 2, 0.25)


def test_the_page_is_written(run: Run, one: str, two: str, tmp_path: Path) -> None:
    target = tmp_path / "pages" / "report.html"
    done = run("report", one, two, "--html", str(target), "--json")
    assert done.code == exits.OK
    assert len(done.data["runs"]) == 2
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_what_is_no_run_is_told(run: Run, one: str, tmp_path: Path) -> None:
    nothing = run("report", str(tmp_path))
    assert nothing.code == exits.USAGE
    assert "is no run: it has no run.json" in nothing.err
    missing = run("report", one, str(tmp_path / "nowhere"))
    assert missing.code == exits.NOT_FOUND
    assert "nowhere does not exist" in missing.err
    assert run("report").code == exits.USAGE


def test_runs_that_have_not_ended_are_left_out_and_named(run: Run, one: str, two: str, tmp_path: Path) -> None:
    going = str(write_run(tmp_path / "going", [episode()], ended=False))
    page = tmp_path / "page.html"
    alone = run("report", going, "--html", str(page))
    assert alone.code == exits.USAGE
    assert "has not ended" in alone.err
    assert not page.exists()
    both = run("report", one, going, two, "--html", str(page), "--json")
    assert both.code == exits.OK
    assert f"{going} is left out: the run has not ended" in both.err
    assert len(both.data["runs"]) == 2
    assert page.exists()


def test_nothing_that_a_terminal_obeys_reaches_it(run: Run, tmp_path: Path) -> None:
    bad = "\x1b[31mred\u202e"
    made = [
        episode(s, agent=bad, domain=bad, family=bad, role=bad, task=s, features={bad: s})
        for s in ("pass", "fail", "error")
    ]
    folder = str(write_run(tmp_path / "bad", made))
    for done in (run("report", folder), run("report", folder, folder), run("report", folder, "--by", bad)):
        assert done.code == exits.OK
        assert not {"\x1b", "\u202e"} & set(done.out)
