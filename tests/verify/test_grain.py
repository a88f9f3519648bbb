"""At most twelve assertions, whatever a task asks for; and what is told together decides as it would apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.verify.made_world import made_world, near_misses, play

from worldwright.blueprint.types import TEXT
from worldwright.kinds.database.verify import verdict as verdicts
from worldwright.kinds.database.verify.patterns import Pattern
from worldwright.kinds.database.verify.spec import Names, Reported, Specification, Stated, Wanted
from worldwright.kinds.database.verify.verdict import MAX_ASSERTIONS, parts_to_merge
from worldwright.world.tasks import Verdict

pytestmark = pytest.mark.xdist_group("made world")

SMALL = Specification(
    goals=(Wanted("reach it", Names(), lambda uow, frame: True),),
    accepts=((Pattern("added", "order", "order_1", "", {}), Pattern("changed", "stock", "", "ST-1", {})),),
    rules=("one", "two"),
    answers=(Reported("outcome", TEXT, "done"),),
)


def test_a_small_task_is_told_in_full() -> None:
    assert parts_to_merge(SMALL) == frozenset()


def test_rules_come_together_first_and_answers_last() -> None:
    rules = tuple(map(str, range(7)))
    assert parts_to_merge(replace(SMALL, rules=rules)) == {"rules"}
    rows = tuple(Pattern("added", f"table_{i}", "", "", {}) for i in range(15))
    assert parts_to_merge(replace(SMALL, rules=rules, accepts=(rows,))) == {"rules", "changes"}
    assert parts_to_merge(replace(SMALL, accepts=((), rows))) == {"rules", "changes"}
    stated = Stated(Names(), lambda uow, frame: "", lambda uow, frame: "", TEXT)
    goals = tuple(replace(SMALL.goals[0], name=str(i)) for i in range(20))
    answers = tuple(Reported(str(i), TEXT) for i in range(20))
    everything = replace(SMALL, rules=rules, accepts=(rows,), texts=(stated,) * 20, goals=goals, answers=answers)
    assert parts_to_merge(everything) == {"rules", "changes", "texts", "goals", "answers"}


def test_told_together_or_apart_the_verdict_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Episodes of tasks that ask for more than twelve things."""
    world = made_world()
    env = world.env()

    def verdict(most: int) -> Verdict:
        monkeypatch.setattr(verdicts, "MAX_ASSERTIONS", most)
        return env.verify()

    large = seen = 0
    for task, key in world.tasks:
        env.reset(task.id)
        if large == 4 or len(verdict(1_000).assertions) <= MAX_ASSERTIONS:
            continue
        large += 1
        for played in near_misses(world, task, key, 2):
            play(env, task, played)
            fine, coarse = verdict(1_000), verdict(MAX_ASSERTIONS)
            assert coarse.status == fine.status, (task.id, played.what)
            assert 3 <= len(coarse.assertions) <= MAX_ASSERTIONS < len(fine.assertions)
            seen += 1
    assert large
    assert seen > 10
