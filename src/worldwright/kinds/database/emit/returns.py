"""The value of a term or a policy, as statements: one `return` where it fits on a line, else in steps that can be followed.

A long choice becomes an `if`, and a long aggregate among other things gets a name. Only what is worked out in any case is
named, so nothing is evaluated that was not before: not the later parts of `and` and `or`, not the ways of a choice, not what
is inside of a loop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, count

from worldwright.kinds.database.emit import shapes as s
from worldwright.kinds.database.emit.documents import STEP, WIDTH, width
from worldwright.kinds.database.emit.layout import statement

LONG = WIDTH // 2


def returned(value: s.Shape, indent: int) -> list[str]:
    words = set(re.findall(r"\w+", value.flat))
    return _returned(value, indent, words)


def _returned(value: s.Shape, indent: int, words: set[str]) -> list[str]:
    """`words` are those that no new name may be."""
    value = value.item if isinstance(value, s.Parens) else value
    if indent + width(f"return {value.flat}") <= WIDTH or _is_one_thing(value):
        return statement(value, indent, "return ")
    if isinstance(value, s.Choice):
        return [
            *_stepwise(value.test, indent, words, "if ", ":"),
            *_returned(value.then, indent + STEP, words),
            *_returned(value.other, indent, words),
        ]
    return _stepwise(value, indent, words, "return ")


def _is_one_thing(value: s.Shape) -> bool:
    """Whether a value is an aggregate and nothing but what is made of it: there is nothing to tell it apart from."""
    match value:
        case s.Unary(item=item) | s.Parens(item=item):
            return _is_one_thing(item)
        case s.Call(args=(item,)) if not _is_aggregate(value):
            return _is_one_thing(item)
    return _is_aggregate(value)


def _is_aggregate(value: s.Shape) -> bool:
    return isinstance(value, s.Call) and any(
        isinstance(a, s.Loop) or (isinstance(a, s.Keyword) and isinstance(a.value, s.Lambda)) for a in value.args
    )


def _stepwise(value: s.Shape, indent: int, words: set[str], lead: str, tail: str = "") -> list[str]:
    """A statement, after others that name its long aggregates."""
    names: dict[str, str] = {}
    before: list[str] = []

    def name(aggregate: s.Call) -> s.Shape:
        if width(aggregate.flat) <= LONG:
            return aggregate
        if aggregate.flat not in names:
            names[aggregate.flat] = _new_name(aggregate, words)
            before.extend(statement(aggregate, indent, f"{names[aggregate.flat]} = "))
        return s.Word(names[aggregate.flat])

    value = value.item if isinstance(value, s.Parens) else value
    if _is_one_thing(value) or indent + width(f"{lead}{value.flat}{tail}") <= WIDTH:
        return statement(value, indent, lead, tail)
    last = _rewritten(value, name)
    return [*before, *statement(last, indent, lead, tail)]


def _new_name(aggregate: s.Call, words: set[str]) -> str:
    """`count_in_bookings`, after what is done with which rows."""
    rows = aggregate.args[0].source if isinstance(aggregate.args[0], s.Loop) else aggregate.args[0]
    *_, of = re.findall(r"[^\W\d]\w*", rows.flat)
    stem = f"{aggregate.head.flat.rpartition('.')[2]}_in_{of}"
    name = next(n for n in chain([stem], (f"{stem}_{i}" for i in count(2))) if n not in words)
    words.add(name)
    return name


def _rewritten(shape: s.Shape, name: Callable[[s.Call], s.Shape]) -> s.Shape:
    """With other words for the aggregates that are evaluated in any case."""

    def again(part: s.Shape) -> s.Shape:
        return _rewritten(part, name)

    match shape:
        case s.Call() if _is_aggregate(shape):
            return name(shape)
        case s.Call(head=head, args=args):
            return s.call(again(head), *map(again, args))
        case s.Keyword(name=key, value=value):
            return s.keyword(key, again(value))
        case s.Field(base=base, name=key):
            return s.field(again(base), key)
        case s.Row(items=items):
            return s.row([again(i) for i in items])
        case s.Parens(item=item):
            return s.within(again(item), s.ATOM)
        case s.Unary(sign=sign, item=item, binds=binds):
            inner = again(item)
            return s.Unary(f"{sign}{inner.flat}", sign, inner, binds)
        case s.Choice(then=then, test=test, other=other):
            return s.choice(then, again(test), other)
        case s.Chain(binds=binds, first=first, rest=rest):
            always = binds not in (s.AND, s.OR)
            return s.chain(binds, again(first), *((sign, again(x) if always else x) for sign, x in rest))
    return shape
