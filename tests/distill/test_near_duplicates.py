"""Near-duplicates, held to comparing everything with everything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from worldwright.distill.choose import find_near_duplicates, jaccard
from worldwright.distill.summarise import hash_triples

SETS = st.lists(st.frozensets(st.integers(0, 12), max_size=10), max_size=12)


def slowly(sets: list[frozenset[int]], threshold: float) -> list[bool]:
    kept: list[frozenset[int]] = []
    out = []
    for one in sets:
        out.append(any(jaccard(one, other) >= threshold - 1e-9 for other in kept))
        if not out[-1]:
            kept.append(one)
    return out


@given(SETS, st.sampled_from([0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9, 1.0]))
def test_the_short_cut_finds_what_comparing_all_finds(sets: list[frozenset[int]], threshold: float) -> None:
    found = find_near_duplicates(sets, threshold)
    assert [n is not None for n in found] == slowly(sets, threshold)
    for one, number in zip(sets, found, strict=True):
        assert number is None or jaccard(one, sets[number]) >= threshold - 1e-9


def test_triples_do_not_see_capitals_or_marks() -> None:
    assert hash_triples("Please order, two CHAIRS!") == hash_triples("please order two chairs")
    assert hash_triples("please order two chairs") != hash_triples("please order two tables")
    assert len(hash_triples("")) == len(hash_triples("one")) == 1
