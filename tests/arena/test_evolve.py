"""An evolution from end to end: an agent whose weakness is known, worlds that are really built, and a command that mends it."""

from __future__ import annotations

import json
import sys
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest
from tests.shared_builds import build

from worldwright import catalogue
from worldwright.agents import protocol
from worldwright.agents.protocol import Options
from worldwright.arena.evolve.actions import Actions
from worldwright.arena.evolve.loop import LINEAGE, Evolution, evolve
from worldwright.arena.evolve.records import Settings, WorldOrigin
from worldwright.arena.evolve.report import evolution_data, evolution_page, write_evolution
from worldwright.arena.evolve.training import TrainingInputs, train
from worldwright.arena.fresh import gather_field
from worldwright.core.errors import UsageError
from worldwright.core.pool import map_in_processes
from worldwright.factory.many import RunObserver, build_many
from worldwright.gate.band import Band
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.pack.seal import write_pack
from worldwright.rollout.plan import AgentSpec, Plan, TaskFilter
from worldwright.rollout.read import Run
from worldwright.rollout.run import roll
from worldwright.store.open import open_world
from worldwright.store.store import Store

DEV, HELD = "release_management", "motor_claims"
MENDS = "import json,sys; json.dump({'agent': 'handicapped', 'options': {'wrong': '0.1'}}, open(sys.argv[1] + '/agent.json', 'w'))"
SAME = "import sys; assert sys.argv[1]"


def default_actions() -> Actions:
    """Actions without anything to watch, in this process."""
    fan = partial(map_in_processes, workers=1)
    return Actions(
        lambda plan, folder: roll(plan, folder, 0),
        lambda order, tag: build_many(order, Store(), tag, fan, RunObserver()),
        lambda text: None,
    )


@pytest.fixture(autouse=True)
def handicapped(monkeypatch: pytest.MonkeyPatch) -> None:
    known = entry_points(group=protocol.GROUP)
    handicapped = EntryPoint("handicapped", "tests.arena.handicapped:make", protocol.GROUP)
    monkeypatch.setattr(protocol, "entry_points", lambda group: [*known, handicapped])


@pytest.fixture(scope="session")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grounds")
    for name in (DEV, HELD):
        asked = knobs("medium", {"most": "16", "writes": "1.."})
        write_pack(build(catalogue.load(name), 7, knobs=asked, battery=BULK).pack.files, folder / name / "default-7")
    return folder


def settings(grounds: Path, script: str, rounds: int = 2) -> Settings:
    command = (sys.executable, "-c", script, "{out}") if script else ()
    return Settings(
        (str(grounds / DEV),), (str(grounds / HELD),), AgentSpec("handicapped", Options(more={"wrong": "0.6"})), rounds,
        worlds=2, tasks=6, attempts=3, band=Band(1, 4, 5), train=command,
    )  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def one_store(store: Path, monkeypatch: pytest.MonkeyPatch, own_home: None) -> None:
    """Worlds that one test has built are there for the next."""
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(store))


@pytest.mark.slow
@pytest.mark.usefixtures("one_store")
def test_a_known_weakness_is_found_targeted_and_mended(grounds: Path, tmp_path: Path) -> None:
    found = evolve(settings(grounds, MENDS), tmp_path, default_actions())
    first = found.rounds[0]
    assert first.number_kept > 0
    assert {b.family for b in first.built} == {DEV}
    assert "missed_step" in {b.guideline for b in first.built}
    assert first.change.difference > 0
    assert first.goes_on
    assert found.overall.clear
    trained = [one for one in found.rounds if one.number_kept]
    assert [number for number, _ in trained[-1].earlier] == [one.number for one in trained]
    _reports(found, tmp_path)
    _again(grounds, tmp_path, found)


def _reports(found: Evolution, out: Path) -> None:
    write_evolution(out, found)
    page = (out / "evolve.html").read_text()
    assert page.count("<svg") >= 4
    assert "<script" not in page
    born = [WorldOrigin(**json.loads(line)) for line in (out / LINEAGE).read_text().splitlines()]
    assert {one.world for one in born} == {b.world for one in found.rounds for b in one.built}
    assert all(one.guideline and one.round and one.order for one in born)
    told = json.loads((out / "round_01" / "tasks.json").read_text())
    assert len(told["tasks"]) == found.rounds[0].number_kept
    assert {task["world"] for task in told["tasks"]} == {
        place.digest for place in gather_field([told["gym"]], TaskFilter()).places
    }
    assert all(open_world(task["path"]).digest == task["world"] for task in told["tasks"])


def _again(grounds: Path, out: Path, found: Evolution) -> None:
    """Given again it plays, builds and trains nothing, and says the same."""
    before = {path: path.stat().st_mtime_ns for path in out.rglob("trajectories.jsonl")}
    (out / "round_01" / "train" / "agent.json").unlink()
    same = evolve(settings(grounds, MENDS), out, default_actions())
    assert evolution_data(same) == evolution_data(found)
    assert evolution_page(same) == evolution_page(found)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("trajectories.jsonl")} == before
    with pytest.raises(UsageError, match="another evolution"):
        evolve(settings(grounds, SAME), out, default_actions())


@pytest.mark.slow
@pytest.mark.usefixtures("one_store")
def test_a_round_that_brings_nothing_is_the_last(grounds: Path, tmp_path: Path) -> None:
    found = evolve(settings(grounds, SAME, rounds=3), tmp_path, default_actions())
    assert len(found.rounds) == 1
    assert found.rounds[0].change.difference == 0
    assert not found.rounds[0].goes_on


@pytest.mark.slow
@pytest.mark.usefixtures("one_store")
def test_stopped_anywhere_it_goes_on_to_the_same_end(grounds: Path, tmp_path: Path) -> None:
    whole = evolve(settings(grounds, MENDS, rounds=1), tmp_path / "whole", default_actions())
    for stop_at in range(1, 6):
        with pytest.raises(KeyboardInterrupt):
            evolve(settings(grounds, MENDS, rounds=1), tmp_path / "torn", _stopping(stop_at))
    done = evolve(settings(grounds, MENDS, rounds=1), tmp_path / "torn", default_actions())
    assert evolution_data(done) == evolution_data(whole)


def _stopping(at: int) -> Actions:
    """Hands that drop everything at the so-many-th run; what was played before is read, not played."""
    plain, seen = default_actions(), 0

    def play(plan: Plan, folder: Path) -> Run:
        nonlocal seen
        seen += 1
        if seen == at:
            raise KeyboardInterrupt
        return plain.play(plan, folder)

    return Actions(play, plain.build, plain.say)


@pytest.mark.slow
@pytest.mark.usefixtures("one_store")
def test_without_training_worlds_are_still_found(grounds: Path, tmp_path: Path) -> None:
    found = evolve(settings(grounds, "", rounds=1), tmp_path, default_actions())
    assert found.rounds[0].trained is None
    assert found.rounds[0].number_kept > 0
    assert found.rounds[0].earlier == ()


# parts


def _lesson(out: Path) -> TrainingInputs:
    return TrainingInputs(1, AgentSpec("planner"), "gym", out / "tasks.json", out / "g.yaml", out)


def test_a_command_that_fails_says_so_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"(?s)ended with 3.*no memory"):
        train((sys.executable, "-c", "print('no memory'); raise SystemExit(3)"), _lesson(tmp_path))
    with pytest.raises(UsageError, match="cannot be started"):
        train(("/nowhere/at/all",), _lesson(tmp_path))


def test_a_command_is_told_where_things_are(tmp_path: Path) -> None:
    script = "import sys; print(sys.argv[1:])"
    assert train((sys.executable, "-c", script, "{agent}", "{round}", "x={tasks}"), _lesson(tmp_path)).spec == "planner"
    assert "['planner', '1', 'x=" in (tmp_path / "train.log").read_text()


@pytest.mark.parametrize("text", ["[]", "{}", '{"agent": 1}', "no json", '{"agent": "a", "options": []}'])
def test_an_agent_that_is_not_one(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"agent\.json"):
        train((sys.executable, "-c", f"open({str(tmp_path / 'agent.json')!r}, 'w').write({text!r})"), _lesson(tmp_path))


def test_places_that_there_are_not() -> None:
    with pytest.raises(UsageError, match=r"names \{model\}"):
        Settings(("a",), ("b",), AgentSpec("planner"), train=("train", "{model}"))
