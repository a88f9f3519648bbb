"""Statements as lines: a statement that does not fit on one has its outermost brackets broken, an element a line.

What is in brackets that fits stays on its line; what does not is broken in turn. Operations, choices and long strings get
parentheses of their own where they have no brackets to break.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from worldwright.kinds.database.emit import shapes as s

WIDTH = 100
STEP = 4


def statement(shape: s.Shape, indent: int, lead: str = "", tail: str = "") -> list[str]:
    """`lead`, an expression and `tail`: an assignment, a `return`, the head of an `if` or a `for`."""
    pad = " " * indent
    if _fits(shape, indent, lead, tail):
        return [f"{pad}{lead}{shape.flat}{tail}"]
    match shape:
        case s.Keyword(name=name, value=value):
            return statement(value, indent, f"{lead}{name}=", tail)
        case s.Lambda(var=var, body=body):
            return statement(body, indent, f"{lead}lambda {var}: ", tail)
        case s.Unary(sign=sign, item=item):
            return statement(item, indent, f"{lead}{sign}", tail)
        case s.Field(base=base, name=name):
            return statement(base, indent, lead, f".{name}{tail}")
        case s.Call(head=head, args=args) if args:
            return [*statement(head, indent, lead, "("), *_elements(args, indent + STEP), f"{pad}){tail}"]
        case s.Row(items=items):
            return [f"{pad}{lead}(", *_elements(items, indent + STEP, alone=","), f"{pad}){tail}"]
        case s.Pairs(items=pairs):
            lines = [line for key, item in pairs for line in statement(item, indent + STEP, f"{key}: ", ",")]
            return [f"{pad}{lead}{{", *lines, f"{pad}}}{tail}"]
        case s.Parens(item=item):
            return [f"{pad}{lead}(", *_bracketed(item, indent + STEP), f"{pad}){tail}"]
        case s.Chain() | s.Choice():
            return [f"{pad}{lead}(", *_bracketed(shape, indent + STEP), f"{pad}){tail}"]
        case s.Text() if len(s.fragments(shape)) > 1:
            return [f"{pad}{lead}(", *_bracketed(shape, indent + STEP), f"{pad}){tail}"]
    return [f"{pad}{lead}{shape.flat}{tail}"]


def _fits(shape: s.Shape, indent: int, lead: str = "", tail: str = "") -> bool:
    return indent + len(lead) + len(shape.flat) + len(tail) <= WIDTH


def _elements(items: Sequence[s.Shape], indent: int, alone: str = "") -> list[str]:
    """An element a line with a comma after each; one alone has what is said instead."""
    if len(items) == 1:
        *lines, last = _bracketed(items[0], indent)
        return [*lines, f"{last}{alone}"]
    return [line for item in items for line in _element(item, indent)]


def _element(item: s.Shape, indent: int) -> list[str]:
    if isinstance(item, s.Text) and not _fits(item, indent, tail=","):
        *lines, last = _bracketed(item, indent)
        return [*lines, f"{last},"]
    return statement(item, indent, "", ",")


def _bracketed(shape: s.Shape, indent: int) -> list[str]:
    """An expression alone between brackets: an operand, a branch or a piece of text a line where it does not fit on one."""
    if _fits(shape, indent):
        return statement(shape, indent)
    match shape:
        case s.Chain(first=first, rest=rest):
            parts = [("", first), *((f"{sign} ", item) for sign, item in rest)]
        case s.Choice(then=then, test=test, other=other):
            parts = [("", then), ("if ", test), ("else ", other)]
        case s.Loop(value=value, var=var, source=source, where=where):
            parts = [("", value), (f"for {var} in ", source), *([("if ", where)] if where is not None else [])]
        case s.Text():
            return [f"{' ' * indent}{piece}" for piece in s.folded(shape, WIDTH - indent - 1)]
        case _:
            return statement(shape, indent)
    return [line for lead, part in parts for line in statement(part, indent, lead)]


def call(head: str, args: Sequence[str], indent: int) -> list[str]:
    """`head(args)` of what is text already, a line for each argument where they do not fit on one."""
    return statement(s.call(head, *map(s.Word, args)), indent)


def signature(name: str, parameters: Sequence[str], returns: str = "") -> list[str]:
    """The first line of a function, or a line for each parameter."""
    tail = f" -> {returns}:" if returns else ":"
    one = f"def {name}({', '.join(parameters)}){tail}"
    return [one] if len(one) <= WIDTH else [f"def {name}(", *(f"{' ' * STEP}{p}," for p in parameters), f"){tail}"]


def docstring(*paragraphs: str, indent: int = 0) -> list[str]:
    """Prose between quotes: on one line if it can be, else the first paragraph, a blank line and the others."""
    pad, room = " " * indent, WIDTH - indent
    first, *others = (_plain(p) for p in paragraphs)
    if not others and len(first) + 6 <= room:
        return [f'{pad}"""{first}"""']
    rest = ["", *(line for other in others for line in _folded(other, room))] if others else []
    return [f"{pad}{line}".rstrip() for line in (*_folded(f'"""{first}', room), *rest, '"""')]


def _folded(text: str, room: int) -> list[str]:
    return wrap(text, room, break_long_words=False, break_on_hyphens=False)


def _plain(text: str) -> str:
    """Text that can stand in a docstring: nothing in it escapes, and no quote of its own touches the quotes around it."""
    said = " ".join(text.replace("\\", "/").split())
    return said.replace('"', "'") if said.startswith('"') or said.endswith('"') or '"""' in said else said
