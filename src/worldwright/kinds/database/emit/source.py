"""Python source that knows where it may be broken.

A statement that does not fit on a line has its outermost brackets broken, an element a line; what is in them and fits stays on
its line. Operations, choices and long strings get parentheses of their own where they have no brackets to break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

WIDTH, STEP = 100, 4
STRING_WIDTH = 72
"""The characters of one piece of a string that is broken."""

# how tightly an operator binds, as in Python
TERNARY, OR, AND, NOT, COMPARE, PLUS, TIMES, ATOM = range(8)


@dataclass(frozen=True, slots=True)
class Code:
    """An expression: its text on one line, and what becomes of it on several: `head`, its parts, and `tail`."""

    text: str
    binds: int = ATOM
    parts: tuple[tuple[str, Code], ...] = ()
    """What may stand on lines of its own, each with what leads to it: an operator, a keyword, or nothing."""
    head: str = ""
    """What comes up to the opening bracket; empty for what has no brackets of its own."""
    tail: str = ""
    comma: str = ""
    """What follows each part."""


# statements


def write_statement(code: Code, indent: int, lead: str = "", tail: str = "") -> list[str]:
    """Write `lead`, an expression and `tail` as lines: an assignment, a `return`, the head of an `if` or a `for`."""
    pad = " " * indent
    if not code.parts or _fits(code, indent, lead, tail):
        return [f"{pad}{lead}{code.text}{tail}"]
    broken = _prefix(lead, code, code.binds)
    return [f"{pad}{broken.head}", *_write_parts(code, indent + STEP), f"{pad}{broken.tail}{tail}"]


def _fits(code: Code, indent: int, lead: str = "", tail: str = "") -> bool:
    return indent + len(lead) + len(code.text) + len(tail) <= WIDTH


def _write_parts(code: Code, indent: int) -> list[str]:
    """Write the parts of an expression between its brackets. What is alone there, and strings, need no brackets of their own."""
    lines: list[str] = []
    for lead, part in code.parts:
        alone = len(code.parts) == 1 and not code.comma
        if part.parts and not (part.head or lead or _fits(part, indent)) and (alone or part.binds == ATOM):
            lines += _write_parts(part, indent)
            lines[-1] += code.comma
        else:
            lines += write_statement(part, indent, lead, code.comma)
    return lines


def signature(name: str, parameters: Sequence[str], returns: str = "") -> list[str]:
    """The first line of a function, or a line for each parameter."""
    tail = f" -> {returns}:" if returns else ":"
    one = f"def {name}({', '.join(parameters)}){tail}"
    return [one] if len(one) <= WIDTH else [f"def {name}(", *(f"{' ' * STEP}{p}," for p in parameters), f"){tail}"]


def docstring(*paragraphs: str, indent: int = 0) -> list[str]:
    """Prose between quotes: on one line if it can be, else the first paragraph, a blank line and the others."""
    pad, room = " " * indent, WIDTH - indent
    first, *others = (_clean_prose(p) for p in paragraphs)
    if not others and len(first) + 6 <= room:
        return [f'{pad}"""{first}"""']
    rest = ["", *(line for other in others for line in _wrap(other, room))] if others else []
    return [f"{pad}{line}".rstrip() for line in (*_wrap(f'"""{first}', room), *rest, '"""')]


def _wrap(text: str, room: int) -> list[str]:
    return wrap(text, room, break_long_words=False, break_on_hyphens=False)


def _clean_prose(text: str) -> str:
    """Clean a text that stands in a docstring: nothing in it escapes, and no quote of its own touches the quotes around it."""
    said = " ".join(text.replace("\\", "/").split())
    return said.replace('"', "'") if said.startswith('"') or said.endswith('"') or '"""' in said else said


# expressions


def parenthesise(code: Code, above: int) -> Code:
    """Put code in parentheses where what is around it binds tighter."""
    return _bracket("(", [code], ")", "") if code.binds < above else code


def _bracket(head: str, items: Sequence[Code], tail: str, comma: str) -> Code:
    text = f"{head}{', '.join(i.text for i in items)}{',' if comma and len(items) == 1 else ''}{tail}"
    return Code(text, ATOM, tuple(("", item) for item in items), head, tail, comma)


def _prefix(lead: str, code: Code, binds: int) -> Code:
    """Put code behind a keyword or a sign. Broken, it has brackets: its own, or else parentheses."""
    if not code.parts:
        return Code(lead + code.text, binds)
    head, tail = (code.head, code.tail) if code.head else ("(", ")")
    return Code(lead + code.text, binds, code.parts, lead + head, tail, code.comma)


def field(base: Code, name: str) -> Code:
    """An attribute."""
    found = _prefix("", base, ATOM)
    return replace(found, text=f"{found.text}.{name}", tail=f"{found.tail}.{name}")


def keyword(name: str, value: Code) -> Code:
    """A named argument."""
    return _prefix(f"{name}=", value, TERNARY)


def call(head: str | Code, *args: Code) -> Code:
    """A call of a function."""
    name = head if isinstance(head, str) else head.text
    return _bracket(f"{name}(", args, ")", "," if len(args) > 1 else "")


def row(items: Sequence[Code]) -> Code:
    """A tuple."""
    return _bracket("(", items, ")", ",")


def pairs(items: Iterable[tuple[str, Code]]) -> Code:
    """A dictionary; its keys are source already."""
    return _bracket("{", [_prefix(f"{key}: ", item, TERNARY) for key, item in items], "}", ",")


def function(var: str, body: Code, held: Iterable[str] = ()) -> Code:
    """A function of one thing. Names that change from round to round of a loop are held as they are now."""
    return _prefix(f"lambda {', '.join((var, *(f'{name}={name}' for name in held)))}: ", body, TERNARY)


def choose(then: Code, test: Code, other: Code) -> Code:
    """Write `then if test else other`, or the larger or smaller of the two where that is what the test finds."""
    for sign, larger in ((">", True), (">=", True), ("<", False), ("<=", False)):
        if test.text == f"{then.text} {sign} {other.text}":
            return call("max" if larger else "min", other, then)
        if test.text == f"{other.text} {sign} {then.text}":
            return call("min" if larger else "max", other, then)
    text = f"{then.text} if {test.text} else {other.text}"
    return Code(text, TERNARY, (("", then), ("if ", test), ("else ", other)))


def loop(value: Code, var: str, source: Code, where: Code | None) -> Code:
    """The generator expression that is the only argument of a call."""
    parts = [("", value), (f"for {var} in ", source), *([("if ", where)] if where is not None else [])]
    return Code(" ".join(f"{lead}{part.text}" for lead, part in parts), TERNARY, tuple(parts))


def negative(item: Code) -> Code:
    """A number with its sign turned."""
    return _prefix("-", _bracket("(", [item], ")", "") if item.text.startswith("-") else item, TIMES)


def chain(binds: int, first: Code, *rest: tuple[str, Code]) -> Code:
    """Operands with operators between them, all of which bind alike."""
    own = first.parts if first.binds == binds and not first.head and first.parts else (("", first),)
    text = first.text + "".join(f" {sign} {item.text}" for sign, item in rest)
    return Code(text, binds, (*own, *((f"{sign} ", item) for sign, item in rest)))


# what is so and what is not

_OPPOSITE = {
    "==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in",
    "<": ">=", "<=": ">", ">": "<=", ">=": "<",
}  # fmt: skip
"""Sound for ordering too: where a side may be none the comparison is a helper call, not an operator."""


def join_or(items: Sequence[Code]) -> Code:
    """Write `a or b or c`; the parts that are `and` are in parentheses, as few readers know which binds tighter."""
    first, *rest = (parenthesise(item, AND + 1) for item in items)
    return chain(OR, first, *(("or", item) for item in rest))


def join_and(items: Iterable[Code]) -> Code:
    """Write `a and b and c`, with `a < b and b < c` as `a < b < c`."""
    joined: list[Code] = []
    for item in items:
        linked = _link(joined[-1], item) if joined else None
        joined[-1:] = [linked] if linked is not None else [*joined[-1:], item]
    if len(joined) == 1:
        return joined[0]
    first, *rest = (parenthesise(item, AND + 1) for item in joined)
    return chain(AND, first, *(("and", item) for item in rest))


def _link(left: Code, right: Code) -> Code | None:
    """Join two comparisons as one, where the second goes on from where the first ends and points the same way."""
    if left.binds == right.binds == COMPARE:
        (sign, middle), (_, first), *rest = left.parts[-1], *right.parts
        if middle.text == first.text and sign[0] == rest[0][0][0] and sign[0] in "<>":
            return chain(COMPARE, left, *((other.strip(), item) for other, item in rest))
    return None


def split_and(code: Code) -> list[Code]:
    """List what all has to be so for the whole to be."""
    return [part for _, part in code.parts] if code.binds == AND else [code]


def truth(code: Code) -> Code:
    """Code that gives true or false, whatever it is."""
    plain = code.binds in (NOT, COMPARE) or code.text in ("True", "False")
    return code if plain else call("bool", code)


def negate(code: Code) -> Code:
    """Write the opposite, as true or false."""
    if code.binds == COMPARE and len(code.parts) == 2:
        (_, left), (sign, right) = code.parts
        return chain(COMPARE, left, (_OPPOSITE[sign.strip()], right))
    return _prefix("not ", parenthesise(code, ATOM), NOT)


def negate_test(code: Code) -> Code:
    """Write the opposite, as the test of an `if`, where only its truth counts: a `not` is taken away rather than doubled."""
    if code.binds != NOT:
        return negate(code)
    if code.head == "not (" and len(code.parts) == 1:
        return code.parts[0][1]
    return replace(code, text=code.text.removeprefix("not "), head=code.head.removeprefix("not "), binds=ATOM)


# strings


def text(*said: str | Code) -> Code:
    """A string, or an f-string where something is filled in. A long one may be broken between words."""
    pieces: list[tuple[str | Code, ...]] = [()]
    for word in _words(said):
        longer = (*pieces[-1], *word)
        if pieces[-1] and len(_literal(longer)) > STRING_WIDTH:
            pieces.append(word)
        else:
            pieces[-1] = longer
    parts = tuple(("", Code(_literal(piece))) for piece in pieces)
    return Code(_literal(said), ATOM, parts if len(parts) > 1 else ())


def _words(said: Iterable[str | Code]) -> Iterator[tuple[str | Code, ...]]:
    """A string cut after every space."""
    word: list[str | Code] = []
    for part in said:
        for piece in [part] if isinstance(part, Code) else re.findall(r"[^ ]* +|[^ ]+", part):
            word.append(piece)
            if isinstance(piece, str) and piece.endswith(" "):
                yield tuple(word)
                word = []
    if word:
        yield tuple(word)


def _literal(parts: Iterable[str | Code]) -> str:
    """A plain string, or an f-string where something is filled in."""
    known = list(parts)
    said = "".join(p for p in known if isinstance(p, str))
    if not any(isinstance(p, Code) for p in known):
        return quote_text(said)
    quote = _quote_for(said)
    escaped = (
        f"{{{p.text}}}" if isinstance(p, Code) else _escaped(p, quote).replace("{", "{{").replace("}", "}}")
        for p in known
    )
    return f"f{quote}{''.join(escaped)}{quote}"


def quote_text(text: str) -> str:
    """Write a string literal, in the quotes that need fewer escapes; double ones where it is all the same."""
    quote = _quote_for(text)
    return f"{quote}{_escaped(text, quote)}{quote}"


def _quote_for(text: str) -> str:
    return "'" if text.count('"') > text.count("'") else '"'


def _escaped(text: str, quote: str) -> str:
    literal = repr(text)
    body = literal[1:-1]
    if literal[0] == quote:
        return body
    return body.replace("\\'", "'").replace('"', '\\"') if quote == '"' else body.replace("'", "\\'")
