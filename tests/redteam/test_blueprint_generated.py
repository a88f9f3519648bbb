"""Text of an author in generated Python, SQL and Markdown: data, never code."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

import pytest
from tests.redteam.helpers import MINI, Change, attempted, changed

from worldwright.blueprint.load import load_text
from worldwright.compiler.build import build
from worldwright.formats.strict_yaml import dump_yaml
from worldwright.kinds.database.emit.tools import tool_source

PAYLOADS = [
    'x"""\npwned()\n"""',
    "x'''\npwned()\n'''",
    '"; pwned(); "',
    "'; pwned(); '",
    '" + pwned() + "',
    "' + pwned() + '",
    "\\",
    '\\"; pwned() #',
    "\\'; pwned() #",
    "\\N{{BULLET}} \\x41 \\u0041 \\",
    "{{pwned()}}",
    '""""""',
    "'\"'\"",
    "x\n    pwned()\ny",
    "# -*- coding: rot13 -*- pwned()",
    "%s %(x)s $x $(pwned) `pwned`",
    "x'); DROP TABLE thing; --",
    'ends with a quote"',
    "ends with a backslash\\",
]


def names(source: str) -> Iterator[str]:
    """Every name that code, not text, uses."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                yield name
            case ast.keyword(arg=str(name)):
                yield name
            case ast.Import() | ast.ImportFrom():
                yield from (alias.name for alias in node.names)


def harmless(source: str) -> None:
    compile(source, "tool.py", "exec")
    used = set(names(source))
    assert not used & {"pwned", "__import__", "os", "system", "exec", "eval", "open", "getattr"}, source


def sources(*changes: Change) -> list[str]:
    """The generated tools of a Blueprint that was accepted; nothing where it was refused."""
    found, said = attempted(*changes)
    if found is None:
        assert said.startswith("blueprint.yaml:")
        return []
    return [tool_source(found, name) for name in found.operations]


TEXTS = (
    "operations/rename/says",
    "operations/rename/does/0/says",
    "policies/cap/says",
    "terms/bulk/says",
    "title",
    "summary",
    "entities/thing/says",
    "systems/desk",
    "category",
    "source",
    "operations/rename/source",
)


@pytest.mark.parametrize("text", PAYLOADS)
def test_text_that_breaks_out_of_a_string(text: str) -> None:
    changes = [(path, text) for path in TEXTS]
    found = sources(
        *changes, ("operations/rename/does/0/require", "bulk(thing) < 99"), ("policies/cap/enforced", "tool")
    )
    assert found
    for source in found:
        harmless(source)


@pytest.mark.parametrize("text", PAYLOADS)
def test_literal_that_breaks_out_of_a_string(text: str) -> None:
    """The same text in a condition, in a value, as a default, and in the refusal that quotes the condition."""
    literal = repr(text)
    found = [
        *sources(("operations/rename/does/0", {"require": f"name != {literal}"})),
        *sources(("operations/rename/does/2/set", {"thing.name": literal})),
        *sources(("operations/rename/takes/name", {"type": "text", "default": literal})),
        *sources(("operations/rename/does/0/require", f"name not in ({literal}, 'x')")),
    ]
    assert found
    for source in found:
        harmless(source)


@pytest.mark.parametrize(
    "expression",
    [
        "f'''{coalesce(thing.name, \"'+pwned()+'\")}'''",
        "f'''{\"'+pwned()+'\" if thing.size > 5 else thing.name}'''",
        "f'''{lower(\"') or pwned() or lower('\")}'''",
        "f\"{thing.name if thing.name != ''' '+pwned()+' ''' else 'x'}\"",
        "f'a {{pwned()}} {thing.name} {{{thing.name}}}'",
        "f'{thing.name}\"; pwned(); \"{thing.name}'",
        "f'{thing.name}\\\\{thing.name}\\n{thing.name}'",
        "f'''{f\"{thing.name}'+pwned()+'\"}'''",
    ],
)
def test_literal_inside_an_f_string_that_breaks_out_of_it(expression: str) -> None:
    """Quotes are changed where a value stands inside an f-string: what was a literal must not become code."""
    for source in sources(("operations/rename/does/2/set", {"thing.name": expression})):
        harmless(source)


def test_literal_inside_a_message_that_breaks_out_of_it() -> None:
    for says in ("{coalesce(name, \"'+pwned()+'\")}", "{coalesce(name, '+pwned()+')}", '{name} " + pwned() + " {name}'):
        for source in sources(("operations/rename/does/0/says", says)):
            harmless(source)


def test_literals_of_odd_kinds() -> None:
    for literal in (
        "'\\0'",
        "'\\x1b[2J'",
        "'\\u2028'",
        "'\\ud800'",
        "'\\r'",
        "'" + "é" * 300 + "'",
        "'" + '"' * 200 + "'",
    ):
        for source in sources(("operations/rename/does/2/set", {"thing.name": literal})):
            harmless(source)
            source.encode()


@pytest.mark.parametrize("name", ["ctx", "attr", "more", "bool", "open"])
def test_loop_variable_that_hides_what_the_file_needs(name: str) -> None:
    """Refused, or written so that what is called inside the loop is not the row."""
    inner = f"exists(q for q in thing if q.size > {name}.size)"
    condition = f"exists({name} for {name} in thing if {name}.part_of.size > 5 and {inner})"
    for source in sources(("operations/rename/does/0/require", condition)):
        for loop in ast.walk(ast.parse(source)):
            if not isinstance(loop, ast.GeneratorExp) or not isinstance(loop.generators[0].target, ast.Name):
                continue
            row = loop.generators[0].target.id
            inside = [
                n for part in (loop.elt, *loop.generators[0].ifs) for n in ast.walk(part) if isinstance(n, ast.Call)
            ]
            assert row not in {n.func.id for n in inside if isinstance(n.func, ast.Name)}, source
            assert f"{row}.all" not in {ast.unparse(n.func) for n in inside}, source


@pytest.fixture(scope="module")
def hostile() -> dict[str, bytes]:
    """A whole pack from a Blueprint with payloads in every text that is accepted."""
    text = 'x"""\npwned()\n"""\\ \'; pwned(); \' {{pwned()}} </script> | `pwned` "'
    value = "x'+pwned()+\"'\"\\\\"
    data: dict[str, Any] = changed(
        MINI,
        ("title", text), ("summary", text), ("category", text), ("systems/desk", text), ("entities/thing/says", text),
        ("entities/thing/called", text), ("terms/bulk/says", text), ("policies/cap/says", text),
        ("policies/cap/enforced", "tool"),
        ("operations/rename/says", text), ("operations/rename/does/0/says", text),
        ("operations/find_things/says", text),
        ("operations/rename/takes/name/says", text),
        ("operations/rename/does/0/require", f"name != {value!r} and bulk(thing) < 99"),
        ("always", {"safe": {"each": "thing", "holds": f"name != {value!r}", "says": text}}),
        ("goals", {"g": {"given": {"t": "thing"}, "wants": "t.size > 0", "asks": [text]}}),
    )  # fmt: skip
    return build(load_text(dump_yaml(data)), 7, with_tasks=False).pack.files


def test_whole_pack_with_payloads_in_every_text(hostile: dict[str, bytes]) -> None:
    python = {path: data.decode() for path, data in hostile.items() if path.endswith(".py")}
    assert len(python) > len(MINI["operations"])
    for path, source in python.items():
        compile(source, path, "exec")
        assert "pwned" not in set(names(source)), path
    assert any("pwned" in source for source in python.values())  # it is there, as text


def test_generated_code_imports_and_calls_what_it_should(hostile: dict[str, bytes]) -> None:
    """Nothing in the files of a pack reaches for a file, a process, a module by name, or an evaluator."""
    banned = {
        "eval",
        "exec",
        "compile",
        "__import__",
        "open",
        "globals",
        "setattr",
        "delattr",
        "breakpoint",
        "input",
    } & set(dir(builtins))
    for path, data in hostile.items():
        if not path.startswith("tools/"):
            continue
        tree = ast.parse(data)
        modules = [(a.name, a.asname) for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
        assert modules == [("worldwright.kinds.database.tool_runtime", "ww")]
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        assert not called & banned
        tops = [n for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.Import))]
        assert all(isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) for n in tops)
