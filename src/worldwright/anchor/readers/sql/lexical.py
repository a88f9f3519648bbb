"""Strings, quoted names and comments: where they start and end in each dialect.

Every pattern is possessive and ends at the end of the text where nothing closes it, so that each takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from worldwright.anchor.readers.sql.parse import Dialect
from worldwright.anchor.readers.sql.records import Name

FILL = "\x00"
"""Stands for the inside of what is quoted."""
MAX_UNCLOSED = 50
"""Dollar quotes that are never closed, before they are no longer looked for."""
UNQUOTED_LETTER = r"(?<![\w$])"
STARTS = (
    r"CREATE\s++(?:\w++\s++){0,4}?(?:TABLE|VIEW|INDEX|TYPE|DOMAIN|TRIGGER|FUNCTION|PROC|PROCEDURE|SCHEMA|SEQUENCE|DATABASE)\b"
    r"|ALTER\s++TABLE\b|INSERT\s++(?:IGNORE\s++)?INTO\b|DROP\s++(?:TABLE|VIEW)\b|COMMENT\s++ON\s++(?:TABLE|COLUMN)\b"
)
"""What starts a statement wherever it stands first on a line."""
BATCH_STARTS = (
    r"|INSERT\s++[\[\"]|INSERT\s++[\w.]++\s*+(?:\(|VALUES\b)|EXEC(?:UTE)?\s++[\[\w@]|SET\s++(?:ANSI_|QUOTED_|NOCOUNT|IDENTITY_INSERT|XACT_)"
    r"|PRINT\s++[N']|IF\s++(?:NOT\s++)?(?:EXISTS|OBJECT_ID|@|COL_LENGTH)|BEGIN[ \t]*+$|BEGIN\s++(?:TRY|TRAN|CATCH)|END[ \t;]*+$"
    r"|DECLARE\s++@|USE\s++\[|BULK\s++INSERT|UPDATE\s++\S++\s++SET\b|DELETE\s++FROM\b|TRUNCATE\s++TABLE|GRANT\s++\w"
)
"""The same where statements need no `;`."""
ENDS = r"GO(?:[ \t]++\d++)?[ \t]*+;?[ \t]*+(?:--[^\n]*+)?$|/[ \t]*+$"
"""Lines that end a statement."""
_AGAIN = rf";[ \t]*+(?:--[^\n]*+)?\n\s*+(?:{STARTS}|GO\b)"
"""Where a string that was never closed is given up."""
_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL


def _string(mark: str, escapes: bool, careful: bool) -> str:
    inside = [rf"[^{mark}{';' if careful else ''}{chr(92) * 2 if escapes else ''}]++", mark * 2]
    inside += [r"\\."] if escapes else []
    inside += [rf";(?!{_AGAIN[1:]})"] if careful else []
    end = rf"(?:{mark}|(?={_AGAIN})|\Z)" if careful else rf"(?:{mark}|\Z)"
    return rf"{mark}(?:{'|'.join(inside)})*+{end}"


def _bracketed(opens: str, closes: str) -> str:
    return rf"{opens}(?:[^{closes}]++|{closes}(?!'))*+(?:{closes}'|\Z)"


_LETTERS = "|".join(
    _bracketed(opens, closes)
    for opens, closes in (
        (r"\[", r"\]"),
        (r"\{", r"\}"),
        ("<", ">"),
        (r"\(", r"\)"),
        *((mark, mark) for mark in (r"\!", r"\|", r"\#", r"\~", r"\^", r"\"")),
    )
)


def _quoted(dialect: Dialect, careful: bool) -> str:
    """Everything that is quoted, as alternatives."""
    parts = [_string("'", dialect.backslash, careful), _string('"', dialect.backslash, careful)]
    parts.append(r"`(?:[^`\n]++|``)*+(?:`|(?=\n)|\Z)")
    if dialect.brackets:
        parts.append(r"\[(?:[^\]\n]++|\]\])*+(?:\]|(?=\n)|\Z)")
    if dialect.dollars:
        parts.insert(0, rf"{UNQUOTED_LETTER}E{_string(chr(39), True, careful)}")
    if dialect.letters:
        parts.insert(0, rf"{UNQUOTED_LETTER}N?Q'(?:{_LETTERS})")
    return "|".join(parts)


@cache
def strings(dialect: Dialect) -> str:
    """Strings, as alternatives."""
    parts = [_string("'", dialect.backslash, False), _string('"', dialect.backslash, False)]
    if dialect.dollars:
        parts.insert(0, rf"{UNQUOTED_LETTER}[eE]{_string(chr(39), True, False)}")
        parts.append(r"\$\$(?:[^$]++|\$(?!\$))*+(?:\$\$|\Z)")
    if dialect.letters:
        parts.insert(0, rf"{UNQUOTED_LETTER}[nN]?[qQ]'(?:{_LETTERS})")
    return "|".join(parts)


def _comment(dialect: Dialect) -> str:
    line = r"--[^\n]*+|#[^\n]*+" if dialect.hashes else r"--[^\n]*+"
    return rf"{line}|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"


@cache
def _tokens(dialect: Dialect) -> re.Pattern[str]:
    dollar = r"|(?P<dollar>\$[A-Za-z_]*+\$)" if dialect.dollars else ""
    return re.compile(rf"(?P<comment>{_comment(dialect)})|(?P<quoted>{_quoted(dialect, False)}){dollar}", _FLAGS)


@cache
def skipper(dialect: Dialect, careful: bool, starts: bool) -> re.Pattern[str]:
    """A pattern that runs to the next place where a statement may end: `;`, a line that ends it or starts another.

    It stops too at `$` and at `/*` where these need more than a pattern. `careful` gives up strings that run over statements.
    """
    special = "$" if dialect.dollars else ""
    special += "#" if dialect.hashes else ""
    special += r"\[" if dialect.brackets else ""
    special += "eE" if dialect.dollars else ""
    special += "nNqQ" if dialect.letters else ""
    comment = r"--[^\n]*+" if dialect.nested else _comment(dialect)
    begins = STARTS + (BATCH_STARTS if dialect.batches else "")
    stops = rf"[ \t]*+(?:{ENDS}|{begins})" if starts else rf"[ \t]*+(?:{ENDS})"
    parts = [rf"[^;'\"`\-/\n{special}]++", _quoted(dialect, careful), comment, "-", r"/(?!\*)", rf"\n(?!{stops})"]
    letters = "".join(ch for ch in special if ch.isalpha())
    if letters:
        parts.append(rf"[{letters}]")
    return re.compile(rf"(?:{'|'.join(parts)})*+", _FLAGS)


@cache
def _strict(dialect: Dialect) -> re.Pattern[str]:
    """A text in which every `'` is closed."""
    escaped = r"|\\." if dialect.backslash else ""
    one = rf"'(?:[^'{chr(92) * 2 if dialect.backslash else ''}]++|''{escaped})*+'"
    special = "eE" if dialect.dollars else ""
    raw = rf"{UNQUOTED_LETTER}E'(?:[^'\\]++|\\.|'')*+'|[eE]|" if dialect.dollars else ""
    return re.compile(rf"(?:[^'\-/{special}]++|{raw}{one}|--[^\n]*+|-|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|/)*+", _FLAGS)


def closed(text: str, dialect: Dialect) -> bool:
    """Tell whether every string of a text is closed."""
    found = _strict(dialect).match(text)
    return found is not None and found.end() == len(text)


@dataclass(frozen=True, slots=True)
class Comment:
    start: int
    end: int
    text: str
    """Without its marks."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A text, and two others of the same length in which every place is the same."""

    text: str
    plain: str
    """Without comments."""
    mask: str
    """Without comments, and with the inside of everything quoted filled in: what is left is structure."""
    comments: tuple[Comment, ...] = ()


def mark(text: str, dialect: Dialect) -> Marked:
    """A text with its comments and its quoted parts told apart from its structure."""
    plain: list[str] = []
    mask: list[str] = []
    comments: list[Comment] = []
    pos = unclosed = 0
    while found := _tokens(dialect).search(text, pos):
        between = text[pos : found.start()]
        start, end, kind = found.start(), found.end(), found.lastgroup
        if kind == "dollar" and unclosed < MAX_UNCLOSED:
            close = text.find(found.group(), end)
            unclosed += close < 0
            end = close + len(found.group()) if close >= 0 else end
        elif kind == "comment" and dialect.nested and text.startswith("/*", start):
            end = end_of_comment(text, start)
        part = text[start:end]
        if kind == "comment":
            blank = "".join("\n" if ch == "\n" else " " for ch in part)
            comments.append(Comment(start, end, bare(part)))
            plain += (between, blank)
            mask += (between, blank)
        else:
            plain += (between, part)
            mask += (between, _filled(part))
        pos = end
    rest = text[pos:]
    return Marked(text, "".join((*plain, rest)), "".join((*mask, rest)), tuple(comments))


def _filled(part: str) -> str:
    """A quoted part without its inside: only its quotes stay, with the letters before them."""
    start = part.find("'") + 1 if part[0] in "eEnNqQ" else 1
    return part if len(part) - start < 2 else part[:start] + FILL * (len(part) - start - 1) + part[-1]


_OPEN_OR_CLOSE = re.compile(r"/\*|\*/")


def end_of_comment(text: str, start: int) -> int:
    """Return where a comment that may hold others ends; the first `*/` where they do not pair up."""
    depth = 0
    first = -1
    for found in _OPEN_OR_CLOSE.finditer(text, start):
        depth += 1 if found.group() == "/*" else -1
        if first < 0 and found.group() == "*/":
            first = found.end()
        if depth == 0:
            return found.end()
        if depth > 20:
            break
    return first if first >= 0 else len(text)


def bare(comment: str) -> str:
    """The words of a comment."""
    inside = comment.removeprefix("/*").removesuffix("*/") if comment.startswith("/*") else comment.lstrip("-#")
    return "\n".join(line.strip(" \t*=-") for line in inside.split("\n")).strip()


# Comments beside the code: which of them say something about a table or a column.


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
    """Tell whether a comment says something about the column that it stands at."""
    return 0 < len(words) <= MAX_REMARK_CHARS and not _NOISE.search(words)


def worth_heading(words: str) -> bool:
    """Tell whether a comment says something about the table that it stands above: not only its name."""
    return worth_saying(words) and not _HEADING.search(words)


# Names as they are written: quoted in four ways, with a schema before them, with placeholders of a template in them.


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
    """Return what stands between the commas of a part of a text, each without the blanks around it; empty ones are left out."""
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
