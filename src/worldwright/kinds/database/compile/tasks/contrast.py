"""Requests whose right outcome depends on the rules: what one handbook allows, another forbids.

The same bindings are tried under several sets of rules: the default ones, each set of named parameters that policies have (strict,
lenient), and the one in which exemptions stand behind what they beat. Where two of them end otherwise, the request is put to this
variant too, and solved under its own rules. Which requests these are depends on Blueprint, state and seed, never on the variant:
all policy variants of one state are asked the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from worldwright.blueprint.check.rules import AFTER, list_sets
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.model import Blueprint
from worldwright.core.memo import Memo, Slot
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.accept import Dropped
from worldwright.kinds.database.compile.tasks.candidates import Candidate
from worldwright.kinds.database.compile.tasks.describe import Describer
from worldwright.kinds.database.compile.tasks.ends import content, end_plan
from worldwright.kinds.database.compile.tasks.instances import (
    Attempt,
    BoundGoal,
    RowKey,
    bind_actors,
    bindings,
    witness,
)
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.single import task_of
from worldwright.kinds.database.compile.worlds import compile_default, compile_under
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime

CONTRAST = "contrast"
"""The first word of the shape of such a task."""
MAX_BINDINGS = 60
"""Bindings of one goal that are tried."""
MAX_FRUITLESS_BINDINGS = 24
"""Bindings in a row that bring nothing: no more are tried then."""
MAX_PER_GOAL = 6
"""Requests of one goal: with more, they would be copies with other numbers."""
SPARE_FACTOR = 2
"""So many times as many are looked for as are asked for: not each of them becomes a task."""
MAX_PER_KIND = 2
"""Of those, the most that come out alike under every set of rules."""

Outcome = tuple[str, str] | None
"""(done, which end) or (refused, rule); None where it is neither."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A request, and how it ends under each set of rules."""

    bound: BoundGoal
    number: int
    """Of the binding: what else is drawn for it has this in its path."""
    outcomes: tuple[Outcome, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that forbid it under some set."""
        return tuple(
            sorted({outcome[1] for outcome in self.outcomes if outcome is not None and outcome[0] == "refused"})
        )


CONTRASTS: Slot[tuple[Contrast, ...]] = Slot("requests that the rules decide", max_entries=1)


def contrasts(
    sandbox: Sandbox, describer: Describer, seed: int, damaged: Mapping[str, Sequence[RowKey]], most: int, memo: Memo
) -> Iterator[Candidate | Dropped]:
    """Tasks from requests that the rules decide, as many as asked for."""
    made = 0
    for found in find_contrasts(sandbox, seed, damaged, most, memo):
        if made >= most:
            return
        bound = found.bound
        attempt = witness(sandbox, bound, _path(seed, bound.goal, found.number))
        if attempt is None or not (attempt.clean or attempt.forbidden_by):
            continue
        kind = (CONTRAST, bound.goal, str(found.number))
        task = task_of(sandbox, describer, attempt, kind, (seed, bound.goal, found.number))
        made += isinstance(task, Candidate)
        yield task


def find_contrasts(
    sandbox: Sandbox, seed: int, damaged: Mapping[str, Sequence[RowKey]], most: int, memo: Memo
) -> tuple[Contrast, ...]:
    """Find twice as many contrasts as asked for, in turn; once for the variants of one state that are built in a row."""
    key = (compile_default(sandbox.compiled, memo).blueprint.digest, seed, most, sandbox.runtime.state)
    return memo.get(
        CONTRASTS,
        key,
        lambda: tuple(rotate_rules(tuple(islice(list_contrasts(sandbox, seed, damaged, memo), SPARE_FACTOR * most)))),
    )


def list_contrasts(
    sandbox: Sandbox, seed: int, damaged: Mapping[str, Sequence[RowKey]], memo: Memo
) -> Iterator[Contrast]:
    """Yield every request that ends otherwise under one set of rules than under another, one of each goal in turn."""
    sandboxes = [
        Sandbox(
            Runtime(m, sandbox.runtime.state, "", agenda=sandbox.runtime.agenda),
            reserved=sandbox.reserved,
            copies=sandbox.copies,
        )
        for m in compile_rule_sets(sandbox.compiled, memo)
    ]
    if len(sandboxes) < 2:
        return
    usual = sandboxes[0].compiled
    open_rules = _open_rules(usual)
    goals = [name for name in usual.blueprint.goals if open_rules & _rules_of(usual, name)]
    waiting = [_list_goal_contrasts(sandboxes, name, seed, damaged) for name in Stream(seed, CONTRAST).shuffled(goals)]
    while waiting:
        for source in tuple(waiting):
            found = next(source, None)
            if found is None:
                waiting.remove(source)
            else:
                yield found


def _list_goal_contrasts(
    sandboxes: Sequence[Sandbox], name: str, seed: int, damaged: Mapping[str, Sequence[RowKey]]
) -> Iterator[Contrast]:
    usual = sandboxes[0]
    compiled = usual.goals[name]
    kinds: dict[tuple[Outcome, ...], int] = {}
    last = -1
    for i, rows in enumerate(bindings(usual, compiled, seed, damaged)):
        if i >= MAX_BINDINGS or i - last > MAX_FRUITLESS_BINDINGS or sum(kinds.values()) >= MAX_PER_GOAL:
            return
        for bound in bind_actors(usual, compiled, rows, _path(seed, name, i)):
            outcomes = _outcomes(sandboxes, bound, _path(seed, name, i))
            if len({o for o in outcomes if o is not None}) > 1 and kinds.get(outcomes, 0) < MAX_PER_KIND:
                kinds[outcomes] = kinds.get(outcomes, 0) + 1
                last = i
                yield Contrast(bound, i, outcomes)
                break


def _path(seed: int, goal: str, number: int) -> tuple[int, str, str, int]:
    return (seed, CONTRAST, goal, number)


def rotate_rules(found: Sequence[Contrast]) -> list[Contrast]:
    """Reorder to one for each rule that decides something, then another for each, and so on: none crowds the others out."""
    by_goal = _turns(found, lambda contrast: contrast.bound.goal)
    return _turns(by_goal, lambda contrast: contrast.rules or (contrast.bound.goal,))


def _turns(found: Sequence[Contrast], key: Callable[[Contrast], object]) -> list[Contrast]:
    groups: dict[object, list[Contrast]] = {}
    for contrast in found:
        groups.setdefault(key(contrast), []).append(contrast)
    most = max(map(len, groups.values()), default=0)
    return [own[turn] for turn in range(most) for own in groups.values() if turn < len(own)]


def compile_rule_sets(compiled: CompiledWorld, memo: Memo) -> tuple[CompiledWorld, ...]:
    """Compile the same world under each set of rules that requests are tried under, the default one first."""
    return tuple(compile_under(compiled, variant, memo) for variant in list_rule_sets(compiled.blueprint.blueprint))


def list_rule_sets(bp: Blueprint) -> tuple[dict[str, str], ...]:
    """List what `variant` says in each set: nothing, one name for all policies that have it, exemptions behind what they beat."""
    sets = {name: list_sets(spec) for name, spec in bp.policies.items()}
    names = dict.fromkeys(name for own in sets.values() for name in own if name not in ("default", "off", AFTER))
    named = [{policy: name for policy, own in sets.items() if name in own} for name in sorted(names)]
    swapped = {policy: AFTER for policy, own in sets.items() if AFTER in own}
    return ({}, *(v for v in (*named, swapped) if v))


def _open_rules(compiled: CompiledWorld) -> frozenset[str]:
    """The rules that are not the same under every set, and those that an exemption may lift."""
    policies = compiled.blueprint.blueprint.policies
    several = {name for name, spec in policies.items() if len(list_sets(spec)) > 1}
    return frozenset(several | {beaten for spec in policies.values() for beaten in spec.beats})


def _rules_of(compiled: CompiledWorld, goal: str) -> frozenset[str]:
    """The rules that a goal's own calls, conditions and answers meet."""
    found = compiled.blueprint.goals[goal]
    out = {rule for step in found.how for rule in compiled.tools[step.operation].effects.policies}
    for node in (found.wants, *found.where.values(), *found.tells.values()):
        out |= _find_policies(compiled, node, frozenset())
    return frozenset(out)


def _find_policies(compiled: CompiledWorld, node: n.Node, seen: frozenset[str]) -> set[str]:
    out: set[str] = set()
    for part in n.walk(node):
        if isinstance(part, n.Obeys):
            out.add(part.policy)
        elif isinstance(part, n.TermCall) and part.name not in seen:
            out |= _find_policies(compiled, compiled.blueprint.terms[part.name].body, seen | {part.name})
    return out


def _outcomes(sandboxes: Sequence[Sandbox], bound: BoundGoal, path: tuple[int, str, str, int]) -> tuple[Outcome, ...]:
    out: list[Outcome] = []
    ends: list[tuple[Attempt, str]] = []
    for sandbox in sandboxes:
        attempt = witness(sandbox, bound, path)
        if attempt is None:
            out.append(None)
        elif attempt.clean:
            out.append(("done", _classify_end(sandbox, bound, attempt, ends)))
        else:
            out.append(("refused", attempt.forbidden_by) if attempt.forbidden_by else None)
    return tuple(out)


def _classify_end(sandbox: Sandbox, bound: BoundGoal, attempt: Attempt, ends: list[tuple[Attempt, str]]) -> str:
    """Return which end this is: that of an earlier set of rules, where its calls are right under these rules too and end alike."""
    mine = _content(sandbox, bound, attempt)
    for number, (other, theirs) in enumerate(ends):
        if other.plan == attempt.plan:
            if mine == theirs:
                return str(number)
        elif end_plan(sandbox, (bound,), other.plan).right:
            return str(number)
    ends.append((attempt, mine))
    return str(len(ends) - 1)


def _content(sandbox: Sandbox, bound: BoundGoal, attempt: Attempt) -> str:
    return repr(content(end_plan(sandbox, (bound,), attempt.plan), sandbox.schema.entities))
