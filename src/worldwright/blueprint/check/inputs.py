"""The inputs of operations."""

from __future__ import annotations

from worldwright.blueprint.check.entities import good_name
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import Input
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.fieldspec import parse_type, split_field
from worldwright.blueprint.model import FieldSpec, InputSpec, OperationSpec
from worldwright.blueprint.types import Type
from worldwright.core.fixed import parse_fixed

MAX_LIST = 100


def check_inputs(spec: OperationSpec, language: Language, report: Reporter) -> tuple[Input, ...]:
    out = []
    for name, text in spec.takes.items():
        with report.at("takes", name):
            good_name(report, name, "an input")
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
    low, high = _bound(long.min, kind), _bound(long.max, kind)
    if low is not None and high is not None and low > high:
        raise ExprError(f"min {long.min} is more than max {long.max}")
    given = default.value if default is not None else None
    size = len(given) if isinstance(given, str) and kind.kind == "text" else given
    if isinstance(size, int) and ((low is not None and size < low) or (high is not None and size > high)):
        raise ExprError(f"the default {long.default or field.kept} is not between min and max")
    return Input(name, kind, optional, default, low, high, says=long.says)


def _list_input(name: str, spec: InputSpec, language: Language, report: Reporter) -> Input:
    low = int(spec.min) if spec.min is not None else 1
    high = int(spec.max) if spec.max is not None else 50
    if not 0 <= low <= high <= MAX_LIST:
        raise ExprError(f"a list of {low} to {high}", f"at most {MAX_LIST}")
    parts: tuple[Input, ...]
    if isinstance(spec.list_, str):
        parts = (_input("", spec.list_, language, report),)
    else:
        assert spec.list_ is not None
        found = []
        for part, text in spec.list_.items():
            with report.at("list", part):
                good_name(report, part, "a part of a list")
                found.append(_input(part, text, language, report))
        parts = tuple(found)
        if any(p.parts for p in parts):
            raise ExprError("a list inside a list is not part of the language")
    kind = Type("list", fields=tuple((p.name, p.type) for p in parts))
    return Input(name, kind, low == 0, None, low, high, parts, spec.says)


def _bound(value: int | float | None, kind: Type) -> int | None:
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
