"""Plans: the same every time, no two alike, and even over what may be combined."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.core.errors import UsageError
from worldwright.variants.apply import apply
from worldwright.variants.axes import AXES, NAMES, policy
from worldwright.variants.counts import Counts, count_variants, measure_coverage
from worldwright.variants.factors import find_space
from worldwright.variants.record import USUAL, Variant
from worldwright.variants.sample import MAX_RULE_SETS, plan_variants

BIG = "enterprise_procurement"


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(1, 60), st.lists(st.sampled_from(NAMES), unique=True), st.integers(0, 50), st.integers(1, 4))
def test_a_plan_is_the_same_every_time_and_has_no_two_alike(n: int, axes: list[str], seed: int, siblings: int) -> None:
    checked = catalogue.load(BIG)
    found = plan_variants(checked, n, axes, seed, siblings)
    assert found == plan_variants(checked, n, axes, seed, siblings)
    assert len(set(found)) == len({v.name for v in found}) == len({v.digest for v in found}) == len(found) <= n
    assert found[0] == Variant(BIG, seed)
    assert all(set(v.settings) <= set(axes or NAMES) for v in found)
    assert found[: n // 2] == plan_variants(checked, n // 2, axes, seed, siblings) if n > 1 else True
    if not axes or "seed" in axes:
        assert len(found) == n


def test_another_seed_is_another_plan() -> None:
    checked = catalogue.load(BIG)
    assert plan_variants(checked, 20, seed=1) != plan_variants(checked, 20, seed=2)


@pytest.mark.parametrize(("n", "least"), [(50, 0.78), (200, 0.93)])
def test_a_plan_covers_pairs_of_settings(n: int, least: float) -> None:
    checked = catalogue.load(BIG)
    found = measure_coverage(find_space(checked), plan_variants(checked, n))
    assert found.pairs >= least * found.reachable
    assert found.pairs <= found.reachable <= found.possible
    for factor, (rarest, most) in found.spread.items():
        assert rarest >= 1, factor
        assert most <= 4 * rarest + 2, factor


def test_siblings_share_everything_but_the_policies_and_lie_far_apart() -> None:
    checked = catalogue.load(BIG)
    found = plan_variants(checked, 40, seed=5)
    levels = policy.list_levels(checked.blueprint)
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert one.seed == other.seed
        assert {**one.settings, "policy": ""} == {**other.settings, "policy": ""}
        mine, theirs = (policy.parse_setting(checked.blueprint, v.settings.get("policy", USUAL)) for v in (one, other))
        assert all(mine.get(p, "default") != theirs.get(p, "default") for p in levels)


def test_sets_of_rules_of_one_family_are_apart() -> None:
    checked = catalogue.load(BIG)
    levels = policy.list_levels(checked.blueprint)
    sets = {v.settings.get("policy", USUAL) for v in plan_variants(checked, 400)}
    chosen = [policy.parse_setting(checked.blueprint, value) for value in sets]
    assert len(sets) == MAX_RULE_SETS
    for one, other in combinations(chosen, 2):
        assert sum(one.get(p, "default") != other.get(p, "default") for p in levels) >= len(levels) // 4


def test_without_a_seed_of_their_own_there_is_an_end(library: Checked) -> None:
    found = plan_variants(library, 500, ["season", "mess"])
    offers = [len(AXES[axis].offers(library)) + 1 for axis in ("season", "mess")]
    assert len(found) == offers[0] * offers[1]
    both = plan_variants(library, 500, ["policy", "volume"])
    assert len(both) == len(set(both)) < 500
    assert len(both) % (1 + len(AXES["volume"].offers(library))) == 0


def test_every_variant_of_a_plan_checks(library: Checked) -> None:
    for variant in plan_variants(library, 30, seed=1):
        assert apply(library, variant).blueprint.blueprint == "town_library"


@pytest.mark.parametrize(
    ("n", "seed", "siblings"), [(0, 0, 2), (-1, 0, 2), (10**6, 0, 2), (5, -1, 2), (5, 2**62, 2), (5, 0, 0), (5, 0, 99)]
)
def test_what_cannot_be_planned_is_said(library: Checked, n: int, seed: int, siblings: int) -> None:
    with pytest.raises(UsageError):
        plan_variants(library, n, (), seed, siblings)


# counts


def variant(seed: int = 0, **settings: str) -> Variant:
    return Variant("town_library", seed, settings)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ([], Counts(0, 0, 0, 0, 0)),
        ([variant(), variant()], Counts(1, 1, 1, 0, 0)),
        ([variant(0), variant(1), variant(2)], Counts(1, 3, 1, 2, 0)),
        ([variant(), variant(policy="strict")], Counts(1, 2, 2, 0, 0)),
        (
            [variant(), variant(tools="renamed"), variant(persona="patron"), variant(complexity="hard")],
            Counts(1, 4, 1, 0, 3),
        ),
        ([variant(), variant(permissions="give:lend:manager")], Counts(1, 2, 1, 1, 0)),
        ([variant(), variant(1, policy="strict"), variant(2, policy="strict", tools="split")], Counts(1, 3, 2, 1, 0)),
        ([variant(), variant(layers="rate_limits"), variant(layers="flaky_errors")], Counts(1, 3, 1, 0, 2)),
        ([variant(), variant(layers="legacy_dates"), variant(layers="seasonal_rules")], Counts(1, 3, 1, 2, 0)),
        ([variant(), Variant("hotel_booking", 0)], Counts(2, 2, 2, 0, 0)),
    ],
)
def test_counts_do_not_flatter(found: list[Variant], wanted: Counts) -> None:
    assert count_variants(found) == wanted


@given(st.lists(st.builds(variant, st.integers(0, 3)), max_size=8))
def test_kinds_add_up(found: list[Variant]) -> None:
    got = count_variants(found)
    assert got.policy_distinct + got.world_only + got.surface_only == got.variants == len(set(found))
