"""`worldwright variants`: plans in sentences, axes, and how much built worlds are alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.anchor.anchors import depot

from worldwright.pack.open import Pack
from worldwright.pack.seal import write_pack
from worldwright.store.anchors import Anchors
from worldwright.variants.axes import AXES
from worldwright.variants.layers import LAYERS
from worldwright.variants.record import Variant

from .conftest import LIBRARY, Run


def test_list_explains_each_in_a_sentence(run: Run) -> None:
    found = run("variants", "list", "--blueprint", str(LIBRARY), "--variants", "6", "--seed", "3")
    assert found.code == 0
    assert "default-3" in found.out
    assert "as usual" in found.out
    assert "strict rules" in found.out
    assert "6 variants of 1 family: 6 policy-distinct, 0 with other rows only" in " ".join(found.out.split())
    assert "pairs of settings are covered" in found.out


def test_list_as_json_is_the_plan(run: Run) -> None:
    data = run("variants", "list", "--domain", "enterprise_procurement", "--variants", "10", "--json").data
    assert data["family"] == "enterprise_procurement"
    assert data["counts"]["variants"] == len(data["variants"]) == 10
    kinds = ("policy_distinct", "world_only", "surface_only")
    assert sum(data["counts"][kind] for kind in kinds) == 10
    assert data["coverage"]["pairs"] <= data["coverage"]["reachable"] <= data["coverage"]["possible"]
    for found in data["variants"]:
        variant = Variant(found["family"], found["seed"], found["settings"], found["says"])
        assert (variant.name, variant.digest, variant.says) == (found["name"], found["digest"], found["says"])


def test_axes_control_what_varies(run: Run) -> None:
    data = run("variants", "list", "--blueprint", str(LIBRARY), "--axes", "mess,season", "--json").data
    assert {axis for v in data["variants"] for axis in v["settings"]} == {"mess", "season"}
    assert {v["seed"] for v in data["variants"]} == {0}
    assert data["counts"]["policy_distinct"] == 1
    said = run("variants", "list", "--blueprint", str(LIBRARY), "--axes", "season", "--variants", "50").out
    assert "there are no more than" in said


def test_layers_are_on_in_every_variant(run: Run) -> None:
    args = ("variants", "list", "--blueprint", str(LIBRARY), "--variants", "4", "--inject", "Rate limits, flaky-errors")
    data = run(*args, "--json").data
    assert data["layers"] == ["flaky_errors", "rate_limits"]
    assert not {v["settings"].get("layers") for v in data["variants"]} & {"flaky_errors", "rate_limits"}
    assert data["digest"] != run(*args[:-2], "--json").data["digest"]
    assert "in all of them: calls that fail once, limits on searches" in " ".join(run(*args).out.split())
    wrong = run(*args[:-1], "rate limit")
    assert wrong.code == 2
    assert "did you mean `rate_limits`" in wrong.err


def test_layers_say_what_they_do_and_where_they_would_lie(run: Run) -> None:
    assert [one["name"] for one in run("variants", "layers", "--json").data["layers"]] == list(LAYERS)
    found = {
        one["name"]: one for one in run("variants", "layers", "--blueprint", str(LIBRARY), "--json").data["layers"]
    }
    assert found["rate_limits"]["parts"] == ["service:search_limit"]
    assert found["rate_limits"]["offered"]
    assert not found["rate_limits"]["on"]
    said = " ".join(run("variants", "layers", "--blueprint", str(LIBRARY)).out.split())
    assert "rate limits surface" in said
    assert "can be laid: service:search_limit" in said


@pytest.mark.slow
def test_what_cannot_be_varied_is_said(run: Run) -> None:
    said = " ".join(run("variants", "list", "--domain", "retail_returns", "--variants", "2").out.split())
    assert "not varied, because this Blueprint does not allow it soundly: season, locale" in said


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--domain", "hotel_booking", "--axes", "polcy"), "did you mean `policy`"),
        (("--domain", "hotel_bookings"), "did you mean `hotel_booking`"),
        ((), "--domain NAME or --blueprint FILE"),
        (("--domain", "hotel_booking", "--blueprint", "x.yaml"), "--domain NAME or --blueprint FILE"),
        (("--blueprint", "nowhere.yaml"), "there is no file nowhere.yaml"),
        (("--domain", "hotel_booking", "--variants", "0"), "0"),
    ],
)
def test_mistakes_are_said(run: Run, args: tuple[str, ...], said: str) -> None:
    found = run("variants", "list", *args)
    assert found.code != 0
    assert said in found.err


def test_axes_are_shown_with_their_kind(run: Run) -> None:
    data = run("variants", "axes", "--json").data["axes"]
    assert {a["name"]: a["kind"] for a in data} == {**{n: a.kind for n, a in AXES.items()}, "seed": "world"}
    own = run("variants", "axes", "--blueprint", str(LIBRARY), "--json").data["axes"]
    assert {"value": "strict", "says": "strict rules"} in own[0]["offers"]
    said = run("variants", "axes", "--domain", "retail_returns").out
    assert "this Blueprint does not allow it soundly" in said


def test_compare_finds_near_duplicates(run: Run, library: str, bare: str, tmp_path: Path, pack: Pack) -> None:
    folder = tmp_path / "packs"
    write_pack(pack.files, folder / "one")
    found = run("variants", "compare", "town_library:latest", str(folder / "one"), "--json")
    assert found.code == 0
    [pair] = found.data["pairs"]
    assert (pair["state"], pair["rules"], pair["gold"], pair["near"]) == (1.0, 1.0, 1.0, True)
    assert pair["differing"] == 0
    assert found.data["near"] == 1
    said = run("variants", "compare", "town_library:latest/default-7", "town_library:bare").out
    assert "1 pairs are near-duplicates" in said


def test_compare_needs_two(run: Run, library: str) -> None:
    assert "two packs" in run("variants", "compare", "town_library:latest").err
    assert run("variants", "compare", "nothing:here", "town_library").code != 0


def test_an_anchor_keeps_the_tools_of_its_contract(run: Run, home: Path) -> None:
    Anchors().put(depot())
    data = run("variants", "list", "--domain", "depot", "--variants", "8", "--json").data
    assert "tools" not in data["axes"]
    assert len(data["variants"]) == 8
    wrong = run("variants", "list", "--domain", "depot", "--axes", "tools,seed")
    assert wrong.code != 0
    assert "those of its contract" in wrong.err
