"""Everything that the bench finds: the language, the claims, the cases, the contract, and a world that is built to look at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldwright.anchor.binding.records import count_claims
from worldwright.assay.grade import DEMANDS, GRADE, Grade, read_grade
from worldwright.assay.measures import has_effect
from worldwright.assay.values import check_values, read_rows
from worldwright.author.cases import count_cased, judge_cases
from worldwright.author.claims import judge_claims
from worldwright.author.contract import judge_contract, make_contract
from worldwright.author.findings import CODES, ERROR
from worldwright.author.goals import judge_goals
from worldwright.author.questions import judge_questions
from worldwright.author.reach import judge_reach
from worldwright.author.records import Bench, Finding
from worldwright.author.review import judge_review
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.effects import effects
from worldwright.blueprint.load import add_record, load_text
from worldwright.compiler.build import build
from worldwright.core.errors import BlueprintError, WorldwrightError
from worldwright.core.memo import Memo
from worldwright.engine.contract import Contract
from worldwright.kinds.build_events import Watch, unwatched
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.worlds import compile_checked
from worldwright.pack.open import Pack
from worldwright.world.manifest import STATE

SEED = 7
"""Of the world that a check builds."""
POWERLESS = frozenset({"claim_target", "claim_idle", "claim_unreached"})
"""Findings on claims that are bound to nothing that could hold them."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """What a check of the bench came to."""

    findings: tuple[Finding, ...]
    claims: Mapping[str, int]
    checked: Checked | None = None
    contract: Contract | None = None
    pack: Pack | None = None
    """The world that was built, where one could be."""
    grade: Grade | None = None

    @property
    def lockable(self) -> bool:
        """Whether nothing stands in the way of locking it."""
        return self.checked is not None and not any(CODES[f.code].level == ERROR for f in self.findings)


def check_bench(
    bench: Bench,
    problems: Sequence[Finding] = (),
    with_world: bool = True,
    watch: Watch = unwatched,
) -> Checkup:
    """Look at everything on the bench. Without a world, only at what can be told from the files."""
    found = list(problems)
    checked = _load(bench, found)
    found += judge_claims(bench, checked)
    if checked is None:
        return Checkup(_order(found), count_claims(bench.claims))
    of_cases = list(judge_cases(bench, checked, bench.blueprint))
    found += of_cases
    mapped = make_contract(bench, checked)
    found += judge_reach(bench, checked, mapped.contract)
    found += judge_review(bench.review, checked)
    counts = count_claims(bench.claims, {f.place.partition("#")[2] for f in found if f.code in POWERLESS})
    checked = add_record(checked, evidence=counts | count_cased(bench, checked, of_cases))
    found += [*judge_contract(mapped, checked), *_judge_effects(checked, mapped.contract)]
    broken = any(CODES[f.code].level == ERROR and f.code in ("contract", "language") for f in found)
    if not with_world or broken:
        return Checkup(_order(found), counts, checked, mapped.contract)
    pack = _build(checked, mapped.contract, found, watch)
    if pack is None:
        return Checkup(_order(found), counts, checked, mapped.contract)
    grade = read_grade(json.loads(pack.files[GRADE])) if GRADE in pack.files else None
    found += [*_judge_tasks(pack, grade), *judge_questions(pack), *judge_goals(checked, pack, SEED, mapped.contract)]
    found += _judge_values(checked, pack)
    return Checkup(_order(found), counts, checked, mapped.contract, pack, grade)


def _load(bench: Bench, found: list[Finding]) -> Checked | None:
    try:
        return load_text(bench.blueprint, "blueprint.yaml")
    except BlueprintError as e:
        found += [Finding("language", f"blueprint.yaml#{f.line}", f"{f.path}: {f.message}", f.hint) for f in e.findings]
        return None


def _judge_effects(checked: Checked, contract: Contract | None) -> Iterator[Finding]:
    """Tools that promise a change and change nothing."""
    names = (
        {t.name: t.operation for t in contract.tools.values()}
        if contract is not None
        else {n: n for n in checked.operations}
    )
    for tool, operation in names.items():
        if effects(checked, operation).mutates and not has_effect(checked, operation):
            yield Finding("no_effect", f"blueprint.yaml#operations.{operation}", f"`{tool}` only leaves a trace")


def _build(checked: Checked, contract: Contract | None, found: list[Finding], watch: Watch) -> Pack | None:
    try:
        return build(checked, SEED, watch=watch, contract=contract, battery=BULK).pack
    except WorldwrightError as e:
        found.append(Finding("build", "blueprint.yaml", str(e)[:600]))
        return None


VALUE_CODES = {"wrong_order": "dates", "name_disagrees": "disagrees"}
"""Codes of the bench for what `assay.values` finds, where they differ."""


def _judge_values(checked: Checked, pack: Pack) -> Iterator[Finding]:
    """Values that look like codes, contradict their columns, or do not agree with each other."""
    report = check_values(checked.schema, read_rows(compile_checked(checked, Memo()), pack.files[STATE]))
    for one in report.findings:
        entity, _, field = one.place.partition(".")
        place = f"blueprint.yaml#entities.{entity}.fields.{field}"
        yield Finding(VALUE_CODES.get(one.code, one.code), place, f"{one.says} ({one.share:.0%} of the values)")


def _judge_tasks(pack: Pack, grade: Grade | None) -> Iterator[Finding]:
    sheet = json.loads(pack.files["datasheet.json"]) if "datasheet.json" in pack.files else {}
    dropped = sheet.get("dropped", {})
    for reason, number in sorted(dropped.items(), key=lambda item: (-item[1], item[0])):
        yield Finding("task_dropped", "blueprint.yaml#goals", f"{number} requests left out: {reason}")
    if grade is None:
        return
    wanted = DEMANDS["deep"]
    if grade.counts.get("tasks", 0) < wanted["tasks"]:
        yield Finding(
            "few_tasks", "blueprint.yaml#goals", f"{grade.counts.get('tasks', 0)} tasks, {wanted['tasks']:g} wanted"
        )
    for family, says in (("policy", "requests that a rule decides"), ("program", "requests of several steps")):
        if grade.counts.get(family, 0) < wanted[family]:
            yield Finding(
                "family_missing",
                "blueprint.yaml#goals",
                f"{grade.counts.get(family, 0)} {says}, {wanted[family]:g} wanted",
            )


def _order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Errors first, then what pays most; of one code in the order of the files."""
    levels = ("error", "warning", "note")
    return tuple(sorted(findings, key=lambda f: (levels.index(CODES[f.code].level), -CODES[f.code].pays, f.code)))


def list_next(findings: Sequence[Finding], most: int = 5) -> list[tuple[str, list[Finding]]]:
    """The few codes that pay most to mend, each with its findings: one that stands in the way of all others comes alone."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.code, []).append(finding)
    worth = {code: CODES[code].pays * (1 + min(9, len(found)) / 3) for code, found in groups.items()}
    ranked = sorted(groups, key=lambda code: (CODES[code].level != ERROR, -worth[code], code))
    if ranked and ranked[0] in ("file", "language"):
        return [(ranked[0], groups[ranked[0]])]
    return [(code, groups[code]) for code in ranked[:most] if CODES[code].level != "note"]
