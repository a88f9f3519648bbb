"""The axes: every setting that is offered checks as any Blueprint does, and changes what it says it changes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from tests.domains import CHOSEN, FULL_TURN, take_turns

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical, canonical_yaml, compute_digest, load_text
from worldwright.core.errors import UsageError
from worldwright.core.names import to_words
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.handbook import render_handbook
from worldwright.variants.apply import apply, choose_task_options, derive, describe
from worldwright.variants.axes import AXES, NAMES, parse_axes, policy
from worldwright.variants.axes.season import has_own_calendar
from worldwright.variants.layers import LAYERS
from worldwright.variants.record import Variant
from worldwright.variants.sample import plan_variants
from worldwright.variants.tool_names import map_input_names, map_operation_names

TOUCHED = {
    "policy": {"variant"},
    "permissions": {"operations", "roles", "goals"},
    "persona": {"personas"},
    "season": {"now", "holidays", "policies"},
    "volume": {"entities", "history"},
    "mess": {"mess"},
    "locale": {"locale", "currency"},
    "tools": {"operations", "goals", "history", "mess", "reactions"},
    "look": set(),
}
"""By axis, the parts of a Blueprint that it may change. A layer says itself what it put there."""
OF_LAYERS = {
    "surface": {"layers", "service"},
    "world": {"layers", "entities", "goals", "history", "mess", "notes", "operations", "policies", "systems"},
    "rules": {
        "layers",
        "always",
        "entities",
        "goals",
        "history",
        "mess",
        "notes",
        "operations",
        "policies",
        "roles",
        "terms",
    },
}
"""By kind of layer. One of the world may bring a rule that says which of its rows count. What has another face only changes nothing
that rows or rules depend on."""


def settings(checked: Checked, layers: Sequence[str], every: bool = True) -> list[tuple[str, str]]:
    """Settings of the axes that change the Blueprint, all of them or the last of each, and these layers."""
    offers = {axis.name: axis.offers for axis in AXES.values() if axis.changes_blueprint and axis.name != "layers"}
    found = [(axis, s.value) for axis, own in offers.items() for s in own(checked)[0 if every else -1 :]]
    return [*found, *(("layers", name) for name in layers if LAYERS[name].lay(checked) is not None)]


def every_setting_checks(checked: Checked, layers: Sequence[str], every: bool) -> None:
    before = canonical(checked.blueprint)
    for axis, value in settings(checked, layers, every):
        found = apply(checked, Variant(checked.blueprint.blueprint, 7, {axis: value}))
        after = canonical(found.blueprint)
        changed = {part for part in before.keys() | after.keys() if before.get(part) != after.get(part)} - {"axes"}
        assert changed or (axis == "look" and found.blueprint.axes == {"look": value}), (axis, value)
        may = OF_LAYERS[LAYERS[value].kind] if axis == "layers" else TOUCHED[axis]
        assert changed <= may, (axis, value)


@pytest.mark.slow
@pytest.mark.parametrize("name", take_turns(*catalogue.names(), full=FULL_TURN))
def test_every_setting_that_is_offered_checks(name: str) -> None:
    """Applying a setting checks the Blueprint as a file of its own would be: here the last of each axis, and some layers."""
    every_setting_checks(catalogue.load(name), list(LAYERS)[catalogue.names().index(name) % 5 :: 5], every=False)


def test_every_setting_of_the_library_checks(library: Checked) -> None:
    every_setting_checks(library, list(LAYERS), every=True)


@pytest.mark.parametrize("name", CHOSEN)
def test_combinations_of_settings_check(name: str) -> None:
    checked = catalogue.load(name)
    for variant in plan_variants(checked, 14, seed=3)[2::4]:
        found = apply(checked, variant)
        kept = {a: v for a, v in variant.settings.items() if a not in ("policy", "knowledge", "complexity")}
        assert found.blueprint.axes == kept
        assert load_text(canonical_yaml(found.blueprint)).digest == found.digest


@pytest.mark.slow
def test_every_axis_has_offers_somewhere_and_the_catalogue_says_no_somewhere() -> None:
    offered = dict.fromkeys(AXES, 0)
    for name in catalogue.names():
        checked = catalogue.load(name)
        for axis in (axis for axis in AXES.values() if axis.name != "layers" or name in CHOSEN):
            offered[axis.name] += bool(axis.offers(checked))
    assert all(offered.values())
    assert 0 < offered["season"] < len(catalogue.names())
    assert 0 < offered["locale"] < len(catalogue.names())


@pytest.mark.parametrize("axis", sorted(AXES))
def test_a_setting_that_there_is_not_is_refused_by_name(library: Checked, axis: str) -> None:
    variant = Variant("town_library", 7, {axis: "no-such-thing"})
    with pytest.raises(UsageError, match=f"`{axis}`"):
        choose_task_options(variant) if AXES[axis].options else derive(library, variant)


def test_an_axis_that_there_is_not(library: Checked) -> None:
    with pytest.raises(UsageError, match="did you mean `season`"):
        derive(library, Variant("town_library", 7, {"seasons": "december"}))
    with pytest.raises(UsageError, match="did you mean `mess`"):
        parse_axes(["mes"])
    assert parse_axes(["seed", " mess"]) == ("mess", "seed")
    assert parse_axes([]) == tuple(name for name in NAMES if name != "look")
    assert parse_axes(["look"]) == ("look",)


def test_a_variant_of_another_family(library: Checked) -> None:
    with pytest.raises(UsageError, match="asked of `town_library`"):
        derive(library, Variant("hotel_booking", 7))


def test_as_usual_is_the_blueprint_itself(library: Checked) -> None:
    assert apply(library, Variant("town_library", 7)) is library
    assert apply(library, Variant("town_library", 7, {"complexity": "hard"})) is library


def test_what_a_blueprint_was_varied_by_before_is_kept(library: Checked) -> None:
    once = apply(library, Variant("town_library", 7, {"mess": "heavy"}))
    twice = apply(once, Variant("town_library", 7, {"season": "december", "policy": "strict"}))
    assert twice.blueprint.axes == {"mess": "heavy", "season": "december"}
    assert apply(once, Variant("town_library", 7, {"policy": "strict"})).blueprint.axes == {"mess": "heavy"}


def test_siblings_are_what_they_would_be_alone(library: Checked) -> None:
    place = {"mess": "heavy", "season": "december"}
    for rules in ("strict", "lenient", "no_debts=lenient,long_standing=after"):
        variant = Variant("town_library", 7, {"policy": rules, **place})
        assert apply(library, variant).digest == compute_digest(derive(library, variant))


def test_applying_is_pure(library: Checked) -> None:
    before = canonical_yaml(library.blueprint)
    for axis, value in settings(library, list(LAYERS)):
        derive(library, Variant("town_library", 7, {axis: value}))
    assert canonical_yaml(library.blueprint) == before


# one by one


def test_policies_of_one_name_and_mixes(library: Checked) -> None:
    found = apply(library, Variant("town_library", 7, {"policy": "strict"}))
    assert found.blueprint.variant == {"no_debts": "strict", "waiver_cap": "strict"}
    assert "borrow nothing" in render_handbook(found)
    mixed = apply(library, Variant("town_library", 7, {"policy": "no_debts=lenient,long_standing=after"}))
    assert mixed.blueprint.variant == {"no_debts": "lenient", "long_standing": "after"}
    assert policy.write_setting(library.blueprint, mixed.blueprint.variant) == "long_standing=after,no_debts=lenient"
    assert policy.write_setting(library.blueprint, found.blueprint.variant) == "strict"
    with pytest.raises(UsageError, match="no policy is called `debts`"):
        apply(library, Variant("town_library", 7, {"policy": "debts=strict"}))
    with pytest.raises(UsageError, match="no_debts has no set `loose`"):
        apply(library, Variant("town_library", 7, {"policy": "no_debts=loose"}))


@pytest.mark.parametrize("name", catalogue.names())
def test_the_opposite_of_a_set_of_rules_differs_everywhere(name: str) -> None:
    from worldwright.core.rng import Stream

    bp = catalogue.load(name).blueprint
    stream = Stream("test", name)
    for _ in range(5):
        one = {rule: stream.pick(sets) for rule, sets in policy.list_levels(bp).items()}
        other = policy.find_opposite(bp, one, stream)
        assert one.keys() == other.keys() == policy.list_levels(bp).keys()
        assert all(one[p] != other[p] for p in one)


def test_permissions_are_in_tools_roles_and_goals() -> None:
    checked = catalogue.load("hotel_booking")
    for offer in AXES["permissions"].offers(checked):
        found = apply(checked, Variant("hotel_booking", 7, {"permissions": offer.value}))
        verb, operation, role = offer.value.split(":")
        assert (role in found.operations[operation].roles) == (verb == "give")
        line = next(line for line in render_handbook(found).splitlines() if line.startswith(f"- **{to_words(role)}**"))
        assert line.endswith(f"{'May here also' if verb == 'give' else 'May not here'}: {to_words(operation)}.")
        for goal in found.goals.values():
            for step in goal.how:
                limits = found.operations[step.operation].roles
                assert not limits or set(goal.roles) <= set(limits)
    with pytest.raises(UsageError, match="changes nothing"):
        apply(checked, Variant("hotel_booking", 7, {"permissions": "give:create_booking:front_desk"}))


def test_a_season_moves_the_clock_and_leaves_cases_on_their_day() -> None:
    checked = catalogue.load("enterprise_procurement")
    found = apply(checked, Variant("enterprise_procurement", 7, {"season": "quarter_end"}))
    assert found.blueprint.now == "2025-09-30T09:00:00Z"
    december = apply(checked, Variant("enterprise_procurement", 7, {"season": "new_year"})).blueprint
    assert december.now == "2026-01-08T09:00:00Z"
    assert "2026-01-01" in december.holidays
    assert all(
        (c.allowed or c.forbidden or c.applies or c.not_ or {}).get("today")
        for p in found.blueprint.policies.values()
        for c in p.cases
    )


def test_a_blueprint_with_a_calendar_of_its_own_stays_in_it() -> None:
    assert has_own_calendar(catalogue.load("university_registrar").blueprint)
    assert has_own_calendar(catalogue.load("retail_returns").blueprint)
    assert not has_own_calendar(catalogue.load("enterprise_procurement").blueprint)


def test_volume_is_of_the_past_and_of_people() -> None:
    checked = catalogue.load("loan_servicing")
    before = checked.blueprint
    found = derive(checked, Variant("loan_servicing", 7, {"volume": "large"}))
    assert {n for n, e in found.entities.items() if e.rows != before.entities[n].rows} == {"borrower"}
    for name, flow in found.history.flows.items():
        assert flow.per_week == pytest.approx(before.history.flows[name].per_week * 1.4)


def test_every_setting_of_the_library_has_lived(library: Checked) -> None:
    """A setting that checks could still leave a world without a past."""
    usual = sum(grow_state(CompiledWorld(library), 7).past.calls.values())
    for axis, value in settings(library, list(LAYERS)):
        if AXES[axis].kind == "world" or axis == "permissions":
            found = apply(library, Variant("town_library", 7, {axis: value}))
            assert sum(grow_state(CompiledWorld(found), 7).past.calls.values()) > usual / 2, (axis, value)


def test_mess_is_scaled_by_kind() -> None:
    checked = catalogue.load("enterprise_procurement")
    usual = {m.label: m.share for m in checked.blueprint.mess}
    for value, factor in (("clean", 0.0), ("light", 0.5), ("more_stale", 1.0)):
        found = derive(checked, Variant("enterprise_procurement", 7, {"mess": value}))
        for layer in found.mess:
            wanted = 3.0 if value == "more_stale" and layer.layer == "stale" else factor
            assert layer.share == pytest.approx(usual[layer.label] * wanted)
    says = describe(checked, {"mess": "more_stale"}, {"mess": AXES["mess"].offers(checked)})
    assert says == "21% old sanctions checks"


def test_renamed_tools_are_renamed_wherever_they_are_called() -> None:
    checked = catalogue.load("enterprise_procurement")
    bp = checked.blueprint
    found = apply(checked, Variant("enterprise_procurement", 7, {"tools": "renamed"})).blueprint
    names = map_operation_names(bp)
    assert len(names) > 15
    text = canonical_yaml(found.model_copy(update={"policies": {}}))
    for old, new in names.items():
        assert new in found.operations
        assert not re.search(rf"\b{old}\b", text), old
    assert map_input_names(bp, bp.operations["route_request"]) == {"request": "request_id", "approver": "approver_id"}
    renamed = found.operations[names.get("route_request", "route_request")]
    assert tuple(renamed.takes) == ("request_id", "approver_id")
    assert renamed.does[0].let == {"request": "request_id", "approver": "approver_id"}


def test_split_searches_find_everything_between_them() -> None:
    checked = catalogue.load("enterprise_procurement")
    found = apply(checked, Variant("enterprise_procurement", 7, {"tools": "split"}))
    running, finished = (
        found.blueprint.operations["find_running_orders"],
        found.blueprint.operations["find_finished_orders"],
    )
    assert "find_orders" not in found.operations
    states = set(checked.schema.entities["purchase_order"].lifecycle)
    named = set(re.findall(r"'(\w+)'", f"{running.where} {finished.where}"))
    assert named == states
    assert set(re.findall(r"'(\w+)'", running.where or "")).isdisjoint(re.findall(r"'(\w+)'", finished.where or ""))


def test_lists_beside_the_searches_only_read() -> None:
    checked = catalogue.load("enterprise_procurement")
    found = apply(checked, Variant("enterprise_procurement", 7, {"tools": "lists"}))
    added = found.operations.keys() - checked.operations.keys()
    assert added
    assert all(found.operations[name].read is not None for name in added)


def test_options_are_for_tasks_and_leave_the_blueprint_alone() -> None:
    variant = Variant("town_library", 7, {"knowledge": "by_id", "complexity": "hard"})
    assert choose_task_options(variant) == ("high", {"contrast": "16", "reference": "id"})
    assert choose_task_options(Variant("town_library", 7, {"complexity": "easy"})) == (
        "low",
        {"contrast": "16", "reference": "any"},
    )
    assert choose_task_options(Variant("town_library", 7)) == ("medium", {"contrast": "16"})
    asked = {"reference": "id", "writes": "1..2"}
    assert choose_task_options(Variant("town_library", 7, {"complexity": "easy"}), asked=asked) == (
        "low",
        {"contrast": "16", **asked},
    )
    known = Variant("town_library", 7, {"complexity": "easy", "knowledge": "by_name"})
    assert choose_task_options(known, asked=asked) == ("low", {"contrast": "16", "reference": "name", "writes": "1..2"})
