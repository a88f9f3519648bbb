"""Exact numbers: rounding against fractions and decimals, and the way in and out of JSON."""

from __future__ import annotations

import json
import math
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.fixed import MAX_SCALED, divide, parse_fixed, to_number, to_plain_text, to_text

MODES = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "up": ROUND_UP, "down": ROUND_DOWN}
EXACT = Context(prec=120)

numbers = st.integers(-(10**20), 10**20) | st.integers(-50, 50)
places = st.integers(0, 6)
scaled = st.integers(-MAX_SCALED, MAX_SCALED)
modes = st.sampled_from(sorted(MODES))


def rounded(exact: Fraction, mode: str) -> int:
    """Rounding said in words: the size of the number is rounded, then it gets its sign back."""
    size = abs(exact)
    sign = -1 if exact < 0 else 1
    match mode:
        case "half_up":
            return sign * math.floor(size + Fraction(1, 2))
        case "half_even":
            return round(exact)
        case "up":
            return sign * math.ceil(size)
    return sign * math.floor(size)


@given(numbers, numbers.filter(bool), modes)
def test_divide_is_the_rounded_fraction(numerator: int, denominator: int, mode: str) -> None:
    assert divide(numerator, denominator, mode) == rounded(Fraction(numerator, denominator), mode)


@given(st.integers(-400, 400), st.integers(-16, 16).filter(bool), modes)
def test_divide_meets_every_tie(numerator: int, denominator: int, mode: str) -> None:
    assert divide(numerator, denominator, mode) == rounded(Fraction(numerator, denominator), mode)


@given(numbers, st.integers(0, 12), modes)
def test_divide_by_a_power_of_ten_is_what_decimal_does(number: int, digits: int, mode: str) -> None:
    exact = Decimal(number).scaleb(-digits, context=EXACT)
    wanted = exact.quantize(Decimal(1), rounding=MODES[mode], context=EXACT)
    assert divide(number, 10**digits, mode) == int(wanted)


@pytest.mark.parametrize("mode", sorted(MODES))
def test_dividing_by_zero_gives_none(mode: str) -> None:
    assert divide(0, 0, mode) is None
    assert divide(17, 0, mode) is None


@given(numbers, numbers.filter(bool), modes)
def test_signs_do_not_change_the_size(numerator: int, denominator: int, mode: str) -> None:
    found = divide(abs(numerator), abs(denominator), mode)
    assert found is not None
    assert divide(-numerator, -denominator, mode) == divide(numerator, denominator, mode)
    assert abs(divide(numerator, denominator, mode) or 0) == found


@given(scaled, places)
def test_a_number_goes_out_and_comes_back(value: int, digits: int) -> None:
    out = to_number(value, digits)
    assert parse_fixed(out, digits) == value
    assert parse_fixed(json.loads(json.dumps(out)), digits) == value


@given(scaled, places)
def test_a_decimal_comes_in_exactly(value: int, digits: int) -> None:
    assert parse_fixed(Decimal(value).scaleb(-digits, context=EXACT), digits) == value


@pytest.mark.parametrize(
    ("value", "digits", "wanted"),
    [
        (0.1, 2, 10),
        (0.1, 1, 1),
        (0.1, 0, None),
        (0.29, 2, 29),
        (1.15, 2, 115),
        (2.675, 3, 2675),
        (2.675, 2, None),
        (0.1 + 0.2, 2, None),
        (4.35 * 100, 0, None),
        (1234.5, 2, 123450),
        (-0.07, 2, -7),
        (-0.0, 2, 0),
        (1e3, 0, 1000),
        (1e-3, 3, 1),
        (5, 2, 500),
        (-5, 0, -5),
        (10**13, 2, 10**15),
        (10**13 + 1, 2, None),
        (10**400, 0, None),
        (Decimal("0.10"), 1, 1),
        (Decimal("1E+3"), 2, 100000),
        (Decimal("0.001"), 2, None),
        (Decimal("NaN"), 2, None),
        (Decimal("-Infinity"), 2, None),
        (float("nan"), 2, None),
        (float("inf"), 2, None),
        (1e300, 2, None),
        (True, 2, None),
        (False, 0, None),
        ("5", 2, None),
        (None, 2, None),
        ([5], 2, None),
        (5j, 2, None),
    ],
)
def test_what_counts_as_a_number(value: object, digits: int, wanted: int | None) -> None:
    assert parse_fixed(value, digits) == wanted


@given(st.floats(), places)
def test_a_float_means_what_it_is_written_as(value: float, digits: int) -> None:
    found = parse_fixed(value, digits)
    if not math.isfinite(value):
        assert found is None
    elif found is not None:
        assert Fraction(repr(value)) * 10**digits == found
    else:
        exact = Fraction(repr(value)) * 10**digits
        assert exact.denominator != 1 or abs(exact) > MAX_SCALED


large = st.integers(-(10**18), 10**18)


@given(large | large.map(float) | large.map(Decimal) | st.floats() | st.decimals(), places)
def test_nothing_beyond_the_limit_comes_in(value: object, digits: int) -> None:
    found = parse_fixed(value, digits)
    assert found is None or abs(found) <= MAX_SCALED


@pytest.mark.parametrize("value", [1e15, 1e14, 10.0**13 * 9, Decimal(10**15)])
def test_a_large_float_is_as_large_as_a_large_int(value: float | Decimal) -> None:
    assert parse_fixed(value, 2) == parse_fixed(int(value), 2) is None


@given(st.decimals(allow_nan=False, allow_infinity=False), places)
def test_a_decimal_is_never_cut(value: Decimal, digits: int) -> None:
    found = parse_fixed(value, digits)
    if found is not None:
        assert Fraction(value) * 10**digits == found


def test_a_decimal_longer_than_the_usual_precision_is_never_cut() -> None:
    assert parse_fixed(Decimal("1." + "0" * 40 + "1"), 2) is None


@given(scaled, places)
def test_text_groups_thousands_and_keeps_every_place(value: int, digits: int) -> None:
    assert to_text(value, digits) == f"{Decimal(value).scaleb(-digits, context=EXACT):,.{digits}f}"


@given(scaled, places)
def test_plain_text_is_the_shortest_exact_text(value: int, digits: int) -> None:
    text = to_plain_text(value, digits)
    assert Fraction(text) * 10**digits == value
    assert "," not in text
    assert not (("." in text) and text.endswith(("0", ".")))


@pytest.mark.parametrize(
    ("value", "digits", "text", "plain"),
    [
        (123450, 2, "1,234.50", "1234.5"),
        (-5, 2, "-0.05", "-0.05"),
        (0, 2, "0.00", "0"),
        (1234500, 4, "123.4500", "123.45"),
        (-123456789, 0, "-123,456,789", "-123456789"),
        (100, 2, "1.00", "1"),
    ],
)
def test_texts_as_people_write_them(value: int, digits: int, text: str, plain: str) -> None:
    assert to_text(value, digits) == text
    assert to_plain_text(value, digits) == plain
