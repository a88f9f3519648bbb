"""What can be done at a bench, as functions of a folder: the same for the command line, a coding agent over MCP, and a model.

Whatever comes in is data. Only the author's own files are ever written, each whole, and nothing that stands in them is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from importlib import resources
from pathlib import Path
from typing import Any

from worldwright.anchor.binding.records import DISPOSITIONS, ClaimRow
from worldwright.author.added import find_problem, is_added, next_id
from worldwright.author.beliefs import describe_operations, find_examples
from worldwright.author.cases import list_uncovered, write_brief
from worldwright.author.check import Checkup, check_bench, list_next
from worldwright.author.contract import make_contract
from worldwright.author.diff import Change, compare_checkups
from worldwright.author.findings import CODES
from worldwright.author.folder import (
    AUTHORS_OWN,
    BLUEPRINT,
    CASES,
    CLAIMS,
    MAX_FILE_CHARS,
    REVIEW,
    hold_bench,
    read_bench,
    read_facts,
    read_list,
    read_text,
    write_claims,
)  # fmt: skip
from worldwright.author.open import lock_bench
from worldwright.author.records import Finding
from worldwright.author.review import find_answer, read_rows, review_operation
from worldwright.author.rounds import list_states, read_began, read_rounds, record_round
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.core.canonical import sha256
from worldwright.core.errors import BlueprintError, UsageError
from worldwright.core.names import suggest
from worldwright.core.whole_file import write_whole
from worldwright.formats.strict_yaml import YamlError, dump_yaml, read_yaml
from worldwright.kinds.build_events import Watch, unwatched
from worldwright.store.anchors import Anchors
from worldwright.world.records import TableDiff

MAX_SHOWN_CHARS = 60_000


def read_guide(topic: str = "") -> str:
    """The guide for authors, or one chapter of it."""
    text = resources.files("worldwright.author").joinpath("guide.md").read_text(encoding="utf-8")
    if not topic:
        return text
    chapters = {part.partition("\n")[0].strip("# ").strip(): "## " + part for part in text.split("\n## ")[1:]}
    found = next((name for name in chapters if topic.lower() in name.lower()), "")
    if not found:
        raise UsageError(f"the guide has no chapter `{topic[:60]}`; it has {', '.join(chapters)}")
    return chapters[found]


def list_evidence(folder: Path) -> list[tuple[str, int]]:
    """The sheets of the evidence, each with its lines."""
    return [(p.name, p.read_text(encoding="utf-8").count("\n")) for p in sorted((folder / "evidence").glob("*.txt"))]


def read_evidence(folder: Path, file: str, start: int = 1, most: int = 400, find: str = "") -> str:
    """Lines of a sheet, or those that hold a word."""
    known = [name for name, _ in list_evidence(folder)]
    if file not in known:
        raise UsageError(f"the evidence has no sheet `{file[:80]}`; {suggest(file, known)}")
    lines = (folder / "evidence" / file).read_text(encoding="utf-8").splitlines()
    if find:
        lines = [line for line in lines if find.lower() in line.lower()]
    shown = "\n".join(lines[max(0, start - 1) : max(0, start - 1) + most])
    more = len(lines) - (start - 1) - most
    return shown[:MAX_SHOWN_CHARS] + (f"\n({more:,} more lines)" if more > 0 else "")


def list_claims(folder: Path, only: str = "", start: int = 1, most: int = 200) -> list[dict[str, Any]]:
    """Claims as rows: `only` is open, business, or one of the dispositions."""
    bench, _ = read_bench(folder)
    kept = [
        row
        for row in bench.claims
        if not only
        or row.is_ == only
        or (only == "open" and row.business and not row.is_)
        or (only == "business" and row.business)
    ]
    data, _ = read_yaml(write_claims(kept[start - 1 : start - 1 + most]))
    return list(data)


def read_own_file(folder: Path, file: str) -> str:
    """One of the author's files."""
    return read_text(folder, file if file == REVIEW else _own(file))


def write_own_file(folder: Path, file: str, text: str, seen: str | None = None) -> str:
    """Write one of the author's files whole; with the digest that it had when it was `seen`, only if nobody changed it since."""
    name = _own(file)
    with hold_bench(folder):
        if seen is not None and sha256(read_text(folder, name).encode()) != seen:
            raise UsageError(f"{name} was changed meanwhile: read it again, and take over what you wrote")
        return _write(folder, name, text)


def _write(folder: Path, name: str, text: str) -> str:
    if len(text) > MAX_FILE_CHARS:
        raise UsageError(f"{name} would have more than {MAX_FILE_CHARS:,} characters")
    read_began(folder)
    write_whole(folder / name, text if text.endswith("\n") else text + "\n")
    return f"{name}: {text.count(chr(10)) + 1} lines"


def edit_own_file(folder: Path, file: str, old: str, new: str) -> str:
    """Replace a text that stands there once."""
    with hold_bench(folder):
        text = read_text(folder, _own(file))
        count = text.count(old) if old else 0
        if count != 1:
            raise UsageError(f"the text to replace stands {count} times in {file}; it has to stand there once")
        return _write(folder, _own(file), text.replace(old, new))


def set_nodes(folder: Path, nodes: Mapping[str, Any], remove: Sequence[str] = ()) -> str:
    """Set nodes of the Blueprint by their path (`policies.carry_over`), and remove others. Remarks in the file are lost."""
    with hold_bench(folder):
        try:
            data, _ = read_yaml(read_text(folder, BLUEPRINT) or "{}")
        except YamlError as e:
            raise UsageError(f"{BLUEPRINT}, line {e.line}: {e.reason}; write the whole file anew") from None
        if not isinstance(data, dict):
            raise UsageError(f"{BLUEPRINT} is no map; write the whole file anew")
        for path, value in nodes.items():
            *above, last = path.split(".")
            here: Any = data
            for step in above:
                here = here.setdefault(step, {}) if isinstance(here, dict) else None
            if not isinstance(here, dict):
                raise UsageError(f"`{path[:120]}` leads through something that is no map")
            here[last] = value
        for path in remove:
            *above, last = path.split(".")
            here = data
            for step in above:
                here = here.get(step) if isinstance(here, dict) else None
            if not isinstance(here, dict) or last not in here:
                raise UsageError(f"there is no `{path[:120]}` to remove")
            del here[last]
        return _write(folder, BLUEPRINT, dump_yaml(data))


def bind_claims(folder: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    """Say what became of some claims: `{id, is, to, why}` each; one that the reader missed is `{at, says, is, to, why}`."""
    with hold_bench(folder):
        bench, _ = read_bench(folder)
        by_id = {row.id: row for row in bench.claims}
        for said in rows:
            row = _add_claim(folder, said, tuple(by_id.values())) if "id" not in said else by_id.get(str(said["id"]))
            if row is None:
                raise UsageError(
                    f"there is no claim `{str(said.get('id'))[:40]}`; {suggest(str(said.get('id')), by_id)}"
                )
            chosen = str(said.get("is") or ("bound" if said.get("to") else ""))
            if chosen and chosen not in DISPOSITIONS:
                raise UsageError(f"{row.id}: `is` is one of {', '.join(DISPOSITIONS)}")
            to = said.get("to") or ()
            by_id[row.id] = replace(
                row,
                is_=chosen,
                to=(to,) if isinstance(to, str) else tuple(map(str, to)),
                why=str(said.get("why") or ""),
            )
        _write(folder, CLAIMS, write_claims(tuple(by_id.values())))
        return f"{len(rows)} claims"


def _add_claim(folder: Path, said: Mapping[str, Any], rows: Sequence[ClaimRow]) -> ClaimRow:
    row = ClaimRow(next_id(rows), str(said.get("at", "")), str(said.get("says", "")), "", "")
    problem = find_problem(folder, row, [r for r in rows if not is_added(r)])
    if problem:
        raise UsageError(f"a claim without an id is one that the reader missed: {problem}")
    return row


def brief_cases(folder: Path, policy: str = "") -> str:
    """What somebody who writes independent cases may see: for one policy, or for all that have none yet."""
    bench, _ = read_bench(folder)
    checked = load_bench(folder)
    return write_brief(bench, checked, [policy] if policy else list_uncovered(bench, checked))


def add_cases(folder: Path, policy: str, by: str, cases: Sequence[Mapping[str, Any]]) -> str:
    """Keep cases by somebody who has not seen the rule, in the place of earlier ones by the same."""
    with hold_bench(folder):
        if not by.strip():
            raise UsageError("say who wrote the cases: `by`")
        rows = [{k: v for k, v in r.items() if k != "#"} for r in read_list(read_text(folder, CASES), CASES, [])]
        rows = [r for r in rows if (r.get("policy"), r.get("by")) != (policy, by)]
        rows.append({"policy": policy, "by": by, "cases": [dict(c) for c in cases]})
        _write(folder, CASES, dump_yaml(rows))
        return f"{len(cases)} cases for {policy}"


def review(folder: Path, operation: str, answer: str, by: str, instead: str = "") -> str:
    """Keep what somebody who knows the business says of an operation: yes, no, or what it does instead (edit)."""
    with hold_bench(folder):
        row = review_operation(folder, load_bench(folder), operation, answer, by, instead)
        return f"{row.operation}: {row.is_}"


def list_beliefs(folder: Path, with_examples: bool = True) -> list[dict[str, Any]]:
    """What we believe of every operation, with a run that shows it where one was found, and what was said of it."""
    bench, _ = read_bench(folder)
    checked = load_bench(folder)
    contract = make_contract(bench, checked).contract
    examples = find_examples(checked, contract) if with_examples else {}
    rows = read_rows(folder)
    out = []
    for belief in describe_operations(checked, contract):
        answer, example = find_answer(rows, belief), examples.get(belief.operation)
        out.append({
            **asdict(belief),
                "says": belief.says,
            "answer": None if answer is None else {"is": answer.is_, "instead": answer.instead, "by": answer.by},
            "example": None if example is None else {**asdict(example), "diff": _diff_data(example.diff)},
        })  # fmt: skip
    return out


def _diff_data(changes: Mapping[str, TableDiff]) -> dict[str, Any]:
    return {
        table: {part: found for part in ("added", "changed", "removed") if (found := dict(getattr(diff, part)))}
        for table, diff in changes.items()
    }


def load_bench(folder: Path) -> Checked:
    """The Blueprint of a bench, checked."""
    bench, _ = read_bench(folder)
    try:
        return load_text(bench.blueprint, BLUEPRINT)
    except BlueprintError as e:
        raise UsageError(f"the Blueprint has errors: {e}") from None


def check(
    folder: Path,
    by: str,
    with_world: bool = True,
    watch: Watch = unwatched,
    exchange: Mapping[str, Any] | None = None,
) -> Checkup:
    """Check the bench and end the round: what was changed and found is added to the transcript."""
    read_began(folder)
    bench, problems = read_bench(folder)
    found = check_bench(bench, problems, with_world, watch)
    record_round(folder, by, found, exchange)
    return found


def diff(folder: Path, since: str = "began", watch: Watch = unwatched) -> list[Change]:
    """What the changes since the bench began, or since the round before the last, do to the world."""
    states = list(list_states(read_began(folder), read_rounds(folder)))
    earlier = states[0] if since == "began" else states[-2] if len(states) > 1 else states[0]
    before = check_bench(*read_bench(folder, earlier), watch=watch)
    return compare_checkups(before, check_bench(*read_bench(folder), watch=watch))


def lock(folder: Path, by: str, anchors: Anchors | None = None, watch: Watch = unwatched) -> dict[str, Any]:
    """Check once more and keep the world in the store, in the place of the draft."""
    found = check(folder, by, watch=watch)
    return lock_bench(anchors or Anchors(), folder, read_facts(folder), found, by)


def finding_data(finding: Finding) -> dict[str, str]:
    """A finding with what its code means, as `--json` has it."""
    code = CODES[finding.code]
    return {
        "code": finding.code, "level": code.level, "place": finding.place, "says": finding.says, "why": code.why,
        "mend": finding.mend or code.mend,
    }  # fmt: skip


def checkup_data(found: Checkup) -> dict[str, Any]:
    """A check as `--json` has it."""
    return {
        "findings": [finding_data(f) for f in found.findings],
        "claims": dict(found.claims),
        "grade": found.grade.data() if found.grade else None,
        "lockable": found.lockable,
    }


def next_data(found: Checkup) -> list[dict[str, Any]]:
    """The few codes that pay most, with their first findings."""
    return [
        {
            "code": code,
            "count": len(group),
            "why": CODES[code].why,
            "mend": CODES[code].mend,
            "first": [finding_data(f) for f in group[:5]],
        }
        for code, group in list_next(found.findings)
    ]


def _own(file: str) -> str:
    """A file that an author may write whole. What others said of the operations is none: `review_operation` adds to it."""
    files = [name for name in AUTHORS_OWN if name != REVIEW]
    if file not in files:
        raise UsageError(f"`{str(file)[:80]}` is not the author's to change; only {', '.join(files)} are")
    return file
