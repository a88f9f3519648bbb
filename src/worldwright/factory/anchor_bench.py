"""Files of a folder taken all the way to worlds, each by itself, and what came of it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import read_uploads
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.anchor.lock.records import Anchor, Domain
from worldwright.assay.contracts import FIDELITY
from worldwright.assay.values import check_values, read_rows
from worldwright.blueprint.load import load_text
from worldwright.compiler.build import BuiltWorld, build
from worldwright.core.errors import WorldwrightError
from worldwright.core.pool import map_in_processes
from worldwright.factory.pack_tests import run_tests
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.world.manifest import STATE

TOOLS, TASKS = 5, 10
"""What a world needs at least to count."""
MAX_DOMAINS_TRIED = 3
"""Parts of an anchor that are built until one counts."""


@dataclass(frozen=True, slots=True)
class FileResult:
    """What came of one file."""

    name: str
    bytes: int
    lock_seconds: float = 0.0
    build_seconds: float = 0.0
    worlds: int = 0
    operations: int = 0
    used: int = 0
    entities: int = 0
    tools: int = 0
    tasks: int = 0
    edits: int = 0
    """Tasks that change one field of one record that is named, and nothing else."""
    business_stated: int = 0
    tests: int = 0
    tests_passed: int = 0
    answers: int = 0
    valid: int = 0
    unchecked: int = 0
    declared: int = 0
    reached: int = 0
    by_fault: int = 0
    claims: int = 0
    business: int = 0
    """Claims about the business that concern the world."""
    bound: int = 0
    grade: str = ""
    texts: int = 0
    """Text columns of which the name or the description says what they hold."""
    code_like: int = 0
    dangling: int = 0
    wrong_order: int = 0
    """Columns with references to nothing, and pairs of dates in the wrong order."""
    problem: str = ""

    @property
    def locks(self) -> bool:
        return self.worlds > 0 or self.claims > 0

    @property
    def counts(self) -> bool:
        return self.tools >= TOOLS and self.tasks >= TASKS

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "locks": self.locks, "counts": self.counts}


def files_in(folder: Path) -> list[Path]:
    """The files under a folder that may be evidence."""
    if folder.is_file():
        return [folder]
    found = sorted(
        p
        for p in folder.rglob("*")
        if p.is_file() and not any(part.startswith(".") for part in p.relative_to(folder).parts)
    )
    return [p for p in found if p.name not in ("manifest.json", "LICENSE", "README.md")]


def bench_files(files: Sequence[Path], root: Path, seed: int, jobs: int) -> Iterator[FileResult]:
    """A row for every file, as they end. One that crashes says so, and the others go on."""
    items = [(file, str(file.relative_to(root)) if file != root else file.name, seed) for file in files]
    for outcome in map_in_processes(_bench_item, items, jobs):
        file, name, _ = outcome.item
        wrong = outcome.error
        crash = f"crash: {type(wrong).__name__}: {str(wrong)[:200]}"
        yield outcome.result or FileResult(name, file.stat().st_size, problem=crash)


def _bench_item(item: tuple[Path, str, int]) -> FileResult:
    return bench_file(*item)


def bench_file(file: Path, name: str, seed: int) -> FileResult:
    """Lock one file, and build the first of its parts that makes a full world, or else the best of the first few."""
    size = file.stat().st_size
    start = time.perf_counter()
    try:
        anchor = build_anchor([Input("any", str(file), tuple(read_uploads(file)))], AnchorOptions())
    except WorldwrightError as e:
        return FileResult(name, size, problem=f"lock: {str(e)[:200]}")
    seconds = time.perf_counter() - start
    best: FileResult | None = None
    for domain in anchor.domains[:MAX_DOMAINS_TRIED]:
        row = _build_domain(name, size, seconds, anchor, domain, seed)
        if best is None or (row.counts, row.tasks) > (best.counts, best.tasks):
            best = row
        if best.counts:
            break
    return best or FileResult(
        name, size, seconds, claims=len(anchor.lock["claims"]), problem="nothing to build yet: it holds claims only"
    )


def _build_domain(name: str, size: int, seconds: float, anchor: Anchor, domain: Domain, seed: int) -> FileResult:
    share = anchor.lock["coverage"].get("operations", {"total": 0, "used": 0})
    facts: dict[str, Any] = {
        "lock_seconds": seconds, "claims": len(anchor.lock["claims"]), "worlds": len(anchor.domains),
        "operations": share["total"], "used": share["used"],
        "entities": domain.counts["entities"], "tools": domain.counts["tools"],
        "business_stated": domain.counts.get("business_stated", 0), "business": domain.claims.get("business", 0),
        "bound": domain.claims.get("bound", 0),
    }  # fmt: skip
    start = time.perf_counter()
    try:
        built = build(load_text(domain.blueprint, domain.name), seed, contract=domain.contract)
    except WorldwrightError as e:
        return FileResult(name, size, **facts, problem=f"build: {str(e)[:200]}")
    facts["build_seconds"] = time.perf_counter() - start
    facts |= {
        **_tasks(built),
        **_fidelity(built),
        **_tests(built),
        **_values(built),
        "grade": built.pack.manifest.grade,
    }
    return FileResult(name, size, **facts)


def _tasks(built: BuiltWorld) -> dict[str, int]:
    found = [json.loads(data) for path, data in built.pack.files.items() if path.startswith("tasks/")]
    return {"tasks": len(found), "edits": sum(is_edit(t["features"]) for t in found)}


def is_edit(features: dict[str, Any]) -> bool:
    """Return whether a task is nothing but one change of one record that is named: nothing has to be found, weighed or followed."""
    plain = features.get("writes", 0) == 1 and features.get("goals", 0) == 1 and not features.get("policies", 0)
    return bool(plain and features.get("reference") != "none" and not features.get("joins", 0))


def _fidelity(built: BuiltWorld) -> dict[str, int]:
    if FIDELITY not in built.pack.files:
        return {}
    seen = json.loads(built.pack.files[FIDELITY])
    statuses = seen["statuses"]
    return {
        **{k: seen[k] for k in ("answers", "valid", "unchecked")},
        "declared": len(statuses["declared"]), "reached": len(statuses["reached"]),
        "by_fault": len(statuses["by_fault"]),
    }  # fmt: skip


def _values(built: BuiltWorld) -> dict[str, int]:
    compiled = compile_blueprint(built.pack.blueprint)
    report = check_values(compiled.blueprint.schema, read_rows(compiled, built.pack.files[STATE]))
    return {"texts": report.telling, **{code: report.count(code) for code in ("code_like", "dangling", "wrong_order")}}


def _tests(built: BuiltWorld) -> dict[str, int]:
    tests, passed = run_tests(built.pack.files)
    return {"tests": tests, "tests_passed": passed}


VALUES_AND_CLAIMS = ("texts", "code_like", "dangling", "wrong_order", "business", "bound")


def sum_results(rows: Sequence[FileResult]) -> dict[str, Any]:
    """Sum all rows."""
    tasks = sum(r.tasks for r in rows)
    return {
        "files": len(rows),
        "locked": sum(r.locks for r in rows),
        "worlds": sum(r.counts for r in rows),
        "tasks": tasks,
        "edits": sum(r.edits for r in rows),
        "tests": sum(r.tests for r in rows),
        "tests_passed": sum(r.tests_passed for r in rows),
        "answers": sum(r.answers for r in rows),
        "valid": sum(r.valid for r in rows),
        "unchecked": sum(r.unchecked for r in rows),
        "statuses": sum(r.declared for r in rows),
        "reached": sum(r.reached for r in rows),
        "by_fault": sum(r.by_fault for r in rows),
        **{
            name: sum(getattr(r, name) for r in rows)
            for name in ("texts", "code_like", "dangling", "wrong_order", "business", "bound")
        },
        "grades": dict(sorted(Counter(r.grade for r in rows if r.grade).items())),
    }
