"""A text as tokens: where strings, quoted names and comments start and end in each dialect, and a way through them.

Every pattern is possessive and ends at the end of the text where nothing closes it, so that each takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from worldwright.anchor.readers.sql.parse import Dialect
from worldwright.anchor.readers.sql.records import Name

FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL
STARTS = (
    r"(?:CREATE\s++(?:\w++\s++){0,4}?(?:TABLE|VIEW|INDEX|TYPE|DOMAIN|TRIGGER|FUNCTION|PROC|PROCEDURE|SCHEMA|SEQUENCE"
    r"|DATABASE)\b(?!\s*+,)"
    r"|ALTER\s++TABLE\b|INSERT\s++(?:IGNORE\s++)?INTO\b|DROP\s++(?:TABLE|VIEW)\b|COMMENT\s++ON\s++(?:TABLE|COLUMN)\b)"
)
"""What starts a statement wherever it stands first on a line."""
_AGAIN = rf"[ \t]*+(?:--[^\n]*+)?\n\s*+(?:{STARTS}|GO\b)"
"""After `;`, where a string that was never closed is given up."""
_LETTERS = "|".join(
    rf"{opens}(?:[^{closes}]++|{closes}(?!'))*+(?:{closes}'|\Z)"
    for opens, closes in ((r"\[", r"\]"), (r"\{", r"\}"), ("<", ">"), (r"\(", r"\)"), *((c, c) for c in r"!|#~^"))
)
"""Oracle's own quotes: `q'[it's]'`."""
_FILLED_IN = r"\$\(\w+\)|\$\{[\w.:-]+\}|\{\{[^{}\n]{1,80}\}\}|\{\$?\w+\}(?=[\w.])|%\(\w+\)s|%%\w+%%|<%=?[^%\n]{1,80}%>"
_PLACEHOLDER = rf"(?:{_FILLED_IN}|@\w+|&&?\w+\.?|(?<!:):\w+)\.|{_FILLED_IN}"
"""What a template puts before a name: a schema, or a prefix. It counts as a blank."""


def _string(mark: str, escapes: bool) -> str:
    """Ends at its mark, or where another statement starts: a string that is never closed must not cost what follows."""
    backslash = r"\\" if escapes else ""
    more = r"|\\." if escapes else ""
    return rf"{mark}(?:[^{mark};{backslash}]++|{mark}{mark}{more}|;(?!{_AGAIN}))*+(?:{mark}|(?=;{_AGAIN})|\Z)"


@cache
def token_pattern(dialect: Dialect) -> re.Pattern[str]:
    """One token of any kind."""
    strings, names = (
        [_string("'", dialect.backslash)],
        [_string('"', dialect.backslash), r"`(?:[^`\n]++|``)*+(?:`|(?=\n)|\Z)"],
    )
    comments = ["--[^\n]*+", r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)", *(("#[^\n]*+",) if dialect.hashes else ())]
    if dialect.brackets:
        names.append(r"\[(?:[^\]\n]++|\]\])*+(?:\]|(?=\n)|\Z)")
    if dialect.dollars:
        strings.append("E" + _string("'", True))
        strings.append(r"\$(?P<tag>[A-Za-z_]*+)\$(?:[^$]++|\$(?!(?P=tag)\$))*+(?:\$(?P=tag)\$|\Z)")
    if dialect.letters:
        strings.append(rf"N?Q'(?:{_LETTERS})")
    kinds = {
        "blank": r"\s++",
        "number": r"(?:\d++(?:\.\d*+)?|\.\d++)(?:E[+-]?\d++)?(?!\w)",
        "comment": "|".join(comments),
        "string": "|".join(strings),
        "name": "|".join(names),
        "template": _PLACEHOLDER,
        "word": r"[\w$@]++" if dialect.hashes else r"[\w$#@]++",
        "mark": ".",
    }
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in kinds.items()), FLAGS)


_QUOTES = {"[": ("]]", "]"), '"': ('""', '"'), "`": ("``", "`"), "'": ("''", "'")}


class Token(NamedTuple):
    """One word, quoted name, string, number or mark of a text."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def word(self) -> str:
        """In capitals; a mark as it is, and nothing for what is quoted."""
        return self.text.upper() if self.kind in ("word", "mark") else ""

    @property
    def name(self) -> str:
        """An identifier without its quotes."""
        doubled = _QUOTES.get(self.text[0])
        return self.text[1:-1].replace(*doubled) if doubled and len(self.text) > 1 else self.text


def written(tokens: Sequence[Token]) -> str:
    """Tokens as one line: a blank wherever something stood between two of them."""
    out: list[str] = []
    end = -1
    for token in tokens:
        out += (" ", token.text) if 0 <= end < token.start else (token.text,)
        end = token.end
    return "".join(out)


def parted(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return what stands between the commas, outside of parentheses; empty parts are left out."""
    out: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text == "," and depth <= 0:
            out.append([])
        else:
            out[-1].append(token)
    return [part for part in out if part]


def unwrapped(tokens: Sequence[Token]) -> Sequence[Token]:
    """Tokens without the parentheses around all of them."""
    while tokens and tokens[0].text == "(":
        cursor = Cursor(tokens, 1)
        inner = cursor.inside()
        if cursor.rest:
            break
        tokens = inner
    return tokens


_ORDER = frozenset({"ASC", "DESC", "NULLS", "FIRST", "LAST"})
_NAMES = ("word", "name", "string")
_NOTHING = Token("", "", 0)


class Cursor:
    """A way through tokens, from left to right."""

    def __init__(self, tokens: Sequence[Token], at: int = 0) -> None:
        self.tokens, self.at = tokens, at

    @property
    def rest(self) -> Sequence[Token]:
        return self.tokens[self.at :]

    def token(self, ahead: int = 0) -> Token:
        """The token so many places ahead; a nameless one behind the end."""
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else _NOTHING

    def word(self, ahead: int = 0) -> str:
        return self.token(ahead).word

    def take(self, *phrases: str) -> str:
        """The first of some phrases that stands here, and past it; empty where none does."""
        for phrase in phrases:
            if self.ahead(phrase):
                self.at += phrase.count(" ") + 1
                return phrase
        return ""

    def to(self, *words: str) -> str:
        """Past the next of some words outside of parentheses, and that word; empty and unmoved where there is none."""
        depth = 0
        for at in range(self.at, len(self.tokens)):
            word = self.tokens[at].word
            if depth == 0 and word in words:
                self.at = at + 1
                return word
            depth += (word == "(") - (word == ")")
        return ""

    def identifier(self) -> str:
        """The identifier that stands here, without quotes, and past it."""
        if self.token().kind not in _NAMES:
            return ""
        self.at += 1
        return self.tokens[self.at - 1].name

    def name(self, schema: str = "") -> Name:
        """`[Sales].[Order Details]`, `db`.`t`; without a schema, that of the statements around it. Empty where none stands here."""
        parts: list[str] = []
        while self.word() == "." or (
            self.token().kind in _NAMES and (not parts or self.tokens[self.at - 1].text == ".")
        ):
            parts += [name] if (name := self.identifier()) else []
            self.at += not name
        return Name(parts[-2] if len(parts) > 1 else schema, parts[-1] if parts else "")

    def ahead(self, phrase: str) -> bool:
        """Tell whether a phrase stands here."""
        return all(self.word(i) == word for i, word in enumerate(phrase.split()))

    def inside(self) -> Sequence[Token]:
        """Return what stands in the parentheses that were just opened, and past them; all of it where nothing closes them."""
        start = self.at
        closed = self.to(")")
        self.at = self.at if closed else len(self.tokens)
        return self.tokens[start : self.at - bool(closed)]


def columns_in(tokens: Sequence[Token]) -> tuple[str, ...] | None:
    """The names in a list of columns; None where one of them is an expression, or there is none."""
    names: list[str] = []
    for part in parted(tokens):
        cursor = Cursor(part)
        name = cursor.name().own
        if cursor.token(1).kind == "number" and cursor.take("("):
            cursor.inside()
        if not name or any(t.word not in _ORDER and not t.word.endswith("_OPS") for t in cursor.rest):
            return None
        names.append(name)
    return tuple(names) or None


# Comments beside the code: which of them say something about a table or a column.


class Comment(NamedTuple):
    start: int
    end: int
    text: str
    """Without its marks."""


MAX_REMARK_CHARS = 600
"""Characters of a comment that still says something about one table; longer ones are about the file."""
_NOISE = re.compile(
    r"^\W*(?:name:|type:|table structure|dumping|data for|toc entry|dependencies:|hint\b|records of|structure for|definition of"
    r"|\+goose|\+migrate|migrate:|liquibase|changeset|createtable|addforeignkey|createindex|createenum|todo\b|fixme\b|>"
    r"|statement-breakpoint"
    r"|(?:drop|create|creating|alter|add|adding|insert|select|update|delete|set|use|go|exec)\b)"
    r"|copyright|licen[sc]ed? |\ball rights reserved\b|[;,]\s*$|^[\W_]*$|^tables?\W",
    re.IGNORECASE | re.DOTALL,
)
"""What tools write above their output, code that was commented out."""
_HEADING = re.compile(r"^\W*[A-Za-z0-9_.]*\W*$")


def bare(comment: str) -> str:
    """The words of a comment."""
    inside = comment.removeprefix("/*").removesuffix("*/") if comment.startswith("/*") else comment.lstrip("-#")
    return "\n".join(line.strip(" \t*=-") for line in inside.split("\n")).strip()


def worth_saying(words: str) -> bool:
    """Tell whether a comment says something about the column that it stands at."""
    return 0 < len(words) <= MAX_REMARK_CHARS and not _NOISE.search(words)


def right_above(text: str, comments: Sequence[Comment], start: int, after: int) -> str:
    """Return what comments say that stand right above a place, below the statement that ended at `after`.

    What stands first in a file is about the file, and a name alone says nothing."""
    lines: list[str] = []
    for comment in reversed(comments):
        if text.count("\n", comment.end, start) > 1 or (after and "\n" not in text[after : comment.start]):
            break
        lines[:0] = comment.text.split("\n")
        start = comment.start
    said = "\n".join(line for line in lines if worth_saying(line))
    return said if start and worth_saying(said) and not _HEADING.search(said) else ""
