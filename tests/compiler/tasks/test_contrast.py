"""Requests whose right outcome depends on the rules: the same for all policy variants of a state, solved under each one's rules."""

from __future__ import annotations

from functools import cache

import pytest
from tests.shared_builds import build

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.policy_parameters import choose_parameters
from worldwright.core.memo import Memo
from worldwright.engine.world import World
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compile.tasks.contrast import list_contrasts, list_rule_sets, rotate_rules
from worldwright.kinds.database.compile.tasks.knobs import Knobs, knobs
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.worlds import compile_checked
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.open import world_of

MANY = 12


@cache
def varied(library: Checked, *variant: tuple[str, str]) -> World:
    return world_of(build(choose_parameters(library, dict(variant)), 7, knobs=Knobs(contrast=MANY)).pack)


STRICT = (("no_debts", "strict"), ("waiver_cap", "strict"))
LENIENT = (("loan_limit", "lenient"), ("no_debts", "lenient"))
BEHIND = (("long_standing", "after"),)
VARIANTS = ((), STRICT, LENIENT, BEHIND)


def requests(world: World) -> dict[tuple[str, str, str], tuple[object, ...]]:
    """By what is asked of whom, the right answer and the end states that are accepted."""
    keys = {task.id: world.key(task.id) for task in world.tasks}
    return {(t.instruction, t.role, t.actor): (keys[t.id].answer, keys[t.id].expects["accepts"]) for t in world.tasks}


def test_the_sets_of_rules_that_requests_are_tried_under(library: Checked) -> None:
    assert list_rule_sets(library.blueprint) == ({}, dict(LENIENT), dict(STRICT), dict(BEHIND))


@pytest.mark.slow
def test_variants_open_on_the_same_state(library: Checked) -> None:
    assert len({varied(library, *v).manifest.state for v in VARIANTS}) == 1
    assert len({varied(library, *v).manifest.digest for v in VARIANTS}) == len(VARIANTS)


@pytest.mark.parametrize(("one", "other"), [((), STRICT), ((), LENIENT), (STRICT, LENIENT)])
def test_a_quarter_of_what_two_variants_share_ends_otherwise(
    library: Checked, one: tuple[tuple[str, str], ...], other: tuple[tuple[str, str], ...]
) -> None:
    mine, theirs = requests(varied(library, *one)), requests(varied(library, *other))
    shared = mine.keys() & theirs.keys()
    differing = [asked for asked in shared if mine[asked] != theirs[asked]]
    assert len(shared) >= 3
    assert len(differing) * 4 >= len(shared)


def test_what_one_handbook_allows_the_other_forbids_by_name(library: Checked) -> None:
    strict, lenient = varied(library, *STRICT), varied(library, *LENIENT)
    rules = set()
    for asked, (answer, _) in requests(strict).items():
        other = requests(lenient).get(asked)
        if other is not None and isinstance(answer, dict) and answer["outcome"] == "refused":
            assert isinstance(other[0], dict)
            if other[0]["outcome"] == "done":
                rules.add(answer["rule"])
    assert {"no_debts", "waiver_cap"} <= rules <= {"loan_limit", "no_debts", "waiver_cap"}


def test_which_requests_these_are_does_not_depend_on_the_variant(library: Checked) -> None:
    state = grow_state(compile_checked(library, Memo()), 7).data
    worlds = [compile_checked(choose_parameters(library, dict(variant)), Memo()) for variant in VARIANTS]
    found = [tuple(list_contrasts(Sandbox(Runtime(compiled, state, "")), 7, {}, Memo())) for compiled in worlds]
    assert found[0]
    assert all(f == found[0] for f in found)
    assert sorted(map(repr, rotate_rules(found[0]))) == sorted(map(repr, found[0]))
    rules = [c.rules for c in rotate_rules(found[0]) if c.rules]
    assert rules[: len(set(rules))] == list(dict.fromkeys(rules))


def test_worlds_without_the_knob_are_as_they_were(library: Checked, library_world: World) -> None:
    assert "contrast" not in library_world.manifest.options
    assert build(library, 7, knobs=Knobs(contrast=0)).pack.manifest.digest == library_world.digest


def test_the_knob_is_kept_and_read_again() -> None:
    asked = knobs("medium", {"contrast": "12"})
    assert asked == Knobs(contrast=12)
    assert asked.options() == {"contrast": "12"}
    assert knobs("medium", asked.options()) == asked
