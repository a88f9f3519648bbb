"""Operations as closures over a unit of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator, Frame, Run
from worldwright.blueprint.types import ref
from worldwright.core.names import to_words
from worldwright.kinds.database.arguments import get_default
from worldwright.kinds.database.unit_of_work import Enforcement, Refusal, Row, UnitOfWork

Act: TypeAlias = Callable[[UnitOfWork, Frame], None]

MAX_LOOP_ROWS = 500


class Operator:
    """Compiles bodies of operations, each once."""

    def __init__(self, blueprint: c.Checked, evaluator: Evaluator) -> None:
        self.blueprint = blueprint
        self.evaluator = evaluator
        self._bodies: dict[str, tuple[Act, ...]] = {}
        self._gives: dict[str, Run] = {}
        self._performers: dict[str, Callable[[UnitOfWork, Frame], bool]] = {}

    def body(self, name: str) -> tuple[Act, ...]:
        if name not in self._bodies:
            self._bodies[name] = self.block(self.blueprint.operations[name].body)
        return self._bodies[name]

    def make_given_row(self, name: str) -> Run | None:
        """Make a function that gives the row of an operation, where it gives one."""
        read = self.blueprint.operations[name].read
        if isinstance(read, c.Get):
            entity = read.entity
            return lambda d, f: f[entity]
        gives = self.blueprint.operations[name].gives
        if not isinstance(gives, n.Node):
            return None
        if name not in self._gives:
            self._gives[name] = self.evaluator.row(gives)
        return self._gives[name]

    def block(self, statements: tuple[c.Statement, ...]) -> tuple[Act, ...]:
        return tuple(getattr(self, f"_on_{type(s).__name__}")(s) for s in statements)

    def _on_Let(self, s: c.Let) -> Act:
        name, value = s.name, self.evaluator.bind(s.value)

        def let(d: UnitOfWork, f: Frame) -> None:
            f[name] = value(d, f)

        return let

    def _on_Find(self, s: c.Find) -> Act:
        kind = ref(s.rows.entity)
        node = n.Aggregate(
            kind, "last" if s.descending else "first", s.name, s.rows, s.where, n.Var(kind, s.name), s.by
        )
        key, entity, name, code = self.evaluator.value(node), s.rows.entity, s.name, s.code
        says = self.evaluator.value(s.says) if s.says is not None else None
        default = f"There is no such {to_words(entity)}."

        def find(d: UnitOfWork, f: Frame) -> None:
            found = key(d, f)
            if found is None and code:
                raise Refusal(code, says(d, f) if says is not None else default)
            f[name] = None if found is None else d.row(entity, found)

        return find

    def _on_Require(self, s: c.Require) -> Act:
        test, code = self.evaluator.truth(s.test), s.code
        says = self.evaluator.value(s.says) if s.says is not None else None
        default = f"This needs {s.text}."
        details = make_state_details(s.test, self.evaluator)

        def require(d: UnitOfWork, f: Frame) -> None:
            if not test(d, f):
                message = says(d, f) if says is not None else default
                raise Refusal(code, message, None, details(d, f) if details is not None else None)

        return require

    def _on_Obey(self, s: c.Obey) -> Act:
        policy = self.blueprint.policies[s.policy]
        test = self.evaluator.value(n.Obeys(n.TRUE.type, s.policy, s.args))
        name, code, says = policy.name, policy.code, policy.says
        refuses = {Enforcement.DECLARED: policy.enforced == "tool", Enforcement.ALL: True, Enforcement.NONE: False}

        def obey(d: UnitOfWork, f: Frame) -> None:
            if not test(d, f):
                if refuses[d.enforcement]:
                    raise Refusal(code, says, name)
                d.broken.append(name)

        return obey

    def _on_Set(self, s: c.Set) -> Act:
        row = self.evaluator.row(s.row)
        values = tuple((name, self.evaluator.value(v)) for name, v in s.values)
        entity = s.row.type.entity

        def put(d: UnitOfWork, f: Frame) -> None:
            target = row(d, f)
            if target is None:
                raise Refusal("NOT_FOUND", f"There is no {to_words(entity)} to change.")
            d.set(target, {name: run(d, f) for name, run in values})

        return put

    def _on_Add(self, s: c.Add) -> Act:
        entity, name = s.entity, s.name
        values = tuple((column, self.evaluator.value(v)) for column, v in s.values)

        def add(d: UnitOfWork, f: Frame) -> None:
            row = d.add(entity, {column: run(d, f) for column, run in values})
            if name:
                f[name] = row

        return add

    def _on_Remove(self, s: c.Remove) -> Act:
        row, entity = self.evaluator.row(s.row), s.row.type.entity

        def remove(d: UnitOfWork, f: Frame) -> None:
            target = row(d, f)
            if target is None:
                raise Refusal("NOT_FOUND", f"There is no {to_words(entity)} to remove.")
            d.remove(target)

        return remove

    def _on_When(self, s: c.When) -> Act:
        test, do, otherwise = self.evaluator.truth(s.test), self.block(s.do), self.block(s.otherwise)

        def when(d: UnitOfWork, f: Frame) -> None:
            for act in do if test(d, f) else otherwise:
                act(d, f)

        return when

    def _on_Each(self, s: c.Each) -> Act:
        rows = self._frozen_rows(s)
        carry = tuple((name, self.evaluator.bind(v)) for name, v in s.carry)
        body, var = self.block(s.do), s.var

        def each(d: UnitOfWork, f: Frame) -> None:
            items = rows(d, f)
            if len(items) > MAX_LOOP_ROWS:
                raise Refusal("TOO_MANY", f"This would touch {len(items)} rows; {MAX_LOOP_ROWS} at most.")
            for name, start in carry:
                f[name] = start(d, f)
            for item in items:
                f[var] = item
                for act in body:
                    act(d, f)

        return each

    def _frozen_rows(self, s: c.Each) -> Run:
        """The rows of a loop as they are on entry, filtered and in order."""
        source = self.evaluator.source(s.rows)
        where = self.evaluator.truth(s.where) if s.where is not None else None
        key = self.evaluator.value(s.by) if s.by is not None else None
        var, descending = s.var, s.descending

        def rows(d: UnitOfWork, f: Frame) -> list[Any]:
            inner = dict(f)
            found: list[tuple[Any, Any]] = []
            for row in source(d, f):
                inner[var] = row
                if where is None or where(d, inner):
                    found.append((key(d, inner) if key is not None else None, row))
            if key is not None:
                keyed = sorted((x for x in found if x[0] is not None), key=lambda x: x[0], reverse=descending)
                found = keyed + [x for x in found if x[0] is None]
            return [row for _, row in found]

        return rows

    def _on_Run(self, s: c.Run) -> Act:
        operation = self.blueprint.operations[s.operation]
        args = {name: self.evaluator.bind(v) for name, v in s.args}
        constants = {i.name: get_default(i) for i in operation.inputs if i.name not in args}
        name = s.name

        def run(d: UnitOfWork, f: Frame) -> None:
            inner: Frame = dict(constants)
            for argument, value in args.items():
                inner[argument] = value(d, f)
            for i in operation.inputs:
                if inner[i.name] is None and not i.optional and i.default is None:
                    raise Refusal("MISSING_VALUE", f"There is no {to_words(i.name)} for this.", None, {"field": i.name})
            row = self.perform_and_give(operation.name, d, inner)
            if name:
                f[name] = row

        return run

    def perform(self, name: str, d: UnitOfWork, f: Frame) -> bool:
        """Run a body; false where `once` found that it was done before (the row is then in the frame as `$once`)."""
        return self.make_performer(name)(d, f)

    def perform_and_give(self, name: str, d: UnitOfWork, f: Frame) -> Row | None:
        """Run a body and give the row of the operation, where it gives one: the earlier row where it was done before."""
        if not self.perform(name, d, f):
            return cast(Row, f["$once"])
        give = self.make_given_row(name)
        return give(d, f) if give is not None else None

    def make_performer(self, name: str) -> Callable[[UnitOfWork, Frame], bool]:
        """Make what `perform` does, put together once."""
        found = self._performers.get(name)
        if found is None:
            found = self._performers[name] = self._performer(self.blueprint.operations[name])
        return found

    def _performer(self, operation: c.Operation) -> Callable[[UnitOfWork, Frame], bool]:
        body = self.body(operation.name)
        once = self.evaluator.row(operation.once) if operation.once is not None else None

        def perform(d: UnitOfWork, f: Frame) -> bool:
            if once is not None and (done := once(d, f)) is not None:
                f["$once"] = done
                return False
            for act in body:
                act(d, f)
            return True

        return perform


def make_state_details(test: n.Node, evaluator: Evaluator) -> Callable[[Any, Frame], Mapping[str, Any]] | None:
    """Make a function that says what would be valid: for `row.field == 'value'`, the value found and the value needed."""
    if not isinstance(test, n.Compare) or test.op != "==" or not isinstance(test.right, n.Const):
        return None
    if not isinstance(test.left, n.Field) or test.left.type.kind not in ("enum", "bool"):
        return None
    found, name, needed = evaluator.value(test.left), test.left.name, test.right.value
    return lambda d, f: {"field": name, "found": found(d, f), "needed": needed}
