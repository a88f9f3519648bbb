"""Habits of a business behind operations that are there anyway: through the contract, what they forbid is refused with its 409."""

from __future__ import annotations

from typing import Any

import pytest
from tests.anchor.model.services import (
    DAY,
    MOMENT,
    NUMBER,
    TEXT,
    WHOLE,
    Op,
    built,
    checked,
    code,
    derived,
    episode,
    evidence,
    status,
    tables,
)

from worldwright.anchor.model.derive import Derived
from worldwright.engine.env import Env
from worldwright.engine.world import World

SCHEMAS: dict[str, dict[str, Any]] = {
    "Payment": {"id": WHOLE, "amount": NUMBER, "payer": TEXT, "note": TEXT},
    "Refund": {"id": WHOLE, "amount": NUMBER, "idempotency_key": TEXT, "payment_id": WHOLE},
    "Booking": {
        "id": WHOLE, "guest": TEXT, "start_date": DAY, "end_date": DAY, "checkin_at": MOMENT, "checkout_at": MOMENT, "note": TEXT,
    },
}  # fmt: skip
STAY = ("guest", "start_date", "end_date", "checkin_at", "checkout_at", "note")
OPERATIONS = (
    Op("listPayments", "GET", "/payments", gives="[Payment]"),
    Op("createPayment", "POST", "/payments", ("amount", "payer"), ("amount", "payer"), "Payment"),
    Op("getPayment", "GET", "/payments/{paymentId}", gives="Payment"),
    Op("updatePayment", "PATCH", "/payments/{paymentId}", ("payer", "note"), (), "Payment"),
    Op("listRefunds", "GET", "/payments/{paymentId}/refunds", gives="[Refund]"),
    Op("createRefund", "POST", "/payments/{paymentId}/refunds", ("amount", "idempotency_key"), ("amount",), "Refund"),
    Op("listBookings", "GET", "/bookings", gives="[Booking]"),
    Op("createBooking", "POST", "/bookings", STAY, ("guest", "start_date"), "Booking"),
    Op("getBooking", "GET", "/bookings/{bookingId}", gives="Booking"),
    Op("updateBooking", "PATCH", "/bookings/{bookingId}", STAY, (), "Booking"),
    Op("cancelBooking", "POST", "/bookings/{bookingId}/cancel", gives="Booking"),
    Op("confirmBooking", "POST", "/bookings/{bookingId}/confirm", gives="Booking"),
    Op("restoreBooking", "POST", "/bookings/{bookingId}/restore", gives="Booking"),
)


@pytest.fixture(scope="module")
def inn() -> Derived:
    return derived(evidence("Inn", SCHEMAS, OPERATIONS))


@pytest.fixture(scope="module")
def world(inn: Derived) -> World:
    return built(inn)


@pytest.fixture
def env(world: World) -> Env:
    return episode(world)


def payment(env: Env, amount: float) -> int:
    made = env.call_tool("createPayment", {"amount": amount, "payer": "Ada"})
    assert made.ok, made.error
    return int(made.data["id"])


def booking(env: Env, **more: str) -> int:
    made = env.call_tool("createBooking", {"guest": "Ada", "start_date": "2025-07-01", **more})
    assert made.ok, made.error
    return int(made.data["id"])


def test_no_operation_is_added(inn: Derived) -> None:
    assert set(inn.contract.tools) == {op.name for op in OPERATIONS}


def test_every_habit_says_why(inn: Derived) -> None:
    said = {r.what: r for r in inn.reasons}
    for what in (
        "booking stays as it is after cancel_booking",
        "create_refund happens once for a key",
        "end_date of booking not before start_date",
        "checkout_at of booking not before checkin_at",
    ):
        assert said[what].source.startswith("api.json#"), what
        assert said[what].why


# keys


def test_a_request_with_the_same_key_is_carried_out_once(env: Env) -> None:
    one = payment(env, 100)
    wanted = {"paymentId": one, "amount": 60, "idempotency_key": "k-1"}
    first, again = env.call_tool("createRefund", wanted), env.call_tool("createRefund", wanted)
    assert first.ok
    assert again.ok
    assert again.data == first.data
    assert len(env.call_tool("listRefunds", {"paymentId": one}).data) == 1
    assert env.call_tool("createRefund", {**wanted, "amount": 40, "idempotency_key": "k-2"}).ok
    assert len(env.call_tool("listRefunds", {"paymentId": one}).data) == 2


def test_without_a_key_it_happens_each_time(env: Env) -> None:
    one = payment(env, 100)
    for _ in range(2):
        assert env.call_tool("createRefund", {"paymentId": one, "amount": 10}).ok
    assert len(env.call_tool("listRefunds", {"paymentId": one}).data) == 2


# ends


@pytest.mark.parametrize(
    ("tool", "more"), [("updateBooking", {"note": "late"}), ("confirmBooking", {}), ("cancelBooking", {})]
)
def test_what_was_cancelled_is_not_touched_any_more(env: Env, tool: str, more: dict[str, Any]) -> None:
    one, other = booking(env), booking(env)
    assert env.call_tool("cancelBooking", {"bookingId": one}).ok
    refused = env.call_tool(tool, {"bookingId": one, **more})
    assert (code(refused), status(refused)) == ("ALREADY_CANCELLED", 409)
    assert env.call_tool(tool, {"bookingId": other, **more}).ok


def test_what_takes_it_back_may_still_be_done(env: Env) -> None:
    one = booking(env)
    assert env.call_tool("cancelBooking", {"bookingId": one}).ok
    assert env.call_tool("restoreBooking", {"bookingId": one}).ok


def test_what_was_taken_back_can_be_worked_with(env: Env) -> None:
    one = booking(env)
    assert env.call_tool("cancelBooking", {"bookingId": one}).ok
    assert env.call_tool("restoreBooking", {"bookingId": one}).ok
    assert env.call_tool("updateBooking", {"bookingId": one, "note": "late"}).ok


# spans


@pytest.mark.parametrize(
    ("start", "end", "fine"),
    [("2025-07-01", "2025-07-01", True), ("2025-07-01", "2025-07-09", True), ("2025-07-02", "2025-07-01", False)],
)
def test_nothing_ends_before_it_begins(env: Env, start: str, end: str, fine: bool) -> None:
    made = env.call_tool("createBooking", {"guest": "Ada", "start_date": start, "end_date": end})
    assert (made.ok, status(made)) == (fine, 0 if fine else 409)
    assert fine or code(made) == "WRONG_ORDER"


def test_one_end_is_held_against_the_other_as_it_is(env: Env) -> None:
    one = booking(env, end_date="2025-07-05")
    assert status(env.call_tool("updateBooking", {"bookingId": one, "end_date": "2025-06-30"})) == 409
    assert status(env.call_tool("updateBooking", {"bookingId": one, "start_date": "2025-07-06"})) == 409
    assert env.call_tool("updateBooking", {"bookingId": one, "start_date": "2025-07-05"}).ok
    assert env.call_tool("updateBooking", {"bookingId": one, "start_date": "2025-08-01", "end_date": "2025-08-02"}).ok


def test_moments_too(env: Env) -> None:
    wanted = {"checkin_at": "2025-07-01T15:00:00Z", "checkout_at": "2025-07-01T14:59:59Z"}
    refused = env.call_tool("createBooking", {"guest": "Ada", "start_date": "2025-07-01", **wanted})
    assert (code(refused), status(refused)) == ("WRONG_ORDER", 409)


def test_the_records_that_are_there_keep_to_it(env: Env) -> None:
    seen = env.call_tool("listBookings", {"limit": 100}).data
    both = [b for b in seen if "start_date" in b and "end_date" in b]
    assert len(both) > 10
    assert all(b["end_date"] >= b["start_date"] for b in both)
    assert all(b["checkout_at"] >= b["checkin_at"] for b in seen if {"checkin_at", "checkout_at"} <= set(b))


# unique

PEOPLE: dict[str, dict[str, Any]] = {
    "Member": {"id": WHOLE, "email": TEXT, "name": TEXT},
    "Badge": {"id": WHOLE, "member_id": WHOLE, "door": TEXT, "given_on": DAY},
}
DOORS = (
    Op("listMembers", "GET", "/members", gives="[Member]"),
    Op("createMember", "POST", "/members", ("email", "name"), ("email", "name"), "Member"),
    Op("updateMember", "PATCH", "/members/{memberId}", ("email", "name"), (), "Member"),
    Op("listBadges", "GET", "/badges", gives="[Badge]"),
    Op("createBadge", "POST", "/badges", ("member_id", "door", "given_on"), ("member_id", "door"), "Badge"),
)
KEPT = """
CREATE TABLE members (id integer PRIMARY KEY, email varchar(80) NOT NULL UNIQUE, name text NOT NULL);
CREATE TABLE badges (id integer PRIMARY KEY, member_id integer NOT NULL REFERENCES members (id), door text NOT NULL,
                     given_on date, UNIQUE (member_id, door));
"""


@pytest.fixture(scope="module")
def doors() -> World:
    return built(derived(evidence("Club", PEOPLE, DOORS, KEPT)))


def test_what_the_tables_keep_once_is_not_made_twice(doors: World) -> None:
    env = episode(doors)
    made = env.call_tool("createMember", {"email": "ada@x.org", "name": "Ada"})
    again = env.call_tool("createMember", {"email": "ada@x.org", "name": "Other"})
    assert (made.ok, code(again), status(again)) == (True, "DUPLICATE", 409)
    other = env.call_tool("createMember", {"email": "bo@x.org", "name": "Ada"}).data["id"]
    assert status(env.call_tool("updateMember", {"memberId": other, "email": "ada@x.org"})) == 409
    assert env.call_tool("updateMember", {"memberId": other, "email": "bo2@x.org"}).ok


def test_two_columns_together(doors: World) -> None:
    env = episode(doors)
    ada, bo = (env.call_tool("createMember", {"email": f"{n}@x.org", "name": n}).data["id"] for n in ("ada", "bo"))
    assert env.call_tool("createBadge", {"member_id": ada, "door": "north"}).ok
    assert env.call_tool("createBadge", {"member_id": ada, "door": "south"}).ok
    assert env.call_tool("createBadge", {"member_id": bo, "door": "north"}).ok
    again = env.call_tool("createBadge", {"member_id": ada, "door": "north"})
    assert (code(again), status(again)) == ("DUPLICATE", 409)


def test_without_the_tables_nobody_says_so() -> None:
    plain = derived(evidence("Club", PEOPLE, DOORS))
    assert all(not e.unique for e in checked(plain).schema.entities.values())


def test_records_that_come_along_do_not_take_it_away() -> None:
    rows = "INSERT INTO members VALUES (1, 'ada@x.org', 'Ada'), (2, 'bo@x.org', 'Bo');"
    found = checked(derived(evidence("Club", PEOPLE, DOORS, KEPT + rows)))
    assert ("email",) in found.schema.entities["member"].unique


def test_one_record_for_each_of_another() -> None:
    one = derived(
        tables(
            "CREATE TABLE users (id integer PRIMARY KEY, name text NOT NULL);"
            "CREATE TABLE profiles (id integer PRIMARY KEY, user_id integer NOT NULL UNIQUE REFERENCES users (id), bio text);"
        )
    )
    env = episode(built(one))
    owners = [p["user_id"] for p in env.call_tool("list_profiles", {"limit": 100}).data["items"]]
    assert len(set(owners)) == len(owners)
