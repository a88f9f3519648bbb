"""Diagnosis: every class is planted in real worlds, and has to be found again; what agents do by themselves gets some diagnosis."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.arena.planted.failures import Planted, plants, scored
from tests.arena.planted.kinds import PLANTERS
from tests.arena.planted.script import SUBMIT, WORDS, Move, Player, Script
from tests.arena.planted.stage import House
from tests.shared_builds import build

from worldwright import catalogue
from worldwright.agents.protocol import make_agent
from worldwright.arena.diagnose import diagnose
from worldwright.arena.diagnose.records import CLASSES, MISSED_STEP, WRONG_ENTITY, Diagnosis
from worldwright.arena.diagnose.scene import MESS
from worldwright.engine.world import World
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.rollout.episode import EpisodeSetup, play
from worldwright.rollout.records import Episode, EpisodeKey, Limits
from worldwright.store.open import world_of

DOMAINS = ("clinic_scheduling", "motor_claims", "retail_returns")
WANTED = 0.95


@pytest.fixture(scope="session")
def houses() -> Mapping[str, House]:
    asked = knobs("medium", {"most": "16", "contrast": "6"})
    packs = {name: build(catalogue.load(name), 7, knobs=asked, battery=BULK).pack for name in DOMAINS}
    return {name: House(world_of(pack), pack.files.get(MESS)) for name, pack in packs.items()}


@pytest.fixture(scope="session")
def planted(houses: Mapping[str, House]) -> Mapping[str, tuple[Planted, ...]]:
    return {name: tuple(plants(house, each=1)) for name, house in houses.items()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSES)
def test_what_is_planted_is_found(
    kind: str, houses: Mapping[str, House], planted: Mapping[str, tuple[Planted, ...]]
) -> None:
    scores = [s for name, house in houses.items() for s in scored(house, planted[name]) if s.kind == kind]
    number, right = sum(s.planted for s in scores), sum(s.right for s in scores)
    assert number >= 5
    assert right / number >= WANTED, [s.taken_for for s in scores]


def test_every_class_has_a_planter() -> None:
    assert set(PLANTERS) == set(CLASSES)


def test_a_diagnosis_says_where(library_world: World) -> None:
    """In the small library: the evidence of each diagnosis points into the episode."""
    house = House(library_world)
    seen = set()
    for one in plants(house, each=1):
        found = diagnose(one.episode, house.scenes(one.episode.task))
        assert found is not None
        seen.add(found.kind)
        assert found.sentence.endswith(".")
        assert all(1 <= step <= len(one.episode.messages) for step in found.steps)
        if found.kind == WRONG_ENTITY:
            assert found.entity
            assert found.row
            assert found.expected != found.found
        if found.kind == MISSED_STEP:
            assert found.tool in {tool.name for tool in library_world.tools}
        assert set(found.data()) <= set(Diagnosis.__slots__)
    assert len(seen) >= 10


def test_the_same_episode_has_the_same_diagnosis(library_world: World) -> None:
    one, other = House(library_world), House(library_world)
    for planted_ in plants(one, each=1):
        task = planted_.episode.task
        assert diagnose(planted_.episode, one.scenes(task)) == diagnose(planted_.episode, other.scenes(task))


def test_what_passed_has_none(library_world: World) -> None:
    house = House(library_world)
    player = Player(library_world)
    for stage in house.stages():
        moves = tuple(Move(c.tool, c.arguments) for c in stage.key.calls)
        episode = player.play(stage.task.id, Script("", (*moves, Move(SUBMIT, stage.answer))), 1)
        assert episode.passed
        assert diagnose(episode, stage.scene) is None


@pytest.mark.parametrize("name", ["noop", "random", "parrot", "planner"])
def test_agents_that_fail_by_themselves(name: str, library_world: World) -> None:
    house = House(library_world)
    failed = [e for e in _played(library_world, name) if e.status == "fail"]
    found = [diagnose(e, house.scenes(e.task)) for e in failed]
    assert failed
    assert all(d is not None and d.kind in CLASSES for d in found)
    if name == "noop":
        assert {d.kind for d in found if d is not None} == {"gave up early"}


@given(data=st.data())
def test_whatever_is_played_has_a_diagnosis_exactly_where_it_fails(data: st.DataObject, library_world: World) -> None:
    """Calls of all witnesses in any order, some spoilt, with any answer at the end or none."""
    house = House(library_world)
    stages = list(house.stages())
    calls = [Move(c.tool, dict(c.arguments)) for stage in stages for c in stage.key.calls]
    strange = [Move("no_such_tool", {}), Move(calls[0].tool, {}, "{"), Move(calls[-1].tool, {"what": 1}), WORDS]
    answers = [Move(SUBMIT, stage.answer) for stage in stages]
    stage = data.draw(st.sampled_from(stages))
    moves = data.draw(st.lists(st.sampled_from([*calls, *calls, *strange]), max_size=8))
    end = data.draw(st.sampled_from([*answers, Move(SUBMIT, {}), Move(SUBMIT, stage.answer), WORDS]))
    player = Player(library_world)
    episode = player.play(stage.task.id, Script("", (*moves, end)), 1)
    player.close()
    found = diagnose(episode, stage.scene)
    assert (found is None) == episode.passed
    assert found is None or found.kind in CLASSES


def _played(world: World, name: str) -> list[Episode]:
    env = world.env()
    who = make_agent(name)
    return [
        play(
            env,
            who,
            EpisodeSetup(t.id, EpisodeKey(world.digest, t.id, 1), world.name, "", "plain", 3, "0" * 16),
            Limits(turns=20),
        )
        for t in world.tasks
    ]
