"""Which failures make pairs, with which successes, and where they are cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.distill.played import Scripted, Step, changed, gold, record, write_run, wrong_answer

from worldwright.agents.chat import make_text_message
from worldwright.distill import pairs as p
from worldwright.distill.choose import CAP
from worldwright.distill.reader import EpisodeReader
from worldwright.distill.records import Dropped, Pair, Recipe
from worldwright.distill.split import split_episodes
from worldwright.distill.summarise import CUT, INEXACT, UNREADABLE
from worldwright.engine.world import World
from worldwright.rollout.read import Run
from worldwright.rollout.records import Limits
from worldwright.world.tasks import Key


def paired(*runs: Run, **recipe: Any) -> tuple[list[Pair], dict[str, int]]:
    shelf, dropped, how = EpisodeReader([r.folder for r in runs]), Dropped(), Recipe(("dpo",), **recipe)
    episodes = list(shelf.summaries())
    found = p.choose_pairs(shelf, episodes, split_episodes(episodes, how), how, dropped)
    return [pair for side in found.values() for pair in side], dropped.data().get("dpo", {})


def longest(world: World) -> str:
    """The task with the longest key."""
    return max(world.tasks, key=lambda t: len(world.key(t.id).calls)).id


def first_read_twice(key: Key, submit: str) -> list[Step]:
    return [gold(key, submit)[0], *wrong_answer(key, submit)]


def garbled(key: Key, submit: str) -> list[Step]:
    call = {"id": "c", "type": "function", "function": {"name": key.calls[0].tool, "arguments": "{oh"}}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}, (submit, {})]


def silent(key: Key, submit: str) -> list[Step]:
    return [make_text_message("What do you mean?")]


def unreached(key: Key, submit: str) -> list[Step]:
    return [None]


def odd_number(key: Key, submit: str) -> list[Step]:
    return [(submit, {"share": 0.57})]


def test_the_success_that_goes_along_longest_is_chosen(library_world: World, good: Run, tmp_path: Path) -> None:
    """Two ways are right. A failure that starts like the second is paired with the second, where it leaves it."""
    task = longest(library_world)
    way = record(library_world, Scripted("round", lambda k, s: [gold(k, s)[0], *gold(k, s)]), tmp_path / "way", [task])
    assert next(way.episodes()).passed
    lost = record(library_world, Scripted("lost", first_read_twice), tmp_path / "lost", [task])
    [pair], dropped = paired(good, way, lost)
    assert pair.chosen.agent == "round"
    assert pair.at == len(library_world.key(task).calls) + 1
    assert dropped == {}
    [pair], _ = paired(good, lost)
    assert (pair.chosen.agent, pair.at) == ("oracle", 1)


def test_what_a_success_did_as_well_is_no_mistake(library_world: World, good: Run, tmp_path: Path) -> None:
    task = longest(library_world)
    way = record(library_world, Scripted("round", lambda k, s: [gold(k, s)[0], *gold(k, s)]), tmp_path / "way", [task])
    [episode] = way.episodes()
    flawed = write_run(tmp_path / "flawed", [changed(episode, broken_rules=("x",))], way.openings.values(), "round")
    lost = record(library_world, Scripted("lost", first_read_twice), tmp_path / "lost", [task])
    assert paired(good, flawed, lost) == ([], {p.ALSO_RIGHT: 1})


@pytest.mark.parametrize(
    ("script", "reason"), [(garbled, UNREADABLE), (odd_number, INEXACT), (unreached, "no verdict")]
)
def test_failures_that_make_no_pair(library_world: World, good: Run, tmp_path: Path, script: Any, reason: str) -> None:
    run = record(library_world, Scripted("x", script), tmp_path / "run", ["task_001"])
    assert paired(good, run) == ([], {reason: 1})


def test_words_instead_of_a_call_are_rejected(library_world: World, good: Run, tmp_path: Path) -> None:
    run = record(library_world, Scripted("x", silent), tmp_path / "run", ["task_001"])
    [pair], _ = paired(good, run)
    assert (pair.kind, pair.at) == ("words", 0)


def test_a_limit_is_no_mistake(library_world: World, good: Run, tmp_path: Path) -> None:
    task = longest(library_world)
    late = record(library_world, Scripted("late", gold), tmp_path / "late", [task], limits=Limits(turns=1))
    assert paired(good, late) == ([], {p.STOPPED: 1})
    wordy = record(library_world, Scripted("wordy", silent), tmp_path / "wordy", [task], limits=Limits(output=3))
    assert paired(good, wordy) == ([], {CUT: 1})


def test_a_call_that_came_to_the_same_is_no_mistake(library_world: World, good: Run, tmp_path: Path) -> None:
    """The same search with a limit that changes nothing: other calls, the same knowledge, the same state."""

    def limited(key: Key, submit: str) -> list[Step]:
        first = key.calls[0]
        return [(first.tool, {**first.arguments, "limit": 49}), *wrong_answer(key, submit)[1:]]

    task = next(
        t.id
        for t in library_world.tasks
        if library_world.key(t.id).calls[0].tool.startswith(("find", "list", "search"))
    )
    run = record(library_world, Scripted("x", limited), tmp_path / "run", [task])
    assert paired(good, run) == ([], {p.ALIKE: 1})


def test_without_a_success_there_is_no_pair(library_world: World, bad: Run) -> None:
    assert paired(bad) == ([], {p.ALONE: len(library_world.tasks)})


def test_only_decisive_pairs_and_no_more_than_asked_for(good: Run, chance: Run) -> None:
    every, _ = paired(good, chance, per_task=9)
    telling, dropped = paired(good, chance, per_task=9, decisive=True)
    assert {q.kind for q in every} > {q.kind for q in telling}
    assert {q.kind for q in telling} <= set(p.DECISIVE)
    assert len(every) - len(telling) == dropped[p.MILD]
    few, dropped = paired(good, chance, per_task=1)
    assert len(few) == len({q.rejected.task for q in few}) < len(every)
    assert dropped[CAP] == len(every) - len(few)


def test_both_sides_stood_at_the_same_place(good: Run, bad: Run, chance: Run) -> None:
    found, _ = paired(good, bad, chance)
    assert found
    for pair in found:
        assert pair.chosen.ask == pair.rejected.ask
        assert pair.chosen.states[: pair.at + 1] == pair.rejected.states[: pair.at + 1]
        assert pair.chosen.moves[pair.at] != pair.rejected.moves[pair.at]
        assert (pair.chosen.status, pair.rejected.status) == ("pass", "fail")
