"""Answers: numbers with half a place of room, dates as dates, sets as sets, words as words, and nothing that crashes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.blueprint.types import BOOL, DATE, INT, MONEY, TEXT, Type, ref
from worldwright.kinds.database.verify.answers import answer_schema, is_same, is_same_set

ENUM = Type("enum", values=("open", "closed"))

CASES: tuple[tuple[Any, Any, Type, bool], ...] = (
    # numbers
    (12.5, 12.5, MONEY, True),
    (12.5, 12.50499, MONEY, True),
    (12.5, 12.495, MONEY, True),
    (12.5, 12.505, MONEY, True),
    (12.5, 12.51, MONEY, False),
    (12.5, 12.4949, MONEY, False),
    (12.0, 12, MONEY, True),
    (12.5, "12.5", MONEY, True),
    (12.5, "12.50 USD", MONEY, True),
    (1250.5, "EUR 1,250.50", MONEY, True),
    (12.5, "12.50 or 13", MONEY, False),
    (12.5, "about 12.50", MONEY, False),
    (-12.5, "-$12.50", MONEY, True),
    (-12.5, "12.50", MONEY, False),
    (1.0, True, MONEY, False),
    (0.0, False, MONEY, False),
    (12.5, float("nan"), MONEY, False),
    (12.5, float("inf"), MONEY, False),
    (12.5, float("-inf"), MONEY, False),
    (12.5, 10**400, MONEY, False),
    (12.5, None, MONEY, False),
    (12.5, [12.5], MONEY, True),
    (12.5, [12.5, 12.5], MONEY, False),
    (12.5, {"value": 12.5}, MONEY, False),
    (-3.0, 3.0, MONEY, False),
    (3, 3, INT, True),
    (3, 3.0, INT, True),
    (3, 3.0001, INT, False),
    (3, 4, INT, False),
    (1, True, INT, False),
    (2**53, 2**53 + 1, INT, False),
    (10**400, 10**400, INT, True),
    # dates
    ("2025-10-06", "2025-10-06", DATE, True),
    ("2025-10-06", " 2025-10-06 ", DATE, True),
    ("2025-10-06", "2025-10-06T09:00:00Z", DATE, True),
    ("2025-10-06", "2025-10-07", DATE, False),
    ("2025-10-06", "2025-10-06 or 2025-10-07", DATE, False),
    ("2025-10-06", "2025-10-06x", DATE, False),
    ("2025-10-06", "6 October 2025", DATE, True),
    ("2025-10-06", "October 6, 2025", DATE, True),
    ("2025-10-06", "6 October", DATE, False),
    ("2025-10-06", "06/10/2025", DATE, False),
    ("2025-10-06", "not 6 October 2025", DATE, False),
    ("2025-10-06", 20251006, DATE, False),
    ("2025-10-06", None, DATE, False),
    # true and false
    (True, True, BOOL, True),
    (True, False, BOOL, False),
    (True, 1, BOOL, False),
    (False, 0, BOOL, False),
    (False, None, BOOL, False),
    (True, "true", BOOL, True),
    (True, "no", BOOL, False),
    (True, "maybe", BOOL, False),
    # words and ids
    ("EMP-0050", "EMP-0050", ref("person"), True),
    ("EMP-0050", "emp-0050 ", ref("person"), True),
    ("EMP-0050", "EMP-0051", ref("person"), False),
    ("EMP-0050", "EMP-0050, EMP-0051", ref("person"), False),
    ("EMP-0050", ["EMP-0050"], ref("person"), True),
    ("EMP-0050", ["EMP-0050", "EMP-0051"], ref("person"), False),
    ("minimum_stay", "the minimum stay rule", TEXT, True),
    ("minimum_stay", "Minimum-stay rule", TEXT, True),
    ("minimum_stay", "rule minimum_stay", TEXT, True),
    ("minimum_stay", "minimum stay policy", TEXT, True),
    ("minimum_stay", "the maximum stay rule", TEXT, False),
    ("house_rule", "house rule", TEXT, True),
    ("house_rule", "house", TEXT, False),
    ("open", "Open", ENUM, True),
    ("open", "open or closed", ENUM, False),
    ("Zoë  Ng", "zoe\u0308 ng", TEXT, True),
    ("5", 5, TEXT, False),
    # nothing
    (None, None, MONEY, True),
    (None, "", TEXT, True),
    (None, " None ", TEXT, True),
    (None, "null", DATE, True),
    (None, 0, MONEY, False),
    (None, False, BOOL, False),
    (None, [], TEXT, True),
    (None, "none of them", TEXT, False),
    ("none", None, TEXT, False),
)


@pytest.mark.parametrize(("expected", "found", "kind", "right"), CASES)
def test_same(expected: Any, found: Any, kind: Type, right: bool) -> None:
    assert is_same(expected, found, kind) is right


@pytest.mark.parametrize(
    ("expected", "found", "right"),
    [
        (["A-1", "A-2"], ["A-2", "A-1"], True),
        (["A-1", "A-2"], ("a-2", " A-1"), True),
        (["A-1", "A-2"], ["A-1"], False),
        (["A-1", "A-2"], ["A-1", "A-2", "A-3"], False),
        (["A-1", "A-2"], ["A-1", "A-2", "A-2"], False),
        (["A-1", "A-2"], ["A-1", "A-2", "a-2 "], False),
        (["A-1", "A-2"], "A-1, A-2", False),
        (["A-1"], "A-1", True),
        (["A-1"], {"A-1": True}, False),
        (["A-1"], [["A-1"]], False),
        (["A-1"], [1], False),
        ([], [], True),
        ([], None, False),
        ([], "", False),
        ([], "none", True),
        ([], ["A-1"], False),
    ],
)
def test_same_set(expected: list[str], found: Any, right: bool) -> None:
    assert is_same_set(expected, found) is right


@given(st.integers(-(10**12), 10**12), st.integers(1, 4), st.integers(-3, 3))
def test_the_next_number_is_another_one(units: int, places: int, off: int) -> None:
    kind = Type("decimal", places)
    assert is_same(units / 10**places, (units + off) / 10**places, kind) is (off == 0)


@given(st.lists(st.text("AB-12", min_size=1, max_size=4), unique=True, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_a_set_makes_no_difference(ids: list[str], random: Any) -> None:
    shuffled = list(ids)
    random.shuffle(shuffled)
    unlike = len({i.casefold() for i in ids}) == len(ids)
    assert is_same_set(ids, shuffled) is unlike


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(json_values, st.sampled_from((MONEY, INT, DATE, BOOL, TEXT, ENUM)))
def test_no_answer_brings_it_down(found: Any, kind: Type) -> None:
    expected: Any = {"date": "2025-10-06", "bool": True, "text": "x", "enum": "open"}.get(kind.kind, 3)
    assert is_same(expected, found, kind) in (True, False)
    assert is_same(None, found, kind) in (True, False)
    assert is_same_set(["A-1"], found) in (True, False)


def test_the_schema_says_what_is_compared() -> None:
    fields: dict[str, tuple[Type | None, str]] = {
        "outcome": (ENUM, "how it went"),
        "rule": (TEXT, "which"),
        "ids": (None, "all"),
        "total": (MONEY, "sum"),
        "due": (DATE, "when"),
    }
    schema = answer_schema(fields)
    assert schema["required"] == ["outcome"]
    assert schema["properties"]["ids"] == {"type": "array", "items": {"type": "string"}, "description": "all"}
    assert schema["properties"]["total"]["type"] == ["number", "null"]
    assert not schema["additionalProperties"]
