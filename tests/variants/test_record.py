"""A variant as a record: its name, its digest, and the way through plain data and back."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from worldwright.variants.axes import AXES
from worldwright.variants.record import MAX_NAME_CHARS, Variant

values = st.one_of(
    st.sampled_from(("strict", "heavy", "quarter_end", "take:lend:manager", "a=strict,b=after")),
    st.from_regex(r"[a-z_]{1,12}(=[a-z]{1,8}(,[a-z]{1,5}=[a-z]{1,5}){0,3})?", fullmatch=True),
)
variants = st.builds(
    Variant,
    st.just("town_library"),
    st.integers(0, 2**62 - 1),
    st.dictionaries(st.sampled_from(tuple(AXES)), values, max_size=5),
    st.text(max_size=30),
)


@given(variants)
def test_plain_data_and_back(variant: Variant) -> None:
    again = Variant(**json.loads(json.dumps(variant.data())))
    assert again == variant
    assert (again.digest, again.name, again.says) == (variant.digest, variant.name, variant.says)


@given(variants, variants)
def test_names_and_digests_tell_variants_apart(one: Variant, other: Variant) -> None:
    assert (one == other) == (one.digest == other.digest)
    assert (
        hash(one) == hash(other)
        if one == other
        else one.name != other.name or one.settings.keys() != other.settings.keys()
    )


@given(variants)
def test_a_name_is_fit_for_tags_and_folders(variant: Variant) -> None:
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_.-]*", variant.name)
    assert len(variant.name) <= MAX_NAME_CHARS
    assert variant.name.endswith(f"-{variant.seed}")


def test_what_it_says_is_not_what_it_is() -> None:
    assert Variant("a", 1, {}, "one") == Variant("a", 1, {}, "another")
