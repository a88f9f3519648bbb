"""Two batteries: what is proven in bulk is named so, is the same again from the pack alone, and misses little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_file
from worldwright.compiler.build import BuiltWorld
from worldwright.core.errors import UsageError
from worldwright.factory.work import build_siblings, build_variant
from worldwright.kinds.database.battery.settings import BULK, FULL, find_battery
from worldwright.pack.seal import write_pack
from worldwright.variants.sample import plan_variants

EXAMPLE = Path(__file__).parents[2] / "examples" / "boat_hire.yaml"
FEW = {"most": "8"}


@pytest.fixture(scope="module")
def base() -> Checked:
    return load_file(EXAMPLE)


@pytest.fixture(scope="module")
def siblings(base: Checked) -> dict[str, BuiltWorld]:
    variants = plan_variants(base, 2, siblings=2, seed=3)
    out = {}
    for variant, found in build_siblings(base, variants, battery=BULK, settings=FEW):
        assert isinstance(found, BuiltWorld), found
        out[variant.name] = found
    return out


@pytest.mark.slow
def test_a_world_is_the_same_built_alone_or_after_its_siblings(base: Checked, siblings: dict[str, BuiltWorld]) -> None:
    *_, last = plan_variants(base, 2, siblings=2, seed=3)
    alone = build_variant(base, last, battery=BULK, settings=FEW)
    assert alone.pack.manifest.digest == siblings[last.name].pack.manifest.digest


def test_siblings_open_on_one_state_and_few_tasks_are_few(siblings: dict[str, BuiltWorld]) -> None:
    packs = [built.pack for built in siblings.values()]
    assert len({pack.manifest.state for pack in packs}) == 1
    assert len({pack.files["graph.json"] for pack in packs}) == 1
    assert all(0 < pack.manifest.counts["tasks"] <= 8 for pack in packs)
    assert len({pack.manifest.digest for pack in packs}) == len(packs)


def test_the_datasheet_names_the_battery_and_nothing_is_judged_wrongly(siblings: dict[str, BuiltWorld]) -> None:
    for built in siblings.values():
        sheet = json.loads(built.pack.files["datasheet.json"])
        assert sheet["battery"]["name"] == "bulk" == built.pack.manifest.options["battery"]
        assert (sheet["false_accepts"], sheet["false_rejects"]) == (0, 0)
        assert sheet["episodes"] >= 15 * built.pack.manifest.counts["tasks"]


def test_from_the_pack_alone_the_counts_are_the_same_and_the_full_battery_agrees(
    run: Run, siblings: dict[str, BuiltWorld], tmp_path: Path
) -> None:
    pack = list(siblings.values())[-1].pack
    write_pack(pack.files, tmp_path / "pack")
    again = run("assay", str(tmp_path / "pack"), "--json")
    assert again.code == 0, again.err
    assert json.loads(again.out)["battery"] == "bulk"
    rebuilt = run("rebuild", str(tmp_path / "pack"))
    assert rebuilt.code == 0, rebuilt.err
    full = run("assay", str(tmp_path / "pack"), "--battery", "full", "--json")
    found = json.loads(full.out)
    assert full.code == 0, found["failures"]
    assert found["battery"] == "full"
    assert found["episodes"] > 2 * json.loads(again.out)["episodes"]


def test_a_battery_that_is_not_there_is_refused() -> None:
    assert find_battery("full") is FULL
    with pytest.raises(UsageError, match=r"no battery is called 'bulkk'.*bulk"):
        find_battery("bulkk")
