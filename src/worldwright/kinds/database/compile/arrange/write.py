"""Scenes as pytest files: what a reviewer reads, and `pytest PACK/tests` runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr.nodes import Const
from worldwright.blueprint.schema import Column, Schema
from worldwright.core.fixed import to_plain_text
from worldwright.core.names import to_words
from worldwright.kinds.database.compile.arrange.scene_rows import list_named_rows, list_references
from worldwright.kinds.database.compile.arrange.scene_runner import Scene
from worldwright.kinds.database.compile.arrange.search import Case, FoundCases
from worldwright.kinds.database.emit.expressions import literal
from worldwright.kinds.database.emit.source import Code, call, quote_text, write_statement

CONFTEST = '''"""Every test runs twice: through the engine, and through the tool's own file in `tools/`."""

from pathlib import Path

import pytest

from worldwright.kinds.database.harness import Harness


@pytest.fixture(params=["engine", "file"])
def harness(request: pytest.FixtureRequest) -> Harness:
    return Harness(Path(__file__).parent.parent, request.param)
'''


def test_file(blueprint: c.Checked, operation: c.Operation, found: FoundCases) -> tuple[str, int]:
    """The test file of one tool, and how many tests it has."""
    writer = _Writer(blueprint, operation)
    tests = list(writer.searches(operation.read) if isinstance(operation.read, c.Search) else writer.tests(found))
    head = [f'"""Tests of `{operation.name}`: {_first_words(operation.says)}"""', ""]
    body = [line for test in tests for line in ["", "", *test]]
    imports = ["from worldwright.kinds.database.harness import Harness"]
    count = sum(1 for test in tests if test[0].startswith("def test_"))
    return "\n".join([*head, *imports, *body]) + "\n", count


def _first_words(text: str) -> str:
    line = " ".join(text.replace('"', "'").replace("\\", "/").split())
    return line if len(line) <= 80 else line[:77].rsplit(" ", 1)[0] + " ..."


class _Writer:
    def __init__(self, blueprint: c.Checked, operation: c.Operation) -> None:
        self.schema: Schema = blueprint.schema
        self.operation = operation

    # cases of the search

    def tests(self, found: FoundCases) -> Iterator[list[str]]:
        """The scene that works as a function, the cases, then what any caller can get wrong."""
        if found.cases:
            yield self._scene(found.cases[0].scene)
        for case in found.cases:
            yield self._case(case)
        if found.unreached:
            yield ["# Guards that no scene was found for:", *(f"# - {_first_words(u)}" for u in found.unreached)]
        if found.cases:
            yield from self._mistakes()

    def _scene(self, scene: Scene) -> list[str]:
        lines, names = self._rows(scene)
        args = [f'"{k}": {self._argument(k, v, names)}' for k, v in scene.args]
        one = f"    return {{{', '.join(args)}}}"
        tail = [one] if len(one) <= 110 else ["    return {", *(f"        {a}," for a in args), "    }"]
        return [
            "def scene(harness: Harness) -> dict[str, object]:",
            '    """Rows and arguments with which the tool works."""',
            *lines,
            *tail,
        ]

    def _case(self, case: Case) -> list[str]:
        lines, names = self._rows(case.scene)
        args = [f'"{self.operation.name}"', *(f"{k}={self._argument(k, v, names)}" for k, v in case.scene.args)]
        out = [
            f"def test_{case.title.replace(' ', '_')}(harness: Harness) -> None:",
            *lines,
            *write_statement(call("result = harness.call", *map(Code, args)), 4),
        ]
        return out + self._write_expected(case)

    def _write_expected(self, case: Case) -> list[str]:
        broken = ", ".join(f'"{b}"' for b in case.broken)
        if not case.code:
            return ["    assert result.ok, result.error", f"    assert harness.broken == [{broken}]"]
        lines = ["    assert result.error is not None", f'    assert result.error.code == "{case.code}"']
        if case.policy:
            lines.append(f'    assert result.error.policy == "{case.policy}"')
        return lines

    def _rows(self, scene: Scene) -> tuple[list[str], dict[tuple[str, str], str]]:
        names: dict[tuple[str, str], str] = {}
        lines = [f'    harness.clock("{scene.now}")'] if scene.now else []
        used = self._find_used(scene)
        for _, alike in groupby(scene.rows, lambda r: (r.entity, r.values, r.id if (r.entity, r.id) in used else "")):
            row, *more = alike
            before = dict(names)  # a row that refers to itself has no name yet
            for other in (row, *more):
                number = sum(1 for key in names if key[0] == row.entity) + 1
                names[row.entity, other.id] = f"the_{row.entity}" + (f"_{number}" if number > 1 else "")
            columns = self.schema.entities[row.entity].columns
            fields = [f"{k}={self._write_stored(columns[k], v, before)}" for k, v in row.values]
            key = (row.entity, row.id)
            head = f"{names[key]} = harness.given" if key in used else "harness.given"
            if more:
                lines.append(f"    for _ in range({len(more) + 1}):")
            lines += write_statement(call(head, Code(f'"{row.entity}"'), *map(Code, fields)), 8 if more else 4)
        if scene.actor:
            lines.append(f"    harness.acts({names[self.schema.actor, scene.actor]})")
        return lines, names

    def _find_used(self, scene: Scene) -> set[tuple[str, str]]:
        """Find the rows that something in the scene refers to by name: what stands above them names their ids."""
        place = {(row.entity, row.id): k for k, row in enumerate(scene.rows)}
        referred = {
            key
            for k, row in enumerate(scene.rows)
            for key in list_references(self.schema, row)
            if place.get(key, k) < k
        }
        return referred | list_named_rows(self.schema, self.operation, scene)

    def _write_stored(self, column: Column, value: Any, names: dict[tuple[str, str], str]) -> str:
        """Write a field as `harness.given` takes it: storage form, references by the name of the row."""
        if column.type.kind == "ref" and value is not None:
            return names.get((column.type.entity, value), quote_text(str(value)))
        return literal(Const(column.type, value))

    def _argument(self, name: str, value: Any, names: dict[tuple[str, str], str]) -> str:
        """An argument as a caller sends it."""
        i = self.operation.input(name)
        assert i is not None
        if not i.parts:
            return self._write_argument(i, value, names)
        if i.parts[0].name == "":
            return "[" + ", ".join(self._write_argument(i.parts[0], v, names) for v in value) + "]"
        parts = {p.name: p for p in i.parts}
        items = (
            "{" + ", ".join(f'"{k}": {self._write_argument(parts[k], v, names)}' for k, v in e) + "}" for e in value
        )
        return "[" + ", ".join(items) + "]"

    def _write_argument(self, i: c.Input, value: Any, names: dict[tuple[str, str], str]) -> str:
        if value is None:
            return "None"
        if i.type.kind == "ref":
            return names.get((i.type.entity, value), quote_text(str(value)))
        if i.type.kind == "bool":
            return repr(bool(value))
        if isinstance(value, str):
            return quote_text(value)
        return to_plain_text(value, i.type.places)

    # what any caller can get wrong

    def _mistakes(self) -> Iterator[list[str]]:
        op = self.operation
        yield self._write_mistake("unknown_argument", ['arguments["no_such_argument"] = 1'], "INVALID_ARGUMENT")
        for i in op.inputs:
            if not i.optional and i.default is None:
                yield self._write_mistake(f"missing_{i.name}", [f'del arguments["{i.name}"]'], "INVALID_ARGUMENT")
            yield self._write_mistake(
                f"wrong_type_of_{i.name}", [f'arguments["{i.name}"] = {_write_wrong_type(i)}'], "INVALID_ARGUMENT"
            )
            if i.type.kind == "ref":
                key = self.schema.entities[i.type.entity].key.make(
                    10 ** self.schema.entities[i.type.entity].key.digits - 1
                )
                yield self._write_mistake(f"unknown_{i.name}", [f'arguments["{i.name}"] = "{key}"'], "NOT_FOUND")
            for title, value in _write_out_of_bounds(i):
                yield self._write_mistake(f"{i.name}_{title}", [f'arguments["{i.name}"] = {value}'], "INVALID_ARGUMENT")
        other = next((r for r in self.schema.roles if op.roles and r not in op.roles), None)
        if other is not None:
            give = f'harness.acts(harness.given("{self.schema.actor}", {self.schema.role_field}="{other}"))'
            yield self._write_mistake(f"wrong_role_{other}", [give], "FORBIDDEN")

    def _write_mistake(self, title: str, edit: list[str], code: str) -> list[str]:
        return [
            f"def test_{title}(harness: Harness) -> None:",
            "    arguments = scene(harness)",
            *(f"    {line}" for line in edit),
            f'    result = harness.call("{self.operation.name}", **arguments)',
            "    assert result.error is not None",
            f'    assert result.error.code == "{code}"',
        ]

    # searches

    def searches(self, read: c.Search) -> Iterator[list[str]]:
        """A search: plain, by page, by each filter, and with wrong arguments."""
        op, entity = self.operation, read.entity
        role = op.roles[0] if op.roles else (self.schema.roles or ("",))[0]
        act = (
            f'    harness.acts(harness.given("{self.schema.actor}", {self.schema.role_field}="{role}"))'
            if role
            else "    pass"
        )
        asked = self._find_needed_filters(read)
        given = "".join(f", {column}={value}" for column, (value, _) in asked.items())
        give = [f'    harness.given("{entity}"{given})'] * 3
        yield [
            "def scene(harness: Harness) -> dict[str, object]:",
            f'    """Three {to_words(entity)} rows and somebody who may look."""',
            *(f'    {column} = harness.given("{ref}")' for column, (_, ref) in asked.items() if ref),
            *give,
            act,
            "    return {" + ", ".join(f'"{column}": {value}' for column, (value, _) in asked.items()) + "}",
        ]
        scene, more = ("    arguments = scene(harness)", "**arguments, ") if asked else ("    scene(harness)", "")
        yield [
            "def test_pages(harness: Harness) -> None:",
            scene,
            f'    whole = harness.call("{op.name}", {more}limit={self._page()})',
            f'    first = harness.call("{op.name}", {more}limit=1)',
            f'    second = harness.call("{op.name}", {more}limit=1, offset=1)',
            "    assert whole.ok and first.ok and second.ok",
            '    assert whole.data["total"] == first.data["total"] == len(whole.data["items"])',
            '    assert first.data["items"] + second.data["items"] == whole.data["items"][:2]',
            '    assert first.data["next_offset"] == (1 if whole.data["total"] > 1 else None)',
        ]
        for item in read.filters:
            yield self._filter(item, read)
        for title, edit in (("limit", "0"), ("offset", "-1"), ("sort", '"no such order"')):
            yield self._write_mistake(f"wrong_{title}", [f'arguments["{title}"] = {edit}'], "INVALID_ARGUMENT")
        yield self._write_mistake("unknown_argument", ['arguments["no_such_argument"] = 1'], "INVALID_ARGUMENT")
        other = next((r for r in self.schema.roles if op.roles and r not in op.roles), None)
        if other is not None:
            edit = f'harness.acts(harness.given("{self.schema.actor}", {self.schema.role_field}="{other}"))'
            yield self._write_mistake(f"wrong_role_{other}", [edit], "FORBIDDEN")

    def _page(self) -> int:
        found = self.operation.input("limit")
        return min(50, found.high if found is not None and found.high is not None else 50)

    def _find_needed_filters(self, read: c.Search) -> dict[str, tuple[str, str]]:
        """Map each filter that the search cannot answer without to a value as the test writes it, and the thing where it is one."""
        out: dict[str, tuple[str, str]] = {}
        for item in read.filters:
            i = self.operation.input(item.name)
            if i is None or i.optional:
                continue
            plain = {"ref": item.column, "enum": f'"{i.type.values[0]}"' if i.type.values else "", "bool": "True"}
            out[item.column] = (plain.get(i.type.kind, '"some"'), i.type.entity if i.type.kind == "ref" else "")
        return out

    def _filter(self, item: c.Filter, read: c.Search) -> list[str]:
        """A filter never finds more than no filter, and what it finds is a part of it."""
        i = self.operation.input(item.name)
        assert i is not None
        example = {
            "ref": 'whole["items"][0]["id"]', "enum": f'"{i.type.values[0]}"' if i.type.values else '""', "bool": "True",
            "text": '"some"', "date": "harness.today", "time": 'harness.today + "T12:00:00Z"',
        }.get(i.type.kind, "1")  # fmt: skip
        asked = self._find_needed_filters(read)
        if item.name in asked:
            return self._write_mistake(f"missing_{item.name}", [f'del arguments["{item.name}"]'], "INVALID_ARGUMENT")
        scene, more = ("    arguments = scene(harness)", "**arguments, ") if asked else ("    scene(harness)", "")
        lines = [f"def test_filter_{item.name}(harness: Harness) -> None:", scene]
        if i.type.kind == "ref":
            lines.append(f'    value = harness.given("{i.type.entity}")')
        else:
            lines.append(f"    value = {example}")
        return [
            *lines,
            f'    whole = harness.call("{self.operation.name}", {more}limit={self._page()}).data',
            f'    result = harness.call("{self.operation.name}", {more}limit={self._page()}, {item.name}=value)',
            "    assert result.ok, result.error",
            '    assert all(item in whole["items"] for item in result.data["items"])',
            '    assert result.data["total"] == len(result.data["items"])',
        ]


def _write_wrong_type(i: c.Input) -> str:
    if i.parts:
        return '"not a list"'
    return "[]" if i.type.kind in ("text", "ref", "enum", "date", "time") else '"not that"'


def _write_out_of_bounds(i: c.Input) -> Iterator[tuple[str, str]]:
    if i.parts:
        yield "too_long", f"[{{}}] * {(i.high or 0) + 1}"
        if i.low:
            yield "too_short", "[]"
    elif i.type.kind == "enum":
        yield "not_a_choice", '"no such choice"'
    elif i.type.kind == "date":
        yield "not_a_day", '"2025-02-30"'
    elif i.type.kind == "text" and i.high is not None:
        yield "too_long", f'"x" * {i.high + 1}'
    elif i.type.numeric:
        if i.low is not None:
            yield "too_small", to_plain_text(i.low - 1, i.type.places)
        if i.high is not None:
            yield "too_large", to_plain_text(i.high + 1, i.type.places)
        yield "too_precise", to_plain_text(10 ** (i.type.places + 1) + 1, i.type.places + 1)
