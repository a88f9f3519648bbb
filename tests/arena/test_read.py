"""An arena read back from its folder says what it said when it was held, and leads from a number to the episodes behind it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from worldwright.arena.contest import PAGE, REPORT, Contest, plan_contest, run_folder, summarise_contest, write_contest
from worldwright.arena.evaluate import Worlds, evaluate
from worldwright.arena.fresh import gather_field
from worldwright.arena.page import page, render_contest
from worldwright.arena.read import TRAITS, read_contest, select_failures
from worldwright.arena.weakness import rank_weaknesses
from worldwright.core.errors import UsageError
from worldwright.rollout.plan import AgentSpec, TaskFilter
from worldwright.rollout.records import Limits
from worldwright.rollout.report.links import Links
from worldwright.rollout.run import roll


@pytest.fixture(scope="module")
def held(gym_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Contest]:
    field = gather_field([str(gym_folder)], TaskFilter(sample=6), attempts=1)
    out, worlds = tmp_path_factory.mktemp("arena"), Worlds(field.places)
    plans = [plan_contest(field, AgentSpec(name), Limits(turns=12)) for name in ("planner", "random", "noop")]
    found = [evaluate(roll(plan, run_folder(out, plan), workers=0), worlds) for plan in plans]
    contest = summarise_contest(field, found, found[1])
    write_contest(out, contest)
    return out, contest


def test_what_is_read_is_what_was_held(held: tuple[Path, Contest]) -> None:
    folder, contest = held
    kept = read_contest(folder)
    assert page(kept.name, kept.evaluations, kept.pairs, kept.advice, kept.left_out) == (folder / PAGE).read_text()
    by_key = {one.agent_id: one for one in kept.evaluations}
    assert len(by_key) == len(contest.evaluations)
    for before in contest.evaluations:
        after = by_key[before.agent_id]
        assert (after.agent, after.rate, after.rows) == (before.agent, before.rate, before.rows)
        assert [f.data() for f in after.failures] == [f.data() for f in before.failures]
        assert after.policies == before.policies
        assert after.tools == before.tools
    assert set(kept.runs) == {one.agent_id for one in contest.evaluations}


def test_numbers_lead_to_what_they_count(held: tuple[Path, Contest]) -> None:
    class Counting(Links):
        def failures(self, agent: str, **which: str) -> str:
            asked.append((agent, which))
            return "/here"

    asked: list[tuple[str, dict[str, str]]] = []
    kept = read_contest(held[0])
    body = render_contest(kept.name, kept.evaluations, kept.pairs, kept.advice, kept.left_out, Counting())
    assert 'href="/here"' in "".join(map(str, body))
    by_agent = {one.agent: one for one in kept.evaluations} | {one.agent_id: one for one in kept.evaluations}
    assert asked
    for agent, which in asked:
        assert set(which) <= set(TRAITS)
        assert select_failures(by_agent[agent].failures, which), (agent, which)


def test_failures_are_chosen_by_what_they_share(held: tuple[Path, Contest]) -> None:
    one = next(one for one in read_contest(held[0]).evaluations if one.agent == "random")
    for weak in rank_weaknesses(one):
        assert len([f for f in one.failures if f.diagnosis.kind == weak.kind]) == len(
            select_failures(one.failures, {"kind": weak.kind})
        )
    assert select_failures(one.failures, {}) == list(one.failures)
    assert select_failures(one.failures, {"kind": "nothing of the sort"}) == []


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"field": 5}', '{"field": {"episodes": "x"}, "agents": []}', "[" * 100_000, "\x00"],
    ids=["empty", "list", "map", "number", "words", "deep", "nul"],
)
def test_a_damaged_arena_is_said(held: tuple[Path, Contest], tmp_path: Path, text: str) -> None:
    folder = tmp_path / "arena"
    shutil.copytree(held[0], folder)
    (folder / REPORT).write_text(text)
    with pytest.raises(UsageError, match="no arena that can be read"):
        read_contest(folder)


@pytest.mark.parametrize("spoil", ["failures", "runs", "rate"])
def test_an_arena_of_which_something_is_missing_is_said(held: tuple[Path, Contest], tmp_path: Path, spoil: str) -> None:
    folder = tmp_path / "arena"
    shutil.copytree(held[0], folder)
    if spoil == "failures":
        next(folder.glob("failures-random*")).unlink()
    elif spoil == "runs":
        shutil.rmtree(folder / "runs")
    else:
        data = json.loads((folder / REPORT).read_text())
        data["agents"][0]["policies"] = {"x": {"value": "much"}}
        (folder / REPORT).write_text(json.dumps(data))
    with pytest.raises(UsageError, match="no arena that can be read"):
        read_contest(folder)
