"""Names as they are written: quoted in four ways, with a schema before them, with placeholders of a template in them."""

from __future__ import annotations

import re
from functools import lru_cache

from worldwright.anchor.readers.sql.lexical import Marked
from worldwright.anchor.readers.sql.records import Name

_LONG = "{1,300}+"
"""Characters of a quoted name."""
IDENTIFIER = "|".join(
    (
        rf"(?:\[(?:[^\]\n]|\]\]){_LONG}\]",
        rf"\"(?:[^\"\n]|\"\"){_LONG}\"",
        rf"`(?:[^`\n]|``){_LONG}`",
        rf"'[^'\n]{_LONG}'",
        r"[^\s()\[\].,;'\"`=]++)",
    )
)
NAME = rf"(?:{IDENTIFIER}\s*+\.++\s*+){{0,3}}{IDENTIFIER}"
_FIRST = re.compile(rf"\s*+({IDENTIFIER})")
_PART = re.compile(IDENTIFIER)
_QUOTES = {"[": ("]]", "]"), '"': ('""', '"'), "`": ("``", "`"), "'": ("''", "'")}

_FILLED_IN = r"\$\(\w+\)|\$\{[\w.:-]+\}|\{\{[^{}\n]{1,80}\}\}|\{\$?\w+\}(?=[\w.])|%\(\w+\)s|%%\w+%%|<%=?[^%\n]{1,80}%>"
_PLACEHOLDER = re.compile(rf"(?:{_FILLED_IN}|@\w+|&&?\w+\.?|(?<!:):\w+)\.|{_FILLED_IN}")
"""What a template puts before a name: a schema, or a prefix."""
_ORDER = re.compile(
    r"\s*(?:\(\s*\d+\s*\))?\s*(?:ASC|DESC)?(?:\s+NULLS\s+(?:FIRST|LAST))?(?:\s+\w+_ops)?\s*$", re.IGNORECASE
)


def unquoted(text: str) -> str:
    """An identifier without its quotes."""
    doubled = _QUOTES.get(text[:1])
    return text[1:-1].replace(*doubled) if doubled and len(text) > 1 else text


@lru_cache(maxsize=4096)
def name_of(text: str, schema: str = "") -> Name:
    """`[Sales].[Order Details]`, `db`.`t`, `"hr"."Employee"`; without a schema, that of the statements around it."""
    parts = [unquoted(part) for part in _PART.findall(text)]
    return Name(parts[-2] if len(parts) > 1 else schema, parts[-1] if parts else text.strip())


def first_identifier(text: str) -> tuple[str, int]:
    """The identifier that a text starts with, without quotes, and where it ends; empty where there is none."""
    found = _FIRST.match(text)
    return (unquoted(found.group(1)), found.end()) if found else ("", 0)


def closing(mask: str, start: int) -> int:
    """The parenthesis that closes the one at `start`; the end of the text where none does."""
    depth = 0
    for found in _PARENTHESIS.finditer(mask, start):
        depth += 1 if found.group() == "(" else -1
        if depth == 0:
            return found.start()
    return len(mask)


_PARENTHESIS = re.compile(r"[()]")
_PARTING = re.compile(r"[(),]")


def parted(mask: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """What stands between the commas of a part of a text, each without the blanks around it; empty ones are left out."""
    edges = [start - 1]
    depth = 0
    for found in _PARTING.finditer(mask, start, end):
        depth += (found.group() == "(") - (found.group() == ")")
        if found.group() == "," and depth <= 0:
            edges.append(found.start())
    spans = (_trimmed(mask, a + 1, b) for a, b in zip(edges, (*edges[1:], end), strict=True))
    return tuple(span for span in spans if span[0] < span[1])


def _trimmed(mask: str, start: int, end: int) -> tuple[int, int]:
    part = mask[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def columns_in(marked: Marked, start: int, end: int) -> tuple[str, ...] | None:
    """The names in a list of columns; None where one of them is an expression."""
    names: list[str] = []
    for a, b in parted(marked.mask, start, end):
        name, after = first_identifier(marked.plain[a:b])
        if not name or not _ORDER.match(marked.mask[a + after : b]):
            return None
        names.append(name)
    return tuple(names)


def without_placeholders(marked: Marked) -> Marked:
    """A text in which the schemas and prefixes that a template would fill in are blank."""
    spans = [found.span() for found in _PLACEHOLDER.finditer(marked.mask)]
    if not spans:
        return marked
    return Marked(marked.text, _blanked(marked.plain, spans), _blanked(marked.mask, spans), marked.comments)


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    pos = 0
    for start, end in spans:
        pieces += (text[pos:start], " " * (end - start))
        pos = end
    return "".join((*pieces, text[pos:]))
