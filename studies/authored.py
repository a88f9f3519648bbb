"""Replay what authors did at the bench, without any model, and count it against lists of claims that somebody else made.

    python -m studies.authored report --anchors ../shared/anchors
    python -m studies.authored report --anchors ../shared/anchors overtime_claims asana
    python -m studies.authored keep BENCH --name asana --evidence mcp/asana.tools.json --author "..." --minutes 30

A session is a folder of `benchmarks/authored/`: what the author wrote (blueprint.yaml, contract.yaml, cases.yaml), what became of
each claim (dispositions.yaml, by place and a digest or the position of its words, so that no evidence is copied), the transcript
(rounds.jsonl), who the author was (session.yaml), and the statements that somebody else found in the same evidence (others.yaml,
by place alone). The evidence itself is read where it lies.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from worldwright.anchor.binding.records import BOUND, NOT_BUSINESS, ClaimRow
from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import read_uploads
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.anchor.lock.records import read_claims
from worldwright.author.added import find_again, find_words, is_added, words_at
from worldwright.author.check import Checkup, check_bench
from worldwright.author.folder import CLAIMS, GIVEN, ROUNDS, read_bench, read_facts, read_text, write_claims
from worldwright.author.open import open_bench
from worldwright.core.canonical import sha256
from worldwright.formats.strict_yaml import dump_yaml, read_yaml
from worldwright.kinds.database.referee.compare import compare_tasks, count_comparisons
from worldwright.kinds.database.referee.settings import SAMPLE
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.anchors import Anchors
from worldwright.store.open import world_of

KEPT = Path(__file__).resolve().parents[1] / "benchmarks" / "authored"
FILES = ("blueprint.yaml", "contract.yaml", "cases.yaml", "rounds.jsonl", "notes.md")
NO_ROWS = "given: {}\n"
MAX_KEPT_ROWS = 500
"""Characters of rows that are kept as the author left them; longer ones are read anew, so that no evidence is copied."""
_LINES = re.compile(r"(\d+)(?:-(\d+))?\Z")


@dataclass(frozen=True, slots=True)
class Replay:
    """One session, replayed."""

    name: str
    facts: Mapping[str, Any]
    found: Checkup
    others: int
    """Statements about the business that somebody else found."""
    others_bound: int
    lost: tuple[str, ...]
    """Places of those that nothing was bound to."""
    rounds: int


def mark(says: str) -> str:
    """A digest of a statement, spaces aside."""
    return sha256(" ".join(says.split()).encode())[:12]


def keep_session(bench: Path, name: str, facts: Mapping[str, Any]) -> Path:
    """Keep what lies on a bench as a session."""
    place = KEPT / name
    place.mkdir(parents=True, exist_ok=True)
    found, problems = read_bench(bench)
    if problems:
        raise SystemExit(f"{bench}: {problems[0].says}")
    for file in FILES:
        text = read_text(bench, file)
        if text.strip():
            (place / file).write_text(_without_claims(text) if file == ROUNDS else text, encoding="utf-8")
    rows = read_text(bench, GIVEN) or NO_ROWS
    if len(rows) <= MAX_KEPT_ROWS:
        (place / GIVEN).write_text(rows, encoding="utf-8")
    said = [
        _disposition(row, bench)
        for row in found.claims
        if row.is_ and (row.is_ != NOT_BUSINESS or row.guess in ("business", ""))
    ]
    (place / "dispositions.yaml").write_text(dump_yaml(said), encoding="utf-8")
    world = str(read_facts(bench)["world"])
    (place / "session.yaml").write_text(dump_yaml({**facts, "world": world}), encoding="utf-8")
    return place


def _without_claims(rounds: str) -> str:
    """A transcript in which the edits of claims are only counted: their lines hold the words of the evidence."""
    out = []
    for line in rounds.splitlines():
        data = json.loads(line)
        edits = {k: len(v) if k == CLAIMS else v for k, v in data["edits"].items()}
        out.append(json.dumps({**data, "edits": edits}, ensure_ascii=False))
    return "\n".join(out) + "\n"


def _disposition(row: ClaimRow, bench: Path) -> dict[str, Any]:
    """What became of a claim; of one that the author added, from which to which character of its place it stands."""
    out: dict[str, Any] = {"at": row.at}
    out |= {"words": list(find_words(bench, row.at, row.says))} if is_added(row) else {"mark": mark(row.says)}
    out |= {"is": row.is_, **({"to": list(row.to)} if row.to else {})}
    return out | ({"why": row.why} if row.why else {})


def replay_session(place: Path, anchors: Path, with_world: bool = True) -> Replay:
    """The evidence uploaded anew, the author's files laid beside it, and the whole checked."""
    facts = read_yaml((place / "session.yaml").read_text(encoding="utf-8"))[0]
    files = [anchors / file for file in facts["evidence"]]
    given = [Input("any", str(file), tuple(read_uploads(file))) for file in files]
    anchor = build_anchor(given, AnchorOptions(name=facts["anchor"], focus=tuple(facts.get("focus", ()))))
    with tempfile.TemporaryDirectory() as folder:
        store = Anchors(Path(folder) / "home")
        store.put(anchor)
        known = [d.name for d in anchor.domains]
        bench = open_bench(
            store, anchor.name, Path(folder) / "bench", facts["world"] if facts["world"] in known else ""
        )
        for file in FILES[:3]:
            (bench / file).write_text(
                (place / file).read_text(encoding="utf-8") if (place / file).exists() else "", encoding="utf-8"
            )
        if (place / GIVEN).exists():
            (bench / GIVEN).write_text((place / GIVEN).read_text(encoding="utf-8"), encoding="utf-8")
        said = _read(place / "dispositions.yaml")
        rows = apply_dispositions(read_bench(bench)[0].claims, list(_added(bench, said)), said)
        (bench / CLAIMS).write_text(write_claims(rows), encoding="utf-8")
        found = check_bench(*read_bench(bench), with_world=with_world)
    others = _read(place / "others.yaml")
    also = {(str(c.source), mark(c.says)): [str(a) for a in c.also] for c in read_claims(anchor.lock)}
    linked = {place: to for file in files for place, to in list_links(file)}
    places = [at for row in rows if row.is_ == BOUND for at in (row.at, *also.get((row.at, mark(row.says)), ()))]
    bound = [*places, *(linked[at] for at in places if at in linked)]
    lost = [str(row["at"]) for row in others if not any(overlap(str(row["at"]), at) for at in bound)]
    rounds = (
        len((place / "rounds.jsonl").read_text(encoding="utf-8").splitlines())
        if (place / "rounds.jsonl").exists()
        else 0
    )
    return Replay(place.name, facts, found, len(others), len(others) - len(lost), tuple(lost), rounds)


def list_links(file: Path) -> Iterator[tuple[str, str]]:
    """Yield every place of a document that only leads to another one in it, with that one: `$ref` of JSON and YAML."""
    if file.suffix not in (".json", ".yaml", ".yml"):
        return
    waiting: list[tuple[str, Any]] = [("", yaml.load(file.read_bytes(), yaml.CBaseLoader))]
    while waiting:
        at, here = waiting.pop()
        inside = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        for key, value in inside:
            if key == "$ref" and isinstance(value, str) and value.startswith("#/"):
                yield f"{file.name}#{at}", f"{file.name}{value}"
            waiting.append((f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}", value))


def _read(path: Path) -> list[dict[str, Any]]:
    return list(read_yaml(path.read_text(encoding="utf-8"))[0] or []) if path.exists() else []


def apply_dispositions(
    claims: Sequence[ClaimRow], added: Sequence[ClaimRow], said: Sequence[Mapping[str, Any]]
) -> list[ClaimRow]:
    """The claims with what the author said of each, and those that he added himself if the readers do not find them by now."""
    by_mark = {(str(row["at"]), str(row["mark"])): row for row in said if "mark" in row}
    known = [(row, by_mark.get((row.at, mark(row.says)))) for row in claims]
    rows = {row.id: row if found is None else _dispose(row, found) for row, found in known}
    for own in added:
        again = find_again(own, claims)
        if again is None:
            rows[own.id] = own
        elif not rows[again.id].is_:
            rows[again.id] = replace(rows[again.id], is_=own.is_, to=own.to, why=own.why)
    return list(rows.values())


def _added(bench: Path, said: Sequence[Mapping[str, Any]]) -> Iterator[ClaimRow]:
    """The claims that the author added himself."""
    for number, own in enumerate((row for row in said if "words" in row), start=1):
        start, end = own["words"]
        yield _dispose(ClaimRow(f"a{number:03d}", own["at"], words_at(bench, own["at"])[start:end], "", ""), own)


def _dispose(row: ClaimRow, said: Mapping[str, Any]) -> ClaimRow:
    return replace(row, is_=said["is"], to=tuple(said.get("to", ())), why=said.get("why", "") or row.why)


def overlap(one: str, other: str) -> bool:
    """Whether two places are the same or one lies in the other: lines of a text, or pointers into a document."""
    (file, _, at), (file2, _, at2) = one.partition("#"), other.partition("#")
    if file != file2:
        return False
    lines, lines2 = _LINES.match(at), _LINES.match(at2)
    if lines and lines2:
        first, second = [(int(m[1]), int(m[2] or m[1])) for m in (lines, lines2)]
        return first[0] <= second[1] and second[0] <= first[1]
    return at == at2 or at.startswith((f"{at2}/", f"{at2}.")) or at2.startswith((f"{at}/", f"{at}."))


def judge_verdicts(one: Replay) -> dict[str, int]:
    """Episodes that were judged around the tasks of a session, by the battery and by the referee, and those judged wrongly."""
    if one.found.pack is None:
        return {}
    sheet = json.loads(one.found.pack.files["datasheet.json"])
    world = world_of(one.found.pack)
    assert isinstance(world.runtime, Runtime)
    keys = [(task, world.key(task.id)) for task in world.tasks]
    second = count_comparisons(compare_tasks(world.runtime, keys, SAMPLE))
    wrong = sum(sheet[name] for name in ("false_accepts", "false_rejects"))
    return {"judged": sheet["episodes"] + second["episodes"], "wrong": wrong + second["disagreements"]}


def report(names: Sequence[str], anchors: Path) -> int:
    """Print a line for every session; the exit status is 1 where a figure is not reached."""
    places = [p for p in sorted(KEPT.iterdir()) if p.is_dir() and (not names or p.name in names)]
    heads = "session grade claims_bound others_bound tasks policy program judged wrong cases rounds min"
    print(_line(*(head.replace("_", " ") for head in heads.split())))
    short = 0
    for place in places:
        one = replay_session(place, anchors)
        grade, claims = one.found.grade, one.found.claims
        counts = grade.counts if grade else {}
        verdicts = judge_verdicts(one)
        bound = f"{claims['bound']} of {claims['business']}"
        theirs = f"{one.others_bound} of {one.others}"
        families = [counts.get(name, 0) for name in ("tasks", "policy", "program")]
        word = grade.word if grade and one.found.lockable else "errors"
        cases = sum(len(row["cases"]) for row in _read(place / "cases.yaml"))
        figures = (
            *families,
            verdicts.get("judged", 0),
            verdicts.get("wrong", 0),
            cases,
            one.rounds,
            one.facts["minutes"],
        )
        print(_line(one.name, word, bound, theirs, *figures), flush=True)
        for place_ in one.lost:
            print(f"    not bound: {place_}")
        reached = one.found.lockable and counts.get("tasks", 0) >= 40 and one.others_bound >= 0.85 * one.others
        short += not (reached and min(families) > 0 and verdicts.get("wrong") == 0)
    print(
        f"{len(places)} sessions, {short} short of: 85 % of others' statements, 40 tasks of all families, 0 wrong verdicts"
    )
    return 1 if short else 0


def _line(*cells: object) -> str:
    wide = (18, 6, 13, 13, 6, 7, 8, 8, 6, 6, 7, 4)
    return " ".join(
        f"{cell!s:<{w}}" if n < 2 else f"{cell!s:>{w}}" for n, (cell, w) in enumerate(zip(cells, wide, strict=True))
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m studies.authored", description=__doc__.split("\n\n")[0] if __doc__ else ""
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    told = verbs.add_parser("report")
    told.add_argument("names", nargs="*")
    told.add_argument("--anchors", type=Path, required=True)
    kept = verbs.add_parser("keep")
    kept.add_argument("bench", type=Path)
    kept.add_argument("--name", required=True)
    kept.add_argument("--evidence", action="append", required=True, help="relative to the folder of anchors")
    kept.add_argument("--author", required=True)
    kept.add_argument("--minutes", type=int, default=0)
    kept.add_argument("--focus", action="append", default=[], help="as it was given to upload")
    kept.add_argument(
        "--others",
        type=Path,
        help="statements that somebody else found: a YAML list with `at`, and `about` where not the business",
    )
    asked = parser.parse_args()
    if asked.verb == "report":
        return report(asked.names, asked.anchors)
    facts = {
        "anchor": str(read_facts(asked.bench)["anchor"]),
        "evidence": asked.evidence,
        "author": asked.author,
        "minutes": asked.minutes,
        **({"focus": asked.focus} if asked.focus else {}),
    }
    place = keep_session(asked.bench, asked.name, facts)
    if asked.others:
        said = [row for row in _read(asked.others) if not row.get("unsure")]
        rows = [{"at": row["at"]} for row in said if row.get("about", "business") == "business"]
        (place / "others.yaml").write_text(dump_yaml(rows), encoding="utf-8")
    print(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
