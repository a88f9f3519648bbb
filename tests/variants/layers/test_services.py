"""Rate limits and flaky errors as layers: on any Blueprint, without a trace in the state, and every task can still be done."""

from __future__ import annotations

import json
from functools import cache

import pytest
from tests.domains import CORE, CORE_IN_TURN
from tests.shared_builds import build

from worldwright import catalogue
from worldwright.agents.protocol import make_agent
from worldwright.blueprint.load import canonical_yaml
from worldwright.engine import conformance
from worldwright.engine.replay import replay
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.pack.open import Pack
from worldwright.pack.sides import is_world_file
from worldwright.rollout.episode import EpisodeSetup, play
from worldwright.rollout.records import EpisodeKey, Limits
from worldwright.store.open import world_of
from worldwright.variants.axes.tools import AXIS as TOOLS
from worldwright.variants.inject import inject

LAYERS = ("rate_limits", "flaky_errors")
FEW = knobs("medium", {"most": "10"})
NAMES = CORE_IN_TURN


@cache
def pack(name: str, *layers: str) -> Pack:
    return build(inject(catalogue.load(name), layers), 7, knobs=FEW).pack


def test_they_fall_on_everything_and_change_nothing_but_the_service() -> None:
    for name in catalogue.names():
        base = catalogue.load(name)
        found = inject(base, LAYERS).blueprint
        assert found.layers.keys() == set(LAYERS)
        assert canonical_yaml(found.model_copy(update={"layers": {}, "service": {}})) == canonical_yaml(base.blueprint)


@pytest.mark.parametrize("name", NAMES)
def test_only_the_door_is_another(name: str) -> None:
    quiet, busy = pack(name), pack(name, *LAYERS)
    assert quiet.manifest.state == busy.manifest.state
    differing = {path for path in quiet.files if quiet.files[path] != busy.files.get(path)}
    assert differing == {"blueprint.yaml", "policy.md", "datasheet.json", "manifest.json"}
    sheet = json.loads(busy.files["datasheet.json"])
    assert sheet["false_accepts"] == sheet["false_rejects"] == 0
    assert sheet["layers"].keys() == set(LAYERS)
    assert all(len(one["tasks"]) >= 5 for one in sheet["layers"].values())
    assert "layers" not in json.loads(quiet.files["datasheet.json"])


def test_what_a_task_meets_is_not_on_the_side_of_the_agent() -> None:
    busy = pack(CORE[0], *LAYERS)
    told = b"".join(data for path, data in busy.files.items() if path.startswith("tasks/"))
    assert b"rate_limits" not in told
    assert not is_world_file("datasheet.json")


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_does_every_task_within_the_usual_limits(name: str) -> None:
    world = world_of(pack(name, *LAYERS))
    env, oracle, away = world.env(), make_agent("oracle"), 0
    for task in world.tasks:
        setting = EpisodeSetup(task.id, EpisodeKey(world.digest, task.id, 0), name, "", "plain", 0, "oracle")
        episode = play(env, oracle, setting, Limits())
        assert episode.status == "pass", task.id
        away += any(not step["ok"] for step in episode.steps)
        log = env.trajectory()
        assert replay(env, log) == []
        assert world.judge(log).status == "pass"
    assert away > len(world.tasks) / 2


def test_such_a_world_keeps_every_promise() -> None:
    assert conformance.check_world(world_of(pack(CORE[0], *LAYERS))) == []


@pytest.mark.parametrize("value", ["renamed", "split", "lists"])
def test_other_tools_are_under_the_same_service(value: str) -> None:
    busy = inject(catalogue.load(CORE[0]), LAYERS)
    assert TOOLS.vary is not None
    found = TOOLS.vary(busy.blueprint, value)
    assert found.service == busy.blueprint.service
    assert found.layers == busy.blueprint.layers
