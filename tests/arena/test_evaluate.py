"""Evaluation, comparison, weaknesses and guidelines: over small made rows, and over a gym that is really played."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.agents.protocol import Options
from worldwright.arena.compare import compare_paired, sign_test
from worldwright.arena.contest import plan_contest, run_folder, summarise_contest, write_contest
from worldwright.arena.diagnose.records import CLASSES
from worldwright.arena.evaluate import Evaluation, TaskTraits, Worlds, evaluate, rank_agents
from worldwright.arena.fresh import (
    TrainedOn,
    choose_held_out_domains,
    find_trained_on,
    gather_field,
    order_fresh_worlds,
)
from worldwright.arena.guidelines import (
    LEVERS,
    Guideline,
    Guidelines,
    derive_guidelines,
    guidelines_of,
    plan_orders,
    read_guidelines,
    write_guidelines,
)
from worldwright.arena.weakness import count_classes, rank_weaknesses
from worldwright.core.errors import UsageError
from worldwright.rollout.plan import AgentSpec, TaskFilter
from worldwright.rollout.records import Limits
from worldwright.rollout.run import roll
from worldwright.rollout.stats import EpisodeStats

HOTEL = Guideline(
    "wrong_entity", "because", 0.5, ("hotel_booking",), ("move_room",), (), {"distractors": "1.."}, ("look_alikes",)
)


@pytest.fixture(scope="module")
def found(gym_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Evaluation]:
    field = gather_field([str(gym_folder)], TaskFilter(sample=10), attempts=2)
    out = tmp_path_factory.mktemp("arena")
    worlds = Worlds(field.places)
    done = {}
    for name in ("planner", "random"):
        plan = plan_contest(field, AgentSpec(name, Options()), Limits(turns=15))
        done[name] = evaluate(roll(plan, run_folder(out, plan), workers=0), worlds)
    return done


def test_rates_add_up(found: dict[str, Evaluation]) -> None:
    one = found["planner"]
    assert one.rate.judged == len(one.rows) == 2 * one.rate.tasks
    assert one.rate.passed + len(one.failures) == one.rate.judged
    assert sum(n for _, n, _ in count_classes(one)) == len(one.failures)
    assert one.curves.all[-1].k == 2
    assert {group.name for group in one.domains} == {"town_library"}
    assert all(group.name.startswith("town_library.") for group in (*one.tools, *one.policies))


def test_the_better_one_is_first_and_the_key_counts_for_nothing(found: dict[str, Evaluation]) -> None:
    assert [one.agent for one in rank_agents([found["random"], found["planner"]])] == ["planner", "random"]


def test_weaknesses_are_ranked_with_examples(found: dict[str, Evaluation]) -> None:
    ranked = rank_weaknesses(found["random"])
    assert ranked
    assert [w.low * w.judged for w in ranked] == sorted((w.low * w.judged for w in ranked), reverse=True)
    assert sum(w.failed for w in ranked) == len(found["random"].failures)
    for weak in ranked:
        assert 1 <= len(weak.examples) <= 3
        assert all(example.diagnosis.kind == weak.kind for example in weak.examples)


def test_a_contest_is_written_whole(found: dict[str, Evaluation], gym_folder: Path, tmp_path: Path) -> None:
    field = gather_field([str(gym_folder)], TaskFilter(sample=10), attempts=2)
    done = summarise_contest(field, list(found.values()), found["random"], ["hotel_booking"])
    write_contest(tmp_path, done)
    page = (tmp_path / "arena.html").read_text()
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert page.count("<svg") >= 3
    [pair] = done.pairs
    assert pair.tasks == found["random"].rate.tasks
    advice = read_guidelines(next(tmp_path.glob("guidelines-random*.yaml")))
    assert advice.items
    assert {domain for one in advice.items for domain in one.domains} == {"hotel_booking"}
    write_contest(tmp_path, done)
    assert (tmp_path / "arena.html").read_text() == page


# comparing


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_a_probability_and_fair(better: int, worse: int) -> None:
    p = sign_test(better, worse)
    assert 0 < p <= 1
    assert p == sign_test(worse, better)
    if better == worse:
        assert p == 1


def test_the_sign_test_has_known_values() -> None:
    assert sign_test(5, 0) == pytest.approx(2 / 32)
    assert sign_test(9, 1) == pytest.approx(2 * 11 / 1024)


def _rows(passed: str) -> list[EpisodeStats]:
    return [
        EpisodeStats(
            "w", f"task_{n:03d}", "d", "walk", "r", {}, "pass" if mark == "+" else "fail", "submitted", 1, 1, {}, {}
        )
        for n, mark in enumerate(passed)
    ]


def test_two_agents_are_paired_by_task() -> None:
    found = compare_paired("a", _rows("++++++++++--"), "b", _rows("----------+-"))
    assert (found.better, found.worse, found.tasks) == (10, 1, 12)
    assert found.low <= found.difference <= found.high
    assert found.difference == pytest.approx(9 / 12)
    assert found.clear
    assert not compare_paired("a", _rows("+-+-"), "b", _rows("-+-+")).clear


# guidelines


def test_every_class_has_a_lever() -> None:
    assert set(LEVERS) == set(CLASSES)
    for kind, lever in LEVERS.items():
        Guideline(kind, "", 1.0, ("hotel_booking",), knobs=lever.knobs, layers=lever.layers)


@pytest.mark.parametrize("name", ["g.yaml", "g.json"])
def test_guidelines_come_back_as_they_were(name: str, tmp_path: Path, found: dict[str, Evaluation]) -> None:
    advice = derive_guidelines(found["random"], ["hotel_booking", "motor_claims"])
    write_guidelines(tmp_path / name, advice)
    assert read_guidelines(tmp_path / name).data() == advice.data()
    assert sum(one.share for one in advice.items) == pytest.approx(1)


def test_the_factory_can_carry_them_out() -> None:
    [(one, order)] = plan_orders(Guidelines("a", (HOTEL,)), worlds=2, tasks=6, seed=3)
    assert one is HOTEL
    assert [source.name for source in order.sources] == ["hotel_booking"]
    assert order.sources[0].layers == ("look_alikes",)
    assert order.variants == 2
    assert dict(order.asked.knobs) == {"most": "6", "distractors": "1.."}


@given(st.lists(st.tuples(st.floats(0.01, 1), st.integers(1, 3)), min_size=1, max_size=5), st.integers(1, 40))
def test_exactly_so_many_worlds_are_ordered(parts: list[tuple[float, int]], worlds: int) -> None:
    names = ("hotel_booking", "motor_claims", "retail_returns")
    items = tuple(Guideline(str(at), "", share, names[:n]) for at, (share, n) in enumerate(parts))
    asked = plan_orders(Guidelines("a", items), worlds, 4, 0)
    assert sum(order.variants * len(order.sources) for _, order in asked) == worlds


def test_most_worlds_are_of_the_domain_where_most_fails() -> None:
    halves = Guideline("x", "", 1.0, ("hotel_booking", "motor_claims", "retail_returns"), parts=(0.7, 0.2, 0.1))
    asked = plan_orders(Guidelines("a", (halves,)), 10, 4, 0)
    assert {source.name: order.variants for _, order in asked for source in order.sources} == {
        "hotel_booking": 7,
        "motor_claims": 2,
        "retail_returns": 1,
    }
    assert guidelines_of({"format": 1, "guidelines": [halves.data()]}, "here").items == (halves,)


def test_what_a_guideline_wants() -> None:
    assert HOTEL.wants(TaskTraits(("move_room", "check_in"), ()))
    assert not HOTEL.wants(TaskTraits(("check_in",), ("late_departure",)))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({}, "holds no guidelines"),
        ({"format": 1, "guidelines": [{"share": 1, "domains": ["hotel_bookings"]}]}, "hotel_booking"),
        ({"format": 1, "guidelines": [{"share": 2, "domains": ["hotel_booking"]}]}, "at most 1"),
        ({"format": 1, "guidelines": [{"share": 1, "domains": "hotel_booking"}]}, "a list of names"),
        (
            {"format": 1, "guidelines": [{"share": 1, "domains": {"hotel_booking": "much"}}]},
            "how much is built of each",
        ),
        ({"format": 1, "guidelines": [{"share": 1, "domains": {"hotel_booking": 0}}]}, "more than 0"),
        ({"format": 1, "guidelines": [{"share": 1, "domain": ["hotel_booking"]}]}, "means nothing"),
        ({"format": 1, "guidelines": [{"share": 1, "domains": ["hotel_booking"], "layers": ["fog"]}]}, "no layer"),
        ({"format": 1, "guidelines": [{"share": 1, "domains": ["hotel_booking"], "knobs": {"wrtes": "1"}}]}, "writes"),
    ],
)
def test_what_is_wrong_with_guidelines_is_said(data: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        guidelines_of(data, "there")


# fresh tasks


def test_what_was_trained_on_is_left_out(gym_folder: Path) -> None:
    seen = find_trained_on([str(gym_folder / "seed_7")])
    assert seen.domains == {"town_library"}
    with pytest.raises(UsageError, match="domain trained on"):
        gather_field([str(gym_folder)], TaskFilter(), trained=seen)
    held = gather_field([str(gym_folder)], TaskFilter(), trained=seen, held_out=["town_library"])
    assert {place.digest for place in held.places}.isdisjoint(seen.worlds)
    assert held.left_out["world trained on"] > 0


def test_requests_that_were_trained_on_are_left_out(gym_folder: Path) -> None:
    seen = find_trained_on([str(gym_folder)])
    with pytest.raises(UsageError, match="request trained on"):
        gather_field([str(gym_folder)], TaskFilter(), trained=TrainedOn(requests=seen.requests))


def test_held_out_domains_are_the_others() -> None:
    found = choose_held_out_domains(TrainedOn(domains=frozenset({"hotel_booking"})))
    assert "hotel_booking" not in found
    assert "motor_claims" in found
    with pytest.raises(UsageError, match="motor_claims"):
        choose_held_out_domains(TrainedOn(), ["motor_claim"])


def test_fresh_worlds_are_ordered_under_another_seed() -> None:
    one, other = order_fresh_worlds(["hotel_booking"], 3, seed=1), order_fresh_worlds(["hotel_booking"], 3, seed=2)
    assert one.digest != other.digest
    assert one.digest == order_fresh_worlds(["hotel_booking"], 3, seed=1).digest
