"""Claims in code and pseudo-code that a document quotes: conditions with what follows from them, assertions and formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.evidence import Claim, Source

MOST_LINES = 3_000
LONGEST_BLOCK = 25
"""Lines of one condition with what follows from it."""
_CONDITION = re.compile(
    r"(?:@?rule\b.*:\s*)?(?:if|when|unless|while|case|switch|for each|foreach|given)\b", re.IGNORECASE
)
_GOES_ON = re.compile(r"(?:\}?\s*)?(?:else|elif|elsif|otherwise|then|and|or|end ?if|end)\b|[})\]]", re.IGNORECASE)
_ASSERTS = re.compile(
    r"(?:assert|require[sd]?|ensure[sd]?|must|check|raise|throw|reject|deny|invariant)\b[\s(:]", re.IGNORECASE
)
_FORMULA = re.compile(
    r"[A-Za-z_][\w .]{0,60}\s:?=\s(?!=)[^={}\"'\[]{2,}[-+*/×÷%][^={}]{1,}|[A-Za-z_][\w .]{0,60}\s:?=\s.*\b(?:min|max|sum|"
    r"round|count|avg)\(",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\s*(?://|#|--)\s?")


def code_claims(text: str, file: str, line: int, at: str, heading: str, path: tuple[str, ...] = ()) -> Iterator[Claim]:
    """Yield the claims in a piece of code that starts at a line of a file, or stands at a place without lines."""
    lines = text.split("\n")[:MOST_LINES]
    number = 0
    while number < len(lines):
        said = lines[number].strip()
        last = number
        kind = ""
        if _CONDITION.match(said):
            kind, last = "when", _last(lines, number)
        elif _ASSERTS.match(said):
            kind = "must"
        elif _FORMULA.match(_COMMENT.sub("", said)):
            kind = "computes"
        if kind:
            says = " ".join(" ".join(lines[number : last + 1]).split())
            source = Source(file, f"{line + number}-{line + last}" if line else at)
            yield Claim(says, kind, source, heading, *about_of(says, path))
        number = last + 1


def _last(lines: list[str], first: int) -> int:
    """The last line that belongs to a condition: what is indented more, and what goes on at its own depth."""
    depth = _indent(lines[first])
    last = first
    for number in range(first + 1, min(len(lines), first + LONGEST_BLOCK)):
        text = lines[number]
        if not text.strip():
            if number + 1 < len(lines) and _indent(lines[number + 1]) > depth:
                continue
            break
        if _indent(text) <= depth and not (_indent(text) == depth and _GOES_ON.match(text.strip())):
            break
        last = number
    return last


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
