"""The same tools under other names: operations by another verb, inputs by another noun. What they do stays as it is.

An input keeps its old name inside the operation: the first statement gives it back. So nothing else in it has to be rewritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from worldwright.blueprint.expr.library import is_variable_name
from worldwright.blueprint.load import canonical
from worldwright.blueprint.model import (
    Blueprint,
    FlowSpec,
    GoalSpec,
    HowSpec,
    InputSpec,
    OperationSpec,
    ReactionSpec,
    StatementSpec,
    StepSpec,
    TalkSpec,
)

VERBS: Mapping[str, str] = {
    "add": "append", "answer": "reply_to", "approve": "agree_to", "assign": "allocate", "cancel": "call_off",
    "change": "alter", "charge": "bill", "check": "examine", "close": "finalise", "confirm": "acknowledge",
    "correct": "amend", "create": "make", "decide": "judge", "draft": "prepare", "end": "terminate", "enter": "key_in",
    "extend": "prolong", "file": "lodge", "find": "look_up", "get": "show", "grant": "allow", "inspect": "look_over",
    "issue": "produce", "log": "put_down", "move": "shift", "open": "initiate", "pay": "remit", "place": "submit",
    "plan": "schedule", "raise": "start", "receive": "book_in", "record": "note_down", "refund": "pay_back",
    "register": "sign_up", "release": "let_go", "report": "flag", "request": "ask_for", "review": "go_over",
    "search": "query", "send": "dispatch", "set": "fix", "settle": "clear", "start": "begin", "submit": "hand_in",
    "update": "revise", "waive": "drop",
}  # fmt: skip
NOUNS: Mapping[str, str] = {
    "amount": "value", "answer": "response", "body": "content", "category": "variety", "cause": "grounds",
    "decision": "ruling", "kind": "variety", "name": "label", "note": "remark", "outcome": "result",
    "planned_on": "scheduled_on", "purpose": "aim", "reason": "grounds", "reference": "ref_number", "reply": "response",
    "sender": "from_address", "subject": "headline", "title": "heading", "topic": "theme", "valid_until": "expires_on",
    "verdict": "ruling",
}  # fmt: skip

_QUOTED = re.compile(r"'([a-z][a-z0-9_]*)'")


def rename_tools(bp: Blueprint) -> Blueprint:
    """The Blueprint with other names for operations and inputs, wherever they are called."""
    names = map_operation_names(bp)
    answered = {reaction.to for reaction in bp.reactions.values()}  # whose arguments expressions of the answer may name
    inputs = {name: {} if name in answered else map_input_names(bp, op) for name, op in bp.operations.items()}
    operations = {
        names.get(name, name): _operation(op, inputs[name], names, inputs) for name, op in bp.operations.items()
    }
    goals = {name: _goal(goal, names, inputs) for name, goal in bp.goals.items()}
    reactions = {name: _reaction(one, names, inputs) for name, one in bp.reactions.items()}
    flows = {name: _flow(flow, names, inputs) for name, flow in bp.history.flows.items()}
    mess = tuple(layer.model_copy(update={"after": names.get(layer.after, layer.after)}) for layer in bp.mess)
    history = bp.history.model_copy(update={"flows": flows})
    service = {
        name: one.model_copy(update={"on": tuple(names.get(op, op) for op in one.on)})
        for name, one in bp.service.items()
    }
    found = bp.model_copy(
        update={
            "operations": operations, "goals": goals, "history": history, "mess": mess, "service": service,
            "reactions": reactions,
            "layers": {layer: tuple(_rename_part(p, names) for p in parts) for layer, parts in bp.layers.items()},
        }
    )  # fmt: skip
    return Blueprint.model_validate(_rename_quoted(canonical(found), names))


def _rename_part(part: str, names: Mapping[str, str]) -> str:
    """Name what a layer put there by its new name where that is an operation."""
    kind, _, name = part.partition(":")
    return f"{kind}:{names.get(name, name)}" if kind == "operation" else part


def _rename_quoted(node: Any, names: Mapping[str, str]) -> Any:
    """Put the new name wherever an expression quotes an old one: a log notes which tool it was."""
    if isinstance(node, dict):
        return {key: _rename_quoted(value, names) for key, value in node.items()}
    if isinstance(node, list):
        return [_rename_quoted(value, names) for value in node]
    if isinstance(node, str) and "'" in node:
        return _QUOTED.sub(lambda m: f"'{names.get(m[1], m[1])}'", node)
    return node


def map_operation_names(bp: Blueprint) -> dict[str, str]:
    """Map each operation to what it is called now. Those that a text speaks of by name, or that rows name, keep theirs."""
    spoken = _join_texts(bp)
    out: dict[str, str] = {}
    for name in bp.operations:
        verb, _, rest = name.partition("_")
        new = f"{VERBS[verb]}_{rest}" if verb in VERBS and rest else ""
        if new and new not in bp.operations and new not in out.values() and not re.search(rf"\b{name}\b", spoken):
            out[name] = new
    return out


def _join_texts(bp: Blueprint) -> str:
    """Join everything that is said and not done."""
    data = canonical(bp)
    said = [data.get("roles"), data.get("systems"), data.get("summary"), data.get("personas")]
    said += [
        node.get("says")
        for part in ("entities", "terms", "policies", "operations")
        for node in data.get(part, {}).values()
    ]
    said += [node.get(key) for node in data.get("goals", {}).values() for key in ("asks", "then", "each", "files")]
    return json.dumps(said, ensure_ascii=False)


def map_input_names(bp: Blueprint, op: OperationSpec) -> dict[str, str]:
    """Map each input to what it is called now. Lists keep their names, and so does what `once` asks about."""
    if op.search or op.get or not op.does:
        return {}
    taken = {*op.takes, *bp.entities, *bp.terms}
    used = json.dumps(canonical_statements(op), ensure_ascii=False)
    out: dict[str, str] = {}
    for name, spec in op.takes.items():
        listed = isinstance(spec, InputSpec) and spec.list_ is not None
        kind = (spec.type if isinstance(spec, InputSpec) else spec).strip().rstrip("?").strip()
        new = f"{name}_id" if kind in bp.entities else NOUNS.get(name, "")
        free = (
            is_variable_name(new)
            and new not in taken
            and new not in out.values()
            and not re.search(rf"\b{new}\b", used)
        )
        if free and not listed and not re.search(rf"\b{name}\b", op.once or ""):
            out[name] = new
    return out


def canonical_statements(op: OperationSpec) -> object:
    return op.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _operation(
    op: OperationSpec, mine: Mapping[str, str], names: Mapping[str, str], inputs: Mapping[str, Mapping[str, str]]
) -> OperationSpec:
    back = (StatementSpec(let=dict(mine)),) if mine else ()
    takes = {mine.get(name, name): spec for name, spec in op.takes.items()}
    return op.model_copy(update={"takes": takes, "does": (*back, *_statements(op.does, names, inputs))})


def _statements(
    found: tuple[StatementSpec, ...], names: Mapping[str, str], inputs: Mapping[str, Mapping[str, str]]
) -> tuple[StatementSpec, ...]:
    out = []
    for statement in found:
        update: dict[str, object] = {}
        if statement.run is not None:
            update = {
                "run": names.get(statement.run, statement.run),
                "with_": _rename_keys(statement.with_, inputs[statement.run]),
            }
        if statement.do:
            update["do"] = _statements(statement.do, names, inputs)
        if statement.otherwise:
            update["otherwise"] = _statements(statement.otherwise, names, inputs)
        out.append(statement.model_copy(update=update))
    return tuple(out)


def _rename_keys(given: Mapping[str, str], called: Mapping[str, str]) -> dict[str, str]:
    return {called.get(name, name): value for name, value in given.items()}


def _goal(goal: GoalSpec, names: Mapping[str, str], inputs: Mapping[str, Mapping[str, str]]) -> GoalSpec:
    files = None if goal.files is None else _call(goal.files, names, inputs)
    talk = None if goal.talk is None else _talk(goal.talk, names, inputs)
    how = tuple(_call(h, names, inputs) for h in goal.how)
    return goal.model_copy(update={"how": how, "files": files, "talk": talk})


def _talk(talk: TalkSpec, names: Mapping[str, str], inputs: Mapping[str, Mapping[str, str]]) -> TalkSpec:
    does = {
        name: act.model_copy(
            update={"do": names.get(act.do, act.do), "with_": _rename_keys(act.with_, inputs.get(act.do, {}))}
        )
        for name, act in talk.does.items()
    }
    return talk.model_copy(update={"does": does})


def _call(call: HowSpec, names: Mapping[str, str], inputs: Mapping[str, Mapping[str, str]]) -> HowSpec:
    given = _rename_keys(call.with_, inputs.get(call.do, {}))
    return call.model_copy(update={"do": names.get(call.do, call.do), "with_": given})


def _flow(flow: FlowSpec, names: Mapping[str, str], inputs: Mapping[str, Mapping[str, str]]) -> FlowSpec:
    return flow.model_copy(update={"steps": _steps(flow.steps, names, inputs)})


def _reaction(one: ReactionSpec, names: Mapping[str, str], inputs: Mapping[str, Mapping[str, str]]) -> ReactionSpec:
    return one.model_copy(update={"to": names.get(one.to, one.to), "does": _steps(one.does, names, inputs)})


def _steps(
    steps: tuple[StepSpec, ...], names: Mapping[str, str], inputs: Mapping[str, Mapping[str, str]]
) -> tuple[StepSpec, ...]:
    return tuple(
        step.model_copy(
            update={"do": names.get(step.do, step.do), "with_": _rename_keys(step.with_, inputs.get(step.do, {}))}
        )
        for step in steps
    )
