"""How alike two businesses are once all names are taken away.

Each Blueprint, patterns applied, is five bags of marks: the runs of statements in its operations, what guards them, the shapes of
its lifecycles, what its operations write, and the shapes of its goals' witnesses. A mark holds kinds and connections, never a
name, a word or a figure. The likeness of two bags is the share of marks that both have; that of two Blueprints is the mean over
the five. A copy with other nouns has likeness 1, whatever its texts say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.checked import Checked, Each, Find, Goal, Obey, Operation, Require, Statement, When
from worldwright.blueprint.effects import effects
from worldwright.blueprint.expr import nodes as n

Marks = Mapping[str, Counter[str]]
"""By section, its marks and how often each is there."""
SECTIONS = ("operations", "guards", "lifecycles", "effects", "witnesses")


def marks(checked: Checked) -> Marks:
    """A Blueprint without its names."""
    operations = checked.operations.values()
    return {
        "operations": Counter(m for o in operations for m in _list_runs(o)),
        "guards": Counter(m for o in operations for m in _guards(checked, o)),
        "lifecycles": Counter(m for e in checked.schema.entities.values() if e.lifecycle for m in _arrows(e.lifecycle)),
        "effects": Counter(
            _describe_writes(checked, name) for name in checked.operations if effects(checked, name).writes
        ),
        "witnesses": Counter(_witness(checked, goal) for goal in checked.goals.values()),
    }


def measure_distance(one: Marks, other: Marks) -> float:
    """Measure how far apart two businesses are: 0 for copies, 1 where they have nothing in common."""
    return 1 - sum(_measure_overlap(one[s], other[s]) for s in SECTIONS) / len(SECTIONS)


def rank_pairs(known: Mapping[str, Marks]) -> list[tuple[float, str, str]]:
    """Rank all pairs by their distance, the nearest first."""
    return sorted((measure_distance(known[a], known[b]), a, b) for a, b in combinations(sorted(known), 2))


def _measure_overlap(one: Counter[str], other: Counter[str]) -> float:
    whole = (one | other).total()
    return (one & other).total() / whole if whole else 1.0


# marks


def _list_runs(operation: Operation) -> Iterator[str]:
    """Yield what an operation takes, and each two statements that follow each other."""
    taken = ",".join(sorted(i.type.kind for i in operation.inputs))
    yield f"takes {taken}" if operation.read is None else type(operation.read).__name__
    kinds = ["begin", *(_statement(s) for s in walk_statements(operation.body)), "end"]
    yield from (f"{a} {b}" for a, b in pairwise(kinds) if operation.read is None)


def _statement(s: Statement) -> str:
    match s:
        case Each():
            return f"each({len(s.carry)})"
        case When():
            return f"when({shape(s.test)})"
    return type(s).__name__.lower()


def _guards(checked: Checked, operation: Operation) -> Iterator[str]:
    for s in walk_statements(operation.body):
        if isinstance(s, Require):
            yield f"require {shape(s.test)}"
        elif isinstance(s, Find) and s.code:
            yield f"find {shape(s.where)} by {shape(s.by)}"
        elif isinstance(s, Obey):
            policy = checked.policies[s.policy]
            yield f"{policy.enforced} {shape(policy.rule)} when {shape(policy.when)} beats {len(policy.beats)}"


def _arrows(lifecycle: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The whole graph, and each state with how many arrows lead in and out."""
    into = Counter(target for targets in lifecycle.values() for target in targets)
    degrees = sorted((into[state], len(targets)) for state, targets in lifecycle.items())
    yield f"graph {degrees}"
    yield from (f"state {d}" for d in degrees)


def _describe_writes(checked: Checked, name: str) -> str:
    """Describe all that one operation writes: verbs, kinds of columns, and whether it always does."""
    entities = checked.schema.entities
    out = []
    for write in effects(checked, name).writes:
        columns = sorted(entities[write.entity].columns[c].type.kind for c in write.columns if c != "id")
        out.append(f"{write.verb}{'!' if write.must else '?'}{'~' if write.derived else ''}({','.join(columns)})")
    return " ".join(sorted(out))


def _witness(checked: Checked, goal: Goal) -> str:
    calls = [",".join(sorted(i.type.kind for i in checked.operations[h.operation].inputs)) for h in goal.how]
    asked = "filed" if goal.files is not None else "mends" if goal.mends else "asked"
    about = ",".join(shape(goal.where.get(name)) for name in goal.given)
    told = ",".join(sorted(shape(t) for t in goal.tells.values()))
    return f"{asked} given({about}) said({len(goal.states)}) calls({';'.join(calls)}) wants {shape(goal.wants)} tells({told})"


# expressions


def shape(node: Any) -> str:
    """An expression with kinds for names and values: `r.total <= limit` is `(ref.money<=money)`."""
    match node:
        case None:
            return "-"
        case n.Const() | n.Var():
            return str(node.type.kind)
        case n.Field():
            return f"{shape(node.base)}.{node.type.kind}"
        case n.Compare() | n.Arith() | n.Either():
            return f"({shape(node.left)}{node.op}{shape(node.right)})"
        case n.Aggregate():
            over = f"{shape(node.rows.base)}*" if node.rows.base is not None else "*"
            return f"{node.kind}[{over}|{shape(node.where)}|{shape(node.value)}|{shape(node.by)}]"
        case n.TermCall() | n.Obeys():
            return f"term({','.join(map(shape, node.args))})"
        case n.Call() | n.Draw():
            return f"{node.name}({','.join(map(shape, node.args))})"
    return f"{type(node).__name__}({','.join(shape(p) for p in n.children(node))})"
