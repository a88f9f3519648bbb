"""Expressions as Python's own parser reads them, within bounds."""

from __future__ import annotations

import ast
import warnings

from worldwright.blueprint.expr.failure import ExprError

MAX_TEXT = 4000


def syntax(text: str) -> ast.expr:
    """Python's parse of the text, within bounds."""
    if len(text) > MAX_TEXT:
        raise ExprError(f"expression of {len(text)} characters", f"at most {MAX_TEXT}; name parts of it as terms")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as e:
        raise ExprError(f"not an expression: {e.msg}: {text.strip()!r}", _syntax_hint(text)) from None
    except (ValueError, MemoryError, RecursionError) as e:
        raise ExprError(f"not an expression ({type(e).__name__}): {text[:60]!r}") from None


def _syntax_hint(text: str) -> str:
    if " where " in text:
        return "conditions in aggregates follow `if`: exists(a for a in approval if ...)"
    if " first(" in f" {text}" or " last(" in f" {text}":
        return "first((row for row in rows if ...), by=key): the rows in parentheses of their own"
    return ""


def quote(e: ast.AST) -> str:
    """Write a piece of an expression for a message, in 80 characters at most."""
    try:
        text = ast.unparse(e)
    except (RecursionError, ValueError):
        return "..."
    return text if len(text) <= 80 else text[:77] + "..."
