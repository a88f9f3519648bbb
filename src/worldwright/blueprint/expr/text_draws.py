"""Draws of texts: of a kind that is known by name, or of a pattern."""

from __future__ import annotations

import ast

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.types import INT, SAMPLE_KINDS, TEXT
from worldwright.core.names import suggest
from worldwright.core.regex import UnreadableRegex, read_pattern

MAX_SAMPLE_CHARS = 10_000


def text_draw(name: str, e: ast.Call) -> n.Node:
    """A text of a kind, or of a pattern: both are said, so that they can be checked before anything is drawn."""
    given = [a.value if isinstance(a, ast.Constant) else None for a in e.args]
    if not given or not isinstance(given[0], str) or e.keywords:
        example = "text_of('currency')" if name == "text_of" else "text_like('INV-[0-9]{4}')"
        raise ExprError(f"`{name}` takes a text that is written out", example)
    longest = given[1] if name == "text_of" and len(given) == 2 and isinstance(given[1], int) else None
    if len(given) > 1 and (longest is None or not 1 <= longest <= MAX_SAMPLE_CHARS):
        raise ExprError(
            f"`{name}` takes one text" + (", and how long it may be" if name == "text_of" else ""),
            f"text_of('title', 40); 1 to {MAX_SAMPLE_CHARS:,} characters" if name == "text_of" else "",
        )
    if name == "text_of" and given[0] not in SAMPLE_KINDS:
        raise ExprError(f"no kind of text is called `{given[0]}`", suggest(given[0], SAMPLE_KINDS))
    if name == "text_like":
        try:
            read_pattern(given[0])
        except UnreadableRegex as error:
            raise ExprError(f"`{given[0][:60]}` is no pattern to draw from: {error}") from None
    more = (n.Const(INT, longest),) if longest is not None else ()
    return n.Draw(TEXT, name, (n.Const(TEXT, given[0]), *more))
