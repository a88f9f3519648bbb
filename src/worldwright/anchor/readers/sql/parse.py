"""sqlglot: column definitions and expressions in, syntax trees out, and None for what it does not understand."""

from __future__ import annotations

import logging
import re
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from worldwright.anchor.readers.sql.dialect import DIALECTS

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of every statement that it only partly knows

MAX_EXPRESSION_CHARS = 10_000
"""Characters of one definition or expression."""
TRIED_AGAIN = 1_000
"""Characters of those that are tried in other dialects too."""
MAX_DEPTH = 40
"""Levels of parentheses."""
_WRONG = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError)
"""What sqlglot raises for text that it cannot take."""
_LEVELS = re.compile(r"[(\[{]|[)\]}]")


def dialects(first: str, text: str) -> tuple[str, ...]:
    """The dialects to try, the likeliest first."""
    return (first, *(name for name in DIALECTS if name != first)) if len(text) <= TRIED_AGAIN else (first,)


def column_definition(rest: str, dialect: str) -> exp.ColumnDef | None:
    """What follows the name of a column: its type and its constraints."""
    if too_much(rest):
        return None
    tree = _parse(f"CREATE TABLE t (c {rest})", dialect)
    if not isinstance(tree, exp.Create) or not isinstance(tree.this, exp.Schema) or len(tree.this.expressions) != 1:
        return None
    found = tree.this.expressions[0]
    return found if isinstance(found, exp.ColumnDef) else None


@lru_cache(maxsize=4096)
def expression(text: str, dialect: str) -> exp.Expr | None:
    """One expression. Trees are shared: nobody changes them."""
    if too_much(text):
        return None
    tree = _parse(f"SELECT {text}", dialect)
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return None
    if any(value for key, value in tree.args.items() if key != "expressions"):
        return None
    found = tree.expressions[0]
    return found if isinstance(found, exp.Expr) and not isinstance(found, exp.Alias) else None


def too_much(text: str) -> bool:
    """Too long or nested too deep to be given to a parser that recurses."""
    if len(text) > MAX_EXPRESSION_CHARS:
        return True
    depth = 0
    for found in _LEVELS.finditer(text):
        depth += 1 if found.group() in "([{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _parse(sql: str, dialect: str) -> exp.Expr | None:
    try:
        trees = sqlglot.parse(sql, read=dialect)
    except _WRONG:
        return None
    return trees[0] if len(trees) == 1 else None
