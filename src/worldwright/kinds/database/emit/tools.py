"""One readable Python file per tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TypeGuard

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import ref
from worldwright.core.names import to_words
from worldwright.kinds.database.emit import source as py
from worldwright.kinds.database.emit.expressions import CTX, RUNTIME, Writer, find_not_none, literal

MODULE = "worldwright.kinds.database.tool_runtime"

PARAMETER = f"{CTX}: {RUNTIME}.ToolContext"


def tool_source(blueprint: c.Checked, name: str) -> str:
    """The Python file of one tool: what the engine does, written out for a reader."""
    operation = blueprint.operations[name]
    writer = Writer(blueprint)
    maybe = {i.name: i.optional and not i.parts for i in operation.inputs}
    maybe["actor"] = not operation.roles
    for i in operation.inputs:
        maybe |= {f"{i.name}[].{p.name}": p.optional for p in i.parts}
    body = _Body(writer, operation)
    lines = body.function(maybe)
    named = write_named_functions(writer, maybe["actor"])
    head = [*_docstring(operation), "", f"import {MODULE} as {RUNTIME}"]
    return "\n".join([*head, "", "", *lines, *named]) + "\n"


def _docstring(operation: c.Operation) -> list[str]:
    who = ", ".join(to_words(r) for r in operation.roles) or "anyone"
    waits = (
        ()
        if operation.waits is None
        else ("Time passes first: the session waits, and what others do meanwhile happens.",)
    )
    return py.docstring(
        operation.says.strip() or f"{to_words(operation.name).capitalize()}.",
        f"System: {operation.system}. For: {who}.",
        *waits,
        "Amounts are whole numbers of the smallest unit: 5000_00 is 5,000.00.",
    )


def write_named_functions(writer: Writer, actor: bool) -> list[str]:
    """Write terms and policies that the tool uses, each as a function; those they use in turn, too."""
    while True:
        before = (dict(writer.terms), dict(writer.policies))
        values = [(found, _write_named_value(writer, found, flags, actor)) for found, flags in _list_used(writer)]
        if (writer.terms, writer.policies) == before:
            return [line for found, value in values for line in ["", "", *_write_named(found, value)]]


def _list_used(writer: Writer) -> list[tuple[c.Term | c.Policy, tuple[bool, ...]]]:
    blueprint = writer.blueprint
    terms = [(blueprint.terms[name], flags) for name, flags in writer.terms.items()]
    return [*terms, *((blueprint.policies[name], flags) for name, flags in writer.policies.items())]


def _write_named_value(writer: Writer, found: c.Term | c.Policy, flags: tuple[bool, ...], actor: bool) -> py.Code:
    maybe = {**dict(zip(found.takes, flags, strict=True)), "actor": actor}
    if isinstance(found, c.Term):
        return writer.code(found.body, maybe)
    obeyed = writer.code(found.binding, maybe)
    return py.truth(obeyed) if writer.may_be_none(found.binding, maybe) else obeyed


def _write_named(found: c.Term | c.Policy, value: py.Code) -> list[str]:
    kind = "term" if isinstance(found, c.Term) else "policy"
    return [
        *py.signature(f"{kind}_{found.name}", [PARAMETER, *found.takes]),
        *py.docstring(found.says.strip() or f"{to_words(found.name).capitalize()}.", indent=4),
        *py.write_statement(value, 4, "return "),
    ]


Guard = c.Require | c.Obey | c.When
"""A step that is an `if` without an `else`."""


def _is_guard(step: c.Statement) -> TypeGuard[Guard]:
    return isinstance(step, (c.Require, c.Obey)) or (isinstance(step, c.When) and not step.otherwise)


def _names_there(test: n.Node, so: bool) -> dict[str, bool]:
    """Fields are left out: the steps that follow may change them."""
    return {name: False for name in find_not_none(test, so) if "." not in name}


def _merge(maybe: dict[str, bool], *ways: Mapping[str, bool]) -> None:
    """Merge what may be none after steps that went one of several ways."""
    maybe |= {name: any(w.get(name, False) for w in ways) for way in ways for name in way}


def _read_names(part: object) -> Iterator[str]:
    """The names that expressions in it speak of."""
    if isinstance(part, n.Node):
        yield from n.free_names(part)
    elif isinstance(part, n.Rows):
        yield from (_read_names(part.base) if part.base is not None else (part.items,))
    elif isinstance(part, (tuple, list)):
        for inner in part:
            yield from _read_names(inner)
    elif is_dataclass(part):
        for f in fields(part):
            yield from _read_names(getattr(part, f.name))


class _Body:
    """Writes the function of one operation."""

    def __init__(self, writer: Writer, operation: c.Operation) -> None:
        self.w = writer
        self.operation = operation
        self.read = frozenset(_read_names((operation.body, operation.gives)))
        """Names that something reads: what nothing reads needs none."""

    def function(self, maybe: dict[str, bool]) -> list[str]:
        operation = self.operation
        required = [i.name for i in operation.inputs if not i.optional and i.default is None]
        optional = [
            f"{i.name}={literal(i.default) if i.default is not None else '()' if i.parts else 'None'}"
            for i in operation.inputs
            if i.name not in required
        ]
        lines = py.signature(operation.name, [PARAMETER, *required, *optional])
        if operation.read is not None:
            return lines + self._read(operation.read)
        if operation.once is not None:
            lines.append("    # Done before: give what was done then, change nothing.")
            lines += py.write_statement(self.w.code(operation.once, maybe), 4, "done = ")
            lines += ["    if done is not None:", f"        return {CTX}.record(done)"]
        self._list_names(operation, maybe)
        lines += self.block(operation.body, maybe, 4)
        return lines + self._write_result(maybe)

    def _list_names(self, operation: c.Operation, maybe: dict[str, bool]) -> None:
        """Note which parts of list elements may be none, for loops over them."""
        for i in operation.inputs:
            maybe |= {f"{i.name}.{p.name}": p.optional for p in i.parts}

    def _read(self, read: c.Search | c.Get) -> list[str]:
        names = [py.keyword(i.name, py.Code(i.name)) for i in self.operation.inputs]
        verb = f"{CTX}.search" if isinstance(read, c.Search) else f"{CTX}.look_up"
        return py.write_statement(py.call(verb, py.text(self.operation.name), *names), 4, "return ")

    def _write_result(self, maybe: Mapping[str, bool]) -> list[str]:
        gives = self.operation.gives
        if isinstance(gives, n.Node):
            return py.write_statement(py.call(f"{CTX}.record", self.w.code(gives, maybe)), 4, "return ")
        given = py.pairs((py.quote_text(name), self._render_given(node, maybe)) for name, node in gives or ())
        return py.write_statement(given, 4, "return ")

    def _render_given(self, node: n.Node, maybe: Mapping[str, bool]) -> py.Code:
        found, kind = self.w.code(node, maybe), node.type
        if kind.numeric and kind.places:
            return self.w.use("number", found, py.Code(str(kind.places)))
        if kind.kind == "bool":
            return py.truth(found)
        if kind.kind == "ref":
            return self.w.use("attr", found, py.text("id"))
        return found

    def block(self, body: tuple[c.Statement, ...], maybe: dict[str, bool], indent: int) -> list[str]:
        out: list[str] = []
        for step in body:
            out += getattr(self, f"_on_{type(step).__name__}")(step, maybe, indent)
            if self.w.loops and isinstance(step, (c.Let, c.Find, c.Add, c.Run)) and step.name:
                self.w.loops.append(step.name)
        return out

    def _on_Let(self, s: c.Let, maybe: dict[str, bool], indent: int) -> list[str]:
        lines = py.write_statement(self.w.code(s.value, maybe), indent, f"{s.name} = ")
        maybe[s.name] = self.w.may_be_none(s.value, maybe) or maybe.get(s.name, False)
        return lines

    def _refuse(self, code: str, message: py.Code, indent: int, policy: str = "") -> list[str]:
        names = [py.keyword("policy", py.text(policy))] if policy else []
        return py.write_statement(self.w.use("refuse", py.text(code), message, *names), indent)

    def _on_Find(self, s: c.Find, maybe: dict[str, bool], indent: int) -> list[str]:
        order = "last" if s.descending else "first"
        from_rows = n.Aggregate(
            ref(s.rows.entity), order, s.name, s.rows, s.where, n.Var(ref(s.rows.entity), s.name), s.by
        )
        lines = py.write_statement(self.w.code(from_rows, maybe), indent, f"{s.name} = ")
        maybe[s.name] = not s.code
        if s.code:
            message = self._message(s.says, f"There is no such {to_words(s.rows.entity)}.", maybe)
            lines.append(f"{' ' * indent}if {s.name} is None:")
            lines += self._refuse(s.code, message, indent + 4)
        return lines

    def _message(self, says: n.Node | None, otherwise: str, maybe: Mapping[str, bool]) -> py.Code:
        return self.w.code(says, maybe) if says is not None else py.text(otherwise)

    # conditions

    def _write_guard(self, s: Guard, maybe: dict[str, bool], indent: int) -> tuple[list[py.Code], list[str]]:
        """Write what all has to be so for a step to be taken, and the lines of the step. An `if` in an `if` is one `if`."""
        match s:
            case c.Require():
                test = py.split_and(py.negate_test(self.w.code(s.test, maybe)))
                said = self._message(s.says, f"This needs {s.text}.", {**maybe, **find_not_none(s.test, False)})
                lines = self._refuse(s.code, said, indent)
                maybe |= _names_there(s.test, True)
                return test, lines
            case c.Obey():
                obeyed = self.w.code(n.Obeys(n.TRUE.type, s.policy, s.args), maybe)
                return [py.negate_test(obeyed)], self._write_violation(self.w.blueprint.policies[s.policy], indent)
        test, then = py.split_and(self.w.code(s.test, maybe)), {**maybe, **_names_there(s.test, True)}
        if len(s.do) == 1 and _is_guard(s.do[0]):
            more, lines = self._write_guard(s.do[0], then, indent)
            test += more
        else:
            lines = self.block(s.do, then, indent) or [f"{' ' * indent}pass"]
        _merge(maybe, then, {**maybe, **_names_there(s.test, False)})
        return test, lines

    def _write_violation(self, policy: c.Policy, indent: int) -> list[str]:
        if policy.enforced == "tool":
            return self._refuse(policy.code, py.text(policy.says), indent, policy.name)
        note = f"{' ' * indent}# Only the handbook forbids this: the system lets it happen."
        return [note, *py.write_statement(py.call(f"{CTX}.note", py.text(policy.name)), indent)]

    def _on_guard(self, s: Guard, maybe: dict[str, bool], indent: int, lead: str = "if ") -> list[str]:
        tests, lines = self._write_guard(s, maybe, indent + 4)
        return [*py.write_statement(py.join_and(tests), indent, lead, ":"), *lines]

    _on_Require = _on_Obey = _on_guard

    def _on_When(self, s: c.When, maybe: dict[str, bool], indent: int, lead: str = "if ") -> list[str]:
        if not s.otherwise:
            return self._on_guard(s, maybe, indent, lead)
        then, other = ({**maybe, **_names_there(s.test, so)} for so in (True, False))
        lines = py.write_statement(self.w.code(s.test, maybe), indent, lead, ":")
        lines += self.block(s.do, then, indent + 4) or [f"{' ' * (indent + 4)}pass"]
        match s.otherwise:
            case (c.When() as only,):
                lines += self._on_When(only, other, indent, "elif ")
            case (c.Require() | c.Obey() as only,):
                lines += self._on_guard(only, other, indent, "elif ")
            case _:
                lines += [f"{' ' * indent}else:", *self.block(s.otherwise, other, indent + 4)]
        _merge(maybe, then, other)
        return lines

    # changes

    def _write_keywords(self, values: tuple[tuple[str, n.Node], ...], maybe: Mapping[str, bool]) -> list[py.Code]:
        return [py.keyword(name, self.w.code(value, maybe)) for name, value in values]

    def _on_Set(self, s: c.Set, maybe: dict[str, bool], indent: int) -> list[str]:
        lines = self._refuse_missing(s.row, "change", maybe, indent)
        change = py.call(f"{CTX}.set", self.w.code(s.row, maybe), *self._write_keywords(s.values, maybe))
        return lines + py.write_statement(change, indent)

    def _on_Add(self, s: c.Add, maybe: dict[str, bool], indent: int) -> list[str]:
        if s.name:
            maybe[s.name] = False
        made = py.call(f"{CTX}.add", py.text(s.entity), *self._write_keywords(s.values, maybe))
        return py.write_statement(made, indent, f"{s.name} = " if s.name and s.name in self.read else "")

    def _on_Remove(self, s: c.Remove, maybe: dict[str, bool], indent: int) -> list[str]:
        lines = self._refuse_missing(s.row, "remove", maybe, indent)
        return lines + py.write_statement(py.call(f"{CTX}.remove", self.w.code(s.row, maybe)), indent)

    def _refuse_missing(self, row: n.Node, what: str, maybe: dict[str, bool], indent: int) -> list[str]:
        """Write a refusal where there is no row to write to."""
        if not self.w.may_be_none(row, maybe):
            return []
        missing = py.chain(py.COMPARE, self.w.code(row, maybe, py.COMPARE + 1), ("is", py.Code("None")))
        message = py.text(f"There is no {to_words(row.type.entity)} to {what}.")
        if isinstance(row, n.Var):
            maybe[row.name] = False
        return [*py.write_statement(missing, indent, "if ", ":"), *self._refuse("NOT_FOUND", message, indent + 4)]

    def _on_Each(self, s: c.Each, maybe: dict[str, bool], indent: int) -> list[str]:
        pad = " " * indent
        lines: list[str] = []
        for name, start in s.carry:
            lines += py.write_statement(self.w.code(start, maybe), indent, f"{name} = ")
            maybe[name] = self.w.may_be_none(start, maybe)
        maybe[s.var] = False
        if s.rows.items:
            prefix = f"{s.rows.items}."
            maybe |= {f"{s.var}.{k.removeprefix(prefix)}": v for k, v in maybe.items() if k.startswith(prefix)}
        args = [self.w.rows(s.rows, maybe), *self.w.functions(s.var, {"where": s.where, "by": s.by}, maybe)]
        if s.descending:
            args.append(py.keyword("descending", py.Code("True")))
        loop = py.write_statement(self.w.use("frozen", *args), indent, f"for {s.var} in ", ":")
        body = self._write_loop_body(s, maybe, indent)
        return lines + loop + (body or [f"{pad}    pass"])

    def _write_loop_body(self, s: c.Each, maybe: dict[str, bool], indent: int) -> list[str]:
        """Write the body of a loop; what it carries may be none in the second round even where it is not in the first."""
        while True:
            trial = dict(maybe)
            with self.w.in_loop(s.var, *(name for name, _ in s.carry)):
                body = self.block(s.do, trial, indent + 4)
            later = {name for name, _ in s.carry if trial[name] and not maybe[name]}
            maybe |= dict.fromkeys(later, True)
            if not later:
                maybe |= {k: v or maybe.get(k, False) for k, v in trial.items()}
                return body

    def _on_Run(self, s: c.Run, maybe: dict[str, bool], indent: int) -> list[str]:
        if s.name:
            maybe[s.name] = False
        done = py.call(f"{CTX}.run", py.text(s.operation), *self._write_keywords(s.args, maybe))
        return py.write_statement(done, indent, f"{s.name} = " if s.name and s.name in self.read else "")
