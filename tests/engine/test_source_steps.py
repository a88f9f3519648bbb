"""Emitted source says a thing the plain way: short conditions, no test for what is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.blueprint.test_expression_agreement import typed, written

from worldwright.blueprint.checked import Each, Find, Let, Require, Set, Statement, When
from worldwright.blueprint.expr import nodes as n
from worldwright.kinds.database.emit import source as s


def word(text: str) -> s.Code:
    return s.Code(text)


def lines(text: str) -> list[str]:
    return text.strip("\n").splitlines()


# what is not so


def compare(left: str, sign: str, right: str) -> s.Code:
    return s.chain(s.COMPARE, word(left), (sign, word(right)))


A_B, C_D, CALL = compare("a", "<", "b"), compare("c", "==", "d"), s.call("f", word("x"))


@pytest.mark.parametrize(
    ("code", "negated", "unless"),
    [
        (A_B, "a >= b", "a >= b"),
        (CALL, "not f(x)", "not f(x)"),
        (s.negate(CALL), "not (not f(x))", "f(x)"),
        (s.join_or([A_B, C_D]), "not (a < b or c == d)", "not (a < b or c == d)"),
        (s.join_and([A_B, C_D]), "not (a < b and c == d)", "not (a < b and c == d)"),
        (s.join_or([CALL, CALL]), "not (f(x) or f(x))", "not (f(x) or f(x))"),
        (s.negate(s.join_or([A_B, CALL])), "not (not (a < b or f(x)))", "a < b or f(x)"),
        (s.join_and([A_B, compare("b", "<=", "c")]), "not (a < b <= c)", "not (a < b <= c)"),
    ],
)  # fmt: skip
def test_opposites(code: s.Code, negated: str, unless: str) -> None:
    assert (s.negate(code).text, s.negate_test(code).text) == (negated, unless)


@given(st.recursive(
    st.sampled_from([*(compare(a, sign, b) for a, b in ("pq", "qr") for sign in ("<", "==", ">=")), word("p"), word("q")]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(s.join_and), st.lists(inner, min_size=2, max_size=3).map(s.join_or),
        inner.map(s.negate),
    ),
))  # fmt: skip
def test_opposites_are_opposite(code: s.Code) -> None:
    for p in (0, 1):
        for q in (0, 1):
            names = {"p": p, "q": q, "r": 1}
            truth = bool(eval(code.text, names))
            assert eval(s.negate(code).text, names) is not truth
            assert bool(eval(s.negate_test(code).text, names)) is not truth


def test_comparisons_are_linked_only_where_they_point_the_same_way() -> None:
    one, two = compare("a", "<", "b"), compare("b", "<=", "c")
    assert s.join_and([one, two, word("d")]).text == "a < b <= c and d"
    assert s.join_and([one, compare("b", ">", "c")]).text == "a < b and b > c"
    assert s.join_and([one, compare("c", "<", "b")]).text == "a < b and c < b"


# the steps of an operation


def node(text: str) -> n.Node:
    found = typed(text)
    assert found is not None
    return found


def steps(*body: Statement) -> list[str]:
    _, _, rest = written(body).partition("\n):\n")
    return [line.removeprefix("    ") for line in rest.partition("    return {}")[0].splitlines()]


SET_Q = Set(node("q"), (("size", node("1")),))
NO = Require(node("q is not none"), "NO", None, "it")
ROWS = n.Rows("human")

BODIES = [
    # a row that may not be there is looked for before it is changed
    ((SET_Q,), """
if q is None:
    ww.refuse("NOT_FOUND", "There is no human to change.")
ctx.set(q, size=1)
"""),
    # but not where that is known already, and there its fields are plain fields
    ((When(node("q is not none"), (SET_Q, Let("x", node("q.size + 1"))), ()), Let("y", node("q.size + 1"))), """
if q is not None:
    ctx.set(q, size=1)
    x = q.size + 1
y = ww.plus(ww.attr(q, "size"), 1)
"""),
    ((When(node("q is none"), (Let("x", node("i.cost")),), (SET_Q,)),), """
if q is None:
    x = i.cost
else:
    ctx.set(q, size=1)
"""),
    ((NO, SET_Q), """
if q is None:
    ww.refuse("NO", "This needs it.")
ctx.set(q, size=1)
"""),
    # a field is not known for longer than its test: a step in between may change it
    ((When(node("p.boss is not none"), (Let("x", node("p.boss.size")),), ()),), """
if p.boss is not None:
    x = ww.attr(p.boss, "size")
"""),
    ((Let("x", node("p.boss.size if p.boss is not none else 0")), Let("y", node("q is not none and q.flag"))), """
x = p.boss.size if p.boss is not None else 0
y = q is not None and q.flag
"""),
    # an `if` in an `if` is one, and so is an `if` in an `else`
    ((When(node("p.flag"), (When(node("i.done"), (NO,), ()),), (When(node("p.size > 1"), (SET_Q,), (NO,)),)),), """
if p.flag:
    if i.done and q is None:
        ww.refuse("NO", "This needs it.")
elif p.size > 1:
    if q is None:
        ww.refuse("NOT_FOUND", "There is no human to change.")
    ctx.set(q, size=1)
elif q is None:
    ww.refuse("NO", "This needs it.")
"""),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), BODIES)
def test_steps_of_an_operation(body: tuple[Statement, ...], expected: str) -> None:
    assert steps(*body) == lines(expected)


def test_a_function_in_a_loop_holds_what_the_loop_changes() -> None:
    human = node("p").type
    same, other = (n.Compare(n.TRUE.type, "==", n.Var(human, "k"), n.Var(human, name)) for name in ("h", "p"))
    find = Find("k", ROWS, n.And(n.TRUE.type, (same, other)), None, False, "", None)
    loop = Each("h", ROWS, None, None, False, (), (find,))
    assert steps(loop)[1] == '    k = ww.first(ctx.all("human"), where=lambda k, h=h: k == h and k == p)'
    assert steps(find)[0] == 'k = ww.first(ctx.all("human"), where=lambda k: k == h and k == p)'
