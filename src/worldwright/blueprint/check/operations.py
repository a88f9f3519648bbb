"""Operations: inputs, statements in order, and what they give."""

from __future__ import annotations

from dataclasses import replace

from worldwright.blueprint.check.entities import check_name
from worldwright.blueprint.check.reads import check_get, check_search
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.check.rules import settle_number
from worldwright.blueprint.check.statements import StatementChecker
from worldwright.blueprint.checked import Each, Get, Input, Operation, Run, Search, Statement, When
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.fieldspec import parse_type, split_field
from worldwright.blueprint.model import Blueprint, FieldSpec, InputSpec, OperationSpec, StatementSpec
from worldwright.blueprint.types import BOOL, TIME, Type, ref
from worldwright.core.fixed import parse_fixed
from worldwright.core.names import IDENTIFIER, suggest

RESERVED_TOOLS = frozenset({"submit"})
"""Names the agent's face uses itself."""


def check_operations(bp: Blueprint, language: Language, report: Reporter) -> dict[str, Operation]:
    """Check the inputs of every operation first (they may `run` each other), then the bodies."""
    shells: dict[str, Operation] = {}
    for name, spec in bp.operations.items():
        with report.at("operations", name):
            check_name(report, name, "an operation")
            if name in RESERVED_TOOLS:
                report.add(f"`{name}` is reserved for the agent's face")
            shells[name] = _shell(name, spec, bp, language, report)
    given = {name: _find_given_row(bp.operations[name], shell, language) for name, shell in shells.items()}
    out: dict[str, Operation] = {}
    for name, shell in shells.items():
        out[name] = shell
        with report.at("operations", name):
            out[name] = _body(shell, bp.operations[name], shells, given, language, report)
    _check_no_circles(out, report)
    return out


def _shell(name: str, spec: OperationSpec, bp: Blueprint, language: Language, report: Reporter) -> Operation:
    if spec.in_ not in bp.systems:
        with report.at("in"):
            report.add(f"no system is called `{spec.in_}`", suggest(spec.in_, bp.systems))
    roles = () if spec.by == ("anyone",) else spec.by
    with report.at("by"):
        for role in roles:
            if role not in bp.roles:
                report.add(f"no role is called `{role}`", suggest(role, [*bp.roles, "anyone"]))
    if sum((spec.search is not None, spec.get is not None, bool(spec.does) or spec.gives is not None)) > 1:
        report.add("an operation searches, gets or does, one of them only")
    inputs: tuple[Input, ...]
    read: Search | Get | None = None
    if spec.search is not None:
        read, inputs = check_search(spec, language, report)
    elif spec.get is not None:
        read, inputs = check_get(spec, language, report)
    else:
        inputs = check_inputs(spec, language, report)
        if spec.waits is not None and spec.does:
            report.add("an operation that waits does nothing else", "give what is done an operation of its own")
        if spec.wakes is not None and spec.waits is None:
            report.add("`wakes` ends a wait, and this does not wait", "say how long at most: `waits: moment`")
        if not spec.does and spec.gives is None:
            report.add("an operation that does nothing and gives nothing", "give it `does`, `gives`, `search` or `get`")
    return Operation(name, spec.in_, spec.says, roles, inputs, None, (), None, read, spec.source, spec.lasts)


def _find_given_row(spec: OperationSpec, shell: Operation, language: Language) -> Type | None:
    """Find the row an operation gives, as far as can be told before its body is checked."""
    if shell.read is not None:
        return ref(shell.read.entity) if isinstance(shell.read, Get) else None
    if not isinstance(spec.gives, str):
        return None
    taken = shell.input(spec.gives)
    if taken is not None:
        return taken.type if taken.type.kind == "ref" else None
    entity = _find_introduced(spec.does, spec.gives)
    return ref(entity) if entity in language.schema.entities else None


def _find_introduced(statements: tuple[StatementSpec, ...], name: str) -> str:
    """Find the entity of the row that a statement calls `name`."""
    for s in statements:
        if s.as_ == name and s.add:
            return s.add
        if s.find and s.find.split(" in ")[0].strip() == name:
            return s.find.split(" in ")[-1].strip()
        found = _find_introduced(s.do, name) or _find_introduced(s.otherwise, name)
        if found:
            return found
    return ""


def _body(
    shell: Operation, spec: OperationSpec, shells: dict[str, Operation], given: dict[str, Type | None],
    language: Language, report: Reporter,
) -> Operation:  # fmt: skip
    if shell.read is not None:
        return shell
    scope = Scope({i.name: i.type for i in shell.inputs})
    checker = StatementChecker(language, shells, given, report)
    once = None
    if spec.once is not None:
        with report.at("once"):
            once = parse(spec.once, language, scope)
            if once.type.kind != "ref":
                raise ExprError(
                    f"`once` is a row that exists already or none, not {once.type}", "first(r for r in ...)"
                )
    waits = None
    with report.at("waits"):
        waits = None if spec.waits is None else parse(spec.waits, language, scope, TIME)
    wakes = None
    with report.at("wakes"):
        wakes = None if spec.wakes is None else parse(spec.wakes, language, scope, BOOL)
    with report.at("does"):
        body, scope = checker.block(spec.does, scope)
    gives: n.Node | tuple[tuple[str, n.Node], ...] | None = None
    with report.at("gives"):
        gives = _check_result(spec, scope, language, report)
    return replace(shell, once=once, body=body, gives=gives, waits=waits, wakes=wakes)


def _check_result(
    spec: OperationSpec, scope: Scope, language: Language, report: Reporter
) -> n.Node | tuple[tuple[str, n.Node], ...] | None:
    if spec.gives is None:
        return None
    if isinstance(spec.gives, str):
        node = parse(spec.gives, language, scope)
        if node.type.kind != "ref":
            raise ExprError(f"`gives` is a row or a map of names to values, not {node.type}", "gives: {name: expr}")
        return node
    out = []
    for name, text in spec.gives.items():
        with report.at(name):
            if not IDENTIFIER.match(name):
                raise ExprError(
                    f"`{name[:60]}` cannot be the name of something given", "lower case letters, digits and _"
                )
            node = parse(text, language, scope)
            if node.type.kind in ("list", "row"):
                raise ExprError(f"{node.type} cannot be given")
            out.append((name, replace(node, type=settle_number(node.type))))
    return tuple(out)


def runs(statements: tuple[Statement, ...]) -> set[str]:
    """The operations that a body runs."""
    out: set[str] = set()
    for s in statements:
        if isinstance(s, Run):
            out.add(s.operation)
        elif isinstance(s, When):
            out |= runs(s.do) | runs(s.otherwise)
        elif isinstance(s, Each):
            out |= runs(s.do)
    return out


def _check_no_circles(operations: dict[str, Operation], report: Reporter) -> None:
    calls = {name: runs(op.body) for name, op in operations.items()}
    for name in operations:
        seen: set[str] = set()
        todo = sorted(calls[name])
        while todo:
            callee = todo.pop()
            if callee == name:
                with report.at("operations", name):
                    report.add("runs itself, directly or through others", "operations may not run in circles")
                break
            if callee not in seen:
                seen.add(callee)
                todo.extend(sorted(calls.get(callee, ())))


MAX_LIST_ITEMS = 100


def check_inputs(spec: OperationSpec, language: Language, report: Reporter) -> tuple[Input, ...]:
    out = []
    for name, text in spec.takes.items():
        with report.at("takes", name):
            check_name(report, name, "an input")
            out.append(_input(name, text, language, report))
    return tuple(out)


def _input(name: str, spec: str | InputSpec, language: Language, report: Reporter) -> Input:
    if isinstance(spec, InputSpec) and spec.list_ is not None:
        return _list_input(name, spec, language, report)
    long = spec if isinstance(spec, InputSpec) else InputSpec(type=spec)
    type_text, optional, field = split_field(FieldSpec(type=long.type))
    if field.draw or field.computed:
        raise ExprError("an input is neither drawn nor computed", "TYPE[?] [= default]")
    kind = parse_type(type_text, tuple(language.schema.entities)).type
    if kind.kind == "foreign":
        raise ExprError("an input in another currency is `money`; the operation says which")
    default = _default(long.default if long.default is not None else field.kept, kind, language)
    low, high = _scale_bound(long.min, kind), _scale_bound(long.max, kind)
    if low is not None and high is not None and low > high:
        raise ExprError(f"min {long.min} is more than max {long.max}")
    given = default.value if default is not None else None
    size = len(given) if isinstance(given, str) else given
    if isinstance(size, int) and ((low is not None and size < low) or (high is not None and size > high)):
        raise ExprError(f"the default {long.default or field.kept} is not between min and max")
    return Input(name, kind, optional, default, low, high, says=long.says)


def _list_input(name: str, spec: InputSpec, language: Language, report: Reporter) -> Input:
    low = int(spec.min) if spec.min is not None else 1
    high = int(spec.max) if spec.max is not None else 50
    if not 0 <= low <= high <= MAX_LIST_ITEMS:
        raise ExprError(f"a list of {low} to {high}", f"at most {MAX_LIST_ITEMS}")
    parts: tuple[Input, ...]
    if isinstance(spec.list_, str):
        parts = (_input("", spec.list_, language, report),)
    else:
        assert spec.list_ is not None
        found = []
        for part, text in spec.list_.items():
            with report.at("list", part):
                check_name(report, part, "a part of a list")
                found.append(_input(part, text, language, report))
        parts = tuple(found)
        if any(p.parts for p in parts):
            raise ExprError("a list inside a list is not part of the language")
    kind = Type("list", fields=tuple((p.name, p.type) for p in parts))
    return Input(name, kind, low == 0, None, low, high, parts, spec.says)


def _scale_bound(value: int | float | None, kind: Type) -> int | None:
    if value is None:
        return None
    if kind.kind == "text":
        return int(value)
    number = parse_fixed(value, kind.places)
    if not kind.numeric or number is None:
        raise ExprError(f"min and max do not fit {kind}")
    return number


def _default(text: str | None, kind: Type, language: Language) -> n.Const | None:
    if text is None:
        return None
    node = parse(text, language, Scope(), kind, bare=True)
    if not isinstance(node, n.Const):
        raise ExprError("a default is a literal")
    return node
