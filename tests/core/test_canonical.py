"""One byte form for data."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.canonical import canonical_json, digest, pretty_json, sha256

plain = st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
values: st.SearchStrategy[Any] = st.recursive(
    plain | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_both_forms_read_back_as_the_same_value(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value
    assert json.loads(pretty_json(value)) == value


@given(st.dictionaries(st.text(max_size=5), plain, max_size=8))
def test_the_order_of_keys_does_not_count(value: dict[str, Any]) -> None:
    other = dict(reversed(value.items()))
    assert canonical_json(value) == canonical_json(other)
    assert pretty_json(value) == pretty_json(other)
    assert digest(value) == digest(other)


@given(values, values)
def test_digests_differ_where_bytes_do(one: Any, other: Any) -> None:
    assert (digest(one) == digest(other)) == (canonical_json(one) == canonical_json(other))


def test_the_bytes_themselves() -> None:
    value = {"b": [1, 2.5, None, True], "a": "Zoë – 名"}
    assert canonical_json(value) == '{"a":"Zoë – 名","b":[1,2.5,null,true]}'.encode()
    assert pretty_json({"b": 1, "a": []}) == '{\n  "a": [],\n  "b": 1\n}\n'
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest(value) == hashlib.sha256(canonical_json(value)).hexdigest()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_hold_is_refused(value: float) -> None:
    for form in (canonical_json, pretty_json):
        with pytest.raises(ValueError, match="not JSON compliant"):
            form([value])
