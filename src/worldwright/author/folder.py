"""The folder of a bench: plain files for an editor and for a diff, read whole and written whole.

bench.json               which anchor and world this is
evidence/                every input as numbered text; operations.json is the same for programs
blueprint.yaml           the world; the author's to change
given.yaml               rows that came with the evidence: the last section of the Blueprint, too long to be read with it
contract.yaml            which operation each tool of the evidence is; the author's to change
claims.yaml              every statement of the evidence, and what became of it; the author's to change
cases.yaml               cases of policies, by somebody who has not seen the rule
notes.md                 whatever the author wants to keep
review.yaml              what somebody who knows the business says of each operation: yes, no, or in other words
contract.draft.json      the draft's own mapping, for tools that keep it
rounds.jsonl             what was changed between checks, and what each found; began.json is what it began with
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from worldwright.anchor.binding.records import DISPOSITIONS, ClaimRow
from worldwright.anchor.lock.files import read_operations
from worldwright.author.added import judge_added
from worldwright.author.records import ANSWERS, Bench, CaseRow, Finding, ReviewRow
from worldwright.core.errors import UsageError
from worldwright.core.whole_file import write_whole
from worldwright.formats.strict_yaml import MAX_BYTES, YamlError, dump_yaml, read_yaml

BENCH, OPERATIONS = "bench.json", "operations.json"
BLUEPRINT, CONTRACT, CLAIMS, CASES, NOTES = "blueprint.yaml", "contract.yaml", "claims.yaml", "cases.yaml", "notes.md"
REVIEW = "review.yaml"
DRAFTED, ROUNDS, GIVEN = "contract.draft.json", "rounds.jsonl", "given.yaml"
BEGAN = "began.json"
"""Beside the rounds: the author's files as the bench was opened with them."""
AUTHORS_OWN = (BLUEPRINT, CONTRACT, CLAIMS, CASES, NOTES, REVIEW)
"""Files that an author changes; nothing else is taken from one."""
MAX_FILE_CHARS = 4_000_000


def find_bench(folder: Path) -> Path:
    """The bench that a folder is or lies in."""
    for place in (folder.resolve(), *folder.resolve().parents):
        if (place / BENCH).is_file():
            return place
    raise UsageError(
        f"{folder} is no bench: `worldwright author NAME` opens one of an anchor (see `worldwright anchor list`)"
    )


@contextmanager
def hold_bench(folder: Path) -> Iterator[None]:
    """Let nobody else change a file of a bench between reading and writing it. Files that an editor writes know nothing of this."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def read_facts(folder: Path) -> dict[str, Any]:
    """Which anchor and world a bench is of."""
    try:
        return dict(json.loads(read_text(folder, BENCH)))
    except (ValueError, TypeError):
        raise UsageError(f"{folder / BENCH} was changed; open the bench again in another folder") from None


def write_bench(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a new bench; one that is there already is left alone."""
    if (folder / BENCH).exists():
        raise UsageError(f"{folder} is a bench already; go on in it, or name another folder with --folder")
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; name another folder with --folder")
    for name, text in files.items():
        if name != BENCH:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, text)
    if BEGAN not in files:
        write_began(folder, {name: files.get(name, "") for name in AUTHORS_OWN})
    write_whole(folder / BENCH, files[BENCH])


def write_began(folder: Path, files: Mapping[str, str]) -> None:
    """Keep the author's files as the bench began with them."""
    write_whole(folder / BEGAN, json.dumps(files, indent=1, ensure_ascii=False) + "\n")


def read_text(folder: Path, name: str) -> str:
    """The text of a file; empty where there is none."""
    path = folder / name
    if not path.is_file():
        return ""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise UsageError(f"{path} cannot be read: {e}") from None
    most = MAX_BYTES if name in (GIVEN, OPERATIONS, DRAFTED) else MAX_FILE_CHARS
    if len(text) > most:
        raise UsageError(f"{path} has more than {most:,} characters")
    return text


def read_bench(folder: Path, instead: Mapping[str, str] = MappingProxyType({})) -> tuple[Bench, tuple[Finding, ...]]:
    """Everything in the folder, and what is wrong with its files. Some files of the author's may be read as they were earlier."""
    problems: list[Finding] = []
    own = {file: instead[file] if file in instead else read_text(folder, file) for file in AUTHORS_OWN}
    try:
        facts = json.loads(read_text(folder, BENCH))
        drafted = {t["name"]: t for t in json.loads(read_text(folder, DRAFTED) or '{"tools": []}')["tools"]}
        operations = read_operations(read_text(folder, OPERATIONS) or "[]")
        anchor, world = str(facts["anchor"]), str(facts["world"])
    except (ValueError, KeyError, TypeError, ValidationError) as e:
        raise UsageError(f"{folder}: the bench's own files were changed ({str(e)[:120]}); open it again") from None
    given = read_text(folder, GIVEN)
    blueprint = f"{own[BLUEPRINT].rstrip()}\n{given}" if given else own[BLUEPRINT]
    claims = read_claims_file(own[CLAIMS], problems)
    problems += judge_added(folder, claims)
    cases = _read_cases(own[CASES], problems)
    bench = Bench(
        anchor, world, blueprint, own[CONTRACT], claims, cases, operations, drafted,
        own[NOTES], read_review(own[REVIEW], problems),
    )  # fmt: skip
    return bench, tuple(problems)


def read_list(text: str, file: str, problems: list[Finding]) -> list[dict[str, Any]]:
    """The rows of a file that is a list of maps, and a finding for each that is none."""
    try:
        data, lines = read_yaml(text) if text.strip() else ([], {})
    except YamlError as e:
        problems.append(Finding("file", f"{file}#{e.line}", e.reason, e.hint))
        return []
    if not isinstance(data, list):
        problems.append(Finding("file", f"{file}#1", "expected a list"))
        return []
    out: list[dict[str, Any]] = []
    for number, row in enumerate(data):
        if isinstance(row, dict):
            out.append({**row, "#": lines.get((number,), 0)})
        else:
            problems.append(Finding("file", f"{file}#{lines.get((number,), 0)}", "expected a map"))
    return out


def read_claims_file(text: str, problems: list[Finding]) -> tuple[ClaimRow, ...]:
    """The rows of claims.yaml, and what is wrong with it."""
    out: list[ClaimRow] = []
    for row in read_list(text, CLAIMS, problems):
        where = f"{CLAIMS}#{row['id']}" if isinstance(row.get("id"), str) else f"{CLAIMS}#{row['#']}"
        to = row.get("to") or ()
        said = row.get("is") or ""
        if said and said not in DISPOSITIONS:
            problems.append(
                Finding("file", where, f"`is` is {str(said)[:40]!r}; expected one of {', '.join(DISPOSITIONS)}")
            )
            said = ""
        out.append(
            ClaimRow(
                str(row.get("id", "")),
                str(row.get("at", "")),
                str(row.get("says", "")),
                str(row.get("kind", "")),
                str(row.get("guess", "")),
                str(said),
                (to,) if isinstance(to, str) else tuple(map(str, to)),
                str(row.get("why") or ""),
            )
        )
    return tuple(out)


def write_claims(rows: Sequence[ClaimRow]) -> str:
    """Claims as the file has them; what was not decided yet is left out."""
    data = []
    for row in rows:
        one: dict[str, Any] = {"id": row.id, "at": row.at, "says": row.says, "kind": row.kind, "guess": row.guess}
        one |= {"is": row.is_} if row.is_ else {}
        one |= {"to": list(row.to)} if row.to else {}
        data.append(one | ({"why": row.why} if row.why else {}))
    return dump_yaml(data) if data else "[]\n"


def _read_cases(text: str, problems: list[Finding]) -> tuple[CaseRow, ...]:
    out: list[CaseRow] = []
    for row in read_list(text, CASES, problems):
        cases = row.get("cases")
        if (
            not isinstance(row.get("policy"), str)
            or not isinstance(cases, list)
            or not all(isinstance(c, dict) for c in cases)
        ):
            problems.append(Finding("file", f"{CASES}#{row['#']}", "expected `policy`, `by` and a list of `cases`"))
            continue
        out.append(CaseRow(row["policy"], str(row.get("by") or ""), tuple(cases)))
    return tuple(out)


def read_review(text: str, problems: list[Finding]) -> tuple[ReviewRow, ...]:
    """The rows of review.yaml, and what is wrong with it."""
    out = []
    for row in read_list(text, REVIEW, problems):
        if not isinstance(row.get("operation"), str) or row.get("is") not in ANSWERS:
            problems.append(
                Finding("file", f"{REVIEW}#{row['#']}", f"expected `operation`, and `is`: one of {', '.join(ANSWERS)}")
            )
            continue
        out.append(
            ReviewRow(
                row["operation"],
                str(row.get("says") or ""),
                row["is"],
                str(row.get("instead") or ""),
                str(row.get("by") or ""),
            )
        )
    return tuple(out)
