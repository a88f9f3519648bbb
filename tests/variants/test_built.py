"""Varied worlds as they are built: they keep what they are, are built again bit for bit, and are measured on what is in them."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.cli.jobs.rebuild import rebuild
from worldwright.core.errors import PackError, TamperedPack
from worldwright.factory.work import build_variant
from worldwright.pack.open import Pack, check_pack
from worldwright.store.open import world_of
from worldwright.variants.likeness import Fingerprint, Likeness, compare_pairs, fingerprint_pack, measure_likeness
from worldwright.variants.record import Variant

NAME = "town_library"


@cache
def built(library: Checked, seed: int = 7, **settings: str) -> Pack:
    return build_variant(library, Variant(NAME, seed, settings)).pack


MANY = {
    "policy": "no_debts=strict,long_standing=after",
    "season": "december",
    "mess": "heavy",
    "tools": "renamed",
    "knowledge": "by_id",
}


def test_a_pack_keeps_what_it_is(library: Checked) -> None:
    pack = built(library, **MANY)
    manifest = pack.manifest
    assert manifest.axes == {"season": "december", "mess": "heavy", "tools": "renamed"}
    assert manifest.variant == {"no_debts": "strict", "long_standing": "after"}
    assert manifest.options == {"contrast": "16", "reference": "id"}
    assert manifest.parent == library.digest
    assert load_text(pack.blueprint).blueprint.axes == manifest.axes
    assert manifest.counts["tasks"] >= 10


def test_another_look_is_the_same_world(library: Checked) -> None:
    """The look of the app is chosen by a variant, and nothing else is another: rows, tasks, keys, tools, handbook."""
    plain, other = built(library), built(library, look="iris")
    assert {path for path in plain.files if plain.files[path] != other.files.get(path)} == {
        "blueprint.yaml",
        "manifest.json",
    }
    assert plain.files.keys() == other.files.keys()
    assert other.manifest.axes == {"look": "iris"}


def test_a_varied_pack_is_built_again_bit_for_bit(library: Checked) -> None:
    found = rebuild(built(library, **MANY))
    assert found.same
    assert found.differing == ()


def test_a_manifest_that_says_other_settings_is_not_believed(library: Checked) -> None:
    pack = built(library, season="december")
    data = json.loads(pack.files["manifest.json"])
    data["axes"] = {"season": "midsummer"}
    forged = check_pack({**pack.files, "manifest.json": json.dumps(data).encode()})
    with pytest.raises(TamperedPack, match="another name or variant"):
        world_of(forged)


def test_policy_variants_of_one_state_differ_in_what_is_right(library: Checked) -> None:
    strict, lenient = (
        fingerprint_pack(built(library, policy="strict").files),
        fingerprint_pack(built(library, policy="lenient").files),
    )
    found = measure_likeness(strict, lenient)
    assert found.state == 1.0
    assert 0.5 < found.rules < 1.0
    assert found.shared >= 4
    assert found.differing * 4 >= found.shared
    assert not found.near


def test_another_seed_shares_no_rows_to_speak_of(library: Checked) -> None:
    found = measure_likeness(fingerprint_pack(built(library).files), fingerprint_pack(built(library, 8).files))
    assert found.state < 0.2
    assert found.rules == 1.0
    assert not found.near


def test_another_face_is_a_near_duplicate(library: Checked) -> None:
    plain, lists = fingerprint_pack(built(library).files), fingerprint_pack(built(library, tools="lists").files)
    found = measure_likeness(plain, lists)
    assert found.state == found.rules == 1.0
    assert found.differing == 0
    assert found.near
    assert [
        (a, b)
        for a, b, pair in compare_pairs(
            {"plain": plain, "lists": lists, "other": fingerprint_pack(built(library, 8).files)}
        )
        if pair.near
    ] == [("plain", "lists")]


def test_renamed_tools_do_the_same_under_other_names(library: Checked) -> None:
    plain, renamed = world_of(built(library)), world_of(built(library, tools="renamed"))
    names = {t.name for t in renamed.tools}
    assert names.isdisjoint(t.name for t in plain.tools) or len(names) == len(plain.tools)
    assert {t.name for t in plain.tools} != names
    assert fingerprint_pack(built(library, tools="renamed").files).rules == fingerprint_pack(built(library).files).rules
    env = renamed.env()
    task = renamed.tasks[0]
    env.reset(task_ref=task.id)
    for call in renamed.key(task.id).calls:
        assert env.call_tool(call.tool, dict(call.arguments)).ok
    env.submit(renamed.key(task.id).answer)
    assert env.verify().reward == 1.0


# the measure itself

seens = st.builds(
    Fingerprint,
    st.dictionaries(st.sampled_from((b"a", b"b", b"c")), st.integers(1, 4)),
    st.frozensets(st.sampled_from(("- one", "- two", "- three"))),
    st.dictionaries(
        st.tuples(st.sampled_from("xyz"), st.just("r"), st.just("a")), st.sampled_from(("done", "refused"))
    ),
)


@given(seens, seens)
def test_likeness_is_a_share_and_has_no_direction(one: Fingerprint, other: Fingerprint) -> None:
    found = measure_likeness(one, other)
    assert found == measure_likeness(other, one)
    assert 0 <= found.state <= 1 and 0 <= found.rules <= 1 and 0 <= found.gold <= 1  # noqa: PT018
    assert found.differing <= found.shared <= found.asked


@given(seens)
def test_a_world_is_a_near_duplicate_of_itself(one: Fingerprint) -> None:
    found = measure_likeness(one, one)
    assert (found.state, found.rules, found.gold, found.differing) == (1.0, 1.0, 1.0, 0)
    assert found.near


@pytest.mark.parametrize(
    ("found", "near"),
    [
        (Likeness(1.0, 1.0, 10, 1, 10), True),
        (Likeness(1.0, 1.0, 10, 2, 10), False),
        (Likeness(0.89, 1.0, 0, 0, 10), False),
        (Likeness(1.0, 0.89, 0, 0, 10), False),
        (Likeness(0.9, 0.9, 0, 0, 10), True),
    ],
)
def test_near_is_rows_and_rules_and_what_is_right(found: Likeness, near: bool) -> None:
    assert found.near is near


def test_ids_are_no_content(library: Checked) -> None:
    files = dict(built(library).files)
    assert sum(fingerprint_pack(files).rows.values()) > len(fingerprint_pack(files).rows)
    with pytest.raises(PackError, match="not a whole pack"):
        fingerprint_pack({"policy.md": b""})
    with pytest.raises(PackError, match="cannot be read"):
        fingerprint_pack({**files, "state.db": b"SQLite format 3\0" + b"\0" * 600})


def test_a_pack_without_its_keys_has_nothing_to_compare(library: Checked) -> None:
    files = {path: data for path, data in built(library).files.items() if not path.startswith("keys/")}
    assert fingerprint_pack(files).gold == {}
