"""A small desk that sends parcels: an open choice, a log, two rules that forbid one thing, and what is told of a new row."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from worldwright.blueprint.siblings import load_cached
from worldwright.compiler.build import build
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

TEXT = """
blueprint: parcel_desk
title: A parcel desk
now: 2025-06-16T09:00:00Z
currency: EUR
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {sender: sends parcels}
entities:
  clerk:
    in: desk
    key: CLK-##
    seeds: [{name: Ann Lee, role: sender}]
    rows: 1
    fields: {name: person, role: one of sender}
  carrier:
    in: desk
    key: CA-##
    seeds:
      - {name: Rail, large: true, phone: 555-0101}
      - {name: Road, large: true, phone: 555-0102}
      - {name: Bike, large: false, phone: 555-0103}
    rows: 3
    fields: {name: text, large: bool, phone: text}
  customer:
    in: desk
    key: CU-##
    seeds: [{name: Mia Berg}]
    rows: 1
    fields: {name: person}
  parcel:
    in: desk
    key: PA-###
    seeds:
      - {customer: 1, weight: 5, worth: 10.50, sealed: true, status: waiting, remark: none}
      - {customer: 1, weight: 6, worth: 20.25, sealed: true, status: waiting, remark: none}
      - {customer: 1, weight: 90, worth: 40, sealed: true, status: waiting, remark: none}
      - {customer: 1, weight: 90, worth: 80, sealed: false, status: waiting, remark: none}
    rows: 4
    fields:
      customer: customer as parcels
      weight: int
      worth: money
      sealed: bool
      tagged: bool ~ false
      status: state
      remark: text?
      label: {type: text?, sort: content}
    lifecycle: {waiting: [sent], sent: []}
  shipment:
    in: desk
    key: SH-###
    fields:
      parcel: parcel as shipments
      carrier: carrier
      customer: customer as shipments
      number: int
      express: bool
  ledger:
    in: desk
    key: LG-###
    sort: log
    fields: {customer: customer as lines, amount: money}
policies:
  not_too_heavy:
    about: {p: parcel}
    rule: p.weight <= 50
    says: Nothing over 50 kilograms is sent.
    code: HEAVY
    cases: [allowed: {p.weight: 50}, forbidden: {p.weight: 51}]
  only_sealed:
    about: {p: parcel}
    rule: p.sealed
    says: Only sealed parcels are sent.
    code: OPEN
    cases: [allowed: {p.sealed: true}, forbidden: {p.sealed: false}]
  unrelated:
    about: {p: parcel}
    rule: p.weight >= 1
    says: Nothing under a kilogram is sent.
    code: LIGHT
    cases: [allowed: {p.weight: 1}, forbidden: {p.weight: 0}]
  not_too_dear:
    about: {before: money, charged: money}
    rule: before + charged <= 90
    says: Nobody is charged more than 90 in all.
    code: DEAR
    cases: [allowed: {before: 10, charged: 80}, forbidden: {before: 10, charged: 81}]
operations:
  get_parcel:
    in: desk
    says: One parcel.
    by: sender
    get: parcel
  send:
    in: desk
    says: Send a parcel.
    by: sender
    takes: {parcel: parcel, carrier: carrier, remark: text?, express: {type: bool, default: "false"}}
    does:
      - obey: {not_too_heavy: {p: parcel}, only_sealed: {p: parcel}, unrelated: {p: parcel}}
      - require: carrier.large
        else: SMALL
        says: That carrier takes no parcels.
      - set: {parcel.status: "'sent'", parcel.remark: "coalesce(remark, parcel.remark)"}
      - add: shipment
        with: {parcel: parcel, carrier: carrier, customer: parcel.customer, number: "100 + parcel.weight", express: express}
        as: s
    gives: s
  charge:
    in: desk
    says: Charge a customer.
    by: sender
    takes: {customer: customer, amount: {type: money, min: 1, max: 90}}
    does:
      - obey: {not_too_dear: {before: sum(l.amount for l in customer.lines), charged: amount}}
      - add: ledger
        with: {customer: customer, amount: amount}
        as: line
    gives: line
  hurry:
    in: desk
    says: Make a shipment an express one.
    by: sender
    takes: {shipment: shipment}
    does: [set: {shipment.express: "true"}]
    gives: shipment
  move:
    in: desk
    says: Let another carrier take a shipment.
    by: sender
    takes: {shipment: shipment, carrier: carrier}
    does:
      - require: carrier.large
        else: SMALL
        says: That carrier takes no parcels.
      - set: {shipment.carrier: carrier}
    gives: shipment
  lighten:
    in: desk
    says: Take something out of a parcel.
    by: sender
    takes: {parcel: parcel}
    does: [set: {parcel.weight: "min(parcel.weight, 50)"}]
    gives: parcel
  print_label:
    in: desk
    says: Print a number on a parcel.
    by: sender
    takes: {parcel: parcel, number: text}
    does: [set: {parcel.label: number}]
    gives: parcel
  tag:
    in: desk
    says: Put a tag on a parcel.
    by: sender
    takes: {parcel: parcel}
    does: [set: {parcel.tagged: "true"}]
    gives: parcel
  untag:
    in: desk
    says: Take the tag off a parcel.
    by: sender
    takes: {parcel: parcel}
    does: [set: {parcel.tagged: "false"}]
    gives: parcel
goals:
  send_it:
    by: sender
    given: {p: parcel where status == 'waiting'}
    wants: p.status == 'sent'
    how: [{do: send, with: {parcel: p, carrier: "any(c for c in carrier if c.large)"}}]
    tells: {number: "last((s for s in p.customer.shipments), by=s.id).number"}
    asks: ["send {p} and tell me its number"]
  send_and_label:
    by: sender
    given: {p: parcel where status == 'waiting'}
    wants: p.status == 'sent' and exists(s for s in p.shipments if s.carrier.phone == p.label)
    how:
      - {do: send, with: {parcel: p, carrier: "any(c for c in carrier if c.large)"}}
      - {do: print_label, with: {parcel: p, number: "first(s for s in p.shipments).carrier.phone"}}
    asks: ["send {p}, and print the number of whoever takes it on it"]
  send_by:
    by: sender
    given: {p: parcel where status == 'waiting', c: carrier where large}
    wants: p.status == 'sent' and exists(s for s in p.shipments if s.carrier == c)
    how: [{do: send, with: {parcel: p, carrier: c}}]
    asks: ["send {p} by {c}"]
  weigh_and_send:
    by: sender
    given: {p: parcel where status == 'waiting'}
    wants: p.status == 'sent'
    how: [{do: send, with: {parcel: p, carrier: "any(c for c in carrier if c.large)"}}]
    tells: {kilograms: p.weight}
    asks: ["send {p} and tell me what it weighs"]
  send_each:
    by: sender
    given: {p: parcel where status == 'waiting'}
    wants: p.status == 'sent'
    how: [{do: send, with: {parcel: p, carrier: "first((c for c in carrier if c.large), by=c.id)"}}]
    asks: ["send {p}"]
  hurry_it:
    by: sender
    given: {s: shipment}
    wants: s.express
    how: [{do: hurry, with: {shipment: s}}]
    asks: ["make {s} express"]
  charge_for:
    by: sender
    given: {p: parcel}
    wants: exists(l for l in ledger if l.customer == p.customer and l.amount == p.worth + p.worth)
    how: [{do: charge, with: {customer: p.customer, amount: p.worth + p.worth}}]
    asks: ["charge twice the worth of {p} to its customer"]
"""


@cache
def open_desk() -> Runtime:
    """The desk, with its opening state and without tasks."""
    pack = build(load_cached(TEXT, "parcel_desk.yaml"), 7, with_tasks=False).pack
    return Runtime(compile_blueprint(pack.blueprint), pack.state, "")


def make_task(parts: dict[str, Any]) -> Task:
    properties = {"outcome": {}, "rule": {}, **parts}
    return Task("task_001", "walk", "", "sender", "CLK-01", "", "message", {"properties": properties})


def use_goal(parcel: str, goal: str = "send_it") -> dict[str, Any]:
    return {"goal": goal, "rows": {"p": {"id": parcel}}, "said": {}}


def _accept(parcel: str, label: str, number: int) -> list[dict[str, Any]]:
    cells: dict[str, Any] = {
        "parcel": {"is": parcel},
        "carrier": "any",
        "customer": {"is": "CU-01"},
        "number": {"is": number},
    }
    cells["express"] = {"is": False}
    return [
        {"op": "changed", "table": "parcel", "id": parcel, "cells": {"status": {"is": "sent"}}},
        {"op": "added", "table": "shipment", "as": label, "cells": cells},
    ]


def send(parcel: str, **more: Any) -> Call:
    return Call("send", {"parcel": parcel, "carrier": "CA-01", **more})


def one_to_send() -> tuple[Task, Key]:
    """Send one parcel, by whatever carrier takes it."""
    told = {"goal": 0, "tells": "number", "row": "shipment_1"}
    expects = {
        "outcome": "done",
        "goals": [use_goal("PA-001")],
        "accepts": [_accept("PA-001", "shipment_1", 105)],
        "rules": [],
        "answer": {"outcome": {"is": "done"}, "number": told, "record": {"is": "PA-001"}},
    }
    answer = {"outcome": "done", "number": 105, "record": "PA-001"}
    return make_task({"number": {}, "record": {}}), Key("task_001", (send("PA-001"),), answer, expects)


def sending_with_a_label() -> tuple[Task, Key]:
    """Send one parcel by whatever carrier takes it, and print the carrier's number on it."""
    accepts = _accept("PA-001", "shipment_1", 105)
    accepts[0]["cells"]["label"] = "any"
    expects = {
        "outcome": "done",
        "goals": [use_goal("PA-001", "send_and_label")],
        "accepts": [accepts],
        "rules": [],
        "answer": {"outcome": {"is": "done"}, "record": {"is": "PA-001"}},
    }
    calls = (send("PA-001"), Call("print_label", {"parcel": "PA-001", "number": "555-0101"}))
    return make_task({"record": {}}), Key("task_001", calls, {"outcome": "done", "record": "PA-001"}, expects)


def two_to_send() -> tuple[Task, Key]:
    """Send two parcels of one customer, and tell the number of each."""
    expects = {
        "outcome": "done",
        "goals": [use_goal("PA-001"), use_goal("PA-002")],
        "accepts": [[*_accept("PA-001", "shipment_1", 105), *_accept("PA-002", "shipment_2", 106)]],
        "rules": [],
        "answer": {
            "outcome": {"is": "done"},
            "number": {"goal": 0, "tells": "number", "row": "shipment_1"},
            "number_2": {"goal": 1, "tells": "number", "row": "shipment_2"},
        },
    }
    answer = {"outcome": "done", "number": 105, "number_2": 106}
    task = make_task({"number": {}, "number_2": {}})
    return task, Key("task_001", (send("PA-001"), send("PA-002")), answer, expects)


ONE_RULE, TWO_RULES = "PA-003", "PA-004"
"""A parcel that one rule keeps here, and one that two keep here."""


def refusing(parcel: str, rule: str) -> tuple[Task, Key]:
    """Send a parcel, which this rule is said to forbid."""
    expects = {
        "outcome": "refused",
        "asked": "send_it",
        "request": [use_goal(parcel)],
        "goals": [],
        "accepts": [[]],
        "rules": [],
        "forbidden": [{"tool": "send", "arguments": {"parcel": parcel, "carrier": "CA-01"}}],
        "answer": {"outcome": {"is": "refused"}, "rule": {"is": rule}, "record": {"is": parcel}},
    }
    answer = {"outcome": "refused", "rule": rule, "record": parcel}
    return make_task({"number": {}, "record": {}}), Key("task_001", (), answer, expects)


def sending_one_of_two(rule: str) -> tuple[Task, Key]:
    """Send two parcels, of which two rules keep one here; the key names one of the rules."""
    task, key = one_to_send()
    expects = {
        **key.expects,
        "outcome": "partly",
        "asked": "weigh_and_send",
        "request": [use_goal(TWO_RULES, "weigh_and_send")],
        "forbidden": [{"tool": "send", "arguments": {"parcel": TWO_RULES, "carrier": "CA-01"}}],
        "answer": {**key.expects["answer"], "outcome": {"is": "partly"}, "rule": {"is": rule}},
    }
    answer = {"outcome": "partly", "number": 105, "record": "PA-001", "rule": rule}
    schema = {"properties": {**task.answer_schema["properties"], "kilograms": {}}}
    return replace(task, answer_schema=schema), Key("task_001", key.calls, answer, expects)


def sending_all() -> tuple[Task, Key]:
    """Send every parcel that is worth at least 10, leave out what the rules do not allow, count and add up."""
    answer = {"count": 2, "left_out": [ONE_RULE, TWO_RULES], "total": 30.75}
    expects = {
        "outcome": "done",
        "goals": [use_goal("PA-001", "send_each"), use_goal("PA-002", "send_each")],
        "accepts": two_to_send()[1].expects["accepts"],
        "rules": [],
        "answer": {
            "outcome": {"is": "done"},
            "count": {"number": answer["count"], "places": 0},
            "left_out": {"set": answer["left_out"]},
            "total": {"number": answer["total"], "places": 2},
        },
        "over": {
            "table": "parcel",
            "goal": "send_each",
            "where": [{"field": "worth", "op": ">=", "value": 10}],
            "total": "worth",
        },
    }
    calls = tuple(send(f"PA-00{k}") for k in (1, 2, 3, 4))
    task = make_task({part: {} for part in answer})
    return task, Key("task_001", calls, {"outcome": "done", **answer}, expects)


def counting() -> tuple[Task, Key]:
    """Count the parcels that are sealed and worth at most 30, and add up what they are worth."""
    answer = {"count": 2, "total": 30.75}
    expects = {
        "outcome": "done",
        "goals": [],
        "accepts": [[]],
        "rules": [],
        "answer": {
            "outcome": {"is": "done"},
            "count": {"number": answer["count"], "places": 0},
            "total": {"number": answer["total"], "places": 2},
        },
        "over": {
            "table": "parcel",
            "goal": "",
            "where": [
                {"field": "worth", "op": "<=", "value": 30},
                {"field": "sealed", "op": "==", "value": True},
            ],
            "total": "worth",
        },
    }
    return make_task({part: {} for part in answer}), Key("task_001", (), {"outcome": "done", **answer}, expects)
