"""Expressions that try to be programs."""

from __future__ import annotations

import pytest
from tests.redteam.helpers import attempted, checked, findings, refusal, within

from worldwright.kinds.database.compiled_world import CompiledWorld


@pytest.mark.parametrize(
    ("expression", "match"),
    [
        ("open('evil', 'w') == 1", "no function or term is called `open`"),
        ("__import__('os').system('touch evil') == 1", "cannot be called"),
        ("__import__('os') == 1", "no function or term is called `__import__`"),
        ("eval('1') == 1", "no function or term is called `eval`"),
        ("exec('1') == 1", "no function or term is called `exec`"),
        ("compile('1', '', 'eval') == 1", "no function or term is called `compile`"),
        ("getattr(thing, 'name') == 1", "no function or term is called `getattr`"),
        ("globals() == 1", "no function or term is called `globals`"),
        ("print(thing) == 1", "no function or term is called `print`"),
        ("type(thing) == 1", "no function or term is called `type`"),
        ("thing.__class__ == 1", "has no field `__class__`"),
        ("thing.__class__.__mro__ == 1", "has no field `__class__`"),
        ("thing.name.__len__() > 0", "cannot be called"),
        ("thing.name.upper() == 'X'", "cannot be called"),
        ("thing.entity == 1", "has no field `entity`"),
        ("thing.values == 1", "has no field `values`"),
        ("thing._desk == 1", "has no field `_desk`"),
        ("__builtins__ == 1", "nothing is called `__builtins__`"),
        ("self == 1", "nothing is called `self`"),
        ("desk == 1", "nothing is called `desk`"),
        ("'{0.__class__}'.format(thing) == 'x'", "cannot be called"),
        ("'%s' % thing.name == 'x'", "is not part of the language"),
        ("(lambda: true)()", "cannot be called"),
        ("lambda: 1", "Lambda is not part of the language"),
        ("[x for x in thing] == 1", "ListComp is not part of the language"),
        ("{x for x in thing} == 1", "SetComp is not part of the language"),
        ("{x: x for x in thing} == 1", "DictComp is not part of the language"),
        ("(x for x in thing) == 1", "GeneratorExp is not part of the language"),
        ("sum(1 for a in thing for b in thing) == 1", "takes one `x for v in rows if condition`"),
        ("sum(1 for a, b in thing) == 1", "takes one `x for v in rows if condition`"),
        ("sum(1 for a in open('x')) == 1", "is not many rows"),
        ("(y := 1) == 1", "NamedExpr is not part of the language"),
        ("await thing", "Await is not part of the language"),
        ("(yield 1)", "Yield is not part of the language"),
        ("(yield from thing)", "YieldFrom is not part of the language"),
        ("max(*thing, 1) == 1", "is not part of the language"),
        ("abs(**thing) == 1", "takes no named arguments"),
        ("thing['name'] == 'x'", "Subscript is not part of the language"),
        ("thing.name[0] == 'x'", "Subscript is not part of the language"),
        ("{'a': 1} == 1", "Dict is not part of the language"),
        ("... == 1", "Ellipsis is not a literal"),
        ("b'x' == 'x'", "is not a literal"),
        ("1j == 1", "is not a literal"),
        ("9 ** 9 ** 9 == 1", "is not part of the language"),
        ("1 << 1000000000 == 1", "is not part of the language"),
        ("thing.size // 0 == 1", "is not part of the language"),
        ("thing.size % 0 == 1", "is not part of the language"),
        ("thing.size @ 1 == 1", "is not part of the language"),
        ("~thing.size == 1", "is not part of the language"),
        ("'a' * 1000000000 == 'x'", "does not work on text"),
        ("thing.size is 5", "compares with none only"),
        ("import os", "not an expression"),
        ("true; import os", "not an expression"),
        ("x = 5", "not an expression"),
        ("true\nimport os", "not an expression"),
        ("del thing", "not an expression"),
        ("", "not an expression"),
        ("#", "not an expression"),
        ("true if", "not an expression"),
        ("'unclosed", "not an expression"),
        ("1e999 == 1", "out of range"),
        ("99999999999999999999 == 1", "out of range"),
        ("0.0000001 == 1", "out of range"),
        ("obeys(__import__('os'))", "obeys takes the name of a policy"),
        ("obeys(missing)", "no policy is called `missing`"),
        ("date('2025-13-01') == today", "date takes a day"),
        ("date(thing.name) == today", "date takes a day"),
        ("between(1, 5) == 1", "is random"),
        ("any(t for t in thing) is none", "is random"),
    ],
)
def test_program_in_an_expression(expression: str, match: str) -> None:
    assert match in refusal(expression)


@pytest.mark.parametrize(
    ("expression", "match"),
    [
        ("true and " * 1000 + "true", "at most 4000"),
        ("(" * 1900 + "true" + ")" * 1900, "not an expression"),
        ("not " * 900 + "true", "nested too deeply"),
        ("-" * 3000 + "1 == 1", "not an expression|nested too deeply"),
        ("+".join(["1"] * 1990) + " == 1", "nested too deeply|not an expression"),
        ("thing" + ".part_of" * 400 + " is none", "nested too deeply"),
        ("1 if true else " * 200 + "1 == 1", "nested too deeply"),
        ("lower(" * 500 + "'x'" + ")" * 500 + " == 'x'", "not an expression|nested too deeply"),
        ("thing.name in (" + ", ".join(["'x'"] * 60) + ")", "takes 1 to 50 values"),
        (
            "exists(a for a in thing if exists(b for b in thing if exists(c for c in thing if exists(d for d in thing))))",
            "more than 3 deep",
        ),
    ],
    ids=range(10),
)
def test_expression_too_long_or_too_deep(expression: str, match: str) -> None:
    said = refusal(expression)
    assert any(part in said for part in match.split("|")), said[:300]


@pytest.mark.parametrize(
    "expression",
    [
        "[" + "not " * 900 + "true]",
        "~" * 500 + "1 == 1",
        "thing[" + "-" * 900 + "1] == 1",
        "(" + "-" * 900 + "1) ** 2 == 1",
    ],
)
def test_deep_nesting_inside_what_is_refused_anyway(expression: str) -> None:
    """Writing the refusal must not be what overflows the stack."""
    assert "not part of the language" in refusal(expression) or "nested too deeply" in refusal(expression)


def bounded(expression: str) -> None:
    """Refused or taken, but not at a price that doubles with every level."""
    found, said = attempted(("operations/rename/does/0/require", expression))
    if found is None:
        assert "operations.rename" in said
        return
    with within(5):
        assert CompiledWorld(found).tools


def test_comparison_chains_that_double_with_every_level() -> None:
    expression = "true"
    for _ in range(30):
        expression = f"(true == {expression} == true)"
    bounded(expression)


def test_memberships_that_double_with_every_level() -> None:
    expression = "true"
    for _ in range(30):
        expression = f"({expression} in (true, false))"
    bounded(expression)


def test_number_with_thousands_of_digits_in_hexadecimal() -> None:
    assert "out of range" in refusal("0x" + "f" * 3900 + " == 1")


def test_constant_that_folds_beyond_64_bits() -> None:
    product = " * ".join(["1000000000000000"] * 3)
    assert "out of range" in findings(("operations/resize/does/0/set", {"thing.size": product}))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("f'{thing.__class__}' == 'x'", "has no field `__class__`"),
        ("f'{open(1)}' == 'x'", "no function or term is called `open`"),
        ("f'{thing.name:>1000000000}' == 'x'", "unknown format"),
        ("f'{thing.name:{open(1)}}' == 'x'", "format"),
        ("f'{thing.name:{thing.name}}' == 'x'", "format"),
        ("f'{thing.name!r}' == 'x'", "format"),
        ("f'{thing.name=}' == 'x'", "format"),
        ("f'{thing.name:money}' == 'x'", "format"),
        ("f'{thing.kind:percent}' == 'x'", "format"),
        ("f'{lambda: 1}' == 'x'", "Lambda|not an expression"),
    ],
)
def test_format_that_is_more_than_a_format(text: str, match: str) -> None:
    """A nested format, a conversion or a format of another type: refused, not dropped, nor met for the first time in a call."""
    said = refusal(text)
    assert any(part in said for part in match.split("|")), said


@pytest.mark.parametrize(
    "says",
    ["{thing.name:money}", "{name:percent}", "{thing.__class__}", "{open('x')}", "{thing.name!r}", "{", "}", "{}"],
)
def test_message_of_a_refusal_with_a_hostile_slot(says: str) -> None:
    assert "operations.rename.does[0]" in findings(("operations/rename/does/0/says", says))


@pytest.mark.parametrize(
    "says", ["{most:money} {who:percent}", "{who:money}", "{thing.name}", "{__class__}", "{most.real}"]
)
def test_text_of_a_policy_with_a_hostile_slot(says: str) -> None:
    parameters = {"most": {"default": 100}, "who": {"default": "Ann"}}
    assert "policies.cap" in findings(("policies/cap/parameters", parameters), ("policies/cap/says", says))


def test_loop_in_an_async_disguise() -> None:
    assert "operations.rename" in refusal("sum(1 async for t in thing) == 1")


@pytest.mark.parametrize("name", ["__builtins__", "_", "__class__", "Desk"])
def test_loop_variable_with_a_name_that_nothing_else_may_have(name: str) -> None:
    assert "operations.rename" in refusal(f"exists({name} for {name} in thing)")


def test_expression_that_is_right() -> None:
    """The attacks above start from a Blueprint that checks."""
    assert checked(
        ("operations/rename/does/0/require", "bulk(thing) < 1000 and f'{thing.price:money}' != ''")
    ).operations
