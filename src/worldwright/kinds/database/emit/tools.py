"""One readable Python file per tool."""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import ref
from worldwright.core.names import words
from worldwright.kinds.database.emit.expressions import BENCH, Writer, literal, quoted
from worldwright.kinds.database.emit.layout import WIDTH, call, condition, expression

MODULE = "worldwright.kinds.database.bench"


DESK = f"desk: {BENCH}.Desk"


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
    named = _named_functions(writer, maybe["actor"])
    head = [*_docstring(operation), "", f"import {MODULE} as {BENCH}"]
    return "\n".join([*head, "", "", *lines, *named]) + "\n"


def _docstring(operation: c.Operation) -> list[str]:
    who = ", ".join(words(r) for r in operation.roles) or "anyone"
    return [
        f'"""{_safe(operation.says)}',
        "",
        f"System: {operation.system}. For: {who}.",
        "Amounts are whole numbers of the smallest unit: 5000_00 is 5,000.00.",
        '"""',
    ]


def _safe(text: str) -> str:
    """Text that can stand in a docstring or a comment."""
    return text.replace("\\", "/").replace('"""', "'''").replace("\n", " ").strip().rstrip('"')


def _named_functions(writer: Writer, actor: bool) -> list[str]:
    """Terms and policies that the tool uses, each as a function; those they use in turn, too."""
    while True:
        before = (dict(writer.terms), dict(writer.policies))
        lines = [line for kind, name in _used(writer) for line in ["", "", *_named(writer, kind, name, actor)]]
        if (writer.terms, writer.policies) == before:
            return lines


def _used(writer: Writer) -> list[tuple[str, str]]:
    return [("term", t) for t in writer.terms] + [("policy", p) for p in writer.policies]


def _named(writer: Writer, kind: str, name: str, actor: bool) -> list[str]:
    found = writer.blueprint.terms[name] if kind == "term" else writer.blueprint.policies[name]
    flags = (writer.terms if kind == "term" else writer.policies)[name]
    maybe = {**dict(zip(found.takes, flags, strict=True)), "actor": actor}
    body = found.body if isinstance(found, c.Term) else found.binding
    text = writer.text(body, maybe)
    if kind == "policy" and writer.maybe(body, maybe):
        text = f"bool({text})"
    says = _safe(found.says or f"{words(name).capitalize()}.")
    out = _def(f"{kind}_{name}", [DESK, *found.takes])
    out += [f'    """{line}' if i == 0 else f"    {line}" for i, line in enumerate(_folded(says))]
    out[-1] += '"""'
    return out + expression(text, 4, "return ")


def _def(name: str, parameters: list[str]) -> list[str]:
    one = f"def {name}({', '.join(parameters)}):"
    if len(one) <= WIDTH:
        return [one]
    return [f"def {name}(", *(f"    {p}," for p in parameters), "):"]


def _folded(text: str, width: int = WIDTH - 12) -> list[str]:
    out = [""]
    for word in text.split():
        if len(out[-1]) + len(word) + 1 > width and out[-1]:
            out.append("")
        out[-1] = f"{out[-1]} {word}".strip()
    return out


class _Body:
    """Writes the function of one operation."""

    def __init__(self, writer: Writer, operation: c.Operation) -> None:
        self.w = writer
        self.operation = operation

    def function(self, maybe: dict[str, bool]) -> list[str]:
        operation = self.operation
        required = [i.name for i in operation.inputs if not i.optional and i.default is None]
        optional = [
            f"{i.name}={literal(i.default) if i.default is not None else '()' if i.parts else 'None'}"
            for i in operation.inputs
            if i.name not in required
        ]
        lines = _def(operation.name, [DESK, *required, *optional])
        if operation.read is not None:
            return lines + self._read(operation.read)
        if operation.once is not None:
            lines.append("    # Done before: give what was done then, change nothing.")
            lines += expression(self.w.text(operation.once, maybe), 4, "done = ")
            lines += ["    if done is not None:", "        return desk.record(done)"]
        self._list_names(operation, maybe)
        lines += self.block(operation.body, maybe, 4)
        return lines + self._gives(maybe)

    def _list_names(self, operation: c.Operation, maybe: dict[str, bool]) -> None:
        """Which parts of list elements may be none, for loops over them."""
        for i in operation.inputs:
            maybe |= {f"{i.name}.{p.name}": p.optional for p in i.parts}

    def _read(self, read: c.Search | c.Get) -> list[str]:
        names = [f"{i.name}={i.name}" for i in self.operation.inputs]
        if isinstance(read, c.Search):
            return call("return desk.search", [f'"{self.operation.name}"', *names], 4)
        return call("return desk.look_up", [f'"{self.operation.name}"', *names], 4)

    def _gives(self, maybe: Mapping[str, bool]) -> list[str]:
        gives = self.operation.gives
        if isinstance(gives, n.Node):
            return [f"    return desk.record({self.w.text(gives, maybe)})"]
        if gives is None:
            return ["    return {}"]
        parts = [f'"{name}": {self._given(node, maybe)}' for name, node in gives]
        one = f"    return {{{', '.join(parts)}}}"
        if len(one) <= WIDTH:
            return [one]
        return ["    return {", *(f"        {p}," for p in parts), "    }"]

    def _given(self, node: n.Node, maybe: Mapping[str, bool]) -> str:
        text, kind = self.w.text(node, maybe), node.type
        if kind.numeric and kind.places:
            return f"{self.w.use('number')}({text}, {kind.places})"
        if kind.kind == "bool":
            return f"bool({text})"
        if kind.kind == "ref":
            return f'{self.w.use("attr")}({text}, "id")'
        return text

    def block(self, body: tuple[c.Statement, ...], maybe: dict[str, bool], indent: int) -> list[str]:
        out: list[str] = []
        for statement in body:
            out += getattr(self, f"_on_{type(statement).__name__}")(statement, maybe, indent)
        return out

    def _on_Let(self, s: c.Let, maybe: dict[str, bool], indent: int) -> list[str]:
        lines = expression(self.w.text(s.value, maybe), indent, f"{s.name} = ")
        maybe[s.name] = self.w.maybe(s.value, maybe) or maybe.get(s.name, False)
        return lines

    def _refuse(self, code: str, message: str, indent: int, policy: str = "") -> list[str]:
        args = [f'"{code}"', message] + ([f'policy="{policy}"'] if policy else [])
        return call(self.w.use("refuse"), args, indent)

    def _on_Find(self, s: c.Find, maybe: dict[str, bool], indent: int) -> list[str]:
        order = "last" if s.descending else "first"
        from_rows = n.Aggregate(
            ref(s.rows.entity), order, s.name, s.rows, s.where, n.Var(ref(s.rows.entity), s.name), s.by
        )
        lines = expression(self.w.text(from_rows, maybe), indent, f"{s.name} = ")
        maybe[s.name] = not s.code
        if s.code:
            message = (
                self.w.template(s.says, maybe)
                if s.says is not None
                else quoted(f"There is no such {words(s.rows.entity)}.")
            )
            lines.append(f"{' ' * indent}if {s.name} is None:")
            lines += self._refuse(s.code, message, indent + 4)
        return lines

    def _on_Require(self, s: c.Require, maybe: dict[str, bool], indent: int) -> list[str]:
        lines = condition(self.w.text(s.test, maybe), indent, negate=True)
        message = self.w.template(s.says, maybe) if s.says is not None else quoted(f"This needs {s.text}.")
        return lines + self._refuse(s.code, message, indent + 4)

    def _on_Obey(self, s: c.Obey, maybe: dict[str, bool], indent: int) -> list[str]:
        policy, pad = self.w.blueprint.policies[s.policy], " " * indent
        said = self.w.text(n.Obeys(n.TRUE.type, s.policy, s.args), maybe)
        lines = condition(said, indent, negate=True)
        if policy.enforced == "tool":
            return lines + self._refuse(policy.code, quoted(policy.says), indent + 4, policy.name)
        note = [f"{pad}    # Only the handbook forbids this: the system lets it happen."]
        return lines + note + [f'{pad}    desk.note("{policy.name}")']

    def _on_Set(self, s: c.Set, maybe: dict[str, bool], indent: int) -> list[str]:
        row = self.w.text(s.row, maybe)
        there = self._there(s.row, "change", maybe, indent)
        return there + call("desk.set", [row, *(f"{k}={self.w.text(v, maybe)}" for k, v in s.values)], indent)

    def _on_Add(self, s: c.Add, maybe: dict[str, bool], indent: int) -> list[str]:
        head = f"{s.name} = desk.add" if s.name else "desk.add"
        if s.name:
            maybe[s.name] = False
        return call(head, [f'"{s.entity}"', *(f"{k}={self.w.text(v, maybe)}" for k, v in s.values)], indent)

    def _on_Remove(self, s: c.Remove, maybe: dict[str, bool], indent: int) -> list[str]:
        there = self._there(s.row, "remove", maybe, indent)
        return there + call("desk.remove", [self.w.text(s.row, maybe)], indent)

    def _there(self, row: n.Node, what: str, maybe: dict[str, bool], indent: int) -> list[str]:
        """A refusal where there is no row to write to."""
        if not self.w.maybe(row, maybe):
            return []
        message = quoted(f"There is no {words(row.type.entity)} to {what}.")
        return [
            *expression(f"{self.w.text(row, maybe)} is None", indent, "if ", ":"),
            *self._refuse("NOT_FOUND", message, indent + 4),
        ]

    def _on_When(self, s: c.When, maybe: dict[str, bool], indent: int) -> list[str]:
        pad = " " * indent
        lines = condition(self.w.text(s.test, maybe), indent)
        before = dict(maybe)
        lines += self.block(s.do, maybe, indent + 4) or [f"{pad}    pass"]
        if s.otherwise:
            lines += [f"{pad}else:", *self.block(s.otherwise, maybe, indent + 4)]
        for name, was in before.items():
            maybe[name] = maybe[name] or was
        return lines

    def _on_Each(self, s: c.Each, maybe: dict[str, bool], indent: int) -> list[str]:
        pad = " " * indent
        lines: list[str] = []
        for name, start in s.carry:
            lines += expression(self.w.text(start, maybe), indent, f"{name} = ")
            maybe[name] = self.w.maybe(start, maybe)
        maybe[s.var] = False
        if s.rows.items:
            prefix = f"{s.rows.items}."
            maybe |= {f"{s.var}.{k.removeprefix(prefix)}": v for k, v in maybe.items() if k.startswith(prefix)}
        args = [self.w.rows(s.rows, maybe)]
        if s.where is not None:
            args.append(f"where=lambda {s.var}: {self.w.text(s.where, maybe)}")
        if s.by is not None:
            args.append(f"by=lambda {s.var}: {self.w.text(s.by, maybe)}")
        if s.descending:
            args.append("descending=True")
        loop = call(f"for {s.var} in {self.w.use('frozen')}", args, indent, ":")
        body = self._settled(s, maybe, indent)
        return lines + loop + (body or [f"{pad}    pass"])

    def _settled(self, s: c.Each, maybe: dict[str, bool], indent: int) -> list[str]:
        """The body of a loop; what it carries may be none in the second round even where it is not in the first."""
        while True:
            trial = dict(maybe)
            body = self.block(s.do, trial, indent + 4)
            later = {name for name, _ in s.carry if trial[name] and not maybe[name]}
            maybe |= dict.fromkeys(later, True)
            if not later:
                maybe |= {k: v or maybe.get(k, False) for k, v in trial.items()}
                return body

    def _on_Run(self, s: c.Run, maybe: dict[str, bool], indent: int) -> list[str]:
        head = f"{s.name} = desk.run" if s.name else "desk.run"
        if s.name:
            maybe[s.name] = False
        return call(head, [f'"{s.operation}"', *(f"{k}={self.w.text(v, maybe)}" for k, v in s.args)], indent)
