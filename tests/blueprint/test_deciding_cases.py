"""Deciding cases: below, at and above every bound, and what each word does, made from the cases that authors wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.domains import MANY

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.deciding.cases import PolicyCases, decide_policy, list_policy_cases
from worldwright.blueprint.deciding.spelling import spell
from worldwright.blueprint.load import load_text

EXAMPLE = (Path(__file__).parents[2] / "examples" / "town_library.yaml").read_text(encoding="utf-8")
BANK = """
  desk_hours:
    about: {member: member, fine: money, wanted_on: date}
    when: fine > 0
    rule: wanted_on OP member.joined_on + 30
    says: With a fine, nothing is done until 30 days after joining, that day included.
    cases:
      - allowed: {fine: 2.50, wanted_on: 2025-05-01, member.joined_on: 2025-03-01}
      - forbidden: {fine: 2.50, wanted_on: 2025-03-05, member.joined_on: 2025-03-01}
"""
NO_EXACT_CASE = {("flight_rebooking", "connection_time", "k.leg > stranded_leg(booking)")}
"""Bounds that no row can meet exactly: the rule looks only at legs that differ from the stranded one."""


def with_rule(op: str) -> Checked:
    return load_text(EXAMPLE.replace("\noperations:", f"{BANK.replace('OP', op)}\noperations:"))


def verdicts(found: PolicyCases) -> dict[str, list[tuple[str, int, bool]]]:
    return {spell(b.bound): [(str(p.value), p.side, p.holds) for p in b.points] for b in found.bounds}


def test_a_bound_has_a_case_on_both_sides_and_one_at_it() -> None:
    found = verdicts(decide_policy(with_rule(">"), "desk_hours"))
    assert found["fine > 0"] == [("-0.01", -1, True), ("0.00", 0, True), ("0.01", 1, False)]
    assert found["wanted_on > add_days(member.joined_on, 30)"] == [
        ("2025-03-30", -1, False),
        ("2025-03-31", 0, False),
        ("2025-04-01", 1, True),
    ]


def test_an_inclusive_bound_shows_at_the_bound_and_nowhere_else() -> None:
    """The planted fault: the sentence includes the day, this rule does not. Only the case at the bound tells them apart."""
    day_in = verdicts(decide_policy(with_rule(">"), "desk_hours"))["wanted_on > add_days(member.joined_on, 30)"]
    day_out = verdicts(decide_policy(with_rule(">="), "desk_hours"))["wanted_on >= add_days(member.joined_on, 30)"]
    assert [a[1] for a, b in zip(day_in, day_out, strict=True) if a[2] != b[2]] == [0]


def test_a_bound_that_no_written_case_reaches_is_named() -> None:
    rule = "rule: (wanted_on > member.joined_on if fine < 9 else wanted_on - today > 3) or wanted_on >="
    unread = BANK.replace("rule: wanted_on OP", rule).replace("fine: 2.50", "fine: 12")
    found = decide_policy(load_text(EXAMPLE.replace("\noperations:", f"{unread}\noperations:")), "desk_hours")
    assert [spell(node) for node in found.unreached] == ["wanted_on > member.joined_on"]


def test_words_flags_and_nones_that_change_the_verdict_are_listed() -> None:
    found = decide_policy(load_text(EXAMPLE), "loan_limit")
    assert found.exempted_by == ("long_standing",)
    shown = {s.leaf.name: dict(s.verdicts) for s in found.switches}
    assert any(len(set(v.values())) == 2 for v in shown.values())


@pytest.mark.parametrize("name", MANY)
def test_every_bound_of_the_catalogue_is_covered_on_both_sides_and_at_it(name: str) -> None:
    for found in list_policy_cases(catalogue.load(name)):
        policy = found.bench.policy.name
        assert not found.unreached, f"{policy}: write a case that reaches {[spell(node) for node in found.unreached]}"
        for cases in found.bounds:
            assert cases.decides, f"{policy}: nothing depends on {spell(cases.bound)} in any case"
            if (name, policy, spell(cases.bound)) not in NO_EXACT_CASE:
                assert cases.whole, f"{policy}: no case at {spell(cases.bound)} itself"


def test_a_case_that_sets_the_moment_sets_the_day_too() -> None:
    text = """
blueprint: till
title: Till
category: Test
now: 2025-01-06T09:00:00Z
systems: {s: the till}
entities:
  voucher:
    in: s
    says: A voucher.
    key: VO-##
    rows: 3
    called: voucher {id}
    fields: {ends: date}
policies:
  in_time:
    about: {voucher: voucher}
    rule: voucher.ends >= today and now < at(voucher.ends, 18)
    says: A voucher is taken until six o'clock of its last day.
    cases:
      - {allowed: {now: 2025-03-01T17:59:00Z, voucher.ends: 2025-03-01}}
      - {forbidden: {now: 2025-03-02T08:00:00Z, voucher.ends: 2025-03-01}}
      - {forbidden: {now: 2025-03-01T18:00:00Z, voucher.ends: 2025-03-01}}
      - {allowed: {today: 2025-03-01, voucher.ends: 2025-03-01}}
operations:
  find_vouchers: {in: s, says: Search vouchers., by: anyone, search: voucher, filters: [ends]}
  take:
    in: s
    says: Take it.
    by: anyone
    takes: {voucher: voucher}
    does: [{obey: [in_time]}, {remove: voucher}]
    gives: {taken: "true"}
"""
    assert load_text(text, "till.yaml").policies["in_time"].cases
