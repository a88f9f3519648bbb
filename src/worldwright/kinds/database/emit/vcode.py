"""One readable Python file per task: what an episode must have come to, as a key says it, written out for a reviewer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import Type
from worldwright.core.errors import TamperedPack
from worldwright.core.names import to_words
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.emit import source as s
from worldwright.kinds.database.emit.expressions import RUNTIME, Writer, literal
from worldwright.kinds.database.emit.source import WIDTH, docstring, signature, write_statement
from worldwright.kinds.database.emit.tools import PARAMETER, write_named_functions
from worldwright.kinds.database.verify.patterns import (
    Accepted,
    AnyValue,
    During,
    Is,
    Of,
    Pattern,
    read_accepted,
    read_stored,
)
from worldwright.kinds.database.verify.roles import list_role_words
from worldwright.kinds.database.verify.told import bind_pick
from worldwright.world.tasks import Key, Task

MODULE = "worldwright.kinds.database.vcode"
AMOUNTS = "Amounts are whole numbers of the smallest unit: 5000_00 is 5,000.00."
MIN_ROWS_IN_LOOP = 3
"""From so many rows on, a goal that is the same for each is said in a loop."""


def vcode_source(world: CompiledWorld | c.Checked, task: Task, key: Key) -> str:
    """The file `vcode/verify_NNN.py` of one task."""
    blueprint = world.blueprint if isinstance(world, CompiledWorld) else world
    return _File(blueprint, task, key).source()


class _File:
    """Writes one file."""

    def __init__(self, blueprint: c.Checked, task: Task, key: Key) -> None:
        self.blueprint = blueprint
        self.task = task
        self.expects = key.expects
        self.refused = key.expects.get("outcome") == "refused"
        self.uses = tuple(self._use(data) for data in key.expects.get("goals", ()))
        accepts = read_accepted(key.expects.get("accepts", ()), blueprint.schema)
        self.rows = Rows(blueprint.schema, accepts)
        self.writer = Writer(blueprint)
        self.functions: dict[str, list[str]] = {}
        """By name, the functions that `verify` calls on."""
        self.explained: set[str] = set()

    def _use(self, data: Mapping[str, Any]) -> Use:
        goal = self.blueprint.goals.get(data["goal"])
        if goal is None:
            raise TamperedPack(f"a key names a goal {data['goal']!r} that this world does not have")
        return Use(goal, data["rows"], {k: read_stored(v, goal.states[k], k) for k, v in data["said"].items()})

    def source(self) -> str:
        goals = [*([] if self.refused else [*self._goals(), *self._texts()]), *self._claims()]
        body: list[str] = []
        for group in (goals, self._changes(), self._rules(), self._answers()):
            body += ["", *group] if body and group else group
        given = {"role": self.task.role, "actor": self.task.actor}
        task = s.call(
            f"@{RUNTIME}.task", s.text(self.task.id), *(s.keyword(k, s.text(v)) for k, v in given.items() if v)
        )
        head = [*self._docstring(), "", f"import {MODULE} as {RUNTIME}", "", "", *write_statement(task, 0)]
        functions = [line for function in self.functions.values() for line in ("", "", *function)]
        nobody = any(not use.goal.roles for use in self.uses)
        tail = ["", "", 'if __name__ == "__main__":', f"    {RUNTIME}.main(verify, __file__)"]
        lines = [
            *head, *signature("verify", [f"expect: {RUNTIME}.Expect"], "None"), *body, *functions,
            *write_named_functions(self.writer, nobody), *tail,
        ]  # fmt: skip
        return "\n".join(lines) + "\n"

    def _docstring(self) -> list[str]:
        goals = dict.fromkeys(to_words(use.goal.name) for use in self.uses)
        rule = self.expects.get("answer", {}).get("rule", {}).get("is")
        about = f"refuse, because of {to_words(rule)}" if rule else ", ".join(goals) or "find out and tell"
        who = (
            f"{self.task.actor} as {to_words(self.task.role)}"
            if self.task.actor
            else to_words(self.task.role) or "anyone"
        )
        asked = _clean_prose(f"Asked of {who}: {self.task.instruction}")
        return docstring(f"{self.task.id} ({self.task.family}): {_clean_prose(about)}.", AMOUNTS, asked)

    # goals

    def _goals(self) -> list[str]:
        lines: list[str] = []
        for name in dict.fromkeys(use.goal.name for use in self.uses):
            uses = [use for use in self.uses if use.goal.name == name]
            goal = uses[0].goal
            if goal.text == "true":
                continue
            function = self._function(f"goal_{name}", goal, goal.wants, f"{to_words(name).capitalize()}.")
            said = (s.text(to_words(name)), s.Code(function))
            if len(uses) >= MIN_ROWS_IN_LOOP and _has_one_row_each(uses):
                ((given, kind),) = goal.given.items()
                lines += self.rows.write_loop(kind.entity, [use.rows[given]["id"] for use in uses], 4)
                lines += write_statement(s.call("expect.goal", *said, s.Code("row")), 8)
                continue
            for use in uses:
                lines += write_statement(s.call("expect.goal", *said, *self.rows.write_arguments(use, goal.wants)), 4)
        return lines

    def _texts(self) -> list[str]:
        lines: list[str] = []
        for use in self.uses:
            for text, fact in ((text, fact) for text, facts in use.goal.mentions for fact in facts):
                said = self._function("text", use.goal, text, "What was written.", fact)
                told = self._function("fact", use.goal, fact, "What it must state.", text, written=True)
                role = s.keyword("role", s.row([s.text(word) for word in list_role_words(fact)]))
                arguments = (*self.rows.write_arguments(use, text, fact), *_write_kind(fact.type), role)
                lines += write_statement(s.call("expect.states", s.Code(said), s.Code(told), *arguments), 4)
        return lines

    def _claims(self) -> list[str]:
        request = self.expects.get("words")
        return write_statement(s.call("expect.only_true_texts", s.text(request)), 4) if request is not None else []

    def _function(
        self, wanted: str, goal: c.Goal, node: n.Node, says: str, *also: n.Node, written: bool = False
    ) -> str:
        """A function for an expression of a goal: its name. `also` are others that are called with the same arguments."""
        maybe = {**dict.fromkeys((*goal.given, *goal.states), False), "actor": not goal.roles}
        value = self.writer.code(node, maybe)
        if written and node.type.numeric and node.type.places:
            value = self.writer.use("number", value, s.Code(str(node.type.places)))
        needed = n.free_names(node).union(*map(n.free_names, also))
        parameters = [PARAMETER, *goal.given, *(k for k in goal.states if k in needed)]
        body = [*docstring(says, indent=4), *write_statement(value, 4, "return ")]
        name, number = wanted, 2
        while self.functions.setdefault(name, made := [*signature(name, parameters), *body]) != made:
            name, number = f"{wanted}_{number}", number + 1
        return name

    # changes and rules

    def _changes(self) -> list[str]:
        changes = self.rows.changes()
        calls = [_write_call(call) for call in self.expects.get("forbidden", ())]
        asked = _comment(f"Asked for, and not to be done: {'; '.join(calls)}") if calls else []
        return [*asked, *changes, f"    expect.nothing_{'else_' if changes else ''}changed()"]

    def _rules(self) -> list[str]:
        lines: list[str] = []
        for rule in self.expects.get("rules", ()):
            lines += [*self._explain_rule(rule), *write_statement(s.call("expect.rule_kept", s.text(rule)), 4)]
        return [*lines, f"    expect.no_{'other_' if lines else ''}rule_broken()"]

    def _explain_rule(self, rule: str) -> list[str]:
        """Write what the handbook says of a rule, once."""
        policy = self.blueprint.policies.get(rule)
        if policy is None or rule in self.explained:
            return []
        self.explained.add(rule)
        return _comment(policy.says)

    # the answer

    def _answers(self) -> list[str]:
        lines: list[str] = []
        for name, part in self.expects.get("answer", {}).items():
            if name == "rule" and isinstance(part.get("is"), str):
                lines += self._explain_rule(part["is"])
            lines += write_statement(s.call("expect.answer", s.text(name), *self._answer(part)), 4)
        return lines

    def _answer(self, part: Mapping[str, Any]) -> list[s.Code]:
        match part:
            case {"set": [*ids]}:
                return [s.row([s.Code(s.quote_text(i)) for i in ids]), s.keyword("kind", s.Code(f"{RUNTIME}.IDS"))]
            case {"number": number}:
                return [s.Code(repr(number)), *_write_kind(Type("decimal", int(part.get("places", 0))))]
            case {"date": str(day)}:
                return [s.text(day), *_write_kind(Type("date"))]
            case {"is": str(said)}:
                return [s.text(said)]
            case {"tells": str(key)}:
                use = self.uses[int(part.get("goal", 0))]
                node = use.goal.tells[key]
                bound = bind_pick(use.goal, key) if "row" in part else None
                if bound is not None:
                    goal, node, picked = bound
                    use = replace(use, goal=goal, rows={**use.rows, picked: {"row": part["row"]}})
                says = f"What the answer must give as {to_words(key)}."
                function = self._function(f"told_{key}", use.goal, node, says, written=True)
                return [s.Code(function), *self.rows.write_arguments(use, node), *_write_kind(node.type)]
        return [s.Code("None")]


def _has_one_row_each(uses: Sequence[Use]) -> bool:
    return (
        not uses[0].goal.states
        and len(uses[0].goal.given) == 1
        and all("id" in at for u in uses for at in u.rows.values())
    )


def _write_call(call: Mapping[str, Any]) -> str:
    return f"{call['tool']}({', '.join(f'{k}={v!r}' for k, v in call['arguments'].items())})"


def _clean_prose(said: str) -> str:
    """Clean prose for a docstring or a comment: nothing in it that an editor would not show."""
    return " ".join("".join(c if c.isprintable() else " " for c in said).split())


def _comment(said: str) -> list[str]:
    return [f"    # {line}" for line in wrap(_clean_prose(said), WIDTH - 6, break_long_words=False)]


def _write_kind(kind: Type) -> list[s.Code]:
    """Write how a value is compared, where not as text."""
    if kind.numeric:
        found = s.call(f"{RUNTIME}.decimal", s.Code(str(kind.places))) if kind.places else s.Code(f"{RUNTIME}.INT")
        return [s.keyword("kind", found)]
    if kind.kind in ("date", "bool"):
        return [s.keyword("kind", s.Code(f"{RUNTIME}.{kind.kind.upper()}"))]
    return []


@dataclass(frozen=True, slots=True)
class Use:
    """A goal with its names filled in."""

    goal: c.Goal
    rows: Mapping[str, Mapping[str, str]]
    """By name, the `id` of a row, or the label of one that the episode makes as `row`."""
    said: Mapping[str, Any]
    """In storage form."""


class Rows:
    """The calls that say which rows a task is about, and what became of rows."""

    def __init__(self, schema: Schema, accepts: Sequence[Accepted]) -> None:
        self.schema = schema
        self.accepts = accepts
        self._made = {p.label: p for accepted in reversed(accepts) for p in reversed(accepted) if p.label}
        """By label, the pattern of a row that is new, or that may be any."""

    # values

    def row(self, table: str, key: str) -> s.Code:
        """A row that was there at the start."""
        return s.call(f"{RUNTIME}.row", s.text(table), s.text(key))

    def write_labelled(self, table: str, label: str) -> s.Code:
        """Write the row of a label: a certain one, one that the episode makes, or one that may be any."""
        own = self._made.get(label)
        if own is not None and own.table == table and own.id:
            return self.row(table, own.id)
        if own is None or own.table != table or own.op != "added":
            return s.call(f"{RUNTIME}.some", s.text(table), s.text(label))
        return s.call(f"{RUNTIME}.new", s.text(table), *([] if label == f"{table}_1" else [s.text(label)]))

    def value(self, value: Any, kind: Type) -> s.Code:
        """A value in storage form."""
        return s.text(value) if isinstance(value, str) else s.Code(literal(n.Const(kind, value)))

    def write_arguments(self, use: Use, *nodes: n.Node) -> list[s.Code]:
        """Write what a function of a goal is called with: all its rows, and what was said that it uses."""
        needed = frozenset[str]().union(*map(n.free_names, nodes))
        rows = ((kind.entity, use.rows[name]) for name, kind in use.goal.given.items())
        return [
            *(
                self.write_labelled(table, at["row"]) if "row" in at else self.row(table, at["id"])
                for table, at in rows
            ),
            *(self.value(use.said[name], kind) for name, kind in use.goal.states.items() if name in needed),
        ]

    def write_loop(self, table: str, keys: Sequence[str], indent: int) -> list[str]:
        """Write the head of a loop over several rows."""
        rows = s.call(f"{RUNTIME}.rows", s.text(table), *map(s.text, keys))
        return write_statement(rows, indent, "for row in ", ":")

    # what changed

    def changes(self) -> list[str]:
        """The end state; where several are accepted, what they share, and the rest of each as a function."""
        first, *others = self.accepts or ((),)
        shared = tuple(p for p in first if all(p in accepted for accepted in others))
        counts: dict[str, int] = {}
        lines = self._calls(shared, counts, 4)
        if not others:
            return lines
        ways = [f"way_{number}" for number in range(1, len(self.accepts) + 1)]
        for way, accepted in zip(ways, self.accepts, strict=True):
            own = self._calls(tuple(p for p in accepted if p not in shared), dict(counts), 8)
            lines += [*([""] if lines else []), f"    def {way}() -> None:", *(own or ["        pass"])]
        return [*lines, "", *write_statement(s.call("expect.one_of", *map(s.Code, ways)), 4)]

    def _calls(self, patterns: Accepted, counts: dict[str, int], indent: int) -> list[str]:
        """The calls for these rows. `counts` are the new rows of each table so far."""
        lines: list[str] = []
        for run in _runs(patterns):
            first = run[0]
            cells = list(self._write_cells(first))
            if len(run) > 1:
                lines += self.write_loop(first.table, [p.id for p in run], indent)
                lines += write_statement(s.call(f"expect.{first.op}", s.Code("row"), *cells), indent + 4)
                continue
            counts[first.table] = counts.get(first.table, 0) + (first.op == "added")
            what = self._write_row(first, f"{first.table}_{counts[first.table]}")
            lines += write_statement(s.call(f"expect.{first.op}", what, *cells), indent)
        return lines

    def _write_row(self, pattern: Pattern, usual: str) -> s.Code:
        """Write the row of a pattern; of a new one that has the usual label, only the table."""
        if pattern.many:
            return s.call(f"{RUNTIME}.many", s.text(pattern.table), *([s.text(pattern.label)] if pattern.label else []))
        if pattern.op == "added" and pattern.label == usual:
            return s.text(pattern.table)
        return self.row(pattern.table, pattern.id) if pattern.id else self.write_labelled(pattern.table, pattern.label)

    def _write_cells(self, pattern: Pattern) -> Iterator[s.Code]:
        """Write what is demanded, then what must be a moment of the episode, then what is free."""
        columns = self.schema.entities[pattern.table].columns
        for name, cell in pattern.cells.items():
            if isinstance(cell, Is):
                yield s.keyword(name, self.value(cell.value, columns[name].type))
            elif isinstance(cell, Of):
                yield s.keyword(name, self.write_labelled(columns[name].type.entity, cell.label))
        for name, cell in pattern.cells.items():
            if isinstance(cell, During):
                yield s.keyword(name, s.Code(f"{RUNTIME}.DURING"))
        free = [s.text(name) for name, cell in pattern.cells.items() if isinstance(cell, AnyValue)]
        if free:
            yield s.call(f"**{RUNTIME}.free", *free)


def _runs(patterns: Accepted) -> Iterator[tuple[Pattern, ...]]:
    """Patterns one by one; certain rows that follow each other and ended alike together."""
    run: list[Pattern] = []
    for pattern in patterns:
        if run and not _is_same_change(run[-1], pattern):
            yield tuple(run)
            run = []
        run.append(pattern)
    if run:
        yield tuple(run)


def _is_same_change(one: Pattern, other: Pattern) -> bool:
    plain = one.id and other.id and not (one.label or other.label or one.many or other.many)
    return bool(plain) and (one.op, one.table, one.cells) == (other.op, other.table, other.cells)
