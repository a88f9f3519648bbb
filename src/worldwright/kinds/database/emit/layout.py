"""Statements as lines: where Python source is broken that does not fit on one.

The rules are those of `ruff format`, which leaves a tool file as it is. It keeps parentheses that an author wrote for the
reader; we write them around operations and strings that take several lines among other things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from worldwright.kinds.database.emit import shapes as s
from worldwright.kinds.database.emit.documents import (
    END,
    STEP,
    WIDTH,
    Brackets,
    Doc,
    Either,
    Fold,
    Group,
    fits_loosely,
    printed,
    width,
)


def statement(shape: s.Shape, indent: int, lead: str = "", tail: str = "") -> list[str]:
    """`lead`, an expression and `tail`: an assignment, a `return`, the head of an `if` or a `for`."""
    one = f"{' ' * indent}{lead}{shape.flat}{tail}"
    if width(one) <= WIDTH:
        return [one]
    return printed((lead, _value(shape, tail, indent, indent + width(lead))), indent)


def call(head: str, args: Sequence[str], indent: int, tail: str = "") -> list[str]:
    """`head(args)` of what is text already, a line for each argument where they do not fit on one."""
    brackets = Brackets(f"({', '.join(args)})", "(", _listed([s.Word(a) for a in args]), ")") if args else "()"
    return printed((head, brackets, tail), indent)


def signature(name: str, parameters: Sequence[str], returns: str = "") -> list[str]:
    """The first line of a function, or a line for each parameter; there even one alone has a comma."""
    tail = f" -> {returns}:" if returns else ":"
    one = f"def {name}({', '.join(parameters)}){tail}"
    return [one] if width(one) <= WIDTH else [f"def {name}(", *(f"{' ' * STEP}{p}," for p in parameters), f"){tail}"]


def docstring(*paragraphs: str, indent: int = 0) -> list[str]:
    """Prose between quotes: on one line if it can be, else the first paragraph, a blank line and the others."""
    pad, room = " " * indent, WIDTH - indent
    first, *others = (_plain(p) for p in paragraphs)
    if not others and width(first) + 6 <= room:
        return [f'{pad}"""{first}"""']
    folded = _folded(f'"""{first}', room if width(first) + 3 > room else room - 3)
    rest = ["", *(line for o in others for line in _folded(o, room))] if others else []
    return [f"{pad}{line}".rstrip() for line in (*folded, *rest, '"""')]


def _plain(text: str) -> str:
    """Text that can stand in a docstring: nothing in it escapes, and no quote of its own touches the quotes around it."""
    said = " ".join(text.replace("\\", "/").split())
    return said.replace('"', "'") if said.startswith('"') or said.endswith('"') or '"""' in said else said


def _folded(text: str, room: int) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        lines[-1:] = [longer] if not lines[-1] or width(longer) <= room else [lines[-1], word]
    return lines


# the expression of a statement


def _value(shape: s.Shape, tail: str, indent: int, column: int) -> Doc:
    """An expression too long for the line of its statement: broken inside brackets of its own, or put in parentheses."""
    if isinstance(shape, s.Chain):
        braced = _braced(shape, WIDTH - indent - STEP)
        held = (_softly(braced), tail)
        return Either((_loose(braced), tail), held) if _opens(braced) else held
    if _is_loose(shape):
        return (_softly(shape), tail)
    own = (_doc(shape), tail)
    if fits_loosely(own, column, indent) or column >= WIDTH or width(shape.flat) <= 5:
        return own
    return (_softly(shape), tail) if fits_loosely(own[0], indent + STEP, indent + STEP) else own


def _braced(shape: s.Chain, room: int) -> s.Chain:
    """With parentheses around operands that do not fit on a line, which decide how a chain of two is broken."""
    if len(shape.rest) > 1:
        return shape
    ((sign, last),) = shape.rest
    return s.chain(shape.binds, _parenthesised(shape.first, room), (sign, _parenthesised(last, room - len(sign) - 1)))


def _parenthesised(shape: s.Shape, room: int) -> s.Shape:
    match shape:
        case s.Call(head=s.Field(base=base, name=name), args=args):
            return s.call(s.field(_parenthesised(base, room - len(name) - 2), name), *args)
    return s.Parens(f"({shape.flat})", shape) if _is_loose(shape) and width(shape.flat) > room else shape


def _opens(shape: s.Chain) -> bool:
    """Whether it may be broken inside the brackets that it starts or ends with, rather than at its operator."""
    return len(shape.rest) == 1 and (_starts_bracketed(shape) or _ends_bracketed(shape))


def _starts_bracketed(shape: s.Shape) -> bool:
    match shape:
        case s.Chain(first=first) | s.Call(head=first) | s.Field(base=first):
            return _starts_bracketed(first)
    return isinstance(shape, (s.Parens, s.Row))


def _ends_bracketed(shape: s.Shape) -> bool:
    match shape:
        case s.Chain(rest=(*_, (_, last))) | s.Unary(item=last):
            return _ends_bracketed(last)
        case s.Call(args=args):
            return bool(args)
    return isinstance(shape, (s.Parens, s.Row))


def _loose(shape: s.Shape) -> Doc:
    """Outside of brackets, where no line may end."""
    match shape:
        case s.Chain():
            return (_loose(shape.first), *((f" {sign} ", _loose(item)) for sign, item in shape.rest))
        case s.Unary():
            return (shape.sign, _loose(shape.item))
        case s.Call():
            return (_loose(shape.head), _arguments(shape))
        case s.Field():
            return (_loose(shape.base), f".{shape.name}")
        case s.Text():
            return shape.flat
    return _doc(shape)


# inside of brackets, where a line may end


def _doc(shape: s.Shape) -> Doc:
    build: Callable[[Any], Doc] = _DOCUMENTS[type(shape)]
    return build(shape)


def _among(shape: s.Shape) -> Doc:
    """A part among others: in parentheses where it takes several lines and no brackets of its own hold them together."""
    return _softly(shape) if _is_loose(shape) else _doc(shape)


def _is_loose(shape: s.Shape) -> bool:
    if isinstance(shape, s.Text):
        return " " in shape.flat and len(s.fragments(shape)) > 1
    return isinstance(shape, (s.Chain, s.Choice))


def _softly(shape: s.Shape) -> Doc:
    return Brackets(shape.flat, "(", _doc(shape), ")")


def _listed(items: Sequence[s.Shape]) -> Doc:
    """A part a line, with a comma after each; but one alone has none."""
    if len(items) == 1:
        return _item(items[0])
    return (*((_item(i), ",", END) for i in items[:-1]), _item(items[-1]), ",")


def _item(shape: s.Shape) -> Doc:
    """Commas tell strings apart, so those need no parentheses."""
    return _doc(shape) if isinstance(shape, s.Text) else _among(shape)


def _on_text(shape: s.Text) -> Doc:
    return Fold(shape.flat, partial(s.folded, shape)) if _is_loose(shape) else shape.flat


def _on_call(shape: s.Call) -> Doc:
    return (_doc(shape.head), _arguments(shape))


def _arguments(shape: s.Call) -> Doc:
    """Arguments share a line if they can; where there are named ones each has its own."""
    flat = shape.flat[len(shape.head.flat) :]
    match shape.args:
        case ():
            return flat
        case (s.Chain() | s.Choice() as only,):
            return Brackets(flat, "(", _doc(only), ")")
    args = _listed(shape.args)
    named = any(isinstance(a, s.Keyword) for a in shape.args)
    return Brackets(flat, "(", args if named else Group(flat[1:-1], args), ")")


def _on_chain(shape: s.Chain) -> Doc:
    return Group(shape.flat, (_among(shape.first), *((END, f"{sign} ", _among(item)) for sign, item in shape.rest)))


def _on_choice(shape: s.Choice) -> Doc:
    return Group(shape.flat, (_among(shape.then), END, "if ", _among(shape.test), END, "else ", _among(shape.other)))


def _on_loop(shape: s.Loop) -> Doc:
    where: Doc = (END, "if ", _doc(shape.where)) if shape.where is not None else ()
    return Group(shape.flat, (_among(shape.value), END, f"for {shape.var} in ", _doc(shape.source), where))


def _on_lambda(shape: s.Lambda) -> Doc:
    """A call holds itself together, unless its name alone is too long."""
    body = Either(_doc(shape.body), _softly(shape.body)) if isinstance(shape.body, s.Call) else _softly(shape.body)
    return (f"lambda {shape.var}: ", body)


def _on_row(shape: s.Row) -> Doc:
    return Brackets(shape.flat, "(", (_listed(shape.items), "," if len(shape.items) == 1 else ""), ")")


def _on_pairs(shape: s.Pairs) -> Doc:
    lines = tuple(x for key, item in shape.items for x in (END, f"{key}: ", _among(item), ","))
    return Brackets(shape.flat, "{", lines[1:], "}")


_DOCUMENTS: dict[type[s.Shape], Callable[[Any], Doc]] = {
    s.Word: lambda shape: shape.flat,
    s.Text: _on_text,
    s.Parens: lambda shape: Brackets(shape.flat, "(", _doc(shape.item), ")"),
    s.Field: lambda shape: (_among(shape.base), f".{shape.name}"),
    s.Keyword: lambda shape: (f"{shape.name}=", _among(shape.value)),
    s.Call: _on_call,
    s.Chain: _on_chain,
    s.Unary: lambda shape: (shape.sign, _among(shape.item)),
    s.Choice: _on_choice,
    s.Loop: _on_loop,
    s.Lambda: _on_lambda,
    s.Row: _on_row,
    s.Pairs: _on_pairs,
}
