"""Goals: what is given, what is said, what is wanted, one way to get there, what is reported back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldwright.blueprint.check.draws import parse_draws
from worldwright.blueprint.check.entities import check_name, parse_template
from worldwright.blueprint.check.history import bind_result, check_arguments
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.check.talks import check_talk
from worldwright.blueprint.checked import Filed, Goal, How, Operation
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.fieldspec import parse_type
from worldwright.blueprint.model import Blueprint, GoalSpec, HowSpec
from worldwright.blueprint.types import BOOL, TEXT, Type, ref
from worldwright.core.names import suggest

RESERVED = frozenset({"outcome", "rule", "record", "count", "left_out", "total"})
"""Parts that answers have of their own."""


def check_goals(
    bp: Blueprint, language: Language, operations: Mapping[str, Operation], report: Reporter
) -> dict[str, Goal]:
    out = {}
    for name, spec in bp.goals.items():
        with report.at("goals", name):
            check_name(report, name, "a goal")
            out[name] = _goal(name, spec, bp, language, operations, report)
    return out


def _goal(
    name: str,
    spec: GoalSpec,
    bp: Blueprint,
    language: Language,
    operations: Mapping[str, Operation],
    report: Reporter,
) -> Goal:
    given, where = _check_given(spec, language, report)
    states, drawn = parse_draws(spec.states, "states", given, language, report)
    scope = Scope({**given, **states})
    actor = None
    if spec.actor is not None:
        with report.at("actor"):
            if not language.schema.actor:
                raise ExprError("nobody acts in this world", "say who with `actor:` at the top")
            actor = parse(spec.actor, language, scope, ref(language.schema.actor))
    wants: n.Node = n.TRUE
    with report.at("wants"):
        wants = parse(spec.wants, language, scope, BOOL)
    if wants == n.TRUE and not spec.tells:
        report.add("a goal that wants nothing", "say `wants`, or `tells` for a question")
    how = _check_witness(spec, scope, language, operations, report)
    tells = {}
    for key, text in spec.tells.items():
        with report.at("tells", key):
            check_name(report, key, "a part of the answer")
            if key in RESERVED:
                raise ExprError(f"every answer has a part called `{key}` already", "call it something else")
            tells[key] = parse(text, language, scope)
    mentions = []
    for text, facts in spec.mentions.items():
        with report.at("mentions", text):
            field = parse(text, language, scope, TEXT)
            mentions.append((field, tuple(parse(fact, language, scope) for fact in facts)))
    labels = {layer.label for layer in bp.mess}
    for i, label in enumerate(spec.mends):
        if label not in labels:
            with report.at("mends", i):
                report.add(f"no mess layer is labelled `{label}`", suggest(label, labels))
    if spec.mends and not given:
        report.add("a goal that mends something needs a given: the row that is broken")
    if not spec.asks:
        report.add("a goal nobody asks for", "give it `asks`")
    asks = _templates("asks", spec.asks, scope, language, report)
    then = _templates("then", spec.then, scope, language, report)
    each = _templates("each", spec.each, Scope({**states, "which": TEXT}), language, report)
    if spec.each and len(given) != 1:
        report.add("`each` needs exactly one given: the row that there are many of")
    for i, text in enumerate(spec.each):
        if "{which}" not in text:
            with report.at("each", i):
                report.add("does not say which rows", "put {which} where it is told")
    talk = None if spec.talk is None else check_talk(spec.talk, scope, asks, language, operations, report)
    roles = _find_roles(spec, bp, how, operations, report)
    return Goal(
        name, roles, actor, given, where, states, drawn, wants, str(spec.wants), how, tells, tuple(mentions),
        tuple(spec.mends), asks, _files(spec, bp, scope, language, operations, report), then, each, talk,
    )  # fmt: skip


def _templates(
    key: str, texts: Sequence[str], scope: Scope, language: Language, report: Reporter
) -> tuple[n.Format, ...]:
    out = []
    for i, text in enumerate(texts):
        with report.at(key, i):
            out.append(parse_template(text, language, scope))
    return tuple(out)


def _check_given(spec: GoalSpec, language: Language, report: Reporter) -> tuple[dict[str, Type], dict[str, n.Node]]:
    given: dict[str, Type] = {}
    where: dict[str, n.Node] = {}
    for variable, text in spec.given.items():
        with report.at("given", variable):
            check_name(report, variable, "a given")
            kind, _, condition = text.partition(" where ")
            given[variable] = found = parse_type(kind.strip(), tuple(language.schema.entities)).type
            if found.kind != "ref":
                raise ExprError(f"`{variable}` is {found}, not a row", "what is said goes under `states`")
            if condition:
                where[variable] = parse(condition, language, Scope(given, found.entity), BOOL)
    return given, where


def _check_witness(
    spec: GoalSpec, scope: Scope, language: Language, operations: Mapping[str, Operation], report: Reporter
) -> tuple[How, ...]:
    within = Scope(scope.names, draws=True)
    steps = []
    for i, step in enumerate(spec.how):
        with report.at("how", i):
            found, within = _call(step, within, language, operations, report)
            steps.append(found)
    return tuple(steps)


def _call(
    step: HowSpec, scope: Scope, language: Language, operations: Mapping[str, Operation], report: Reporter
) -> tuple[How, Scope]:
    """A call, and the names known after it."""
    operation = operations.get(step.do)
    if operation is None:
        raise ExprError(f"no operation is called `{step.do}`", suggest(step.do, operations))
    args = check_arguments(step.with_, operation, scope, language, report)
    test = None
    with report.at("if"):
        test = parse(step.if_, language, scope, BOOL) if step.if_ is not None else None
    return How(step.do, args, step.as_, test), bind_result(step, operation, scope, report)


def _files(
    spec: GoalSpec,
    bp: Blueprint,
    scope: Scope,
    language: Language,
    operations: Mapping[str, Operation],
    report: Reporter,
) -> Filed | None:
    filed = spec.files
    if filed is None:
        return None
    found: Filed | None = None
    with report.at("files"):
        call, after = _call(filed, Scope(scope.names, draws=True), language, operations, report)
        able = operations[filed.do].roles
        role = filed.by or (able[0] if able else "")
        if role and role not in (able or tuple(bp.roles)):
            raise ExprError(f"a {role} may not {filed.do}", f"by {', '.join(able or tuple(bp.roles))}")
        asks = _templates("asks", filed.asks, Scope(after.names), language, report)
        if not filed.as_ or not asks:
            raise ExprError("what is filed needs a name (`as`) and `asks` that point to it")
        found = Filed(call, role, asks)
    return found


def _find_roles(
    spec: GoalSpec, bp: Blueprint, how: tuple[How, ...], operations: Mapping[str, Operation], report: Reporter
) -> tuple[str, ...]:
    """Find who can be asked: everybody who may make every call."""
    limits = [operations[h.operation].roles for h in how if operations[h.operation].roles]
    able = [role for role in bp.roles if all(role in limit for limit in limits)]
    for i, role in enumerate(spec.by):
        with report.at("by", i):
            if role not in bp.roles:
                raise ExprError(f"no role is called `{role}`", suggest(role, bp.roles))
            if role not in able:
                raise ExprError(f"a {role} may not do all of `how`", f"by {', '.join(able)}" if able else "")
    if bp.roles and not able:
        report.add("no role may make every call of `how`")
    return spec.by or tuple(able)
