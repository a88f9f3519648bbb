"""Comments beside the code: which of them say something about a table or a column."""

from __future__ import annotations

import re

MAX_REMARK_CHARS = 600
"""Characters of a comment that still says something about one table; longer ones are about the file."""

_NOISE = re.compile(
    r"^\W*(?:name:|type:|table structure|dumping|data for|toc entry|dependencies:|hint\b|records of|structure for|definition of"
    r"|\+goose|\+migrate|migrate:|liquibase|changeset|createtable|addforeignkey|createindex|createenum|todo\b|fixme\b|>|statement-breakpoint"
    r"|(?:drop|create|creating|alter|add|adding|insert|select|update|delete|set|use|go|exec)\b)"
    r"|copyright|licen[sc]ed? |\ball rights reserved\b|[;,]\s*$|^[\W_]*$|^tables?\W",
    re.IGNORECASE | re.DOTALL,
)
"""What tools write above their output, code that was commented out."""


_HEADING = re.compile(r"^\W*[A-Za-z0-9_.]*\W*$")


def worth_saying(words: str) -> bool:
    """Whether a comment says something about the column that it stands at."""
    return 0 < len(words) <= MAX_REMARK_CHARS and not _NOISE.search(words)


def worth_heading(words: str) -> bool:
    """Whether a comment says something about the table that it stands above: not only its name."""
    return worth_saying(words) and not _HEADING.search(words)
