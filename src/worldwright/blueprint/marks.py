"""For each operation, all that it depends on, as one short mark: where two variants of a Blueprint have the same one, it does the
same in both."""

from __future__ import annotations

from collections.abc import Iterable

from worldwright.blueprint.checked import Checked, Each, Run, When
from worldwright.blueprint.effects import effects
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

    def of(self, operation: str) -> Mark:
        """Everything but the rules, and the choice for each rule that the operation may meet."""
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
        bodies = [checked.operations[name].body]
        while bodies:
            for statement in bodies.pop():
                if isinstance(statement, Run):
                    waiting.append(statement.operation)
                elif isinstance(statement, When):
                    bodies += [statement.do, statement.otherwise]
                elif isinstance(statement, Each):
                    bodies.append(statement.do)
    return out


def rules_in(checked: Checked, nodes: Iterable[n.Node]) -> set[str]:
    """The rules that expressions speak of, those in terms and computed fields included."""
    out: set[str] = set()
    seen: set[str] = set()
    waiting = list(nodes)
    while waiting:
        for part in n.walk(waiting.pop()):
            if isinstance(part, n.Obeys):
                out.add(part.policy)
            elif isinstance(part, n.TermCall) and part.name not in seen:
                seen.add(part.name)
                waiting.append(checked.terms[part.name].body)
            elif isinstance(part, n.Field) and part.base.type.kind == "ref":
                key = (part.base.type.entity, part.name)
                if key in checked.computed and ".".join(key) not in seen:
                    seen.add(".".join(key))
                    waiting.append(checked.computed[key])
    return out
