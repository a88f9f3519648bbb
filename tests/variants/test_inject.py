"""Layers by name: what is asked for is laid, in the order of the layers, once; and the page about them knows them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.core.errors import UsageError
from worldwright.variants.inject import find_applicable_layers, inject, parse_layers
from worldwright.variants.layers import LAYERS

PAGE = (Path(__file__).parents[2] / "docs" / "layers.md").read_text(encoding="utf-8")


def test_names_as_people_write_them() -> None:
    assert parse_layers("Rate limits,  flaky-errors,") == ("flaky_errors", "rate_limits")
    assert parse_layers(["rate_limits", "rate limits"]) == ("rate_limits",)
    assert parse_layers("") == ()
    with pytest.raises(UsageError, match="no layer is called 'rate limt'; did you mean `rate_limits`"):
        parse_layers("rate limt")


def test_nothing_asked_for_is_the_blueprint_itself(library: Checked) -> None:
    assert inject(library, ()) is library


def test_a_layer_is_laid_once_and_the_order_of_asking_does_not_matter(library: Checked) -> None:
    both = inject(library, ["rate_limits", "flaky_errors"])
    assert list(both.blueprint.layers) == ["flaky_errors", "rate_limits"]
    assert inject(library, ["flaky_errors", "rate_limits"]).digest == both.digest
    assert inject(both, ["rate_limits"]) is both
    assert not {"rate_limits", "flaky_errors"} & set(find_applicable_layers(both))
    assert load_text(canonical_yaml(both.blueprint)).digest == both.digest
    assert inject(library, ["rate_limits"]).blueprint.layers == {"rate_limits": ("service:search_limit",)}


def test_a_layer_that_does_not_apply(library: Checked) -> None:
    bare = library.blueprint.model_copy(update={"goals": {}})
    found = load_text(canonical_yaml(bare))
    assert not {"rate_limits", "flaky_errors"} & set(find_applicable_layers(found))
    with pytest.raises(UsageError, match="layer `rate_limits` does not apply to `town_library`"):
        inject(found, ["rate_limits"])


def test_every_layer_is_in_its_place() -> None:
    assert list(LAYERS) == sorted(LAYERS)
    for name, layer in LAYERS.items():
        assert layer.lay.__module__ == f"worldwright.variants.layers.{name}"


def test_the_page_has_every_layer_with_what_it_does() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (rules|world|surface) \| ([^|]+) \| [^|]+ \|$", PAGE, re.MULTILINE)
    assert rows == [(name, layer.kind, layer.says) for name, layer in LAYERS.items()]
