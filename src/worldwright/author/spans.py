"""Where claims stand in the evidence: each line of a sheet with the spans of the claims in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldwright.anchor.binding.records import ClaimRow
from worldwright.anchor.lock.files import EVIDENCE, sheet_name
from worldwright.author.added import lies_in
from worldwright.core.errors import UsageError

_LINE = re.compile(r" *(?P<at>\S*) \|(?: (?P<says>.*))?\Z")
_SKIPPED = re.compile(r"[*_`\"'“”‘’\s]")
"""Marks that a claim may have or not where the evidence has them."""


@dataclass(frozen=True, slots=True)
class Span:
    """Some letters of a line that belong to a claim."""

    start: int
    end: int
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    place: str
    text: str
    spans: tuple[Span, ...]


def mark_sheet(folder: Path, sheet: str, claims: Sequence[ClaimRow]) -> list[EvidenceLine]:
    """The lines of a sheet (`policy.pdf.txt`), with the spans of the claims that stand there."""
    lines = _read_lines(folder, sheet)
    marked: list[dict[int, list[str]]] = [{} for _ in lines]
    for claim in claims:
        file, _, where = claim.at.partition("#")
        if sheet_name(file) != sheet:
            continue
        there = [n for n, (place, _) in enumerate(lines) if lies_in(place, where)]
        for number, at in _find_letters(claim.says, [(n, lines[n][1]) for n in there]):
            marked[number].setdefault(at, []).append(claim.id)
    return [EvidenceLine(place, text, _join_letters(found)) for (place, text), found in zip(lines, marked, strict=True)]


def _read_lines(folder: Path, sheet: str) -> list[tuple[str, str]]:
    path = folder / EVIDENCE / sheet
    try:
        found = [_LINE.match(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as e:
        raise UsageError(f"{path} cannot be read: {e}") from None
    return [(m["at"], m["says"] or "") for m in found if m is not None]


def _find_letters(says: str, lines: Sequence[tuple[int, str]]) -> list[tuple[int, int]]:
    """Every letter (line, column) of a claim's words in the lines of its place; all of these lines, where its words do not stand
    there as they are."""
    letters = [(n, at, letter) for n, text in lines for at, letter in enumerate(text) if not _SKIPPED.match(letter)]
    there = "".join(letter.casefold()[:1] for _, _, letter in letters)
    wanted = "".join(letter.casefold()[:1] for letter in says if not _SKIPPED.match(letter))
    start = there.find(wanted) if wanted else -1
    if start < 0:
        return [(n, at) for n, text in lines for at in range(len(text))]
    first, last = letters[start], letters[start + len(wanted) - 1]
    return [(n, at) for n, text in lines for at in range(len(text)) if first[:2] <= (n, at) <= last[:2]]


def _join_letters(found: dict[int, list[str]]) -> tuple[Span, ...]:
    """Join letters that stand side by side and belong to the same claims."""
    out: list[Span] = []
    for at, claims in sorted(found.items()):
        named = tuple(dict.fromkeys(claims))
        if out and out[-1].end == at and out[-1].claims == named:
            out[-1] = Span(out[-1].start, at + 1, named)
        else:
            out.append(Span(at, at + 1, named))
    return tuple(out)
