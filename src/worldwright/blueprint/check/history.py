"""History and mess."""

from __future__ import annotations

import re
from collections.abc import Mapping

from worldwright.blueprint.check.entities import check_name
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import Flow, Get, Mess, Operation, Step
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import Consequence, ExprError
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.model import Blueprint, FlowSpec, HowSpec, MessSpec, StepSpec
from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import BOOL, INT, Type, ref
from worldwright.core.names import suggest

_SPAN = re.compile(r"(\d{1,4}) days?\Z")
LEGACY = re.compile(r"(DD\.MM\.YY|MM/DD/YYYY|UPPER|no_spaces|prefix:[A-Za-z0-9-]{1,8})\Z")


def check_history(
    bp: Blueprint, language: Language, operations: dict[str, Operation], report: Reporter
) -> tuple[int, int, dict[str, Flow]]:
    """Check the flows; the days that they span before `now`, and those on which they go on."""
    past, ahead = _read_days("spans", bp.history.spans, report), _read_days("ahead", bp.history.ahead, report)
    going = [name for name, spec in bp.history.flows.items() if spec.goes_on]
    if bool(going) != bool(ahead):
        with report.at("history", "ahead"):
            report.add(
                f"{len(going)} flows go on for {ahead} days",
                "give flows `goes_on: true` and the history `ahead: 10 days`",
            )
    flows = {}
    for name, spec in bp.history.flows.items():
        with report.at("history", "flows", name):
            flows[name] = _flow(name, spec, bp, language, operations, report)
    return past, ahead, flows


def _read_days(key: str, text: str, report: Reporter) -> int:
    m = _SPAN.match(text)
    if m is None:
        with report.at("history", key):
            report.add(f"`{text}` is not a span", "for instance `240 days`")
    return 0 if m is None else int(m[1])


def _flow(
    name: str, spec: FlowSpec, bp: Blueprint, language: Language, operations: dict[str, Operation], report: Reporter
) -> Flow:
    scope = Scope(draws=True)
    steps = []
    if not spec.steps:
        raise ExprError("a flow without steps")
    for i, step in enumerate(spec.steps):
        with report.at("steps", i):
            operation = operations.get(step.do)
            if operation is None:
                raise ExprError(f"no operation is called `{step.do}`", suggest(step.do, operations))
            steps.append(check_step(step, operation, scope, bp, language, report))
            scope = bind_result(step, operation, scope, report)
    return Flow(name, spec.per_week, spec.seasonal, spec.weekdays, tuple(steps), spec.goes_on)


def bind_result(step: StepSpec | HowSpec, operation: Operation, scope: Scope, report: Reporter) -> Scope:
    """The names known after a call: what it gives, where the step has a name for that, and those from before."""
    if not step.as_:
        return scope
    check_name(report, step.as_, "a step's result")
    kind = find_given_type(operation)
    if kind is None:
        broken = not operation.body and operation.read is None
        raise (Consequence if broken else ExprError)(f"`{step.do}` gives no single row to name")
    return scope.bind(step.as_, kind)


def check_arguments(
    given: Mapping[str, str], operation: Operation, scope: Scope, language: Language, report: Reporter
) -> tuple[tuple[str, n.Node], ...]:
    """The arguments of a call that the Blueprint itself makes."""
    args = []
    for name, text in given.items():
        with report.at("with", name):
            wanted = operation.input(name)
            if wanted is None:
                raise ExprError(
                    f"`{operation.name}` does not take `{name}`", suggest(name, [i.name for i in operation.inputs])
                )
            args.append((name, parse(text, language, scope, wanted.type, bare=True)))
    for i in operation.inputs:
        if not i.optional and i.default is None and i.name not in given:
            report.add(f"`{operation.name}` needs `{i.name}`")
    return tuple(args)


def find_given_type(operation: Operation) -> Type | None:
    """Return the type of the row that a call can be named by."""
    if isinstance(operation.read, Get):
        return ref(operation.read.entity)
    return operation.gives.type if isinstance(operation.gives, n.Node) else None


def check_step(
    spec: StepSpec, operation: Operation, scope: Scope, bp: Blueprint, language: Language, report: Reporter
) -> Step:
    args = check_arguments(spec.with_, operation, scope, language, report)
    role, actor = "", None
    with report.at("by"):
        if spec.by in bp.roles:
            role = spec.by
        elif spec.by:
            actor = parse(spec.by, language, scope, ref(language.schema.actor) if language.schema.actor else None)
        elif operation.roles:
            role = operation.roles[0]
        if role and operation.roles and role not in operation.roles:
            raise ExprError(f"a {role} may not {operation.name}", f"by {', '.join(operation.roles)}")
    after: n.Node = n.Const(INT, 0)
    test = None
    with report.at("after"):
        after = parse(spec.after, language, scope, INT)
    with report.at("if"):
        test = parse(spec.if_, language, scope, BOOL) if spec.if_ is not None else None
    return Step(operation.name, role, actor, args, spec.as_, after, spec.chance, test)


def check_mess(bp: Blueprint, language: Language, report: Reporter) -> tuple[Mess, ...]:
    out = []
    labels: set[str] = set()
    for i, spec in enumerate(bp.mess):
        with report.at("mess", i):
            if spec.label in labels:
                report.add(f"two layers are labelled `{spec.label}`")
            labels.add(spec.label)
            out.append(_mess(spec, bp, language, report))
    return tuple(out)


def _mess(spec: MessSpec, bp: Blueprint, language: Language, report: Reporter) -> Mess:
    if spec.layer == "half_done":
        flow = bp.history.flows.get(spec.flow)
        if flow is None:
            raise ExprError(f"no flow is called `{spec.flow}`", suggest(spec.flow, bp.history.flows))
        if spec.after not in {s.do for s in flow.steps}:
            raise ExprError(
                f"flow `{spec.flow}` has no step `{spec.after}`", suggest(spec.after, [s.do for s in flow.steps])
            )
        return Mess(spec)
    if spec.layer == "drift":
        return _drift(spec, language)
    entity_name, _, field = spec.in_.partition(".")
    entity = language.schema.entities.get(entity_name)
    if entity is None:
        raise ExprError(f"no entity is called `{entity_name}`", suggest(entity_name, language.schema.entities))
    if spec.layer in ("stale", "duplicate"):
        return _rowwise(spec, entity, language, report)
    column = _find_stored_column(entity, field)
    if spec.layer == "missing" and not column.optional:
        raise ExprError(f"`{spec.in_}` is required and cannot be missing", "make it optional with ?")
    if spec.layer == "typo" and column.type.kind != "text":
        raise ExprError(f"`{spec.in_}` is {column.type}, not text")
    if spec.layer == "legacy_format":
        if not LEGACY.match(spec.style):
            raise ExprError(f"`{spec.style}` is not a style", "DD.MM.YY, MM/DD/YYYY, UPPER, no_spaces, prefix:OLD-")
        if column.type.kind not in ("text", "date"):
            raise ExprError(f"`{spec.in_}` is {column.type}; only text and dates have old styles")
    return Mess(spec, entity.name, column.name)


def _rowwise(spec: MessSpec, entity: Entity, language: Language, report: Reporter) -> Mess:
    values = []
    for field, text in spec.set.items():
        with report.at("set", field):
            column = _find_stored_column(entity, field)
            values.append(
                (field, parse(text, language, Scope(self_entity=entity.name, draws=True), column.type, bare=True))
            )
    for field in (*spec.vary, *spec.alike):
        if _find_stored_column(entity, field).type.kind != "text":
            raise ExprError(f"`{field}` is not text and cannot vary")
    if spec.layer == "duplicate" and not entity.rows:
        raise ExprError(f"`{entity.name}` has no base rows to duplicate")
    if spec.layer == "stale" and not spec.set:
        raise ExprError("a stale layer says what it sets")
    return Mess(spec, entity.name, values=tuple(values))


def _drift(spec: MessSpec, language: Language) -> Mess:
    """The copy `to` disagrees with the original `from`; `via` is the reference from the copy's entity to the original's."""
    source, _, source_field = spec.from_.partition(".")
    copy, _, copy_field = spec.to.partition(".")
    for name in (source, copy):
        if name not in language.schema.entities:
            raise ExprError(f"no entity is called `{name}`", suggest(name, language.schema.entities))
    original, target = (
        _find_stored_column(language.schema.entities[source], source_field),
        _find_stored_column(language.schema.entities[copy], copy_field),
    )
    if original.type.kind != target.type.kind:
        raise ExprError(f"`{spec.from_}` is {original.type}, `{spec.to}` is {target.type}")
    via = _find_stored_column(language.schema.entities[copy], spec.via)
    if via.type != ref(source):
        raise ExprError(f"`{copy}.{spec.via}` does not refer to `{source}`")
    return Mess(spec, copy, copy_field)


def _find_stored_column(entity: Entity, field: str) -> Column:
    column = entity.columns.get(field)
    if column is None or not column.stored:
        raise ExprError(f"`{entity.name}` has no stored field `{field}`", suggest(field, entity.columns))
    return column
