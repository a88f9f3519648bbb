"""Policies with the cases that decide them, for somebody who holds the sentence against the code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldwright.blueprint.deciding.bounds import BoundCases
from worldwright.blueprint.deciding.cases import PolicyCases, SwitchCases
from worldwright.blueprint.deciding.leaves import Given, Leaf, list_leaves, read_leaf, show
from worldwright.blueprint.deciding.spelling import spell
from worldwright.core import days


def write_rules(title: str, policies: list[PolicyCases]) -> str:
    """Write the page that a reader goes through: sentence first, then what the code does."""
    lines = [f"# {title}: what the rules decide", ""]
    for found in policies:
        lines += [*_write_policy(found), ""]
    return "\n".join(lines)


def _write_policy(found: PolicyCases) -> Iterator[str]:
    policy = found.bench.policy
    yield f"## {policy.name}"
    yield policy.says
    who = (
        "an exemption" if policy.rule is None else "the tools refuse" if policy.enforced == "tool" else "handbook only"
    )
    asked = f"; asked by {', '.join(found.operations)}" if found.operations else ""
    beats = f"; lifts {', '.join(policy.beats)}" if policy.beats else ""
    exempt = f"; lifted by {', '.join(found.exempted_by)}" if found.exempted_by else ""
    yield f"  ({who}{asked}{beats}{exempt})"
    for bound in found.bounds:
        yield from _write_bound(found, bound)
    for node in found.unreached:
        yield f"  {spell(node)}: no case of the author's reaches it"
    for switch in found.switches:
        yield _write_switch(found, switch)


def _write_bound(found: PolicyCases, cases: BoundCases) -> Iterator[str]:
    yield f"  {spell(cases.bound)}{'' if cases.decides else ' (other parts of the rule decide)'}"
    shown = [
        f"{show(p.value, cases.leaf.type, _day(found, p.given))} {_word(found, p.holds)}{' (at the bound)' if p.side == 0 else ''}"
        for p in cases.points
    ]
    yield f"    {cases.leaf.name}: {'; '.join(shown)}"
    yield f"    where {_write_given(found, cases.points[0].given, cases.leaf)}"


def _write_switch(found: PolicyCases, switch: SwitchCases) -> str:
    by: dict[bool, list[str]] = {}
    for value, holds in switch.verdicts:
        by.setdefault(holds, []).append(show(value, switch.leaf.type, _day(found, switch.given)))
    said = "; ".join(f"{', '.join(values)} {_word(found, holds)}" for holds, values in by.items())
    return f"  {switch.leaf.name}: {said}"


def _write_given(found: PolicyCases, given: Given, moved: Leaf) -> str:
    schema = found.bench.blueprint.schema
    said = [
        f"{leaf.name} {show(read_leaf(given, leaf, schema), leaf.type, _day(found, given))}"
        for leaf in list_leaves(given, found.bench.policy.takes, schema)
        if leaf.address not in (moved.address, ("today",), ("now",)) and leaf.type.kind != "list"
    ]
    return ", ".join([*said, f"today {_day(found, given)}"])


def _day(found: PolicyCases, given: Given) -> str:
    return str(given.get("today", days.day_of(found.bench.blueprint.schema.now)))


def _word(found: PolicyCases, holds: bool) -> str:
    return found.bench.words[0 if holds else 1]


def describe_rules(found: PolicyCases) -> dict[str, Any]:
    """Describe a policy and its cases as data."""
    policy = found.bench.policy
    return {
        "policy": policy.name,
        "says": policy.says,
        "enforced": "exemption" if policy.rule is None else policy.enforced,
        "asked_by": list(found.operations),
        "lifts": list(policy.beats),
        "lifted_by": list(found.exempted_by),
        "bounds": [
            {
                "bound": spell(b.bound),
                "moved": b.leaf.name,
                "decides": b.decides,
                "whole": b.whole,
                "cases": [
                    {
                        "value": str(p.value),
                        "shown": show(p.value, b.leaf.type, _day(found, p.given)),
                        "side": p.side,
                        "verdict": _word(found, p.holds),
                    }
                    for p in b.points
                ],
            }
            for b in found.bounds
        ],
        "unreached": [spell(node) for node in found.unreached],
        "switches": [
            {
                "moved": s.leaf.name,
                "cases": [
                    {
                        "value": None if v is None else str(v),
                        "shown": show(v, s.leaf.type, _day(found, s.given)),
                        "verdict": _word(found, holds),
                    }
                    for v, holds in s.verdicts
                ],
            }
            for s in found.switches
        ],
    }
