"""Which tasks come when: evenly, or where there is something to learn; always the same for the same seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.train import small_models

from worldwright.core.errors import UsageError
from worldwright.gate import results
from worldwright.gate.band import Band
from worldwright.gate.records import FIXED, GateAgent, GateResult, Terms
from worldwright.train.rollouts import WorldTask
from worldwright.train.task_sampling import (
    compute_mean_solve_rate,
    estimate_reward_variance,
    load_gate_estimates,
    load_tasks,
    sample_evenly,
    sample_tasks_by_variance,
    sample_tasks_evenly,
    update_estimates,
)


@given(st.integers(1, 9), st.integers(1, 7), st.integers(0, 5))
def test_everything_comes_equally_often(items: int, number: int, seed: int) -> None:
    drawn = [one for step in range(items) for one in sample_evenly(range(items), number, step, seed, "x")]
    assert Counter(drawn) == dict.fromkeys(range(items), number)


def test_a_batch_is_of_many_worlds(tasks: list[WorldTask]) -> None:
    batches = [sample_tasks_evenly(tasks, 4, step, 0) for step in range(len(tasks))]
    assert all(Counter(p.variant for p in batch) == {"seed_7": 2, "seed_8": 2} for batch in batches)
    assert {p.name for batch in batches for p in batch} == {p.name for p in tasks}
    assert batches == [sample_tasks_evenly(tasks, 4, step, 0) for step in range(len(tasks))]
    assert batches != [sample_tasks_evenly(tasks, 4, step, 1) for step in range(len(tasks))]


def test_tasks_that_differ_are_drawn_more_often(tasks: list[WorldTask]) -> None:
    some = tasks[:3]
    seen = {some[0].name: (0.0, 40.0), some[1].name: (20.0, 40.0), some[2].name: (40.0, 40.0)}
    drawn = Counter(sample_tasks_by_variance(some, seen, 1, step, 0)[0].name for step in range(300))
    assert drawn[some[1].name] > 200
    assert len(drawn) == 3
    assert sorted(p.name for p in sample_tasks_by_variance(some, seen, 3, 0, 0)) == sorted(p.name for p in some)


def test_estimates_follow_what_is_seen(tasks: list[WorldTask]) -> None:
    one = tasks[0]
    seen = update_estimates({}, [(one, 1.0), (one, 0.0), (one, None)])
    assert seen == {one.name: (1.0, 2.0)}
    later = update_estimates(seen, [(one, 1.0)] * 8)
    assert estimate_reward_variance(*later[one.name]) < estimate_reward_variance(*seen[one.name])
    assert estimate_reward_variance(0, 0) == pytest.approx(1 / 12)


def test_what_failed_again_and_again_makes_room_for_what_is_open(tasks: list[WorldTask]) -> None:
    """Where tasks are mostly failed, one that was never tried is worth more than one that always failed, and less than one that
    was solved now and then."""
    dead, now_and_then, new = tasks[0].name, tasks[1].name, tasks[2].name
    seen = {dead: (0.0, 16.0), now_and_then: (4.0, 16.0)}
    drawn = Counter(sample_tasks_by_variance(tasks[:3], seen, 1, step, 0)[0].name for step in range(400))
    assert drawn[now_and_then] > drawn[new] > 5 * drawn[dead]
    unseen = [compute_mean_solve_rate({str(at): (0.0, 16.0) for at in range(n)}) for n in (0, 1, 50)]
    assert unseen[0] == 0.5 > unseen[1] > unseen[2] > 0
    assert estimate_reward_variance(4, 16, unseen[2]) > 30 * estimate_reward_variance(0, 16, unseen[2]) > 0


def test_what_a_gate_counted_is_the_start(tasks: list[WorldTask]) -> None:
    one = tasks[0]
    attempts = {one.task_id: {1: True, 2: False, 3: False}}
    who = GateAgent("planner", "0" * 16)
    results.save(
        GateResult(one.world.digest, one.world.name, one.variant, who, Terms(), Band(2, 4, 5), FIXED, attempts)
    )
    assert load_gate_estimates(tasks) == {one.name: (1.0, 3.0)}


def test_tasks_can_be_chosen(gym_folder: Path) -> None:
    chosen = load_tasks([str(gym_folder)], ["task_00[12]"])
    assert {p.task_id for p in chosen} == {"task_001", "task_002"}
    short = load_tasks([str(gym_folder)], max_calls=3)
    assert short
    assert all(len(p.world.key(p.task_id).calls) <= 3 for p in short)
    with pytest.raises(UsageError, match="no task named task_9\\* with at most 2 calls"):
        load_tasks([str(gym_folder)], ["task_9*"], 2)


def test_what_a_benchmark_has_is_not_trained_on(gym_folder: Path, tasks: list[WorldTask]) -> None:
    one = tasks[0]
    results.write(results.find_folder(one.world.digest) / results.CONTAMINATION, {"dropped": [one.task_id]})
    assert one.name not in {p.name for p in small_models.list_tasks(gym_folder)}
