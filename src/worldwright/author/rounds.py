"""The transcript of a bench: what was changed between two checks, and what each check found.

Every seat writes it, because every seat ends a round with a check. A change is kept as edits of lines, so the files of any round
can be had from the files that the bench began with.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from worldwright.author.check import Checkup
from worldwright.author.folder import AUTHORS_OWN, BEGAN, ROUNDS, hold_bench, read_text, write_began
from worldwright.core.errors import UsageError
from worldwright.core.whole_file import write_whole

Edit = tuple[int, int, list[str]]
"""Lines from and to, and what stands there now."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of work."""

    number: int
    by: str
    edits: Mapping[str, Sequence[Edit]]
    findings: Mapping[str, int]
    """By code."""
    claims: Mapping[str, int]
    grade: str
    exchange: Mapping[str, Any]
    """For a model: what it was asked and what it said."""


def find_edits(old: str, new: str) -> list[Edit]:
    """The edits that make one text of another."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    found = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [(a, b, after[c:d]) for tag, a, b, c, d in found if tag != "equal"]


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text after some edits, given in the order of its lines."""
    lines = text.splitlines(keepends=True)
    for start, end, new in reversed(edits):
        if not 0 <= start <= end <= len(lines):
            raise UsageError(f"{ROUNDS} does not fit the files that the bench began with")
        lines[start:end] = new
    return "".join(lines)


def read_rounds(folder: Path) -> list[Round]:
    """Every round so far."""
    out = []
    for line in read_text(folder, ROUNDS).splitlines():
        try:
            data = json.loads(line)
            edits = {file: [(a, b, list(new)) for a, b, new in found] for file, found in data["edits"].items()}
            out.append(
                Round(
                    int(data["round"]),
                    str(data["by"]),
                    edits,
                    data["findings"],
                    data["claims"],
                    data["grade"],
                    data.get("exchange", {}),
                )
            )
        except (ValueError, KeyError, TypeError) as e:
            raise UsageError(f"{folder / ROUNDS}: line {len(out) + 1} is no round ({e})") from None
    return out


def list_states(began: Mapping[str, str], rounds: Sequence[Round]) -> Iterator[dict[str, str]]:
    """The author's files as the bench began, and after each round."""
    files = dict(began)
    yield dict(files)
    for one in rounds:
        files |= {file: apply_edits(files.get(file, ""), edits) for file, edits in one.edits.items()}
        yield dict(files)


def read_began(folder: Path) -> dict[str, str]:
    """The files that the bench began with; where that was not kept, as they are now."""
    text = read_text(folder, BEGAN)
    if text:
        return dict(json.loads(text))
    files = {file: read_text(folder, file) for file in AUTHORS_OWN}
    write_began(folder, files)
    return files


def record_round(folder: Path, by: str, found: Checkup, exchange: Mapping[str, Any] | None = None) -> Round | None:
    """Add a round to the transcript where anything was changed since the last one, or said."""
    with hold_bench(folder):
        rounds = read_rounds(folder)
        *_, last = list_states(read_began(folder), rounds)
        now = {file: read_text(folder, file) for file in AUTHORS_OWN}
        edits = {file: find_edits(last.get(file, ""), text) for file, text in now.items() if text != last.get(file, "")}
        if not edits and not exchange and rounds:
            return None
        made = Round(
            len(rounds) + 1, by, edits, dict(sorted(Counter(f.code for f in found.findings).items())), dict(found.claims),
            found.grade.word if found.grade else "", dict(exchange or {}),
        )  # fmt: skip
        data = {
            "round": made.number,
            "by": by,
            "edits": edits,
            "findings": made.findings,
            "claims": made.claims,
            "grade": made.grade,
        }
        data |= {"exchange": made.exchange} if exchange else {}
        write_whole(folder / ROUNDS, read_text(folder, ROUNDS) + json.dumps(data, ensure_ascii=False) + "\n")
        return made
