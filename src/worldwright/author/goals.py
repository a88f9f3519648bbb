"""Goals of which no task came and rules that decide none, each with what was found when it was tried."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.author.records import Finding
from worldwright.blueprint.checked import Checked
from worldwright.engine.contract import Contract
from worldwright.kinds.database.compile.tasks.accept import Dropped
from worldwright.kinds.database.compile.tasks.conditions import MAX_ROWS, MIN_ROWS
from worldwright.kinds.database.compile.tasks.describe import Describer
from worldwright.kinds.database.compile.tasks.instances import Attempt, attempts
from worldwright.kinds.database.compile.tasks.programs import make_loops, read_steps
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.single import make_single
from worldwright.kinds.database.compile.through.solving import Solver
from worldwright.kinds.database.kind import open_runtime
from worldwright.pack.open import Pack

Rows = Mapping[str, Sequence[tuple[str, str]]]
"""By label of a mess layer, the rows that it touched."""
MAX_REASONS = 3
"""Reasons that are told of one goal."""


_MADE = (
    "a request was made; it was too short, too much like another, gave way to others, did not hold, or cannot be done with the "
    "tools of the contract"
)


@dataclass(frozen=True, slots=True)
class TriedGoal:
    """What came of a goal on up to sixty bindings of its givens."""

    bindings: int
    possible: int
    forbidden: Mapping[str, int]
    """By policy, how often exactly this one stood in the way."""
    failing: Mapping[str, int]
    """By reason, how often it could not be done for any other one."""


def judge_goals(checked: Checked, pack: Pack, seed: int, contract: Contract | None = None) -> Iterator[Finding]:
    """Name every goal that no task of a pack asks for, and every rule that no task rests on. With a contract, records are called
    only by what its answers show."""
    keys = [json.loads(pack.files[path]) for path in pack.files if path.startswith("keys/") and path.endswith(".json")]
    asked = {name for key in keys for name in _list_goals(key["expects"])}
    silent = [name for name in checked.goals if name not in asked]
    looped = {str((key["expects"].get("over") or {}).get("goal", "")) for key in keys}
    single = [name for name, goal in checked.goals.items() if goal.each and name in asked and name not in looped]
    if silent or single:
        damaged, runtime = _list_damaged(pack), open_runtime(pack)
        sandbox = Sandbox(runtime, damaged, contract=contract)
        solver = None if contract is None else Solver(Sandbox(runtime, contract=contract))
        describer = Describer(sandbox, tells_apart=None if solver is None else solver.tells_apart)
        for name in silent:
            why = explain_goal(sandbox, describer, name, seed, damaged)
            yield Finding("goal_silent", f"blueprint.yaml#goals.{name}", f"no task came of it: {why}")
        for name in single:
            why = explain_program(sandbox, describer, name, seed)
            yield Finding(
                "program_silent", f"blueprint.yaml#goals.{name}.each", f"nobody is asked for many at once: {why}"
            )
        if solver is not None:
            solver.close()
    met = {rule for key in keys for rule in (*key["expects"].get("rules", ()), (key.get("answer") or {}).get("rule"))}
    for name, policy in checked.policies.items():
        if policy.rule is not None and name not in met:
            yield Finding("rule_unmet", f"blueprint.yaml#policies.{name}", "no request depends on it")


def _list_goals(expects: Mapping[str, Any]) -> Iterator[str]:
    for part in (*expects.get("request", ()), *expects.get("goals", ()), expects.get("over") or {}):
        yield str(part.get("goal", "")) if isinstance(part, Mapping) else str(part)


def _list_damaged(pack: Pack) -> dict[str, list[tuple[str, str]]]:
    mess = json.loads(pack.files.get("mess.json", b"{}"))
    out: dict[str, list[tuple[str, str]]] = {}
    for row in (*mess.get("blemishes", ()), *mess.get("half_done", ())):
        out.setdefault(row["label"], []).append((row["entity"], row["id"]))
    return out


def explain_goal(sandbox: Sandbox, describer: Describer, name: str, seed: int, damaged: Rows) -> str:
    """Say why no task came of a goal: what its bindings came to, and why requests of it were left out."""
    tried = try_goal(sandbox, name, seed, damaged)
    if not tried.bindings:
        return "no row fits its `given`, what it wants is so already, or a value of `states` or `how` cannot be found"
    said = [f"{n} of {tried.bindings} tries fail: {why}" for why, n in tried.failing.items()]
    said += [f"{n} are forbidden by {rule}" for rule, n in tried.forbidden.items()]
    made = list(make_single(sandbox, describer, seed, damaged, name))
    left_out = Counter(one.reason for one in made if isinstance(one, Dropped))
    said += [f"{n} left out: {reason}" for reason, n in left_out.most_common(MAX_REASONS)]
    if not left_out and len(made):
        said.append(_MADE)
    return "; ".join(said[: 2 * MAX_REASONS])


def explain_program(sandbox: Sandbox, describer: Describer, name: str, seed: int) -> str:
    """Say why nothing was asked for many records at once of a goal that has `each`."""
    compiled = sandbox.goals[name]
    if compiled.actor is not None or compiled.goal.states:
        return "a goal whose `by` is a person, or with `states`, is asked for one record only"
    if read_steps(compiled.goal) is None:
        return "`how` may only use the record, its fields and constants, without `if` and `as`"
    made = list(make_loops(sandbox, describer, seed, (name,)))
    left_out = Counter(one.reason for one in made if isinstance(one, Dropped))
    if not made:
        return (
            "no search of these records shows a column (a reference, a word, yes or no, money, a date such as `due_on`) "
            f"with a value that {MIN_ROWS} to {MAX_ROWS} of them share"
        )
    said = [f"{n} left out: {reason}" for reason, n in left_out.most_common(MAX_REASONS)]
    return "; ".join(said) if len(made) == sum(left_out.values()) else "; ".join([*said, _MADE])


def try_goal(sandbox: Sandbox, name: str, seed: int, damaged: Rows) -> TriedGoal:
    """Run the witness of a goal for its bindings and count what comes of them."""
    possible, bindings = 0, 0
    forbidden, failing = Counter[str](), Counter[str]()
    for found in attempts(sandbox, name, seed, damaged):
        bindings += 1
        if found.clean:
            possible += 1
        elif found.forbidden_by:
            forbidden[found.forbidden_by] += 1
        else:
            failing[_say_failure(found)] += 1
    return TriedGoal(
        bindings, possible, dict(forbidden.most_common(MAX_REASONS)), dict(failing.most_common(MAX_REASONS))
    )


def _say_failure(found: Attempt) -> str:
    if found.error is not None and not found.error.policy:
        return f"{found.error.code}: {found.error.message[:100]}"
    if len(found.forbidding) > 1:
        return f"several rules stand in the way: {', '.join(found.forbidding)}"
    return "`how` does not lead to `wants`"
