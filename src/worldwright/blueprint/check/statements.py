"""Statements: one method per verb."""

from __future__ import annotations

import re
from dataclasses import replace

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.entities import check_name, parse_template
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.check.rules import settle_number
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.arithmetic import coerce
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.parse import parse, parse_rows
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.model import COMPANIONS, StatementSpec
from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import BOOL, Type, ref
from worldwright.core.names import suggest

_IN = re.compile(r"([a-z_][a-z0-9_]*)\s+in\s+(.+)\Z", re.DOTALL)


class StatementChecker:
    """Checks blocks of statements; names go into scope as they are introduced."""

    def __init__(
        self, language: Language, operations: dict[str, c.Operation], given: dict[str, Type | None], report: Reporter
    ) -> None:
        self.language = language
        self.schema = language.schema
        self.operations = operations
        self.given = given
        self.report = report

    def block(
        self, specs: tuple[StatementSpec, ...], scope: Scope, carried: frozenset[str] = frozenset()
    ) -> tuple[tuple[c.Statement, ...], Scope]:
        out: list[c.Statement] = []
        for i, spec in enumerate(specs):
            with self.report.at(i):
                verb = self.verb(spec)
                found, scope = getattr(self, f"on_{verb}")(spec, scope, carried)
                out.extend(found)
        return tuple(out), scope

    def verb(self, spec: StatementSpec) -> str:
        verbs = [v for v in COMPANIONS if getattr(spec, v) is not None]
        if len(verbs) != 1:
            said = " and ".join(verbs) or "none"
            raise ExprError(f"a statement has one verb, this one has {said}", ", ".join(COMPANIONS))
        verb = verbs[0]
        given = {name.rstrip("_") for name in spec.model_fields_set} - {verb, "source"}
        extra = sorted(given - COMPANIONS[verb])
        if extra:
            raise ExprError(
                f"`{extra[0]}` does not go with `{verb}`",
                f"it takes {', '.join(sorted(COMPANIONS[verb])) or 'nothing more'}",
            )
        return verb

    def name(self, name: str, scope: Scope) -> None:
        check_name(self.report, name, "a value")
        if name in scope.names:
            raise ExprError(f"`{name}` already means something here", "choose another name")

    def expr(self, text: str, scope: Scope, expect: Type | None = None, bare: bool = False) -> n.Node:
        return parse(text, self.language, scope, expect, bare)

    def on_let(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        out: list[c.Statement] = []
        assert spec.let is not None
        for name, text in spec.let.items():
            with self.report.at("let", name):
                again = name in carried
                if not again:
                    self.name(name, scope)
                node = self.expr(text, scope)
                if again and scope.names[name].kind != "number":
                    node = coerce(node, scope.names[name])
                elif again:
                    raise _Inferred(name, settle_number(node.type))
                kind = settle_number(node.type)
                if kind.kind in ("none", "list", "row"):
                    raise ExprError(f"`{name}` would be {kind}")
                out.append(c.Let(name, replace(node, type=kind)))
                scope = scope.bind(name, kind)
        return out, scope

    def source(self, text: str, scope: Scope) -> tuple[str, n.Rows, Type]:
        m = _IN.match(text.strip())
        if m is None:
            raise ExprError(f"`{text}` is not `name in rows`")
        self.name(m[1], scope)
        rows = parse_rows(m[2], self.language, scope)
        return m[1], rows, rows.element if rows.element is not None else ref(rows.entity)

    def order(self, text: str | None, scope: Scope) -> tuple[n.Node | None, bool]:
        if text is None:
            return None, False
        descending = text.rstrip().endswith(" desc")
        node = self.expr(text.rstrip().removesuffix(" desc"), scope)
        if node.type.kind in ("ref", "row", "list", "none"):
            raise ExprError(f"rows cannot be ordered by {node.type}")
        return node, descending

    def on_find(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        assert spec.find is not None
        name, rows, kind = self.source(spec.find, scope)
        if rows.items:
            raise ExprError("find looks in entities and ways back, not in a list input")
        inner = replace(scope.bind(name, kind), depth=1)
        where = self.expr(spec.where, inner, BOOL) if spec.where is not None else None
        by, descending = self.order(spec.by, inner)
        says = self.check_message(spec, scope)
        return [c.Find(name, rows, where, by, descending, spec.else_ or "", says)], scope.bind(name, kind)

    def on_require(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        assert spec.require is not None
        node = self.expr(spec.require, scope, BOOL)
        code = spec.else_ or ("INVALID_STATE" if self.reads_state(node) else "NOT_ALLOWED")
        says = self.check_message(spec, scope)
        return [c.Require(node, code, says, spec.require)], scope

    def check_message(self, spec: StatementSpec, scope: Scope) -> n.Format | None:
        """The message of a refusal."""
        out = None
        if spec.says:
            with self.report.at("says"):
                out = parse_template(spec.says, self.language, scope)
        return out

    def add_name(self, spec: StatementSpec, scope: Scope, kind: Type) -> Scope:
        """Add what `as` names to the scope."""
        if spec.as_:
            with self.report.at("as"):
                self.name(spec.as_, scope)
            scope = scope.bind(spec.as_, kind)
        return scope

    def reads_state(self, node: n.Node) -> bool:
        for part in n.walk(node):
            if isinstance(part, n.Field) and part.base.type.kind == "ref":
                column = self.schema.entities[part.base.type.entity].columns.get(part.name)
                if column is not None and column.state:
                    return True
        return False

    def on_obey(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        items = spec.obey if isinstance(spec.obey, tuple) else (spec.obey,)
        out: list[c.Statement] = []
        for item in items:
            bindings = {item: {}} if isinstance(item, str) else item
            for policy, values in (bindings or {}).items():
                args = ", ".join(f"{k}=({v})" for k, v in values.items())
                node = self.expr(f"obeys({policy}{', ' + args if args else ''})", scope)
                assert isinstance(node, n.Obeys)
                out.append(c.Obey(policy, node.args))
        return out, scope

    def on_set(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        assert spec.set is not None
        groups: dict[str, list[tuple[str, n.Node]]] = {}
        bases: dict[str, n.Node] = {}
        for target, text in spec.set.items():
            with self.report.at("set", target):
                base_text, _, field = target.rpartition(".")
                if not base_text:
                    raise ExprError(f"`{target}` is not row.field")
                base = self.expr(base_text, scope)
                if base.type.kind != "ref":
                    raise ExprError(f"`{base_text}` is {base.type}, not a row")
                column = self.find_settable(self.schema.entities[base.type.entity], field)
                node = self.expr(text, scope, column.type, bare=True)
                bases[base_text] = base
                groups.setdefault(base_text, []).append((field, node))
        return [c.Set(bases[k], tuple(v)) for k, v in groups.items()], scope

    def find_settable(self, entity: Entity, field: str) -> Column:
        column = entity.columns.get(field)
        if column is None:
            raise ExprError(f"`{entity.name}` has no field `{field}`", suggest(field, entity.columns))
        if column.source != "given":
            raise ExprError(f"`{entity.name}.{field}` is {column.source}; it follows from its rule")
        return column

    def on_add(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        assert spec.add is not None
        entity = self.schema.entities.get(spec.add)
        if entity is None:
            raise ExprError(f"no entity is called `{spec.add}`", suggest(spec.add, self.schema.entities))
        values = []
        for field, text in spec.with_.items():
            with self.report.at("with", field):
                column = self.find_settable(entity, field)
                values.append((field, self.expr(text, scope, column.type, bare=True)))
        for column in entity.stored:
            if (
                column.source == "given"
                and not column.optional
                and column.name not in spec.with_
                and not has_default(column)
            ):
                self.report.add(f"`{entity.name}.{column.name}` is required and has no default", "give it in `with`")
        return [c.Add(entity.name, tuple(values), spec.as_)], self.add_name(spec, scope, ref(entity.name))

    def on_remove(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        assert spec.remove is not None
        node = self.expr(spec.remove, scope)
        if node.type.kind != "ref":
            raise ExprError(f"only a row can be removed, not {node.type}")
        return [c.Remove(node)], scope

    def on_when(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        assert spec.when is not None
        test = self.expr(spec.when, scope, BOOL)
        with self.report.at("do"):
            do, _ = self.block(spec.do, scope, carried)
        with self.report.at("otherwise"):
            otherwise, _ = self.block(spec.otherwise, scope, carried)
        return [c.When(test, do, otherwise)], scope

    def on_each(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        assert spec.each is not None
        var, rows, kind = self.source(spec.each, scope)
        first = replace(scope.bind(var, kind), depth=1)
        where = self.expr(spec.where, first, BOOL) if spec.where is not None else None
        by, descending = self.order(spec.by, first)
        start: dict[str, n.Node] = {}
        outer = scope
        for name, text in spec.carry.items():
            with self.report.at("carry", name):
                self.name(name, outer)
                start[name] = self.expr(text, scope)
                outer = outer.bind(name, start[name].type)
        names = carried | frozenset(start)
        outer = self.infer_carried(spec, outer, var, kind, names)
        with self.report.at("do"):
            do, _ = self.block(spec.do, outer.bind(var, kind), names)
        carry = tuple((k, coerce(v, outer.names[k])) for k, v in start.items())
        return [c.Each(var, rows, where, by, descending, carry, do)], outer

    def infer_carried(self, spec: StatementSpec, scope: Scope, var: str, kind: Type, names: frozenset[str]) -> Scope:
        """Infer the type of a carried value that starts as a bare number: the one that the body gives it."""
        for _ in range(len(spec.carry) + 1):
            if not any(scope.names[k].kind == "number" for k in spec.carry if k in scope.names):
                return scope
            quiet = StatementChecker(self.language, self.operations, self.given, Reporter(self.report.document))
            try:
                quiet.block(spec.do, scope.bind(var, kind), names)
            except _Inferred as e:
                scope = scope.bind(e.name, e.kind)
                continue
            break
        for k in spec.carry:
            scope = scope.bind(k, settle_number(scope.names[k]))
        return scope

    def on_run(self, spec: StatementSpec, scope: Scope, carried: frozenset[str]) -> tuple[list[c.Statement], Scope]:
        operation = self.operations.get(spec.run or "")
        if operation is None:
            raise ExprError(f"no operation is called `{spec.run}`", suggest(spec.run or "", self.operations))
        args = []
        for name, text in spec.with_.items():
            with self.report.at("with", name):
                wanted = operation.input(name)
                if wanted is None:
                    raise ExprError(
                        f"`{operation.name}` does not take `{name}`", suggest(name, [i.name for i in operation.inputs])
                    )
                if wanted.parts:
                    node = self.expr(text, scope)
                    if node.type != wanted.type:
                        raise ExprError(f"`{name}` is a list; pass on a list input of the same shape")
                    args.append((name, node))
                    continue
                args.append((name, self.expr(text, scope, wanted.type, bare=True)))
        for i in operation.inputs:
            if not i.optional and i.default is None and i.name not in spec.with_:
                self.report.add(f"`{operation.name}` needs `{i.name}`")
        kind = self.given.get(operation.name)
        if spec.as_ and kind is None:
            raise ExprError(f"`{operation.name}` gives no single row to name", "leave out `as`")
        if kind is not None:
            scope = self.add_name(spec, scope, kind)
        return [c.Run(operation.name, tuple(args), spec.as_)], scope


class _Inferred(Exception):
    """The type of a carried name became known; raised through the trial run of a body."""

    def __init__(self, name: str, kind: Type) -> None:
        super().__init__(name)
        self.name = name
        self.kind = kind


def has_default(column: Column) -> bool:
    """Return whether a new row can go without a value: false, 0, the first state, empty text."""
    return column.state or column.type.kind in ("bool", "int", "decimal", "money", "foreign", "text")
