"""The battery over the shipped worlds: nothing is judged wrongly, every cell bites, and what must pass is not its own word."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.assay.worlds import NAMES, Proved

from worldwright import catalogue
from worldwright.compiler.build import BuiltWorld
from worldwright.kinds.database.battery.activity import ActivityByRole, RoleActivity
from worldwright.kinds.database.battery.datasheet import RARE
from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.battery.run import CELLS, sheet, sheets
from worldwright.kinds.database.battery.settings import FULL
from worldwright.kinds.database.compile.tasks import accept
from worldwright.kinds.database.compile.tasks.variations import vary_values
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.verify import match as matching
from worldwright.kinds.database.verify import verdict as judging
from worldwright.kinds.database.verify.judge import SessionJudge
from worldwright.kinds.database.verify.match import Match
from worldwright.world.tasks import Key, Task, Verdict

BOTH = frozenset({"another order", "other values and ways", "a call repeated", "one write more", "rules broken"})
"""Cells whose episodes pass or fail as goal, rules and frame say."""
PASSING = frozenset({"gold", "extra reads", "recovered errors"})


@pytest.fixture(scope="module")
def activity(main: Proved) -> Callable[[str], RoleActivity]:
    shared = ActivityByRole(main.sandbox)
    return lambda role: shared.sample(role, 2)


def some_tasks(main: Proved, every: int = 6) -> tuple[tuple[Task, Key], ...]:
    return main.tasks[::every]


# nothing is judged wrongly


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_is_sealed_holds(name: str, built: Callable[[str], BuiltWorld]) -> None:
    """A task whose verifier fails is mended or dropped. Few are."""
    found = json.loads(built(name).pack.files["datasheet.json"])
    assert (found["false_accepts"], found["false_rejects"]) == (0, 0)
    talks = any(
        goal.talk and (goal.talk.knows or goal.talk.does) for goal in catalogue.load(name).blueprint.goals.values()
    )
    rare = {"a conversation", "half a conversation"} if talks else set()
    assert set(found["cells"]) - {"other times"} == {cell for cell, _ in CELLS} - RARE | rare
    failed = sum(n for reason, n in found["dropped"].items() if reason.startswith("battery"))
    assert failed <= 0.1 * len(found["tasks"])


# every cell bites


@pytest.mark.parametrize("cell", [name for name, _ in CELLS if name not in RARE])
def test_each_cell_makes_episodes(cell: str, main: Proved) -> None:
    found = json.loads(main.files["datasheet.json"])
    count, enough = found["cells"][cell], found["battery"]["name"] == FULL.name
    assert count["accepted"] or count["rejected"]
    if cell in PASSING or (cell in BOTH and enough):
        assert count["accepted"]
    if cell not in PASSING and (cell not in BOTH or enough):
        assert count["rejected"]


class Always(SessionJudge):
    """A judge that says the same of every episode."""

    def __init__(self, world: Proved, key: Key, status: str) -> None:
        super().__init__(world.sandbox.compiled, key.expects)
        self.status = status

    def verdict(self, session: Session, answer: object, submitted: bool) -> Verdict:
        return Verdict(self.status)


@pytest.mark.parametrize("status", ["pass", "fail", "error"])
def test_a_judge_that_does_not_look_is_found_out(
    status: str, main: Proved, activity: Callable[[str], RoleActivity]
) -> None:
    found = []
    for task, key in some_tasks(main):
        harness = VerifierHarness(main.sandbox, task, key, Always(main, key, status), activity=activity(task.role))
        found.append(sheet(harness))
    assert not any(one.holds for one in found)
    accepts = sum(count.false_accepts for one in found for count in one.cells.values())
    rejects = sum(count.false_rejects for one in found for count in one.cells.values())
    assert (accepts > 0, rejects > 0) == {"pass": (True, False), "fail": (False, True), "error": (True, True)}[status]


@pytest.mark.parametrize("whole", [True, False])
def test_a_matcher_that_does_not_look_is_found_out(
    whole: bool, main: Proved, activity: Callable[[str], RoleActivity], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an episode must score does not come from the matcher: with a broken one, the battery no longer holds."""

    def blind(patterns: object, net: object, span: object) -> Match:
        return Match({}, {}) if whole else Match({}, {}, (0,))

    doing = [(t, k) for t, k in some_tasks(main) if k.expects["outcome"] == "done" and k.expects["accepts"] != [[]]]
    benches = [VerifierHarness(main.sandbox, task, key, activity=activity(task.role)) for task, key in doing]
    monkeypatch.setattr(judging, "match", blind)
    for harness in benches:
        assert not sheet(harness).holds


# what must pass is found without the verifier


def test_what_an_episode_must_score_is_found_without_matching(main: Proved, monkeypatch: pytest.MonkeyPatch) -> None:
    """Goal, rules and content decide. They share with the verifier what a goal means (its condition, and which facts a text
    states), which rules a session broke, and which columns count; no pattern, no renaming and no answer."""

    def never(*_: object) -> Match:
        raise AssertionError("the oracle asked the matcher")

    task, key = next((t, k) for t, k in main.tasks if len(k.expects["accepts"][0]) > 1)
    harness = VerifierHarness(main.sandbox, task, key)
    plans = [v.plan for v in vary_values(main.sandbox, harness.plan, ("test",), 4)]
    before = [(harness.end(plan).right, harness.is_gold(harness.end(plan))) for plan in plans]
    for module in (matching, judging, accept):
        monkeypatch.setattr(module, "match", never)
    assert [(harness.end(plan).right, harness.is_gold(harness.end(plan))) for plan in plans] == before
    with pytest.raises(AssertionError, match="asked the matcher"):
        harness.verdict(key.answer)


def test_a_battery_over_some_tasks_is_that_over_all_of_them(main: Proved) -> None:
    """What tasks share comes from the world, so that a sheet does not depend on which others are looked at."""
    one, two = main.tasks[2], main.tasks[9]
    (alone,) = sheets(main.sandbox, [two], replace(FULL, walks=2))
    _, together = sheets(main.sandbox, [one, two], replace(FULL, walks=2))
    assert alone == together
