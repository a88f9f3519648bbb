"""One expression, three ways to work it out: closures that loop, closures that ask SQL, and emitted Python. All agree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.blueprint.expression_examples import AGGREGATES, GIVEN, PLAIN, ROWS, TRAPS
from tests.blueprint.expression_texts import KINDS, expression
from tests.blueprint.language_world import (
    MAYBE,
    NAMES,
    Given,
    Rows,
    checked,
    compiled,
    frame,
    language,
    random_given,
    random_rows,
    scope,
    uow_with,
)
from tests.effort import examples

from worldwright.blueprint.check.rules import settle_number
from worldwright.blueprint.checked import Checked, Input, Let, Operation, Require, Statement, Term, When
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.library import FUNCTIONS
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.types import INT
from worldwright.core.rng import Stream
from worldwright.kinds.database import tool_runtime
from worldwright.kinds.database.emit.tools import tool_source
from worldwright.kinds.database.sql import query
from worldwright.kinds.database.unit_of_work import Refusal, UnitOfWork

LIMITS = (
    "nested too deeply",
    "nested more than",
    "expression of",
    "the product has",
    "already means something",
    "be ordered by number",
    "is needed, this has",
)


@cache
def looping() -> Evaluator:
    """The closures with every aggregate as a loop in Python."""
    bp = checked()
    return Evaluator(
        bp.schema,
        lambda entity, column: bp.computed[entity, column],
        lambda term: (tuple(bp.terms[term].takes), bp.terms[term].body),
        lambda policy: (tuple(bp.policies[policy].takes), bp.policies[policy].binding),
    )


def typed(text: str) -> n.Node | None:
    """The node, or none where the text is only too long or too deep."""
    try:
        node = parse(text, language(), scope())
    except ExprError as e:
        if any(limit in e.message for limit in LIMITS):
            return None
        raise
    return replace(node, type=settle_number(node.type))


def inputs() -> tuple[Input, ...]:
    out = []
    for name, kind in NAMES.items():
        parts = tuple(Input(part, t, MAYBE.get(f"{name}.{part}", False)) for part, t in kind.fields)
        out.append(Input(name, kind, MAYBE.get(name, False), None, 0, 10, parts))
    return tuple(out)


def written(body: tuple[Statement, ...], blueprint: Checked | None = None) -> str:
    subject = Operation("subject", "one", "Say it.", (), inputs(), None, body, None)
    return tool_source(replace(blueprint or checked(), operations={"subject": subject}), "subject")


def source_of(node: n.Node) -> str:
    """The file of a tool that names the expression's value and gives it back as it is."""
    return written((Let("answer", node),)).replace("    return {}\n", "    return answer\n", 1)


def source_of_term(node: n.Node) -> str:
    """The same, with the expression as a term of its own: as a function that works it out in steps."""
    blueprint = replace(checked(), terms={**checked().terms, "whole": Term("whole", NAMES, node)})
    asked = n.TermCall(node.type, "whole", tuple(n.Var(t, name) for name, t in NAMES.items()))
    return written((Let("answer", asked),), blueprint).replace("    return {}\n", "    return answer\n", 1)


def sources_of_condition(node: n.Node) -> tuple[str, str]:
    """The files of tools that refuse unless the condition holds, and that branch on it."""
    ok, no = (Let("answer", n.Const(INT, value)) for value in (1, 0))
    return written((Require(node, "NO", None, "it"),)), written((When(node, (ok,), (no,)),)).replace(
        "    return {}\n", "    return answer\n", 1
    )


def plain(value: Any, node: n.Node) -> Any:
    """A value as it compares: bools as bools (SQLite has 0 and 1), rows as ids."""
    if node.type.kind == "bool" and value is not None:
        return bool(value)
    return getattr(value, "id", value)


def emitted(source: str, uow: UnitOfWork, given: Given) -> Any:
    outer = tool_runtime.ToolContext(compiled(), uow)
    names: dict[str, Any] = {}
    exec(compile(source, "subject.py", "exec"), names)
    arguments = frame(
        uow, given.values, lambda row: None if row is None else tool_runtime.Record(outer, row), tool_runtime.Item
    )
    return names["subject"](outer, **arguments)


def decided(node: n.Node, uow: UnitOfWork, given: Given) -> tuple[bool, bool]:
    """Whether a condition lets a call through, and which way a branch goes."""
    guard, branch = sources_of_condition(node)
    try:
        emitted(guard, uow, given)
    except Refusal:
        return False, bool(emitted(branch, uow, given))
    return True, bool(emitted(branch, uow, given))


def three_ways(node: n.Node, rows: Rows, given: Given) -> tuple[Any, Any, Any]:
    uow = uow_with(rows, given.actor)
    frames = frame(uow, given.values, lambda row: row, dict)
    by_loop = looping().value(node)(uow, frames)
    by_sql = compiled().evaluator.value(node)(uow, frames)
    return plain(by_loop, node), plain(by_sql, node), plain(emitted(source_of(node), uow, given), node)


def agree(text: str, rows: Rows, given: Given) -> None:
    node = typed(text)
    if node is None:
        return
    by_loop, by_sql, by_source = three_ways(node, rows, given)
    assert by_sql == by_loop, f"SQL says otherwise: {text}"
    assert by_source == by_loop, f"the emitted source says otherwise: {text}\n{source_of(node)}"
    by_term = plain(emitted(source_of_term(node), uow_with(rows, given.actor), given), node)
    assert by_term == by_loop, f"as a term it says otherwise: {text}\n{source_of_term(node)}"
    assert type(by_sql) is type(by_source) is type(by_term) is type(by_loop)
    if node.type.kind == "bool":
        uow = uow_with(rows, given.actor)
        assert decided(node, uow, given) == (bool(by_loop), bool(by_loop)), f"decided otherwise: {text}"


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, Rows, Given]:
    def choose(n: int) -> int:
        return draw(st.integers(0, n - 1))

    text, rows = expression(choose), random_rows(choose)
    return text, rows, random_given(choose, rows)


@settings(max_examples=examples(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_loops_queries_and_source_agree(case: tuple[str, Rows, Given]) -> None:
    agree(*case)


@pytest.mark.parametrize("kind", KINDS)
def test_larger_expressions_agree(kind: str) -> None:
    """Chosen evenly, so larger and less tidy than what hypothesis begins with."""
    choose = Stream("expressions", kind).below
    for _ in range(60):
        rows = random_rows(choose)
        for _ in range(8):
            agree(expression(choose, kind), rows, random_given(choose, rows))


@pytest.mark.parametrize(("text", "value"), [*PLAIN, *AGGREGATES, *TRAPS])
def test_examples_agree_and_are_right(text: str, value: Any) -> None:
    node = typed(text)
    assert node is not None
    assert three_ways(node, ROWS, GIVEN) == (value, value, value)
    agree(text, ROWS, GIVEN)


@pytest.mark.parametrize(("text", "value"), [x for x in AGGREGATES if "lines" not in x[0] and "people" not in x[0]])
def test_aggregates_over_rows_are_asked_in_sql(text: str, value: Any) -> None:
    node = typed(text)
    assert node is not None
    outer = next(part for part in n.walk(node) if isinstance(part, n.Aggregate))
    assert query(compiled().evaluator, checked(), outer) is not None
    assert query(looping(), checked(), outer) is not None


@pytest.mark.parametrize("text", ["count(x for x in lines)", "count(x for x in human if 'n' in x.label)"])
def test_what_sql_cannot_say_is_looped_over(text: str) -> None:
    node = typed(text)
    assert isinstance(node, n.Aggregate)
    assert query(compiled().evaluator, checked(), node) is None


def test_random_expressions_reach_every_part_of_the_language() -> None:
    seen: set[str] = set()
    for i in range(1500):
        node = typed(expression(Stream("coverage", i).below))
        for part in n.walk(node) if node is not None else ():
            seen.add(type(part).__name__)
            seen.add(getattr(part, "name", "") if isinstance(part, n.Call) else getattr(part, "kind", ""))
    nodes = "Const Var Field Not And Or Compare IsNone InText Arith Scale Divide If Either Call TermCall Obeys Format Aggregate"
    assert set(nodes.split()) <= seen
    assert set(FUNCTIONS) - seen == set()
    assert {"sum", "count", "min", "max", "exists", "all", "first", "last"} <= seen
