"""Emitted source that is too long for a line is broken, and says the same as on one line."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.blueprint.expression_texts import KINDS, expression
from tests.blueprint.test_expression_agreement import source_of, source_of_term, sources_of_condition, typed

from worldwright.core.rng import Stream
from worldwright.kinds.database.emit import source as s
from worldwright.kinds.database.emit.source import docstring, signature, write_statement


def word(text: str) -> s.Code:
    return s.Code(text)


def lines(text: str) -> list[str]:
    return text.strip("\n").splitlines()


# any expression


def sources(text: str) -> list[str]:
    """A random expression in every place where one can stand."""
    node = typed(text)
    if node is None:
        return []
    return [source_of(node), source_of_term(node), *(sources_of_condition(node) if node.type.kind == "bool" else ())]


def many_sources() -> list[str]:
    texts = [expression(Stream("layout", kind, i).below, kind) for kind in KINDS for i in range(20)]
    return [source for text in texts for source in sources(text)]


@pytest.mark.parametrize("columns", [100, 72, 40])
def test_broken_lines_say_the_same_as_long_ones(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In narrow columns almost every expression has to be broken, and then broken again."""
    monkeypatch.setattr(s, "WIDTH", 1_000_000)
    plain = many_sources()
    monkeypatch.setattr(s, "WIDTH", columns)
    broken = many_sources()
    assert sum(map(len, map(str.splitlines, broken))) > sum(map(len, map(str.splitlines, plain)))
    for one, other in zip(plain, broken, strict=True):
        assert shape_of(one) == shape_of(other), other


def shape_of(source: str) -> str:
    """The source as Python reads it, but for how docstrings are folded."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree)


# statements


A, B, C = (word(letter * 30) for letter in "abc")

STATEMENTS = [
    (s.join_and([A, B, C]), "if ", ":", """
if (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    and bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    and cccccccccccccccccccccccccccccc
):
"""),
    (s.negate(s.join_and([A, B, C])), "return ", "", """
return not (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    and bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    and cccccccccccccccccccccccccccccc
)
"""),
    (s.call("ww.total", A, B, C), "total = ", "", """
total = ww.total(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
    cccccccccccccccccccccccccccccc,
)
"""),
    (s.call("ctx.set", A, s.keyword("b", B), s.keyword("c", C)), "", "", """
ctx.set(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    b=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
    c=cccccccccccccccccccccccccccccc,
)
"""),
    (s.call("ctx.set", A, s.keyword("b", s.choose(A, B, C))), "", "", """
ctx.set(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    b=(
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        if bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
        else cccccccccccccccccccccccccccccc
    ),
)
"""),
    (s.chain(s.COMPARE, A, ("in", s.row([A, B, C]))), "return ", "", """
return (
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    in (
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
        bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
        cccccccccccccccccccccccccccccc,
    )
)
"""),
    (s.call("sum", s.loop(A, "x", B, s.join_and([A, B, C]))), "return ", "", """
return sum(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    for x in bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    if (
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        and bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
        and cccccccccccccccccccccccccccccc
    )
)
"""),
    (s.call("ww.first", A, s.keyword("where", s.function("x", s.join_and([A, B, C])))), "for x in ", ":", """
for x in ww.first(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    where=lambda x: (
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        and bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
        and cccccccccccccccccccccccccccccc
    ),
):
"""),
    (s.pairs([('"a"', A), ('"b"', B), ('"c"', C)]), "return ", "", """
return {
    "a": aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
    "b": bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
    "c": cccccccccccccccccccccccccccccc,
}
"""),
    (s.call("ww.refuse", s.text("NO"), s.text("No. " * 24 + "It is a no."), s.keyword("policy", s.text("no"))), "", "", """
ww.refuse(
    "NO",
    "No. No. No. No. No. No. No. No. No. No. No. No. No. No. No. No. No. "
    "No. No. No. No. No. No. No. It is a no.",
    policy="no",
)
"""),
]  # fmt: skip


@pytest.mark.parametrize(("code", "lead", "tail", "expected"), STATEMENTS)
def test_statements(code: s.Code, lead: str, tail: str, expected: str) -> None:
    assert write_statement(code, 0, lead, tail) == lines(expected)


def test_what_fits_stays_on_its_line() -> None:
    assert write_statement(word("x" * 92), 4, "y = ") == [f"    y = {'x' * 92}"]
    assert write_statement(word("x" * 93), 4, "y = ") == [f"    y = {'x' * 93}"]  # there is nothing to break


def test_a_signature_that_is_too_long_has_a_parameter_a_line() -> None:
    assert signature("f", ["a", "b=1"]) == ["def f(a, b=1):"]
    many = [letter * 20 for letter in "abcde"]
    assert signature("f", many) == ["def f(", *(f"    {name}," for name in many), "):"]
    assert signature("f" * 90, ["a"], "None") == [f"def {'f' * 90}(", "    a,", ") -> None:"]


# strings


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_a_string_in_pieces_says_the_same(said: str) -> None:
    assert ast.literal_eval(s.quote_text(said)) == said
    assert ast.literal_eval(in_pieces(s.text(said))) == said


@given(st.lists(WORDS.filter(lambda w: "\\" not in w), min_size=2, max_size=30))
def test_a_filled_in_string_in_pieces_says_the_same(said: list[str]) -> None:
    code = s.text(*(part for text in said for part in (text, s.Code("x.y"))))
    whole = "".join(f"{text}Z" for text in said)
    x = type("X", (), {"y": "Z"})
    assert eval(code.text, {"x": x}) == whole
    assert eval(in_pieces(code), {"x": x}) == whole


def in_pieces(code: s.Code) -> str:
    """The lines of a string that is broken wherever it can be, each as short as it may be."""
    assert all(len(piece.text) <= s.STRING_WIDTH or " " not in piece.text.rstrip("\"' ") for _, piece in code.parts)
    return "(" + " ".join(piece.text for _, piece in code.parts or (("", code),)) + ")"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("plain", '"plain"'),
        ("it's", '"it\'s"'),
        ('say "hi"', "'say \"hi\"'"),
        ('it\'s "so"', "'it\\'s \"so\"'"),
        ("'tis it's", "\"'tis it's\""),
        ("a\\b\n", '"a\\\\b\\n"'),
    ],
)
def test_quotes_are_those_that_need_fewer_escapes(said: str, shown: str) -> None:
    assert s.quote_text(said) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("One line.", ['"""One line."""']),
        ('"Quoted" at first.', ['"""\'Quoted\' at first."""']),
        ('Quoted at "last"', ['"""Quoted at \'last\'"""']),
        ('Some "words" of it.', ['"""Some "words" of it."""']),
        ("back\\slash", ['"""back/slash"""']),
        ("two\n  lines", ['"""two lines"""']),
        ("word " * 25, ['"""' + "word " * 18 + "word", "word word word word word word", '"""']),
    ],
)
def test_docstrings(said: str, shown: list[str]) -> None:
    assert docstring(said) == shown
    compile("\n".join(docstring(said)), "doc.py", "exec")
