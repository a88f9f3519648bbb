"""Blueprints that differ in `variant` alone are loaded by way of each other, and come out as if read whole."""

from __future__ import annotations

import pytest
from tests.worlds import text

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.blueprint.siblings import load_cached, split_variant
from worldwright.core.errors import BlueprintError
from worldwright.kinds.database.handbook import render_handbook

STRICT = {"no_debts": "strict", "long_standing": "after"}


def written(library: Checked, variant: dict[str, str]) -> str:
    return canonical_yaml(library.blueprint.model_copy(update={"variant": variant}))


def test_a_sibling_is_what_reading_it_whole_gives(library: Checked) -> None:
    sibling, whole = load_cached(written(library, STRICT)), load_text(written(library, STRICT))
    assert sibling.digest == whole.digest != library.digest
    assert sibling.blueprint == whole.blueprint
    assert (sibling.policies, sibling.schema, render_handbook(sibling)) == (
        whole.policies,
        whole.schema,
        render_handbook(whole),
    )
    assert sibling.operations is load_cached(written(library, {"no_debts": "lenient"})).operations


@pytest.mark.parametrize(
    "section",
    [
        "variant: {no_debts: strict}\n",
        "variant:\n  no_debts: strict\n",
        "variant:\n  no_debts: strict  # a word on it\n  long_standing: after\n",
    ],
)
def test_however_it_is_written_it_is_the_same(library: Checked, section: str) -> None:
    whole = text("town_library") + section
    rest, named = split_variant(whole)
    assert rest == text("town_library")
    assert named == load_text(whole).blueprint.variant
    assert load_cached(whole).digest == load_text(whole).digest


@pytest.mark.parametrize(
    "section",
    [
        "variant: {no_debts: default}\n",
        "# variant: {no_debts: strict}\n",
        "",
    ],
)
def test_what_cannot_be_taken_apart_is_read_as_it_stands(section: str) -> None:
    whole = text("town_library") + section
    assert split_variant(whole) == (whole, {})
    assert load_cached(whole).digest == load_text(whole).digest


@pytest.mark.parametrize(
    "section", ["variant: {no_debts: 3}\n", "variant: [no_debts]\n", "variant: {no_debts: severe}\n"]
)
def test_what_is_wrong_is_said_as_ever(section: str) -> None:
    whole = text("town_library") + section
    with pytest.raises(BlueprintError) as whole_way:
        load_text(whole)
    with pytest.raises(BlueprintError) as short_way:
        load_cached(whole)
    assert str(short_way.value) == str(whole_way.value)


def test_two_sections_are_an_error_however_they_are_read() -> None:
    whole = text("town_library") + "variant: {no_debts: strict}\nvariant: {no_debts: lenient}\n"
    with pytest.raises(BlueprintError):
        load_cached(whole)
