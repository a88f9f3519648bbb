from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.gate.kept_tasks import load_kept_tasks

from worldwright.core.errors import StoreError, UsageError
from worldwright.core.rng import Stream
from worldwright.gate import results
from worldwright.gate.band import Band
from worldwright.gate.records import GateAgent, Terms, list_cautions
from worldwright.gate.run import Gate, GatedWorld, Heard, Order, run
from worldwright.rollout.records import EpisodeKey, Limits

WORLD, OTHER = "a" * 64, "b" * 64
PLANNER, MODEL = GateAgent("planner", "1" * 16), GateAgent("openai:tiny", "2" * 16, {"model": "tiny"})
TASKS = tuple(f"task_{n:03d}" for n in range(1, 7))
SUBJECT = GatedWorld(WORLD, "library", "default-7", TASKS)
SUCCESSES = {"task_001": 0, "task_002": 1, "task_003": 2, "task_004": 3, "task_005": 4, "task_006": 5}
"""Of the first five attempts."""

Result = Callable[[EpisodeKey], bool | None]


class Played:
    """Plays attempts by a rule, and remembers which."""

    def __init__(self, rule: Result, stop_after: int | None = None) -> None:
        self.rule, self.stop_after = rule, stop_after
        self.spots: list[EpisodeKey] = []

    def __call__(self, spots: Sequence[EpisodeKey], heard: Heard) -> None:
        for spot in spots:
            if self.stop_after is not None and len(self.spots) == self.stop_after:
                raise KeyboardInterrupt
            self.spots.append(spot)
            heard(spot, self.rule(spot))


def _planned(spot: EpisodeKey) -> bool:
    return spot.attempt <= SUCCESSES[spot.task]


def _gate(order: Order | None = None, who: GateAgent = PLANNER, terms: Terms | None = None) -> Gate:
    return Gate([SUBJECT], who, terms or Terms(), order or Order())


def test_labels_name_the_attempts_that_passed() -> None:
    gate = _gate()
    assert run(gate, Played(_planned)) == 0
    judged = {one.task: one for one in gate.summarise()[0].judge()}
    assert [judged[t].label for t in TASKS] == ["too_hard", "too_hard", "kept", "kept", "kept", "too_easy"]
    assert judged["task_004"].data()["passed"] == [1, 2, 3]
    assert judged["task_004"].data()["failed"] == [4, 5]
    assert load_kept_tasks(WORLD, PLANNER.id) == ("task_003", "task_004", "task_005")


def test_a_gate_is_found_again_by_pack_and_agent() -> None:
    run(_gate(), Played(_planned))
    run(_gate(who=MODEL), Played(lambda spot: True))
    found = results.load(WORLD, PLANNER.id)
    assert found is not None
    assert found.who == PLANNER
    assert results.load(OTHER, PLANNER.id) is None
    last = results.load_latest(WORLD)
    assert last is not None
    assert last.who == MODEL
    assert load_kept_tasks(WORLD) == ()
    assert len(results.load_all(WORLD)) == 2


def test_only_a_built_in_agent_makes_a_smoke_gate() -> None:
    run(_gate(), Played(_planned))
    run(_gate(who=MODEL), Played(_planned))
    planner, model = results.load(WORLD, PLANNER.id), results.load(WORLD, MODEL.id)
    assert planner is not None
    assert model is not None
    assert (planner.kind_name, model.kind_name) == ("smoke gate", "gate")
    assert any("5% to 85%" in says and "Clopper-Pearson" in says for says in list_cautions(model))
    assert any("planner is not a model" in says for says in list_cautions(planner))
    assert not any("smoke" in says for says in list_cautions(model))


def test_nothing_is_lost_when_it_is_stopped() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(_gate(), stopped := Played(_planned, stop_after=17))
    found = results.load(WORLD, PLANNER.id)
    assert found is not None
    assert sum(map(len, found.attempts.values())) == 17
    assert {one.label for one in found.judge()} == {"undecided"}
    again = _gate()
    assert again.reused == 17
    run(again, rest := Played(_planned))
    assert len(rest.spots) == 13
    assert not set(rest.spots) & set(stopped.spots)
    whole = Gate([GatedWorld(OTHER, "library", "default-7", TASKS)], PLANNER, Terms(), Order())
    run(whole, Played(_planned))
    assert [one.data() for one in again.summarise()[0].judge()] == [one.data() for one in whole.summarise()[0].judge()]


def test_an_agent_that_changed_starts_anew() -> None:
    run(_gate(), Played(_planned))
    changed = _gate(who=GateAgent("planner", "3" * 16))
    assert changed.reused == 0
    run(changed, played := Played(_planned))
    assert len(played.spots) == 30


@pytest.mark.parametrize("terms", [Terms(seed=1), Terms(face="obscured"), Terms(limits=Limits(turns=3))])
def test_attempts_under_other_terms_are_not_mixed(terms: Terms) -> None:
    run(_gate(), Played(_planned))
    with pytest.raises(UsageError, match="--fresh"):
        _gate(terms=terms)
    fresh = _gate(Order(fresh=True), terms=terms)
    assert fresh.reused == 0
    run(fresh, Played(lambda spot: True))
    assert load_kept_tasks(WORLD) == ()


def test_more_runs_play_only_what_is_missing_and_fewer_play_nothing() -> None:
    run(_gate(), Played(_planned))
    run(_gate(Order(Band(4, 8, 10))), more := Played(_planned))
    assert {spot.attempt for spot in more.spots} == {6, 7, 8, 9, 10}
    gate = _gate()
    run(gate, none := Played(_planned))
    assert none.spots == []
    assert load_kept_tasks(WORLD) == (
        "task_003",
        "task_004",
        "task_005",
    )  # the first five decide, whatever came later


def test_an_attempt_that_something_else_ended_does_not_count_and_is_tried_again() -> None:
    tried: set[EpisodeKey] = set()

    def rule(spot: EpisodeKey) -> bool | None:
        if spot.attempt == 2 and spot not in tried:
            tried.add(spot)
            return None
        return _planned(spot)

    gate = _gate()
    assert run(gate, Played(rule)) == 0
    assert load_kept_tasks(WORLD) == ("task_003", "task_004", "task_005")


def test_an_agent_that_cannot_be_reached_is_not_failed() -> None:
    gate = _gate()
    assert run(gate, played := Played(lambda spot: None)) == 30
    assert len(played.spots) == 16  # and nobody waits for the rest
    assert results.load(WORLD, PLANNER.id) is None
    adaptive = _gate(Order(adaptive=True))
    assert run(adaptive, Played(lambda spot: None)) == len(TASKS)


def test_an_attempt_that_never_ends_well_is_given_up() -> None:
    gate = _gate()
    never = EpisodeKey(WORLD, "task_004", 3)
    assert run(gate, played := Played(lambda spot: None if spot == never else _planned(spot))) == 1
    assert played.spots.count(never) == 3
    judged = {one.task: one.label for one in gate.summarise()[0].judge()}
    assert judged["task_004"] == "undecided"
    assert load_kept_tasks(WORLD) == ("task_003", "task_005")


def test_adaptive_spends_the_budget_where_the_label_is_in_doubt() -> None:
    chances = dict(zip(TASKS, (0.0, 0.0, 0.3, 0.35, 1.0, 1.0), strict=True))

    def rule(spot: EpisodeKey) -> bool:
        return Stream("try", spot.task, spot.attempt).chance(chances[spot.task])

    gate = _gate(Order(adaptive=True, budget=60))
    run(gate, played := Played(rule))
    counts = {task: count.n for (_, task), count in gate.counts().items()}
    assert sum(counts.values()) == len(played.spots) <= 60
    assert min(counts["task_003"], counts["task_004"]) > max(counts["task_001"], counts["task_002"])
    again = _gate(Order(adaptive=True, budget=60))
    run(again, none := Played(rule))
    assert none.spots == []


def test_adaptive_stops_when_everything_is_decided() -> None:
    gate = _gate(Order(adaptive=True, budget=10_000))
    run(gate, played := Played(lambda spot: False))
    assert len(played.spots) < 60
    assert {one.label for one in gate.summarise()[0].judge()} == {"too_hard"}
    assert all(one.sure >= 0.95 for one in gate.summarise()[0].judge())


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: {**data, "format": 99},
        lambda data: {**data, "world": {**data["world"], "digest": OTHER}},
        lambda data: {**data, "agent": {**data["agent"], "id": "f" * 16}},
        lambda data: {**data, "attempts": {"task_001": [[1, "yes"]]}},
        lambda data: {**data, "attempts": {"../x": [[1, True]]}},
        lambda data: {k: v for k, v in data.items() if k != "band"},
        lambda data: [],
    ],
)
def test_a_file_that_is_no_gate_is_named(damage: Callable[[dict[str, object]], object]) -> None:
    run(_gate(), Played(_planned))
    path = results.path_of(WORLD, PLANNER.id)
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    with pytest.raises(StoreError, match=path.name):
        results.load(WORLD, PLANNER.id)


def test_no_path_outside_the_folder_of_gates() -> None:
    with pytest.raises(StoreError, match="not the digest"):
        results.load("../../etc", PLANNER.id)
    with pytest.raises(StoreError, match="not the fingerprint"):
        results.load(WORLD, "../passwd")


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    run(_gate(), Played(_planned))
    assert [p.name for p in results.find_folder(WORLD).iterdir()] == [f"{PLANNER.id}.json"]
