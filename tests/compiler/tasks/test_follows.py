"""What follows from an open choice is open: whoever takes the parcel, the number on it is theirs."""

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
