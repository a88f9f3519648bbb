"""Whether an agent can meet what a claim is bound to: what no tool of the contract does, takes or shows decides nothing for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from worldwright.anchor.binding.records import BOUND
from worldwright.anchor.binding.targets import Target, find_target, flatten_statements
from worldwright.author.records import Bench, Finding
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.effects import effects
from worldwright.blueprint.expr import nodes as n
from worldwright.engine.contract import Contract, Template

WHOLE = ""
"""The part of a result that is all of it."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What the tools of a contract come to."""

    operations: frozenset[str]
    """Those that a tool is, that answer for one, or that one of these runs."""
    inputs: frozenset[tuple[str, str]]
    shown: frozenset[tuple[str, str]]
    policies: frozenset[str]
    past: frozenset[str]
    """Operations by which rows came to be as they are."""


def judge_reach(bench: Bench, checked: Checked, contract: Contract | None) -> Iterator[Finding]:
    """Name every claim of which no target can be met through the contract."""
    if contract is None:
        return
    reach = measure_reach(checked, contract)
    for row in bench.claims:
        found = [find_target(reference, checked) for reference in row.to if row.is_ == BOUND]
        why = [find_distance(target, reach, checked) for target in found if isinstance(target, Target)]
        if why and all(why):
            yield Finding("claim_unreached", f"claims.yaml#{row.id}", "; ".join(why))


def measure_reach(checked: Checked, contract: Contract) -> Reach:
    """Find out what the tools of a contract do, take and show."""
    tools = contract.tools.values()
    operations: set[str] = set()
    waiting = [name for tool in tools for name in (tool.operation, tool.shows) if name]
    while waiting:
        name = waiting.pop()
        if name not in operations:
            operations.add(name)
            waiting += [s.run for s in flatten_statements(checked.blueprint.operations[name].does) if s.run]
    reached = [effects(checked, name) for name in operations]
    asked = (node.policy for one in reached for top in one.nodes for node in n.walk(top) if isinstance(node, n.Obeys))
    return Reach(
        frozenset(operations),
        frozenset((tool.operation, name) for tool in tools for name in (*tool.takes, *tool.fixed)),
        frozenset((tool.shows or tool.operation, part) for tool in tools for part in _list_parts(tool.gives)),
        frozenset((*asked, *(name for one in reached for name in one.policies))),
        frozenset(step.do for flow in checked.blueprint.history.flows.values() for step in flow.steps if step.do),
    )


def _list_parts(template: Template) -> Iterator[str]:
    """Every name that a template reads anywhere in a result."""
    for key in ("from", "rows"):
        yield from template.get(key, ()) or ((WHOLE,) if key in template else ())
    parts: Mapping[str, Any] = template.get("fields", {})
    for inside in (*parts.values(), *(template[key] for key in ("each", "text") if key in template)):
        yield from _list_parts(inside)


def find_distance(target: Target, reach: Reach, checked: Checked) -> str:
    """Say why no tool of the contract comes to a node; empty where one does."""
    owner, _, part = target.name.partition(".")
    far = partial("{}:{}: {}".format, target.kind, target.name)
    match target.kind:
        case "policy" if owner not in reach.policies:
            return far("nothing that a tool does obeys it")
        case "effect" if owner in reach.past:
            return ""
        case "guard" | "effect" | "role" | "shows" if owner not in reach.operations:
            return far(f"no tool of the contract is `{owner}`")
        case "constraint" if owner in checked.operations and (owner, part) not in reach.inputs:
            return far(f"no tool takes `{part}` of `{owner}`")
        case "shows" if not {(owner, part), (owner, WHOLE)} & (reach.inputs | reach.shown):
            return far(f"no tool takes or shows `{part}`")
    return ""
