"""The figures behind the grade of one built world, and the file that keeps them in its pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.assay.grade import FIGURES, GRADE, Grade, Share, grade_world
from worldwright.assay.measures import Measures, measure_world
from worldwright.assay.values import ValueReport, check_values, read_rows
from worldwright.core.canonical import pretty_json
from worldwright.engine.contract import Contract
from worldwright.kinds.database.compiled_world import CompiledWorld

CASES = ("bound_rules", "cased_rules")
"""Of an authored world: the rules that statements are bound to, and those of them that agree with cases of somebody else."""


def grade_built_world(
    compiled: CompiledWorld, state: bytes, contract: Contract | None, counts: Mapping[str, int], asked: float = 1.0
) -> Grade:
    """Grade a world by its Blueprint, its contract, its tasks by family and its columns."""
    checked = compiled.blueprint
    measured = measure_world(checked, contract)
    evidence = checked.blueprint.evidence
    shares = {
        **_measured_shares(measured),
        "claims": Share(evidence.get("bound", 0), evidence.get("business", 0)),
        "values": _value_share(check_values(checked.schema, read_rows(compiled, state))),
    }
    cases = {name: evidence[name] for name in CASES if name in evidence}
    families = {name.removeprefix("tasks_"): n for name, n in counts.items() if name.startswith("tasks_")}
    return grade_world(shares, {"tasks": counts.get("tasks", 0), **families, **cases}, asked)


def _value_share(report: ValueReport) -> Share:
    """Columns whose values fit; one with a single value for all rows is dull and not wrong."""
    wrong = {f.place for f in report.findings if f.code != "constant"}
    return Share(report.columns - len(wrong), report.columns)


def _measured_shares(m: Measures) -> dict[str, Share]:
    return {
        "writes": Share(m.writes_with_effect, m.writes),
        "reads": Share(m.reads_of_state, m.reads),
        "parameters": Share(m.parameters_used, m.parameters),
        "answers": Share(m.answers_backed, m.answers),
        "stated": Share(m.rules - m.rules_assumed, m.rules),
    }


def write_grade(grade: Grade) -> dict[str, bytes]:
    return {GRADE: pretty_json(grade.data()).encode()}


def describe_grade(data: Mapping[str, Any]) -> list[str]:
    """The figures of a grade as lines for a person, what is lacking first."""
    lines = [f"for more: {said}" for said in data["lacking"]]
    for name, says in FIGURES.items():
        good, of = data["shares"].get(name, (0, 0))
        if of:
            lines.append(f"{good:,} of {of:,} {says} ({good / of:.0%})")
    rules, cased = (data["counts"].get(name, 0) for name in CASES)
    if rules:
        lines.append(
            f"{cased:,} of {rules:,} rules held against cases that somebody else wrote; terms and effects never are"
        )
    return lines
