"""For each operation, all that it depends on, as one short mark: where two variants of a Blueprint have the same one, it does the
same in both."""

from __future__ import annotations

from collections.abc import Iterable

from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.checked import Checked, Run
from worldwright.blueprint.effects import effects, expand_nodes
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.load import canonical
from worldwright.core.canonical import digest

_APART = ("variant", "axes", "layers", "goals", "history", "mess", "personas", "service")
"""Parts of a Blueprint that no tool depends on, but for the choice of rules itself."""

Mark = tuple[str | tuple[str, str], ...]


class Marks:
    """The marks of one Blueprint."""

    def __init__(self, checked: Checked) -> None:
        bp = checked.blueprint
        self._checked = checked
        self._common = digest({part: value for part, value in canonical(bp).items() if part not in _APART})
        self._beside: dict[str, set[str]] = {name: set() for name in bp.policies}
        """By rule, those that beat it and those that it speaks of."""
        for name, policy in checked.policies.items():
            self._beside[name] |= rules_in(checked, (node for node in (policy.rule, policy.when) if node is not None))
            for beaten in bp.policies[name].beats:
                self._beside[beaten].add(name)
        held = (*checked.kept.values(), *(invariant.holds for invariant in checked.always.values()))
        self._everywhere = rules_in(checked, held)

    def mark(self, operation: str) -> Mark:
        """Mark everything but the rules, and the choice for each rule that the operation may meet."""
        met = set(self._everywhere)
        for name in run_by(self._checked, operation):
            found = effects(self._checked, name)
            met |= {g.policy for g in found.guards if g.policy} | rules_in(self._checked, found.nodes)
        while more := {other for name in met for other in self._beside[name]} - met:
            met |= more
        variant = self._checked.blueprint.variant
        return (operation, self._common, *((name, variant.get(name, "")) for name in sorted(met)))


def run_by(checked: Checked, operation: str) -> list[str]:
    """The operation itself, and all that it runs on the way."""
    out: list[str] = []
    waiting = [operation]
    while waiting:
        name = waiting.pop()
        if name in out:
            continue
        out.append(name)
        body = walk_statements(checked.operations[name].body)
        waiting += [statement.operation for statement in body if isinstance(statement, Run)]
    return out


def rules_in(checked: Checked, nodes: Iterable[n.Node]) -> set[str]:
    """The rules that expressions speak of, those in terms, policies and computed fields included."""
    return {part.policy for part in expand_nodes(checked, nodes) if isinstance(part, n.Obeys)}
