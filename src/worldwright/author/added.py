"""Claims that an author adds to those that the reader found: their words must stand where they say, and not be a claim already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from worldwright.anchor.binding.records import ELSEWHERE, ClaimRow
from worldwright.anchor.lock.files import EVIDENCE, sheet_name
from worldwright.author.records import Finding
from worldwright.core.errors import UsageError

FOUND = re.compile(r"c\d{3,}\Z")
"""The ids of claims that the reader found."""
_LINE = re.compile(r" *(?P<at>\S*) \| (?P<says>.*)")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?\Z")
_MARKS = re.compile(r"[*_`\"'“”‘’\s]+")


def is_added(row: ClaimRow) -> bool:
    """Tell whether an author added a claim."""
    return not FOUND.match(row.id)


def next_id(rows: Sequence[ClaimRow]) -> str:
    """The id of the next claim that is added."""
    return f"a{1 + sum(map(is_added, rows)):03d}"


def judge_added(folder: Path, rows: Sequence[ClaimRow]) -> Iterator[Finding]:
    """Find the added claims whose words do not stand at their place, and those that the reader has as well."""
    found = [row for row in rows if not is_added(row)]
    for row in filter(is_added, rows):
        problem = find_problem(folder, row, found)
        if problem:
            yield Finding("claim_place", f"claims.yaml#{row.id}", problem)


def find_problem(folder: Path, row: ClaimRow, found: Sequence[ClaimRow]) -> str:
    """Say what is wrong with a claim that was added; empty where nothing is."""
    there = words_at(folder, row.at)
    if not there:
        return f"`{row.at[:120]}` is no place of the evidence; `at` is FILE#PLACE as the other claims have it"
    said = _plain(row.says)
    if len(said) < 4 or said not in there:
        return f'"{row.says[:160]}" does not stand at {row.at[:120]}: `says` are the words of the evidence'
    again = find_again(row, found)
    return f"that is {again.id} already" if again else ""


def find_again(row: ClaimRow, found: Sequence[ClaimRow]) -> ClaimRow | None:
    """The claim of the reader that says what an added one does."""
    said = _plain(row.says)
    return next((f for f in found if said in _plain(f.says) and _is_place_of(row.at, f)), None)


def _is_place_of(at: str, found: ClaimRow) -> bool:
    """Tell whether a place is that of a claim which counts in this world."""
    (file, _, here), (other, _, there) = at.partition("#"), found.at.partition("#")
    same = sheet_name(file) == sheet_name(other) and (lies_in(here, there) or lies_in(there, here))
    return same and found.is_ != ELSEWHERE


def words_at(folder: Path, at: str) -> str:
    """All that the evidence says at a place, in small letters and without marks."""
    file, _, where = at.partition("#")
    return _plain(" ".join(says for place, says in _read_lines(folder, file) if lies_in(place, where)))


def find_words(folder: Path, at: str, says: str) -> tuple[int, int]:
    """Where words stand in all that is said at a place."""
    start = words_at(folder, at).find(_plain(says))
    return start, start + len(_plain(says))


def _read_lines(folder: Path, file: str) -> list[tuple[str, str]]:
    path = folder / EVIDENCE / sheet_name(file)
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
    except (OSError, UnicodeDecodeError) as e:
        raise UsageError(f"{path} cannot be read: {e}") from None
    return [(m["at"], m["says"]) for m in map(_LINE.match, text.splitlines()) if m]


def lies_in(place: str, at: str) -> bool:
    """Tell whether a line of a sheet lies in the place that a claim names."""
    here, there = _RANGE.match(place), _RANGE.match(at)
    if here and there:
        return int(there[1]) <= int(here[1]) <= int(there[2] or there[1])
    return bool(place) and (place == at or place.startswith((f"{at}/", f"{at}.")) or at.startswith(f"{place}/"))


def _plain(text: str) -> str:
    return _MARKS.sub(" ", text).strip().casefold()
