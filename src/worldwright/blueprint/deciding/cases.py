"""For each policy the cases that decide: around its bounds, and where a word, a flag or a none changes the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.deciding.bounds import BoundCases, find_bound_cases, list_bounds
from worldwright.blueprint.deciding.leaves import ROWS, Given, Leaf, list_leaves, read_leaf, write_leaf
from worldwright.blueprint.deciding.tracing import Bench, set_up
from worldwright.blueprint.expr import nodes as n

MAX_BASES = 60
"""Cases from which those around a bound are looked for: the written ones, and those with one or two values changed."""


@dataclass(frozen=True, slots=True)
class SwitchCases:
    """What the code says for each word that a value may have, all else being as in a written case."""

    leaf: Leaf
    verdicts: tuple[tuple[Any, bool], ...]
    given: Given


@dataclass(frozen=True, slots=True)
class PolicyCases:
    """A policy with the cases that decide it."""

    bench: Bench
    operations: tuple[str, ...]
    """Those that ask it."""
    exempted_by: tuple[str, ...]
    bounds: tuple[BoundCases, ...]
    unreached: tuple[n.Node, ...]
    """Bounds around which no case could be made by moving one value of a written case."""
    switches: tuple[SwitchCases, ...]


def list_policy_cases(blueprint: c.Checked) -> Iterator[PolicyCases]:
    """List every policy of a Blueprint with the cases that decide it, in the order of the handbook."""
    for name in blueprint.policies:
        yield decide_policy(blueprint, name)


def decide_policy(blueprint: c.Checked, name: str) -> PolicyCases:
    """Make the cases that decide one policy, out of those that its author wrote."""
    bench = set_up(blueprint, name)
    written = tuple(_list_written(bench))
    bounds: list[BoundCases] = []
    unreached: list[n.Node] = []
    for bound in list_bounds(blueprint, bench.policy):
        found = find_bound_cases(bench, bound, written)
        if found is None or not (found.decides and found.whole):
            found = _better(found, find_bound_cases(bench, bound, tuple(_list_bases(bench, written))))
        if found is None:
            unreached.append(bound)
        else:
            bounds.append(found)
    return PolicyCases(
        bench,
        tuple(o.name for o in blueprint.operations.values() if _asks(o, name)),
        tuple(p.name for p in blueprint.policies.values() if name in p.beats),
        tuple(bounds),
        tuple(unreached),
        tuple(_list_switches(bench, written)),
    )


def _asks(operation: c.Operation, policy: str) -> bool:
    return any(isinstance(s, c.Obey) and s.policy == policy for s in walk_statements(operation.body))


def _better(one: BoundCases | None, other: BoundCases | None) -> BoundCases | None:
    if one is None or other is None:
        return one or other
    return other if (other.whole, other.decides) > (one.whole, one.decides) else one


def _list_written(bench: Bench) -> Iterator[Given]:
    for case in bench.policy.cases:
        given = next(g for g in (case.allowed, case.forbidden, case.applies, case.not_) if g is not None)
        if bench.judge(given) is not None:
            yield given


def _list_bases(bench: Bench, written: tuple[Given, ...]) -> Iterator[Given]:
    """List cases with one value changed, then with two, as many as can be afforded."""
    todo = list(written)
    made = 0
    while todo and made < MAX_BASES:
        given = todo.pop(0)
        for leaf in list_leaves(given, bench.policy.takes, bench.blueprint.schema):
            for value in _list_words(given, leaf, bench):
                if made >= MAX_BASES:
                    return
                other = write_leaf(given, leaf, value)
                if bench.judge(other) is not None:
                    made += 1
                    todo.append(other)
                    yield other


def _list_words(given: Given, leaf: Leaf, bench: Bench) -> Iterator[Any]:
    """List the other values that a flag or a word may have, and none where there may be none."""
    now = read_leaf(given, leaf, bench.blueprint.schema)
    if leaf.type.kind == "bool":
        yield from (v for v in (True, False) if v != now)
    elif leaf.type.kind == "enum":
        yield from (v for v in leaf.type.values if v != now)
    elif leaf.type.kind == "ref":
        yield from (v for v in _list_labels(given, leaf, bench) if v != now)
    elif leaf.type == ROWS and isinstance(leaf.address[-1], int):
        yield from (v for v in (0, 2) if v != now)
    if leaf.optional and now not in (None, "none"):
        yield None


def _list_labels(given: Given, leaf: Leaf, bench: Bench) -> list[str]:
    """List the rows of that kind that a case names, and one that it does not."""
    schema = bench.blueprint.schema
    alike = (o for o in list_leaves(given, bench.policy.takes, schema) if o.type == leaf.type)
    named = {str(value): None for o in alike if (value := read_leaf(given, o, schema)) not in (None, "none")}
    return [*named, f"another {leaf.type.entity}"]


def _list_switches(bench: Bench, written: tuple[Given, ...]) -> Iterator[SwitchCases]:
    """List the words, flags and nones that change the verdict of a written case, each field once, whichever row it is of."""
    done: set[tuple[str | int, ...]] = set()
    for given in written:
        judged = bench.judge(given)
        for leaf in list_leaves(given, bench.policy.takes, bench.blueprint.schema):
            field = tuple(part for part in leaf.address if isinstance(part, str))
            if field in done:
                continue
            now = read_leaf(given, leaf, bench.blueprint.schema)
            verdicts = [] if judged is None else [(now, judged.holds)]
            for value in _list_words(given, leaf, bench):
                other = bench.judge(write_leaf(given, leaf, value))
                if other is not None:
                    verdicts.append((value, other.holds))
            if len({holds for _, holds in verdicts}) > 1:
                done.add(field)
                yield SwitchCases(leaf, tuple(verdicts), given)
