"""What others do because of a call."""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.blueprint.check.entities import check_name
from worldwright.blueprint.check.history import check_step, find_given_type
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import Operation, Reaction
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.model import Blueprint, ReactionSpec
from worldwright.blueprint.types import TIME
from worldwright.core.names import suggest


def check_reactions(
    bp: Blueprint, language: Language, operations: Mapping[str, Operation], report: Reporter
) -> tuple[Reaction, ...]:
    """Check the reactions of a Blueprint."""
    found = []
    for name, spec in bp.reactions.items():
        with report.at("reactions", name):
            found.append(_reaction(name, spec, bp, language, operations, report))
    follow: dict[str, set[str]] = {}
    for reaction in found:
        follow.setdefault(reaction.operation, set()).update(step.operation for step in reaction.steps)
    for reaction in found:
        with report.at("reactions", reaction.name):
            if reaction.operation in _find_following(reaction.operation, follow):
                report.add(
                    f"`{reaction.operation}` is answered by what is answered by `{reaction.operation}`: that never ends",
                    "give the answer an operation of its own",
                )
    return tuple(found)


def _find_following(operation: str, follow: Mapping[str, set[str]]) -> set[str]:
    """Find the operations that may be called because of one."""
    found: set[str] = set()
    ahead = [operation]
    while ahead:
        for one in follow.get(ahead.pop(), ()):
            if one not in found:
                found.add(one)
                ahead.append(one)
    return found


def _reaction(
    name: str,
    spec: ReactionSpec,
    bp: Blueprint,
    language: Language,
    operations: Mapping[str, Operation],
    report: Reporter,
) -> Reaction:
    cause = operations.get(spec.to)
    if cause is None:
        raise ExprError(f"no operation is called `{spec.to}`", suggest(spec.to, operations))
    if cause.read is not None or not cause.body:
        raise ExprError(f"`{spec.to}` writes nothing: nobody knows of it", "react to an operation with `does`")
    if not spec.does:
        raise ExprError(
            "a reaction that does nothing", "say which operations are called: `does: [{do: ..., with: ...}]`"
        )
    names = tuple(i.name for i in cause.inputs if not i.parts)
    scope = Scope({i.name: i.type for i in cause.inputs if not i.parts})
    entity = ""
    if spec.as_:
        check_name(report, spec.as_, "the row that the call gave")
        given = find_given_type(cause)
        if given is None:
            raise ExprError(f"`{spec.to}` gives no single row to name", "leave `as` out")
        entity, scope = given.entity, scope.bind(spec.as_, given)
    at: n.Node = n.Const(TIME, None)
    with report.at("at"):
        at = parse(spec.at, language, scope, TIME)
    steps = []
    for i, step in enumerate(spec.does):
        with report.at("does", i):
            if step.as_ or step.chance != 1 or step.after != "0":
                raise ExprError(
                    "a step of a reaction has no `as`, `chance` or `after`",
                    "everything of a reaction happens at its moment; another moment is another reaction",
                )
            operation = operations.get(step.do)
            if operation is None:
                raise ExprError(f"no operation is called `{step.do}`", suggest(step.do, operations))
            if operation.waits is not None or operation.read is not None:
                raise ExprError(f"`{step.do}` changes nothing", "a reaction is an operation with `does`")
            steps.append(check_step(step, operation, scope, bp, language, report))
    return Reaction(name, spec.says, spec.to, names, spec.as_, entity, at, tuple(steps))
