"""Two free choices from one table: each is open whatever the other is."""

from __future__ import annotations

import pytest

from worldwright.blueprint.load import load_text
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compile.tasks.accept import Scope, scope_of, widen
from worldwright.kinds.database.compile.tasks.ends import EndState, end_plan
from worldwright.kinds.database.compile.tasks.instances import BoundGoal
from worldwright.kinds.database.compile.tasks.plans import PlanResult
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.worlds import compile_checked
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.verify.match import match
from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Accepted, Is, Pattern
from worldwright.world.records import Call

SPAN = ("2025-01-01T08:00:00Z", "2025-01-01T09:00:00Z")


def end(first: str, second: str) -> EndState:
    """Two people were given a device each."""
    rows = (("E-1", first), ("E-2", second))
    net = tuple(NetRow("changed", "device", key, {"holder": who, "status": "in_use"}) for who, key in rows)
    return EndState(PlanResult((), (), (), ()), tuple(sorted(net, key=lambda row: row.id)), SPAN, True)


def accept(*ends: EndState) -> list[Accepted]:
    first, *others = ends
    accepts: list[Accepted] = [
        tuple(Pattern(r.op, r.table, "", r.id, {k: Is(v) for k, v in r.cells.items()}) for r in first.net)
    ]
    for other in others:
        widen(accepts, other, {})
    return accepts


@pytest.mark.parametrize(("first", "second"), [("DV-3", "DV-4"), ("DV-4", "DV-3"), ("DV-9", "DV-1"), ("DV-1", "DV-9")])
def test_two_choices_from_one_table_are_open_together(first: str, second: str) -> None:
    accepts = accept(end("DV-1", "DV-2"), end("DV-3", "DV-2"), end("DV-1", "DV-4"))
    assert len(accepts) == 1
    assert match(accepts[0], end(first, second).net, SPAN).whole


def test_each_still_gets_one() -> None:
    accepts = accept(end("DV-1", "DV-2"), end("DV-3", "DV-2"), end("DV-1", "DV-4"))
    alone = end("DV-3", "DV-4").net[:1]
    assert not match(accepts[0], alone, SPAN).whole


DEPOT = """
blueprint: depot
title: Depot
now: 2025-06-16T09:00:00Z
systems: {depot: the depot}
actor: {entity: clerk, role: role}
roles: {clerk: sends parcels}
entities:
  clerk: {in: depot, key: CL-##, rows: 5, fields: {name: person, role: one of clerk}}
  carrier:
    in: depot
    key: CA-##
    seeds: [{fee: 0}, {fee: 0}, {fee: 7}, {fee: 9}]
    rows: 4
    fields: {fee: money}
  parcel:
    in: depot
    key: PA-##
    rows: 4
    called: "the parcel {code}"
    fields: {code: text ~ letters(6), carrier: carrier? ~ none, keeper: clerk? ~ none}
  bill: {in: depot, key: BI-##, fields: {parcel: parcel as bills, amount: money}}
operations:
  find_parcels: {in: depot, says: Search parcels., by: anyone, search: parcel, filters: [code], sort: [id], page: 20}
  find_carriers: {in: depot, says: Search carriers., by: anyone, search: carrier, sort: [id], page: 20}
  find_clerks: {in: depot, says: Search clerks., by: anyone, search: clerk, sort: [id], page: 20}
  send:
    in: depot
    says: Send a parcel. Some carriers bill a fee.
    by: anyone
    takes: {parcel: parcel, carrier: carrier}
    does:
      - set: {parcel.carrier: carrier}
      - when: carrier.fee > 0
        do: [{add: bill, with: {parcel: parcel, amount: carrier.fee}}]
    gives: parcel
  keep:
    in: depot
    says: Say who follows a parcel.
    by: anyone
    takes: {parcel: parcel, keeper: clerk}
    does: [set: {parcel.keeper: keeper}]
    gives: parcel
goals:
  send_and_follow:
    given: {p: parcel where carrier is none}
    wants: p.carrier is not none and p.keeper is not none
    how:
      - {do: send, with: {parcel: p, carrier: any(c for c in carrier)}}
      - {do: keep, with: {parcel: p, keeper: any(c for c in clerk)}}
    asks: ["send {p} by any carrier, and let somebody follow it"]
"""


@pytest.mark.parametrize("carrier", ["CA-01", "CA-02", "CA-03", "CA-04"])
@pytest.mark.parametrize("keeper", ["CL-01", "CL-02", "CL-05"])
def test_what_is_open_is_open_whatever_else_is_chosen(carrier: str, keeper: str) -> None:
    """A carrier with a fee ends otherwise than one without; who follows the parcel is open with both."""
    compiled = compile_checked(load_text(DEPOT, "depot.yaml"), Memo())
    sandbox = Sandbox(Runtime(compiled, grow_state(compiled, 7).data, ""))
    bound = BoundGoal("send_and_follow", "clerk", "CL-01", {"p": ("parcel", "PA-01")}, {})

    def plan(by: str, who: str) -> tuple[Call, ...]:
        return Call("send", {"parcel": "PA-01", "carrier": by}), Call("keep", {"parcel": "PA-01", "keeper": who})

    scope = scope_of(sandbox, (bound,), plan("CA-01", "CL-01"), ("test",))
    assert isinstance(scope, Scope)
    made = end_plan(sandbox, (bound,), plan(carrier, keeper))
    assert made.right
    assert any(match(accepted, made.net, made.span).whole for accepted in scope.accepts)
