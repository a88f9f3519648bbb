"""An open choice is open with what follows from it, and whoever is named for something else."""

from __future__ import annotations

import pytest
from studies.parcel_desk import open_desk

from worldwright.kinds.database.compile.tasks.accept import Scope, scope_of
from worldwright.kinds.database.compile.tasks.ends import end_plan
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, witness
from worldwright.kinds.database.compile.tasks.plans import Plan
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.verify.match import match
from worldwright.world.records import Call

BOUND = BoundGoal("send_and_label", "sender", "CLK-01", {"p": ("parcel", "PA-001")}, {})
PHONES = {"CA-01": "555-0101", "CA-02": "555-0102"}


def plan_with(carrier: str, phone: str) -> Plan:
    return (
        Call("send", {"parcel": "PA-001", "carrier": carrier}),
        Call("print_label", {"parcel": "PA-001", "number": phone}),
    )


def find_scope(sandbox: Sandbox) -> Scope:
    attempt = witness(sandbox, BOUND, (7,))
    assert attempt is not None
    found = scope_of(sandbox, [BOUND], attempt.plan, (7,))
    assert isinstance(found, Scope)
    return found


@pytest.mark.parametrize("carrier", PHONES)
def test_the_number_goes_with_the_carrier(carrier: str) -> None:
    sandbox = Sandbox(open_desk())
    scope = find_scope(sandbox)
    end = end_plan(sandbox, [BOUND], plan_with(carrier, PHONES[carrier]))
    assert end.right
    assert any(match(patterns, end.net, end.span).whole for patterns in scope.accepts)


def test_another_carriers_number_misses_the_goal() -> None:
    assert not end_plan(Sandbox(open_desk()), [BOUND], plan_with("CA-01", PHONES["CA-02"])).reached


def test_who_is_named_for_one_thing_is_not_named_for_another() -> None:
    sandbox = Sandbox(open_desk())
    free = BoundGoal("send_it", "sender", "CLK-01", {"p": ("parcel", "PA-001")}, {})
    named = BoundGoal("send_by", "sender", "CLK-01", {"p": ("parcel", "PA-002"), "c": ("carrier", "CA-01")}, {})

    def plan(first: str, second: str) -> Plan:
        pairs = (("PA-001", first), ("PA-002", second))
        return tuple(Call("send", {"parcel": parcel, "carrier": carrier}) for parcel, carrier in pairs)

    scope = scope_of(sandbox, [free, named], plan("CA-01", "CA-01"), (7,))
    assert isinstance(scope, Scope)
    for carriers, right in ((("CA-02", "CA-01"), True), (("CA-01", "CA-02"), False)):
        end = end_plan(sandbox, [free, named], plan(*carriers))
        assert end.right is right
        assert any(match(patterns, end.net, end.span).whole for patterns in scope.accepts) is right
