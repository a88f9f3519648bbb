"""Right is right: what a request leaves open passes whatever is chosen, and what nobody asked for fails, in logs too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.shared_builds import build

from worldwright.blueprint.load import load_text
from worldwright.engine.env import Env
from worldwright.engine.world import World
from worldwright.store.open import world_of
from worldwright.world.tasks import Key, Task, Verdict

WORLD = """
blueprint: harbour
title: Harbour
now: 2025-06-16T09:00:00Z
systems: {desk: the booking desk}
actor: {entity: agent, role: role}
roles: {clerk: books}
entities:
  agent: {in: desk, key: AG-##, rows: 4, called: "{name}", fields: {name: person, role: one of clerk}}
  port: {in: desk, key: PT-##, rows: 4, called: "the port of {name}", fields: {name: "text ~ f'{letters(5)}haven'"}}
  client:
    in: desk
    key: CL-###
    rows: 30
    called: "{name}"
    fields: {name: company, blocked: bool ~ chance(0.5), overdue: bool ~ chance(0.6)}
  sailing:
    in: desk
    key: SA-###
    rows: 90
    called: "the {ship} of {leaves_on:day}"
    fields:
      ship: "text ~ f'Ship {letters(4)}'"
      port: port as sailings
      leaves_on: date ~ today + between(-40, 60)
      closed: bool ~ chance(0.6)
      fee: money ~ between(100, 900)
  booking:
    in: desk
    key: BK-####
    called: "the booking of {client.name}"
    fields:
      client: client as bookings
      sailing: sailing as bookings
      boxes: int
      fee: money
      booked_on: date
      priority: "one of fast, slow?"
      packing: one of plain, padded
  remark:
    in: desk
    key: RM-####
    sort: log
    fields: {client: client as remarks, body: text, written_at: time}
operations:
  find_clients: {in: desk, says: Search clients., by: anyone, search: client, filters: [name], sort: [id], page: 50}
  get_client: {in: desk, says: One client., by: anyone, get: client}
  find_sailings: {in: desk, says: Search sailings., by: anyone, search: sailing, filters: [port, closed], sort: [id], page: 50}
  find_ports: {in: desk, says: Search ports., by: anyone, search: port, filters: [name], sort: [id], page: 50}
  find_bookings: {in: desk, says: Search bookings., by: anyone, search: booking, filters: [client], sort: [id], page: 50}
  book:
    in: desk
    says: Book boxes on a sailing.
    by: anyone
    takes:
      client: client
      sailing: sailing
      boxes: int
      priority: "one of fast, slow?"
      packing: {type: "one of plain, padded", default: plain}
    does:
      - require: not sailing.closed
        else: CLOSED
        says: "{sailing.ship} takes nothing more."
      - require: sailing.leaves_on >= today
        else: GONE
        says: "{sailing.ship} has left."
      - obey: [not_blocked, paid_up]
      - add: booking
        with: {client: client, sailing: sailing, boxes: boxes, fee: sailing.fee, booked_on: today, priority: priority,
               packing: packing}
        as: made
    gives: made
  remark_on: {in: desk, says: Write a remark., by: anyone, takes: {client: client, body: text},
              does: [{add: remark, with: {client: client, body: body, written_at: now}}], gives: client}
policies:
  not_blocked:
    about: {client: client}
    rule: not client.blocked
    says: Nothing is booked for a blocked client.
    code: BLOCKED
    cases: [{allowed: {client.blocked: false}}, {forbidden: {client.blocked: true}}]
  paid_up:
    about: {client: client}
    rule: not client.overdue
    says: Who has something overdue gets no new booking.
    enforced: agent
    cases: [{allowed: {client.overdue: false}}, {forbidden: {client.overdue: true}}]
goals:
  ship:
    given: {c: client, p: port}
    states: {n: "int ~ between(2, 40)"}
    wants: exists(b for b in c.bookings if b.boxes == n and b.sailing.port == p and b.booked_on == today)
    how:
      - do: book
        with:
          client: c
          sailing: any(s for s in p.sailings if not s.closed and s.leaves_on >= today)
          boxes: n
    tells: {fee: "last((b for b in c.bookings), by=b.id).fee"}
    asks: ["book {n} boxes for {c} to {p}, on any sailing; what is the fee?", "{c} ships {n} boxes to {p}. Any ship; the fee?"]
    then: ["book {n} boxes for {c} to {p} and tell me the fee"]
  ship_on:
    given: {s: sailing where not closed and leaves_on >= today, c: client}
    states: {n: "int ~ between(121, 140)"}
    wants: exists(b for b in c.bookings if b.boxes == n and b.sailing == s)
    how: [{do: book, with: {client: c, sailing: s, boxes: n}}]
    asks: ["book {n} boxes for {c} on {s}", "{n} boxes of {c} go on {s}, please book them"]
    then: ["book {n} boxes for {c} on {s}"]
  ship_twice:
    given: {c: client}
    states: {n: "int ~ between(41, 80)", m: "int ~ between(81, 120)"}
    wants: exists(b for b in c.bookings if b.boxes == n) and exists(b for b in c.bookings if b.boxes == m)
    how:
      - {do: book, with: {client: c, sailing: any(s for s in sailing if not s.closed and s.leaves_on >= today), boxes: n}}
      - {do: book, with: {client: c, sailing: any(s for s in sailing if not s.closed and s.leaves_on >= today), boxes: m}}
    tells: {second: "last((b for b in c.bookings if b.boxes == m), by=b.id).fee"}
    asks: ["book {n} boxes and then {m} boxes for {c}, each on any sailing; the fee of the second?", "{c}: {n} and {m} boxes, any"]
    then: ["book {n} boxes and {m} boxes for {c}"]
"""


@pytest.fixture(scope="module")
def world() -> World:
    return world_of(build(load_text(WORLD, "harbour.yaml"), 7).pack)


def tasks_of(world: World, outcome: str) -> Iterator[tuple[Task, Key]]:
    for task in world.tasks:
        key = world.key(task.id)
        if key.expects["outcome"] == outcome:
            yield task, key


def judge(world: World, task: Task, calls: list[tuple[str, dict[str, Any]]], answer: Any) -> Verdict:
    env: Env = world.env()
    env.reset(task.id)
    for tool, arguments in calls:
        env.call_tool(tool, arguments)
    env.submit(answer)
    return env.verify()


def writes(key: Key) -> list[tuple[str, dict[str, Any]]]:
    return [(c.tool, dict(c.arguments)) for c in key.calls if c.tool == "book"]


def test_every_sailing_that_the_request_leaves_open_passes(world: World) -> None:
    rows = world.env()
    rows.reset(world.tasks[0].id)
    found = rows.call_tool("find_sailings", {"closed": False}).data["items"]
    seen = 0
    for task, key in tasks_of(world, "done"):
        if [g["goal"] for g in key.expects["goals"]] != ["ship"]:
            continue
        [(tool, arguments)] = writes(key)
        port = key.expects["goals"][0]["rows"]["p"]["id"]
        for sailing in found:
            if sailing["port"] != port or sailing["leaves_on"] < "2025-06-16":
                continue
            seen += sailing["id"] != arguments["sailing"]
            answer = {**key.answer, "fee": sailing["fee"]}
            verdict = judge(world, task, [(tool, {**arguments, "sailing": sailing["id"]})], answer)
            assert verdict.status == "pass", (task.instruction, sailing, verdict)
    assert seen


def test_a_line_in_a_log_that_nobody_asked_for_fails(world: World) -> None:
    for task, key in tasks_of(world, "done"):
        calls = [*writes(key), ("remark_on", {"client": "CL-001", "body": "he is a crook"})]
        assert judge(world, task, calls, key.answer).status == "fail"


@pytest.mark.parametrize(
    ("more", "status"),
    [({"priority": "fast"}, "fail"), ({"packing": "padded"}, "fail"), ({"packing": "plain"}, "pass")],
)
def test_an_optional_value_that_nobody_asked_for_fails(world: World, more: dict[str, str], status: str) -> None:
    for task, key in tasks_of(world, "done"):
        calls = [(tool, {**arguments, **more}) for tool, arguments in writes(key)]
        assert judge(world, task, calls, key.answer).status == status


def test_what_is_told_of_a_row_does_not_depend_on_the_order(world: World) -> None:
    tried = 0
    for task, key in tasks_of(world, "done"):
        calls = writes(key)
        for k in range(len(calls) - 1):
            swapped = [*calls[:k], calls[k + 1], calls[k], *calls[k + 2 :]]
            assert judge(world, task, swapped, key.answer).status == "pass"
            tried += 1
    assert tried


def test_what_two_rules_forbid_is_not_asked(world: World) -> None:
    seen: Counter[str] = Counter()
    for task, key in tasks_of(world, "refused"):
        env = world.env()
        env.reset(task.id)
        client = env.call_tool("get_client", {"client": key.expects["forbidden"][0]["arguments"]["client"]}).data
        forbidding = {"not_blocked": client["blocked"], "paid_up": client["overdue"]}
        assert [rule for rule, broken in forbidding.items() if broken] == [key.answer["rule"]]
        seen[key.answer["rule"]] += 1
    assert seen.keys() == {"not_blocked", "paid_up"}


def test_a_refusal_does_not_name_its_rule(world: World) -> None:
    tried = 0
    for task, key in tasks_of(world, "refused"):
        env = world.env()
        env.reset(task.id)
        call = key.expects["forbidden"][0]
        result = env.call_tool(call["tool"], call["arguments"])
        if not result.ok:
            assert result.error is not None
            assert result.error.policy == key.answer["rule"]
            assert key.answer["rule"] not in str(result.payload())
            tried += 1
    assert tried


def test_done_and_a_rule_is_a_contradiction(world: World) -> None:
    for task, key in tasks_of(world, "done"):
        assert judge(world, task, writes(key), {**key.answer, "rule": "paid_up"}).status == "fail"
        assert judge(world, task, writes(key), {**key.answer, "rule": None}).status == "pass"


def test_a_part_that_a_rule_forbids_stays_undone(world: World) -> None:
    tried = 0
    for task, key in tasks_of(world, "partly"):
        forbidden = [(c["tool"], dict(c["arguments"])) for c in key.expects["forbidden"]]
        assert judge(world, task, writes(key), key.answer).status == "pass"
        assert judge(world, task, writes(key), {**key.answer, "outcome": "done", "rule": None}).status == "fail"
        assert judge(world, task, [], {**key.answer, "outcome": "refused"}).status == "fail"
        refused = key.answer["rule"] == "not_blocked"  # the tools keep that one
        assert (judge(world, task, [*writes(key), *forbidden], key.answer).status == "pass") is refused
        tried += 1
    assert tried


def test_no_more_than_two_tasks_are_about_the_same_and_they_are_one_group(world: World) -> None:
    about: dict[tuple[str, str], list[Task]] = {}
    for task in world.tasks:
        for use in world.key(task.id).expects["goals"]:
            if all("id" in at for at in use["rows"].values()):
                about.setdefault((use["goal"], str(sorted(use["rows"].items(), key=str))), []).append(task)
    assert max(map(len, about.values())) <= 2
    for own in about.values():
        assert len({task.features["group"] for task in own}) == 1
