"""Which successes become examples, and what is left out by which reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.distill.played import Scripted, Step, changed, gold, record, write_run

from worldwright.distill import choose
from worldwright.distill.reader import EpisodeReader
from worldwright.distill.records import Dropped, EpisodeSummary, Recipe
from worldwright.distill.split import split_episodes
from worldwright.distill.summarise import BROKE, NOWHERE
from worldwright.engine.world import World
from worldwright.rollout.read import Run
from worldwright.world.tasks import Key


def chosen(*runs: Run, **recipe: Any) -> tuple[list[EpisodeSummary], dict[str, int]]:
    shelf, dropped, how = EpisodeReader([r.folder for r in runs]), Dropped(), Recipe(("sft",), **recipe)
    episodes = list(shelf.summaries())
    found = choose.choose_examples(episodes, split_episodes(episodes, how), how, dropped)
    return [s for side in found.values() for s in side], dropped.data().get("sft", {})


def looking_round(key: Key, submit: str) -> list[Step]:
    """The right way, after a look at everything."""
    reads = [(c.tool, {"limit": n}) for c in key.calls[:1] for n in (3, 4, 5)]
    return [*reads, *gold(key, submit)]


def test_only_verified_successes(library_world: World, good: Run, bad: Run, chance: Run) -> None:
    found, dropped = chosen(good, bad, chance, likeness=1)
    tasks = len(library_world.tasks)
    assert {s.status for s in found} == {"pass"}
    assert (len(found), dropped) == (tasks, {choose.FAILED: tasks * 4})  # once badly, three times by chance


def test_an_episode_without_a_verdict_is_never_used(library_world: World, tmp_path: Path) -> None:
    run = record(library_world, Scripted("gone", lambda k, s: [*gold(k, s)[:-1], None]), tmp_path / "gone")
    assert chosen(run) == ([], {choose.NO_VERDICT: len(library_world.tasks)})


def test_the_same_calls_count_once_however_they_are_spelled(
    library_world: World, good: Run, twice: Run, tmp_path: Path
) -> None:
    respelled = [changed(e, messages=tuple(map(_respelled, e.messages))) for e in twice.episodes()]
    run = write_run(tmp_path / "respelled", respelled, twice.openings.values(), "copycat")
    assert [e.messages for e in run.episodes()] != [e.messages for e in twice.episodes()]
    found, dropped = chosen(good, run, likeness=1)
    tasks = len(library_world.tasks)
    assert (len(found), dropped) == (tasks, {choose.SAME: tasks})


def _respelled(message: Mapping[str, Any]) -> dict[str, Any]:
    """Other ids, another order of arguments, an empty one more, and doubled spaces."""
    calls = [
        {**c, "id": "x", "function": {**c["function"], "arguments": _spaced(c["function"]["arguments"])}}
        for c in message.get("tool_calls", ())
    ]
    return {**message, "tool_calls": calls} if calls else dict(message)


def _spaced(arguments: str) -> str:
    given = json.loads(arguments)
    texts = {k: v.replace(" ", "  ") if isinstance(v, str) else v for k, v in reversed(given.items())}
    return json.dumps({"nothing": None, **texts}, indent=1)


def test_the_same_run_twice_is_one(good: Run, tmp_path: Path) -> None:
    copy = write_run(tmp_path / "copy", good.episodes(), good.openings.values(), "oracle")
    assert chosen(good, copy, likeness=1)[1] == {}


def test_another_way_is_another_example(library_world: World, good: Run, tmp_path: Path) -> None:
    task = library_world.tasks[3].id
    other = record(library_world, Scripted("round", looking_round), tmp_path / "round", [task])
    assert next(other.episodes()).passed
    both, dropped = chosen(good, other, likeness=1)
    assert (len(both), dropped) == (len(library_world.tasks) + 1, {})
    near, dropped = chosen(good, other, likeness=0.5)
    assert dropped[choose.NEAR] >= 1
    assert {s.agent for s in near} == {"oracle"}
    few, dropped = chosen(good, other, likeness=1, per_task=1)
    assert (len(few), dropped) == (len(library_world.tasks), {choose.CAP: 1})
    assert {s.agent for s in few} == {"oracle"}


def test_a_broken_rule_or_an_id_from_nowhere_is_no_example(good: Run, tmp_path: Path) -> None:
    first, second, *_ = good.episodes()
    guess = {"id": "x", "type": "function", "function": {"name": "get_member", "arguments": '{"member": "MEM-9999"}'}}
    asked, *rest = second.messages
    guessed = (asked, {"role": "assistant", "content": None, "tool_calls": [guess]}, *rest)
    run = write_run(
        tmp_path / "run",
        [changed(first, broken_rules=("no_loans_to_debtors",)), changed(second, messages=guessed)],
        good.openings.values(),
        "oracle",
    )
    assert chosen(run) == ([], {BROKE: 1, NOWHERE: 1})


def test_an_id_that_a_tool_showed_is_no_guess(good: Run) -> None:
    named = [s for s in EpisodeReader([good.folder]).summaries() if s.flaw == NOWHERE]
    assert named == []
