"""Comments beside the code: which of them say something about a table or a column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.readers.sql.tokens import Token

MAX_CHARS = 600
"""Characters of a comment that still says something about one table; longer ones are about the file."""
_NOISE = re.compile(
    r"^\W*(?:name:|type:|table structure|dumping|data for|toc entry|dependencies:|hint\b|records of|structure for|definition of"
    r"|\+goose|\+migrate|migrate:|liquibase|changeset|createtable|addforeignkey|createindex|createenum|todo\b|fixme\b|>"
    r"|(?:drop|create|creating|alter|add|adding|insert|select|update|delete|set|use|go|exec)\b)"
    r"|copyright|licen[sc]ed? |\ball rights reserved\b|[;,]\s*$|^[\W_]*$|^tables?\W",
    re.IGNORECASE | re.DOTALL,
)
"""What tools write above their output, code that was commented out."""
_HEADING = re.compile(r"^\W*[A-Za-z0-9_.]*\W*$")


def bare(comment: str) -> str:
    """The words of a comment."""
    return "\n".join(line.strip(" \t*=-#") for line in comment.split("\n")).strip()


def worth_saying(words: str) -> bool:
    """Tell whether a comment says something about the column that it stands at."""
    return 0 < len(words) <= MAX_CHARS and not _NOISE.search(words)


def right_above(text: str, token: Token) -> str:
    """Return what comments say that stand right above a token.

    What stands first in a file is about the file, and a name alone says nothing."""
    lines: list[str] = []
    start = token.start
    for comment in reversed(token.remarks):
        at = text.rfind(comment, 0, start)
        if text.count("\n", at + len(comment), start) > 1:
            break
        lines[:0] = bare(comment).split("\n")
        start = at
    said = "\n".join(line for line in lines if worth_saying(line))
    return said if start > len("--") and worth_saying(said) and not _HEADING.search(said) else ""


def remark_on(item: Sequence[Token]) -> str:
    """Return what a comment beside or right above a definition says of it."""
    beside = [comment for token in item[1:] for comment in token.remarks]
    said = [bare(comment) for comment in (*item[0].remarks[-1:], *beside)]
    return next((" ".join(words.split()) for words in said if worth_saying(words)), "")
