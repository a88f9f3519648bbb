"""Reservations: spans that touch do not overlap, the fullest day decides, and nothing is promised twice."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.blueprint.patterns.small_world import (
    SmallWorld,
    does,
    example,
    finding,
    findings,
    from_pattern,
    grown,
    line_of,
    refuses,
)
from tests.effort import examples

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - reservation:
      of: car_class
      capacity: cars
      beyond: overbooking
      uses:
        - {rows: rentals, starts: from_on, ends: back_on, states: [reserved, out]}
        - rows: holds
          starts: fleet.from_on
          ends: fleet.back_on
          state: fleet.status
          states: [held]
          units: cars
          until: until_on
      held_back: {default: 0, strict: 1}
"""

BODY = """
blueprint: rental
title: Car rental
now: 2025-06-01T09:00:00Z
systems: {desk: the counter}
entities:
  car_class: {in: desk, key: CLS-##, rows: 2, fields: {code: text, cars: int ~ 2, overbooking: int ~ 0}}
  rental:
    in: desk
    key: RNT-###
    fields: {car_class: car_class as rentals, from_on: date, back_on: date, status: state}
    lifecycle: {reserved: [out, cancelled], out: [returned], returned: [], cancelled: []}
  fleet:
    in: desk
    key: FLT-##
    fields: {from_on: date, back_on: date, status: state}
    lifecycle: {held: [released], released: []}
  hold: {in: desk, key: HLD-##, fields: {car_class: car_class as holds, fleet: fleet as holds, cars: int, until_on: date}}
operations:
  reserve:
    in: desk
    says: Promise a car.
    by: anyone
    takes: {car_code: text, from_on: date, rental_days: int}
    does:
      - find: wanted in car_class
        where: wanted.code == car_code
        else: NO_SUCH_CLASS
      - let: {starts: from_on, ends: from_on + rental_days}
      - obey: [not_oversold]
      - {add: rental, with: {car_class: wanted, from_on: starts, back_on: ends}, as: r}
    gives: r
  cancel: {in: desk, says: Cancel., by: anyone, takes: {rental: rental}, does: [{set: {rental.status: cancelled}}], gives: rental}
  look_at:
    in: desk
    says: How full it is.
    by: anyone
    takes: {x: car_class, starts: date, ends: date}
    gives:
      first_day: taken_on(x, starts)
      peak: peak_taken(x, starts, ends)
      spare: spare_over(x, starts, ends)
      free: free_over(x, starts, ends)
"""

TEXT = BODY + USE
CLASS = "CLS-01"
Span = tuple[int, int]


def day(number: int) -> str:
    return f"2025-07-{number:02d}"


def counter(cars: int, *spans: Span, text: str = TEXT, **more: Any) -> SmallWorld:
    """A class with so many cars, reserved over these spans of days."""
    world = SmallWorld(text)
    world.given("car_class", **{"code": "small", "cars": cars, "overbooking": 0, **more})
    for first, last in spans:
        world.given("rental", car_class=CLASS, from_on=day(first), back_on=day(last), status="reserved")
    return world


def held(world: SmallWorld, cars: int, span: Span, until: str = "2025-06-30", status: str = "held") -> None:
    fleet = world.given("fleet", from_on=day(span[0]), back_on=day(span[1]), status=status)
    world.given("hold", car_class=CLASS, fleet=fleet, cars=cars, until_on=until)


def look(desk: Session, first: int, last: int) -> dict[str, int]:
    found: dict[str, int] = does(desk, "look_at", x=CLASS, starts=day(first), ends=day(last))
    return found


def reserve(desk: Session, first: int, last: int) -> str:
    """The id of a new rental, or the code of the refusal."""
    wanted = {"car_code": "small", "from_on": day(first), "rental_days": last - first}
    result = desk.call("reserve", wanted)
    return str(result.data["id"]) if result.ok else refuses(desk, "reserve", **wanted)


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "reservation") == {
        "terms": {"taken_on", "peak_taken", "spare_over", "free_over"},
        "policies": {"not_oversold"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    use, statements = example("reservation")
    start, end = BODY.index("      - find: wanted"), BODY.index("      - {add: rental, with")
    load_text(BODY[:start] + textwrap.indent(statements, " " * 6) + BODY[end:] + use)


# days


@pytest.mark.parametrize(
    ("span", "taken"),
    [((7, 9), False), ((6, 7), True), ((6, 9), True), ((1, 4), False), ((1, 5), True), ((5, 6), True), ((1, 20), True)],
)
def test_a_car_that_comes_back_goes_out_again_the_same_day(span: Span, taken: bool) -> None:
    desk = counter(1, (4, 7)).opens("")
    assert look(desk, *span)["peak"] == taken
    assert (reserve(desk, *span) == "SOLD_OUT") is taken


def test_rentals_end_to_end_share_one_car() -> None:
    desk = counter(1).opens("")
    for first in (1, 4, 7, 10):
        assert reserve(desk, first, first + 3).startswith("RNT-")
    assert reserve(desk, 9, 10) == "SOLD_OUT"
    assert look(desk, 1, 13) == {"first_day": 1, "peak": 1, "spare": 0, "free": 0}


def test_the_fullest_day_decides() -> None:
    desk = counter(3, (5, 8), (6, 9), (7, 10)).opens("")
    assert look(desk, 1, 20) == {"first_day": 0, "peak": 3, "spare": 0, "free": 0}
    assert look(desk, 8, 20) == {"first_day": 2, "peak": 2, "spare": 1, "free": 1}
    assert reserve(desk, 7, 8) == "SOLD_OUT"
    assert reserve(desk, 8, 20) == "RNT-004"


def test_an_empty_class_is_free_and_one_without_cars_never() -> None:
    desk = counter(2).opens("")
    assert look(desk, 1, 31) == {"first_day": 0, "peak": 0, "spare": 2, "free": 2}
    assert reserve(counter(0).opens(""), 1, 2) == "SOLD_OUT"


def test_other_classes_do_not_count() -> None:
    world = counter(1)
    other = world.given("car_class", code="large", cars=1)
    world.given("rental", car_class=other, from_on=day(1), back_on=day(9))
    assert reserve(world.opens(""), 1, 9) == "RNT-002"


spans = st.tuples(st.integers(1, 9), st.integers(1, 4)).map(lambda s: (s[0], s[0] + s[1]))


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(spans, max_size=7), spans, st.integers(0, 4))
def test_the_peak_is_that_of_counting_every_day(taken: list[Span], wanted: Span, cars: int) -> None:
    world = counter(cars, *taken[1:])
    on = Counter(d for first, last in taken[1:] for d in range(first, last))
    for span in taken[:1]:
        held(world, 2, span)
        on.update(dict.fromkeys(range(*span), 2))
    peak = max(on[d] for d in range(*wanted))
    desk = world.opens("")
    assert look(desk, *wanted) == {"first_day": on[wanted[0]], "peak": peak, "spare": cars - peak, "free": cars - peak}
    assert (reserve(desk, *wanted) == "SOLD_OUT") is (peak >= cars)


# what counts


@pytest.mark.parametrize(
    ("status", "counts"), [("reserved", True), ("out", True), ("returned", False), ("cancelled", False)]
)
def test_only_the_stated_states_count(status: str, counts: bool) -> None:
    world = counter(1)
    world.given("rental", car_class=CLASS, from_on=day(1), back_on=day(9), status=status)
    assert look(world.opens(""), 1, 2)["peak"] == counts


def test_what_is_cancelled_is_free_again() -> None:
    desk = counter(1).opens("")
    first = reserve(desk, 1, 9)
    assert reserve(desk, 3, 4) == "SOLD_OUT"
    does(desk, "cancel", rental=first)
    assert reserve(desk, 3, 4) == "RNT-002"


def test_units_through_a_reference_count_too() -> None:
    world = counter(5, (2, 4))
    held(world, 3, (3, 6))
    held(world, 9, (3, 6), status="released")
    desk = world.opens("")
    assert [look(desk, d, d + 1)["peak"] for d in range(1, 7)] == [0, 1, 4, 3, 3, 0]
    assert look(desk, 1, 7)["free"] == 1


@pytest.mark.parametrize(("until", "counts"), [("2025-05-31", False), ("2025-06-01", True), ("2025-06-02", True)])
def test_a_hold_counts_on_its_last_day_and_no_longer(until: str, counts: bool) -> None:
    world = counter(2)
    held(world, 2, (1, 9), until=until)
    assert look(world.opens(""), 1, 9)["peak"] == (2 if counts else 0)


# capacity


def test_overbooking_may_be_sold_but_is_not_spare() -> None:
    desk = counter(1, (1, 5), overbooking=1).opens("")
    assert look(desk, 1, 5) == {"first_day": 1, "peak": 1, "spare": 0, "free": 1}
    assert reserve(desk, 1, 5) == "RNT-002"
    assert look(desk, 1, 5) == {"first_day": 2, "peak": 2, "spare": -1, "free": 0}
    assert reserve(desk, 1, 5) == "SOLD_OUT"


def test_what_is_held_back_is_not_sold() -> None:
    strict = TEXT + "variant: {not_oversold: strict}\n"
    assert reserve(counter(1, text=strict).opens(""), 1, 5) == "SOLD_OUT"
    assert reserve(counter(2, text=strict).opens(""), 1, 5) == "RNT-001"


def test_the_error_has_the_code_it_was_given() -> None:
    desk = counter(0, text=TEXT + "      code: NO_CAR_LEFT\n").opens("")
    assert reserve(desk, 1, 2) == "NO_CAR_LEFT"


def test_one_entity_can_be_used_in_two_ways() -> None:
    """Rentals that are out count for good; those only reserved, until a day of their own."""
    body = BODY.replace(
        "back_on: date, status: state}\n    lifecycle: {res",
        "back_on: date, until_on: date?, status: state}\n    lifecycle: {res",
    )
    text = f"""{body}
use:
  - reservation:
      of: car_class
      capacity: cars
      uses:
        - {{rows: rentals, starts: from_on, ends: back_on, states: [out]}}
        - {{rows: rentals, starts: from_on, ends: back_on, states: [reserved], until: until_on}}
"""
    world = counter(9, text=text)
    for status, until in (("out", None), ("reserved", "2025-06-01"), ("reserved", "2025-05-31")):
        world.given("rental", car_class=CLASS, from_on=day(1), back_on=day(3), status=status, until_on=until)
    assert look(world.opens(""), 1, 2)["peak"] == 2


def test_it_works_on_a_grown_world() -> None:
    desk = grown(TEXT, "")
    assert look(desk, 1, 9) == {"first_day": 0, "peak": 0, "spare": 2, "free": 2}


PARAMETERS = "parameters: of, capacity, beyond, uses, held_back, code"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("capacity: cars", "number: cars", "`number` is not known here"),
        ("      of: car_class\n", "", "`of` is needed"),
        ("states: [reserved, out]", "states: []", "uses.0.states: Tuple should have at least 1 item"),
        ("starts: from_on,", "begins: from_on,", "`uses.0.begins` is not known here"),
        ("starts: from_on,", "starts: fleet.from_on,", "uses: the first of `uses` has its own fields"),
        ("{default: 0, strict: 1}", "{strict: 1}", "held_back: `held_back` needs a `default`"),
        ("{default: 0, strict: 1}", "{default: -1}", "held_back.default: Input should be greater than or equal to 0"),
        ("      held_back", "      code: sold out\n      held_back", "code: String should match pattern"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path, found.hint) == (line_of(TEXT, "- reservation:"), "use[0].reservation", PARAMETERS)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("of: car_class", "of: car_clas", "no type or entity is called `car_clas` (did you mean `car_class`?)"),
        ("capacity: cars", "capacity: cras", "`car_class` has no field `cras` (did you mean `cars`?)"),
        ("rows: rentals", "rows: rental", "`rental`"),
        ("states: [held]", "states: [hold]", "'hold' is not one of held, released"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- reservation:") for f in found)


def test_a_blueprint_uses_it_once() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].reservation", "adds terms.taken_on, which is there already")
    assert found.hint == "pattern `reservation` added it further up"
