"""What expressions and operations cost at most, once every name in them is written out.

Each expression is small; names multiply. Forty terms that each use the one before twice would be a million million parts, and ten
operations that loop over each other would never end. Both are counted here, without writing anything out, and refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.definitions import find_definition
from worldwright.blueprint.expr import nodes as n

MAX_PARTS = 20_000
"""Nodes of an expression with every term, policy and computed field written out."""
MAX_CHAIN_LENGTH = 40
"""How many names deep one leads to the next."""
MAX_NESTED = 6
"""Aggregates inside aggregates, through names."""
MAX_STATEMENTS = 2_000
"""Statements of an operation with every `run` written out."""
MAX_LOOPS = 3
"""Loops inside loops, through `run`."""


@dataclass(frozen=True, slots=True)
class Cost:
    parts: int = 0
    chain: int = 0
    nested: int = 0

    def add(self, other: Cost) -> Cost:
        return Cost(self.parts + other.parts, max(self.chain, other.chain), max(self.nested, other.nested))


ENDLESS = Cost(MAX_PARTS + 1, 1_000_000, MAX_NESTED + 1)


class Costs:
    """Costs of named expressions, each worked out once."""

    def __init__(
        self,
        computed: Mapping[tuple[str, str], n.Node],
        terms: Mapping[str, c.Term],
        policies: Mapping[str, c.Policy],
    ) -> None:
        self.computed = computed
        self.terms = terms
        self.policies = policies
        self._known: dict[tuple[str, ...], Cost | None] = {}

    def measure(self, node: n.Node) -> Cost:
        out = Cost(1)
        for child in n.children(node):
            out = out.add(self.measure(child))
        found = find_definition(self, node)
        if found is not None:
            named = self.measure_named(found.key, found.body)
            out = Cost(out.parts + named.parts, max(out.chain, named.chain + 1), max(out.nested, named.nested))
        if isinstance(node, n.Aggregate) and not node.rows.items:
            out = Cost(out.parts, out.chain, out.nested + 1)
        return out

    def measure_named(self, key: tuple[str, ...], body: n.Node) -> Cost:
        """Measure what stands behind a name; endless where the name leads back to itself."""
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self.measure(body)
        found = self._known[key]
        return found if found is not None else ENDLESS


def check_named(costs: Costs, report: Reporter) -> None:
    """Terms, policies and computed fields, each where it stands."""
    for (entity, field), body in costs.computed.items():
        with report.at("entities", entity, "fields", field):
            _check_cost(costs.measure_named((entity, field), body), report, "is computed from itself")
    for name, term in costs.terms.items():
        with report.at("terms", name):
            _check_cost(costs.measure_named(("term", name), term.body), report)
    for name, policy in costs.policies.items():
        with report.at("policies", name):
            _check_cost(costs.measure_named(("policy", name), policy.binding), report)


def _check_cost(cost: Cost, report: Reporter, circle: str = "leads back to itself") -> None:
    if cost.chain >= ENDLESS.chain:
        report.add(f"{circle}, directly or through others")
    elif cost.chain > MAX_CHAIN_LENGTH:
        report.add(f"names lead to names more than {MAX_CHAIN_LENGTH} deep", "write some of it out")
    elif cost.parts > MAX_PARTS:
        report.add(f"written out, this has more than {MAX_PARTS:,} parts", "use each name once, or compute it in steps")
    elif cost.nested > MAX_NESTED:
        report.add(
            f"aggregates {cost.nested} deep, through the names in it", f"at most {MAX_NESTED}; keep a total instead"
        )


def check_operations_cost(operations: Mapping[str, c.Operation], costs: Costs, report: Reporter) -> None:
    sizes: dict[str, tuple[int, int]] = {}
    for name in operations:
        size, loops = _measure_operation(operations, name, sizes)
        with report.at("operations", name):
            if size > MAX_STATEMENTS:
                report.add(f"with what it runs, more than {MAX_STATEMENTS:,} statements", "run less, or in a loop")
            elif loops > MAX_LOOPS:
                report.add(f"loops {loops} deep, through what it runs", f"at most {MAX_LOOPS}")
            for statement in walk_statements(operations[name].body):
                for node in n.statement_nodes(statement):
                    _check_cost(costs.measure(node), report)


def _measure_operation(
    operations: Mapping[str, c.Operation], name: str, known: dict[str, tuple[int, int]]
) -> tuple[int, int]:
    """Measure (statements, loops inside loops) of an operation; running in circles was refused before."""
    if name not in known:
        known[name] = _block(operations, operations[name].body, known)
    return known[name]


def _block(
    operations: Mapping[str, c.Operation], body: tuple[c.Statement, ...], known: dict[str, tuple[int, int]]
) -> tuple[int, int]:
    size = loops = 0
    for s in body:
        inner = (0, 0)
        match s:
            case c.When():
                a, b = _block(operations, s.do, known), _block(operations, s.otherwise, known)
                inner = (a[0] + b[0], max(a[1], b[1]))
            case c.Each():
                done = _block(operations, s.do, known)
                inner = (done[0], done[1] + 1)
            case c.Run() if s.operation in operations:
                inner = _measure_operation(operations, s.operation, known)
        size += 1 + inner[0]
        loops = max(loops, inner[1])
    return size, loops
