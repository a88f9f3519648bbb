"""Domains of the catalogue put through everything: built, proven, tested, held to what every world promises."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.depth import measure_depth
from worldwright.catalogue.standard import FAMILIES, MIN_TASKS, find_missing
from worldwright.compiler.build import build, name_variant
from worldwright.core.errors import WorldwrightError
from worldwright.core.pool import map_in_processes
from worldwright.engine import conformance
from worldwright.factory.pack_tests import run_tests
from worldwright.pack.open import Pack
from worldwright.store.open import world_of
from worldwright.store.store import Store

TAG = "catalogue"


@dataclass(frozen=True, slots=True)
class DomainResult:
    """What came of one domain."""

    name: str
    category: str = ""
    seconds: float = 0.0
    digest: str = ""
    rows: int = 0
    tools: int = 0
    business_share: float = 0.0
    policies: int = 0
    agent_rules: int = 0
    tasks: int = 0
    families: dict[str, int] = field(default_factory=dict)
    episodes: int = 0
    wrong: int = 0
    """Episodes that a verifier judged wrongly, over all tasks that were kept."""
    tests: int = 0
    tests_passed: int = 0
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}


def bench_domains(names: Sequence[str], seed: int, jobs: int, resume: bool) -> Iterator[DomainResult]:
    """A row for every domain, as they end. One that crashes says so, and the others go on."""
    for outcome in map_in_processes(partial(bench_domain, seed=seed, resume=resume), names, jobs):
        wrong = outcome.error
        crash = f"crash: {type(wrong).__name__}: {str(wrong)[:200]}"
        yield outcome.result or DomainResult(outcome.item, problems=(crash,))


def bench_domain(name: str, seed: int, resume: bool = False) -> DomainResult:
    """Check, compile, prove, seal, keep and test one domain."""
    start = time.perf_counter()
    try:
        checked = catalogue.load(name)
        pack = (_find_earlier_pack(checked, seed) if resume else None) or _build_and_keep(checked, seed)
    except WorldwrightError as e:
        return DomainResult(name, problems=(str(e)[:300],))
    measured = measure_depth(checked)
    sheet = json.loads(pack.files["datasheet.json"])
    families = Counter(json.loads(data)["family"] for path, data in pack.files.items() if path.startswith("tasks/"))
    tests, passed = run_tests(pack.files)
    wrong = sheet["false_accepts"] + sheet["false_rejects"]
    problems = [*find_missing(measured), *conformance.check_world(world_of(pack), seed)]
    problems += [f"no task of the family {f}" for f in FAMILIES if not families[f]]
    problems += [f"{families.total()} tasks, {MIN_TASKS} wanted"] if families.total() < MIN_TASKS else []
    problems += [f"{tests - passed} of {tests} generated tests fail"] if passed < tests or not tests else []
    problems += [f"{wrong} episodes judged wrongly"] if wrong else []
    counts = pack.manifest.counts
    return DomainResult(
        name, checked.blueprint.category, time.perf_counter() - start, pack.manifest.digest, counts["rows"], counts["tools"],
        measured.business_share, measured.policies, measured.agent_rules, families.total(), dict(sorted(families.items())),
        sheet["episodes"], wrong, tests, passed, tuple(problems),
    )  # fmt: skip


def _build_and_keep(checked: Checked, seed: int) -> Pack:
    pack, store = build(checked, seed).pack, Store()
    store.put(pack.files, pack.manifest)
    return pack


def _find_earlier_pack(checked: Checked, seed: int) -> Pack | None:
    """The pack of an earlier run, where it is of this very Blueprint."""
    store, name = Store(), checked.blueprint.blueprint
    if (name, TAG) not in store.list_references() or name_variant(checked, seed) not in store.variants(name, TAG):
        return None
    pack = store.open(f"{name}:{TAG}/{name_variant(checked, seed)}")
    return pack if pack.manifest.blueprint == checked.digest else None


def tag_pack(row: DomainResult, seed: int) -> None:
    """Give a pack its name in the store. One process does this for all."""
    if row.digest:
        Store().tag(row.name, TAG, name_variant(catalogue.load(row.name), seed), row.digest)
