"""What tool files are made of: Python source as a tree, each part with its text on one line.

Only what we emit is here. How tightly a part binds says where it needs parentheses; how it is broken is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# how tightly an operator binds, as in Python
TERNARY, OR, AND, NOT, COMPARE, PLUS, TIMES, ATOM = range(8)


@dataclass(frozen=True, slots=True)
class Word:
    """A name, a number, a path of attributes: never broken."""

    flat: str
    binds: int = ATOM


@dataclass(frozen=True, slots=True)
class Text:
    """A string. Its parts are what it says, and words that are filled in."""

    flat: str
    parts: tuple[str | Word, ...]
    binds: int = ATOM


@dataclass(frozen=True, slots=True)
class Parens:
    flat: str
    item: Shape
    binds: int = ATOM


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute of something that is not a path itself."""

    flat: str
    base: Shape
    name: str
    binds: int = ATOM


@dataclass(frozen=True, slots=True)
class Keyword:
    flat: str
    name: str
    value: Shape
    binds: int = TERNARY


@dataclass(frozen=True, slots=True)
class Call:
    flat: str
    head: Shape
    args: tuple[Shape, ...]
    binds: int = ATOM


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands with operators between them, all of which bind alike."""

    flat: str
    binds: int
    first: Shape
    rest: tuple[tuple[str, Shape], ...]


@dataclass(frozen=True, slots=True)
class Unary:
    flat: str
    sign: str
    item: Shape
    binds: int


@dataclass(frozen=True, slots=True)
class Choice:
    """`then if test else other`."""

    flat: str
    then: Shape
    test: Shape
    other: Shape
    binds: int = TERNARY


@dataclass(frozen=True, slots=True)
class Loop:
    """The generator expression that is the only argument of a call."""

    flat: str
    value: Shape
    var: str
    source: Shape
    where: Shape | None
    binds: int = TERNARY


@dataclass(frozen=True, slots=True)
class Lambda:
    flat: str
    var: str
    body: Shape
    binds: int = TERNARY


@dataclass(frozen=True, slots=True)
class Row:
    """A tuple."""

    flat: str
    items: tuple[Shape, ...]
    binds: int = ATOM


@dataclass(frozen=True, slots=True)
class Pairs:
    """A dictionary; its keys are words."""

    flat: str
    items: tuple[tuple[str, Shape], ...]
    binds: int = ATOM


Shape = Word | Text | Parens | Field | Keyword | Call | Chain | Unary | Choice | Loop | Lambda | Row | Pairs


def within(shape: Shape, above: int) -> Shape:
    """In parentheses where what is around it binds tighter."""
    return Parens(f"({shape.flat})", shape) if shape.binds < above else shape


def field(base: Shape, name: str) -> Shape:
    flat = f"{base.flat}.{name}"
    return Word(flat) if isinstance(base, Word) else Field(flat, base, name)


def keyword(name: str, value: Shape) -> Keyword:
    return Keyword(f"{name}={value.flat}", name, value)


def call(head: str | Shape, *args: Shape) -> Call:
    named = Word(head) if isinstance(head, str) else head
    return Call(f"{named.flat}({', '.join(a.flat for a in args)})", named, args)


def chain(binds: int, first: Shape, *rest: tuple[str, Shape]) -> Chain:
    flat = first.flat + "".join(f" {sign} {item.flat}" for sign, item in rest)
    if isinstance(first, Chain) and first.binds == binds:
        return Chain(flat, binds, first.first, first.rest + rest)
    return Chain(flat, binds, first, rest)


def any_of(items: Sequence[Shape]) -> Shape:
    """`a or b or c`; the parts that are `and` are in parentheses, as few readers know which binds tighter."""
    first, *rest = (within(item, AND + 1) for item in items)
    return chain(OR, first, *(("or", item) for item in rest))


def all_of(items: Iterable[Shape]) -> Shape:
    """`a and b and c`, with `a < b and b < c` as `a < b < c`."""
    kept: list[Shape] = []
    for item in items:
        linked = _linked(kept[-1], item) if kept else None
        kept[-1:] = [linked] if linked is not None else [*kept[-1:], item]
    if len(kept) == 1:
        return kept[0]
    first, *rest = (within(item, AND + 1) for item in kept)
    return chain(AND, first, *(("and", item) for item in rest))


def _linked(left: Shape, right: Shape) -> Shape | None:
    match left, right:
        case Chain(binds=a, first=first, rest=(*_, (sign, middle)) as rest), Chain(binds=b) if a == b == COMPARE:
            if middle.flat == right.first.flat and (sign, right.rest[0][0]) in _ALIKE:
                return chain(COMPARE, first, *rest, *right.rest)
    return None


_ALIKE = frozenset((a, b) for signs in (("<", "<="), (">", ">=")) for a in signs for b in signs)


def conjuncts(shape: Shape) -> list[Shape]:
    """What all has to be so for the whole to be."""
    if isinstance(shape, Chain) and shape.binds == AND:
        return [shape.first, *(item for _, item in shape.rest)]
    return [shape]


def negative(item: Shape) -> Unary:
    item = Parens(f"({item.flat})", item) if item.flat.startswith("-") else item
    return Unary(f"-{item.flat}", "-", item, TIMES)


def choice(then: Shape, test: Shape, other: Shape) -> Choice:
    return Choice(f"{then.flat} if {test.flat} else {other.flat}", then, test, other)


def larger_of(then: Shape, test: Shape, other: Shape) -> str:
    """`max` or `min` where that is what a choice comes to, else nothing."""
    match test:
        case Chain(first=left, rest=((sign, right),)) if sign in _LARGER:
            if (left.flat, right.flat) == (then.flat, other.flat):
                return _LARGER[sign]
            if (right.flat, left.flat) == (then.flat, other.flat):
                return _LARGER[_OPPOSITE[sign]]
    return ""


_LARGER = {">": "max", ">=": "max", "<": "min", "<=": "min"}


def loop(value: Shape, var: str, source: Shape, where: Shape | None) -> Loop:
    flat = f"{value.flat} for {var} in {source.flat}"
    return Loop(flat if where is None else f"{flat} if {where.flat}", value, var, source, where)


def function(var: str, body: Shape, held: Iterable[str] = ()) -> Lambda:
    """A function of one thing. Names that change from round to round of a loop are held as they are now."""
    names = ", ".join((var, *(f"{name}={name}" for name in held)))
    return Lambda(f"lambda {names}: {body.flat}", names, body)


def row(items: Sequence[Shape]) -> Row:
    return Row(f"({', '.join(i.flat for i in items)}{',' * (len(items) == 1)})", tuple(items))


def pairs(items: Iterable[tuple[str, Shape]]) -> Pairs:
    kept = tuple(items)
    return Pairs("{" + ", ".join(f"{key}: {item.flat}" for key, item in kept) + "}", kept)


# what is so and what is not


def truth(shape: Shape) -> Shape:
    """As true or false, whatever it is."""
    plain = shape.binds in (NOT, COMPARE) or shape.flat in ("True", "False")
    return shape if plain else call("bool", shape)


_OPPOSITE = {
    "==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in",
    "<": ">=", "<=": ">", ">": "<=", ">=": "<",
}  # fmt: skip
"""Sound for ordering too: where a side may be none the comparison is a helper call, not an operator."""


def negated(shape: Shape) -> Shape:
    """The opposite, as true or false."""
    match shape:
        case Chain(binds=binds, first=first, rest=((sign, item),)) if binds == COMPARE:
            return chain(COMPARE, first, (_OPPOSITE[sign], item))
    tight = within(shape, ATOM)
    return Unary(f"not {tight.flat}", "not ", tight, NOT)


def unless(shape: Shape) -> Shape:
    """The opposite, as the test of an `if`, where only its truth counts: `not` goes to the parts where that makes it fewer."""
    turned, plain = _turned(shape), negated(shape)
    return turned if _nots(turned) <= _nots(plain) else plain


def _turned(shape: Shape) -> Shape:
    match shape:
        case Parens(item=item):
            return _turned(item)
        case Unary(sign="not ", item=item):
            return item.item if isinstance(item, Parens) else item
        case Chain(binds=binds, first=first, rest=rest) if binds in (AND, OR):
            parts = [_turned(part) for part in (first, *(item for _, item in rest))]
            return all_of(parts) if binds == OR else any_of(parts)
    return negated(shape)


def _nots(shape: Shape) -> int:
    match shape:
        case Chain(first=first, rest=rest):
            return _nots(first) + sum(_nots(item) for _, item in rest)
        case Parens(item=item):
            return _nots(item)
        case Unary(item=item):
            return 1 + _nots(item)
    return 0


# strings


def quoted(text: str) -> str:
    """A string literal, in the quotes that need fewer escapes; double ones where it is all the same."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return f"{quote}{_escaped(text, quote)}{quote}"


def _escaped(text: str, quote: str) -> str:
    shown = repr(text)
    body = shown[1:-1]
    if shown[0] == quote:
        return body
    return body.replace("\\'", "'").replace('"', '\\"') if quote == '"' else body.replace("'", "\\'")


def text(*parts: str | Word) -> Text:
    return Text(_literal(parts), parts)


def _literal(parts: Iterable[str | Word]) -> str:
    """A plain string, or an f-string where something is filled in."""
    kept = list(parts)
    if not any(isinstance(p, Word) for p in kept):
        return quoted("".join(p for p in kept if isinstance(p, str)))
    said = "".join(p for p in kept if isinstance(p, str))
    quote = "'" if said.count('"') > said.count("'") else '"'
    shown = (f"{{{p.flat}}}" if isinstance(p, Word) else _doubled(_escaped(p, quote)) for p in kept)
    return f"f{quote}{''.join(shown)}{quote}"


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def fragments(shape: Text) -> list[tuple[str | Word, ...]]:
    """The parts of a string, cut after every space."""
    found: list[list[str | Word]] = [[]]
    for part in shape.parts:
        for piece in [part] if isinstance(part, Word) else re.findall(r"[^ ]* +|[^ ]+", part):
            found[-1].append(piece)
            if isinstance(piece, str) and piece.endswith(" "):
                found.append([])
    return [tuple(f) for f in found if f]


def folded(shape: Text, room: int) -> list[str]:
    """The string as several, which Python joins again: as many words in each as there is room for."""
    pieces: list[tuple[str | Word, ...]] = []
    for fragment in fragments(shape):
        longer = (*pieces[-1], *fragment) if pieces else fragment
        pieces[-1:] = [longer] if not pieces or len(_literal(longer)) <= room else [pieces[-1], fragment]
    return [_literal(p) for p in pieces]
