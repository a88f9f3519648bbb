"""Judging a written case, and noting every comparison of numbers, days or moments on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from worldwright.blueprint import patterns
from worldwright.blueprint.check.cases import case_desk
from worldwright.blueprint.check.rules import write_binding
from worldwright.blueprint.checked import Checked, Policy
from worldwright.blueprint.deciding.leaves import Given
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator, Frame, Run
from worldwright.blueprint.expr.failure import ExprError
from worldwright.core import days

ORDERINGS = ("<", "<=", ">", ">=")
ORDERED_KINDS = ("int", "decimal", "money", "foreign", "number", "date", "time")


def is_bound(node: n.Node) -> bool:
    """Return whether a node compares two ordered values."""
    return isinstance(node, n.Compare) and node.op in ORDERINGS and node.left.type.kind in ORDERED_KINDS


@dataclass(frozen=True, slots=True)
class Judged:
    """What the code says of a case: whether the rule holds (an exemption applies), and what was compared."""

    holds: bool
    compared: tuple[tuple[n.Node, int], ...]
    """Each comparison with how far its left side lies above its right one; those with a none on one side are left out."""


class _Tracer(Evaluator):
    """An evaluator that looks at every part of a condition, whether or not the others have decided it."""

    def __init__(self, blueprint: Checked, policies: Mapping[str, Policy]) -> None:
        super().__init__(
            blueprint.schema,
            lambda e, f: blueprint.computed[e, f],
            lambda t: (tuple(blueprint.terms[t].takes), blueprint.terms[t].body),
            lambda p: (tuple(policies[p].takes), policies[p].binding),
        )
        self.compared: list[tuple[n.Node, int]] = []

    def _on_Compare(self, node: n.Compare) -> Run:
        plain = super()._on_Compare(node)
        if not is_bound(node):
            return plain
        left, right = self.value(node.left), self.value(node.right)

        def note(d: Any, f: Frame) -> bool:
            a, b = left(d, f), right(d, f)
            if a is not None and b is not None:
                self.compared.append((node, _measure(a, b)))
            return bool(plain(d, f))

        return note

    def _on_And(self, node: n.And) -> Run:
        return self._look_at_all(tuple(self.truth(i) for i in node.items), decides=False)

    def _on_Or(self, node: n.Or) -> Run:
        return self._look_at_all(tuple(self.truth(i) for i in node.items), decides=True)

    def _look_at_all(self, items: tuple[Run, ...], decides: bool) -> Run:
        def look(d: Any, f: Frame) -> bool:
            found = False
            for item in items:
                try:
                    value = bool(item(d, f))
                except ExprError:
                    if not found:
                        raise
                    continue
                found = found or value == decides
            return found == decides

        return look


def _measure(a: Any, b: Any) -> int:
    """Return how far one value lies above another of its kind, in whole steps."""
    if isinstance(a, int):
        return int(a - b)
    start, end = _clock(b), _clock(a)
    return (end - start).days if len(a) <= 10 else int((end - start).total_seconds())


def _clock(text: str) -> datetime | date:
    found = days.parse_day(text) if len(text) <= 10 else days.parse_moment(text)
    if found is None:
        raise ExprError(f"{text!r} is neither a day nor a moment")
    return found


class Bench:
    """One policy on the bench: judges cases of it, with its exemptions taken into account."""

    def __init__(self, blueprint: Checked, policy: Policy, policies: Mapping[str, Policy]) -> None:
        self.blueprint = blueprint
        self.policy = policy
        node = policy.binding if policy.rule is not None else policy.when
        self._tracer = _Tracer(blueprint, policies)
        self._holds = self._tracer.truth(n.TRUE if node is None else node)

    def judge(self, given: Given) -> Judged | None:
        """Judge a case; None where it leaves out what the rule reads, or says what cannot be."""
        self._tracer.compared.clear()
        try:
            desk, frame = case_desk(dict(given), dict(self.policy.takes), self.blueprint.schema)
            holds = bool(self._holds(desk, frame))
        except ExprError:
            return None
        return Judged(holds, tuple(self._tracer.compared))

    @property
    def words(self) -> tuple[str, str]:
        """What the code says of a case where the condition holds, and where it does not."""
        return ("allowed", "forbidden") if self.policy.rule is not None else ("applies", "does not apply")


def set_up(blueprint: Checked, name: str) -> Bench:
    """Put a policy on the bench as its cases see it: one of a pattern knows nothing of the exemptions of others."""
    policies: dict[str, Policy] = dict(blueprint.policies)
    policy = policies[name]
    if policy.origin.startswith(patterns.MARK):
        policies = {k: p if p.origin == policy.origin else replace(p, beats=()) for k, p in policies.items()}
        policies = {k: replace(p, binding=write_binding(p, policies)) for k, p in policies.items()}
    return Bench(blueprint, policies[name], policies)
