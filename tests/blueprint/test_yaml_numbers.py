"""Texts that look like numbers, words that look like something else: written as YAML, they come back as they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from worldwright.blueprint.source import load_yaml
from worldwright.formats.strict_yaml import dump_yaml

like_numbers = st.one_of(
    st.from_regex(r"[-+.]?[0-9][0-9_.:eE+-]{0,24}", fullmatch=True),
    st.from_regex(r"[-+]?0[xob]?[0-9a-fA-F]{1,8}", fullmatch=True),
    st.from_regex(r"[0-9]{1,4}-[0-9]{2}-[0-9]{2}([T ][0-9:]{5,8}Z?)?", fullmatch=True),
    st.sampled_from(
        ["", "~", "null", "Null", "true", "True", "no", "on", "y", ".5", "-.inf", ".nan", "=", "<<", "1e3", "0b1"]
    ),
)
texts = like_numbers | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)
numbers = (
    st.integers(-(10**18) + 1, 10**18 - 1)
    | st.integers(-(10**12), 10**12).map(lambda n: n / 100)
    | st.booleans()
    | st.none()
)
data = st.recursive(
    texts | numbers,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(texts.filter(lambda key: key != "<<"), inner, max_size=4)
    ),
    max_leaves=12,
)


def again(value: Any) -> Any:
    return load_yaml(dump_yaml(value), "again.yaml").data


def same(one: Any, other: Any) -> bool:
    """Equal, and of the same types: 1, 1.0 and True are three values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    return len(one) == len(other) and all(map(same, one, other)) if isinstance(one, list) else bool(one == other)


@given(texts)
@example("08022")
@example("0")
@example("1_000")
@example("12:30:45")
@example("1e5")
@example("+49")
@example("123456789012345678901")
@example("2025-06-16")
@example("123\n")
def test_a_text_is_the_same_text_again(text: str) -> None:
    assert same(again({"seeds": [{"zip": text}]}), {"seeds": [{"zip": text}]})


@given(st.lists(texts, max_size=6))
def test_so_it_is_in_a_list(several: list[str]) -> None:
    assert same(again(several), several)


@given(like_numbers.filter(lambda key: key != "<<"))
def test_keys_are_texts(key: str) -> None:
    assert same(again({key: 1}), {key: 1})


@given(data)
def test_whatever_it_stands_in(value: Any) -> None:
    assert same(again(value), value)


@pytest.mark.parametrize("number", [0, -7, 10**17, 0.5, -12.25, 1999.99, 0.01, 1_000_000.0])
def test_numbers_stay_numbers(number: float) -> None:
    assert same(again({"n": number}), {"n": number})
    assert "'" not in dump_yaml({"n": number})


def test_only_what_could_be_a_number_is_quoted() -> None:
    assert dump_yaml({"a": "PO-0012", "b": "0012", "c": "v1"}) == "a: PO-0012\nb: '0012'\nc: v1\n"
