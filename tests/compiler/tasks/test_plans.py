"""Plans: what one call makes and a later one uses is left open and filled in again, whatever the arguments look like."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from worldwright.kinds.database.compile.tasks.plans import NOTHING, NewRow, fill_new, list_leaves, open_new, replace_at
from worldwright.kinds.database.compile.tasks.variations import vary_order
from worldwright.world.records import Call

IDS = [f"A-{i:03d}" for i in range(6)] + [f"B-{i:03d}" for i in range(6)]
MADE = [{"a": IDS[:2], "b": IDS[6:7]}, {}, {"a": IDS[2:4]}]

plain = st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(IDS), st.text(max_size=5))
values = st.recursive(
    plain, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3))
)


@given(values)
def test_opening_and_filling_is_a_round_trip(value: Any) -> None:
    assert fill_new(open_new(value, MADE), MADE) == value


@given(values)
def test_every_id_that_was_made_is_left_open(value: Any) -> None:
    made = {key for rows in MADE for keys in rows.values() for key in keys}
    assert not [v for _, v in list_leaves(open_new(value, MADE)) if isinstance(v, str) and v in made]


@given(st.dictionaries(st.text(min_size=1, max_size=3), values, min_size=1, max_size=3), st.data())
def test_a_leaf_is_replaced_where_it_stands(value: dict[str, Any], data: st.DataObject) -> None:
    found = list(list_leaves(value))
    if not found:
        return
    path, _ = data.draw(st.sampled_from(found))
    changed = dict(list_leaves(replace_at(value, path, "other")))
    assert changed[path] == "other"
    assert {p: v for p, v in changed.items() if p != path} == {p: v for p, v in found if p != path}


def test_what_was_never_made_has_no_id() -> None:
    assert fill_new(NewRow(7, "a", 0), MADE) == NOTHING
    assert fill_new(NewRow(0, "a", 5), MADE) == NOTHING


def test_calls_swap_only_where_neither_needs_the_other() -> None:
    plan = (Call("make", {}), Call("use", {"it": NewRow(0, "a", 0)}), Call("else", {"n": 1}))
    swapped = [changed for _, changed in vary_order(plan)]
    assert [[c.tool for c in p] for p in swapped] == [["make", "else", "use"]]
    assert swapped[0][2].arguments == {"it": NewRow(0, "a", 0)}


def test_swapped_calls_still_refer_to_what_they_need() -> None:
    plan = (Call("x", {}), Call("make", {}), Call("use", {"it": NewRow(1, "a", 0)}))
    _, first = next(iter(vary_order(plan)))
    assert [c.tool for c in first] == ["make", "x", "use"]
    assert first[2].arguments == {"it": NewRow(0, "a", 0)}
