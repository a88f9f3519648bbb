"""A text as tokens, which sqlglot's tokenizer finds in the way of each dialect, and a way through them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from worldwright.anchor.readers.sql.records import Name
from worldwright.english.words import wordset

_KINDS = {
    TokenType.VAR: "word",
    TokenType.IDENTIFIER: "name",
    TokenType.NUMBER: "number",
    **{kind: "string" for kind in TokenType if kind.name.endswith("STRING")},
    TokenType.HEX_STRING: "bytes",
    TokenType.BIT_STRING: "bits",
}
"""What is missing is a mark."""
CLOSERS = ("'", '"', "`", "]", "$$")
"""What may close a quote that its writer left open."""


class Token(NamedTuple):
    """One word, quoted name, string, number or mark of a text."""

    kind: str
    text: str
    """Without quotes, and with what is escaped in them resolved."""
    raw: str
    """As it is written."""
    start: int
    remarks: list[str]
    """The comments right above it and beside it."""

    @property
    def end(self) -> int:
        return self.start + len(self.raw)

    @property
    def word(self) -> str:
        """In capitals; a mark as it is, and nothing for what is quoted."""
        return self.text.upper() if self.kind in ("word", "mark") else ""


@cache
def _tokenizer(dialect: str) -> Any:
    """A tokenizer that knows the quotes and comments of a dialect, and takes all words for names."""
    known = Dialect.get_or_raise(dialect)
    return type("Words", (known.tokenizer_class,), {"KEYWORDS": {}, "COMMANDS": set()})(dialect=known)


def tokenized(text: str, dialect: str, at: int = 0) -> list[Token] | None:
    """The tokens of a text that starts at some place of a larger one; None where a quote or a comment in it is never closed."""
    try:
        found = _tokenizer(dialect).tokenize(text)
    except TokenError:
        return None
    out: list[Token] = []
    for one in found:
        token = Token(
            _KINDS.get(one.token_type, "mark"), one.text, text[one.start : one.end + 1], at + one.start, one.comments
        )
        if token.text == "," and token.remarks and out:
            out[-1].remarks.extend(token.remarks)  # what stands beside a comma is about what it ends
        out.append(token)
    behind = text[out[-1].end - at :] if out else text
    return None if behind.rfind("/*") > behind.rfind("*/") else out


def tokenized_somehow(text: str, dialect: str, at: int) -> list[Token]:
    """The tokens of a text in which a quote may be left open: it lasts to the end."""
    return next(
        (found for end in ("", *CLOSERS, "*/") if (found := tokenized(text + end, dialect, at)) is not None), []
    )


def written(tokens: Sequence[Token]) -> str:
    """Tokens as one line: a blank wherever something stood between two of them."""
    out: list[str] = []
    end = -1
    for token in tokens:
        out += (" ", token.raw) if 0 <= end < token.start else (token.raw,)
        end = token.end
    return "".join(out)


def parted(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return what stands between the commas, outside of parentheses; empty parts are left out."""
    out: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        mark = token.raw
        depth += (mark in ("(", "[")) - (mark in (")", "]"))
        if mark == "," and depth <= 0:
            out.append([])
        else:
            out[-1].append(token)
    return [part for part in out if part]


_ORDER = wordset("ASC DESC NULLS FIRST LAST")
_NAMES = ("word", "name", "string")
_NOTHING = Token("", "", "", 0, [])


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
            words = phrase.split()
            if all(self.word(i) == word for i, word in enumerate(words)):
                self.at += len(words)
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
        """The identifier that stands here, without quotes, and past it; empty where none does."""
        found = self.token()
        self.at += found.kind in _NAMES
        return found.text if found.kind in _NAMES else ""

    def name(self, schema: str = "") -> Name:
        """`[Sales].[Order Details]`, `db`.`t`; without a schema, that of the statements around it. Empty where none stands here."""
        parts = [self.identifier()]
        while self.take("."):
            parts += [found] if (found := self.identifier()) else []
        return Name(parts[-2] if len(parts) > 1 else schema, parts[-1])

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


MAX_REMARK_CHARS = 600
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
    return 0 < len(words) <= MAX_REMARK_CHARS and not _NOISE.search(words)


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
