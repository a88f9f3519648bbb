"""What every layer of the state keeps to: it checks where it falls, leaves everything else alone, and goes with the others."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.domains import take_turns
from tests.shared_builds import build
from tests.variants.layers.state_worlds import FEW, SEED

from worldwright import catalogue
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compile.worlds import compile_checked
from worldwright.variants.inject import find_applicable_layers, inject
from worldwright.variants.layers import LAYERS

STATE = (
    "currencies", "duplicates", "half_finished", "id_reuse", "legacy_dates", "look_alikes", "schema_drift", "soft_deleted",
    "stale", "time_zones",
)  # fmt: skip
BASE = "it_service_desk"
MORE_TASKS = {"soft_deleted": 40}
"""Tasks that it takes until one meets a row of the layer."""


def test_they_fall_on_most_of_the_catalogue() -> None:
    names = ("retail_returns", "clinic_scheduling", "enterprise_procurement", "it_service_desk")
    for name in names:
        assert len(set(find_applicable_layers(catalogue.load(name))) & set(STATE)) >= len(STATE) - 1


@pytest.mark.parametrize("layer", STATE)
def test_off_means_nothing_at_all(layer: str) -> None:
    base = catalogue.load(BASE)
    before = canonical_yaml(base.blueprint)
    once = LAYERS[layer].lay(base)
    assert once is not None
    assert canonical_yaml(base.blueprint) == before
    again = LAYERS[layer].lay(load_text(before))
    assert again is not None
    assert canonical_yaml(again.blueprint) == canonical_yaml(once.blueprint)
    assert inject(base, []) is base


@pytest.mark.parametrize("layer", ["legacy_dates", "time_zones", "currencies", "schema_drift"])
def test_what_is_only_shown_otherwise_is_the_same_state(layer: str) -> None:
    base = catalogue.load(BASE)
    plain = grow_state(compile_checked(base, Memo()), SEED)
    found = grow_state(compile_checked(inject(base, [layer]), Memo()), SEED)
    assert {k: v for k, v in found.rows.items() if k in plain.rows} == plain.rows
    known = {m.spec.label for m in base.mess}
    assert [b for b in found.blemishes if b.label in known] == list(plain.blemishes)


@pytest.mark.slow
@pytest.mark.parametrize("layer", take_turns(*STATE, full=3))
def test_verifiers_stand(layer: str) -> None:
    knobs = replace(FEW, most=MORE_TASKS.get(layer, FEW.most))
    pack = build(inject(catalogue.load(BASE), [layer]), SEED, knobs=knobs).pack
    sheet = json.loads(pack.files["datasheet.json"])
    assert sheet["false_accepts"] == sheet["false_rejects"] == 0
    assert sheet["layers"][layer]["tasks"]


@pytest.mark.slow
def test_all_of_them_at_once() -> None:
    checked = catalogue.load(BASE)
    for name in STATE:
        checked = inject(checked, [name] if name in find_applicable_layers(checked) else [])
    assert len(checked.blueprint.layers) >= len(STATE) - 2, "some kinds of record are taken by those before"
    pack = build(checked, SEED, knobs=FEW).pack
    sheet = json.loads(pack.files["datasheet.json"])
    assert sheet["false_accepts"] == sheet["false_rejects"] == 0
    assert sheet["layers"].keys() == set(checked.blueprint.layers)
