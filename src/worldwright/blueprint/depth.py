"""How much of a business a Blueprint is: what it has, counted, and which of its operations are more than table editing."""

from __future__ import annotations

from dataclasses import dataclass

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.effects import effects


@dataclass(frozen=True, slots=True)
class Depth:
    """What a Blueprint has, patterns applied."""

    entities: int
    operations: int
    writing: int
    """Operations that change something."""
    business: int
    """Operations with a business guard, or that touch several rows."""
    policies: int
    agent_rules: int
    """Rules that only the handbook keeps."""
    tool_rules: int
    conflicts: int
    """Policies that beat others."""
    lifecycles: int
    balances: int
    """Quantities that are kept in balance or within a bound: invariants, and totals that follow from rows."""
    roles: int
    systems: int
    """That hold something."""
    goals: int
    filed: int
    """Goals whose request lies in the world."""
    flows: int
    seasonal: int
    mess: int

    @property
    def business_share(self) -> float:
        return self.business / self.operations if self.operations else 0.0


def measure_depth(checked: Checked) -> Depth:
    entities, rules = checked.schema.entities.values(), checked.policies.values()
    totals = sum(node.type.kind in ("money", "int", "decimal") for node in checked.kept.values())
    return Depth(
        entities=len(entities),
        operations=len(checked.operations),
        writing=sum(effects(checked, name).mutates for name in checked.operations),
        business=sum(is_business(checked, name) for name in checked.operations),
        policies=len(rules),
        agent_rules=sum(p.enforced == "agent" and p.rule is not None for p in rules),
        tool_rules=sum(p.enforced == "tool" and p.rule is not None for p in rules),
        conflicts=sum(bool(p.beats) for p in rules),
        lifecycles=sum(bool(e.lifecycle) for e in entities),
        balances=len(checked.always) + totals,
        roles=len(checked.blueprint.roles),
        systems=len({e.system for e in entities}),
        goals=len(checked.goals),
        filed=sum(g.files is not None for g in checked.goals.values()),
        flows=len(checked.flows),
        seasonal=sum(f.seasonal not in ("", "flat") for f in checked.flows.values()),
        mess=len(checked.mess),
    )


def is_business(checked: Checked, operation: str) -> bool:
    """Return whether an operation can be refused for what the business is like, or touches several rows.

    Reading a table, adding one row, changing or removing one is none of that.
    """
    known = effects(checked, operation)
    own = [w for w in known.writes if not w.derived]
    return bool(known.guards) or len({(w.entity, w.verb) for w in own}) > 1 or any(not w.must for w in own)
