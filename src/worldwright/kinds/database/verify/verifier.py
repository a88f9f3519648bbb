"""One task's key, ready to judge episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.blueprint.checked import Goal
from worldwright.blueprint.expr.evaluate import Run
from worldwright.blueprint.expr.nodes import Node
from worldwright.blueprint.types import DATE, TEXT, Type
from worldwright.core.errors import TamperedPack
from worldwright.core.names import to_words
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.verify.patterns import read_accepted, read_stored
from worldwright.kinds.database.verify.roles import list_role_words
from worldwright.kinds.database.verify.spec import (
    Episode,
    Names,
    Reported,
    RowAt,
    Specification,
    Stated,
    Wanted,
    sort_patterns,
)
from worldwright.kinds.database.verify.told import bind_pick
from worldwright.kinds.database.verify.verdict import judge_episode
from worldwright.world.tasks import Verdict

__all__ = ["Episode", "Verifier"]


class Verifier:
    """What a key expects, compiled."""

    def __init__(self, compiled: CompiledWorld, expects: Mapping[str, Any]) -> None:
        self.compiled = compiled
        self.spec = specification(compiled, expects)

    def judge(self, episode: Episode, brief: bool = False) -> Verdict:
        """Pass if every assertion holds."""
        return judge_episode(self.compiled, self.spec, episode, brief)


def specification(compiled: CompiledWorld, expects: Mapping[str, Any]) -> Specification:
    """A key's `expects`, checked against the world that it speaks of."""
    rules = tuple(map(str, expects.get("rules", ())))
    unknown = [r for r in rules if r not in compiled.blueprint.policies]
    if unknown:
        raise TamperedPack(f"a key names rule {unknown[0]!r}, which this world does not have")
    uses = tuple(_use(compiled, data) for data in expects.get("goals", ()))
    wanted = () if expects.get("outcome", "done") == "refused" else uses
    return Specification(
        tuple(
            Wanted(to_words(goal.name), names, compiled.evaluator.truth(goal.wants))
            for goal, names in wanted
            if goal.text != "true"
        ),
        tuple(stated for goal, names in wanted for stated in _compile_stated(compiled, goal, names)),
        tuple(map(sort_patterns, read_accepted(expects.get("accepts", ()), compiled.blueprint.schema))),
        rules=rules,
        answers=tuple(
            _compile_reported(compiled, name, part, uses) for name, part in dict(expects.get("answer", {})).items()
        ),
        request=str(expects["words"]) if expects.get("words") is not None else None,
    )


def _use(compiled: CompiledWorld, data: Any) -> tuple[Goal, Names]:
    """A goal of the Blueprint with its names filled in."""
    goals = compiled.blueprint.goals
    if not isinstance(data, Mapping) or data.get("goal") not in goals:
        raise TamperedPack("a key names a goal that this world does not have")
    goal = goals[data["goal"]]
    given, said = data.get("rows", {}), data.get("said", {})
    if set(given) != set(goal.given) or set(said) != set(goal.states):
        raise TamperedPack(f"a key fills goal {goal.name!r} with other names than it has")
    rows = {
        name: RowAt(goal.given[name].entity, str(at.get("id", "")), str(at.get("row", "")))
        for name, at in given.items()
    }
    return goal, Names(rows, {k: read_stored(v, goal.states[k], k) for k, v in said.items()})


def _compile_stated(compiled: CompiledWorld, goal: Goal, names: Names) -> tuple[Stated, ...]:
    return tuple(
        Stated(
            names,
            compiled.evaluator.value(field),
            _compile_written(compiled, fact),
            fact.type,
            list_role_words(fact),
        )
        for field, facts in goal.mentions
        for fact in facts
    )


def _compile_written(compiled: CompiledWorld, node: Node) -> Run:
    """Compile an expression whose value is given as people write it."""
    run, kind = compiled.evaluator.value(node), node.type
    return lambda uow, frame: to_json(run(uow, frame), kind)


def _compile_reported(
    compiled: CompiledWorld, name: str, wanted: Any, uses: tuple[tuple[Goal, Names], ...]
) -> Reported:
    """Compile what a part of the answer must say, and how it is compared."""
    match wanted:
        case {"set": [*ids]} if all(isinstance(i, str) for i in ids):
            return Reported(name, None, ids)
        case {"number": int() | float() as number}:
            return Reported(name, Type("decimal", places=int(wanted.get("places", 0))), number)
        case {"date": str(day)}:
            return Reported(name, DATE, day)
        case {"is": str() | None as text}:
            return Reported(name, TEXT, text)
        case {"tells": str(key)}:
            at = int(wanted.get("goal", 0))
            if 0 <= at < len(uses) and key in uses[at][0].tells:
                goal, names = uses[at]
                node = goal.tells[key]
                bound = bind_pick(goal, key) if "row" in wanted else None
                if bound is not None:
                    goal, node, picked = bound
                    row = RowAt(goal.given[picked].entity, label=str(wanted["row"]))
                    names = Names({**names.rows, picked: row}, names.said)
                return Reported(name, node.type, None, names, _compile_written(compiled, node))
    raise TamperedPack(f"a key says {wanted!r} of {name!r} in the answer, which means nothing")
